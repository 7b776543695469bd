#include <signal.h>
#include <stdlib.h>
#include "engine/buf.h"
#include "engine/check.h"
#include "engine/check_sdk.h"
#include "unit.h"

#define HEAD \
	"polecat: 1\nname: demo\nnodes:\n  server: {workload: {binary: s}, restart: after-fault}\n  client: {workload: " \
	"{binary: c}}\n" \
	"faults: [{kill: server, times: 2}]\nlimits: {vtime: 100s}\n"

/* A scenario with some properties, being checked: events are handed to it one by one, a millisecond apart. */
struct bench {
	struct scenario *scenario;
	struct checks *checks;
	struct event_sink sink;
	uint64_t seq, vtime_ns;
};

static struct bench begin(const char *until, const char *properties)
{
	struct err err = {0};
	struct bench b = {0};
	char *text = mem_printf(HEAD "%sproperties:\n%s", until, properties);
	b.scenario = scenario_parse(text, strlen(text), "demo.yaml", "", &err);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(b.scenario);
	b.checks = checks_create(b.scenario);
	b.sink = checks_sink(b.checks);
	free(text);
	return b;
}

static void end(struct bench *b)
{
	checks_destroy(b->checks);
	scenario_destroy(b->scenario);
}

static void feed(struct bench *b, struct event e)
{
	struct err err = {0};
	e.seq = ++b->seq;
	e.vtime_ns = b->vtime_ns += 1000000;
	e.icount = 1000 * e.seq;
	CU_ASSERT_TRUE(b->sink.event(b->sink.data, &e, &err));
}

static void line(struct bench *b, const char *node, const char *text)
{
	feed(b, (struct event){.node = node, .kind = EVENT_IO_LINE, .invocation = 1, .text = {text, strlen(text)}});
}

static void user(struct bench *b, const char *text)
{
	feed(b, (struct event){.node = "client", .kind = EVENT_USER_EVENT, .invocation = 1, .text = {text, strlen(text)}});
}

static void plain(struct bench *b, const char *node, enum event_kind kind)
{
	feed(b, (struct event){.node = node, .kind = kind, .invocation = 1});
}

static void exited(struct bench *b, const char *node, int status, bool by_signal)
{
	feed(b, (struct event){.node = node, .kind = EVENT_NODE_EXITED, .status = status, .by_signal = by_signal});
}

static void fault(struct bench *b, const char *id, enum event_kind kind)
{
	feed(b, (struct event){.node = "server", .kind = kind, .fault = id, .type = "kill", .why = ""});
}

static void run_end(struct bench *b, const char *reason)
{
	feed(b, (struct event){.node = "", .kind = EVENT_RUN_END, .reason = reason, .why = ""});
	checks_finish(b->checks);
}

static const struct check_result *result(const struct bench *b, size_t i)
{
	return checks_result(b->checks, i);
}

static bool is(const struct bench *b, size_t i, enum verdict verdict, uint64_t decided_at, uint64_t evaluations)
{
	const struct check_result *r = result(b, i);
	return r->decided && r->verdict == verdict && r->decided_at == decided_at && r->evaluations == evaluations;
}

