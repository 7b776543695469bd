/* The first byte says where the rest is cut in two: whole or in parts, the frames hold the same messages and end alike. */
#include <stdlib.h>
#include <string.h>
#include "engine/dap.h"
#include "tests/fuzz/fuzz.h"

static enum dap_result gather(struct dap *d, struct buf *out)
{
	struct buf body = {0};
	struct err err = {0};
	enum dap_result r;
	while ((r = dap_next(d, &body, &err)) == DAP_MESSAGE) {
		buf_printf(out, "%zu ", body.size);
		buf_add(out, body.data, body.size);
	}
	if (r == DAP_BAD && (err.code != ERR_INPUT || !err.text[0]))
		abort();
	buf_free(&body);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	size_t cut = data[0] < size ? data[0] : size - 1;
	struct dap whole = {0}, parts = {0};
	struct buf a = {0}, b = {0};
	data++;
	size--;
	dap_feed(&whole, data, size);
	enum dap_result end = gather(&whole, &a);
	dap_feed(&parts, data, cut);
	enum dap_result parts_end = gather(&parts, &b);
	if (parts_end != DAP_BAD) {
		dap_feed(&parts, data + cut, size - cut);
		parts_end = gather(&parts, &b);
	}
	if (end != parts_end || a.size != b.size || (a.size && memcmp(a.data, b.data, a.size) != 0))
		abort();
	buf_free(&a);
	buf_free(&b);
	dap_finish(&whole);
	dap_finish(&parts);
	return 0;
}
