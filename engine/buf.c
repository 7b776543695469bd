#include "engine/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (!memory) {
		fputs("polecat: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *mem_alloc(size_t size)
{
	return must(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *mem_grow(void *old, size_t count, size_t size)
{
	return must(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *mem_str(const char *text)
{
	return text ? must(strdup(text)) : NULL;
}

char *mem_strn(const char *bytes, size_t size)
{
	char *copy = mem_alloc(size + 1);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *mem_printf(const char *fmt, ...)
{
	struct buf b = {0};
	va_list args;
	va_start(args, fmt);
	buf_vprintf(&b, fmt, args);
	va_end(args);
	return buf_take(&b);
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
	b->size = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_reserve(struct buf *b, size_t more)
{
	if (more > SIZE_MAX / 2 - b->size)
		must(NULL);
	size_t need = b->size + more + 1;
	if (need <= b->room)
		return;
	size_t room = b->room ? b->room : 64;
	while (room < need)
		room *= 2;
	b->data = mem_grow(b->data, room, 1);
	b->room = room;
}

void buf_add(struct buf *b, const void *bytes, size_t size)
{
	buf_reserve(b, size);
	if (size)
		memcpy(b->data + b->size, bytes, size);
	b->size += size;
	b->data[b->size] = '\0';
}

void buf_str(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	int size = vsnprintf(NULL, 0, fmt, args);
	if (size > 0) {
		buf_reserve(b, (size_t)size);
		vsnprintf(b->data + b->size, (size_t)size + 1, fmt, again);
		b->size += (size_t)size;
	}
	va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	buf_vprintf(b, fmt, args);
	va_end(args);
}

void buf_hex(struct buf *b, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	buf_reserve(b, 2 * size);
	for (size_t i = 0; i < size; i++) {
		buf_char(b, "0123456789abcdef"[p[i] >> 4]);
		buf_char(b, "0123456789abcdef"[p[i] & 15]);
	}
}

void buf_drop(struct buf *b, size_t size)
{
	if (size > b->size)
		size = b->size;
	if (!size)
		return;
	memmove(b->data, b->data + size, b->size - size);
	b->size -= size;
	b->data[b->size] = '\0';
}

char *buf_take(struct buf *b)
{
	if (!b->data)
		buf_reserve(b, 0);
	b->data[b->size] = '\0';
	char *data = b->data;
	*b = (struct buf){0};
	return data;
}
