#include "tui/glyph.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

size_t glyph_decode(const char *bytes, size_t size, uint32_t *ret_code)
{
	const unsigned char *b = (const unsigned char *)bytes;
	*ret_code = GLYPH_BAD;
	if (b[0] < 0x80) {
		*ret_code = b[0];
		return 1;
	}
	size_t need = b[0] >= 0xf0 && b[0] <= 0xf4 ? 4 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : b[0] >= 0xc2 && b[0] < 0xe0 ? 2 : 0;
	if (need == 0 || size < need)
		return 1;
	uint32_t code = b[0] & (0xffu >> (need + 1));
	for (size_t i = 1; i < need; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (b[i] & 0x3f);
	}
	bool overlong = (need == 3 && code < 0x800) || (need == 4 && code < 0x10000);
	if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 1;
	*ret_code = code;
	return need;
}

size_t glyph_encode(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (code >> 18 & 0x07));
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Characters that hide themselves or turn the reading direction: a guest could forge what a line seems to say. */
static bool deceives(uint32_t code)
{
	return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
		code == 0xfeff || code == 0xad || code == 0x61c || code == 0x180e || (code >= 0xfff0 && code <= 0xfffb) ||
		(code >= 0xe0000 && code <= 0xe0fff);
}

int glyph_width(uint32_t code)
{
	if (code >= 0x20 && code < 0x7f)
		return 1;
	if (code < 0xa0 || code > 0x10ffff || deceives(code))
		return -1;
	int width = wcwidth((wchar_t)code);
	return width > 2 ? -1 : width;
}

int glyph_text_width(const char *text)
{
	int total = 0;
	size_t size = strlen(text);
	for (size_t i = 0; i < size;) {
		uint32_t code;
		i += glyph_decode(text + i, size - i, &code);
		int width = code == GLYPH_BAD ? 1 : glyph_width(code);
		total += width < 0 ? 1 : width;
	}
	return total;
}

const char *glyph_escape(uint32_t code, unsigned char byte, char out[16])
{
	static const char letters[][3] = {
		['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r", ['\b'] = "\\b", ['\f'] = "\\f", ['\a'] = "\\a"};
	if (code == GLYPH_BAD)
		snprintf(out, 16, "\\x%02x", byte);
	else if (code < sizeof letters / sizeof letters[0] && letters[code][0])
		snprintf(out, 16, "%s", letters[code]);
	else if (code < 0x80)
		snprintf(out, 16, "\\x%02x", code);
	else
		snprintf(out, 16, "\\u{%x}", code);
	return out;
}

void glyph_show(const char *bytes, size_t size, bool utf8, struct buf *out)
{
	for (size_t i = 0; i < size;) {
		uint32_t code;
		size_t took = glyph_decode(bytes + i, size - i, &code);
		char escape[16];
		if (code != GLYPH_BAD && (code < 0x80 || utf8) && glyph_width(code) >= 0)
			buf_add(out, bytes + i, took);
		else
			buf_str(out, glyph_escape(code, (unsigned char)bytes[i], escape));
		i += took;
	}
}

const char *glyph_sign(enum glyph glyph, bool utf8)
{
	static const char *const signs[][2] = {
#define GLYPH_ROW(id, unicode, ascii) {ascii, unicode},
		GLYPHS(GLYPH_ROW)
#undef GLYPH_ROW
	};
	return signs[glyph][utf8];
}

char glyph_ascii(uint32_t code)
{
	if (code < 0x80)
		return (char)code;
	for (int i = 0; i < GLYPH_COUNT; i++) {
		const char *sign = glyph_sign((enum glyph)i, true);
		uint32_t known;
		glyph_decode(sign, strlen(sign), &known);
		if (known == code)
			return glyph_sign((enum glyph)i, false)[0];
	}
	if (code >= 0x2500 && code < 0x2580) /* other box drawing */
		return '+';
	if (code >= 0x2580 && code < 0x25a0) /* blocks */
		return '#';
	if (code == 0xb7)
		return '.';
	return code == 0x271d || code == 0x2020 ? '!' : '?';
}
