/* What is parsed and written parses again to the same bytes, in each of the three forms. */
#include <stdlib.h>
#include <string.h>
#include "engine/json.h"
#include "tests/fuzz/fuzz.h"

static void check_form(const struct json *j, void (*write)(const struct json *j, struct buf *out))
{
	struct buf a = {0}, b = {0};
	struct err err = {0};
	write(j, &a);
	struct json *again = json_parse(a.data, a.size, "again", &err);
	if (!again)
		abort();
	write(again, &b);
	if (a.size != b.size || memcmp(a.data, b.data, a.size) != 0)
		abort();
	json_destroy(again);
	buf_free(&a);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct json *j = json_parse((const char *)data, size, "x", &err);
	if (!j) {
		if (err.code != ERR_INPUT || strncmp(err.text, "x:", 2) != 0)
			abort();
		return 0;
	}
	check_form(j, json_write);
	check_form(j, json_write_pretty);
	check_form(j, json_write_canonical);
	json_destroy(j);
	return 0;
}
