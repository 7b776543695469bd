/* Errors of the agent as values: one sentence, and the errno behind it if there is one. Includes only libc. */
#ifndef AGENT_WHY_H
#define AGENT_WHY_H

#include <stdbool.h>

#define WHY_MAX 240

struct why {
	int errnum; /* 0 when no system call is to blame */
	char text[WHY_MAX];
};

/* Fills in *why and returns false, so that `return why_set(...)` reads as "fail with". A text too long is cut. */
bool why_set(struct why *why, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
