#include "agent/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	BATCH = 64,
	/* epoll tags after those of the nodes */
	TAG_TIMER = WIRE_NODES_MAX * NODE_SOURCES,
	TAG_SIGNALS,
	TAG_VISIT,
	SETTLE_NS = 100000000, /* virtual time for what was made before the barrier to come to rest */
};

/* ---- before the barrier ------------------------------------------------------------------------------------- */

static void add(struct run *run, int fd, uint64_t tag, uint32_t events)
{
	struct epoll_event e = {.events = events, .data = {.u64 = tag}};
	if (fd < 0 || epoll_ctl(run->epoll, EPOLL_CTL_ADD, fd, &e) != 0)
		outbox_fatal(run->outbox, errno, "watching descriptor %d", (int)tag);
}

static void open_sources(struct run *run)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);
	run->epoll = epoll_create1(EPOLL_CLOEXEC);
	run->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (run->epoll < 0 || sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		outbox_fatal(run->outbox, errno, "setting up the loop");
	run->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	add(run, run->timer, TAG_TIMER, EPOLLIN);
	add(run, run->signals, TAG_SIGNALS, EPOLLIN);
}

static void happened(void *data, struct node *n, enum node_happening what)
{
	struct run *run = data;
	faults_happened(&run->faults, n, what);
}

static void line(void *data, struct node *n)
{
	struct run *run = data;
	faults_line(&run->faults, n);
}

static void serve(struct run *run, int timeout_ms);

static void prepare_node(struct run *run, size_t i, int netns, int events)
{
	struct why why;
	struct node *n = &run->nodes[i];
	n->index = i;
	n->spec = run->spec;
	n->mission = run->mission;
	n->outbox = run->outbox;
	n->watch = (struct node_watch){happened, line, run};
	n->epoll = run->epoll;
	n->netns = netns;
	n->events = events;
	if (!cgroup_make(i, &n->cgroup, &why) || !node_prepare(n, &why))
		outbox_fatal(run->outbox, why.errnum, "node %zu: %s", i, why.text);
	add(run, events, i * NODE_SOURCES + NODE_USER, EPOLLIN);
	add(run, n->cgroup.events, i * NODE_SOURCES + NODE_CGROUP, EPOLLPRI);
	add(run, n->cgroup.oom, i * NODE_SOURCES + NODE_OOM, EPOLLPRI);
}

void run_prepare(struct run *run, const struct spec *spec, struct mission *mission, struct outbox *outbox, const int *netns,
	const int *events)
{
	struct timespec settle = {.tv_nsec = SETTLE_NS};
	run->spec = spec;
	run->mission = mission;
	run->outbox = outbox;
	open_sources(run);
	run->faults.closed = true; /* until there are orders */
	for (size_t i = 0; i < spec->count; i++)
		prepare_node(run, i, netns[i], events[i]);
	for (size_t i = 0; i < spec->count; i++)
		while (!run->nodes[i].launch.main)
			serve(run, -1);
	struct why why;
	run->visit = (struct visit){.spec = spec,
		.nodes = run->nodes,
		.outbox = outbox,
		.mission = mission,
		.faults = &run->faults,
		.epoll = run->epoll,
		.tag = TAG_VISIT};
	if (!visit_prepare(&run->visit, &why))
		outbox_fatal(outbox, why.errnum, "%s", why.text);
	nanosleep(&settle, NULL);
	serve(run, 0);
}

/* ---- the loop ----------------------------------------------------------------------------------------------- */

static int by_tag(const void *a, const void *b)
{
	uint64_t x = ((const struct epoll_event *)a)->data.u64, y = ((const struct epoll_event *)b)->data.u64;
	return x < y ? -1 : x > y;
}

static void reap(struct run *run)
{
	struct signalfd_siginfo info;
	pid_t pids[WIRE_NODES_MAX];
	size_t count = 0;
	while (read(run->signals, &info, sizeof info) == sizeof info)
		continue;
	while (count < WIRE_NODES_MAX && (pids[count] = waitpid(-1, NULL, WNOHANG)) > 0)
		count++;
	for (size_t i = 0; i < run->spec->count; i++)
		for (size_t k = 0; k < count; k++)
			if (node_reaped(&run->nodes[i], pids[k]))
				break;
}

