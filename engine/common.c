#include "engine/common.h"

#include <stdlib.h>
#include <string.h>

const char *common_runs(const struct args *args)
{
	const char *given = args_value(args, "runs"), *env = getenv("POLECAT_RUNS");
	return given ? given : env && *env ? env : "runs";
}

bool common_keep(const struct args *args, const char *fallback, enum record_keep *ret, struct err *err)
{
	const char *text = args_value(args, "keep");
	if (!text)
		text = fallback;
	if (!strcmp(text, "all"))
		*ret = RECORD_KEEP_ALL;
	else if (!strcmp(text, "failed"))
		*ret = RECORD_KEEP_FAILED;
	else if (!strcmp(text, "none"))
		*ret = RECORD_KEEP_NONE;
	else
		return err_set(err, ERR_USAGE, "--keep is '%s': expected all, failed or none", text);
	return true;
}

static void say(void *data, const char *stage, const char *detail)
{
	struct common_progress *p = data;
	output_progress_say(&p->line, stage, "%s", detail);
}

struct progress common_progress_start(struct common_progress *p)
{
	output_progress_init(&p->line);
	return (struct progress){say, p};
}

void common_progress_end(struct common_progress *p)
{
	output_progress_clear(&p->line);
}

static void say_result(const struct record_result *r)
{
	char vtime[32], icount[32];
	const char *verdict = verdict_name(r->verdict);
	output_print(output_verdict_style(verdict), "%s", verdict);
	output_print(OUTPUT_PLAIN,
		"  %s  seed %llu  (%llu events, %llu of %llu faults applied, t %s, %s instructions, ended: %s)\n", r->scenario,
		(unsigned long long)r->seed, (unsigned long long)r->events, (unsigned long long)r->faults_applied,
		(unsigned long long)r->faults, output_duration(r->vtime_ns, vtime), output_count(r->icount, icount), r->end);
	for (size_t i = 0; i < r->property_count; i++) {
		const struct record_property *p = &r->properties[i];
		const char *name = verdict_name(p->verdict);
		output_print(output_verdict_style(name), "  %-12s", name);
		output_print(OUTPUT_PLAIN, " %s%s%s\n", p->id, *p->why ? ": " : "", p->why);
	}
	if (r->faults_unobserved)
		output_print(OUTPUT_WARN, "  warning: %llu applied faults were observed by nobody (polecat show RUN --faults)\n",
			(unsigned long long)r->faults_unobserved);
}

/* Lines to copy: what one does next with this run. */
static void say_next(const struct record_result *r)
{
	if (!*r->run)
		return;
	const char *bad = NULL;
	for (size_t i = 0; i < r->property_count && !bad; i++)
		if (r->properties[i].verdict == VERDICT_FAIL)
			bad = r->properties[i].id;
	output_print(OUTPUT_PLAIN,
		"run     %s\nreplay  polecat replay %s\nui      polecat ui %s\ndebug   polecat debug %s --at %s%s\n", r->run,
		r->run, r->run, r->run, bad ? "prop:" : "end", bad ? bad : "");
}

void common_say_result(const struct record_result *r)
{
	say_result(r);
	say_next(r);
}
