#include "agent/ready.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "agent/sysfile.h"

enum { LISTEN = 0x0a };

/* Hexadecimal digits at p, at least one: the place after them, or NULL. */
static const char *hex(const char *p, const char *end, uint32_t *ret)
{
	const char *start = p;
	for (*ret = 0; p < end; p++) {
		const char *digits = "0123456789ABCDEF", *d = *p ? strchr(digits, *p) : NULL;
		if (!d)
			break;
		*ret = *ret << 4 | (uint32_t)(d - digits);
	}
	return p > start ? p : NULL;
}

/* "  0: 00000000:1F90 00000000:0000 0A ...": slot, local address and port, remote ones, state. */
static bool line_listens(const char *p, const char *end, uint16_t port)
{
	uint32_t local = 0, state = 0, ignored;
	for (int colon = 0; colon < 2; colon++) {
		p = memchr(p, ':', (size_t)(end - p));
		if (!p++)
			return false;
	}
	if (!(p = hex(p, end, &local)) || p == end || *p++ != ' ')
		return false;
	if (!(p = memchr(p, ':', (size_t)(end - p))) || !(p = hex(p + 1, end, &ignored)) || p == end || *p++ != ' ')
		return false;
	return hex(p, end, &state) && state == LISTEN && local == port;
}

bool ready_listens(const char *text, size_t size, uint16_t port)
{
	const char *end = text + size;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		if (!stop)
			return false; /* a line that was cut */
		if (line_listens(text, stop, port))
			return true;
		text = stop + 1;
	}
	return false;
}

bool ready_port(pid_t pid, uint16_t port)
{
	static const char *const tables[] = {"tcp", "tcp6"};
	char path[64], text[READY_TABLE_MAX];
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct why ignored;
		size_t size;
		snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, tables[i]);
		if (sysfile_read(AT_FDCWD, path, text, sizeof text, &size, &ignored) && ready_listens(text, size, port))
			return true;
	}
	return false;
}
