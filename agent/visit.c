#include "agent/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent/command.h"
#include "agent/port.h"
#include "agent/replan.h"
#include "agent/rootfs.h"

#define BUSYBOX "/bin/busybox"

/* What the keeper says of the command; a write of it to a pipe arrives whole. */
struct news {
	bool failed; /* step could not be done: errnum */
	int errnum, status;
	char step[WHY_MAX];
};

/* ---- the request -------------------------------------------------------------------------------------------- */

static bool split(struct wire_bytes b, const char **list)
{
	size_t count = 0;
	if (b.size && b.data[b.size - 1] != 0)
		return false;
	for (size_t at = 0; at < b.size; at += strlen((const char *)b.data + at) + 1) {
		if (count == VISIT_STRINGS_MAX)
			return false;
		list[count++] = (const char *)b.data + at;
	}
	list[count] = NULL;
	return true;
}

bool visit_size(const uint8_t *header, size_t *ret, struct why *why)
{
	const uint8_t *p = header + VISIT_REQUEST;
	uint32_t size = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	*ret = size;
	return size <= VISIT_REQUEST_MAX ||
		why_set(why, 0, "a request of %u bytes: expected at most %d", size, VISIT_REQUEST_MAX);
}

bool visit_read(const uint8_t *header, size_t node_count, struct visit_request *ret, struct why *why)
{
	const uint8_t *p = header + VISIT_REQUEST;
	struct wire_message m;
	size_t size, used;
	if (!visit_size(header, &size, why))
		return false;
	enum wire_result result = wire_decode(p + 4, size, &m, &used);
	if (result != WIRE_OK || used != size)
		return why_set(why, 0, "the request is not one frame: %s", wire_result_text(result));
	if (m.type != WIRE_VISIT || m.node > node_count)
		return why_set(why, 0, "the request is %s for node %llu", wire_type_name(m.type), (unsigned long long)m.node);
	if (!split(m.argv, ret->argv) || !ret->argv[0] || !split(m.env, ret->env))
		return why_set(why, 0, "the request's command: expected at least one and at most %d strings", VISIT_STRINGS_MAX);
	if (m.cwd.size >= sizeof ret->cwd || (m.cwd.size && memchr(m.cwd.data, 0, m.cwd.size)))
		return why_set(why, 0, "the request's directory: expected fewer than %zu bytes", sizeof ret->cwd);
	memcpy(ret->cwd, m.cwd.data, m.cwd.size);
	ret->cwd[m.cwd.size] = 0;
	ret->node = (size_t)m.node;
	return true;
}

/* ---- the children's side ------------------------------------------------------------------------------------ */

static void tell(int control, const struct news *news)
{
	/* Fits into an empty pipe; if it does not arrive there is nobody left to tell. */
	ssize_t ignored = write(control, news, sizeof *news);
	(void)ignored;
}

static void __attribute__((noreturn)) fail(int control, const struct why *why)
{
	struct news news = {.failed = true, .errnum = why->errnum};
	memcpy(news.step, why->text, sizeof news.step);
	tell(control, &news);
	_exit(127);
}

