#include "engine/qcow2.h"

#include <string.h>

#define CLUSTER_BITS 16
#define CLUSTER      (1u << CLUSTER_BITS)
#define IMAGE_SIZE   (1u << 20)
#define HEADER_SIZE  104

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
