/*
 * What the agent and the engine say to each other: frames of bytes, the same in both directions.
 *
 *   frame := 0xC5  type:u8  size:u16le  payload[size]  crc32:u32le      (CRC-32/ISO-HDLC of type, size and payload)
 *
 * A payload is the fields of its type in the order of the layout table in wire.c: a number is an unsigned LEB128
 * varint of at most 10 bytes, bytes are a varint length and that many bytes. Nothing may follow the last field.
 *
 *   agent -> engine   appended to a region of guest memory; one byte on the serial port per frame, so that the replay log
 *                     gives every frame an instruction count (docs/FORMATS.md, "Frames in memory")
 *   engine -> agent   "orders": one fw_cfg file read once after the barrier (a run's only input)
 *   image  -> agent   "spec": the file /polecat/spec of the guest image, read before the barrier
 *
 * The lowest module of all: it includes only libc, allocates nothing, and is fuzzed.
 */
#ifndef AGENT_WIRE_H
#define AGENT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION     1
#define WIRE_MAGIC       0xC5
#define WIRE_PAYLOAD_MAX 65535
#define WIRE_OVERHEAD    8 /* magic, type, size, checksum */
#define WIRE_NODES_MAX   16
#define WIRE_FAULTS_MAX  256
#define WIRE_DIGEST_SIZE 32
#define WIRE_OUTPUT_MAX  60000 /* bytes of one OUTPUT frame */

/* Every vtime_ns is guest CLOCK_MONOTONIC minus its value at the barrier. A node, fault or invocation is named by number:
 * nodes and faults count from 0 in the order of the plan, invocations of a node from 1. */
enum wire_type {
	/* agent -> engine */
	WIRE_HELLO = 1,     /* value = WIRE_VERSION, bytes = build text; the only frame before a run */
	WIRE_BEGIN,         /* bytes = digest of the plan it obeys */
	WIRE_STARTED,       /* node, invocation, value = pid in the machine's first pid namespace */
	WIRE_READY,         /* node, invocation */
	WIRE_LAUNCH_FAILED, /* node, invocation, value = errno, bytes = the step that failed */
	WIRE_OUTPUT,        /* node, invocation, stream 1|2, offset in stream, sequence over both streams, bytes */
	WIRE_EXITED,        /* node, invocation, code = WIRE_BY_*, value = status or signal, totals and SHA-256 of both streams */
	WIRE_CLEANED,       /* node, invocation: every member reaped, both pipes at end of file; last frame of an invocation */
	WIRE_OOM,           /* node, invocation, value = kills so far of the node's cgroup */
	WIRE_FAULT,  /* fault, code = enum wire_stage, node and invocation it hit, value = errno if rejected, bytes = reason */
	WIRE_USER,   /* node, invocation, bytes = one line a process wrote to the well-known file */
	WIRE_END,    /* code = enum wire_end, bytes = text; the barrier follows */
	WIRE_FATAL,  /* bytes = sentence: the agent itself cannot go on */
	WIRE_ENDING, /* code = enum wire_end: decided; what still runs is ended now, which is not the workload's doing */
	WIRE_INPUT,  /* node, invocation, value = bytes read from the serial port for this visit, bytes = what of it was typed
		      */
	/* engine -> agent: RUN first, then NODE for each node, then the others */
	WIRE_RUN = 32, /* value = WIRE_VERSION, bytes = plan digest, entropy, limit_ns, wait = mask of nodes whose last exit ends
			  the run */
	WIRE_NODE,     /* node, argv, env, cwd, uid, gid, ready, ready_value, ready_text, restart, delay_ns, wait = mask of
			* nodes that must be ready first */
	WIRE_STDIN,    /* node, invocation (0 = each), offset, code = 1 if end of file follows, bytes, delay_ns after start */
	WIRE_TROUBLE, /* fault, bytes = kind name, node, params, for_ns, trigger, trigger_value, trigger_of, trigger_nth, delay_ns
		       */
	WIRE_VISIT,   /* in a fork only (agent/visit.h): node (one more than the last: the machine itself), argv, env, cwd,
		       * code = enum wire_visit, + WIRE_VISIT_HOLD, value = rows + 65536 * columns of a terminal */
	/* image -> agent */
	WIRE_MACHINE = 48, /* value = WIRE_VERSION, bytes = machine text for diagnostics */
	WIRE_HOST, /* node, bytes = name, address = IPv4 as a number, value = disk size in bytes or 0, image = number of its tree
		    */
};

