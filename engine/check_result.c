#include "engine/check_result.h"

#include <stdlib.h>

#include "engine/buf.h"

void check_result_init(struct check_result *r, const char *id, const char *type, struct text_place place)
{
	*r = (struct check_result){.id = id, .type = type, .verdict = VERDICT_UNKNOWN, .why = mem_str(""), .place = place};
}

void check_result_finish(struct check_result *r)
{
	free(r->why);
	*r = (struct check_result){0};
}

void check_decide(struct check_result *r, enum verdict verdict, uint64_t at, const char *fmt, ...)
{
	va_list args;
	struct buf why = {0};

	if (r->decided)
		return;
	va_start(args, fmt);
	buf_vprintf(&why, fmt, args);
	va_end(args);
	free(r->why);
	r->why = buf_take(&why);
	r->decided = true;
	r->verdict = verdict;
	r->decided_at = at;
}

void check_witness(struct check_result *r, uint64_t seq)
{
	if (r->witness_count < CHECK_WITNESSES_MAX)
		r->witnesses[r->witness_count++] = seq;
}

void check_cut(struct check_result *r, const struct check_end *end)
{
	check_decide(r, VERDICT_UNKNOWN, 0, "the run was cut short (%s) before this was decided", end->reason);
}
