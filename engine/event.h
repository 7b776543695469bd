/*
 * One event of a run, its kinds, and its canonical line (docs/FORMATS.md, "Events"). Events are guest facts only.
 */
#ifndef ENGINE_EVENT_H
#define ENGINE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define EVENT_LINE_MAX (128 * 1024) /* longest line of events.jsonl that a reader takes */

/* X(enum, name): the one list of kinds. */
#define EVENT_KINDS(X) \
	X(RUN_START, "run.start") \
	X(RUN_END, "run.end") \
	X(NODE_STARTED, "node.started") \
	X(NODE_READY, "node.ready") \
	X(NODE_LAUNCH_FAILED, "node.launch_failed") \
	X(NODE_EXITED, "node.exited") \
	X(NODE_CLEANED, "node.cleaned") \
	X(PROC_OOM, "proc.oom") \
	X(IO_LINE, "io.line") \
	X(FAULT_SELECTED, "fault.selected") \
	X(FAULT_APPLIED, "fault.applied") \
	X(FAULT_REJECTED, "fault.rejected") \
	X(FAULT_OBSERVED, "fault.observed") \
	X(FAULT_HEALED, "fault.healed") \
	X(USER_EVENT, "user.event") \
	X(RUN_ENDING, "run.ending") \
	X(USER_INPUT, "user.input")

enum event_kind {
#define EVENT_ENUM(id, name) EVENT_##id,
	EVENT_KINDS(EVENT_ENUM)
#undef EVENT_ENUM
		EVENT_KIND_COUNT
};

struct event_bytes {
	const char *data; /* not NUL-terminated */
	size_t size;
};

/*
 * Flat: a kind uses the fields FORMATS.md lists for it, the others are zero or NULL. Strings are borrowed: from the
 * producer while it hands the event on, or from the line an event was parsed from (see event_parse).
 */
struct event {
	uint64_t seq, icount, vtime_ns;
	const char *node; /* "" for the machine; never NULL */
	enum event_kind kind;
	uint64_t invocation;
	uint64_t pid;
	uint64_t line;           /* io.line: number of the line in its node */
	bool is_stderr;          /* io.line */
	bool cut;                /* io.line without an end */
	struct event_bytes text; /* io.line, user.event, user.input: the raw bytes */
	bool by_signal;          /* node.exited */
	int status;              /* node.exited: exit status or signal number; node.launch_failed: errno */
	uint64_t out_bytes, err_bytes, kills;
	const char *out_sha256, *err_sha256; /* hex */
	const char *fault;                   /* fault.*: "kill#1" */
	const char *type;                    /* fault.*: "kill" */
	const char *why;                     /* fault.*, run.end; launch_failed: the step. Never NULL where the kind has it */
	const char *reason;                  /* run.ending, run.end */
	const char *plan;                    /* run.start: digest, hex */
};

const char *event_kind_name(enum event_kind kind);
bool event_kind_find(const char *name, enum event_kind *ret);
bool event_is_fault(const struct event *e);

/* Appends the canonical line, newline included. */
void event_write(const struct event *e, struct buf *out);

/*
 * Reads one line (without its newline) as event_write wrote it. Decoded strings are placed in *arena, which is cleared first;
 * e borrows from it until the next call. Errors: ERR_INPUT with the column in the sentence.
 */
bool event_parse(const char *line, size_t size, struct buf *arena, struct event *e, struct err *err);

/* The part of a canonical line that says what happened, not when: from `"node":` on. Two events of equal content are
 * "the same" to replay comparison and diff. Returns false if the line is not canonical. */
bool event_content(const char *line, size_t size, struct event_bytes *ret);

/* Where events go: live recording, replay comparison, properties and files are all sinks. Return false to stop the producer. */
struct event_sink {
	bool (*event)(void *data, const struct event *e, struct err *err);
	void *data;
};

/* Signal and errno names: "SIGKILL", "ENOENT"; a number in decimal when it has none. buffer holds at least 16 bytes. */
const char *event_signal_name(int signal, char buffer[16]);
int event_signal_number(const char *name); /* 0 if unknown; with or without SIG */
const char *event_errno_name(int number, char buffer[16]);
int event_errno_number(const char *name); /* 0 if unknown */

/* Which fields a kind has after `kind`, in their order: one table that writes and reads. */
enum event_field_type {
	FIELD_END,
	FIELD_NUMBER, /* uint64_t at the offset */
	FIELD_STRING, /* const char * at the offset */
	FIELD_ERRNO,  /* status, by name */
	FIELD_STREAM, /* is_stderr, "out" or "err" */
	FIELD_TEXT,   /* text: "text" or, where it is not UTF-8, "hex" */
	FIELD_CUT,    /* cut: only there when true */
	FIELD_STATUS, /* "exit": status or "signal": name */
};

#define EVENT_FIELDS_MAX 6

struct event_field {
	enum event_field_type type;
	const char *key; /* with what stands around it: ,"inv": - NULL where the type has more than one */
	size_t key_size;
	size_t offset;
};

/* FIELD_END ends them. */
const struct event_field *event_fields(enum event_kind kind);

#endif