static void always_and_never(void)
{
	struct bench b = begin("",
		"  - {id: a, always: {node: client, line: '^(acked|read)'}}\n"
		"  - {id: b, never: {node: client, line: 'mismatch'}}\n"
		"  - {id: c, always: {node: client, exited: 0}}\n"
		"  - {id: d, never: {event: node.exited, node: server}}\n"
		"  - {id: e, never: {node: server, line: 'x'}}\n"
		"  - {id: f, always: {node: server, exited: SIGKILL}}\n"
		"  - {id: g, never: {stream: err}}\n");
	line(&b, "client", "acked 1");
	line(&b, "server", "other");
	line(&b, "client", "read 1");
	exited(&b, "server", SIGKILL, true);
	exited(&b, "client", 0, false);
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 0, 2));
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_PASS, 0, 2));
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_PASS, 0, 1));
	CU_ASSERT_TRUE(is(&b, 3, VERDICT_FAIL, 4, 2)); /* candidates are the server's events */
	CU_ASSERT_TRUE(is(&b, 4, VERDICT_PASS, 0, 1));
	CU_ASSERT_TRUE(is(&b, 5, VERDICT_PASS, 0, 1));
	CU_ASSERT_TRUE(is(&b, 6, VERDICT_PASS, 0, 6));
	CU_ASSERT_EQUAL(checks_verdict(b.checks), VERDICT_FAIL);
	CU_ASSERT_TRUE(result(&b, 3)->witness_count == 1 && result(&b, 3)->witnesses[0] == 4);
	end(&b);

	b = begin("", "  - {id: a, always: {node: client, line: '^acked'}}\n  - {id: b, never: {line: 'mismatch'}}\n");
	line(&b, "client", "acked 1");
	line(&b, "client", "mismatch 2");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 2, 2)); /* at once, not at the end */
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_FAIL, 2, 2));
	line(&b, "client", "mismatch 3");
	run_end(&b, "event_limit"); /* a cut changes nothing that is decided */
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 2, 2) && is(&b, 1, VERDICT_FAIL, 2, 2));
	CU_ASSERT_STRING_EQUAL(result(&b, 0)->why, "ev 2 ('mismatch 2') does not match");
	end(&b);
}

static void where_compares_groups(void)
{
	struct bench b = begin("",
		"  - {id: a, always: {line: 'got (?<got>\\S+) want (?<want>\\S+)', where: {got: '= want'}}}\n"
		"  - {id: b, never: {line: 'left (?<n>-?\\d+)', where: {n: '< 0'}}}\n"
		"  - {id: c, sometimes: {line: 'left (?<n>-?\\d+)', where: {n: '>= 5'}}}\n"
		"  - {id: d, sometimes: {line: 'left (?<n>\\S+)', where: {n: '!= 7'}}}\n"
		"  - {id: e, never: {line: 'word (?<n>\\S+)', where: {n: '> 1'}}}\n");
	line(&b, "client", "nothing");
	line(&b, "client", "got 7 want 07");
	line(&b, "client", "got x want x");
	line(&b, "client", "left 7");
	line(&b, "client", "word zzz"); /* not a number: not greater than one */
	line(&b, "client", "left -3");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 0, 2)); /* only lines that match are looked at */
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_FAIL, 6, 2));
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_PASS, 4, 1));
	CU_ASSERT_TRUE(is(&b, 3, VERDICT_PASS, 6, 2));
	CU_ASSERT_TRUE(is(&b, 4, VERDICT_PASS, 0, 1));
	end(&b);
}

static void sometimes_and_nth(void)
{
	struct bench b = begin("",
		"  - {id: a, sometimes: {event: node.started, node: server, nth: 2}}\n"
		"  - {id: b, sometimes: {event: node.started, node: server, nth: 3}}\n"
		"  - {id: c, sometimes: {line: 'x', nth: 2}}\n"
		"  - {id: d, sometimes: {fault: kill#2, stage: observed}}\n"
		"  - {id: e, sometimes: {fault: kill, stage: observed}}\n"
		"  - {id: f, never: {fault: kill, stage: rejected}}\n");
	plain(&b, "server", EVENT_NODE_STARTED);
	fault(&b, "kill#1", EVENT_FAULT_OBSERVED);
	plain(&b, "client", EVENT_NODE_STARTED);
	line(&b, "client", "x");
	line(&b, "client", "y");
	plain(&b, "server", EVENT_NODE_STARTED);
	line(&b, "client", "x");
	run_end(&b, "stalled");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 6, 2));
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_UNEXERCISED, 0, 2));
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_PASS, 7, 3));
	CU_ASSERT_TRUE(is(&b, 3, VERDICT_UNEXERCISED, 0, 0));
	CU_ASSERT_TRUE(is(&b, 4, VERDICT_PASS, 2, 1));
	CU_ASSERT_TRUE(is(&b, 5, VERDICT_PASS, 0, 1));
	CU_ASSERT_EQUAL(checks_verdict(b.checks), VERDICT_UNEXERCISED);
	end(&b);
}

