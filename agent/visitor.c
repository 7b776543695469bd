#include "agent/visitor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/command.h"
#include "agent/port.h"
#include "agent/rootfs.h"

#define BUSYBOX "/bin/busybox"
#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41) /* Linux 4.13: opens the terminal of its other end, whatever is mounted where */
#endif

/* ---- news --------------------------------------------------------------------------------------------------- */

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_news(int control, const struct visitor_news *news, int fd)
{
	union control room;
	struct iovec part = {.iov_base = (void *)(uintptr_t)news, .iov_len = sizeof *news};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	memset(&room, 0, sizeof room);
	if (fd >= 0) {
		m.msg_control = room.bytes;
		m.msg_controllen = sizeof room.bytes;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	/* If it does not arrive there is nobody left to tell. */
	return sendmsg(control, &m, MSG_NOSIGNAL) == (ssize_t)sizeof *news;
}

bool visitor_hear(int control, struct visitor_news *ret, int *ret_fd, bool *gone)
{
	union control room;
	struct iovec part = {.iov_base = ret, .iov_len = sizeof *ret};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
	ssize_t size = recvmsg(control, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	*ret_fd = -1;
	*gone = size >= 0 && size != (ssize_t)sizeof *ret;
	if (size != (ssize_t)sizeof *ret)
		return false;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
	if (*ret_fd >= 0)
		fcntl(*ret_fd, F_SETFL, O_RDWR | O_NONBLOCK);
	return true;
}

static _Noreturn void fail(int control, const struct why *why)
{
	struct visitor_news news = {.word = VISITOR_FAILED, .errnum = why->errnum};
	memcpy(news.step, why->text, sizeof news.step);
	send_news(control, &news, -1);
	_exit(127);
}

/* ---- where it is -------------------------------------------------------------------------------------------- */

/* Into the namespaces of the node's processes; a node that has none gets a fresh root, with what outlives its invocations. */
static bool enter(const struct spec *spec, const struct node *nodes, size_t node, struct why *why)
{
	enum { ALL = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET };
	if (node == spec->count)
		return true;
	const struct node *n = &nodes[node];
	int pidfd = n->launch.init > 0 ? (int)syscall(SYS_pidfd_open, n->launch.init, 0) : -1;
	if (pidfd >= 0 && setns(pidfd, ALL) == 0)
		return true;
	if (setns(n->netns, CLONE_NEWNET) != 0 || unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
		return why_set(why, errno, "entering namespaces of node %s", spec->hosts[node].name);
	return sethostname(spec->hosts[node].name, strlen(spec->hosts[node].name)) == 0 ||
		why_set(why, errno, "setting the host name");
}

/* In the new pid namespace, if there is one: only now can its /proc be mounted. */
static bool enter_fresh(const struct spec *spec, size_t node, struct why *why)
{
	bool fresh = node < spec->count && getpid() == 1;
	return !fresh || rootfs_enter(spec, node, why);
}

/* ---- its terminal ------------------------------------------------------------------------------------------- */

/* That of the node, so that the terminal has a name there. The machine below has none before somebody needs it, and a program may
 * have removed the node's: then one is mounted, which nobody else will see in this copy of the machine. */
static int open_master(struct why *why)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	mkdir("/dev", 0755);
	mkdir("/dev/pts", 0755);
	if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620") == 0)
		fd = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		why_set(why, errno, "making a terminal");
	return fd;
}

/* A terminal that belongs to this session, on the three standard descriptors. */
static bool open_terminal(const struct visit_request *r, int control, struct why *why)
{
	struct winsize size = {.ws_row = r->rows, .ws_col = r->columns};
	struct visitor_news news = {.word = VISITOR_TERMINAL};
	int locked = 0, master = open_master(why);
	if (master < 0)
		return false;
	int fd = ioctl(master, TIOCSPTLCK, &locked) == 0 ? ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY) : -1;
	if (fd < 0 || ioctl(fd, TIOCSWINSZ, &size) != 0 || ioctl(fd, TIOCSCTTY, 0) != 0)
		return why_set(why, errno, "making a terminal");
	if (!send_news(control, &news, master))
		return why_set(why, errno, "handing over the terminal");
	close(master);
	for (int i = 0; i < 3; i++)
		if (dup2(fd, i) < 0)
			return why_set(why, errno, "opening standard descriptors");
	if (fd > 2)
		close(fd);
	return true;
}

static bool open_pipes(const struct visitor_ends *ends, struct why *why)
{
	int in = ends->in >= 0 ? ends->in : open("/dev/null", O_RDONLY | O_CLOEXEC);
	return (in >= 0 && dup2(in, 0) >= 0 && dup2(ends->out, 1) >= 0 && dup2(ends->err, 2) >= 0) ||
		why_set(why, errno, "opening standard descriptors");
}

/* ---- the command and its keeper ----------------------------------------------------------------------------- */

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

static _Noreturn void run_command(
	const struct spec *spec, const struct visit_request *r, const struct visitor_ends *ends, int busybox)
{
	struct why why;
	command_reset_signals();
	if (!enter_fresh(spec, r->node, &why))
		fail(ends->control, &why);
	setsid();
	if (r->reads == WIRE_VISIT_TERMINAL ? !open_terminal(r, ends->control, &why) : !open_pipes(ends, &why))
		fail(ends->control, &why);
	if (chdir(r->cwd[0] ? r->cwd : "/") != 0) {
		why_set(&why, errno, "going to %.200s", r->cwd);
		fail(ends->control, &why);
	}
	execute(r, busybox);
	why_set(&why, errno, "executing %.200s", r->argv[0]);
	fail(ends->control, &why);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

_Noreturn void visitor_keep(
	const struct spec *spec, const struct node *nodes, const struct visit_request *r, const struct visitor_ends *ends)
{
	struct visitor_news news = {.word = VISITOR_ENDED};
	struct why why;
	int busybox = open(BUSYBOX, O_RDONLY | O_CLOEXEC);
	if (!port_allow(false, &why) || !enter(spec, nodes, r->node, &why))
		fail(ends->control, &why);
	pid_t pid = fork();
	if (pid == 0)
		run_command(spec, r, ends, busybox);
	if (pid < 0) {
		why_set(&why, errno, "making the command's process");
		fail(ends->control, &why);
	}
	close_fd(ends->in);
	close_fd(ends->out);
	close_fd(ends->err);
	while (waitpid(pid, &news.status, 0) < 0)
		if (errno != EINTR)
			_exit(127);
	send_news(ends->control, &news, -1);
	_exit(0);
}
