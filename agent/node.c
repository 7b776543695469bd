#include "agent/node.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/ready.h"

/* ---- descriptors in epoll ---------------------------------------------------------------------------------- */

static void watch_fd(struct node *n, int fd, enum node_source source, uint32_t events)
{
	struct epoll_event e = {.events = events, .data = {.u64 = n->index * NODE_SOURCES + source}};
	if (epoll_ctl(n->epoll, EPOLL_CTL_ADD, fd, &e) != 0)
		outbox_fatal(n->outbox, errno, "node %zu: watching source %d", n->index, (int)source);
}

static void unwatch_fd(struct node *n, int fd)
{
	if (epoll_ctl(n->epoll, EPOLL_CTL_DEL, fd, NULL) != 0)
		outbox_fatal(n->outbox, errno, "node %zu: no longer watching a descriptor", n->index);
}

/* To close a watched descriptor is not enough: a process made a moment ago may still have its copy, and epoll would go on. */
static void drop_fd(struct node *n, int *fd)
{
	if (*fd < 0)
		return;
	unwatch_fd(n, *fd);
	close(*fd);
	*fd = -1;
}

/* ---- frames ------------------------------------------------------------------------------------------------ */

static struct wire_message frame(const struct node *n, enum wire_type type)
{
	return (struct wire_message){.type = type, .node = n->index, .invocation = n->invocation};
}

static void send_output(struct node *n, unsigned which, const uint8_t *data, size_t size)
{
	struct stream *s = &n->streams[which];
	struct wire_message m = frame(n, WIRE_OUTPUT);
	if (!size)
		return;
	m.stream = which + 1;
	m.offset = s->total;
	m.sequence = n->sequence++;
	m.bytes = (struct wire_bytes){data, size};
	stream_account(s, data, size);
	outbox_send(n->outbox, &m);
}

static void send_exited(struct node *n)
{
	uint8_t out[WIRE_DIGEST_SIZE], err[WIRE_DIGEST_SIZE];
	struct wire_message m = frame(n, WIRE_EXITED);
	bool by_signal = WIFSIGNALED(n->status);
	m.code = by_signal ? WIRE_BY_SIGNAL : WIRE_BY_EXIT;
	m.value = (uint64_t)(by_signal ? WTERMSIG(n->status) : WEXITSTATUS(n->status));
	m.out_total = n->streams[0].total;
	m.err_total = n->streams[1].total;
	sha256_digest(&n->streams[0].sha, out);
	sha256_digest(&n->streams[1].sha, err);
	m.out_sha = (struct wire_bytes){out, sizeof out};
	m.err_sha = (struct wire_bytes){err, sizeof err};
	outbox_send(n->outbox, &m);
}

static void happened(struct node *n, enum node_happening what)
{
	n->watch.happened(n->watch.data, n, what);
}

static void become_ready(struct node *n)
{
	struct wire_message m = frame(n, WIRE_READY);
	n->is_ready = true;
	n->port_ns = NODE_NEVER;
	n->readies++;
	outbox_send(n->outbox, &m);
	happened(n, NODE_READY);
}

/* ---- output ------------------------------------------------------------------------------------------------ */

static void line_done(struct node *n)
{
	n->lines++;
	if (n->lines >= n->line_stop)
		n->watch.line(n->watch.data, n);
}

/* Frames end at the lines that something waits for, so that what a line causes is said right after it. */
static void take_output(struct node *n, unsigned which, const uint8_t *data, size_t size)
{
	size_t sent = 0;
	for (size_t at = 0; at < size;) {
		struct wire_bytes text = {0};
		if (n->own->ready == WIRE_READY_LINE && !n->is_ready)
			text = n->own->ready_text;
		struct stream_part part = stream_next(&n->streams[which], data + at, size - at, text);
		at += part.size;
		if (!part.line)
			continue;
		if (part.holds || n->lines + 1 >= n->line_stop) {
			send_output(n, which, data + sent, at - sent);
			sent = at;
		}
		line_done(n);
		if (part.holds && n->state == NODE_RUNNING)
			become_ready(n);
	}
	send_output(n, which, data + sent, size - sent);
}

