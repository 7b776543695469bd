/* A request in the memory of a fork's agent. */
#include <stdlib.h>
#include <string.h>

#include "agent/replan.h"
#include "agent/visit.h"
#include "tests/fuzz/fuzz.h"

static void nothing(uint8_t byte)
{
	(void)byte;
}

/* As other faults than two that wait: refused with a reason, or the mission is whole afterwards. */
static void replan(const uint8_t *data, size_t size)
{
	static struct mission mission;
	static struct faults faults;
	static struct outbox outbox;
	static struct node nodes[2];
	static uint8_t region[OUTBOX_HEADER + 4 * OUTBOX_RESERVE];
	struct why why = {0};
	memset(region, 0, OUTBOX_HEADER);
	if (!outbox_init(&outbox, region, sizeof region, nothing, abort, &why))
		abort();
	mission.node_count = mission.trouble_count = 2;
	for (size_t i = 0; i < 2; i++) {
		nodes[i] = (struct node){.index = i, .lines = 3};
		mission.troubles[i] = (struct mission_trouble){.kind = "kill", .trigger = WIRE_LINES, .trigger_value = 9};
	}
	faults_begin(&faults, &mission, nodes, &outbox);
	if (!replan_is(data, size))
		return;
	why.text[0] = '\0';
	if (!replan_do(data, size, &mission, &faults, &why) && (!why.text[0] || mission.trouble_count != 2))
		__builtin_trap();
	if (mission.trouble_count > WIRE_FAULTS_MAX)
		__builtin_trap();
	faults_end(&faults);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct visit_request r;
	struct why why = {0};
	uint8_t *header = calloc(1, OUTBOX_HEADER);
	if (!header)
		abort();
	size = size < VISIT_REQUEST_MAX ? size : VISIT_REQUEST_MAX;
	/* As a frame of that many bytes, and as its own size. */
	for (int own = 0; own < 2; own++) {
		uint8_t *at = header + VISIT_REQUEST;
		for (int i = 0; i < 4; i++)
			at[i] = (uint8_t)(size >> (8 * i));
		memcpy(own ? at : at + 4, data, size);
		if (visit_read(header, 4, &r, &why)) {
			if (!r.argv[0] || r.node > 4 || strlen(r.cwd) >= sizeof r.cwd)
				__builtin_trap();
		} else if (!why.text[0]) {
			__builtin_trap();
		}
	}
	replan(data, size);
	free(header);
	return 0;
}
