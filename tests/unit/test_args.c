#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "engine/args.h"
#include "engine/help.h"

/* Words that the code under test takes as char * and does not change. */
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"

static bool nothing(const struct args *args, int *status, struct err *err)
{
	(void)args;
	(void)status;
	(void)err;
	return true;
}

static const struct args_option options[] = {
	{"seed", 's', "N", false, "The seed."},
	{"fast", 'x', NULL, false, "Be fast: it's [quick]."},
	{"exec", 'e', "CMD", true, "Do this."},
	{0},
};
static const struct command demo = {.name = "demo",
	.operands = "FILE...",
	.least = 1,
	.most = 2,
	.about = "A 'demo' with \\ in it.",
	.more = ".starts with a dot\n\nand goes on",
	.options = options,
	.rest = true,
	.run = nothing};
static const struct command *const commands[] = {&demo, NULL};

static struct args *parse(struct err *err, size_t count, char **words)
{
	return args_parse(&demo, (int)count, words, err);
}
#define PARSE(err, ...) parse(err, sizeof((char *[]){__VA_ARGS__}) / sizeof(char *), (char *[]){__VA_ARGS__})

static void takes_values_in_every_form(void)
{
	struct err err = {0};
	uint64_t seed;
	struct args *a = PARSE(&err, "--seed=5", "one", "-x", "-e", "a b", "--exec", "c", "--", "ls", "-l");
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_TRUE(args_number(a, "seed", 1, 0, 10, &seed, &err));
	CU_ASSERT_EQUAL(seed, 5);
	CU_ASSERT_TRUE(args_has(a, "fast"));
	const char *const *list;
	CU_ASSERT_EQUAL(args_values(a, "exec", &list), 2);
	CU_ASSERT_STRING_EQUAL(list[0], "a b");
	CU_ASSERT_EQUAL(args_operands(a, &list), 1);
	CU_ASSERT_STRING_EQUAL(list[0], "one");
	CU_ASSERT_EQUAL(args_rest(a, &list), 2);
	CU_ASSERT_STRING_EQUAL(list[1], "-l");
	args_destroy(a);
	a = PARSE(&err, "-s7", "one");
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_STRING_EQUAL(args_value(a, "seed"), "7");
	args_destroy(a);
}

static void says_what_is_wrong(void)
{
	static const struct {
		char *words[4];
		const char *says;
	} cases[] = {
		{{"--sead", "1", "f"}, "did you mean --seed?"},
		{{"--zzzzzz", "f"}, "polecat help demo"},
		{{"--seed"}, "wants a value"},
		{{"--fast=1", "f"}, "takes no value"},
		{{"--seed", "1", "--seed=2"}, "twice"},
		{{"-q", "f"}, "no option"},
		{{"a", "b", "c"}, "one word too many"},
		{{"--fast"}, "too few words"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = {0};
		size_t n = 0;
		while (n < 4 && cases[i].words[n])
			n++;
		CU_ASSERT_PTR_NULL(parse(&err, n, (char **)cases[i].words));
		CU_ASSERT_EQUAL(err.code, ERR_USAGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, cases[i].says));
	}
}

static void numbers_have_limits(void)
{
	static const char *const bad[] = {"", "-1", "+1", " 1", "1x", "11", "99999999999999999999999"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {0};
		uint64_t n;
		char word[64] = "--seed=";
		strcat(word, bad[i]);
		struct args *a = PARSE(&err, word, "f");
		CU_ASSERT_PTR_NOT_NULL_FATAL(a);
		CU_ASSERT_FALSE(args_number(a, "seed", 1, 0, 10, &n, &err));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "from 0 to 10"));
		args_destroy(a);
	}
}

static void every_text_has_every_option(void)
{
	struct buf texts[6] = {0};
	help_all(commands, &texts[0]);
	help_command(&demo, &texts[1]);
	help_manual(commands, &texts[2]);
	CU_ASSERT_TRUE(help_completion(commands, "bash", &texts[3]));
	CU_ASSERT_TRUE(help_completion(commands, "zsh", &texts[4]));
	CU_ASSERT_TRUE(help_completion(commands, "fish", &texts[5]));
	CU_ASSERT_PTR_NOT_NULL(strstr(texts[0].data, "demo"));
	for (size_t i = 1; i < 6; i++) {
		CU_ASSERT_PTR_NOT_NULL(strstr(texts[i].data, "seed"));
		CU_ASSERT_PTR_NOT_NULL(strstr(texts[i].data, "exec"));
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(texts[2].data, "\n\\&.starts"));
	CU_ASSERT_PTR_NOT_NULL(strstr(texts[2].data, "with \\e in"));
	struct buf none = {0};
	CU_ASSERT_FALSE(help_completion(commands, "tcsh", &none));
	for (size_t i = 0; i < 6; i++)
		buf_free(&texts[i]);
}

const struct test suite_args[] = {
	{"takes values in every form", takes_values_in_every_form},
	{"says what is wrong", says_what_is_wrong},
	{"numbers have limits", numbers_have_limits},
	{"every text has every option", every_text_has_every_option},
	{0},
};
