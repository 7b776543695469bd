/* The inside of a file of checkpoints, for the files that read (checkpointfile_read) and write it (checkpointfile_write) and no
 * others. */
#ifndef ENGINE_CHECKPOINTFILE_DATA_H
#define ENGINE_CHECKPOINTFILE_DATA_H

#include "engine/checkpointfile.h"

/* Places in the header and in an entry of the list; all numbers are little endian. */
enum {
	VERSION_AT = 8,
	COUNT_AT = 12,
	KEY_AT = 16,
	SIZE_AT = 48,
	PAGES_AT = 56,
	PAGES_OFFSET_AT = 64,
	SERIAL_SIZE_AT = 72,
	SERIAL_OFFSET_AT = 80,
	RAM_AT = 88,
	TABLE_SUM_AT = 96,
	SERIAL_SUM_AT = 128,
	HEADER_SUM_AT = 160,
	HEADER_SIZE = 192,

	E_ICOUNT = 0,
	E_SERIAL = 8,
	E_STATE = 16,
	E_STATE_SIZE = 24,
	E_PAGES = 28,
	E_LIST = 32,
	E_STATE_SUM = 40,
	E_LIST_SUM = 72,
	ENTRY_SIZE = 104,

	I_SLOT = 4, /* of an item of a checkpoint's list of pages; its number is at 0 */
	I_SUM = 8,
	SUM_SIZE = 16, /* of a page: the first half of its SHA-256 */
	ITEM_SIZE = I_SUM + SUM_SIZE,
};

#define CHECKPOINTFILE_MAGIC "PCATCKPT" /* 8 bytes */

struct checkpointfile {
	int fd;
	unsigned refs;
	uint64_t size, pages, pages_offset;
	size_t ram_pages, count;
	struct buf table, serial;
	struct ram_page **slots; /* those that were read */
	size_t held;             /* bytes of them */
};

uint64_t checkpointfile_get(const void *bytes, size_t width);
const uint8_t *checkpointfile_entry(const struct checkpointfile *f, size_t i);
/* Appends the numbers, slots and digests of a checkpoint's pages. */
bool checkpointfile_list(const struct checkpointfile *f, size_t i, struct buf *list, struct err *err);
/* Reads the page of an item of such a list. */
bool checkpointfile_page(const struct checkpointfile *f, const uint8_t item[ITEM_SIZE], uint8_t bytes[RAM_PAGE], struct err *err);

#endif
