#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "net.h"

static bool wait_for(int fd, short what)
{
	struct pollfd p = {.fd = fd, .events = what};
	int n;

	do
		n = poll(&p, 1, NET_TIMEOUT_MS);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

/* A plain connect() to a host behind a partition would take minutes to fail. */
static bool connect_in_time(int fd, const struct addrinfo *to)
{
	int error = 0;
	socklen_t size = sizeof error;

	if (connect(fd, to->ai_addr, to->ai_addrlen) == 0)
		return true;
	if (errno != EINPROGRESS || !wait_for(fd, POLLOUT))
		return false;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

bool net_open(struct net *c, const char *host, const char *port)
{
	struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	struct addrinfo *to;

	net_close(c);
	if (getaddrinfo(host, port, &hints, &to) != 0)
		return false;
	c->fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd >= 0 && !connect_in_time(c->fd, to))
		net_close(c);
	freeaddrinfo(to);
	return c->fd >= 0;
}

void net_close(struct net *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->held = 0;
}

bool net_send(struct net *c, const char *text)
{
	size_t left = strlen(text);

	while (left > 0 && c->fd >= 0) {
		ssize_t n = send(c->fd, text, left, MSG_NOSIGNAL);
		if (n >= 0) {
			text += n;
			left -= (size_t)n;
		} else if (errno != EINTR && (errno != EAGAIN || !wait_for(c->fd, POLLOUT))) {
			net_close(c);
		}
	}
	return c->fd >= 0;
}

static bool receive(struct net *c)
{
	while (c->fd >= 0 && c->held < sizeof c->bytes) {
		ssize_t n = recv(c->fd, c->bytes + c->held, sizeof c->bytes - c->held, 0);
		if (n > 0) {
			c->held += (size_t)n;
			return true;
		}
		if (n == 0 || (errno != EINTR && (errno != EAGAIN || !wait_for(c->fd, POLLIN))))
			break;
	}
	net_close(c);
	return false;
}

static void take(struct net *c, size_t count)
{
	memmove(c->bytes, c->bytes + count, c->held - count);
	c->held -= count;
}

bool net_line(struct net *c, char *line)
{
	for (;;) {
		char *end = memchr(c->bytes, '\n', c->held);
		if (end) {
			size_t size = (size_t)(end - c->bytes);
			size_t text = size > 0 && end[-1] == '\r' ? size - 1 : size;
			if (text > NET_LINE_MAX)
				break;
			memcpy(line, c->bytes, text);
			line[text] = '\0';
			take(c, size + 1);
			return true;
		}
		if (!receive(c))
			return false;
	}
	net_close(c);
	return false;
}

bool net_skip(struct net *c, size_t count)
{
	for (;;) {
		size_t n = count < c->held ? count : c->held;
		take(c, n);
		count -= n;
		if (count == 0)
			return true;
		if (!receive(c))
			return false;
	}
}

void net_pause(int pause_ms)
{
	struct timespec t = {.tv_sec = pause_ms / 1000, .tv_nsec = pause_ms % 1000 * 1000000L};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

void net_backoff(int tries)
{
	net_pause(tries > 5 ? 1000 : 50 << (tries > 0 ? tries - 1 : 0));
}

long net_number(const char *what, const char *text, long lo, long hi)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);

	if (errno || end == text || *end || n < lo || n > hi) {
		fprintf(stderr, "%s: expected a number from %ld to %ld, not '%s'\n", what, lo, hi, text);
		exit(2);
	}
	return n;
}
