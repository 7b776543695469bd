/* Growable bytes, and the allocations that may not fail: running out of memory aborts here and nowhere else. */
#ifndef ENGINE_BUF_H
#define ENGINE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Never return NULL; sizes of zero give a pointer that may be freed. */
void *mem_alloc(size_t size);                         /* zeroed */
void *mem_array(size_t count, size_t size);           /* zeroed, overflow checked */
void *mem_grow(void *old, size_t count, size_t size); /* new part not zeroed */
char *mem_str(const char *text);                      /* NULL gives NULL */
char *mem_strn(const char *bytes, size_t size);       /* always NUL-terminated */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* `struct buf b = {0};` is an empty buffer. data is NUL-terminated after any append (the NUL is not counted). */
struct buf {
	char *data;
	size_t size;
	size_t room;
};

void buf_free(struct buf *b);  /* back to empty */
void buf_clear(struct buf *b); /* keeps the memory */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *bytes, size_t size);
void buf_str(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list args);
void buf_hex(struct buf *b, const void *bytes, size_t size); /* lower case */
/* Removes the first size bytes. */
void buf_drop(struct buf *b, size_t size);
/* Gives the data to the caller (owned, NUL-terminated, never NULL) and empties b. */
char *buf_take(struct buf *b);

/* Makes room for one more element in a plain array: ARRAY_PUSH(list, count, room) = value; */
#define ARRAY_PUSH(list, count, room) \
	(*((count) < (room) ? &(list)[(count)++] \
			    : ((room) = (room) ? (room)*2 : 8, (list) = mem_grow((list), (room), sizeof *(list)), \
				      &(list)[(count)++])))

#endif
