#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/monitor.h"
#include "unit.h"

enum { WAIT_MS = 10000 };

/* A monitor and, in *far, the end on which a test plays QEMU. */
static struct monitor *make(int *far, int cancel_fd)
{
	int pair[2];
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	*far = pair[1];
	return monitor_create(pair[0], cancel_fd);
}

static void say(int far, const char *text)
{
	CU_ASSERT_EQUAL(write(far, text, strlen(text)), (ssize_t)strlen(text));
}

static void answers_and_events(void)
{
	int far;
	struct monitor *m = make(&far, -1);
	struct err err = {0};
	struct qmp_message e;
	struct buf out = {0};
	bool got;
	say(far, "{\"QMP\":{}}\n{\"return\":{},\"id\":1}\n{\"event\":\"A\"}\n{\"return\":\"hi\",\"id\":2}\n{\"event\":\"B\"}\n");
	monitor_send(m, "first", NULL);
	CU_ASSERT_TRUE(monitor_human(m, "info", WAIT_MS, &out, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "hi");
	CU_ASSERT_TRUE(monitor_event(m, 0, &got, &e, &err) && got);
	CU_ASSERT_STRING_EQUAL(e.event, "A");
	qmp_message_finish(&e);
	CU_ASSERT_TRUE(monitor_event(m, WAIT_MS, &got, &e, &err) && got);
	CU_ASSERT_STRING_EQUAL(e.event, "B");
	qmp_message_finish(&e);
	CU_ASSERT_TRUE(monitor_event(m, 0, &got, &e, &err) && !got);
	CU_ASSERT_FALSE(monitor_closed(m));
	say(far, "{\"error\":{\"class\":\"x\",\"desc\":\"cannot do it\"},\"id\":3}\n");
	CU_ASSERT_FALSE(monitor_call(m, "cont", NULL, WAIT_MS, NULL, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "cont: QEMU: cannot do it");
	char sent[200] = "";
	CU_ASSERT_TRUE(read(far, sent, sizeof sent - 1) > 0);
	CU_ASSERT_STRING_EQUAL(sent,
		"{\"execute\":\"first\",\"id\":1}\n"
		"{\"execute\":\"human-monitor-command\",\"arguments\":{\"command-line\":\"info\"},\"id\":2}\n"
		"{\"execute\":\"cont\",\"id\":3}\n");
	close(far);
	monitor_destroy(m);
	buf_free(&out);
}

static void silence_death_and_cancelling(void)
{
	int far, ends[2];
	bool got;
	struct err err = {0};
	struct qmp_message e;
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	struct monitor *m = make(&far, ends[0]);
	CU_ASSERT_FALSE(monitor_call(m, "cont", NULL, 20, NULL, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "cont: QEMU did not answer within 20 ms");
	CU_ASSERT_TRUE(monitor_event(m, 20, &got, &e, &err) && !got);
	CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
	CU_ASSERT_FALSE(monitor_event(m, -1, &got, &e, &err));
	CU_ASSERT_EQUAL(err.code, ERR_CANCELLED);
	CU_ASSERT_FALSE(monitor_call(m, "cont", NULL, -1, NULL, &err));
	CU_ASSERT_EQUAL(err.code, ERR_CANCELLED);
	monitor_destroy(m);
	close(far);
	/* What was said before the end is still heard. */
	m = make(&far, -1);
	say(far, "{\"event\":\"LAST\"}\n");
	close(far);
	CU_ASSERT_FALSE(monitor_call(m, "cont", NULL, WAIT_MS, NULL, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "cont: QEMU ended by itself");
	CU_ASSERT_FALSE(monitor_closed(m));
	CU_ASSERT_TRUE(monitor_event(m, WAIT_MS, &got, &e, &err) && got);
	qmp_message_finish(&e);
	CU_ASSERT_TRUE(monitor_event(m, WAIT_MS, &got, &e, &err) && !got);
	CU_ASSERT_TRUE(monitor_closed(m));
	monitor_destroy(m);
	close(ends[0]);
	close(ends[1]);
}

static void a_flood_of_events_keeps_the_newest(void)
{
	int far;
	struct monitor *m = make(&far, -1);
	struct err err = {0};
	struct qmp_message e;
	bool got = true;
	int count = 0;
	struct buf text = {0};
	for (int i = 0; i < 300; i++)
		buf_printf(&text, "{\"event\":\"E%d\"}\n", i);
	buf_str(&text, "{\"return\":{},\"id\":1}\n");
	say(far, text.data);
	buf_free(&text);
	CU_ASSERT_TRUE(monitor_call(m, "x", NULL, WAIT_MS, NULL, &err));
	while (monitor_event(m, 0, &got, &e, &err) && got) {
		count++;
		if (count == 1)
			CU_ASSERT_STRING_EQUAL(e.event, "E44");
		qmp_message_finish(&e);
	}
	CU_ASSERT_EQUAL(count, 256);
	close(far);
	monitor_destroy(m);
}

/* Asks to stop from the third time on that it is asked. */
static bool ask_soon(void *data)
{
	return ++*(int *)data >= 3;
}

static void a_wish_to_stop(void)
{
	int far, asked = 0;
	struct monitor *m = make(&far, -1);
	struct err err = {0};
	struct cancel cancel = {.fd = -1, .also = ask_soon, .data = &asked};
	monitor_set_cancel(m, &cancel);
	/* An answer that is there is taken, whoever wants to stop. */
	cancel.requested = true;
	say(far, "{\"return\":{},\"id\":1}\n");
	CU_ASSERT_TRUE(monitor_call(m, "x", NULL, WAIT_MS, NULL, &err));
	CU_ASSERT_FALSE(monitor_lost(m));
	/* One that does not come is waited for only a little, and then the monitor is of no use. */
	cancel.requested = false;
	CU_ASSERT_FALSE(monitor_call(m, "x", NULL, 10 * WAIT_MS, NULL, &err));
	CU_ASSERT_EQUAL(err.code, ERR_CANCELLED);
	CU_ASSERT_EQUAL(asked, 3);
	CU_ASSERT_TRUE(monitor_lost(m));
	close(far);
	monitor_destroy(m);
	/* So it is when the time is up. */
	m = make(&far, -1);
	CU_ASSERT_FALSE(monitor_call(m, "x", NULL, 1, NULL, &err));
	CU_ASSERT_EQUAL(err.code, ERR_QEMU);
	CU_ASSERT_TRUE(monitor_lost(m));
	close(far);
	monitor_destroy(m);
}

const struct test suite_monitor[] = {
	{"answers and events", answers_and_events},
	{"silence, death and cancelling", silence_death_and_cancelling},
	{"a wish to stop", a_wish_to_stop},
	{"a flood of events keeps the newest", a_flood_of_events_keeps_the_newest},
	{0},
};