static int *output_fd(struct node *n, unsigned which)
{
	return which ? &n->launch.err : &n->launch.out;
}

/* Reads once; false when there is nothing (more) to read. */
static bool read_output(struct node *n, unsigned which)
{
	static uint8_t data[WIRE_OUTPUT_MAX];
	int *fd = output_fd(n, which);
	ssize_t size = *fd < 0 ? 0 : read(*fd, data, sizeof data);
	if (size < 0 && errno != EAGAIN)
		outbox_fatal(n->outbox, errno, "node %zu: reading its output", n->index);
	if (size == 0)
		drop_fd(n, fd);
	if (size > 0)
		take_output(n, which, data, (size_t)size);
	return size > 0;
}

static void send_user(struct node *n)
{
	struct wire_message m = frame(n, WIRE_USER);
	m.bytes = (struct wire_bytes){(const uint8_t *)n->user_line, n->user_size};
	if (n->user_size)
		outbox_send(n->outbox, &m);
	n->user_size = 0;
}

static bool read_user(struct node *n)
{
	char data[4096];
	ssize_t size = read(n->events, data, sizeof data);
	for (ssize_t i = 0; i < size; i++) {
		if (data[i] == '\n')
			send_user(n);
		else if (n->user_size < sizeof n->user_line)
			n->user_line[n->user_size++] = data[i];
	}
	return size > 0;
}

/* ---- input ------------------------------------------------------------------------------------------------- */

static const struct mission_stdin *next_piece(const struct node *n, size_t *ret_at)
{
	for (size_t i = n->in_piece; i < n->mission->stdin_count; i++) {
		const struct mission_stdin *p = &n->mission->stdins[i];
		if (p->node == n->index && (!p->invocation || p->invocation == n->invocation)) {
			*ret_at = i;
			return p;
		}
	}
	return NULL;
}

static void end_input(struct node *n)
{
	if (n->in_blocked)
		unwatch_fd(n, n->launch.in);
	n->in_blocked = false;
	close(n->launch.in);
	n->launch.in = -1;
}

static void write_input(struct node *n, uint64_t now_ns)
{
	const struct mission_stdin *p;
	size_t at;
	while (n->launch.in >= 0 && (p = next_piece(n, &at)) && n->started_ns + p->delay_ns <= now_ns) {
		size_t left = p->bytes.size - n->in_done;
		ssize_t size = left ? write(n->launch.in, p->bytes.data + n->in_done, left) : 0;
		if (size < 0 && errno == EAGAIN) {
			if (!n->in_blocked)
				watch_fd(n, n->launch.in, NODE_IN, EPOLLOUT);
			n->in_blocked = true;
			return;
		}
		if (size < 0) { /* nobody reads it any more */
			end_input(n);
			return;
		}
		n->in_done += (size_t)size;
		if (n->in_done < p->bytes.size)
			continue;
		n->in_piece = at + 1;
		n->in_done = 0;
		if (p->end)
			end_input(n);
	}
	if (n->in_blocked) {
		unwatch_fd(n, n->launch.in);
		n->in_blocked = false;
	}
}

/* ---- an invocation's life ---------------------------------------------------------------------------------- */

bool node_prepare(struct node *n, struct why *why)
{
	struct launch_order order = {.spec = n->spec,
		.mission = n->mission,
		.node = n->index,
		.invocation = n->invocation + 1,
		.netns = n->netns,
		.cgroup = n->cgroup.dir};
	if (!launch_prepare(&order, &n->launch, why))
		return false;
	watch_fd(n, n->launch.control, NODE_CONTROL, EPOLLIN);
	watch_fd(n, n->launch.out, NODE_OUT, EPOLLIN);
	watch_fd(n, n->launch.err, NODE_ERR, EPOLLIN);
	n->prepared = true;
	return true;
}

void node_begin(struct node *n)
{
	n->own = &n->mission->nodes[n->index];
	n->restart_ns = n->port_ns = n->line_stop = NODE_NEVER;
}

