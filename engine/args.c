#include "engine/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

const struct args_option args_common[] = {
	{"help", 'h', NULL, false, "Show how the command is used."},
	{0},
};

struct given {
	const struct args_option *option;
	const char **values;
	size_t count, room;
};

struct args {
	const struct command *command;
	struct given *given;
	size_t given_count;
	const char **operands;
	size_t operand_count, operand_room;
	const char **rest;
	size_t rest_count;
};

static size_t count_options(const struct args_option *list)
{
	size_t n = 0;
	while (list && list[n].name)
		n++;
	return n;
}

static struct args *args_create(const struct command *command)
{
	struct args *args = mem_alloc(sizeof *args);
	size_t own = count_options(command->options), common = count_options(args_common);
	args->command = command;
	args->given_count = own + common;
	args->given = mem_array(args->given_count, sizeof *args->given);
	for (size_t i = 0; i < args->given_count; i++)
		args->given[i].option = i < own ? &command->options[i] : &args_common[i - own];
	return args;
}

void args_destroy(struct args *args)
{
	if (!args)
		return;
	for (size_t i = 0; i < args->given_count; i++)
		free(args->given[i].values);
	free(args->given);
	free(args->operands);
	free(args);
}

static bool unknown_option(const struct args *args, const char *word, struct err *err)
{
	const char **names = mem_array(args->given_count, sizeof *names);
	for (size_t i = 0; i < args->given_count; i++)
		names[i] = args->given[i].option->name;
	const char *near = text_nearest(word, names, args->given_count);
	free(names);
	if (near)
		return err_set(
			err, ERR_USAGE, "%s: there is no option --%s (did you mean --%s?)", args->command->name, word, near);
	return err_set(err, ERR_USAGE, "%s: there is no option --%s (`polecat help %s` lists them)", args->command->name, word,
		args->command->name);
}

/* ---- parsing ---------------------------------------------------------------------------------------------- */

static struct given *find(const struct args *args, const char *name, size_t size, char letter)
{
	for (size_t i = 0; i < args->given_count; i++) {
		const struct args_option *o = args->given[i].option;
		if (letter ? o->letter == letter : strlen(o->name) == size && !memcmp(o->name, name, size))
			return &args->given[i];
	}
	return NULL;
}

static bool give(struct args *args, struct given *g, const char *value, struct err *err)
{
	if (g->count && !g->option->many && g->option->value)
		return err_set(err, ERR_USAGE, "%s: --%s is given twice", args->command->name, g->option->name);
	ARRAY_PUSH(g->values, g->count, g->room) = value;
	return true;
}

/* One word that starts with a dash; *at moves on when the value is the next word. */
static bool parse_option(struct args *args, int argc, char **argv, int *at, struct err *err)
{
	const char *word = argv[*at];
	bool is_long = word[1] == '-';
	const char *name = word + (is_long ? 2 : 1), *equals = is_long ? strchr(name, '=') : NULL;
	size_t size = equals ? (size_t)(equals - name) : strlen(name);
	struct given *g = find(args, name, size, is_long ? 0 : word[1]);
	if (!g)
		return unknown_option(args, name, err);
	const char *value = equals ? equals + 1 : (!is_long && word[2]) ? word + 2 : NULL;
	if (!g->option->value) {
		if (value)
			return err_set(err, ERR_USAGE, "%s: --%s takes no value", args->command->name, g->option->name);
		return give(args, g, "", err);
	}
	if (!value && *at + 1 < argc)
		value = argv[++*at];
	if (!value)
		return err_set(
			err, ERR_USAGE, "%s: --%s wants a value (%s)", args->command->name, g->option->name, g->option->value);
	return give(args, g, value, err);
}

static bool parse(struct args *args, int argc, char **argv, struct err *err)
{
	if (argc > ARGS_MAX)
		return err_set(err, ERR_USAGE, "%s: more than %d words", args->command->name, ARGS_MAX);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			args->rest = (const char **)argv + i + 1;
			args->rest_count = (size_t)(argc - i - 1);
			break;
		}
		if (argv[i][0] == '-' && argv[i][1]) {
			if (!parse_option(args, argc, argv, &i, err))
				return false;
			continue;
		}
		ARRAY_PUSH(args->operands, args->operand_count, args->operand_room) = argv[i];
	}
	if (!args->command->rest) {
		for (size_t i = 0; i < args->rest_count; i++)
			ARRAY_PUSH(args->operands, args->operand_count, args->operand_room) = args->rest[i];
		args->rest_count = 0;
	}
	if (args_has(args, "help"))
		return true;
	if (args->operand_count < args->command->least)
		return err_set(err, ERR_USAGE, "%s: too few words: polecat %s %s", args->command->name, args->command->name,
			args->command->operands);
	if (args->operand_count > args->command->most)
		return err_set(err, ERR_USAGE, "%s: '%s' is one word too many: polecat %s %s", args->command->name,
			args->operands[args->command->most], args->command->name, args->command->operands);
	return true;
}

struct args *args_parse(const struct command *command, int argc, char **argv, struct err *err)
{
	struct args *args = args_create(command);
	if (parse(args, argc, argv, err))
		return args;
	args_destroy(args);
	return NULL;
}

/* ---- asking ----------------------------------------------------------------------------------------------- */

bool args_has(const struct args *args, const char *name)
{
	return args_values(args, name, NULL) > 0;
}

const char *args_value(const struct args *args, const char *name)
{
	const char *const *values;
	size_t n = args_values(args, name, &values);
	return n ? values[n - 1] : NULL;
}

size_t args_values(const struct args *args, const char *name, const char *const **ret)
{
	const struct given *g = find(args, name, strlen(name), 0);
	if (ret)
		*ret = g ? g->values : NULL;
	return g ? g->count : 0;
}

size_t args_operands(const struct args *args, const char *const **ret)
{
	if (ret)
		*ret = args->operands;
	return args->operand_count;
}

size_t args_rest(const struct args *args, const char *const **ret)
{
	if (ret)
		*ret = args->rest;
	return args->rest_count;
}

bool args_number(
	const struct args *args, const char *name, uint64_t fallback, uint64_t low, uint64_t high, uint64_t *ret, struct err *err)
{
	const char *text = args_value(args, name);
	*ret = fallback;
	if (!text)
		return true;
	char *end = NULL;
	errno = 0;
	unsigned long long n = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	if (!end || *end || errno || n < low || n > high)
		return err_set(err, ERR_USAGE, "%s: --%s is '%s': expected a whole number from %llu to %llu", args->command->name,
			name, text, (unsigned long long)low, (unsigned long long)high);
	*ret = n;
	return true;
}
