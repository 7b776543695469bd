#include "agent/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent/replan.h"
#include "agent/visitor.h"

#define END_OF_INPUT 4 /* Ctrl-D, as a terminal is set up */

/* ---- descriptors -------------------------------------------------------------------------------------------- */

/* Wakes us for these events; 0: not at all. A descriptor that has ended would wake us for ever otherwise. */
static bool watch(struct visit *v, enum visit_source source, uint32_t events, struct why *why)
{
	struct epoll_event e = {.events = events, .data = {.u64 = v->tag + source}};
	if (v->watched[source] == events)
		return true;
	int what = !events ? EPOLL_CTL_DEL : v->watched[source] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	v->watched[source] = events;
	return epoll_ctl(v->epoll, what, v->fds[source], &e) == 0 || why_set(why, errno, "watching the visitor");
}

static void rewatch(struct visit *v, enum visit_source source, uint32_t events)
{
	struct why why;
	if (v->fds[source] >= 0 && !watch(v, source, events, &why))
		outbox_fatal(v->outbox, why.errnum, "%s", why.text);
}

/* The keeper has the same open files: closing alone would leave them watched. */
static void unwatch(struct visit *v, enum visit_source source)
{
	if (v->fds[source] < 0)
		return;
	rewatch(v, source, 0);
	close(v->fds[source]);
	v->fds[source] = -1;
}

