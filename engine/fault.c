#include "engine/fault.h"

#include <string.h>

#include "engine/event.h"

static const char *const stage_names[FAULT_STAGES] = {"selected", "applied", "rejected", "observed", "healed"};

const char *fault_stage_name(enum fault_stage stage)
{
	return stage_names[stage];
}

bool fault_stage_find(const char *name, enum fault_stage *ret)
{
	for (int i = 0; i < FAULT_STAGES; i++)
		if (strcmp(stage_names[i], name) == 0) {
			*ret = (enum fault_stage)i;
			return true;
		}
	return false;
}

#define NOT_YET(kind_name, on, does) \
	{ \
		.name = kind_name, .target = on, .lasts = true, .about = does, .observed = "", .healed = "" \
	}

/* Kinds of one family stand together; the order is that of the man page. */
const struct fault_kind fault_kinds[] = {
	{
		.name = "kill",
		.is_applied = true,
		.target = FAULT_ON_NODE,
		.params = {{"signal", FAULT_SIGNAL, "SIGKILL", "what is sent"}},
		.about = "Kills every process of the node at once; another signal than SIGKILL is sent to its command only.",
		.observed = "the node's command has ended",
		.healed = "the node is ready again",
	},
	{
		.name = "stop",
		.is_applied = true,
		.target = FAULT_ON_NODE,
		.lasts = true,
		.about = "Freezes every process of the node, as if its computer were too busy to run it.",
		.observed = "the kernel says that all of them stand still",
		.healed = "they run again when the time is over, or the command has ended",
	},
	{
		.name = "restart",
		.is_applied = true,
		.target = FAULT_ON_NODE,
		.params = {{"grace", FAULT_PARAM_DURATION, "10s", "how long it may take to end before it is killed"}},
		.about = "Asks the node's command to end (SIGTERM) and starts it again, whatever the node's own rule about "
			 "restarts says.",
		.observed = "the node's command has ended",
		.healed = "the node is ready again",
	},
	NOT_YET("crash", FAULT_ON_NODE, "Cuts the power of a node: what it has not synced to its disk is lost."),
	NOT_YET("partition", FAULT_ON_LINK, "Nothing passes between two nodes, or only one way."),
	NOT_YET("outage", FAULT_ON_LINK, "Connections between two nodes are refused by an administrator's route (EACCES)."),
	NOT_YET("latency", FAULT_ON_LINK, "Packets arrive later."),
	NOT_YET("loss", FAULT_ON_LINK, "Some packets are lost."),
	NOT_YET("duplicate", FAULT_ON_LINK, "Some packets arrive twice."),
	NOT_YET("reorder", FAULT_ON_LINK, "Some packets arrive out of order."),
	NOT_YET("corrupt", FAULT_ON_LINK, "Some packets are damaged."),
	NOT_YET("bandwidth", FAULT_ON_LINK, "Few bytes pass in a second."),
	NOT_YET("disk-full", FAULT_ON_NODE, "The node's disk has no room."),
	NOT_YET("disk-error", FAULT_ON_NODE, "Reads or writes of the node's disk fail."),
	NOT_YET("disk-slow", FAULT_ON_NODE, "Reads and writes of the node's disk take longer."),
	NOT_YET("torn-write", FAULT_ON_NODE, "Only a part of a write reaches the node's disk."),
	NOT_YET("lost-sync", FAULT_ON_NODE, "The node's disk forgets what it said it had synced."),
	NOT_YET("syscall", FAULT_ON_NODE, "System calls of the node fail, or do less than was asked."),
	NOT_YET("clock", FAULT_ON_NODE, "The node's clock jumps, drifts or stands still."),
	NOT_YET("memory", FAULT_ON_NODE, "The node has little memory left."),
	NOT_YET("cpu", FAULT_ON_NODE, "The node gets little processor time."),
	NOT_YET("schedule", FAULT_ON_NODE, "The node's threads are preempted at unlikely places."),
};

const size_t fault_kind_count = sizeof fault_kinds / sizeof *fault_kinds;

const struct fault_kind *fault_find(const char *name)
{
	for (size_t i = 0; i < fault_kind_count; i++)
		if (strcmp(fault_kinds[i].name, name) == 0)
			return &fault_kinds[i];
	return NULL;
}

const char *fault_param_expected(enum fault_param_type type)
{
	switch (type) {
	case FAULT_SIGNAL:
		return "a signal such as SIGKILL or SIGTERM";
	case FAULT_PARAM_DURATION:
		return text_unit_expected(TEXT_DURATION);
	case FAULT_PARAM_SIZE:
		return text_unit_expected(TEXT_SIZE);
	case FAULT_PERCENT:
		return "0 to 100 percent, as a whole number";
	case FAULT_WORD:
		return "a word";
	}
	return "";
}

bool fault_param_check(const struct fault_param *param, const char *text)
{
	uint64_t n;
	switch (param->type) {
	case FAULT_SIGNAL:
		return strncmp(text, "SIG", 3) == 0 && event_signal_number(text) != 0;
	case FAULT_PARAM_DURATION:
		return text_parse(text, TEXT_DURATION, &n);
	case FAULT_PARAM_SIZE:
		return text_parse(text, TEXT_SIZE, &n);
	case FAULT_PERCENT:
		return text_parse_u64(text, &n) && n <= 100;
	case FAULT_WORD:
		return text[0] != '\0';
	}
	return false;
}

const struct fault_kind *fault_parse_id(const char *text, uint64_t *ret_ordinal)
{
	char name[32];
	const char *mark = strchr(text, '#');
	size_t size = mark ? (size_t)(mark - text) : strlen(text);

	*ret_ordinal = 0;
	if (size >= sizeof name)
		return NULL;
	memcpy(name, text, size);
	name[size] = '\0';
	if (mark && (!text_parse_u64(mark + 1, ret_ordinal) || *ret_ordinal == 0))
		return NULL;
	return fault_find(name);
}