/* Handles what is ready, in an order of ours: by node, then by source. */
static void serve(struct run *run, int timeout_ms)
{
	struct epoll_event ready[BATCH];
	uint64_t ticks;
	int count = epoll_wait(run->epoll, ready, BATCH, timeout_ms);
	if (count < 0 && errno != EINTR)
		outbox_fatal(run->outbox, errno, "waiting for something to happen");
	if (run->faults.mission)
		visit_look(&run->visit);
	if (count > 1)
		qsort(ready, (size_t)count, sizeof *ready, by_tag);
	for (int i = 0; i < count; i++) {
		uint64_t tag = ready[i].data.u64;
		if (tag < TAG_TIMER)
			node_serve(&run->nodes[tag / NODE_SOURCES], (enum node_source)(tag % NODE_SOURCES));
		else if (tag == TAG_SIGNALS)
			reap(run);
		else if (tag >= TAG_VISIT)
			visit_serve(&run->visit, (enum visit_source)(tag - TAG_VISIT));
		else if (read(run->timer, &ticks, sizeof ticks) > 0)
			run->armed_ns = NODE_NEVER;
	}
	visit_outlive(&run->visit);
}

static void set_timer(struct run *run, uint64_t due_ns)
{
	struct itimerspec at = {0};
	if (due_ns == run->armed_ns)
		return;
	run->armed_ns = due_ns;
	if (due_ns != NODE_NEVER) {
		uint64_t ns = run->outbox->epoch_ns + due_ns;
		at.it_value = (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
	}
	if (timerfd_settime(run->timer, TFD_TIMER_ABSTIME, &at, NULL) != 0)
		outbox_fatal(run->outbox, errno, "setting the timer");
}

/* For the earliest of what tick will do. */
static void arm(struct run *run)
{
	uint64_t due = faults_due_ns(&run->faults);
	/* Which does not end a visit; a timer that has run out already would wake us for ever. */
	bool limited = run->mission->limit_ns && run->visit.state != VISIT_GOING && !visit_is_asked(&run->visit);
	if (limited && run->mission->limit_ns < due)
		due = run->mission->limit_ns;
	for (size_t i = 0; i < run->mission->node_count; i++) {
		uint64_t one = node_due_ns(&run->nodes[i]);
		if (one < due)
			due = one;
	}
	set_timer(run, due);
}

static void tick(struct run *run)
{
	uint64_t now = outbox_now_ns(run->outbox);
	faults_tick(&run->faults, now);
	for (size_t i = 0; i < run->mission->node_count; i++)
		node_tick(&run->nodes[i], now);
}

/* Nodes whose first start waits for others, which are all ready now. */
static void launch_waiting(struct run *run)
{
	uint64_t ready = 0;
	for (size_t i = 0; i < run->mission->node_count; i++)
		if (run->nodes[i].readies)
			ready |= (uint64_t)1 << i;
	for (size_t i = 0; i < run->mission->node_count; i++)
		if (run->nodes[i].state == NODE_WAITING && !(run->nodes[i].own->wait & ~ready))
			node_launch(&run->nodes[i]);
}

/* ---- the end ------------------------------------------------------------------------------------------------ */

static bool is_over(const struct run *run, enum wire_end *ret)
{
	uint64_t wait = run->mission->wait, down = 0;
	bool live = false;
	for (size_t i = 0; i < run->mission->node_count; i++) {
		if (run->nodes[i].state == NODE_DOWN)
			down |= (uint64_t)1 << i;
		live = live || node_is_live(&run->nodes[i]);
	}
	if (run->outbox->full)
		*ret = WIRE_END_BYTES;
	else if (run->visit.state == VISIT_GOING || visit_is_asked(&run->visit))
		return false; /* whatever the nodes do meanwhile */
	else if (wait && !(wait & ~down))
		*ret = WIRE_END_DONE;
	else if (run->mission->limit_ns && outbox_now_ns(run->outbox) >= run->mission->limit_ns)
		*ret = WIRE_END_VTIME;
	else if (!live)
		*ret = WIRE_END_STALLED; /* faults act on what runs, and nothing runs or is going to */
	else
		return false;
	return true;
}

/* Everything that runs is killed, but not before it has started: a launch that has begun ends soon, one way or the other. */
static void kill_all(struct run *run)
{
	struct why why;
	for (size_t i = 0; i < run->mission->node_count; i++) {
		struct node *n = &run->nodes[i];
		n->must_not = true;
		if (n->state == NODE_RESTARTING)
			n->state = NODE_DOWN;
		if (n->state == NODE_RUNNING && !n->doomed) {
			n->doomed = true;
			if (!cgroup_kill(&n->cgroup, &why))
				outbox_fatal(run->outbox, why.errnum, "node %zu: %s", i, why.text);
		}
	}
}

static bool any_live(const struct run *run)
{
	for (size_t i = 0; i < run->mission->node_count; i++)
		if (node_is_live(&run->nodes[i]))
			return true;
	return false;
}

static void kill_nodes(struct run *run)
{
	/* A visitor waits until they are dead: their killing would be its own. */
	run->visit.closed = true;
	for (kill_all(run); any_live(run); kill_all(run))
		serve(run, -1);
	run->visit.closed = false;
}

/* A visitor may come as late as can be; what is left of the nodes stays as it is while it is there. True when one was. */
static bool receive(struct run *run)
{
	visit_look(&run->visit);
	while ((run->visit.state == VISIT_GOING || visit_is_asked(&run->visit)) && !run->outbox->full)
		serve(run, -1);
	return run->visit.state == VISIT_OVER;
}

static void say_end(struct run *run, const char *text)
{
	struct wire_message m = {.type = WIRE_END, .code = run->end, .bytes = {(const uint8_t *)text, strlen(text)}};
	outbox_send(run->outbox, &m);
}

/* A fork that was made for one visit: nobody is interested in how its nodes would end. */
static void leave(struct run *run)
{
	run->end = WIRE_END_DONE;
	say_end(run, "the visit is over");
}

static void finish(struct run *run)
{
	struct wire_message ending = {.type = WIRE_ENDING, .code = run->end};
	outbox_send(run->outbox, &ending);
	run->faults.closed = true;
	/* Nothing is done by time any more; a timer for it would keep us, who have precedence, from ever letting anything end. */
	set_timer(run, NODE_NEVER);
	bool visited = receive(run);
	if (!visited) {
		visit_leave(&run->visit, SIGKILL); /* there is no room for what it writes */
		kill_nodes(run);
		faults_end(&run->faults);
		visited = !run->outbox->full && receive(run);
	}
	if (visited) {
		leave(run);
		return;
	}
	say_end(run, run->end == WIRE_END_STALLED ? "no node runs or is going to" : "");
}

static bool goes_on(struct run *run)
{
	visit_look(&run->visit);
	return (run->visit.state != VISIT_OVER || visit_is_asked(&run->visit)) && !is_over(run, &run->end);
}

void run_do(struct run *run)
{
	struct wire_message m = {.type = WIRE_BEGIN, .bytes = {run->mission->digest, sizeof run->mission->digest}};
	outbox_send(run->outbox, &m);
	for (size_t i = 0; i < run->mission->node_count; i++)
		node_begin(&run->nodes[i]);
	run->armed_ns = NODE_NEVER;
	faults_begin(&run->faults, run->mission, run->nodes, run->outbox);
	launch_waiting(run);
	while (goes_on(run)) {
		tick(run);
		launch_waiting(run);
		arm(run);
		serve(run, -1);
	}
	if (run->visit.state == VISIT_OVER)
		leave(run);
	else
		finish(run);
}
