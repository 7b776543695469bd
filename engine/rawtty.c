#include "engine/rawtty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_back(const struct rawtty *t)
{
	while (tcsetattr(t->fd, TCSADRAIN, &t->before) < 0 && errno == EINTR)
		continue;
}

/* Our process: until there is nobody left to give the terminal back. It is woken by a byte when it is no longer needed. */
static _Noreturn void keep(const struct rawtty *t, int fd, const char *reset)
{
	char byte;
	ssize_t got;
	do
		got = read(fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got == 0) {
		tcsetattr(t->fd, TCSANOW, &t->before);
		ssize_t ignored = write(t->fd, reset, strlen(reset));
		(void)ignored;
	}
	_exit(0);
}

static bool start_keeper(struct rawtty *t, const char *reset, struct err *err)
{
	int pair[2];
	sigset_t all, before;
	if (pipe2(pair, O_CLOEXEC) != 0)
		return err_sys(err, errno, "making a pipe");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	t->keeper = fork();
	if (t->keeper == 0) {
		close(pair[1]);
		prctl(PR_SET_NAME, "polecat-tty");
		keep(t, pair[0], reset);
	}
	int errnum = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(pair[0]);
	t->keeper_fd = pair[1];
	if (t->keeper > 0)
		return true;
	close(pair[1]);
	return err_sys(err, errnum, "making a process");
}

static void set_raw(struct rawtty *t)
{
	struct termios raw = t->before;
	cfmakeraw(&raw);
	while (tcsetattr(t->fd, TCSADRAIN, &raw) < 0 && errno == EINTR)
		continue;
}

bool rawtty_begin(struct rawtty *t, int fd, const char *reset, struct err *err)
{
	*t = (struct rawtty){.fd = fd};
	if (tcgetattr(fd, &t->before) != 0)
		return err_sys(err, errno, "asking how the terminal is set up");
	if (!start_keeper(t, reset, err))
		return false;
	t->raw = true;
	set_raw(t);
	return true;
}

void rawtty_suspend(struct rawtty *t)
{
	if (t->raw)
		put_back(t);
}

void rawtty_resume(struct rawtty *t)
{
	if (t->raw)
		set_raw(t);
}

void rawtty_end(struct rawtty *t)
{
	if (!t->raw)
		return;
	put_back(t);
	ssize_t ignored = write(t->keeper_fd, "", 1);
	(void)ignored;
	close(t->keeper_fd);
	while (waitpid(t->keeper, NULL, 0) < 0 && errno == EINTR)
		continue;
	*t = (struct rawtty){0};
}
