/* Characters: UTF-8 in and out, their width in cells, and the drawing signs in a UTF-8 and an ASCII set. */
#ifndef TUI_GLYPH_H
#define TUI_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"

#define GLYPH_BAD 0xffffffffu /* a byte that is not part of valid UTF-8 */

/* Decodes the character at the start of size bytes (size > 0). Returns how many bytes it takes, at least 1.
 * An invalid or cut sequence gives GLYPH_BAD and takes one byte. */
size_t glyph_decode(const char *bytes, size_t size, uint32_t *ret_code);

/* Writes code as UTF-8 and returns the number of bytes, 1 to 4. */
size_t glyph_encode(uint32_t code, char out[4]);

/* Cells that code takes: 2 wide, 1, 0 combining, -1 when it must be shown as an escape (controls, invisible and direction
 * changing characters, and whatever the C library cannot print). Follows LC_CTYPE, which main() sets. */
int glyph_width(uint32_t code);

/* Cells that text takes as canvas_text draws it. */
int glyph_text_width(const char *text);

/* Appends bytes as text that is safe on any terminal: what is printable as it is (ASCII only unless utf8), all else as \n, \t,
 * \x1b or \u{202e}. A backslash stays single: this is for reading, not for parsing back. */
void glyph_show(const char *bytes, size_t size, bool utf8, struct buf *out);

/* The escape for one character that glyph_show would not print as it is; for GLYPH_BAD the byte is given. Returns out. */
const char *glyph_escape(uint32_t code, unsigned char byte, char out[16]);

/* X(enum, UTF-8, ASCII): the signs that views draw with. All one cell wide. */
#define GLYPHS(X) \
	X(HLINE, "─", "-") \
	X(VLINE, "│", "|") \
	X(CROSS, "┼", "+") \
	X(TEE_DOWN, "┬", "+") \
	X(TEE_UP, "┴", "+") \
	X(TOP_LEFT, "┌", "+") \
	X(TOP_RIGHT, "┐", "+") \
	X(BOTTOM_LEFT, "└", "+") \
	X(BOTTOM_RIGHT, "┘", "+") \
	X(CURSOR, "▶", ">") \
	X(PLAYHEAD, "▲", "^") \
	X(PASS, "✓", "+") \
	X(FAIL, "✗", "x") \
	X(UNEXERCISED, "–", "-") \
	X(UNKNOWN, "?", "?") \
	X(PENDING, "·", ".") \
	X(BOOKMARK, "★", "*") \
	X(MARKED, "●", "*") \
	X(MORE, "…", "~") \
	X(ARROW, "→", ">") \
	X(LEFT, "←", "<") \
	X(UP, "↑", "^") \
	X(DOWN, "↓", "v") \
	X(SAME, "=", "=") \
	X(CHANGED, "≠", "!")

enum glyph {
#define GLYPH_ENUM(id, utf8, ascii) GLYPH_##id,
	GLYPHS(GLYPH_ENUM)
#undef GLYPH_ENUM
		GLYPH_COUNT
};

const char *glyph_sign(enum glyph glyph, bool utf8);

/* The nearest ASCII character for a drawing character from elsewhere (lanes, marks); '?' when there is none. */
char glyph_ascii(uint32_t code);

#endif
