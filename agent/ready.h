/* Does something listen on a TCP port of a node? Read from /proc, so that the program is not disturbed by a connection. */
#ifndef AGENT_READY_H
#define AGENT_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define READY_TABLE_MAX (32 * 1024) /* bytes of /proc/net/tcp that are looked at; listening sockets come first in it */

/* Pure: is there a line of a listening socket with this local port in the text of /proc/net/tcp or tcp6? */
bool ready_listens(const char *text, size_t size, uint16_t port);

/* The same for the network namespace of a process, over IPv4 and IPv6. False as well when it cannot be read. */
bool ready_port(pid_t pid, uint16_t port);

#endif
