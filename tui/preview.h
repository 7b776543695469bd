/*
 * What a search or a filter shows while it is being typed on the `:` line. Leaving the line with Esc puts everything back;
 * entering it does too, and then the action itself is done, so that a jump starts where one stood.
 */
#ifndef TUI_PREVIEW_H
#define TUI_PREVIEW_H

struct app;

/* The line was opened, or a key changed it. */
void preview_update(struct app *app, const char *line);
void preview_end(struct app *app);

#endif
