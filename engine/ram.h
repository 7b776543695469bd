/* Guest memory as a file of ours: filled from an image, compared, hashed, put back, and kept aside as the pages that changed. */
#ifndef ENGINE_RAM_H
#define ENGINE_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/digest.h"
#include "engine/err.h"

#define RAM_PAGE 4096

/* Memory in a sparse file, mapped. */
struct ram {
	int fd;          /* owned */
	uint8_t *map;    /* shared; writable unless it is an image */
	size_t size;     /* multiple of RAM_PAGE */
	unsigned *looks; /* how often all of it was looked at: owned, ram.c's own */
};

/* A new memory file of zeros. */
bool ram_create(struct ram *r, size_t size, struct err *err);
/* An existing file, mapped to read; fd stays the caller's and is duplicated. */
bool ram_open_image(struct ram *r, int fd, struct err *err);
void ram_finish(struct ram *r);

/* Copies the image's data into fresh memory (all zeros). */
bool ram_fill(struct ram *r, const struct ram *image, struct err *err);
/* Writes memory as a sparse file. */
bool ram_save(const struct ram *r, int fd, struct err *err);

/* Pages that differ from an image. Equal pages of deltas taken one after another are kept once. */
struct ram_delta;
/* previous (may be NULL) is an earlier delta from the same image to share pages with. */
struct ram_delta *ram_take(const struct ram *r, const struct ram *image, const struct ram_delta *previous, struct err *err);
/* Returns how many bytes that gave back: less than ram_delta_bytes when others share its pages. NULL gives 0. */
size_t ram_delta_destroy(struct ram_delta *d);
size_t ram_delta_bytes(const struct ram_delta *d); /* not counting pages that were there before it */
size_t ram_delta_pages(const struct ram_delta *d);

/* One page, shared by those who hold a reference. */
struct ram_page;
struct ram_page *ram_page_create(const uint8_t bytes[RAM_PAGE]);
struct ram_page *ram_page_ref(struct ram_page *p);
size_t ram_page_unref(struct ram_page *p);         /* bytes given back: 0 while others hold it; NULL is fine */
bool ram_page_is_shared(const struct ram_page *p); /* more than one holds it */
const uint8_t *ram_page_bytes(const struct ram_page *p);

/* A delta from pages: add them by ascending number. Each add takes over one reference. */
struct ram_delta *ram_delta_create(void);
void ram_delta_add(struct ram_delta *d, uint32_t number, struct ram_page *page);
/* The i-th page, borrowed, and its number. */
struct ram_page *ram_delta_page(const struct ram_delta *d, size_t i, uint32_t *number);

/* Makes memory equal to image with delta (may be NULL) on top. Touches only pages that differ. *changed (may be NULL) counts
 * them. */
bool ram_put(struct ram *r, const struct ram *image, const struct ram_delta *delta, size_t *changed, struct err *err);

/* Calls each(data, number, page of a, page of b) for every page that differs, by number. ERR_INPUT when the sizes do. */
typedef void ram_difference(void *data, uint32_t number, const uint8_t *a, const uint8_t *b);
bool ram_compare(const struct ram *a, const struct ram *b, ram_difference *each, void *data, struct err *err);

/* Number and content of every page that is not all zeros: the same for equal memory, however it is stored. */
bool ram_digest(const struct ram *r, uint8_t out[DIGEST_SIZE], struct err *err);

#endif
