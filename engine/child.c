#include "engine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/file.h"

#define BACKGROUND_NICE 10

/* Runs in the child: only async-signal-safe calls. Returns the errno that stopped it. */
static int become(const struct child_spec *spec, pid_t parent)
{
	if (!spec->terminal && setsid() < 0)
		return errno;
	if (!spec->survives && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return errno;
	if (!spec->survives && getppid() != parent) /* it died before the prctl */
		return ESRCH;
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		return errno;
	/* Copies above the range of 0..2, because the standard descriptors may be given in any order. */
	int in = fcntl(spec->in_fd ? spec->in_fd : null_fd, F_DUPFD_CLOEXEC, 3);
	int out = fcntl(spec->out_fd ? spec->out_fd : null_fd, F_DUPFD_CLOEXEC, 3);
	int error = fcntl(spec->err_fd ? spec->err_fd : null_fd, F_DUPFD_CLOEXEC, 3);
	if (in < 0 || out < 0 || error < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(error, 2) < 0)
		return errno;
	if (syscall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */) < 0)
		for (int fd = 3; fd < 1024; fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	for (size_t i = 0; i < spec->inherit_count; i++)
		if (fcntl(spec->inherit[i], F_SETFD, 0) < 0)
			return errno;
	if (spec->dir && chdir(spec->dir) < 0)
		return errno;
	if (spec->background)
		setpriority(PRIO_PROCESS, 0, BACKGROUND_NICE);
	struct sigaction normal = {.sa_handler = SIG_DFL};
	for (int s = 1; s < NSIG; s++)
		sigaction(s, &normal, NULL);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (spec->env)
		environ = (char **)(uintptr_t)spec->env;
	execvp(spec->argv[0], (char *const *)(uintptr_t)spec->argv);
	return errno;
}

bool child_start(struct child *c, const struct child_spec *spec, struct err *err)
{
	*c = (struct child){.pid_fd = -1};
	int report[2];
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, errno, "starting %s", spec->argv[0]);
	pid_t parent = getpid();
	/* No handler of ours may run in the child between fork and exec. */
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid_t pid = fork();
	if (pid == 0) {
		int why = become(spec, parent);
		ssize_t ignored = write(report[1], &why, sizeof why);
		(void)ignored;
		_exit(127);
	}
	int fork_errno = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(report[1]);
	int why = 0;
	ssize_t got = 0;
	if (pid > 0)
		while ((got = read(report[0], &why, sizeof why)) < 0 && errno == EINTR)
			;
	close(report[0]);
	if (pid < 0)
		return err_sys(err, fork_errno, "starting %s", spec->argv[0]);
	if (got > 0) {
		waitpid(pid, NULL, 0);
		return err_sys(err, why, "starting %s", spec->argv[0]);
	}
	c->pid = pid;
	c->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pid_fd < 0) {
		err_sys(err, errno, "watching %s", spec->argv[0]);
		child_kill(c);
		return false;
	}
	fcntl(c->pid_fd, F_SETFD, FD_CLOEXEC);
	return true;
}

static void reaped(struct child *c)
{
	if (c->pid_fd >= 0)
		close(c->pid_fd);
	c->pid_fd = -1;
	c->pid = 0;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool child_wait(struct child *c, int timeout_ms)
{
	int64_t end_ms = now_ms() + timeout_ms;
	while (c->pid) {
		pid_t got = waitpid(c->pid, &c->status, WNOHANG);
		if (got == c->pid || (got < 0 && errno == ECHILD)) {
			reaped(c);
			break;
		}
		int64_t left_ms = timeout_ms < 0 ? -1 : end_ms - now_ms();
		if (timeout_ms >= 0 && left_ms <= 0)
			return false;
		struct pollfd p = {c->pid_fd, POLLIN, 0};
		poll(&p, 1, (int)left_ms);
	}
	return true;
}

void child_kill(struct child *c)
{
	if (!c->pid)
		return;
	/* The group first: a child that is its own session may have children of its own. */
	if (getpgid(c->pid) == c->pid)
		kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	reaped(c);
}

const char *child_status_text(int status, char *text, size_t room)
{
	if (WIFEXITED(status))
		snprintf(text, room, "exited with status %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		snprintf(text, room, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(text, room, "changed state (0x%x)", (unsigned)status);
	return text;
}

/* Returns false at end of file. Output beyond the limit is read and dropped, so that the child never blocks. */
static bool drain(int fd, struct buf *out)
{
	char block[65536];
	ssize_t got = read(fd, block, sizeof block);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	if (out && got > 0) {
		size_t room = CHILD_CAPTURE_MAX - (out->size < CHILD_CAPTURE_MAX ? out->size : CHILD_CAPTURE_MAX);
		buf_add(out, block, (size_t)got < room ? (size_t)got : room);
	}
	return got > 0;
}

static bool pump(struct child *c, int out_fd, int err_fd, int timeout_ms, struct buf *out, struct buf *errors)
{
	int64_t end_ms = now_ms() + timeout_ms;
	struct pollfd p[2] = {{out_fd, POLLIN, 0}, {err_fd, POLLIN, 0}};
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int64_t left_ms = timeout_ms < 0 ? -1 : end_ms - now_ms();
		if (timeout_ms >= 0 && left_ms <= 0)
			return false;
		if (poll(p, 2, (int)left_ms) < 0 && errno != EINTR)
			return false;
		for (int i = 0; i < 2; i++)
			if (p[i].fd >= 0 && p[i].revents && !drain(p[i].fd, i ? errors : out))
				p[i].fd = -1;
	}
	int64_t left_ms = timeout_ms < 0 ? -1 : end_ms - now_ms();
	return child_wait(c, left_ms < 0 && timeout_ms >= 0 ? 0 : (int)left_ms);
}

bool child_run(const struct child_spec *spec, const void *input, size_t input_size, int timeout_ms, struct buf *out,
	struct buf *errors, int *status, struct err *err)
{
	struct child_spec s = *spec;
	int out_pipe[2] = {-1, -1}, err_pipe[2] = {-1, -1};
	struct child c = {.pid_fd = -1};
	/* The input is a memory file: the child can be as slow in reading it as it likes. */
	s.in_fd = input ? file_memory_of("input", input, input_size, err) : 0;
	bool ok = s.in_fd >= 0;
	if (ok && (pipe2(out_pipe, O_CLOEXEC) < 0 || pipe2(err_pipe, O_CLOEXEC) < 0))
		ok = err_sys(err, errno, "starting %s", spec->argv[0]);
	s.out_fd = out_pipe[1];
	s.err_fd = err_pipe[1];
	ok = ok && child_start(&c, &s, err);
	if (out_pipe[1] >= 0)
		close(out_pipe[1]);
	if (err_pipe[1] >= 0)
		close(err_pipe[1]);
	if (ok && !pump(&c, out_pipe[0], err_pipe[0], timeout_ms, out, errors))
		ok = err_set(err, ERR_SYSTEM, "%s did not end within %d ms", spec->argv[0], timeout_ms);
	child_kill(&c);
	if (status)
		*status = c.status;
	if (out_pipe[0] >= 0)
		close(out_pipe[0]);
	if (err_pipe[0] >= 0)
		close(err_pipe[0]);
	if (s.in_fd > 0)
		close(s.in_fd);
	return ok;
}
