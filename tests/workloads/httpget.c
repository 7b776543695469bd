/* httpget HOST PORT PATH COUNT: fetches PATH until COUNT whole answers have come. Prints `ok N` for each, `retry N` when the
 * server is gone or cuts an answer short, `status N CODE` for an answer other than 200. Exits 1 when there was one of those. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "net.h"

/* The status of one whole answer, 0 when none came. Each request has a connection of its own, as HTTP/1.0 does it. */
static int fetch(const char *host, const char *port, const char *path)
{
	static const char length[] = "content-length:";
	struct net c = {.fd = -1};
	char text[1024];
	char line[NET_LINE_MAX + 1];
	int status = 0;
	size_t size = 0;

	snprintf(text, sizeof text, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path, host);
	if (!net_open(&c, host, port) || !net_send(&c, text) || !net_line(&c, line))
		return 0;
	if (sscanf(line, "HTTP/1.%*1[01] %3d", &status) != 1)
		status = 0;
	while (status && net_line(&c, line) && line[0])
		if (strncasecmp(line, length, strlen(length)) == 0)
			size = strtoul(line + strlen(length), NULL, 10);
	if (!net_skip(&c, size))
		status = 0;
	net_close(&c);
	return status;
}

int main(int argc, char **argv)
{
	int tries = 0;
	bool right = true;

	if (argc != 5 || strlen(argv[3]) > 256 || strlen(argv[1]) > 256) {
		fprintf(stderr, "usage: httpget HOST PORT PATH COUNT\n");
		return 2;
	}
	long count = net_number("COUNT", argv[4], 1, 1000000000);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (long n = 1; n <= count;) {
		int status = fetch(argv[1], argv[2], argv[3]);
		if (status == 0) {
			printf("retry %ld\n", n);
			net_backoff(++tries);
			continue;
		}
		if (status == 200)
			printf("ok %ld\n", n);
		else
			printf("status %ld %d\n", n, status);
		right &= status == 200;
		tries = 0;
		n++;
	}
	return right ? 0 : 1;
}
