#include "agent/input.h"

#include <string.h>

static bool is_size(unsigned n)
{
	return n >= 1 && n <= INPUT_SIZE_MAX;
}

/* Bytes of the word that starts with the escape and this byte; 0 if there is none. */
static size_t word_size(uint8_t letter)
{
	switch (letter) {
	case INPUT_ESCAPE:
	case 'e':
	case 'h':
		return 2;
	case 'w':
	case 't':
		return 6;
	default:
		return 0;
	}
}

static struct input_word decode(const uint8_t *p)
{
	struct input_word w = {.kind = INPUT_BAD};
	switch (p[1]) {
	case INPUT_ESCAPE:
		w.kind = INPUT_TYPED;
		w.byte = INPUT_ESCAPE;
		break;
	case 'e':
		w.kind = INPUT_END;
		break;
	case 'h':
		w.kind = INPUT_HANGUP;
		break;
	case 't':
		w.kind = INPUT_TAKEN;
		w.total = (uint32_t)p[2] | (uint32_t)p[3] << 8 | (uint32_t)p[4] << 16 | (uint32_t)p[5] << 24;
		break;
	default:
		w.rows = (uint16_t)(p[2] | p[3] << 8);
		w.columns = (uint16_t)(p[4] | p[5] << 8);
		w.kind = is_size(w.rows) && is_size(w.columns) ? INPUT_WINDOW : INPUT_BAD;
		break;
	}
	return w;
}

struct input_word input_next(struct input *in, uint8_t byte)
{
	if (in->count == 0 && byte != INPUT_ESCAPE)
		return (struct input_word){.kind = INPUT_TYPED, .byte = byte};
	in->held[in->count++] = byte;
	if (in->count == 1)
		return (struct input_word){.kind = INPUT_MORE};
	size_t size = word_size(in->held[1]);
	if (in->count < size)
		return (struct input_word){.kind = INPUT_MORE};
	in->count = 0;
	return size ? decode(in->held) : (struct input_word){.kind = INPUT_BAD};
}

static size_t put_escaped(uint8_t letter, unsigned long long value, uint8_t *out)
{
	size_t size = word_size(letter);
	out[0] = INPUT_ESCAPE;
	out[1] = letter;
	for (size_t i = 2; i < size; i++)
		out[i] = (uint8_t)(value >> (8 * (i - 2)));
	return size;
}

size_t input_put(const struct input_word *w, uint8_t out[INPUT_WORD_MAX])
{
	switch (w->kind) {
	case INPUT_TYPED:
		if (w->byte == INPUT_ESCAPE)
			return put_escaped(INPUT_ESCAPE, 0, out);
		out[0] = w->byte;
		return 1;
	case INPUT_WINDOW:
		return is_size(w->rows) && is_size(w->columns) ? put_escaped('w', w->rows | (uint32_t)w->columns << 16, out) : 0;
	case INPUT_TAKEN:
		return put_escaped('t', w->total, out);
	case INPUT_END:
		return put_escaped('e', 0, out);
	case INPUT_HANGUP:
		return put_escaped('h', 0, out);
	default:
		return 0;
	}
}