static void json_lines(void)
{
	struct bench b = begin("",
		"  - {id: a, sometimes: {json: {request.status: 200, ok: true}}}\n"
		"  - {id: b, never: {json: {level: error}}}\n"
		"  - {id: c, sometimes: {event: user.event, json: {n: '7'}}}\n"
		"  - {id: d, sometimes: {user: 'hel+o'}}\n");
	line(&b, "client", "{\"request\": {\"status\": 200}, \"ok\": false}");
	line(&b, "client", "{\"request\":{\"status\":200},\"ok\":true}");
	line(&b, "client", "{\"level\":\"err\\u006fr\"");
	user(&b, "{\"n\":7}");
	user(&b, "{\"n\":\"7\"}");
	user(&b, "hello");
	line(&b, "client", "{\"level\":\"err\\u006fr\"}");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 2, 2));
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_FAIL, 7, 4));
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_PASS, 5, 2));
	CU_ASSERT_TRUE(is(&b, 3, VERDICT_PASS, 6, 3));
	end(&b);
}

static void eventually(void)
{
	static const char properties[] = "  - {id: a, eventually: {node: client, exited: 0}, within: 10ms}\n"
					 "  - {id: b, eventually: {line: pong}, after: {line: ping}, within: 5ms}\n"
					 "  - {id: c, eventually: {line: pong}, after: {line: ping}}\n"
					 "  - {id: d, eventually: {line: never}}\n"
					 "  - {id: e, eventually: {line: pong}, after: {line: nothing}}\n";
	struct bench b = begin("", properties);
	line(&b, "client", "ping"); /* 1 ms */
	line(&b, "client", "ping");
	line(&b, "client", "pong"); /* 3 ms: answers both */
	line(&b, "client", "ping"); /* 4 ms */
	b.vtime_ns += 4000000;
	line(&b, "client", "pong");     /* 9 ms: just in time */
	exited(&b, "client", 0, false); /* 10 ms: just in time */
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 6, 1));
	CU_ASSERT_TRUE(result(&b, 0)->margin_used == 10000000 && result(&b, 0)->margin_of == 10000000);
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_PASS, 0, 3));
	CU_ASSERT_TRUE(result(&b, 1)->margin_used == 5000000 && strcmp(result(&b, 1)->margin_unit, "ns") == 0);
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_PASS, 0, 3) && !result(&b, 2)->margin_unit);
	CU_ASSERT_TRUE(is(&b, 3, VERDICT_FAIL, 0, 1));
	CU_ASSERT_STRING_EQUAL(result(&b, 3)->why, "no match came after the start of the run");
	CU_ASSERT_TRUE(is(&b, 4, VERDICT_UNEXERCISED, 0, 0));
	end(&b);

	b = begin("", properties);
	line(&b, "client", "ping");
	b.vtime_ns += 5000000;
	line(&b, "client", "pong"); /* 6 ms after: too late */
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_FAIL, 2, 1));
	CU_ASSERT_TRUE(result(&b, 1)->witness_count == 2 && result(&b, 1)->witnesses[0] == 1 && result(&b, 1)->witnesses[1] == 2);
	CU_ASSERT_STRING_EQUAL(result(&b, 1)->why, "no match came within 5ms of ev 1");
	CU_ASSERT_EQUAL(result(&b, 1)->margin_used, 6000000);
	line(&b, "client", "ping");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 0, 1)); /* 10 ms are not over, but nothing can come any more */
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_FAIL, 0, 2) && result(&b, 2)->witnesses[0] == 3);
	end(&b);
}

static void ordered(void)
{
	static const char properties[] = "  - {id: a, ordered: [one, two, three]}\n"
					 "  - {id: b, ordered: ['sent (?<n>\\d+)', 'echo (?<n>\\d+)'], each: n}\n";
	struct bench b = begin("", properties);
	line(&b, "client", "one");
	line(&b, "client", "sent 1");
	line(&b, "client", "two");
	line(&b, "client", "one");
	line(&b, "client", "sent 2");
	line(&b, "client", "echo 2");
	line(&b, "client", "sent 1");
	line(&b, "client", "three");
	line(&b, "client", "echo 1");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 8, 3));
	CU_ASSERT_TRUE(result(&b, 0)->witness_count == 3 && result(&b, 0)->witnesses[1] == 3);
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_PASS, 0, 4));
	end(&b);

	b = begin("", properties);
	line(&b, "client", "one");
	line(&b, "client", "sent 1");
	line(&b, "client", "echo 2"); /* of one that was not sent */
	line(&b, "client", "three");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 4, 2) && is(&b, 1, VERDICT_FAIL, 3, 2));
	end(&b);

	b = begin("", properties);
	line(&b, "client", "one");
	line(&b, "client", "sent 1");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_UNEXERCISED, 0, 1) && is(&b, 1, VERDICT_UNEXERCISED, 0, 1));
	CU_ASSERT_STRING_EQUAL(result(&b, 0)->why, "the matcher number 2 never matched");
	end(&b);
}