void node_launch(struct node *n)
{
	struct why why;
	if (!n->prepared && !node_prepare(n, &why))
		outbox_fatal(n->outbox, why.errnum, "node %zu: %s", n->index, why.text);
	n->prepared = false;
	n->invocation++;
	n->main_ended = n->failed = n->is_ready = n->struck = n->must_restart = false;
	n->restart_ns = n->port_ns = NODE_NEVER;
	n->sequence = 0;
	n->in_piece = n->in_done = 0;
	stream_init(&n->streams[0]);
	stream_init(&n->streams[1]);
	n->state = NODE_LAUNCHING;
	if (!launch_go(&n->launch, mission_has_stdin(n->mission, n->index, n->invocation), &why))
		outbox_fatal(n->outbox, why.errnum, "node %zu: %s", n->index, why.text);
}

static void start_failed(struct node *n, const struct launch_news *news)
{
	struct wire_message m = frame(n, WIRE_LAUNCH_FAILED);
	m.value = (uint64_t)news->errnum;
	m.bytes = (struct wire_bytes){(const uint8_t *)news->step, strlen(news->step)};
	if (n->prepared)
		outbox_fatal(n->outbox, news->errnum, "node %zu: %s", n->index, news->step);
	n->failed = true;
	n->state = NODE_ENDING;
	outbox_send(n->outbox, &m);
}

static void started(struct node *n)
{
	struct wire_message m = frame(n, WIRE_STARTED);
	if (n->state != NODE_LAUNCHING)
		outbox_fatal(n->outbox, 0, "node %zu started in state %d", n->index, (int)n->state);
	m.value = (uint64_t)n->launch.main;
	n->state = NODE_RUNNING;
	n->starts++;
	n->started_ns = outbox_now_ns(n->outbox);
	outbox_send(n->outbox, &m);
	happened(n, NODE_STARTED);
	if (n->own->ready == WIRE_READY_START)
		become_ready(n);
	if (n->own->ready == WIRE_READY_PORT)
		n->port_ns = n->started_ns;
}

static void hear(struct node *n, struct launch_news news)
{
	switch (news.kind) {
	case LAUNCH_NOTHING:
		return;
	case LAUNCH_GONE:
		drop_fd(n, &n->launch.control);
		return;
	case LAUNCH_HELLO:
		watch_fd(n, n->launch.exec, NODE_EXEC, EPOLLIN);
		return;
	case LAUNCH_FAILED:
		start_failed(n, &news);
		return;
	case LAUNCH_STARTED:
		started(n);
		return;
	case LAUNCH_EXITED:
		n->main_ended = true;
		n->status = news.status;
		if (n->state == NODE_RUNNING)
			n->state = NODE_ENDING;
		return;
	}
}

static void hear_exec(struct node *n)
{
	struct launch_news news = launch_hear_exec(&n->launch);
	if (news.kind != LAUNCH_NOTHING)
		drop_fd(n, &n->launch.exec);
	hear(n, news);
}

static bool restarts(const struct node *n)
{
	if (n->must_not || n->failed)
		return false;
	return n->must_restart || n->own->restart == WIRE_RESTART_ALWAYS ||
		(n->own->restart == WIRE_RESTART_AFTER_FAULT && n->struck);
}

static void serve_oom(struct node *n)
{
	struct why why;
	uint64_t kills;
	struct wire_message m = frame(n, WIRE_OOM);
	if (!cgroup_oom_kills(&n->cgroup, &kills, &why))
		outbox_fatal(n->outbox, why.errnum, "node %zu: %s", n->index, why.text);
	if (kills == n->oom_kills)
		return;
	m.value = n->oom_kills = kills;
	outbox_send(n->outbox, &m);
}

