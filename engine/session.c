#include "engine/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "engine/describe.h"
#include "engine/file.h"
#include "engine/ram.h"

enum {
	HISTORY_MAX = 256,
	TIME_SHOWN_NS = 1000000, /* a place whose time is known less exactly is shown with both ends */
	QUIET_MS = 300,          /* before checkpoints are made in the background: who types fast is not met by them */
	STEP_MS = 20,            /* between two looks at the second machine, for those who cannot wait for its descriptor */
	FDS_MAX = 8,
};

struct session {
	struct recorded recorded;
	struct prepared prepared;
	struct lineage lineage;
	struct timeline *timeline;
	struct checkpointstore store;
	struct walk *walk;
	struct scan *scan; /* NULL: scan_missing says why */
	struct err scan_missing;
	struct here *here;
	uint64_t zero, begin, end;
	uint64_t history[HISTORY_MAX]; /* places that were left, then those that were gone back from */
	size_t history_at, history_count;
	unsigned deaths;
	struct answers answers;
};

/* The machine is somewhere else: whatever was found out is void. */
static void stand(struct session *s)
{
	here_moved(s->here, walk_machine(s->walk), walk_now(s->walk));
	here_prefer(s->here, session_node(s));
}

/* ---- what its checkpoints are kept under -------------------------------------------------------------------- */

static void add_number(struct digest *d, uint64_t n)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(n >> (8 * i));
	digest_add(d, bytes, sizeof bytes);
}

/* Which boot snapshot it is: one that was made again is another. */
static bool add_files(struct digest *d, const struct machine_base *base, struct err *err)
{
	const int fds[] = {base->ram_fd, base->device_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
		struct stat st;
		if (fstat(fds[i], &st) < 0)
			return err_sys(err, errno, "looking at the boot snapshot");
		add_number(d, (uint64_t)st.st_size);
		add_number(d, (uint64_t)st.st_mtim.tv_sec);
		add_number(d, (uint64_t)st.st_mtim.tv_nsec);
	}
	return true;
}

/* The memory that a fork starts with was made just now, by executing its parent. */
static bool add_memory(struct digest *d, const struct machine_base *base, struct err *err)
{
	struct ram image;
	uint8_t sum[DIGEST_SIZE];
	if (!ram_open_image(&image, base->ram_fd, err))
		return false;
	bool ok = ram_digest(&image, sum, err);
	ram_finish(&image);
	if (ok)
		digest_add(d, sum, sizeof sum);
	return ok;
}

/* Everything that decides what a checkpoint of the run holds (docs/FORMATS.md, "Checkpoints"). */
static bool key_of(const struct session *s, uint8_t key[DIGEST_SIZE], struct err *err)
{
	const struct machine_base *base = &s->lineage.base;
	const struct recorded *r = &s->recorded;
	struct digest *d = digest_create();
	digest_field(d, "polecat checkpoints 1", 21);
	digest_field(d, r->manifest.identity, strlen(r->manifest.identity));
	digest_field(d, r->log.data, r->log.size);
	digest_field(d, r->orders.data, r->orders.size);
	add_number(d, base->icount);
	add_number(d, base->log_lead);
	bool ok = s->lineage.forked ? add_memory(d, base, err) : add_files(d, base, err);
	digest_end(d, key);
	digest_destroy(d);
	return ok;
}