bool visit_prepare(struct visit *v, struct why *why)
{
	struct termios t;
	for (size_t i = 0; i < VISIT_SOURCES; i++)
		v->fds[i] = -1;
	int bell = v->fds[VISIT_SOURCE_BELL] = open(VISIT_BELL, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (bell < 0 || tcgetattr(bell, &t) != 0)
		return why_set(why, errno, "opening " VISIT_BELL);
	/* Nothing is echoed: bytes written to that port count frames. */
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	if (tcsetattr(bell, TCSANOW, &t) != 0)
		return why_set(why, errno, "setting up " VISIT_BELL);
	return watch(v, VISIT_SOURCE_BELL, EPOLLIN, why);
}

/* ---- what it says ------------------------------------------------------------------------------------------- */

static void send_end(struct visit *v, struct wire_message *m)
{
	m->node = v->spec->count;
	m->invocation = v->invocation;
	outbox_send(v->outbox, m);
}

/* When the first process of a namespace ends, the kernel kills all others in it. */
static void stay_in(struct visit *v, size_t node)
{
	if (node == v->spec->count || v->nodes[node].launch.init <= 0)
		return;
	v->host = &v->nodes[node];
	v->init = v->host->launch.init;
	kill(v->init, SIGSTOP);
}

static void stay_out(struct visit *v)
{
	if (v->host && v->host->launch.init == v->init)
		kill(v->init, SIGCONT);
	else if (v->host)
		kill(v->init, SIGKILL);
	v->host = NULL;
}

static void send_failed(struct visit *v, int errnum, const char *step)
{
	struct wire_message m = {
		.type = WIRE_LAUNCH_FAILED, .value = (uint64_t)errnum, .bytes = {(const uint8_t *)step, strlen(step)}};
	send_end(v, &m);
	stay_out(v);
	v->state = VISIT_OVER;
}

/* Frozen as by a fault (agent/trouble_process.h), so that one does not undo the other. */
static void hold(struct visit *v, bool hold)
{
	struct why why;
	if (v->holds == hold)
		return;
	v->holds = hold;
	for (size_t i = 0; i < v->spec->count; i++) {
		struct node *n = &v->nodes[i];
		bool changes = hold ? n->freezers++ == 0 : --n->freezers == 0;
		if (changes && !cgroup_freeze(&n->cgroup, hold, &why))
			outbox_fatal(v->outbox, why.errnum, "node %zu: %s", i, why.text);
	}
}

void visit_outlive(struct visit *v)
{
	struct why why;
	if (!v->host || v->host->launch.init != v->init || v->host->launch.control >= 0)
		return;
	/* The command and its supervisor have ended; what they leave behind ends with them. */
	if (!cgroup_kill(&v->host->cgroup, &why))
		outbox_fatal(v->outbox, why.errnum, "node %zu: %s", v->host->index, why.text);
	node_reaped(v->host, v->init);
}

/* The visitor of a machine that this one is a copy of: its processes stay as they were, and nobody listens to them any more. */
static void abandon(struct visit *v)
{
	for (enum visit_source i = VISIT_SOURCE_CONTROL; i < VISIT_SOURCES; i++) {
		rewatch(v, i, 0);
		v->fds[i] = -1;
	}
	rewatch(v, VISIT_SOURCE_BELL, EPOLLIN);
	stay_out(v);
	v->state = VISIT_NONE;
	v->sequence = v->heard = 0;
	v->taken = 0;
	v->no_more = false;
	v->pending_size = 0;
	v->input = (struct input){0};
	v->rows = v->columns = 0;
}

/* Another request is for another copy of this machine. */
static void take_request(struct visit *v)
{
	memset(v->outbox->region + VISIT_REQUEST, 0, 4);
}

/* A request of other faults is done at once, and nothing is said of it but by the faults. */
static bool begin_replan(struct visit *v, const uint8_t *header)
{
	/* The mission borrows from it, and a fork of a fork may have another. Kinds read their parameters when they are selected,
	 * so that the older ones need them no more. */
	static uint8_t request[VISIT_REQUEST_MAX];
	struct why why;
	size_t size;
	if (!visit_size(header, &size, &why) || !replan_is(header + VISIT_REQUEST + 4, size))
		return false;
	memcpy(request, header + VISIT_REQUEST + 4, size);
	abandon(v);
	hold(v, false);
	take_request(v);
	if (replan_do(request, size, v->mission, v->faults, &why))
		return true;
	v->invocation++;
	send_failed(v, why.errnum, why.text);
	return true;
}

/* Somebody writes it while we stand still. */
bool visit_is_asked(const struct visit *v)
{
	const volatile uint8_t *size = v->outbox->region + VISIT_REQUEST;
	return size[0] || size[1] || size[2] || size[3];
}

/* ---- its start ---------------------------------------------------------------------------------------------- */

struct ends {
	int control[2], in[2], out[2], err[2];
};

static bool make_ends(struct ends *e, enum wire_visit reads, struct why *why)
{
	bool ok = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, e->control) == 0;
	if (ok && reads == WIRE_VISIT_FED)
		ok = pipe2(e->in, O_CLOEXEC) == 0 && fcntl(e->in[1], F_SETFL, O_NONBLOCK) == 0;
	if (ok && reads != WIRE_VISIT_TERMINAL)
		ok = pipe2(e->out, O_CLOEXEC) == 0 && pipe2(e->err, O_CLOEXEC) == 0 &&
			fcntl(e->out[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(e->err[0], F_SETFL, O_NONBLOCK) == 0;
	return ok || why_set(why, errno, "making pipes");
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static bool start(struct visit *v, const struct visit_request *request, pid_t *ret, struct why *why)
{
	struct ends e = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	bool ok = make_ends(&e, request->reads, why);
	*ret = ok ? fork() : -1;
	if (*ret == 0) {
		struct visitor_ends own = {.control = e.control[1], .in = e.in[0], .out = e.out[1], .err = e.err[1]};
		/* Its input ends when ours is closed. */
		close_fd(e.in[1]);
		visitor_keep(v->spec, v->nodes, request, &own);
	}
	if (ok && *ret < 0)
		ok = why_set(why, errno, "making a process");
	close_fd(e.control[1]);
	close_fd(e.in[0]);
	close_fd(e.out[1]);
	close_fd(e.err[1]);
	v->fds[VISIT_SOURCE_CONTROL] = e.control[0];
	v->fds[VISIT_SOURCE_IN] = e.in[1];
	v->fds[VISIT_SOURCE_OUT] = e.out[0];
	v->fds[VISIT_SOURCE_ERR] = e.err[0];
	ok = ok && watch(v, VISIT_SOURCE_CONTROL, EPOLLIN, why);
	return ok && (e.out[0] < 0 || (watch(v, VISIT_SOURCE_OUT, EPOLLIN, why) && watch(v, VISIT_SOURCE_ERR, EPOLLIN, why)));
}

static void begin(struct visit *v)
{
	static struct visit_request request;
	static uint8_t header[OUTBOX_HEADER]; /* children do without the region */
	struct why why;
	pid_t pid;
	memcpy(header, v->outbox->region, sizeof header);
	if (begin_replan(v, header))
		return;
	bool ok = visit_read(header, v->spec->count, &request, &why);
	hold(v, ok && request.hold);
	/* What is typed comes behind the byte that rings, and what was typed for another visitor before it. */
	if (ok && !v->rung && request.reads != WIRE_VISIT_ALONE)
		return;
	abandon(v);
	take_request(v);
	v->rung = false;
	v->invocation++;
	stream_init(&v->streams[0]);
	stream_init(&v->streams[1]);
	if (ok)
		stay_in(v, request.node);
	if (!ok || !start(v, &request, &pid, &why)) {
		send_failed(v, why.errnum, why.text);
		return;
	}
	v->reads = request.reads;
	v->state = VISIT_GOING;
	struct wire_message m = {.type = WIRE_STARTED, .value = (uint64_t)pid};
	send_end(v, &m);
}

void visit_look(struct visit *v)
{
	if (!v->closed && visit_is_asked(v))
		begin(v);
}

/* ---- what it writes ----------------------------------------------------------------------------------------- */

/* What a person has not taken yet waits in the terminal, so that a program that writes without end can be interrupted. A command
 * that nobody looks at meanwhile is cut by the region being full. */
static size_t room(const struct visit *v)
{
	uint32_t behind = (uint32_t)(v->streams[0].total + v->streams[1].total) - v->taken;
	if (v->reads == WIRE_VISIT_ALONE)
		return WIRE_OUTPUT_MAX;
	return behind < VISIT_WINDOW ? VISIT_WINDOW - behind : 0;
}

/* Hands on what the command has written; all: whatever the room. */
static void drain(struct visit *v, enum visit_source source, bool all)
{
	static uint8_t data[WIRE_OUTPUT_MAX];
	size_t stream = source == VISIT_SOURCE_ERR, want = all ? sizeof data : room(v);
	ssize_t size = -1;
	errno = EAGAIN;
	while (v->fds[source] >= 0 && want && (size = read(v->fds[source], data, want)) > 0) {
		struct stream *s = &v->streams[stream];
		struct wire_message m = {.type = WIRE_OUTPUT,
			.stream = stream + 1,
			.offset = s->total,
			.sequence = v->sequence++,
			.bytes = {data, (size_t)size}};
		send_end(v, &m);
		if (!v->outbox->full)
			stream_account(s, data, (size_t)size);
		want = all ? sizeof data : room(v);
	}
	/* A terminal that nobody has open any more answers EIO. */
	if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
		unwatch(v, source);
	else
		rewatch(v, source, want ? EPOLLIN : 0);
}

/* ---- what is typed ------------------------------------------------------------------------------------------ */

/* Hands on to the command what it has room for. */
static void feed(struct visit *v)
{
	int fd = v->fds[VISIT_SOURCE_IN];
	ssize_t put = 0;
	if (fd < 0 && v->reads == WIRE_VISIT_TERMINAL)
		return; /* the command is just about to make it */
	while (v->pending_size && (put = write(fd, v->pending, v->pending_size)) > 0) {
		v->pending_size -= (size_t)put;
		memmove(v->pending, v->pending + put, v->pending_size);
	}
	/* Nobody is going to read it. */
	if (put < 0 && errno != EAGAIN && errno != EINTR)
		v->pending_size = 0;
	rewatch(v, VISIT_SOURCE_IN, v->pending_size ? EPOLLOUT : 0);
	if (v->no_more && !v->pending_size && v->reads == WIRE_VISIT_FED)
		unwatch(v, VISIT_SOURCE_IN);
	rewatch(v, VISIT_SOURCE_BELL, v->pending_size < sizeof v->pending ? EPOLLIN : 0);
}

static void set_size(struct visit *v)
{
	struct winsize size = {.ws_row = v->rows, .ws_col = v->columns};
	if (v->rows && v->reads == WIRE_VISIT_TERMINAL && v->fds[VISIT_SOURCE_OUT] >= 0)
		ioctl(v->fds[VISIT_SOURCE_OUT], TIOCSWINSZ, &size);
}

/* False: there is nothing more to do with what comes. */
static bool take_word(struct visit *v, const struct input_word *w)
{
	switch (w->kind) {
	case INPUT_TYPED:
		v->pending[v->pending_size++] = w->byte;
		return true;
	case INPUT_WINDOW:
		v->rows = w->rows;
		v->columns = w->columns;
		set_size(v);
		return true;
	case INPUT_TAKEN:
		v->taken = w->total;
		return true;
	case INPUT_END:
		v->no_more = true;
		if (v->reads == WIRE_VISIT_TERMINAL)
			v->pending[v->pending_size++] = END_OF_INPUT;
		return true;
	case INPUT_HANGUP:
		visit_leave(v, SIGHUP);
		return false;
	case INPUT_BAD:
		send_failed(v, 0, "reading what is typed: bytes that are no word of it came through the serial port");
		return false;
	default:
		return true;
	}
}

/* The serial port, as far as there is room for what is typed. */
static void listen_in(struct visit *v)
{
	uint8_t bytes[64], typed[sizeof bytes];
	struct input_word words[sizeof bytes];
	while (v->state == VISIT_GOING && v->pending_size < sizeof v->pending) {
		size_t left = sizeof v->pending - v->pending_size, count = 0;
		ssize_t size = read(v->fds[VISIT_SOURCE_BELL], bytes, left < sizeof bytes ? left : sizeof bytes);
		if (size <= 0)
			break;
		for (ssize_t i = 0; i < size; i++) {
			words[i] = input_next(&v->input, bytes[i]);
			if (words[i].kind == INPUT_TYPED)
				typed[count++] = words[i].byte;
		}
		v->heard += (uint64_t)size;
		struct wire_message m = {.type = WIRE_INPUT, .value = v->heard, .bytes = {typed, count}};
		send_end(v, &m);
		for (ssize_t i = 0; i < size && take_word(v, &words[i]); i++)
			continue;
	}
	if (v->state != VISIT_GOING)
		return;
	feed(v);
	drain(v, VISIT_SOURCE_OUT, false);
	drain(v, VISIT_SOURCE_ERR, false);
}

/* ---- its end ------------------------------------------------------------------------------------------------ */

static void end(struct visit *v, int status)
{
	uint8_t sums[2][WIRE_DIGEST_SIZE];
	sha256_digest(&v->streams[0].sha, sums[0]);
	sha256_digest(&v->streams[1].sha, sums[1]);
	bool by_signal = WIFSIGNALED(status);
	struct wire_message m = {.type = WIRE_EXITED,
		.code = by_signal ? WIRE_BY_SIGNAL : WIRE_BY_EXIT,
		.value = (uint64_t)(by_signal ? WTERMSIG(status) : WEXITSTATUS(status)),
		.out_total = v->streams[0].total,
		.err_total = v->streams[1].total,
		.out_sha = {sums[0], sizeof sums[0]},
		.err_sha = {sums[1], sizeof sums[1]}};
	send_end(v, &m);
	struct wire_message cleaned = {.type = WIRE_CLEANED};
	send_end(v, &cleaned);
	for (enum visit_source i = VISIT_SOURCE_CONTROL; i < VISIT_SOURCES; i++)
		unwatch(v, i);
	stay_out(v);
	v->state = VISIT_OVER;
}

void visit_leave(struct visit *v, int signal)
{
	if (v->state == VISIT_GOING)
		end(v, signal); /* which is that status, as waitpid has it */
}

static void hear_news(struct visit *v)
{
	struct visitor_news news;
	bool gone;
	int fd;
	while (v->state == VISIT_GOING && visitor_hear(v->fds[VISIT_SOURCE_CONTROL], &news, &fd, &gone)) {
		if (news.word == VISITOR_FAILED) {
			send_failed(v, news.errnum, news.step);
		} else if (news.word == VISITOR_ENDED) {
			drain(v, VISIT_SOURCE_OUT, true);
			drain(v, VISIT_SOURCE_ERR, true);
			end(v, news.status);
		} else {
			v->fds[VISIT_SOURCE_OUT] = fd;
			v->fds[VISIT_SOURCE_IN] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
			set_size(v);
			feed(v);
			drain(v, VISIT_SOURCE_OUT, false);
		}
	}
	if (v->state == VISIT_GOING && gone)
		send_failed(v, 0, "the visitor's processes are gone");
}

/* Has it rung? What comes before may have been typed for a former visitor, and on its way still. */
static bool hear_ring(struct visit *v)
{
	uint8_t bytes[64];
	bool ring = false;
	ssize_t size;
	while ((size = read(v->fds[VISIT_SOURCE_BELL], bytes, sizeof bytes)) > 0)
		for (ssize_t i = 0; i < size; i++) {
			ring = ring || (v->before == INPUT_ESCAPE && bytes[i] == INPUT_RING);
			v->before = bytes[i];
		}
	return ring;
}

void visit_serve(struct visit *v, enum visit_source source)
{
	switch (source) {
	case VISIT_SOURCE_BELL:
		if (v->state == VISIT_GOING && v->reads != WIRE_VISIT_ALONE && !visit_is_asked(v)) {
			listen_in(v);
			break;
		}
		v->rung = hear_ring(v) || v->rung;
		v->rung = v->rung && visit_is_asked(v);
		visit_look(v);
		break;
	case VISIT_SOURCE_CONTROL:
		hear_news(v);
		break;
	case VISIT_SOURCE_IN:
		feed(v);
		break;
	default:
		drain(v, source, false);
		break;
	}
}
