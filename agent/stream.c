#include "agent/stream.h"

#include <string.h>

void stream_init(struct stream *s)
{
	*s = (struct stream){0};
	sha256_init(&s->sha);
}

static bool find(struct stream *s, const uint8_t *data, size_t size, struct wire_bytes text)
{
	uint8_t seam[2 * STREAM_TEXT_MAX];
	if (memmem(data, size, text.data, text.size))
		return true;
	/* The end of what came before, and as much of the new as could complete the text. */
	size_t more = size < text.size - 1 ? size : text.size - 1;
	memcpy(seam, s->carry, s->carry_size);
	memcpy(seam + s->carry_size, data, more);
	return memmem(seam, s->carry_size + more, text.data, text.size) != NULL;
}

static void keep(struct stream *s, const uint8_t *data, size_t size, size_t room)
{
	if (size >= room) {
		memcpy(s->carry, data + size - room, room);
		s->carry_size = room;
		return;
	}
	size_t old = s->carry_size + size > room ? room - size : s->carry_size;
	memmove(s->carry, s->carry + s->carry_size - old, old);
	memcpy(s->carry + old, data, size);
	s->carry_size = old + size;
}

struct stream_part stream_next(struct stream *s, const uint8_t *data, size_t size, struct wire_bytes text)
{
	const uint8_t *newline = memchr(data, '\n', size);
	struct stream_part part = {.size = newline ? (size_t)(newline - data) + 1 : size, .line = newline != NULL};
	bool looking = text.size > 0 && text.size <= STREAM_TEXT_MAX;
	if (looking && !s->holds)
		s->holds = find(s, data, part.size, text);
	if (!part.line) {
		s->open_line = true;
		if (looking)
			keep(s, data, part.size, text.size - 1);
		return part;
	}
	part.holds = s->holds;
	s->open_line = s->holds = false;
	s->carry_size = 0;
	return part;
}

void stream_account(struct stream *s, const uint8_t *data, size_t size)
{
	s->total += size;
	sha256_add(&s->sha, data, size);
}
