#include "engine/scenario_keys.h"

#define NS_PER_S     UINT64_C(1000000000)
#define DURATION_MAX (24 * 3600 * NS_PER_S)
#define ANY_DURATION \
	{ \
		0, DURATION_MAX \
	}
#define SOME_DURATION \
	{ \
		1, DURATION_MAX \
	}

static const char *const restart_words[] = {"never", "after-fault", "always", NULL};
static const char *const stream_words[] = {"out", "err", NULL};
static const char *const stage_words[] = {"selected", "applied", "rejected", "observed", "healed", NULL};

static const struct schema_key top[] = {
	{"polecat", SCHEMA_NUMBER, .required = true, .offset = offsetof(struct keys_top, version), .bounds = {1, 1},
		.about = "Version of the language: 1."},
	{"name", SCHEMA_NAME, .required = true, .offset = offsetof(struct keys_top, name),
		.about = "What the scenario is called: part of the names of its runs."},
	{"about", SCHEMA_TEXT, .offset = offsetof(struct keys_top, about), .about = "What it is for, in a sentence."},
	{"machine", SCHEMA_MAP, .section = &keys_machine, .about = "The machine that all nodes live in."},
	{"nodes", SCHEMA_NAMED, .required = true, .section = &keys_node,
		.about = "The nodes, each under its name. At most 16. A node reaches another by its name."},
	{"faults", SCHEMA_LIST, .section = &keys_fault, .about = "What goes wrong. At most 64 entries."},
	{"properties", SCHEMA_LIST, .required = true, .section = &keys_property,
		.about = "What is claimed of every run. At least one, at most 64."},
	{"limits", SCHEMA_MAP, .section = &keys_limits, .about = "Where a run is cut."},
	{"until", SCHEMA_MAP, .section = &keys_until,
		.about = "When the run is over. Without it: when every node that has neither `ready` nor `restart` has exited; "
			 "if there is "
			 "none, when all nodes have exited."},
	{0},
};

static const struct schema_key machine[] = {
	{"memory", SCHEMA_SIZE, .offset = offsetof(struct keys_machine, memory), .fallback = "128MiB",
		.bounds = {SCENARIO_MEMORY_MIN, SCENARIO_MEMORY_MAX},
		.about = "Its memory, for the kernel and all nodes: whole MiB."},
	{0},
};

static const struct schema_key node[] = {
	{"workload", SCHEMA_MAP, .required = true, .section = &keys_workload,
		.about = "The program, or the root file system it is in."},
	{"command", SCHEMA_WORDS, .offset = offsetof(struct keys_node, command),
		.about = "The program and its arguments. There is no shell. Without it a binary runs without arguments; a root "
			 "file system "
			 "needs it."},
	{"env", SCHEMA_OTHER,
		.about = "A map from names of environment variables to their values. There are no others, except those that "
			 "polecat sets itself."},
	{"cwd", SCHEMA_TEXT, .offset = offsetof(struct keys_node, cwd), .fallback = "/",
		.about = "The working directory: an absolute path."},
	{"user", SCHEMA_TEXT, .offset = offsetof(struct keys_node, user), .fallback = "0:0",
		.about = "UID:GID, or one number for both."},
	{"ready", SCHEMA_MAP, .section = &keys_ready,
		.about = "When the node is ready. Without it: as soon as it has started. Nodes below one with `ready` wait for "
			 "it."},
	{"restart", SCHEMA_OTHER, .section = &keys_restart, .fallback = "never",
		.about = "Whether its command is started again when it has ended: `never`, `after-fault` (when a fault ended it) "
			 "or `always`; or "
			 "a map."},
	{"after", SCHEMA_NODES,
		.about = "The nodes that must be ready before it starts for the first time; an empty list for none. Without it: "
			 "every node "
			 "above it that has `ready`."},
	{"stdin", SCHEMA_OTHER, .section = &keys_stdin,
		.about = "What the command reads: a text that each invocation gets, or a list of maps. Without it standard input "
			 "is empty."},
	{"disk", SCHEMA_MAP, .section = &keys_disk, .about = "A disk of its own at /data, whose content survives restarts."},
	{0},
};

