/* Any bytes are a scenario or a sentence. A scenario gives plans, which are read back, fit, and become frames. */
#include <stdlib.h>
#include <string.h>
#include "engine/orders.h"
#include "engine/plan.h"
#include "engine/scenario.h"
#include "tests/fuzz/fuzz.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void use(const struct scenario *s, uint64_t seed)
{
	struct err err = {0};
	struct buf text = {0}, again = {0}, frames = {0};
	unsigned images[SCENARIO_NODES_MAX] = {0};
	struct plan *plan = plan_make(s, seed, &err);

	must(plan != NULL);
	plan_write(plan, &text);
	struct plan *read = plan_parse(text.data, text.size, "plan.json", &err);
	must(read && plan_validate(read, s, &err));
	plan_write(read, &again);
	must(text.size == again.size && memcmp(text.data, again.data, text.size) == 0);
	must(orders_encode(plan, &frames, &err) && orders_spec(s, images, &frames, &err));
	buf_free(&text);
	buf_free(&again);
	buf_free(&frames);
	plan_destroy(plan);
	plan_destroy(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct scenario *s = scenario_parse((const char *)data, size, "fuzz.yaml", "dir", &err);

	if (s) {
		use(s, 0);
		use(s, size);
	} else {
		must(err.code == ERR_INPUT && strncmp(err.text, "fuzz.yaml:", 10) == 0);
	}
	scenario_destroy(s);
	return 0;
}
