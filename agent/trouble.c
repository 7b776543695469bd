#include "agent/trouble.h"

#include <string.h>

static void stage_with(struct trouble *t, enum wire_stage stage, int errnum, const char *text)
{
	struct wire_message m = {.type = WIRE_FAULT,
		.fault = t->index,
		.code = stage,
		.node = t->target->index,
		.invocation = t->invocation,
		.value = (uint64_t)errnum,
		.bytes = {(const uint8_t *)text, strlen(text)}};
	if (stage == WIRE_OBSERVED)
		t->observed = true;
	if (stage == WIRE_REJECTED || stage == WIRE_HEALED)
		t->state = TROUBLE_OVER;
	outbox_send(t->outbox, &m);
	t->staged(t->data, t, stage);
}

void trouble_stage(struct trouble *t, enum wire_stage stage, const struct why *why)
{
	stage_with(t, stage, why ? why->errnum : 0, why ? why->text : "");
}

void trouble_stage_text(struct trouble *t, enum wire_stage stage, const char *text)
{
	stage_with(t, stage, 0, text);
}