static const struct schema_key workload[] = {
	{"binary", SCHEMA_TEXT, .offset = offsetof(struct keys_workload, binary),
		.about = "Path of one static program. It becomes /NAME, NAME being the last part of the path."},
	{"rootfs", SCHEMA_TEXT, .offset = offsetof(struct keys_workload, rootfs),
		.about = "Path of a directory, or of a tar file."},
	{"oci", SCHEMA_TEXT, .about = "Not there yet: path of an OCI image layout."},
	{0},
};

static const struct schema_key ready[] = {
	{"port", SCHEMA_NUMBER, .offset = offsetof(struct keys_ready, port), .bounds = {1, 65535},
		.about = "A TCP port on which the node listens."},
	{"line", SCHEMA_TEXT, .offset = offsetof(struct keys_ready, line), .about = "A text that a line of its output holds."},
	{0},
};

static const struct schema_key restart[] = {
	{"when", SCHEMA_WORD, .required = true, .offset = offsetof(struct keys_restart, when), .words = restart_words,
		.about = "`never`, `after-fault` or `always`."},
	{"delay", SCHEMA_DURATIONS, .offset = offsetof(struct keys_restart, delay_ns), .fallback = "0", .bounds = ANY_DURATION,
		.about = "How long it stays down before each restart. One value is drawn for the run."},
	{0},
};

static const struct schema_key input[] = {
	{"text", SCHEMA_TEXT, .offset = offsetof(struct keys_stdin, text),
		.about = "What is written. May be left out where `eof` is true."},
	{"delay", SCHEMA_DURATIONS, .offset = offsetof(struct keys_stdin, delay_ns), .fallback = "0", .bounds = ANY_DURATION,
		.about = "How long after the entry before it, or after the start of the invocation."},
	{"eof", SCHEMA_BOOL, .offset = offsetof(struct keys_stdin, eof),
		.about = "Whether standard input ends here. Default: after the last entry."},
	{"invocation", SCHEMA_NUMBER, .offset = offsetof(struct keys_stdin, invocation), .bounds = {1, 1000},
		.about = "The invocation of the command that gets it. Default: each. Either all entries of a node have it or "
			 "none."},
	{0},
};

static const struct schema_key disk[] = {
	{"size", SCHEMA_SIZE, .required = true, .offset = offsetof(struct keys_disk, size),
		.bounds = {1 << 20, UINT64_C(1) << 30}, .about = "Its size."},
	{0},
};

static const struct schema_key fault[] = {
	{"times", SCHEMA_NUMBERS, .offset = offsetof(struct keys_fault, times), .fallback = "1",
		.bounds = {0, SCENARIO_TIMES_MAX},
		.about = "How often. The k-th fault of a kind, over all entries, is called KIND#k."},
	{"for", SCHEMA_DURATIONS, .offset = offsetof(struct keys_fault, for_ns), .bounds = SOME_DURATION,
		.about = "How long it lasts: needed by kinds that last, wrong for others."},
	{"at", SCHEMA_DURATIONS, .offset = offsetof(struct keys_fault, at_ns), .bounds = ANY_DURATION,
		.about = "When: virtual time since the start of the run."},
	{"after", SCHEMA_MAP, .section = &keys_trigger,
		.about = "When: after something has happened. With neither `at` nor `after`, the k-th fault of an entry comes "
			 "after its node was "
			 "ready for the k-th time, with a `delay` of 0s..1s."},
	{"delay", SCHEMA_DURATIONS, .offset = offsetof(struct keys_fault, delay_ns), .bounds = ANY_DURATION,
		.about = "How long after `after`. Default: 0, or 0s..1s without `after`."},
	{0},
};

static const struct schema_key trigger[] = {
	{"lines", SCHEMA_NUMBERS, .offset = offsetof(struct keys_trigger, lines), .bounds = {1, 1000000000},
		.about = "The node `of` has written this many lines, over both streams and all invocations. The faults of an "
			 "entry come after "
			 "different lines, in ascending order."},
	{"of", SCHEMA_NODE, .about = "The node whose `lines` are counted. Default: the fault's own."},
	{"fault", SCHEMA_FAULT,
		.about = "Another fault, of an entry above, has reached `stage`. An id such as kill#2, or a kind: then the k-th "
			 "fault of the entry "
			 "follows the k-th of that kind, and is not chosen where that is not."},
	{"stage", SCHEMA_WORD, .offset = offsetof(struct keys_trigger, stage), .fallback = "applied", .words = stage_words,
		.about = "`selected`, `applied`, `rejected`, `observed` or `healed`."},
	{"started", SCHEMA_NODE, .about = "This node has started."},
	{"ready", SCHEMA_NODE, .about = "This node is ready."},
	{"exited", SCHEMA_NODE, .about = "The command of this node has ended."},
	{"nth", SCHEMA_NUMBERS, .offset = offsetof(struct keys_trigger, nth), .bounds = {1, 1000},
		.about = "For the how many-th time, with `started`, `ready` and `exited`. Default: the k-th time for the k-th "
			 "fault."},
	{0},
};