static void sets(void)
{
	static const char properties[] =
		"  - {id: a, checker: {set: {added: '^acked (\\S+)$', read: '^read (\\S+)$'}}}\n"
		"  - {id: b, checker: {set: {added: '^acked (\\S+)$', read: '^read (\\S+)$', lost: '^missing (\\S+)$'}}}\n"
		"  - {id: c, checker: {set: {added: '^acked (\\S+)$', read: '^read (\\S+)$', attempted: '^try (\\S+)$'}}}\n";
	struct bench b = begin("", properties);
	line(&b, "client", "try 1");
	line(&b, "client", "acked 1");
	line(&b, "client", "try 2");
	line(&b, "client", "acked 3"); /* ev 4 */
	line(&b, "client", "read 1");
	line(&b, "client", "read 2");    /* attempted, never acknowledged: may be there */
	line(&b, "client", "missing 9"); /* never added */
	CU_ASSERT_FALSE(result(&b, 1)->decided);
	line(&b, "client", "missing 3"); /* ev 8 */
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_FAIL, 8, 6));
	CU_ASSERT_TRUE(result(&b, 1)->witness_count == 2 && result(&b, 1)->witnesses[0] == 4 && result(&b, 1)->witnesses[1] == 8);
	CU_ASSERT_STRING_EQUAL(result(&b, 1)->why, "'3' was added (ev 4) and was not there (ev 8)");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 6, 4));
	CU_ASSERT_STRING_EQUAL(result(&b, 0)->why, "'3' was added (ev 4) and never read; 1 of 2 values are missing");
	CU_ASSERT_TRUE(result(&b, 0)->witnesses[0] == 4 && result(&b, 0)->witnesses[1] == 6);
	end(&b);

	b = begin("", properties);
	line(&b, "client", "acked 1");
	line(&b, "client", "read 1");
	line(&b, "client", "read \x1b[31m"); /* nobody tried */
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_FAIL, 3, 3));
	CU_ASSERT_STRING_EQUAL(result(&b, 2)->why, "'\\e[31m' was read (ev 3), but nobody had tried to add it");
	line(&b, "client", "acked 4"); /* after the last read: the end decides */
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 5, 4));
	end(&b);

	b = begin("", properties);
	line(&b, "client", "acked 1");
	line(&b, "client", "read 1");
	line(&b, "client", "read 2");
	line(&b, "client", "acked 1");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 0, 4));
	CU_ASSERT_STRING_EQUAL(result(&b, 0)->why, "1 values were read that were never added");
	end(&b);

	b = begin("", properties);
	line(&b, "client", "read 1"); /* before it was added: does not count as read later */
	line(&b, "client", "acked 1");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_FAIL, 3, 2));
	end(&b);

	b = begin("", properties);
	line(&b, "client", "acked 1");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_UNKNOWN, 0, 1));
	CU_ASSERT_STRING_EQUAL(result(&b, 0)->why, "1 values were added, but nothing was ever read");
	end(&b);

	b = begin("", properties);
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_UNEXERCISED, 0, 0));
	end(&b);
}

