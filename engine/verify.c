#include "engine/verify.h"

#include <string.h>

#include "engine/buf.h"
#include "engine/recorded.h"
#include "engine/runlist.h"

static bool same_events(const char *first, const char *second, struct err *err)
{
	struct recorded a, b;
	if (!recorded_load(&a, first, err))
		return false;
	bool ok = recorded_load(&b, second, err);
	if (ok && (a.events.size != b.events.size || memcmp(a.events.data, b.events.data, a.events.size)))
		ok = err_set(err, ERR_DIVERGED, "two fresh recordings differ: polecat diff %s %s", first, second);
	if (ok)
		recorded_finish(&b);
	recorded_finish(&a);
	return ok;
}

/* Spread over the run, without its very start and end. */
static void place_probes(struct replay_probe *probes, uint64_t icount)
{
	for (uint64_t i = 0; i < VERIFY_PROBES; i++)
		probes[i] = (struct replay_probe){.icount = icount / (VERIFY_PROBES + 1) * (i + 1)};
}

static bool same_probes(const struct replay_probe *a, const struct replay_probe *b, struct err *err)
{
	for (size_t i = 0; i < VERIFY_PROBES; i++) {
		const char *what = NULL;
		if (!a[i].reached || !b[i].reached)
			what = "the run is shorter";
		else if (memcmp(a[i].registers, b[i].registers, DIGEST_SIZE))
			what = "the registers differ";
		else if (memcmp(a[i].memory, b[i].memory, DIGEST_SIZE))
			what = "the memory differs";
		if (what)
			return err_set(err, ERR_DIVERGED, "two recordings have equal events, but at instruction %llu %s",
				(unsigned long long)a[i].icount, what);
	}
	return true;
}

static bool replay_both(const struct record_options *o, struct verify_result *ret, struct err *err)
{
	struct replay_probe again[VERIFY_PROBES];
	struct replay_result result;
	place_probes(ret->probes, ret->first.icount);
	place_probes(again, ret->first.icount);
	struct replay_options replay = {.run = ret->first.run,
		.cancel = o->cancel,
		.progress = o->progress,
		.probes = ret->probes,
		.probe_count = VERIFY_PROBES};
	if (!replay_run(&replay, &result, err))
		return err_prefix(err, "replay of the first recording");
	ret->events = result.events;
	replay.run = ret->second.run;
	replay.probes = again;
	if (!replay_run(&replay, &result, err))
		return err_prefix(err, "replay of the second recording");
	return same_probes(ret->probes, again, err);
}

bool verify_run(const struct record_options *options, struct verify_result *ret, struct err *err)
{
	struct record_options o = *options;
	o.keep = RECORD_KEEP_ALL;
	*ret = (struct verify_result){0};
	if (!record_run(&o, &ret->first, err) || !record_run(&o, &ret->second, err) ||
		!same_events(ret->first.run, ret->second.run, err) || !replay_both(&o, ret, err))
		return false;
	const char *slash = strrchr(ret->second.run, '/');
	return runlist_remove(o.runs, slash ? slash + 1 : ret->second.run, err);
}
