#include "agent/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const uint8_t magic[8] = {'p', 'o', 'l', 'e', 'c', 'a', 't', 1};

bool outbox_init(struct outbox *r, void *region, uint64_t size, void (*ring)(uint8_t), void (*stop)(void), struct why *why)
{
	if (size < OUTBOX_HEADER + 2 * (uint64_t)OUTBOX_RESERVE)
		return why_set(why, 0, "the region for frames has %llu bytes: expected at least %d", (unsigned long long)size,
			OUTBOX_HEADER + 2 * OUTBOX_RESERVE);
	*r = (struct outbox){.region = region, .size = size - OUTBOX_HEADER, .ring = ring, .stop = stop};
	memcpy(r->region, magic, sizeof magic);
	memset(r->region + sizeof magic, 0, sizeof r->tail);
	return true;
}

bool outbox_map(const char *text, void **ret_region, uint64_t *ret_size, struct why *why)
{
	char *end = NULL;
	uint64_t base = text ? strtoull(text, &end, 16) : 0;
	uint64_t size = end && *end == ',' ? strtoull(end + 1, &end, 16) : 0;
	if (!base || !size || *end || base % OUTBOX_HEADER)
		return why_set(
			why, 0, "POLECAT_OUT is '%s': expected 0x<base>,0x<size> of the region for frames", text ? text : "");
	int fd = open("/dev/mem", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return why_set(why, errno, "opening /dev/mem");
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)base);
	int errnum = errno;
	close(fd);
	if (region == MAP_FAILED)
		return why_set(why, errnum, "mapping the region for frames, %s", text);
	/* Children neither need it nor should pay for a copy of its page table. */
	if (madvise(region, size, MADV_DONTFORK) != 0)
		return why_set(why, errno, "keeping the region for frames out of children");
	*ret_region = region;
	*ret_size = size;
	return true;
}

uint64_t outbox_now_ns(const struct outbox *r)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - r->epoch_ns;
}

void outbox_send(struct outbox *r, struct wire_message *m)
{
	m->vtime_ns = r->epoch_ns ? outbox_now_ns(r) : 0;
	size_t size = wire_size(m);
	bool may_wait = m->type == WIRE_OUTPUT || m->type == WIRE_USER;
	if (r->tail + size > r->size - OUTBOX_RESERVE)
		r->full = true;
	if (r->full && may_wait)
		return;
	size = wire_encode(m, r->region + OUTBOX_HEADER + r->tail, r->size - r->tail);
	if (!size)
		outbox_fatal(r, 0, "a frame %s does not fit", wire_type_name(m->type));
	r->tail += size;
	/* The host may look at any instant: what is below the tail must be there before the tail is. */
	__atomic_store_n((uint64_t *)(void *)(r->region + sizeof magic), r->tail, __ATOMIC_SEQ_CST);
	r->ring((uint8_t)r->number++);
}

void outbox_fatal(struct outbox *r, int errnum, const char *fmt, ...)
{
	char text[WHY_MAX + 160];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text - 80, fmt, args);
	va_end(args);
	if (errnum) {
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, ": %s", strerror(errnum));
	}
	struct wire_message m = {.type = WIRE_FATAL, .bytes = {(const uint8_t *)text, strlen(text)}};
	/* A second failure on the way out must not end in a loop. */
	if (r->size - r->tail >= wire_size(&m) + WIRE_OVERHEAD + 16)
		outbox_send(r, &m);
	r->stop();
	abort();
}
