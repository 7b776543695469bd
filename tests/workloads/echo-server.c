/* echo-server [PORT] [--corrupt N]: sends every line back. With --corrupt, the N-th line (counted over all connections)
 * comes back with its first letter changed. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "net.h"

#define CLIENTS_MAX 16

struct server {
	int listener;
	struct net clients[CLIENTS_MAX];
	long accepted;
	long echoed;
	long corrupt; /* 0: never */
};

static int listen_on(long port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
	int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
		bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, CLIENTS_MAX) < 0) {
		fprintf(stderr, "echo-server: port %ld: %s\n", port, strerror(errno));
		exit(1);
	}
	return fd;
}

/* When all places are taken the oldest connection goes: its client has long given up. */
static void accept_client(struct server *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct net *place = &s->clients[s->accepted % CLIENTS_MAX];

	if (fd < 0)
		return;
	net_close(place);
	place->fd = fd;
	printf("accepted %ld\n", ++s->accepted);
}

static void echo_lines(struct server *s, struct net *c)
{
	ssize_t n = recv(c->fd, c->bytes + c->held, sizeof c->bytes - c->held, 0);
	char line[NET_LINE_MAX + 2];

	if (n <= 0) {
		net_close(c);
		return;
	}
	c->held += (size_t)n;
	while (c->fd >= 0 && memchr(c->bytes, '\n', c->held)) {
		if (!net_line(c, line))
			return;
		if (++s->echoed == s->corrupt)
			line[0] = '#';
		strcat(line, "\n");
		net_send(c, line);
	}
	if (c->held == sizeof c->bytes)
		net_close(c); /* a line longer than we take */
}

static void serve(struct server *s)
{
	struct pollfd p[CLIENTS_MAX + 1];

	for (;;) {
		for (int i = 0; i < CLIENTS_MAX; i++)
			p[i] = (struct pollfd){.fd = s->clients[i].fd, .events = POLLIN};
		p[CLIENTS_MAX] = (struct pollfd){.fd = s->listener, .events = POLLIN};
		if (poll(p, CLIENTS_MAX + 1, -1) < 0 && errno != EINTR)
			return;
		for (int i = 0; i < CLIENTS_MAX; i++)
			if (p[i].revents)
				echo_lines(s, &s->clients[i]);
		if (p[CLIENTS_MAX].revents)
			accept_client(s);
	}
}

int main(int argc, char **argv)
{
	static struct server s;
	long port = 7777;

	int i = 1;
	if (i < argc && argv[i][0] != '-')
		port = net_number("PORT", argv[i++], 1, 65535);
	if (i + 1 < argc && strcmp(argv[i], "--corrupt") == 0) {
		s.corrupt = net_number("--corrupt", argv[i + 1], 1, 1000000000);
		i += 2;
	}
	if (i != argc) {
		fprintf(stderr, "usage: echo-server [PORT] [--corrupt N]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < CLIENTS_MAX; i++)
		s.clients[i].fd = -1;
	s.listener = listen_on(port);
	printf("listening\n");
	serve(&s);
	return 1;
}