static const struct schema_key property[] = {
	{"id", SCHEMA_NAME, .required = true, .offset = offsetof(struct keys_property, id), .about = "Its name in every report."},
	{"about", SCHEMA_TEXT, .offset = offsetof(struct keys_property, about), .about = "What it means, in a sentence."},
	{"always", SCHEMA_MATCHER, .about = "Every candidate of the matcher matches."},
	{"never", SCHEMA_MATCHER, .about = "No candidate matches."},
	{"sometimes", SCHEMA_MATCHER,
		.about = "Some candidate matches. A run without one leaves it unexercised: it did not show what was hoped for."},
	{"eventually", SCHEMA_MATCHER,
		.about = "A match comes: once, or with `after` each time; by the end of the run, or with `within` in time."},
	{"ordered", SCHEMA_MATCHERS,
		.about = "The first match of each matcher comes after the first match of the one before it. At most 16."},
	{"checker", SCHEMA_MAP, .section = &keys_checker, .about = "A checker of histories."},
	{"within", SCHEMA_DURATION, .offset = offsetof(struct keys_property, within_ns), .bounds = SOME_DURATION,
		.about = "With `eventually`: how long a match may take, in virtual time, since the start of the run or since "
			 "`after`."},
	{"after", SCHEMA_MATCHER, .about = "With `eventually`: what must be followed by a match."},
	{"each", SCHEMA_TEXT, .offset = offsetof(struct keys_property, each),
		.about = "With `ordered`: name of a group that every matcher has, as n in 'sent (?<n>\\d+)'. Matches are put in "
			 "order for each of "
			 "its values apart, and a match without the one before it is a failure."},
	{0},
};

static const struct schema_key matcher[] = {
	{"node", SCHEMA_NODE, .about = "Events of this node. Default: of any."},
	{"stream", SCHEMA_WORD, .offset = offsetof(struct keys_matcher, stream), .words = stream_words,
		.about = "Lines of this stream: `out` or `err`."},
	{"event", SCHEMA_OTHER, .about = "Events of this kind, such as node.started."},
	{"fault", SCHEMA_FAULT, .about = "Events of a fault: of a kind, or of an id such as kill#2."},
	{"stage", SCHEMA_WORD, .offset = offsetof(struct keys_matcher, stage), .words = stage_words,
		.about = "With `fault`: the stage it has reached."},
	{"line", SCHEMA_PATTERN, .about = "Lines of output in which the expression is found."},
	{"user", SCHEMA_PATTERN, .about = "Lines that a process wrote to the events file, in which the expression is found."},
	{"json", SCHEMA_OTHER,
		.about = "A map from paths, such as request.status, to values: lines (with `event: user.event`: of the events "
			 "file) that are JSON "
			 "objects with these values."},
	{"exited", SCHEMA_OTHER, .about = "Ends of a command with this status, or by this signal (SIGKILL)."},
	{"nth", SCHEMA_NUMBER, .offset = offsetof(struct keys_matcher, nth), .bounds = {1, 1000000000},
		.about = "Only the how many-th event that passes the other tests, where first, second and so on are counted over "
			 "the run."},
	{"where", SCHEMA_OTHER,
		.about = "A map from names of groups of the expression to comparisons with a number or with another group: {got: "
			 "'!= want', n: '>= 5'}. "
			 "All of them must hold."},
	{0},
};

static const struct schema_key checker[] = {
	{"set", SCHEMA_MAP, .required = true, .section = &keys_set,
		.about = "Values that are added and must be there when they are read."},
	{0},
};

