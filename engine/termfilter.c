#include "engine/termfilter.h"

#include <string.h>

#include "engine/text.h"

enum { ESC = 0x1b, BEL = 0x07, CAN = 0x18, SUB = 0x1a, DEL = 0x7f, PARAMETERS_MAX = 16 };

/* ---- which sequences pass ----------------------------------------------------------------------------------- */

/* ESC and one byte: save and restore the cursor, next line, line feed, up a line, the keypad's two modes. */
static bool passes_escape(const char *s, size_t size)
{
	if (size == 2)
		return strchr("78EDM=>", s[1]) != NULL;
	/* ASCII, and the lines of boxes. */
	return size == 3 && s[1] == '(' && (s[2] == 'B' || s[2] == '0');
}

/* Numbers between ESC [ and the last byte, which are digits and ';' only. An empty one is 0, a big one is cut. */
static size_t parameters(const char *s, size_t size, unsigned values[PARAMETERS_MAX])
{
	size_t count = 0;
	unsigned value = 0;
	for (size_t i = 0; i <= size; i++) {
		if (i < size && s[i] != ';') {
			value = value < 100000 ? value * 10 + (unsigned)(s[i] - '0') : value;
			continue;
		}
		if (count < PARAMETERS_MAX)
			values[count] = value;
		count++;
		value = 0;
	}
	return count;
}

/* Cursor keys of an application, wrapping, a blinking or invisible cursor, the alternate screen in its forms, pastes in brackets.
 */
static bool is_mode(unsigned n)
{
	static const unsigned modes[] = {1, 7, 12, 25, 47, 1047, 1048, 1049, 2004};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (modes[i] == n)
			return true;
	return false;
}

static bool passes_mode(struct termfilter *f, const char *s, size_t size, bool set)
{
	unsigned values[PARAMETERS_MAX];
	size_t count = strspn(s, "0123456789;") >= size ? parameters(s, size, values) : 0;
	bool ok = count > 0 && count <= PARAMETERS_MAX;
	for (size_t i = 0; ok && i < count; i++)
		ok = is_mode(values[i]);
	for (size_t i = 0; ok && i < count; i++)
		if (values[i] == 47 || values[i] == 1047 || values[i] == 1049)
			f->alternate = set;
	return ok;
}

/* A CSI sequence: s is ESC [ parameters last, NUL-terminated. */
static bool passes_csi(struct termfilter *f, const char *s, size_t size)
{
	char last = s[size - 1];
	const char *middle = s + 2;
	size_t length = size - 3;
	unsigned values[PARAMETERS_MAX];
	if (*middle == '?')
		return (last == 'h' || last == 'l') && passes_mode(f, middle + 1, length - 1, last == 'h');
	if (last == 'm')
		return strspn(middle, "0123456789;:") == length;
	if (strspn(middle, "0123456789;") != length)
		return false;
	size_t count = parameters(middle, length, values);
	switch (last) {
	case 'J': /* but not what is scrolled away, which is the person's */
		return count == 1 && values[0] <= 2;
	case 'H':
	case 'f':
	case 'r':
		return count <= 2;
	case 's':
	case 'u':
		return length == 0;
	default:
		return count == 1 && strchr("ABCDEFGdae`KLMPX@ST", last);
	}
}

/* ---- characters --------------------------------------------------------------------------------------------- */

static void put_character(const char *bytes, size_t size, struct buf *out)
{
	struct buf safe = {0};
	text_put_safe(&safe, bytes, size);
	/* What it would have to be written as is not what the program drew: a sign in its place keeps the columns. */
	if (safe.size == size && !memcmp(safe.data, bytes, size))
		buf_add(out, bytes, size);
	else
		buf_char(out, '?');
	buf_free(&safe);
}

