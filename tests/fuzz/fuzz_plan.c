/* Any bytes are a plan or a sentence. A plan is written in one way, which is read back as the same. */
#include <stdlib.h>
#include <string.h>
#include "engine/orders.h"
#include "engine/plan.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct buf text = {0}, again = {0}, frames = {0};
	struct plan *plan = plan_parse((const char *)data, size, "plan.json", &err);

	if (plan) {
		plan_write(plan, &text);
		struct plan *read = plan_parse(text.data, text.size, "plan.json", &err);
		if (!read)
			abort();
		plan_write(read, &again);
		if (text.size != again.size || memcmp(text.data, again.data, text.size) != 0)
			abort();
		orders_encode(plan, &frames, &err);
		plan_destroy(read);
	} else if (err.code != ERR_INPUT || strncmp(err.text, "plan.json:", 10) != 0) {
		abort();
	}
	plan_destroy(plan);
	buf_free(&text);
	buf_free(&again);
	buf_free(&frames);
	return 0;
}
