#include "engine/qcow2.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLUSTER_BITS 16
#define CLUSTER      (1u << CLUSTER_BITS)
#define IMAGE_SIZE   (1u << 20)
#define HEADER_SIZE  104
#define REFCOUNTS    (CLUSTER / 2) /* in the one block: clusters that the file may have */

/* Cluster 0: header; 1: refcount table; 2: its one block; 3: L1 table (all holes). */
enum { REFCOUNT_TABLE = 1, REFCOUNT_BLOCK, L1_TABLE, CLUSTERS };

static void put(struct buf *out, size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		out->data[at + i] = (char)(value >> (8 * (width - 1 - i)));
}

void qcow2_empty(struct buf *out)
{
	size_t base = out->size, size = CLUSTERS * (size_t)CLUSTER;
	buf_reserve(out, size);
	memset(out->data + base, 0, size + 1);
	out->size += size;
	put(out, base + 0, 0x514649fb, 4); /* "QFI" 0xfb */
	put(out, base + 4, 3, 4);
	put(out, base + 20, CLUSTER_BITS, 4);
	put(out, base + 24, IMAGE_SIZE, 8);
	put(out, base + 36, 1, 4); /* L1 entries */
	put(out, base + 40, L1_TABLE * (uint64_t)CLUSTER, 8);
	put(out, base + 48, REFCOUNT_TABLE * (uint64_t)CLUSTER, 8);
	put(out, base + 56, 1, 4); /* clusters of the refcount table */
	put(out, base + 96, 4, 4); /* refcounts are 1 << 4 bits wide */
	put(out, base + 100, HEADER_SIZE, 4);
	put(out, base + REFCOUNT_TABLE * (size_t)CLUSTER, REFCOUNT_BLOCK * (uint64_t)CLUSTER, 8);
	for (size_t i = 0; i < CLUSTERS; i++)
		put(out, base + REFCOUNT_BLOCK * (size_t)CLUSTER + 2 * i, 1, 2);
}

/* ---- reading a state ---------------------------------------------------------------------------------------- */

#define OFFSET_MASK UINT64_C(0x00fffffffffffe00)
#define COMPRESSED  (UINT64_C(1) << 62)
#define ZEROS       UINT64_C(1)

enum { ENTRY_HEAD = 40, TABLE_ENTRY = 8 };

/* What a header says. */
struct image {
	int fd;
	unsigned cluster_bits;
	uint64_t size; /* of the disk: states lie behind it */
	uint64_t snapshots;
	uint32_t count;
};

/* A snapshot of the image. */
struct entry {
	uint64_t l1;
	uint32_t l1_size;
	uint64_t state_size;
};

static uint64_t get(const void *bytes, size_t width)
{
	const uint8_t *at = bytes;
	uint64_t value = 0;
	for (size_t i = 0; i < width; i++)
		value = value << 8 | at[i];
	return value;
}

static bool damaged(struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT, "not a device state that QEMU saved: %s", what);
}

