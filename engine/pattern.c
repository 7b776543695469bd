#include "engine/pattern.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "engine/buf.h"

struct pattern {
	char *text;
	pcre2_code *code;
	pcre2_match_data *match; /* scratch of one match */
	pcre2_match_context *limits;
	uint32_t captures;
};

/* The library allocates through us, so that running out of memory is handled in one place. */
static void *take(size_t size, void *data)
{
	(void)data;
	return mem_alloc(size);
}

static void release(void *memory, void *data)
{
	(void)data;
	free(memory);
}

static pcre2_code *compile(const char *text, size_t *ret_at, struct err *err)
{
	PCRE2_UCHAR why[256];
	int number;
	PCRE2_SIZE at = 0;
	pcre2_general_context *memory = pcre2_general_context_create(take, release, NULL);
	pcre2_compile_context *context = pcre2_compile_context_create(memory);

	pcre2_set_parens_nest_limit(context, 32);
	pcre2_set_max_pattern_length(context, PATTERN_TEXT_MAX);
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, strlen(text),
		PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY, &number, &at, context);
	if (!code) {
		pcre2_get_error_message(number, why, sizeof why);
		err_set(err, ERR_INPUT, "%s", (const char *)why);
		*ret_at = at;
	}
	pcre2_compile_context_free(context);
	pcre2_general_context_free(memory);
	return code;
}

struct pattern *pattern_create(const char *text, size_t *ret_at, struct err *err)
{
	*ret_at = 0;
	if (strlen(text) > PATTERN_TEXT_MAX) {
		err_set(err, ERR_INPUT, "longer than %d bytes", PATTERN_TEXT_MAX);
		return NULL;
	}
	pcre2_code *code = compile(text, ret_at, err);
	if (!code)
		return NULL;
	struct pattern *p = mem_alloc(sizeof *p);
	p->text = mem_str(text);
	p->code = code;
	pcre2_general_context *memory = pcre2_general_context_create(take, release, NULL);
	p->match = pcre2_match_data_create_from_pattern(code, memory);
	p->limits = pcre2_match_context_create(memory);
	pcre2_general_context_free(memory);
	pcre2_set_match_limit(p->limits, PATTERN_STEPS_MAX);
	pcre2_set_heap_limit(p->limits, PATTERN_HEAP_KIB);
	pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &p->captures);
	if (p->captures > PATTERN_CAPTURES_MAX) {
		pattern_destroy(p);
		err_set(err, ERR_INPUT, "more than %d groups; (?:...) groups without remembering", PATTERN_CAPTURES_MAX);
		return NULL;
	}
	return p;
}

void pattern_destroy(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->limits);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p->text);
	free(p);
}

const char *pattern_text(const struct pattern *p)
{
	return p->text;
}

size_t pattern_captures(const struct pattern *p)
{
	return p->captures;
}

size_t pattern_capture_named(const struct pattern *p, const char *name)
{
	int number = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);
	return number > 0 ? (size_t)number : 0;
}

enum pattern_result pattern_match(struct pattern *p, const char *data, size_t size, struct pattern_span *spans, size_t count)
{
	int found = pcre2_match(p->code, (PCRE2_SPTR)(data ? data : ""), size, 0, 0, p->match, p->limits);
	if (found == PCRE2_ERROR_NOMATCH)
		return PATTERN_NO;
	if (found < 0) /* MATCHLIMIT, HEAPLIMIT, DEPTHLIMIT: other errors are of the call, not of the subject */
		return PATTERN_LIMIT;
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p->match);
	for (size_t i = 0; i < count; i++) {
		bool took_part = i < (size_t)found && at[2 * i] != PCRE2_UNSET;
		spans[i] =
			took_part ? (struct pattern_span){data + at[2 * i], at[2 * i + 1] - at[2 * i]} : (struct pattern_span){0};
	}
	return PATTERN_YES;
}