static void a_cut_run_leaves_things_open(void)
{
	static const char properties[] = "  - {id: a, always: {line: x}}\n"
					 "  - {id: b, never: {line: y}}\n"
					 "  - {id: c, sometimes: {line: y}}\n"
					 "  - {id: d, eventually: {line: y}}\n"
					 "  - {id: e, ordered: [x, y]}\n"
					 "  - {id: f, checker: {set: {added: '(x)', read: '(y)'}}}\n"
					 "  - {id: g, sometimes: {line: x}}\n";
	static const char *const cuts[] = {
		"vtime_limit", "event_limit", "byte_limit", "instruction_limit", "guest_panic", "agent_failed"};
	for (size_t i = 0; i <= sizeof cuts / sizeof *cuts; i++) {
		struct bench b = begin("", properties);
		line(&b, "client", "x");
		if (i < sizeof cuts / sizeof *cuts)
			run_end(&b, cuts[i]);
		else
			checks_finish(b.checks); /* without any end */
		for (size_t k = 0; k < 6; k++)
			CU_ASSERT_TRUE(result(&b, k)->verdict == VERDICT_UNKNOWN && strstr(result(&b, k)->why, "cut short"));
		CU_ASSERT_EQUAL(result(&b, 6)->verdict, VERDICT_PASS);
		CU_ASSERT_EQUAL(checks_verdict(b.checks), VERDICT_UNKNOWN);
		CU_ASSERT_EQUAL(verdict_exit_status(checks_verdict(b.checks)), 2);
		end(&b);
	}
	struct bench b = begin("until: {vtime: 50s}\n", properties);
	line(&b, "client", "x");
	run_end(&b, "vtime_limit"); /* here it is the planned end */
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 0, 1) && is(&b, 3, VERDICT_FAIL, 0, 1));
	end(&b);
}

/* When the run is over, what still runs is killed: that is no end of a server that anybody made a claim about. */
static void how_the_rest_is_ended_does_not_count(void)
{
	struct bench b = begin("",
		"  - {id: a, always: {node: server, exited: 0}}\n"
		"  - {id: b, eventually: {event: node.ready, node: server}, after: {event: node.exited, node: server}}\n"
		"  - {id: c, never: {line: late}}\n"
		"  - {id: d, sometimes: {fault: kill, stage: rejected}}\n");
	plain(&b, "server", EVENT_NODE_READY);
	exited(&b, "server", 0, false);
	plain(&b, "server", EVENT_NODE_READY);
	feed(&b, (struct event){.node = "", .kind = EVENT_RUN_ENDING, .reason = "done"});
	line(&b, "server", "late"); /* written before, read only now */
	exited(&b, "server", SIGKILL, true);
	fault(&b, "kill#1", EVENT_FAULT_REJECTED);
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_PASS, 0, 1));
	CU_ASSERT_TRUE(is(&b, 1, VERDICT_PASS, 0, 1));
	CU_ASSERT_TRUE(is(&b, 2, VERDICT_FAIL, 5, 1));
	CU_ASSERT_TRUE(is(&b, 3, VERDICT_PASS, 7, 1));
	end(&b);
}