/* Into the namespaces of the node's processes; a node that has none gets a fresh root, with what outlives its invocations. */
static bool enter(const struct visit *v, size_t node, struct why *why)
{
	enum { ALL = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET };
	if (node == v->spec->count)
		return true;
	const struct node *n = &v->nodes[node];
	int pidfd = n->launch.init > 0 ? (int)syscall(SYS_pidfd_open, n->launch.init, 0) : -1;
	if (pidfd >= 0 && setns(pidfd, ALL) == 0)
		return true;
	if (setns(n->netns, CLONE_NEWNET) != 0 || unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
		return why_set(why, errno, "entering namespaces of node %s", v->spec->hosts[node].name);
	return true;
}

/* In the new pid namespace, if there is one: only now can its /proc be mounted. */
static bool enter_fresh(const struct visit *v, size_t node, struct why *why)
{
	bool fresh = node < v->spec->count && getpid() == 1;
	return !fresh || rootfs_enter(v->spec, node, why);
}

static const char *path_of(const char *const *env)
{
	for (; *env; env++)
		if (!strncmp(*env, "PATH=", 5))
			return *env + 5;
	return "/bin:/sbin:/usr/bin:/usr/sbin:/usr/local/bin";
}

/* The node's own program, else BusyBox's of that name. */
static void execute(const struct visit_request *r, int busybox)
{
	char *const *argv = (char *const *)(uintptr_t)r->argv, *const *env = (char *const *)(uintptr_t)r->env;
	char path[512];
	if (strchr(r->argv[0], '/'))
		execve(r->argv[0], argv, env);
	for (const char *at = path_of(r->env); at && !strchr(r->argv[0], '/');) {
		int size = (int)strcspn(at, ":");
		if (snprintf(path, sizeof path, "%.*s/%s", size, at, r->argv[0]) < (int)sizeof path)
			execve(path, argv, env);
		at = at[size] ? at + size + 1 : NULL;
	}
	if (busybox >= 0 && !strchr(r->argv[0], '/'))
		syscall(SYS_execveat, busybox, "", argv, env, AT_EMPTY_PATH);
}

static void __attribute__((noreturn))
run_command(const struct visit *v, const struct visit_request *r, int control, int out, int err, int busybox)
{
	struct why why;
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	command_reset_signals();
	if (!enter_fresh(v, r->node, &why))
		fail(control, &why);
	setsid();
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || chdir(r->cwd[0] ? r->cwd : "/") != 0) {
		why_set(&why, errno, "going to %.200s", r->cwd);
		fail(control, &why);
	}
	execute(r, busybox);
	why_set(&why, errno, "executing %.200s", r->argv[0]);
	fail(control, &why);
}

/* Parent of the command: its status is known whatever pid namespace it is in. */
static void __attribute__((noreturn))
run_keeper(const struct visit *v, const struct visit_request *r, int control, int out, int err)
{
	struct news news = {0};
	struct why why;
	int busybox = open(BUSYBOX, O_RDONLY | O_CLOEXEC);
	if (!port_allow(false, &why) || !enter(v, r->node, &why))
		fail(control, &why);
	pid_t pid = fork();
	if (pid == 0)
		run_command(v, r, control, out, err, busybox);
	if (pid < 0) {
		why_set(&why, errno, "making the command's process");
		fail(control, &why);
	}
	close(out);
	close(err);
	while (waitpid(pid, &news.status, 0) < 0)
		if (errno != EINTR)
			_exit(127);
	tell(control, &news);
	_exit(0);
}

/* ---- the agent's side --------------------------------------------------------------------------------------- */

static bool watch(struct visit *v, int fd, enum visit_source source, struct why *why)
{
	struct epoll_event e = {.events = EPOLLIN, .data = {.u64 = v->tag + source}};
	return epoll_ctl(v->epoll, EPOLL_CTL_ADD, fd, &e) == 0 || why_set(why, errno, "watching the visitor");
}

