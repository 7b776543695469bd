/* What works on this host: a small run of our own is recorded, replayed, stopped, taken back. Seconds, once the guest was booted.
 */
#ifndef ENGINE_DOCTOR_H
#define ENGINE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/prepare.h"

enum doctor_status { DOCTOR_GOOD, DOCTOR_WARNING, DOCTOR_BAD, DOCTOR_SKIPPED /* one that it depends on is bad */ };

enum doctor_id {
	DOCTOR_CACHE,
	DOCTOR_QEMU,
	DOCTOR_MEMORY,
	DOCTOR_BUSYBOX,
	DOCTOR_KERNEL,
	DOCTOR_BOOT,
	DOCTOR_RECORD,
	DOCTOR_REPEAT,
	DOCTOR_REPLAY,
	DOCTOR_STOP,
	DOCTOR_SEEK,
	DOCTOR_PLUGIN,
	DOCTOR_CHECKS,
};

struct doctor_check {
	const char *name; /* "record", one word, for people and JSON */
	enum doctor_status status;
	double seconds;
	char text[ERR_TEXT_MAX]; /* what was found, or what is wrong and what to do */
};

struct doctor_report {
	struct doctor_check checks[DOCTOR_CHECKS];
	size_t bad, warnings;
};

/* Called after each check. May be NULL. */
typedef void doctor_told(void *data, const struct doctor_check *check);

/* Does all checks; a bad one is a result and not a failure. False only when cancelled. */
bool doctor_run(struct doctor_report *report, struct progress progress, struct cancel *cancel, doctor_told *told, void *data,
	struct err *err);

const char *doctor_status_name(enum doctor_status status); /* "ok", "warning", "bad", "skipped" */

#endif
