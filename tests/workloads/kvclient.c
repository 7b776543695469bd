/* kvclient HOST PORT COUNT [--pause-ms N]: a redis client that keeps books. Writes k:1 to k:COUNT, printing `acked i` once
 * the server has answered +OK, then reads all of them back: `read i`, or `missing i`. Anything else (connection lost,
 * an error, the server still loading) prints `retry i` and tries again. Exits 0 when all were asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "net.h"

enum answer { YES, NO, AGAIN };

struct server {
	const char *host;
	const char *port;
	struct net c;
};

static bool request(struct server *s, const char *command, char *reply)
{
	if (s->c.fd < 0 && !net_open(&s->c, s->host, s->port))
		return false;
	return net_send(&s->c, command) && net_line(&s->c, reply);
}

static enum answer put(struct server *s, long i)
{
	char command[128], key[32], value[32], reply[NET_LINE_MAX + 1];
	int k = snprintf(key, sizeof key, "k:%ld", i);
	int v = snprintf(value, sizeof value, "%ld", i);

	snprintf(command, sizeof command, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", k, key, v, value);
	return request(s, command, reply) && strcmp(reply, "+OK") == 0 ? YES : AGAIN;
}

static enum answer get(struct server *s, long i)
{
	char command[128], key[32], value[32], reply[NET_LINE_MAX + 1];
	int k = snprintf(key, sizeof key, "k:%ld", i);

	snprintf(value, sizeof value, "%ld", i);
	snprintf(command, sizeof command, "*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n", k, key);
	if (!request(s, command, reply))
		return AGAIN;
	if (strcmp(reply, "$-1") == 0)
		return NO;
	if (reply[0] != '$') /* -LOADING and the like */
		return AGAIN;
	if (!net_line(&s->c, reply))
		return AGAIN;
	return strcmp(reply, value) == 0 ? YES : NO;
}

static bool insist(struct server *s, enum answer (*ask)(struct server *, long), long i)
{
	for (int tries = 1;; tries++) {
		enum answer answer = ask(s, i);
		if (answer != AGAIN)
			return answer == YES;
		printf("retry %ld\n", i);
		net_backoff(tries);
	}
}

int main(int argc, char **argv)
{
	int pause_ms = 0;

	if (argc == 6 && strcmp(argv[4], "--pause-ms") == 0) {
		pause_ms = (int)net_number("--pause-ms", argv[5], 0, 3600000);
	} else if (argc != 4) {
		fprintf(stderr, "usage: kvclient HOST PORT COUNT [--pause-ms N]\n");
		return 2;
	}
	struct server s = {.host = argv[1], .port = argv[2], .c = {.fd = -1}};
	long count = net_number("COUNT", argv[3], 1, 1000000000);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (long i = 1; i <= count; i++) {
		if (i > 1 && pause_ms > 0)
			net_pause(pause_ms);
		insist(&s, put, i);
		printf("acked %ld\n", i);
	}
	for (long i = 1; i <= count; i++)
		printf("%s %ld\n", insist(&s, get, i) ? "read" : "missing", i);
	net_close(&s.c);
	return 0;
}
