/* `polecat show`: what is in a run, in parts; each part for people or, with --json, for programs. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/file.h"
#include "engine/moment.h"
#include "engine/output.h"
#include "engine/runlist.h"
#include "engine/show.h"

#define WIDTH_PIPED   120                /* columns of the timeline where there is no terminal to ask */
#define FILE_SIZE_MAX (64 * 1024 * 1024) /* largest file of a run that is printed as it is */
#define FOLLOW_MS     100                /* between two looks at a run that is being recorded */

/* -- options -- */

static int terminal_width(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	uint64_t value;
	if (columns && text_parse_u64(columns, &value) && value > 0 && value <= LANES_WIDTH_MAX)
		return (int)value;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col < LANES_WIDTH_MAX ? size.ws_col : LANES_WIDTH_MAX;
	return WIDTH_PIPED;
}

static bool parse_moment(
	const struct args *args, const char *option, const struct timeline *t, struct moment *ret, struct err *err)
{
	const char *text = args_value(args, option);
	return !text || moment_parse(t, text, ret, err) || err_prefix(err, "--%s", option);
}

static bool parse_kind(const char *text, uint64_t *ret, struct err *err)
{
	const char *names[EVENT_KIND_COUNT];
	size_t size = strlen(text);
	for (size_t i = 0; i < EVENT_KIND_COUNT; i++) {
		names[i] = event_kind_name((enum event_kind)i);
		/* "fault" means all of fault.*. */
		if (strcmp(names[i], text) == 0 || (strncmp(names[i], text, size) == 0 && names[i][size] == '.'))
			*ret |= 1ull << i;
	}
	if (*ret)
		return true;
	const char *near = text_nearest(text, names, EVENT_KIND_COUNT);
	return err_set(err, ERR_USAGE, "--kind: '%s' is not a kind of event%s%s%s", text, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
}

static bool parse_events(const struct args *args, const struct timeline *t, struct show_events *ret, struct err *err)
{
	const char *const *kinds, *node = args_value(args, "node");
	size_t count = args_values(args, "kind", &kinds);
	struct moment from = {0, TIMELINE_NONE}, to = {0, timeline_count(t) - 1};
	*ret = (struct show_events){.text = args_value(args, "search")};
	for (size_t i = 0; i < count; i++)
		if (!parse_kind(kinds[i], &ret->filter.kinds, err))
			return false;
	if (node) {
		int number = timeline_node_find(t, strcmp(node, "machine") == 0 ? "" : node);
		if (number < 0)
			return err_set(err, ERR_USAGE, "--node: this run has no node '%s'", node);
		ret->filter.node = 1 + number;
	}
	if (!parse_moment(args, "from", t, &from, err) || !parse_moment(args, "to", t, &to, err))
		return false;
	ret->first = from.event == TIMELINE_NONE ? 0 : from.event;
	ret->end = to.event == TIMELINE_NONE ? 0 : to.event + 1;
	return true;
}

static bool parse_axis(const struct args *args, enum lanes_axis *ret, struct err *err)
{
	static const char *const names[] = {[LANES_VTIME] = "time", [LANES_ICOUNT] = "icount", [LANES_EVENT] = "event"};
	const char *text = args_value(args, "axis");
	*ret = LANES_VTIME;
	for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
		if (strcmp(text, names[i]) == 0) {
			*ret = (enum lanes_axis)i;
			return true;
		}
	return !text || err_set(err, ERR_USAGE, "--axis is '%s': expected time, icount or event", text);
}

/* -- the parts -- */

static bool show_timeline(const struct args *args, const struct timeline *t, bool json, struct err *err)
{
	struct lanes_options o = {.ascii = args_has(args, "ascii"), .playhead = TIMELINE_NONE};
	enum lanes_axis axis;
	uint64_t width;
	struct show_events range;
	struct moment at = {0, TIMELINE_NONE};
	if (!parse_axis(args, &axis, err) || !parse_events(args, t, &range, err) || !parse_moment(args, "at", t, &at, err) ||
		!args_number(args, "width", (uint64_t)terminal_width(), 1, LANES_WIDTH_MAX, &width, err))
		return false;
	o.width = (int)width;
	o.playhead = at.event;
	o.window = lanes_whole(t, axis);
	if (args_value(args, "from") && range.first < timeline_count(t))
		o.window.from = scale_value(t, axis, range.first);
	if (args_value(args, "to") && range.end > 0)
		o.window.to = scale_value(t, axis, range.end - 1);
	if (o.window.from > o.window.to)
		return err_set(err, ERR_USAGE, "--from is after --to");
	show_lanes(t, &o, json);
	return true;
}

/* A file of the run, to the byte for programs, harmless for people. */
static bool show_file(const struct timeline *t, const char *name, bool raw, struct err *err)
{
	struct buf bytes = {0}, safe = {0};
	bool ok = file_read_in(timeline_dir(t), name, FILE_SIZE_MAX, &bytes, err) || err_prefix(err, "%s", timeline_path(t));
	for (char *at = bytes.data, *end; ok && !raw && at && (end = strchr(at, '\n')); at = end + 1) {
		text_put_safe(&safe, at, (size_t)(end - at));
		buf_char(&safe, '\n');
	}
	if (ok)
		output_bytes(raw ? bytes.data : safe.data, raw ? bytes.size : safe.size);
	buf_free(&bytes);
	buf_free(&safe);
	return ok;
}

/* Prints what is recorded, as it is recorded, until the run is whole. */
static bool follow_events(const struct args *args, struct timeline *t, bool json, struct err *err)
{
	struct cancel cancel;
	struct show_events which;
	size_t shown = 0;
	if (!cancel_init(&cancel, err))
		return false;
	bool ok = true;
	while (ok) {
		bool changed, last = !timeline_incomplete(t);
		ok = parse_events(args, t, &which, err);
		which.first = which.first > shown ? which.first : shown;
		ok = ok && show_events(t, &which, json, err) && output_flush(err);
		shown = timeline_count(t);
		if (!ok || last || cancel_requested(&cancel))
			break;
		nanosleep(&(struct timespec){.tv_nsec = FOLLOW_MS * 1000000}, NULL);
		ok = timeline_refresh(t, &changed, err);
	}
	cancel_finish(&cancel);
	return ok;
}

static bool show_what(const struct args *args, struct timeline *t, struct err *err)
{
	bool json = args_has(args, "json");
	struct show_events which;
	if (args_has(args, "events") && args_has(args, "follow"))
		return follow_events(args, t, json, err);
	if (args_has(args, "follow"))
		return err_set(err, ERR_USAGE, "--follow goes with --events");
	if (args_has(args, "events"))
		return parse_events(args, t, &which, err) && show_events(t, &which, json, err);
	if (args_has(args, "timeline"))
		return show_timeline(args, t, json, err);
	if (args_has(args, "manifest"))
		return show_file(t, "manifest.json", json, err);
	if (json && args_has(args, "plan"))
		return show_file(t, "plan.json", true, err);
	if (json && !args_has(args, "faults"))
		return show_file(t, "properties.json", true, err);
	if (args_has(args, "faults"))
		show_faults(t, json);
	else if (args_has(args, "plan"))
		show_plan(t);
	else if (args_has(args, "properties"))
		show_properties(t);
	else
		show_summary(t);
	return true;
}

static bool show(const struct args *args, int *status, struct err *err)
{
	static const char *const parts[] = {"events", "faults", "properties", "plan", "manifest", "timeline"};
	const char *const *operands;
	int given = 0;
	(void)status;
	args_operands(args, &operands);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		given += args_has(args, parts[i]);
	if (given > 1)
		return err_set(err, ERR_USAGE, "only one of --events, --faults, --properties, --plan, --manifest and --timeline");
	char *path = runlist_find(common_runs(args), operands[0], err);
	struct timeline *t = path ? timeline_open(path, err) : NULL;
	bool ok = t && show_what(args, t, err);
	timeline_close(t);
	free(path);
	return ok;
}

static const struct args_option show_options[] = {
	{"events", 'e', NULL, false, "Print the events; with --json, the lines of events.jsonl."},
	{"faults", 'f', NULL, false, "Print each fault's stages, parameters and origin."},
	{"properties", 'p', NULL, false, "Print the verdicts, why, and the witness events."},
	{"plan", 0, NULL, false, "Print the choices that the seed made, and the faults."},
	{"manifest", 0, NULL, false, "Print the manifest: versions, identities, digests."},
	{"timeline", 't', NULL, false, "Draw the timeline: faults, a lane per node, properties."},
	{"from", 0, "MOMENT", false, "The first event of --events and --timeline."},
	{"to", 0, "MOMENT", false, "Their last event."},
	{"node", 0, "NODE", false, "Only events of this node (\"machine\" for those of none)."},
	{"kind", 0, "KIND", true, "Only events of this kind, such as io.line, or family, such as fault."},
	{"search", 0, "TEXT", false, "Only events that hold this text; capital letters matter if it has one."},
	{"follow", 'F', NULL, false, "With --events: go on until the run is whole."},
	{"axis", 0, "time|icount|event", false, "What --timeline is drawn along (default time, idle time folded)."},
	{"at", 0, "MOMENT", false, "Where --timeline draws the playhead."},
	{"width", 'w', "N", false, "Columns of --timeline (default: the terminal's, else 120)."},
	{"ascii", 0, NULL, false, "Draw with ASCII only."},
	COMMON_OPTION_RUNS,
	COMMON_OPTION_JSON,
	{0},
};

const struct command command_show = {
	.name = "show",
	.operands = "RUN",
	.least = 1,
	.most = 1,
	.about = "Print what is in a run: its events, faults, verdicts, plan or timeline.",
	.more = "Without an option that names a part, a summary. RUN may still be recording.\n"
		"MOMENT is an instruction count, ev:17, fault:kill#1.applied, prop:no-lost-ack, t:4.39s, begin or end.\n"
		"In the timeline S is a start, R ready, E an exit, X one that failed; blocks stand for more lines than one.",
	.options = show_options,
	.run = show,
};