static bool read_exactly(int fd, void *to, size_t size, uint64_t at, struct err *err)
{
	while (size) {
		ssize_t got = at <= INT64_MAX ? pread(fd, to, size, (off_t)at) : 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "reading a device state");
		if (got == 0)
			return damaged(err, "it is cut short");
		to = (char *)to + got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

static bool read_header(struct image *image, int fd, struct err *err)
{
	uint8_t h[72];
	if (!read_exactly(fd, h, sizeof h, 0, err))
		return false;
	*image = (struct image){.fd = fd,
		.cluster_bits = (unsigned)get(h + 20, 4),
		.size = get(h + 24, 8),
		.snapshots = get(h + 64, 8),
		.count = (uint32_t)get(h + 60, 4)};
	if (get(h, 4) != 0x514649fb || get(h + 4, 4) < 2 || get(h + 4, 4) > 3)
		return damaged(err, "no qcow2 image");
	if (image->cluster_bits < 9 || image->cluster_bits > 21 || image->size > QCOW2_DISK_MAX)
		return damaged(err, "a header that polecat's machines have not got");
	return image->count <= QCOW2_STATES_MAX || damaged(err, "too many snapshots");
}

/* Reads the snapshot at *at and moves *at behind it. *found: it has that name. */
static bool read_entry(const struct image *image, uint64_t *at, const char *name, struct entry *e, bool *found, struct err *err)
{
	uint8_t head[ENTRY_HEAD], size[8];
	char own[QCOW2_NAME_MAX + 1];
	if (!read_exactly(image->fd, head, sizeof head, *at, err))
		return false;
	uint64_t id = get(head + 12, 2), named = get(head + 14, 2), extra = get(head + 36, 4);
	*e = (struct entry){.l1 = get(head, 8), .l1_size = (uint32_t)get(head + 8, 4), .state_size = get(head + 32, 4)};
	if (extra > 1024)
		return damaged(err, "a snapshot with an unknown appendix");
	if (extra >= 8 && !read_exactly(image->fd, size, sizeof size, *at + ENTRY_HEAD, err))
		return false;
	if (extra >= 8)
		e->state_size = get(size, 8);
	*found = named == strlen(name) && named <= QCOW2_NAME_MAX;
	if (*found && !read_exactly(image->fd, own, named, *at + ENTRY_HEAD + extra + id, err))
		return false;
	*found = *found && !memcmp(own, name, named);
	*at += (ENTRY_HEAD + extra + id + named + 7) & ~UINT64_C(7);
	return true;
}

static bool find_entry(const struct image *image, const char *name, struct entry *e, struct err *err)
{
	uint64_t at = image->snapshots;
	bool found = false;
	for (uint32_t i = 0; i < image->count && !found; i++)
		if (!read_entry(image, &at, name, e, &found, err))
			return false;
	if (!found)
		return err_set(err, ERR_INPUT, "there is no device state '%.80s'", name);
	return (e->state_size > 0 && e->state_size <= QCOW2_STATE_MAX) || damaged(err, "an impossible size of a state");
}

/* Where the cluster with a guest offset lies; 0: nowhere, it is zeros. */
static bool find_cluster(const struct image *image, const struct entry *e, uint64_t offset, uint64_t *ret, struct err *err)
{
	uint8_t word[TABLE_ENTRY];
	unsigned l2_bits = image->cluster_bits - 3;
	uint64_t l1 = offset >> (image->cluster_bits + l2_bits);
	uint64_t l2 = (offset >> image->cluster_bits) & ((UINT64_C(1) << l2_bits) - 1);
	*ret = 0;
	if (l1 >= e->l1_size)
		return damaged(err, "a state that is not whole");
	if (!read_exactly(image->fd, word, sizeof word, e->l1 + l1 * TABLE_ENTRY, err))
		return false;
	uint64_t table = get(word, sizeof word) & OFFSET_MASK;
	if (!table)
		return true;
	if (!read_exactly(image->fd, word, sizeof word, table + l2 * TABLE_ENTRY, err))
		return false;
	uint64_t value = get(word, sizeof word);
	if (value & COMPRESSED)
		return damaged(err, "a compressed state");
	*ret = value & ZEROS ? 0 : value & OFFSET_MASK;
	return true;
}

bool qcow2_state(int fd, const char *name, struct buf *out, struct err *err)
{
	struct image image;
	struct entry e = {0};
	size_t start = out->size;
	if (!read_header(&image, fd, err) || !find_entry(&image, name, &e, err))
		return false;
	uint64_t cluster = UINT64_C(1) << image.cluster_bits;
	unsigned shift = 2 * image.cluster_bits - 3;
	uint64_t first = ((image.size + (UINT64_C(1) << shift) - 1) >> shift) << shift;
	buf_reserve(out, e.state_size);
	for (uint64_t done = 0; done < e.state_size; done += cluster) {
		uint64_t at, size = e.state_size - done < cluster ? e.state_size - done : cluster;
		bool ok = find_cluster(&image, &e, first + done, &at, err);
		if (ok && at)
			ok = read_exactly(fd, out->data + out->size, size, at, err);
		else if (ok)
			memset(out->data + out->size, 0, size);
		if (!ok) {
			out->size = start;
			return false;
		}
		out->size += size;
	}
	out->data[out->size] = '\0';
	return true;
}

/* ---- writing states ----------------------------------------------------------------------------------------- */

/* An image as qcow2_empty makes it, followed by the clusters of the states and, at the end, the list of them. */

static bool put_at(struct qcow2_writer *w, const void *bytes, size_t size, uint64_t at, struct err *err)
{
	for (const char *from = bytes; size;) {
		ssize_t got = pwrite(w->fd, from, size, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "writing a device state");
		from += got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

static bool put_word(struct qcow2_writer *w, uint64_t at, uint64_t value, struct err *err)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(value >> (8 * (sizeof bytes - 1 - i)));
	return put_at(w, bytes, sizeof bytes, at, err);
}

bool qcow2_begin(struct qcow2_writer *w, int fd, struct err *err)
{
	struct buf empty = {0};
	*w = (struct qcow2_writer){.fd = fd, .next = CLUSTERS};
	qcow2_empty(&empty);
	bool ok = put_at(w, empty.data, empty.size, 0, err);
	buf_free(&empty);
	return ok;
}

/* The entry of the list. The disk is empty and has the size of all of them. */
static void add_entry(struct qcow2_writer *w, const char *name, uint64_t l1, uint64_t state_size, uint64_t icount)
{
	char id[16];
	int id_size = snprintf(id, sizeof id, "%u", w->count);
	size_t base = w->list.size, named = strlen(name);
	size_t size = (ENTRY_HEAD + 24 + (size_t)id_size + named + 7) & ~(size_t)7;
	buf_reserve(&w->list, size);
	memset(w->list.data + base, 0, size + 1);
	w->list.size += size;
	put(&w->list, base, l1 * CLUSTER, 8);
	put(&w->list, base + 8, 2, 4);
	put(&w->list, base + 12, (uint64_t)id_size, 2);
	put(&w->list, base + 14, named, 2);
	put(&w->list, base + 32, state_size, 4);
	put(&w->list, base + 36, 24, 4);
	put(&w->list, base + ENTRY_HEAD, state_size, 8);
	put(&w->list, base + ENTRY_HEAD + 8, IMAGE_SIZE, 8);
	put(&w->list, base + ENTRY_HEAD + 16, icount, 8);
	memcpy(w->list.data + base + ENTRY_HEAD + 24, id, (size_t)id_size);
	memcpy(w->list.data + base + ENTRY_HEAD + 24 + id_size, name, named);
}

bool qcow2_add(struct qcow2_writer *w, const char *name, const void *bytes, size_t size, uint64_t icount, struct err *err)
{
	/* One cluster of 64 KiB lists 8192 clusters: 512 MiB of disk or of state. */
	uint64_t l1 = w->next, l2 = l1 + 1, data = l1 + 2, clusters = (size + CLUSTER - 1) / CLUSTER;
	if (size == 0 || size > QCOW2_STATE_MAX || strlen(name) > QCOW2_NAME_MAX)
		return err_set(err, ERR_INPUT, "a device state of %zu bytes: expected 1 to %u", size, QCOW2_STATE_MAX);
	if (w->count == QCOW2_STATES_MAX || data + clusters + QCOW2_LIST_MAX / CLUSTER > REFCOUNTS)
		return err_set(err, ERR_INPUT, "too many device states for one file: %u", w->count);
	w->count++;
	bool ok = put_word(w, l1 * CLUSTER + 8, l2 * CLUSTER, err) && put_at(w, bytes, size, data * CLUSTER, err);
	for (uint64_t i = 0; ok && i < clusters; i++)
		ok = put_word(w, l2 * CLUSTER + 8 * i, (data + i) * CLUSTER, err);
	add_entry(w, name, l1, size, icount);
	w->next = data + clusters;
	return ok;
}

bool qcow2_end(struct qcow2_writer *w, struct err *err)
{
	uint64_t list = w->next, end = list + (w->list.size + CLUSTER - 1) / CLUSTER;
	uint8_t head[12];
	struct buf counts = {0};
	bool ok = w->list.size <= QCOW2_LIST_MAX || err_set(err, ERR_INPUT, "too many device states for one file");
	for (uint64_t i = 0; ok && i < end; i++)
		buf_add(&counts, (char[]){0, 1}, 2);
	for (size_t i = 0; i < 4; i++)
		head[i] = (uint8_t)(w->count >> (8 * (3 - i)));
	for (size_t i = 0; i < 8; i++)
		head[4 + i] = (uint8_t)(list * CLUSTER >> (8 * (7 - i)));
	ok = ok && put_at(w, w->list.data, w->list.size, list * CLUSTER, err) &&
		put_at(w, counts.data, counts.size, REFCOUNT_BLOCK * (uint64_t)CLUSTER, err) &&
		put_at(w, head, sizeof head, 60, err) &&
		(ftruncate(w->fd, (off_t)(end * CLUSTER)) == 0 || err_sys(err, errno, "writing a device state"));
	buf_free(&counts);
	qcow2_abort(w);
	return ok;
}

void qcow2_abort(struct qcow2_writer *w)
{
	buf_free(&w->list);
	*w = (struct qcow2_writer){.fd = -1};
}
