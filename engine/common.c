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
