#include "agent/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/command.h"
#include "agent/port.h"
#include "agent/rootfs.h"

/* ---- the agent's side -------------------------------------------------------------------------------------- */

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The children's ends, in the order in which they get the descriptors from 3 on. */
struct ends {
	int control, out, err, in, netns, cgroup;
};

static bool make_ends(struct launch *l, struct ends *e, struct why *why)
{
	int pair[2], out[2] = {-1, -1}, err[2] = {-1, -1}, in[2] = {-1, -1}, on = 1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return why_set(why, errno, "making a pair of sockets");
	bool ok = setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
		pipe2(err, O_CLOEXEC) == 0 && pipe2(in, O_CLOEXEC) == 0 && fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 &&
		fcntl(err[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(in[1], F_SETFL, O_NONBLOCK) == 0;
	if (!ok)
		why_set(why, errno, "making pipes");
	l->control = pair[0];
	l->out = out[0];
	l->err = err[0];
	l->in = in[1];
	e->control = pair[1];
	e->out = out[1];
	e->err = err[1];
	e->in = in[0];
	return ok;
}

static void run_init(const struct launch_order *order, struct ends e) __attribute__((noreturn));

bool launch_prepare(const struct launch_order *order, struct launch *ret, struct why *why)
{
	struct ends e = {.netns = order->netns, .cgroup = order->cgroup};
	struct launch l = {.pidfd = -1, .control = -1, .exec = -1, .out = -1, .err = -1, .in = -1};
	bool ok = make_ends(&l, &e, why);
	if (ok) {
		unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | SIGCHLD;
		l.init = (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
		if (l.init == 0)
			run_init(order, e);
		ok = l.init > 0 || why_set(why, errno, "making the first process of an invocation");
	}
	close_if_open(&e.control);
	close_if_open(&e.out);
	close_if_open(&e.err);
	close_if_open(&e.in);
	if (!ok) {
		launch_finish(&l);
		return false;
	}
	*ret = l;
	return true;
}

bool launch_go(struct launch *l, bool has_stdin, struct why *why)
{
	if (send(l->control, "", 1, MSG_NOSIGNAL) != 1)
		return why_set(why, errno, "telling an invocation to start");
	if (!has_stdin)
		close_if_open(&l->in);
	return true;
}

/* musl's CMSG_NXTHDR mixes signs. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static void take_ancillary(struct launch *l, struct msghdr *h)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS) {
			close_if_open(&l->exec);
			memcpy(&l->exec, CMSG_DATA(c), sizeof l->exec);
		} else if (c->cmsg_type == SCM_CREDENTIALS && !l->main) {
			struct ucred creds;
			memcpy(&creds, CMSG_DATA(c), sizeof creds);
			l->main = creds.pid;
		}
	}
}
#pragma GCC diagnostic pop

struct launch_news launch_hear(struct launch *l)
{
	struct launch_news news = {.kind = LAUNCH_NOTHING};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
	} room;
	struct iovec part = {&news, sizeof news};
	struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
	ssize_t size = recvmsg(l->control, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (size == 0)
		return (struct launch_news){.kind = LAUNCH_GONE};
	if (size != sizeof news)
		return (struct launch_news){.kind = LAUNCH_NOTHING};
	if (news.kind == LAUNCH_HELLO) {
		take_ancillary(l, &h);
		l->pidfd = (int)syscall(SYS_pidfd_open, l->main, 0);
	}
	return news;
}

struct launch_news launch_hear_exec(struct launch *l)
{
	struct launch_news news;
	ssize_t size = read(l->exec, &news, sizeof news);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return (struct launch_news){.kind = LAUNCH_NOTHING};
	return size == sizeof news ? news : (struct launch_news){.kind = LAUNCH_STARTED};
}

bool launch_signal(const struct launch *l, int number, struct why *why)
{
	return syscall(SYS_pidfd_send_signal, l->pidfd, number, NULL, 0) == 0 || errno == ESRCH ||
		why_set(why, errno, "sending signal %d", number);
}

void launch_finish(struct launch *l)
{
	close_if_open(&l->pidfd);
	close_if_open(&l->control);
	close_if_open(&l->exec);
	close_if_open(&l->out);
	close_if_open(&l->err);
	close_if_open(&l->in);
}

/* ---- the children's side ----------------------------------------------------------------------------------- */

static void tell(int control, const struct launch_news *news)
{
	send(control, news, sizeof *news, MSG_NOSIGNAL);
}

static void __attribute__((noreturn)) fail(int control, const struct why *why)
{
	struct launch_news news = {.kind = LAUNCH_FAILED, .errnum = why->errnum};
	memcpy(news.step, why->text, sizeof news.step);
	tell(control, &news);
	_exit(127);
}

/* Says hello, with the read end of a pipe whose write end closes when the command is executed. */
static bool say_hello(int control, int *ret_exec, struct why *why)
{
	struct launch_news news = {.kind = LAUNCH_HELLO};
	int ends[2];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} room = {0};
	struct iovec part = {&news, sizeof news};
	struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return why_set(why, errno, "making a pipe");
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	*c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
	memcpy(CMSG_DATA(c), &ends[0], sizeof(int));
	if (sendmsg(control, &h, MSG_NOSIGNAL) < 0)
		return why_set(why, errno, "saying hello");
	close(ends[0]);
	*ret_exec = ends[1];
	return true;
}

static void __attribute__((noreturn)) run_main(const struct launch_order *order, struct ends e)
{
	struct why why;
	char go;
	int exec = -1;
	if (!say_hello(e.control, &exec, &why))
		fail(e.control, &why);
	if (recv(e.control, &go, 1, 0) != 1)
		_exit(127);
	close(e.control);
	bool has_stdin = mission_has_stdin(order->mission, order->node, order->invocation);
	struct command_ends ends = {.in = has_stdin ? e.in : -1, .out = e.out, .err = e.err};
	command_execute(&order->mission->nodes[order->node], ends, &why);
	struct launch_news news = {.kind = LAUNCH_FAILED, .errnum = why.errnum};
	memcpy(news.step, why.text, sizeof news.step);
	/* Fits into an empty pipe in one piece; if it does not arrive there is nobody left to tell. */
	ssize_t ignored = write(exec, &news, sizeof news);
	(void)ignored;
	_exit(127);
}

static void __attribute__((noreturn)) run_supervisor(const struct launch_order *order, struct ends e)
{
	struct why why;
	struct launch_news news = {.kind = LAUNCH_EXITED};
	struct command_clone args = {.flags = COMMAND_CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)e.cgroup};
	pid_t main = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	if (main == 0)
		run_main(order, e);
	if (main < 0) {
		why_set(&why, errno, "making the command's process");
		fail(e.control, &why);
	}
	close(e.out);
	close(e.err);
	close(e.in);
	while (waitpid(main, &news.status, 0) < 0)
		if (errno != EINTR)
			_exit(127);
	tell(e.control, &news);
	_exit(0);
}

/* Of all that was inherited only the ends stay, as 3, 4, 5 ...; nobody may hold a pipe of another node open. */
static bool keep_only(struct ends *e, struct why *why)
{
	enum { FIRST = 3, FAR = 512, COUNT = 6 };
	int *list[COUNT] = {&e->control, &e->out, &e->err, &e->in, &e->netns, &e->cgroup};
	for (int i = 0; i < COUNT; i++)
		if ((*list[i] = fcntl(*list[i], F_DUPFD_CLOEXEC, FAR)) < 0)
			return why_set(why, errno, "moving descriptors");
	for (int i = 0; i < COUNT; i++)
		if ((*list[i] = dup3(*list[i], FIRST + i, O_CLOEXEC)) < 0)
			return why_set(why, errno, "moving descriptors");
	return syscall(SYS_close_range, FIRST + COUNT, ~0u, 0) == 0 || why_set(why, errno, "closing descriptors");
}

static bool set_up_init(const struct launch_order *order, const struct ends *e, struct why *why)
{
	const char *name = order->spec->hosts[order->node].name;
	if (!port_allow(false, why))
		return false;
	if (setns(e->netns, CLONE_NEWNET) != 0)
		return why_set(why, errno, "entering the node's network");
	if (sethostname(name, strlen(name)) != 0)
		return why_set(why, errno, "setting the host name");
	return rootfs_enter(order->spec, order->node, why);
}

static void run_init(const struct launch_order *order, struct ends e)
{
	struct why why;
	command_reset_signals();
	if (!keep_only(&e, &why))
		fail(e.control, &why);
	if (!set_up_init(order, &e, &why))
		fail(e.control, &why);
	close(e.netns);
	pid_t supervisor = fork();
	if (supervisor == 0)
		run_supervisor(order, e);
	if (supervisor < 0) {
		why_set(&why, errno, "making the supervisor");
		fail(e.control, &why);
	}
	syscall(SYS_close_range, 3, ~0u, 0);
	for (pid_t gone = 0; gone != supervisor;)
		if ((gone = wait(NULL)) < 0 && errno != EINTR)
			break;
	_exit(0);
}
