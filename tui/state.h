/*
 * What the screen remembers about runs: one small text file a run below $XDG_STATE_HOME/polecat/ui, written as things change,
 * so that nothing is lost by a crash.
 *
 *	polecat_ui 1
 *	playhead 171        (event number, 0 before the first)
 *	axis icount
 *	search acked
 *	bookmark 96 just before the kill
 */
#ifndef TUI_STATE_H
#define TUI_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "tui/run.h"
#include "tui/session.h"

#define STATE_FILE_MAX (256 * 1024)
#define STATE_LINE_MAX 1024

/* Opens (and makes) the directory. -1 when there is none: then nothing is kept. */
int state_open(struct err *err);

void state_write(const struct run *run, struct buf *out);
/* Applies bytes to run. Errors: ERR_INPUT "line L: what was expected"; what came before that line holds. */
bool state_parse(struct run *run, const char *bytes, size_t size, struct err *err);

/* Both for a run's own file. No file is no error. dir may be -1. */
bool state_load(int dir, struct run *run, struct err *err);
bool state_save(int dir, struct run *run, struct err *err);

/* The session's file: filled in, or empty if there is none; saved as text. dir may be -1. */
bool state_load_session(int dir, struct session *session, struct err *err);
bool state_save_session(int dir, const struct buf *text, struct err *err);

#endif