static const struct schema_key set[] = {
	{"added", SCHEMA_MATCHER, .required = true,
		.about = "A value was added for good. The value is the first group of the expression."},
	{"read", SCHEMA_MATCHER, .required = true, .about = "A value was read. Every value added must be read later."},
	{"lost", SCHEMA_MATCHER, .about = "A value was asked for and not there: decides at once instead of at the end."},
	{"attempted", SCHEMA_MATCHER,
		.about = "Somebody tried to add a value. With it, reading a value that nobody tried to add is a failure; without "
			 "it such values are "
			 "only counted."},
	{0},
};

static const struct schema_key limits[] = {
	{"vtime", SCHEMA_DURATION, .offset = offsetof(struct scenario_limits, vtime_ns), .fallback = "120s",
		.bounds = SOME_DURATION, .about = "Virtual time."},
	{"instructions", SCHEMA_COUNT, .offset = offsetof(struct scenario_limits, instructions), .fallback = "20G",
		.bounds = {1000000, UINT64_C(1000000000000)}, .about = "Instructions of the machine."},
	{"events", SCHEMA_COUNT, .offset = offsetof(struct scenario_limits, events), .fallback = "200K", .bounds = {10, 10000000},
		.about = "Events."},
	{"bytes", SCHEMA_SIZE, .offset = offsetof(struct scenario_limits, bytes), .fallback = "64MiB",
		.bounds = {1024, UINT64_C(1) << 30}, .about = "Output of all nodes together."},
	{"wall", SCHEMA_DURATION, .offset = offsetof(struct scenario_limits, wall_s), .fallback = "300s",
		.bounds = {NS_PER_S, DURATION_MAX},
		.about = "Time on the clock of the host, in whole seconds. Meeting it is an error of the host, not a result of "
			 "the run."},
	{0},
};

static const struct schema_key until[] = {
	{"exited", SCHEMA_NODES, .about = "Each of these nodes has exited for good."},
	{"vtime", SCHEMA_DURATION, .offset = offsetof(struct keys_until, vtime_ns), .bounds = SOME_DURATION,
		.about = "This much virtual time has passed."},
	{0},
};

const struct schema_section keys_top = {"a scenario", "The file", "One map.", top};
const struct schema_section keys_machine = {"`machine`", "machine", NULL, machine};
const struct schema_section keys_node = {"a node", "A node", "The value under a node's name.", node};
const struct schema_section keys_workload = {
	"`workload`", "workload", "Exactly one of these. Paths are relative to the scenario file.", workload};
const struct schema_section keys_ready = {"`ready`", "ready", "Exactly one of these.", ready};
const struct schema_section keys_restart = {"`restart`", "restart", "Instead of one word:", restart};
const struct schema_section keys_stdin = {"an entry of `stdin`", "stdin", "An entry of the list. At most 64 entries.", input};
const struct schema_section keys_disk = {"`disk`", "disk", NULL, disk};
const struct schema_section keys_fault = {"a fault", "A fault",
	"An entry names one kind of fault and its target: {kill: server}. If the target is a list, the seed takes one of it each "
	"time. The "
	"kinds and their parameters are listed below; all entries may have:",
	fault};
const struct schema_section keys_trigger = {
	"`after`", "after", "Exactly one of `lines`, `fault`, `started`, `ready` and `exited`.", trigger};
const struct schema_section keys_property = {"a property", "A property",
	"Exactly one of `always`, `never`, `sometimes`, `eventually`, `ordered` and `checker`.", property};
const struct schema_section keys_matcher = {"a matcher", "A matcher",
	"Which events are meant. All tests that it has must hold. A text alone is short for {line: TEXT}.", matcher};
const struct schema_section keys_checker = {"`checker`", "checker", NULL, checker};
const struct schema_section keys_set = {"`set`", "set",
	"Each is an expression over lines of output, with at least one group, or a matcher with `line` or `user`.", set};
const struct schema_section keys_limits = {
	"`limits`", "limits", "A run that meets one is cut there: properties that are still open are unknown.", limits};
const struct schema_section keys_until = {"`until`", "until", "Exactly one of these.", until};

const struct schema_section *const keys_sections[] = {&keys_top, &keys_machine, &keys_node, &keys_workload, &keys_ready,
	&keys_restart, &keys_stdin, &keys_disk, &keys_fault, &keys_trigger, &keys_property, &keys_matcher, &keys_checker,
	&keys_set, &keys_limits, &keys_until};
const size_t keys_section_count = sizeof keys_sections / sizeof *keys_sections;
