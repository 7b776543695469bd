/* The first byte says where the rest is cut in two: whole or in parts, QMP gives the same messages and ends alike. */
#include <stdlib.h>
#include <string.h>
#include "engine/qmp.h"
#include "tests/fuzz/fuzz.h"

static enum qmp_result gather(struct qmp *q, struct buf *out)
{
	struct qmp_message m;
	struct err err = {0};
	enum qmp_result r;
	while ((r = qmp_next(q, &m, &err)) == QMP_MESSAGE) {
		buf_printf(out, "%d %llu %s %s ", (int)m.kind, (unsigned long long)m.id, m.event ? m.event : "",
			m.description ? m.description : "");
		json_write(m.data, out);
		qmp_message_finish(&m);
	}
	if (r == QMP_BAD && (err.code != ERR_QEMU || !err.text[0]))
		abort();
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	size_t cut = data[0] < size ? data[0] : size - 1;
	struct qmp whole = {0}, parts = {0};
	struct buf a = {0}, b = {0};
	data++;
	size--;
	qmp_feed(&whole, data, size);
	enum qmp_result end = gather(&whole, &a);
	qmp_feed(&parts, data, cut);
	enum qmp_result parts_end = gather(&parts, &b);
	if (parts_end != QMP_BAD) {
		qmp_feed(&parts, data + cut, size - cut);
		parts_end = gather(&parts, &b);
	}
	if (end != parts_end || a.size != b.size || (a.size && memcmp(a.data, b.data, a.size) != 0))
		abort();
	buf_free(&a);
	buf_free(&b);
	qmp_finish(&whole);
	qmp_finish(&parts);
	return 0;
}