static void too_much_work_is_unknown(void)
{
	struct bench b = begin("", "  - {id: a, never: {line: '^(a+)+$'}}\n  - {id: b, sometimes: {line: '^(a+)+$'}}\n");
	line(&b, "client", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	run_end(&b, "done");
	CU_ASSERT_TRUE(is(&b, 0, VERDICT_UNKNOWN, 1, 0) && is(&b, 1, VERDICT_UNKNOWN, 1, 0));
	CU_ASSERT_PTR_NOT_NULL(strstr(result(&b, 0)->why, "too much work"));
	end(&b);
}

static void assertions_of_sdks(void)
{
	struct bench b = begin("", "  - {id: a, never: {line: y}}\n");
#define ASSERT(type, id, must, hit, cond) \
	"{\"antithesis_assert\":{\"hit\":" hit ",\"must_hit\":" must ",\"assert_type\":\"" type "\",\"condition\":" cond \
	",\"id\":\"" id "\"}}"
	user(&b, "{\"antithesis_setup\":{\"status\":\"complete\"}}");
	user(&b, ASSERT("always", "a", "true", "false", "false"));  /* declared */
	user(&b, ASSERT("always", "b", "true", "false", "false"));  /* never reached */
	user(&b, ASSERT("always", "c", "false", "false", "false")); /* need not be reached */
	user(&b, ASSERT("sometimes", "d", "true", "true", "false"));
	user(&b, ASSERT("reachability", "e", "true", "true", "true"));
	user(&b, ASSERT("reachability", "f", "false", "false", "false"));
	user(&b, ASSERT("reachability", "g", "false", "true", "false"));
	user(&b, ASSERT("always", "a", "true", "true", "true"));
	user(&b, ASSERT("always", "a", "true", "true", "false")); /* ev 10 */
	user(&b, ASSERT("sometimes", "d", "true", "true", "true"));
	user(&b, ASSERT("sometimes", "h", "true", "true", "false"));
	user(&b, "{\"antithesis_assert\":{\"assert_type\":\"sideways\",\"id\":\"x\"}}");
	user(&b, "{\"antithesis_assert\":7}");
	user(&b, "\"antithesis_assert\" {");
	line(&b, "client", "x");
	run_end(&b, "done");
	CU_ASSERT_EQUAL_FATAL(checks_count(b.checks), 9);
	static const struct {
		const char *id, *type;
		enum verdict verdict;
		uint64_t at, evaluations;
	} wanted[] = {{"a", "never", VERDICT_PASS, 0, 1}, {"sdk:a", "always", VERDICT_FAIL, 10, 2},
		{"sdk:b", "always", VERDICT_UNEXERCISED, 0, 0}, {"sdk:c", "always", VERDICT_PASS, 0, 0},
		{"sdk:d", "sometimes", VERDICT_PASS, 11, 2}, {"sdk:e", "reachable", VERDICT_PASS, 6, 1},
		{"sdk:f", "unreachable", VERDICT_PASS, 0, 0}, {"sdk:g", "unreachable", VERDICT_FAIL, 8, 1},
		{"sdk:h", "sometimes", VERDICT_UNEXERCISED, 0, 1}};
	for (size_t i = 0; i < 9; i++) {
		CU_ASSERT_TRUE(is(&b, i, wanted[i].verdict, wanted[i].at, wanted[i].evaluations));
		CU_ASSERT_STRING_EQUAL(result(&b, i)->id, wanted[i].id);
		CU_ASSERT_STRING_EQUAL(result(&b, i)->type, wanted[i].type);
	}
	end(&b);

	b = begin("", "  - {id: a, never: {line: y}}\n");
	for (int i = 0; i < CHECK_SDK_MAX + 5; i++) {
		char *text = mem_printf(ASSERT("always", "n%d", "true", "true", "true"), i);
		user(&b, text);
		free(text);
	}
	line(&b, "client", "x");
	run_end(&b, "done");
	CU_ASSERT_EQUAL(checks_count(b.checks), 1 + CHECK_SDK_MAX + 1);
	CU_ASSERT_EQUAL(checks_verdict(b.checks), VERDICT_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(result(&b, 1 + CHECK_SDK_MAX)->id, "sdk");
	end(&b);
}

static void the_file(void)
{
	struct bench b = begin("", "  - {id: a, never: {line: y}}\n  - {id: b, eventually: {line: y}, within: 10ms}\n");
	struct buf out = {0};
	line(&b, "client", "y\"");
	run_end(&b, "done");
	checks_write(b.checks, &out);
	CU_ASSERT_STRING_EQUAL(out.data,
		"{\"polecat_properties\":1,\"verdict\":\"fail\",\"properties\":["
		"{\"id\":\"a\",\"type\":\"never\",\"verdict\":\"fail\",\"decided_at\":1,\"evaluations\":1,\"why\":\"ev 1 "
		"('y\\\"') matches\",\"witnesses\":[1],"
		"\"margin\":null,\"line\":9,\"column\":5},"
		"{\"id\":\"b\",\"type\":\"eventually\",\"verdict\":\"pass\",\"decided_at\":1,\"evaluations\":1,\"why\":\"\","
		"\"witnesses\":[1],"
		"\"margin\":{\"used\":1000000,\"of\":10000000,\"unit\":\"ns\"},\"line\":10,\"column\":5}]}\n");
	buf_free(&out);
	end(&b);
}

const struct test suite_check[] = {
	{"always and never", always_and_never},
	{"where compares groups", where_compares_groups},
	{"sometimes and nth", sometimes_and_nth},
	{"JSON lines", json_lines},
	{"eventually", eventually},
	{"ordered", ordered},
	{"sets", sets},
	{"a cut run leaves things open", a_cut_run_leaves_things_open},
	{"how the rest is ended does not count", how_the_rest_is_ended_does_not_count},
	{"too much work is unknown", too_much_work_is_unknown},
	{"assertions of SDKs", assertions_of_sdks},
	{"the file", the_file},
	{0},
};
