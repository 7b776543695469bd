#include "engine/gdbserver.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/gdbanswer.h"
#include "engine/gdbmoves.h"

enum { READ_MAX = 4096 };

static bool say(struct gdbserver *g, const void *bytes, size_t size)
{
	const char *at = bytes;
	while (size && !g->closed) {
		ssize_t n = send(g->fd, at, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			g->closed = true;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return !g->closed;
}

static void hear(struct gdbserver *g, int flags)
{
	char bytes[READ_MAX];
	ssize_t n = recv(g->fd, bytes, sizeof bytes, flags);
	if (n > 0)
		gdb_feed(&g->stream, bytes, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		g->closed = true;
}

/* Has gdb asked to stop, or gone, while something goes on? */
static bool interrupted(void *data)
{
	struct gdbserver *g = data;
	if (!g->closed)
		hear(g, MSG_DONTWAIT);
	return g->closed || gdb_has_interrupt(&g->stream);
}

/* What gdb shows before it shows where a move ended. */
static void put_console(struct gdbserver *g, struct buf *framed)
{
	struct buf text = {0};
	if (!g->console.size)
		return;
	buf_char(&text, 'O');
	buf_hex(&text, g->console.data, g->console.size);
	gdb_put(framed, text.data, text.size);
	buf_clear(&g->console);
	buf_free(&text);
}

static bool handle(struct gdbserver *g, enum gdb_result what)
{
	struct buf answer = {0}, framed = {0};
	bool ok = true;
	if (what == GDB_DAMAGED)
		return say(g, "-", 1);
	if (what != GDB_PACKET)
		return what != GDB_BAD; /* an interrupt while nothing goes on is too late: it has stopped already */
	struct err ignored;
	if (!g->no_ack)
		ok = say(g, "+", 1);
	session_ensure(g->verbs->session, &ignored); /* what cannot be answered without a machine says so */
	if (ok && gdbanswer(g, g->stream.packet.data, g->stream.packet.size, &answer)) {
		put_console(g, &framed);
		gdb_put(&framed, answer.data ? answer.data : "", answer.size);
		ok = say(g, framed.data, framed.size);
	}
	g->no_ack |= !strcmp(g->stream.packet.data, "QStartNoAckMode");
	buf_free(&answer);
	buf_free(&framed);
	return ok && !g->detached;
}

/* Waits for one of the two, for the person, or for the end of the child. */
static bool wait_for(struct gdbserver *g, int fd, int child_fd, bool *ended, struct err *err)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = g->cancel ? g->cancel->fd : -1, .events = POLLIN},
		{.fd = child_fd, .events = POLLIN}};
	*ended = false;
	for (;;) {
		if (!session_wait(g->verbs->session, fds, 3, err))
			return false;
		struct signalfd_siginfo info;
		if (fds[1].revents && read(fds[1].fd, &info, sizeof info) == (ssize_t)sizeof info &&
			!(child_fd >= 0 && info.ssi_signo == SIGINT))
			return err_set(err, ERR_CANCELLED, "stopped on request");
		if (fds[0].revents)
			return true;
		*ended = fds[2].revents != 0;
		if (*ended)
			return true;
	}
}

static bool converse(struct gdbserver *g, int child_fd, struct err *err)
{
	bool ended = false;
	while (!g->closed && !g->detached && !ended) {
		enum gdb_result what = gdb_next(&g->stream);
		if (what == GDB_MORE) {
			if (!wait_for(g, g->fd, child_fd, &ended, err))
				return false;
			if (!ended)
				hear(g, 0);
		} else if (!handle(g, what)) {
			break;
		}
	}
	return true;
}

bool gdbserver_serve(struct gdbserver *g, int listener, int child_fd, struct err *err)
{
	bool ended;
	gdbmoves_take_files(g);
	if (!wait_for(g, listener, child_fd, &ended, err))
		return false;
	if (ended)
		return err_set(err, ERR_SYSTEM, "gdb ended without asking anything");
	g->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (g->fd < 0)
		return err_sys(err, errno, "the connection of gdb");
	if (g->cancel) {
		g->cancel->also = interrupted;
		g->cancel->data = g;
	}
	bool ok = converse(g, child_fd, err);
	if (g->cancel)
		g->cancel->also = NULL;
	close(g->fd);
	return ok;
}

void gdbserver_finish(struct gdbserver *g)
{
	gdb_finish(&g->stream);
	gdbfiles_finish(&g->opened);
	buf_free(&g->console);
	free(g->program);
}

int gdbserver_listen(const char *path, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path) {
		err_set(err, ERR_USAGE, "%s: expected a path of at most %zu bytes for a socket", path,
			sizeof address.sun_path - 1);
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mode_t old = umask(0177);
	bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
	int why = errno;
	umask(old);
	if (ok && listen(fd, 1) < 0) {
		why = errno;
		unlink(path);
		ok = false;
	}
	if (ok)
		return fd;
	if (fd >= 0)
		close(fd);
	err_sys(err, why, "%s", path);
	return -1;
}
