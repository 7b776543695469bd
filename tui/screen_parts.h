/* What the files that draw the screen share: screen_bars.c, screen_draw.c and screen_debug.c. */
#ifndef TUI_SCREEN_PARTS_H
#define TUI_SCREEN_PARTS_H

#include "tui/screen.h"

/* A view with its head line, which goes when there is little room. */
void screen_pane(
	struct screen *s, enum screen_view which, const struct model *m, struct canvas *c, struct rect area, bool focused);
/* Only its head line: the pane is folded. */
void screen_folded(
	struct screen *s, enum screen_view which, const struct model *m, struct canvas *c, struct rect area, bool focused);
void screen_separator(struct canvas *c, struct rect line, bool tee);

/* One line each: what is looked at; where it stands, or what is to be said; keys that make sense; what is being typed. */
void screen_title(const struct screen *s, const struct model *m, struct canvas *c, struct rect row);
void screen_status(const struct screen *s, const struct model *m, struct canvas *c, struct rect row);
void screen_keys(const struct screen *s, const struct model *m, struct canvas *c, struct rect row);
void screen_prompt(const struct screen_prompt *prompt, struct canvas *c, struct rect row);
/* What completes it, in the last rows of what is above. */
void screen_matches(const struct screen_prompt *prompt, struct canvas *c, struct rect above);

/* The page of the debug view. */
void screen_draw_debug(struct screen *s, const struct model *m, struct canvas *c, struct rect area);

#endif