/* Without a place to keep them checkpoints are made as they are needed. */
static bool open_store(struct session *s, const struct session_options *o, uint8_t key[DIGEST_SIZE])
{
	struct err ignored;
	char *cache = o->store_nothing ? NULL : file_cache_dir(&ignored);
	bool ok = cache && key_of(s, key, &ignored) &&
		checkpointstore_open(&s->store, cache, o->store_mib ? o->store_mib : CHECKPOINTSTORE_BUDGET_MIB, &ignored);
	free(cache);
	return ok;
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

static bool start(struct session *s, const struct session_options *o, struct err *err)
{
	const struct recorded *r = &s->recorded;
	struct machine_options options = {.mode = MACHINE_REPLAY,
		.base = &s->lineage.base,
		.orders = r->orders.data,
		.orders_size = r->orders.size,
		.log = r->log.data,
		.log_size = r->log.size,
		.cancel_fd = -1};
	uint8_t key[DIGEST_SIZE];
	struct walk_options walk = {.machine = &options,
		.spacing = o->spacing ? o->spacing : walk_spacing(r->manifest.icount - r->manifest.parent_icount),
		.budget_mib = o->budget_mib,
		.cancel = o->cancel,
		.store = open_store(s, o, key) ? &s->store : NULL,
		.key = key};
	s->scan = scan_create(&s->scan_missing);
	if (s->scan) {
		options.plugins = scan_plugins(s->scan);
		s->walk = walk_create(&walk, &s->scan_missing);
	}
	if (!s->walk) { /* this QEMU may have been built without plugins: everything else works */
		scan_destroy(s->scan);
		s->scan = NULL;
		options.plugins = NULL;
		s->walk = walk_create(&walk, err);
	}
	if (!s->walk)
		return false;
	s->zero = lineage_zero(&s->lineage);
	s->begin = walk_start(s->walk) - s->zero;
	s->end = r->manifest.icount;
	/* A guest that died is told by its last instruction: there the log may end one short. */
	if (s->end > walk_end(s->walk) - s->zero)
		s->end = walk_end(s->walk) - s->zero;
	s->deaths = walk_deaths(s->walk);
	stand(s);
	return true;
}

struct session *session_open(const struct session_options *o, struct err *err)
{
	struct session *s = mem_alloc(sizeof *s);
	s->recorded.dir = -1;
	s->store.dir = -1;
	s->here = here_create(o->debug_dirs, o->debug_dir_count);
	if (o->progress.say)
		o->progress.say(o->progress.data, "opening", o->run);
	if (recorded_load(&s->recorded, o->run, err) && (s->timeline = timeline_open(o->run, err)) != NULL &&
		prepare_recorded(&s->prepared, &s->recorded.manifest, err) &&
		lineage_open(&s->lineage, &s->recorded, o->run, &s->prepared, o->cancel, err) && start(s, o, err))
		return s;
	session_close(s);
	return NULL;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	answers_finish(&s->answers);
	here_destroy(s->here);
	walk_destroy(s->walk);
	checkpointstore_close(&s->store);
	scan_destroy(s->scan);
	lineage_finish(&s->lineage);
	prepare_finish(&s->prepared);
	if (s->timeline)
		timeline_close(s->timeline);
	recorded_finish(&s->recorded);
	free(s);
}

const struct timeline *session_timeline(const struct session *s)
{
	return s->timeline;
}

const struct recorded *session_recorded(const struct session *s)
{
	return &s->recorded;
}

const struct lineage *session_lineage(const struct session *s)
{
	return &s->lineage;
}

struct answers *session_answers(struct session *s)
{
	return &s->answers;
}

struct here *session_here(struct session *s)
{
	return s->here;
}

struct walk *session_walk(struct session *s)
{
	return s->walk;
}

void session_moved(struct session *s)
{
	stand(s);
}

struct scan *session_scan(struct session *s, struct err *err)
{
	if (!s->scan) {
		*err = s->scan_missing;
		err_prefix(err, "scans are not possible");
	}
	return s->scan;
}

void session_scan_request(struct session *s, struct scan_request *ret)
{
	struct err ignored;
	struct memory_page page;
	const struct guest *guest = here_guest(s->here, &ignored);
	const struct ksym *base = guest ? ksyms_find(guest->layout->ksyms, "page_offset_base") : NULL;
	*ret = (struct scan_request){0};
	if (guest && memory_walk(&guest->kernel, guest->layout->current_task, &page))
		ret->task_at = page.physical;
	if (base && memory_read_some(&guest->kernel, base->address, &ret->direct_map, 8) == 8)
		ret->process_offset = (uint32_t)guest_offset(guest, LAYOUT_TASK_TGID);
}

uint64_t session_icount(const struct session *s)
{
	return walk_now(s->walk) - s->zero;
}

uint64_t session_begin(const struct session *s)
{
	return s->begin;
}

uint64_t session_end(const struct session *s)
{
	return s->end;
}

uint64_t session_zero(const struct session *s)
{
	return s->zero;
}

size_t session_event(const struct session *s)
{
	return timeline_at_icount(s->timeline, session_icount(s));
}

void session_time(const struct session *s, uint64_t *earliest, uint64_t *latest)
{
	const struct entry *entries = timeline_entries(s->timeline);
	uint64_t icount = session_icount(s);
	size_t event = session_event(s), next = event == TIMELINE_NONE ? 0 : event + 1;
	*earliest = event == TIMELINE_NONE ? icount * MACHINE_NS_PER_ICOUNT
					   : entries[event].vtime_ns + (icount - entries[event].icount) * MACHINE_NS_PER_ICOUNT;
	*latest = *earliest;
	if (next >= timeline_count(s->timeline))
		return;
	uint64_t left = (entries[next].icount - icount) * MACHINE_NS_PER_ICOUNT;
	if (entries[next].vtime_ns > left && entries[next].vtime_ns - left > *latest)
		*latest = entries[next].vtime_ns - left;
	if (*earliest > entries[next].vtime_ns)
		*earliest = *latest = entries[next].vtime_ns;
}

int session_node(const struct session *s)
{
	const struct entry *entries = timeline_entries(s->timeline);
	/* Number 0 of the timeline is the machine; those after the plan's are visitors of forks. */
	for (size_t i = session_event(s); i != TIMELINE_NONE; i = i ? i - 1 : TIMELINE_NONE)
		if (entries[i].node && entries[i].node <= s->recorded.plan->node_count)
			return (int)entries[i].node - 1;
	return -1;
}

/* ---- moves -------------------------------------------------------------------------------------------------- */

static bool move(struct session *s, uint64_t icount, struct walk_trip *trip, struct err *err)
{
	icount = icount < s->begin ? s->begin : icount > s->end ? s->end : icount;
	bool ok = walk_to(s->walk, s->zero + icount, trip, err);
	session_moved(s);
	return ok;
}

void session_came(struct session *s, uint64_t left)
{
	session_moved(s);
	if (session_icount(s) == left)
		return;
	here_choose_frame(s->here, HERE_FRAME_NONE);
	if (s->history_at == HISTORY_MAX) {
		memmove(s->history, s->history + 1, (HISTORY_MAX - 1) * sizeof *s->history);
		s->history_at--;
	}
	s->history[s->history_at++] = left;
	s->history_count = s->history_at;
}

bool session_go(struct session *s, uint64_t icount, struct walk_trip *trip, struct err *err)
{
	uint64_t left = session_icount(s);
	bool ok = move(s, icount, trip, err);
	session_came(s, left);
	return ok;
}

/* Swaps the position with a place of the history, so that the way back is there as well. */
static bool visit(struct session *s, size_t i, struct walk_trip *trip, struct err *err)
{
	uint64_t left = session_icount(s), to = s->history[i];
	bool ok = move(s, to, trip, err);
	here_choose_frame(s->here, HERE_FRAME_NONE);
	s->history[i] = left;
	return ok;
}

bool session_back(struct session *s, struct walk_trip *trip, struct err *err)
{
	if (!s->history_at)
		return err_set(err, ERR_INPUT, "there is no place to go back to: this is where the session began");
	return visit(s, --s->history_at, trip, err);
}

bool session_forward(struct session *s, struct walk_trip *trip, struct err *err)
{
	if (s->history_at == s->history_count)
		return err_set(
			err, ERR_INPUT, "there is no place to go forward to: `back` was not used, or something moved since");
	return visit(s, s->history_at++, trip, err);
}

/* ---- while nobody waits ------------------------------------------------------------------------------------- */

struct waiting {
	struct pollfd *fds;
	size_t count;
};

static bool anything(void *data)
{
	const struct waiting *w = data;
	return poll(w->fds, (nfds_t)w->count, 0) > 0;
}

int session_idle(struct session *s, bool (*wanted)(void *data), void *data)
{
	if (walk_idle(s->walk, s->zero + s->end, wanted, data))
		return 0;
	return walk_idle_fd(s->walk) >= 0 ? STEP_MS : -1;
}

bool session_wait(struct session *s, struct pollfd *fds, size_t count, struct err *err)
{
	struct pollfd all[FDS_MAX + 1];
	struct waiting waiting = {fds, count};
	int timeout_ms = QUIET_MS;
	for (;;) {
		int second = walk_idle_fd(s->walk);
		memcpy(all, fds, count * sizeof *fds);
		all[count] = (struct pollfd){.fd = second, .events = POLLIN};
		int got = poll(all, (nfds_t)(count + (second >= 0)), timeout_ms);
		if (got < 0 && errno != EINTR)
			return err_sys(err, errno, "waiting");
		memcpy(fds, all, count * sizeof *fds);
		for (size_t i = 0; got > 0 && i < count; i++)
			if (fds[i].revents)
				return true;
		if (got < 0)
			continue;
		timeout_ms = session_idle(s, anything, &waiting);
	}
}

bool session_is_alive(const struct session *s)
{
	return walk_is_alive(s->walk);
}

bool session_ensure(struct session *s, struct err *err)
{
	unsigned generation = walk_generation(s->walk);
	bool was_here = walk_machine(s->walk) != NULL, ok = walk_ensure(s->walk, err);
	if (!was_here || walk_generation(s->walk) != generation)
		session_moved(s);
	return ok;
}

void session_print_place(const struct session *s, struct buf *out)
{
	uint64_t icount = session_icount(s);
	size_t event = session_event(s);
	buf_str(out, "at ");
	describe_count(icount, out);
	if (event == TIMELINE_NONE) {
		buf_str(out, " (before the first event)");
	} else {
		uint64_t since = timeline_entries(s->timeline)[event].icount, earliest, latest;
		buf_printf(out, " (ev:%zu", event + 1);
		if (icount > since) {
			buf_str(out, " + ");
			describe_count(icount - since, out);
		}
		session_time(s, &earliest, &latest);
		buf_str(out, "), t ");
		describe_time(earliest, out);
		if (latest - earliest >= TIME_SHOWN_NS) {
			buf_str(out, " to ");
			describe_time(latest, out);
		}
		buf_str(out, " s");
	}
	if (icount == s->end)
		buf_str(out, ", the end");
	if (icount == s->begin)
		buf_str(out, ", the begin");
}

bool session_was_restarted(struct session *s)
{
	unsigned deaths = walk_deaths(s->walk);
	bool restarted = deaths != s->deaths && walk_machine(s->walk);
	if (restarted)
		s->deaths = deaths;
	return restarted;
}

char *session_take_note(struct session *s)
{
	return walk_take_note(s->walk);
}
