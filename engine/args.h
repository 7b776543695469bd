/*
 * The shape of the command line: what a command row says, and the parser that obeys it. Each cmd_*.c owns one row; parsing,
 * --help, the manual page and the shell completions all read the same rows.
 */
#ifndef ENGINE_ARGS_H
#define ENGINE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define ARGS_MAX 4096 /* words of one command line */

struct args_option {
	const char *name;  /* without "--"; NULL ends a list */
	char letter;       /* 'j' for -j, or 0 */
	const char *value; /* NULL: a flag; else what help calls the value, as "DIR" */
	bool many;         /* may be given more than once */
	const char *about; /* one sentence */
};

struct args;

struct command {
	const char *name;
	const char *operands; /* "SCENARIO", "RUN [RUN]" ...; "" for none */
	size_t least, most;   /* operands taken; most of ARGS_MAX means any number */
	const char *about;    /* one sentence */
	const char *more;     /* paragraphs for the manual page and `polecat help NAME`, or NULL */
	const struct args_option *options;
	bool rest; /* what follows "--" is kept apart (args_rest) */
	/* Returns false with *err filled in, or true with the exit status in *status. */
	bool (*run)(const struct args *args, int *status, struct err *err);
};

/* Options that every command takes: --help. */
extern const struct args_option args_common[];

/* Parses what follows the command's name. The words are borrowed. ERR_USAGE with a suggestion for an unknown option. */
struct args *args_parse(const struct command *command, int argc, char **argv, struct err *err);
void args_destroy(struct args *args);

bool args_has(const struct args *args, const char *name);
const char *args_value(const struct args *args, const char *name); /* last one given, or NULL */
size_t args_values(const struct args *args, const char *name, const char *const **ret);
size_t args_operands(const struct args *args, const char *const **ret);
size_t args_rest(const struct args *args, const char *const **ret); /* words after "--"; NULL-terminated list */

/* A whole number within low..high, or fallback when the option was not given. */
bool args_number(const struct args *args, const char *name, uint64_t fallback, uint64_t low, uint64_t high, uint64_t *ret,
	struct err *err);

#endif
