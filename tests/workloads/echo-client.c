/* echo-client HOST PORT COUNT [--pause-ms N]: sends `msg 1` to `msg COUNT`, each until its echo came, over a new connection
 * whenever the server is gone. Exits 0 when all echoes were right, 1 when one was not. */
#include <stdio.h>
#include <string.h>
#include "net.h"

/* Returns true when the echo was right. */
static bool exchange(struct net *c, const char *host, const char *port, long n)
{
	char sent[64];
	char line[NET_LINE_MAX + 1];

	for (int tries = 1;; tries++) {
		if (c->fd >= 0 || net_open(c, host, port)) {
			snprintf(sent, sizeof sent, "msg %ld\n", n);
			if (net_send(c, sent))
				printf("sent %ld\n", n);
			if (net_line(c, line))
				break;
		}
		printf("retry %ld\n", n);
		net_backoff(tries);
	}
	sent[strlen(sent) - 1] = '\0';
	if (strcmp(sent, line) == 0) {
		printf("echo %ld\n", n);
		return true;
	}
	printf("mismatch %ld got %s\n", n, line);
	return false;
}

int main(int argc, char **argv)
{
	struct net c = {.fd = -1};
	bool right = true;
	int pause_ms = 0;

	if (argc == 6 && strcmp(argv[4], "--pause-ms") == 0) {
		pause_ms = (int)net_number("--pause-ms", argv[5], 0, 3600000);
	} else if (argc != 4) {
		fprintf(stderr, "usage: echo-client HOST PORT COUNT [--pause-ms N]\n");
		return 2;
	}
	long count = net_number("COUNT", argv[3], 1, 1000000000);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (long n = 1; n <= count; n++) {
		if (n > 1 && pause_ms > 0)
			net_pause(pause_ms);
		right &= exchange(&c, argv[1], argv[2], n);
	}
	net_close(&c);
	return right ? 0 : 1;
}