/* The keeper has the same open files: closing alone would leave them watched. */
static void unwatch(struct visit *v, int *fd)
{
	if (*fd < 0)
		return;
	epoll_ctl(v->epoll, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}

bool visit_prepare(struct visit *v, struct why *why)
{
	struct termios t;
	v->control = v->out = v->err = -1;
	v->bell = open(VISIT_BELL, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (v->bell < 0 || tcgetattr(v->bell, &t) != 0)
		return why_set(why, errno, "opening " VISIT_BELL);
	/* Nothing is echoed: bytes written to that port count frames. */
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	if (tcsetattr(v->bell, TCSANOW, &t) != 0)
		return why_set(why, errno, "setting up " VISIT_BELL);
	return watch(v, v->bell, VISIT_SOURCE_BELL, why);
}

static void send_end(struct visit *v, struct wire_message *m)
{
	m->node = v->spec->count;
	m->invocation = 1;
	outbox_send(v->outbox, m);
}

static void send_failed(struct visit *v, int errnum, const char *step)
{
	struct wire_message m = {
		.type = WIRE_LAUNCH_FAILED, .value = (uint64_t)errnum, .bytes = {(const uint8_t *)step, strlen(step)}};
	send_end(v, &m);
	v->state = VISIT_OVER;
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
	memset(v->outbox->region + VISIT_REQUEST, 0, 4);
	if (!replan_do(request, size, v->mission, v->faults, &why))
		send_failed(v, why.errnum, why.text);
	return true;
}

/* Somebody writes it while we stand still. */
static bool is_asked(const struct visit *v)
{
	const volatile uint8_t *size = v->outbox->region + VISIT_REQUEST;
	return size[0] || size[1] || size[2] || size[3];
}

void visit_look(struct visit *v)
{
	static uint8_t header[OUTBOX_HEADER];
	if (v->state != VISIT_NONE || !is_asked(v))
		return;
	memcpy(header, v->outbox->region, sizeof header);
	begin_replan(v, header);
}

static void begin(struct visit *v)
{
	static struct visit_request request;
	static uint8_t header[OUTBOX_HEADER]; /* children do without the region */
	struct why why;
	int control[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
	stream_init(&v->streams[0]);
	stream_init(&v->streams[1]);
	memcpy(header, v->outbox->region, sizeof header);
	if (begin_replan(v, header))
		return;
	if (!visit_read(header, v->spec->count, &request, &why)) {
		send_failed(v, why.errnum, why.text);
		return;
	}
	bool ok = (pipe2(control, O_CLOEXEC | O_NONBLOCK) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
			  fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(err[0], F_SETFL, O_NONBLOCK) == 0) ||
		why_set(&why, errno, "making pipes");
	pid_t pid = ok ? fork() : -1;
	if (pid == 0)
		run_keeper(v, &request, control[1], out[1], err[1]);
	if (ok && pid < 0)
		ok = why_set(&why, errno, "making a process");
	close(control[1]);
	close(out[1]);
	close(err[1]);
	v->control = control[0];
	v->out = out[0];
	v->err = err[0];
	ok = ok && watch(v, v->control, VISIT_SOURCE_CONTROL, &why) && watch(v, v->out, VISIT_SOURCE_OUT, &why) &&
		watch(v, v->err, VISIT_SOURCE_ERR, &why);
	if (!ok) {
		send_failed(v, why.errnum, why.text);
		return;
	}
	v->state = VISIT_GOING;
	struct wire_message m = {.type = WIRE_STARTED, .value = (uint64_t)pid};
	send_end(v, &m);
}

/* Hands on what the command has written; a command that writes without end is cut by the region being full. */
static void drain(struct visit *v, int *fd, size_t stream)
{
	static uint8_t data[WIRE_OUTPUT_MAX];
	ssize_t size = -1;
	while (*fd >= 0 && (size = read(*fd, data, sizeof data)) > 0) {
		struct stream *s = &v->streams[stream];
		struct wire_message m = {.type = WIRE_OUTPUT,
			.stream = stream + 1,
			.offset = s->total,
			.sequence = v->sequence++,
			.bytes = {data, (size_t)size}};
		send_end(v, &m);
		if (!v->outbox->full)
			stream_account(s, data, (size_t)size);
	}
	if (size == 0)
		unwatch(v, fd);
}

static void ended(struct visit *v)
{
	struct news news;
	uint8_t sums[2][WIRE_DIGEST_SIZE];
	ssize_t size = read(v->control, &news, sizeof news);
	if (size < 0)
		return;
	unwatch(v, &v->control);
	drain(v, &v->out, 0);
	drain(v, &v->err, 1);
	if (size != sizeof news || news.failed) {
		send_failed(v, size == sizeof news ? news.errnum : 0,
			size == sizeof news ? news.step : "the visitor's processes are gone");
		return;
	}
	sha256_digest(&v->streams[0].sha, sums[0]);
	sha256_digest(&v->streams[1].sha, sums[1]);
	bool by_signal = WIFSIGNALED(news.status);
	struct wire_message m = {.type = WIRE_EXITED,
		.code = by_signal ? WIRE_BY_SIGNAL : WIRE_BY_EXIT,
		.value = (uint64_t)(by_signal ? WTERMSIG(news.status) : WEXITSTATUS(news.status)),
		.out_total = v->streams[0].total,
		.err_total = v->streams[1].total,
		.out_sha = {sums[0], sizeof sums[0]},
		.err_sha = {sums[1], sizeof sums[1]}};
	send_end(v, &m);
	struct wire_message cleaned = {.type = WIRE_CLEANED};
	send_end(v, &cleaned);
	v->state = VISIT_OVER;
}

void visit_serve(struct visit *v, enum visit_source source)
{
	char bytes[64];
	switch (source) {
	case VISIT_SOURCE_BELL:
		while (read(v->bell, bytes, sizeof bytes) > 0)
			continue;
		if (v->state == VISIT_NONE && is_asked(v))
			begin(v);
		break;
	case VISIT_SOURCE_CONTROL:
		ended(v);
		break;
	case VISIT_SOURCE_OUT:
		drain(v, &v->out, 0);
		break;
	default:
		drain(v, &v->err, 1);
		break;
	}
}
