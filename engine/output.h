/*
 * What commands say to the person: one live line of progress on a terminal (plain lines when piped), colours unless
 * NO_COLOR or a pipe, and text of the guest made harmless. Used by cmd_*.c and main.c only.
 */
#ifndef ENGINE_OUTPUT_H
#define ENGINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"

enum output_style { OUTPUT_PLAIN, OUTPUT_GOOD, OUTPUT_BAD, OUTPUT_WARN, OUTPUT_DIM, OUTPUT_BOLD };

/* printf to standard output; style applies to the whole text when the output is a terminal. */
void output_print(enum output_style style, const char *fmt, ...) PRINTF_LIKE(2, 3);
void output_bytes(const char *bytes, size_t size);
/* Pushes standard output out; false if the reader is gone or the disk is full. */
bool output_flush(struct err *err);

/* The style a verdict is shown in. */
enum output_style output_verdict_style(const char *verdict);

/* A progress line on standard error: replaced in place on a terminal; when piped, printed once per different
 * stage, or with POLECAT_PROGRESS=lines in the environment each time, for a program that draws it itself. */
struct output_progress {
	bool terminal, lines;
	bool shown;
	char stage[64];
};
void output_progress_init(struct output_progress *p);
/* stage names what is going on ("booting the guest"), detail what changes ("43 %"). */
void output_progress_say(struct output_progress *p, const char *stage, const char *fmt, ...) PRINTF_LIKE(3, 4);
void output_progress_clear(struct output_progress *p);

/* "4.392 s", "12.1 ms" from nanoseconds; "3 420 118" with thin groups. Buffers hold at least 32 bytes. */
const char *output_duration(unsigned long long ns, char buffer[32]);
const char *output_count(unsigned long long n, char buffer[32]);

#endif