/* What the visitor's command reads from. */
enum wire_visit {
	WIRE_VISIT_ALONE,    /* nothing */
	WIRE_VISIT_FED,      /* a pipe, which is fed through the serial port (agent/input.h) */
	WIRE_VISIT_TERMINAL, /* a terminal, fed likewise */
};
#define WIRE_VISIT_HOLD 8 /* the nodes stand still while the visitor is there */

enum wire_by { WIRE_BY_EXIT, WIRE_BY_SIGNAL };

/* A fault's life: selected -> applied | rejected -> observed -> healed. */
enum wire_stage { WIRE_SELECTED, WIRE_APPLIED, WIRE_REJECTED, WIRE_OBSERVED, WIRE_HEALED };

enum wire_end {
	WIRE_END_DONE,    /* every node of the wait mask has exited for good */
	WIRE_END_VTIME,   /* the virtual time limit was reached */
	WIRE_END_STALLED, /* nothing is left that could happen before the limit (every process waits, no fault is due) */
	WIRE_END_BYTES,   /* the region for frames is full */
};

enum wire_ready { WIRE_READY_START, WIRE_READY_PORT, WIRE_READY_LINE }; /* at start; TCP port listens; a line holds ready_text */
enum wire_restart { WIRE_RESTART_NEVER, WIRE_RESTART_AFTER_FAULT, WIRE_RESTART_ALWAYS };

enum wire_trigger {
	WIRE_AT,       /* vtime_ns = trigger_value */
	WIRE_LINES,    /* line number trigger_value of node trigger_of (both streams, all invocations, from 1) was completed */
	WIRE_AFTER,    /* fault trigger_of reached stage trigger_value */
	WIRE_ON_START, /* node trigger_of started for the trigger_nth time */
	WIRE_ON_READY, /* node trigger_of was ready for the trigger_nth time */
	WIRE_ON_EXIT,  /* node trigger_of exited for the trigger_nth time */
};

struct wire_bytes {
	const uint8_t *data; /* borrowed: points into the caller's buffer */
	size_t size;
};

/* One message, flat: each type uses the fields its layout names; the others are zero. argv, env and params are strings
 * that each end with a NUL byte. */
struct wire_message {
	enum wire_type type;
	uint64_t vtime_ns, node, invocation, stream, offset, sequence, value, code, fault;
	uint64_t out_total, err_total, wait, limit_ns, uid, gid, ready, ready_value, restart, delay_ns, for_ns;
	uint64_t trigger, trigger_value, trigger_of, trigger_nth, address, image;
	struct wire_bytes bytes, out_sha, err_sha, entropy, argv, env, cwd, ready_text, params;
};

/* Frame size of a message, or 0 if its payload would not fit or its type is unknown. */
size_t wire_size(const struct wire_message *m);

/* Writes the frame into out (at least wire_size bytes). Returns the bytes written, 0 as wire_size. */
size_t wire_encode(const struct wire_message *m, uint8_t *out, size_t room);

enum wire_result {
	WIRE_OK,        /* *used bytes were one frame, *m is filled in and points into data */
	WIRE_MORE,      /* not yet a whole frame */
	WIRE_BAD_MAGIC, /* data does not start with a frame */
	WIRE_BAD_TYPE,
	WIRE_BAD_SUM,
	WIRE_BAD_FIELD, /* a varint too long, bytes past the end, or bytes left over */
};

/* Reads one frame from the start of data. Never reads past size, never allocates. */
enum wire_result wire_decode(const uint8_t *data, size_t size, struct wire_message *m, size_t *used);

/* "output", "exited" ... for diagnostics; "?" for an unknown type. And a sentence for a result. */
const char *wire_type_name(enum wire_type type);
const char *wire_result_text(enum wire_result result);

uint32_t wire_crc32(const uint8_t *data, size_t size);

#endif
