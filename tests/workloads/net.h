/* What the workloads share: a TCP connection that gives up instead of hanging when the other side is cut off.
 *
 * Workloads are ordinary programs: they know nothing of polecat. They print neither pids nor times, so that a run of
 * one is the same bytes wherever the plan is the same. */
#ifndef WORKLOADS_NET_H
#define WORKLOADS_NET_H

#include <stdbool.h>
#include <stddef.h>

#define NET_TIMEOUT_MS 1000 /* for a connection, and for each read or write */
#define NET_LINE_MAX   512  /* longest line, without its end */

/* A connection and the bytes that have arrived but are not yet taken. `struct net c = {.fd = -1}` is a closed one. */
struct net {
	int fd;
	size_t held;
	char bytes[NET_LINE_MAX + 2];
};

/* Connects to host (a name or an address) and port; an open connection is closed first. False: refused, unreachable or late. */
bool net_open(struct net *c, const char *host, const char *port);

/* A closed connection may be closed again. */
void net_close(struct net *c);

/* Writes all bytes of text. False closes the connection. */
bool net_send(struct net *c, const char *text);

/* Takes one line without its CR LF or LF, NUL-terminated; line has NET_LINE_MAX + 1 bytes. False (end of stream, late, too
 * long) closes the connection. */
bool net_line(struct net *c, char *line);

/* Takes count bytes and throws them away. False closes the connection. */
bool net_skip(struct net *c, size_t count);

/* Sleeps. The pause before try number `tries` (from 1) doubles from 50 ms up to a second. */
void net_pause(int pause_ms);
void net_backoff(int tries);

/* A whole number from text, within lo..hi; anything else prints a sentence naming `what` and exits with 2. */
long net_number(const char *what, const char *text, long lo, long hi);

#endif
