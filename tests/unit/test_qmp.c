#include <stdlib.h>

#include "engine/qmp.h"
#include "unit.h"

static const char talk[] = "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"
			   "{\"return\": {}, \"id\": 1}\r\n"
			   "\r\n"
			   "{\"timestamp\": {\"seconds\": 1}, \"event\": \"STOP\"}\r\n"
			   "{\"id\": 2, \"error\": {\"class\": \"GenericError\", \"desc\": \"no \\\"such\\\" thing\"}}\r\n"
			   "{\"event\": \"GUEST_PANICKED\", \"data\": {\"action\": \"pause\"}}\r\n"
			   "{\"return\": \"text\\r\\n\", \"id\": 3}\r\n";

/* Reads all there is and writes a line for each message. */
static void gather(struct qmp *q, struct buf *out)
{
	struct qmp_message m;
	struct err err = {0};
	const char *text;
	enum qmp_result r;
	while ((r = qmp_next(q, &m, &err)) == QMP_MESSAGE) {
		switch (m.kind) {
		case QMP_GREETING:
			buf_str(out, "greeting;");
			break;
		case QMP_EVENT:
			buf_printf(out, "event %s %d;", m.event, m.data != NULL);
			break;
		case QMP_ERROR:
			buf_printf(out, "error %d %s;", (int)m.id, m.description);
			break;
		case QMP_RETURN:
			buf_printf(out, "return %d %s;", (int)m.id, json_as_str(m.data, "", &text, NULL, NULL) ? text : "{}");
			break;
		}
		qmp_message_finish(&m);
	}
	if (r == QMP_BAD)
		buf_printf(out, "bad %s", err.text);
}

static const char expected[] =
	"greeting;return 1 {};event STOP 0;error 2 no \"such\" thing;event GUEST_PANICKED 1;return 3 text\r\n;";

static void split_at_every_byte(void)
{
	for (size_t cut = 0; cut < sizeof talk; cut++) {
		struct qmp q = {0};
		struct buf out = {0};
		qmp_feed(&q, talk, cut);
		gather(&q, &out);
		qmp_feed(&q, talk + cut, sizeof talk - 1 - (cut < sizeof talk ? cut : 0));
		gather(&q, &out);
		CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", expected);
		buf_free(&out);
		qmp_finish(&q);
	}
}

static void one_byte_at_a_time(void)
{
	struct qmp q = {0};
	struct buf out = {0};
	for (size_t i = 0; i < sizeof talk - 1; i++) {
		qmp_feed(&q, talk + i, 1);
		gather(&q, &out);
	}
	CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", expected);
	buf_free(&out);
	qmp_finish(&q);
}

static void what_is_not_qmp(void)
{
	static const char *const rows[] = {"hello\n", "[]\n", "{}\n", "{\"return\":\n", "{\"id\":\"x\",\"return\":{}}\n",
		"{\"error\":{}}\n", "{\"event\":5}\n", "{\"return\":{},\"id\":-1}\n"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct qmp q = {0};
		struct qmp_message m;
		struct err err = {0};
		qmp_feed(&q, rows[i], strlen(rows[i]));
		CU_ASSERT_EQUAL(qmp_next(&q, &m, &err), QMP_BAD);
		CU_ASSERT_EQUAL(err.code, ERR_QEMU);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "not QMP"));
		qmp_finish(&q);
	}
}

static void endless_lines_are_refused(void)
{
	struct qmp q = {0};
	struct qmp_message m;
	struct err err = {0};
	char *block = mem_alloc(QMP_LINE_MAX);
	memset(block, ' ', QMP_LINE_MAX);
	qmp_feed(&q, block, QMP_LINE_MAX);
	CU_ASSERT_EQUAL(qmp_next(&q, &m, &err), QMP_MORE);
	qmp_feed(&q, block, 1);
	CU_ASSERT_EQUAL(qmp_next(&q, &m, &err), QMP_BAD);
	free(block);
	qmp_finish(&q);
}

static void commands(void)
{
	struct buf out = {0};
	struct json *arguments = json_new_object();
	json_put_u64(arguments, "icount", 18446744073709551615u);
	qmp_command(&out, 7, "cont", NULL);
	qmp_command(&out, 8, "replay-break", arguments);
	CU_ASSERT_STRING_EQUAL(out.data,
		"{\"execute\":\"cont\",\"id\":7}\n"
		"{\"execute\":\"replay-break\",\"arguments\":{\"icount\":18446744073709551615},\"id\":8}\n");
	json_destroy(arguments);
	buf_free(&out);
}

const struct test suite_qmp[] = {
	{"split at every byte", split_at_every_byte},
	{"one byte at a time", one_byte_at_a_time},
	{"what is not QMP", what_is_not_qmp},
	{"endless lines are refused", endless_lines_are_refused},
	{"commands", commands},
	{0},
};
