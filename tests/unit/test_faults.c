/* The life of faults: triggers, delays, targets that do not run, chains, ends. The nodes are made up; a node's control group is a
 * directory of plain files, in which one sees what was asked of the kernel. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/faults.h"
#include "agent/replan.h"
#include "agent/trouble_process.h"
#include "unit.h"

#define AN_HOUR_NS 3600000000000u

enum { REGION = OUTBOX_HEADER + 4 * OUTBOX_RESERVE, LOG_MAX = 4096 };

struct world {
	struct outbox outbox;
	struct mission mission;
	struct node nodes[2];
	struct faults faults;
	char dir[32];
	uint8_t *region;
	uint64_t read;
	char log[LOG_MAX]; /* what take_log found last */
};

static void no_ring(uint8_t byte)
{
	(void)byte;
}

static struct world *world_create(void)
{
	struct why why;
	struct world *w = calloc(1, sizeof *w);
	w->region = calloc(1, REGION);
	CU_ASSERT_FATAL(outbox_init(&w->outbox, w->region, REGION, no_ring, abort, &why));
	strcpy(w->dir, "/tmp/polecat-faults-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(w->dir));
	int dir = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(openat(dir, "cgroup.kill", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	close(openat(dir, "cgroup.freeze", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	w->mission.node_count = 2;
	for (size_t i = 0; i < 2; i++) {
		w->nodes[i] = (struct node){
			.index = i, .outbox = &w->outbox, .state = NODE_RUNNING, .invocation = 1, .cgroup.dir = dir};
		w->nodes[i].launch.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	}
	return w;
}

static void world_destroy(struct world *w)
{
	unlinkat(w->nodes[0].cgroup.dir, "cgroup.kill", 0);
	unlinkat(w->nodes[0].cgroup.dir, "cgroup.freeze", 0);
	rmdir(w->dir);
	close(w->nodes[0].cgroup.dir);
	close(w->nodes[0].launch.pidfd);
	close(w->nodes[1].launch.pidfd);
	free(w->region);
	free(w);
}

/* Adds a fault of node 0. SIGCONT does nothing to the process that runs this test. */
static struct mission_trouble *add(struct world *w, const char *kind, const char *param)
{
	struct mission_trouble *t = &w->mission.troubles[w->mission.trouble_count++];
	strcpy(t->kind, kind);
	t->params[0] = param;
	return t;
}

static void begin(struct world *w)
{
	faults_begin(&w->faults, &w->mission, w->nodes, &w->outbox);
}

/* The stages since the last look: "0:selected 1:rejected(no such ...) ". */
static const char *take_log(struct world *w)
{
	static const char *const names[] = {"selected", "applied", "rejected", "observed", "healed"};
	size_t used, size = 0;
	w->log[0] = 0;
	for (; w->read < w->outbox.tail; w->read += used) {
		struct wire_message m;
		enum wire_result result = wire_decode(w->region + OUTBOX_HEADER + w->read, w->outbox.tail - w->read, &m, &used);
		CU_ASSERT_FATAL(result == WIRE_OK && m.type == WIRE_FAULT && m.code < 5);
		size += (size_t)snprintf(w->log + size, sizeof w->log - size, "%d:%s", (int)m.fault, names[m.code]);
		if (m.bytes.size)
			size += (size_t)snprintf(
				w->log + size, sizeof w->log - size, "(%.*s)", (int)m.bytes.size, (const char *)m.bytes.data);
		size += (size_t)snprintf(w->log + size, sizeof w->log - size, " ");
	}
	return w->log;
}

#define SAYS(w, text) CU_ASSERT_STRING_EQUAL(take_log(w), text)

static char cgroup_says(const struct world *w, const char *name)
{
	char c = '-';
	int fd = openat(w->nodes[0].cgroup.dir, name, O_RDONLY | O_CLOEXEC);
	if (read(fd, &c, 1) != 1)
		c = '-';
	close(fd);
	return c;
}

static void exits(struct world *w, struct node *n, int status)
{
	n->state = NODE_ENDING;
	n->status = status;
	n->exits++;
	faults_happened(&w->faults, n, NODE_EXITED);
}

static void starts(struct world *w, struct node *n)
{
	n->state = NODE_RUNNING;
	n->invocation++;
	n->starts++;
	faults_happened(&w->faults, n, NODE_STARTED);
	n->readies++;
	faults_happened(&w->faults, n, NODE_READY);
}

static void a_line_kills_a_node(void)
{
	struct world *w = world_create();
	struct mission_trouble *t = add(w, "kill", NULL);
	t->trigger = WIRE_LINES;
	t->trigger_of = 1;
	t->trigger_value = 3;
	begin(w);
	SAYS(w, "0:selected ");
	CU_ASSERT_EQUAL(w->nodes[1].line_stop, 3);
	CU_ASSERT_EQUAL(w->nodes[0].line_stop, NODE_NEVER);
	CU_ASSERT_EQUAL(cgroup_says(w, "cgroup.kill"), '-');
	w->nodes[1].lines = 3;
	faults_line(&w->faults, &w->nodes[1]);
	SAYS(w, "0:applied ");
	CU_ASSERT_EQUAL(cgroup_says(w, "cgroup.kill"), '1');
	CU_ASSERT_EQUAL(w->nodes[1].line_stop, NODE_NEVER);
	CU_ASSERT_TRUE(w->nodes[0].struck);
	exits(w, &w->nodes[0], SIGKILL);
	SAYS(w, "0:observed ");
	starts(w, &w->nodes[1]); /* another node's start heals nothing */
	SAYS(w, "");
	starts(w, &w->nodes[0]);
	SAYS(w, "0:healed ");
	faults_end(&w->faults);
	SAYS(w, "");
	world_destroy(w);
}

static void an_exit_of_another_kind_is_told(void)
{
	struct world *w = world_create();
	add(w, "kill", "signal=SIGCONT")->trigger = WIRE_ON_READY;
	w->mission.troubles[0].trigger_nth = 1;
	begin(w);
	w->nodes[0].readies = 1;
	faults_happened(&w->faults, &w->nodes[0], NODE_READY);
	SAYS(w, "0:selected 0:applied ");
	exits(w, &w->nodes[0], 7 << 8);
	SAYS(w, "0:observed(it exited with status 7) ");
	world_destroy(w);
}

static void chains_go_both_ways_through_the_list(void)
{
	struct world *w = world_create();
	const char *cont = "signal=18";
	struct mission_trouble *first = add(w, "kill", cont), *second = add(w, "kill", cont), *third = add(w, "kill", cont);
	first->trigger = WIRE_AFTER;
	first->trigger_of = 1;
	first->trigger_value = WIRE_APPLIED;
	second->trigger = WIRE_ON_EXIT;
	second->trigger_of = 1;
	second->trigger_nth = 2;
	third->trigger = WIRE_AFTER;
	third->trigger_of = 0;
	third->trigger_value = WIRE_APPLIED;
	begin(w);
	SAYS(w, "0:selected 1:selected 2:selected ");
	exits(w, &w->nodes[1], 0);
	SAYS(w, "");
	exits(w, &w->nodes[1], 0);
	SAYS(w, "1:applied 0:applied 2:applied ");
	world_destroy(w);
}

static void a_delay_is_waited(void)
{
	struct world *w = world_create();
	struct mission_trouble *t = add(w, "kill", "signal=CONT");
	t->trigger = WIRE_AT;
	t->trigger_value = 1000;
	t->delay_ns = 500;
	begin(w);
	CU_ASSERT_EQUAL(faults_due_ns(&w->faults), 1500);
	faults_tick(&w->faults, 1499);
	SAYS(w, "0:selected ");
	faults_tick(&w->faults, 1500);
	SAYS(w, "0:applied ");
	CU_ASSERT_EQUAL(faults_due_ns(&w->faults), TROUBLE_NEVER);
	world_destroy(w);
}

static void a_target_that_does_not_run_is_waited_for(void)
{
	struct world *w = world_create();
	add(w, "kill", "signal=CONT");
	w->nodes[0].state = NODE_RESTARTING;
	begin(w);
	faults_tick(&w->faults, 0);
	SAYS(w, "0:selected ");
	CU_ASSERT_EQUAL(faults_due_ns(&w->faults), TROUBLE_NEVER);
	starts(w, &w->nodes[0]);
	SAYS(w, "0:applied ");
	CU_ASSERT_EQUAL(w->faults.list[0].invocation, 2);
	world_destroy(w);
}

static void stops_overlap(void)
{
	struct world *w = world_create();
	add(w, "stop", NULL)->for_ns = AN_HOUR_NS;
	add(w, "stop", NULL);
	begin(w);
	faults_tick(&w->faults, 0);
	SAYS(w, "0:selected 1:selected 0:applied 1:applied ");
	CU_ASSERT_EQUAL(cgroup_says(w, "cgroup.freeze"), '1');
	faults_happened(&w->faults, &w->nodes[0], NODE_FROZEN);
	SAYS(w, "0:observed 1:observed ");
	/* The first is over, the second is for ever: still frozen, until the invocation ends. */
	faults_tick(&w->faults, UINT64_MAX - 1);
	CU_ASSERT_EQUAL(cgroup_says(w, "cgroup.freeze"), '1');
	faults_happened(&w->faults, &w->nodes[0], NODE_FROZEN);
	SAYS(w, "");
	exits(w, &w->nodes[0], SIGKILL);
	SAYS(w, "0:healed(the invocation ended) 1:healed(the invocation ended) ");
	CU_ASSERT_EQUAL(cgroup_says(w, "cgroup.freeze"), '0');
	CU_ASSERT_EQUAL(w->nodes[0].freezers, 0);
	world_destroy(w);
}

static void a_stop_ends_in_time(void)
{
	struct world *w = world_create();
	add(w, "stop", NULL)->for_ns = AN_HOUR_NS;
	begin(w);
	faults_tick(&w->faults, 0);
	faults_happened(&w->faults, &w->nodes[0], NODE_FROZEN);
	SAYS(w, "0:selected 0:applied 0:observed ");
	faults_happened(&w->faults, &w->nodes[0], NODE_THAWED); /* not asked for yet */
	faults_tick(&w->faults, UINT64_MAX - 1);
	CU_ASSERT_EQUAL(cgroup_says(w, "cgroup.freeze"), '0');
	SAYS(w, "");
	faults_happened(&w->faults, &w->nodes[0], NODE_THAWED);
	SAYS(w, "0:healed ");
	world_destroy(w);
}

static void what_cannot_be_is_rejected(void)
{
	struct world *w = world_create();
	add(w, "frob", NULL);
	add(w, "kill", "signal=SIGFOO");
	add(w, "restart", "grace_ns=soon");
	add(w, "kill", NULL)->trigger = WIRE_ON_START; /* the zeroth start never comes */
	struct mission_trouble *late = add(w, "kill", NULL);
	late->trigger_value = UINT64_MAX / 2;
	begin(w);
	SAYS(w,
		"0:selected 0:rejected(this agent knows no fault 'frob') 1:selected 1:rejected(there is no signal 'SIGFOO') "
		"2:selected 2:rejected(grace_ns is 'soon': expected a number) 3:selected 4:selected ");
	faults_end(&w->faults);
	SAYS(w, "3:rejected(its trigger never came) 4:rejected(the run ended before it was due) ");
	world_destroy(w);
	w = world_create();
	add(w, "kill", NULL);
	unlinkat(w->nodes[0].cgroup.dir, "cgroup.kill", 0);
	add(w, "kill", NULL)->node = 1;
	w->nodes[1].state = NODE_DOWN;
	begin(w);
	faults_tick(&w->faults, 0);
	SAYS(w, "0:selected 1:selected 0:rejected(opening cgroup.kill) ");
	faults_end(&w->faults);
	SAYS(w, "1:rejected(the target was not running) ");
	world_destroy(w);
}

/* The request of a fork: a RUN frame and these faults. */
static size_t request_of(uint8_t *out, size_t room, const struct wire_message *faults, size_t count)
{
	struct wire_message run = {.type = WIRE_RUN, .value = WIRE_VERSION};
	size_t size = wire_encode(&run, out, room);
	for (size_t i = 0; i < count; i++)
		size += wire_encode(&faults[i], out + size, room - size);
	return size;
}

static struct wire_message kill_at_line(uint64_t fault, uint64_t line)
{
	static const uint8_t kind[] = "kill";
	return (struct wire_message){.type = WIRE_TROUBLE,
		.fault = fault,
		.bytes = {kind, 4},
		.trigger = WIRE_LINES,
		.trigger_value = line,
		.trigger_of = 1};
}

/* Two faults, of which the first is applied; then a fork. */
static struct world *world_of_two(void)
{
	struct world *w = world_create();
	for (uint64_t line = 3; line <= 6; line += 3) {
		struct mission_trouble *t = add(w, "kill", NULL);
		t->trigger = WIRE_LINES;
		t->trigger_of = 1;
		t->trigger_value = line;
	}
	begin(w);
	w->nodes[1].lines = 3;
	faults_line(&w->faults, &w->nodes[1]);
	SAYS(w, "0:selected 1:selected 0:applied ");
	CU_ASSERT_EQUAL(w->nodes[1].line_stop, 6);
	return w;
}

static void a_fork_has_other_faults(void)
{
	struct world *w = world_of_two();
	struct why why = {0};
	uint8_t request[512];
	struct wire_message faults[] = {kill_at_line(1, 5), kill_at_line(2, 2), kill_at_line(3, 9)};
	size_t size = request_of(request, sizeof request, faults, 3);
	CU_ASSERT(replan_is(request, size));
	CU_ASSERT(replan_do(request, size, &w->mission, &w->faults, &why));
	SAYS(w, "1:selected 2:selected 3:selected 2:rejected(what it waits for lies before the fork) ");
	CU_ASSERT_EQUAL(w->mission.trouble_count, 4);
	CU_ASSERT_EQUAL(w->nodes[1].line_stop, 5);
	w->nodes[1].lines = 5;
	faults_line(&w->faults, &w->nodes[1]);
	SAYS(w, "1:applied ");
	w->nodes[1].lines = 6; /* the old one's */
	faults_line(&w->faults, &w->nodes[1]);
	SAYS(w, "");
	CU_ASSERT_EQUAL(w->nodes[1].line_stop, 9);
	world_destroy(w);
	/* No other faults: what was open is rejected, what was applied lives on. */
	w = world_of_two();
	size = request_of(request, sizeof request, NULL, 0);
	CU_ASSERT(replan_do(request, size, &w->mission, &w->faults, &why));
	SAYS(w, "1:rejected(the other seed's plan has no such fault) ");
	exits(w, &w->nodes[0], SIGKILL);
	SAYS(w, "0:observed ");
	world_destroy(w);
}

static void bad_requests_change_nothing(void)
{
	struct world *w = world_of_two();
	uint8_t request[512];
	struct wire_message after = kill_at_line(1, 0);
	after.trigger = WIRE_AFTER;
	after.trigger_of = 2;
	const struct wire_message bad[][2] = {
		{kill_at_line(1, 5), kill_at_line(0, 9)}, /* applied */
		{kill_at_line(1, 5), kill_at_line(1, 9)}, /* twice */
		{kill_at_line(1, 5), kill_at_line(3, 9)}, /* 2 is missing */
		{kill_at_line(1, 5), {.type = WIRE_VISIT}},
		{after, {.type = WIRE_RUN, .value = 1}},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct why why = {0};
		size_t size = request_of(request, sizeof request, bad[i], 2);
		CU_ASSERT_FALSE(replan_do(request, size, &w->mission, &w->faults, &why));
		CU_ASSERT(why.text[0] != '\0');
	}
	struct why why = {0};
	size_t size = request_of(request, sizeof request, &after, 1); /* of a fault that there is not */
	CU_ASSERT_FALSE(replan_do(request, size, &w->mission, &w->faults, &why));
	/* Cut anywhere but between two frames. */
	struct wire_message faults[] = {kill_at_line(1, 5), kill_at_line(2, 7)};
	size = request_of(request, sizeof request, faults, 2);
	size_t first = request_of(request, sizeof request, NULL, 0), second = request_of(request, sizeof request, faults, 1);
	request_of(request, sizeof request, faults, 2);
	for (size_t cut = 0; cut < size; cut++) {
		CU_ASSERT_EQUAL(replan_is(request, cut), cut >= first);
		if (cut >= first && cut != first && cut != second)
			CU_ASSERT_FALSE(replan_do(request, cut, &w->mission, &w->faults, &why));
	}
	CU_ASSERT_EQUAL(w->mission.trouble_count, 2);
	CU_ASSERT_EQUAL(w->nodes[1].line_stop, 6);
	SAYS(w, "");
	world_destroy(w);
}

static void signals_have_names_and_numbers(void)
{
	CU_ASSERT_EQUAL(trouble_signal_number("SIGKILL"), SIGKILL);
	CU_ASSERT_EQUAL(trouble_signal_number("TERM"), SIGTERM);
	CU_ASSERT_EQUAL(trouble_signal_number("SIGSYS"), SIGSYS);
	CU_ASSERT_EQUAL(trouble_signal_number("19"), SIGSTOP);
	for (const char *const *bad = (const char *const[]){"", "0", "65", "-9", "9x", "SIG", "SIG9", "kill", NULL}; *bad; bad++)
		CU_ASSERT_EQUAL(trouble_signal_number(*bad), 0);
}

const struct test suite_faults[] = {
	{"a line kills a node", a_line_kills_a_node},
	{"an exit of another kind is told", an_exit_of_another_kind_is_told},
	{"chains go both ways through the list", chains_go_both_ways_through_the_list},
	{"a delay is waited", a_delay_is_waited},
	{"a target that does not run is waited for", a_target_that_does_not_run_is_waited_for},
	{"stops overlap", stops_overlap},
	{"a stop ends in time", a_stop_ends_in_time},
	{"what cannot be is rejected", what_cannot_be_is_rejected},
	{"a fork has other faults", a_fork_has_other_faults},
	{"bad requests change nothing", bad_requests_change_nothing},
	{"signals have names and numbers", signals_have_names_and_numbers},
	{0},
};
