/*
 * What a person types into a fork, as it comes through the serial port of the machine: bytes, and a few words about the terminal
 * between them. The port loses what comes too fast, so whoever sends waits until the agent has said how much it has read
 * (INPUT frames, agent/wire.h).
 *
 *   stream := { byte | 0x10 word }          byte: typed, any but 0x10
 *   word   := 0x10                          that byte was typed
 *           | 'w' rows:u16le columns:u16le  the terminal has this size
 *           | 't' total:u32le               so many bytes of output were taken, modulo 2^32
 *           | 'e'                           nothing more will be typed
 *           | 'h'                           the person hangs up
 *
 * Pure: bytes in, words out. Shared with the engine, as agent/wire is.
 */
#ifndef AGENT_INPUT_H
#define AGENT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_ESCAPE   0x10
#define INPUT_RING     '.'  /* after the escape: no word, but what rings for a visitor (agent/visit.h) */
#define INPUT_WORD_MAX 6    /* bytes of the longest word */
#define INPUT_SIZE_MAX 1000 /* rows or columns of a terminal */

enum input_kind {
	INPUT_MORE,   /* not yet a whole word */
	INPUT_TYPED,  /* byte */
	INPUT_WINDOW, /* rows, columns: 1 to INPUT_SIZE_MAX */
	INPUT_TAKEN,  /* total */
	INPUT_END,
	INPUT_HANGUP,
	INPUT_BAD, /* no such word, or no such size: dropped; what follows is read as if it began anew */
};

struct input_word {
	enum input_kind kind;
	uint8_t byte;
	uint16_t rows, columns;
	uint32_t total;
};

/* Between two bytes; zero is the start. */
struct input {
	uint8_t held[INPUT_WORD_MAX];
	size_t count;
};

/* Takes one byte. */
struct input_word input_next(struct input *in, uint8_t byte);

/* Writes a word (any but MORE and BAD) into out, and returns its bytes; 0 for one that cannot be sent. */
size_t input_put(const struct input_word *word, uint8_t out[INPUT_WORD_MAX]);

#endif
