#include "engine/recorded.h"

#include <unistd.h>

#include "engine/orders.h"
#include "engine/rundir.h"
#include "engine/zst.h"

static bool load_log(struct recorded *r, struct err *err)
{
	struct buf packed = {0};
	bool ok = rundir_read(r->dir, &r->manifest, "replay.log.zst", &packed, err);
	if (ok && r->manifest.log_size > RUNDIR_FILE_MAX)
		ok = err_set(
			err, ERR_INPUT, "%s: log_size is more than %llu", MANIFEST_NAME, (unsigned long long)RUNDIR_FILE_MAX);
	ok = ok && zst_unpack(packed.data, packed.size, r->manifest.log_size, "replay.log.zst", &r->log, err);
	buf_free(&packed);
	return ok;
}

static bool load_plan(struct recorded *r, struct err *err)
{
	struct buf plan = {0}, scenario = {0};
	bool ok = rundir_read(r->dir, &r->manifest, "plan.json", &plan, err) &&
		rundir_read(r->dir, &r->manifest, "scenario.yaml", &scenario, err);
	if (ok)
		r->plan = plan_parse(plan.data, plan.size, "plan.json", err);
	if (r->plan)
		r->scenario = scenario_parse(scenario.data, scenario.size, "scenario.yaml", "", err);
	ok = r->scenario && (r->manifest.parent ? plan_validate_combined : plan_validate)(r->plan, r->scenario, err) &&
		orders_encode(r->plan, &r->orders, err);
	buf_free(&plan);
	buf_free(&scenario);
	return ok;
}

bool recorded_load(struct recorded *r, const char *path, struct err *err)
{
	*r = (struct recorded){.dir = -1};
	r->dir = rundir_open(path, &r->manifest, err);
	if (r->dir < 0)
		return false;
	bool ok = rundir_verify(r->dir, &r->manifest, err) && load_plan(r, err) && load_log(r, err) &&
		rundir_read(r->dir, &r->manifest, "events.jsonl", &r->events, err);
	if (!ok) {
		err_prefix(err, "%s", path);
		recorded_finish(r);
	}
	return ok;
}

void recorded_finish(struct recorded *r)
{
	if (r->dir >= 0)
		close(r->dir);
	manifest_finish(&r->manifest);
	scenario_destroy(r->scenario);
	plan_destroy(r->plan);
	buf_free(&r->orders);
	buf_free(&r->log);
	buf_free(&r->events);
	*r = (struct recorded){.dir = -1};
}
