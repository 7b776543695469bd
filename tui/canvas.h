/* A picture of the screen: cells with a character and a role. Views draw here; term shows it; tests dump it. No terminal. */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/buf.h"
#include "tui/glyph.h"
#include "tui/layout.h"
#include "tui/theme.h"

#define CANVAS_SIDE_MAX 1000 /* cells; a larger terminal shows its corner only */

struct cell {
	uint32_t code[3]; /* a character and up to two combining ones; 0 ends */
	uint8_t width;    /* 1 or 2; 0 for the right half of a wide character */
	uint8_t role;     /* enum role */
	uint8_t overlay;  /* enum role drawn over it; ROLE_TEXT for none */
};

struct canvas {
	int width, height;
	struct cell *cells;
	bool utf8;              /* draw with UTF-8 signs; otherwise ASCII only */
	int cursor_x, cursor_y; /* where the terminal's cursor shows; -1 hides it */
};

void canvas_init(struct canvas *c, bool utf8);
void canvas_finish(struct canvas *c);
/* Sets the size (clamped to 1..CANVAS_SIDE_MAX) and clears. */
void canvas_resize(struct canvas *c, int width, int height);
void canvas_clear(struct canvas *c);
struct rect canvas_all(const struct canvas *c);

/* Fills an area with blanks of role. */
void canvas_fill(struct canvas *c, struct rect area, enum role role);
/* Lays overlay over an area: the text stays. */
void canvas_overlay(struct canvas *c, struct rect area, enum role overlay);
/* A line of sign from the area's top left corner. */
void canvas_hline(struct canvas *c, struct rect area, enum role role);
void canvas_vline(struct canvas *c, struct rect area, enum role role);
void canvas_box(struct canvas *c, struct rect area, enum role role);

/* Writes left to right in one row of an area; what does not fit is cut. Everything a pen writes is shown, never obeyed: controls
 * appear as escapes in the role `dim`. */
struct pen {
	struct canvas *canvas;
	struct rect clip;
	int x, y;
	bool cut; /* something had no room */
};

struct pen pen_at(struct canvas *c, struct rect area, int row);
int pen_left(const struct pen *p); /* cells until the right edge */
void pen_text(struct pen *p, enum role role, const char *text);
void pen_bytes(struct pen *p, enum role role, const char *bytes, size_t size);
void pen_printf(struct pen *p, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Text in role laid over base: the ground of base, the colour of role. */
void pen_layered(struct pen *p, enum role base, enum role over, const char *text);
void pen_sign(struct pen *p, enum role role, enum glyph glyph);
void pen_code(struct pen *p, enum role role, uint32_t code);
/* When something was cut: the sign for "more" takes the last cell. */
void pen_more(struct pen *p);
/* Cuts the text to at most width cells, ending in the sign for "more", and pads it to width. */
void pen_field(struct pen *p, enum role role, const char *text, int width);
/* Right-aligned in width. */
void pen_number(struct pen *p, enum role role, const char *text, int width);

/* Appends the picture: a "|" and the text of each row, then "roles" and for each row the letters of its roles, with counts where
 * one repeats. Blanks at the end of a row are left out. Stable: this is what golden files hold. */
void canvas_dump(const struct canvas *c, struct buf *out);

#endif