/* Everything of the invocation is reaped: its pipes hold what they will ever hold. */
static void end_invocation(struct node *n)
{
	struct wire_message m = frame(n, WIRE_CLEANED);
	for (unsigned which = 0; which < 2; which++) {
		while (read_output(n, which))
			continue;
		if (n->streams[which].open_line)
			line_done(n);
	}
	while (read_user(n))
		continue;
	send_user(n);
	if (n->launch.in >= 0)
		end_input(n);
	drop_fd(n, &n->launch.out);
	drop_fd(n, &n->launch.err);
	launch_finish(&n->launch);
	n->port_ns = NODE_NEVER;
	serve_oom(n);
	if (!n->failed) {
		if (!n->main_ended)
			n->status = SIGKILL; /* its supervisor was killed, and the rest by the kernel then */
		n->state = NODE_ENDING;
		n->exits++;
		send_exited(n);
		happened(n, NODE_EXITED);
	}
	outbox_send(n->outbox, &m);
	n->state = restarts(n) ? NODE_RESTARTING : NODE_DOWN;
	if (n->state == NODE_RESTARTING)
		n->restart_ns = outbox_now_ns(n->outbox) + n->own->delay_ns;
}

bool node_reaped(struct node *n, pid_t pid)
{
	if (pid != n->launch.init)
		return false;
	n->launch.init = 0;
	if (n->prepared)
		outbox_fatal(n->outbox, 0, "node %zu: an invocation ended before it was started", n->index);
	/* What its processes said last may still be unread. */
	if (n->launch.exec >= 0)
		hear_exec(n);
	while (n->launch.control >= 0)
		hear(n, launch_hear(&n->launch));
	end_invocation(n);
	return true;
}

/* ---- what epoll and time bring ----------------------------------------------------------------------------- */

static void serve_cgroup(struct node *n)
{
	struct why why;
	bool frozen;
	if (!cgroup_is_frozen(&n->cgroup, &frozen, &why))
		outbox_fatal(n->outbox, why.errnum, "node %zu: %s", n->index, why.text);
	happened(n, frozen ? NODE_FROZEN : NODE_THAWED);
}

void node_serve(struct node *n, enum node_source source)
{
	switch (source) {
	case NODE_EXEC:
		if (n->launch.exec >= 0)
			hear_exec(n);
		return;
	case NODE_CONTROL:
		if (n->launch.control >= 0)
			hear(n, launch_hear(&n->launch));
		return;
	case NODE_OUT:
	case NODE_ERR:
		read_output(n, source == NODE_ERR);
		return;
	case NODE_USER:
		read_user(n);
		return;
	case NODE_IN:
		write_input(n, outbox_now_ns(n->outbox));
		return;
	case NODE_CGROUP:
		serve_cgroup(n);
		return;
	case NODE_OOM:
		serve_oom(n);
		return;
	case NODE_SOURCES:
		break;
	}
	outbox_fatal(n->outbox, 0, "node %zu: source %d is unknown", n->index, (int)source);
}

void node_tick(struct node *n, uint64_t now_ns)
{
	if (n->state == NODE_RUNNING && !n->in_blocked)
		write_input(n, now_ns);
	if (n->state == NODE_RUNNING && n->port_ns <= now_ns) {
		n->port_ns = now_ns + NODE_PORT_PERIOD_NS;
		if (ready_port(n->launch.init, n->own->port))
			become_ready(n);
	}
	if (n->state == NODE_RESTARTING && n->restart_ns <= now_ns)
		node_launch(n);
}

uint64_t node_due_ns(const struct node *n)
{
	uint64_t due = n->state == NODE_RESTARTING ? n->restart_ns : NODE_NEVER;
	const struct mission_stdin *p;
	size_t at;
	if (n->state != NODE_RUNNING)
		return due;
	if (n->port_ns < due)
		due = n->port_ns;
	if (n->launch.in >= 0 && !n->in_blocked && (p = next_piece(n, &at)) && n->started_ns + p->delay_ns < due)
		due = n->started_ns + p->delay_ns;
	return due;
}

bool node_is_live(const struct node *n)
{
	return n->state == NODE_LAUNCHING || n->state == NODE_RUNNING || n->state == NODE_ENDING || n->state == NODE_RESTARTING;
}