/* Bytes of the character that starts with this one, as far as its first byte tells; 0 for one that starts none. */
static size_t character_size(unsigned char c)
{
	return c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

/* Hands on what is held: it will not become a character any more. */
static void give_up(struct termfilter *f, struct buf *out)
{
	if (f->size)
		buf_char(out, '?');
	f->size = 0;
}

static void take_text(struct termfilter *f, char byte, struct buf *out)
{
	unsigned char c = (unsigned char)byte;
	if (c < 0x80)
		give_up(f, out);
	if (c == ESC) {
		f->held[f->size++] = byte;
		f->overlong = false;
		f->state = TERMFILTER_ESCAPE;
	} else if (c < 0x20) {
		if (strchr("\a\b\t\n\r", byte) && byte)
			buf_char(out, byte);
	} else if (c <= DEL) {
		if (c != DEL)
			buf_char(out, byte);
	} else if (c >= 0xc0 || !f->size) {
		give_up(f, out);
		f->held[f->size++] = byte;
		if (!character_size(c))
			give_up(f, out);
	} else {
		f->held[f->size++] = byte;
		if (f->size == character_size((unsigned char)f->held[0])) {
			put_character(f->held, f->size, out);
			f->size = 0;
		}
	}
}

/* ---- sequences ---------------------------------------------------------------------------------------------- */

static void drop(struct termfilter *f)
{
	f->size = 0;
	f->state = TERMFILTER_TEXT;
}

static void finish(struct termfilter *f, bool passes, struct buf *out)
{
	if (passes && !f->plain && !f->overlong) {
		buf_add(out, f->held, f->size);
		f->touched = true;
	}
	drop(f);
}

/* One more byte of a sequence; one NUL always has room after it. */
static void hold(struct termfilter *f, char byte)
{
	if (f->size >= sizeof f->held - 1) {
		f->overlong = true;
		return;
	}
	f->held[f->size++] = byte;
	f->held[f->size] = '\0';
}

static void take_escape(struct termfilter *f, char byte, struct buf *out)
{
	hold(f, byte);
	if (f->size == 2 && byte == '[') {
		f->state = TERMFILTER_CSI;
	} else if (f->size == 2 && strchr("]PX^_", byte)) {
		f->state = TERMFILTER_STRING;
		f->swallowed = 0;
		f->size = 0;
	} else if ((unsigned char)byte >= 0x30) {
		finish(f, passes_escape(f->held, f->size), out);
	}
}

static void take_csi(struct termfilter *f, char byte, struct buf *out)
{
	hold(f, byte);
	if ((unsigned char)byte >= 0x40)
		finish(f, !f->overlong && passes_csi(f, f->held, f->size), out);
}

static void take_string(struct termfilter *f, char byte)
{
	if (byte == BEL || (f->state == TERMFILTER_STRING_ESCAPE && byte == '\\') || ++f->swallowed > TERMFILTER_STRING_MAX)
		drop(f);
	else
		f->state = byte == ESC ? TERMFILTER_STRING_ESCAPE : TERMFILTER_STRING;
}

static void take(struct termfilter *f, char byte, struct buf *out)
{
	unsigned char c = (unsigned char)byte;
	bool in_string = f->state == TERMFILTER_STRING || f->state == TERMFILTER_STRING_ESCAPE;
	if (f->state == TERMFILTER_TEXT) {
		take_text(f, byte, out);
	} else if (c == CAN || c == SUB) {
		drop(f);
	} else if (in_string) {
		take_string(f, byte);
	} else if (c == ESC) {
		drop(f);
		take_text(f, byte, out);
	} else if (c < 0x20) {
		/* A terminal obeys these in the middle of a sequence. */
		if (strchr("\a\b\t\n\r", byte) && byte)
			buf_char(out, byte);
	} else if (c >= DEL) {
		drop(f);
	} else if (f->state == TERMFILTER_CSI) {
		take_csi(f, byte, out);
	} else {
		take_escape(f, byte, out);
	}
}

void termfilter_put(struct termfilter *f, const char *bytes, size_t size, struct buf *out)
{
	for (size_t i = 0; i < size; i++)
		take(f, bytes[i], out);
}

void termfilter_reset(struct termfilter *f, struct buf *out)
{
	if (f->touched) {
		/* The first screen; then the scroll region (which moves the cursor), characters, colours, keys, wrapping, cursor.
		 */
		if (f->alternate)
			buf_str(out, TERMFILTER_FIRST_SCREEN);
		buf_str(out, "\0337\033[r\0338" TERMFILTER_RESET);
	}
	*f = (struct termfilter){.plain = f->plain};
}
