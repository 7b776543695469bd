/* Lines of a guest, evaluated by every form of property: a line of input is output of the client, or with a `u` in front a line
 * of the events file. The same events give the same verdicts, and the file of verdicts is JSON. */
/* smoke runs: 2000 */
#include <stdlib.h>
#include <string.h>
#include "engine/check.h"
#include "engine/json.h"
#include "tests/fuzz/fuzz.h"

static const char text[] =
	"polecat: 1\nname: fuzz\nnodes: {client: {workload: {binary: c}}}\n"
	"properties:\n"
	"  - {id: a, always: {line: '^(ok|acked|read|x)'}}\n"
	"  - {id: b, never: {line: 'left (?<n>-?\\d+) of (?<m>\\S+)', where: {n: '> m'}}}\n"
	"  - {id: c, sometimes: {json: {a.b: 1, c: x}}}\n"
	"  - {id: d, sometimes: {user: '^a+$', nth: 2}}\n"
	"  - {id: e, eventually: {line: pong}, after: {line: ping}, within: 2s}\n"
	"  - {id: f, ordered: ['sent (?<n>.*)', 'echo (?<n>.*)'], each: n}\n"
	"  - {id: g, checker: {set: {added: 'acked (.*)', read: 'read (.*)', lost: 'missing (.*)', attempted: 'try (.*)'}}}\n";

static void run(const struct scenario *s, const char *data, size_t size, struct buf *out)
{
	struct checks *c = checks_create(s);
	struct event_sink sink = checks_sink(c);
	struct err err = {0};
	uint64_t seq = 0;

	while (size > 0) {
		const char *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;
		bool is_user = length > 0 && data[0] == 'u';
		seq++;
		struct event e = {.seq = seq,
			.vtime_ns = seq * 300000000,
			.node = "client",
			.kind = is_user ? EVENT_USER_EVENT : EVENT_IO_LINE};
		e.text = (struct event_bytes){data + is_user, length - is_user};
		if (!sink.event(sink.data, &e, &err))
			abort();
		data += length + (end != NULL);
		size -= length + (end != NULL);
	}
	struct event last = {.seq = seq + 1, .node = "", .kind = EVENT_RUN_END, .reason = "done", .why = ""};
	sink.event(sink.data, &last, &err);
	checks_finish(c);
	checks_write(c, out);
	checks_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct buf first = {0}, second = {0};
	static struct scenario *s; /* compiling its expressions takes longer than the rest */

	if (!s && !(s = scenario_parse(text, sizeof text - 1, "fuzz.yaml", "", &err)))
		abort();
	run(s, (const char *)data, size, &first);
	run(s, (const char *)data, size, &second);
	if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0)
		abort();
	struct json *j = json_parse(first.data, first.size, "properties.json", &err);
	if (!j)
		abort();
	json_destroy(j);
	buf_free(&first);
	buf_free(&second);
	return 0;
}
