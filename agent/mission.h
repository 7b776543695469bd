/* The orders of a run, which the engine made from its plan: decoded and verified. Pure: bytes in, values out. */
#ifndef AGENT_MISSION_H
#define AGENT_MISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/spec.h"
#include "agent/why.h"
#include "agent/wire.h"

#define MISSION_SIZE_MAX    (8 * 1024 * 1024) /* bytes of the file */
#define MISSION_STRINGS_MAX 512               /* arguments of a command, entries of an environment, parameters of a fault */
#define MISSION_PATH_MAX    4096
#define MISSION_TEXT_MAX    1024 /* bytes of a ready text */
#define MISSION_STDIN_MAX   1024 /* pieces of input of all nodes */
#define MISSION_ENTROPY_MAX 512

struct mission_node {
	const char *argv[MISSION_STRINGS_MAX + 1]; /* at least one, NULL-terminated; borrowed from the file, as env */
	const char *env[MISSION_STRINGS_MAX + 1];
	char cwd[MISSION_PATH_MAX]; /* absolute */
	uint32_t uid, gid;
	enum wire_ready ready;
	uint16_t port;                /* WIRE_READY_PORT */
	struct wire_bytes ready_text; /* WIRE_READY_LINE; borrowed, 1 to MISSION_TEXT_MAX bytes */
	enum wire_restart restart;
	uint64_t delay_ns; /* before each restart */
	uint64_t wait;     /* mask of nodes that must have been ready before its first start */
};

struct mission_stdin {
	size_t node;
	uint64_t invocation; /* 0 = each */
	uint64_t offset;     /* of the first byte: what came before of this invocation's input */
	bool end;            /* end of file follows */
	struct wire_bytes bytes;
	uint64_t delay_ns; /* after the start of the invocation */
};

struct mission_trouble {
	char kind[32];
	size_t node;
	const char *params[MISSION_STRINGS_MAX + 1]; /* "name=value", NULL-terminated */
	uint64_t for_ns;
	enum wire_trigger trigger;
	uint64_t trigger_value, trigger_of, trigger_nth, delay_ns; /* as in wire.h; trigger_of is in range */
};

struct mission {
	uint8_t digest[WIRE_DIGEST_SIZE];
	struct wire_bytes entropy; /* borrowed, at most MISSION_ENTROPY_MAX bytes */
	uint64_t limit_ns;         /* 0 for none */
	uint64_t wait;             /* mask of nodes whose last exit ends the run; 0: it goes on to its limit */
	size_t node_count;         /* as the spec's */
	struct mission_node nodes[WIRE_NODES_MAX];
	size_t stdin_count;
	struct mission_stdin stdins[MISSION_STDIN_MAX]; /* in the order of the file: those of one node by offset */
	size_t trouble_count;
	struct mission_trouble troubles[WIRE_FAULTS_MAX];
};

/* Reads a whole file into *ret, which borrows from data. It may be filled in partly on failure. */
bool mission_read(const uint8_t *data, size_t size, const struct spec *spec, struct mission *ret, struct why *why);

/* One TROUBLE frame into *t, which borrows from the frame. trigger_of is not looked at: that is mission_check_trigger's, once it
 * is known how many faults there are. */
bool mission_read_trouble(const struct wire_message *m, size_t node_count, struct mission_trouble *t, struct why *why);
bool mission_check_trigger(
	const struct mission_trouble *t, size_t index, size_t trouble_count, size_t node_count, struct why *why);

/* Value of the parameter `name` of a trouble, or NULL. */
const char *mission_param(const struct mission_trouble *t, const char *name);

/* Is there input for this invocation of the node? */
bool mission_has_stdin(const struct mission *o, size_t node, uint64_t invocation);

#endif
