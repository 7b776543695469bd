#include "engine/cancel.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool cancel_init(struct cancel *c, struct err *err)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	*c = (struct cancel){.fd = -1};
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys(err, errno, "hold back signals");
	c->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->fd < 0)
		return err_sys(err, errno, "signalfd");
	return true;
}

void cancel_finish(struct cancel *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

bool cancel_requested(struct cancel *c)
{
	struct signalfd_siginfo info;
	if (c && !c->requested && read(c->fd, &info, sizeof info) == (ssize_t)sizeof info)
		c->requested = true;
	if (c && !c->requested && c->also && c->also(c->data))
		c->requested = true;
	return c && c->requested;
}

bool cancel_check(struct cancel *c, struct err *err)
{
	return !cancel_requested(c) || err_set(err, ERR_CANCELLED, "stopped on request");
}
