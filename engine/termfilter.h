/*
 * What a program of a guest writes to its terminal, made harmless for a real one: printable UTF-8, movements of the cursor,
 * erasing, colours, the scroll region and the alternate screen pass. What makes a terminal answer, or reaches beyond the picture
 * (titles, the clipboard, key bindings, strings for the terminal's own programs, mouse reports), does not, and neither does what
 * is not known. Streams: a sequence may arrive in pieces. Pure.
 */
#ifndef ENGINE_TERMFILTER_H
#define ENGINE_TERMFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"

#define TERMFILTER_SEQUENCE_MAX 64   /* bytes of one escape sequence */
#define TERMFILTER_STRING_MAX   4096 /* bytes of a string that is swallowed; what does not end by then is text again */

/* The first screen (the cursor stays, unlike with 1049); characters, colours, keys, wrapping, cursor, pastes as they were. */
#define TERMFILTER_FIRST_SCREEN "\033[?1047l"
#define TERMFILTER_OTHER_SCREEN "\033[?1047h"
#define TERMFILTER_RESET        "\033(B\033[0m\033[?1l\033>\033[?7h\033[?25h\033[?2004l"

enum termfilter_state {
	TERMFILTER_TEXT,
	TERMFILTER_ESCAPE, /* ESC, then intermediate bytes */
	TERMFILTER_CSI,    /* ESC [ ... */
	TERMFILTER_STRING, /* OSC, DCS, SOS, PM, APC: until ST, BEL or too long */
	TERMFILTER_STRING_ESCAPE,
};

/* Zero is the start. */
struct termfilter {
	bool plain; /* no sequence passes at all: for what is no terminal's program */
	enum termfilter_state state;
	char held[TERMFILTER_SEQUENCE_MAX]; /* a sequence, or a character, that is not whole yet */
	size_t size;
	size_t swallowed; /* bytes of a string */
	bool overlong;    /* the sequence did not fit, and is dropped when it ends */
	bool touched;     /* a sequence has passed: the terminal may be in a state */
	bool alternate;   /* ... and shows its other screen */
};

/* Appends what passes. */
void termfilter_put(struct termfilter *f, const char *bytes, size_t size, struct buf *out);

/* Appends what brings a terminal back from any state that the passed sequences can have brought it into. Nothing, if none has. */
void termfilter_reset(struct termfilter *f, struct buf *out);

#endif
