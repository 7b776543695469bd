/* The orders of a run, which the engine made from its plan: decoded and verified. Pure: bytes in, values out. */
#ifndef AGENT_ORDERS_H
#define AGENT_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/spec.h"
#include "agent/why.h"
#include "agent/wire.h"

#define ORDERS_SIZE_MAX    (8 * 1024 * 1024) /* bytes of the file */
#define ORDERS_STRINGS_MAX 512               /* arguments of a command, entries of an environment, parameters of a fault */
#define ORDERS_PATH_MAX    4096
#define ORDERS_TEXT_MAX    1024 /* bytes of a ready text */
#define ORDERS_STDIN_MAX   1024 /* pieces of input of all nodes */
#define ORDERS_ENTROPY_MAX 512

struct orders_node {
	const char *argv[ORDERS_STRINGS_MAX + 1]; /* at least one, NULL-terminated; borrowed from the file, as env */
	const char *env[ORDERS_STRINGS_MAX + 1];
	char cwd[ORDERS_PATH_MAX]; /* absolute */
	uint32_t uid, gid;
	enum wire_ready ready;
	uint16_t port;                /* WIRE_READY_PORT */
	struct wire_bytes ready_text; /* WIRE_READY_LINE; borrowed, 1 to ORDERS_TEXT_MAX bytes */
	enum wire_restart restart;
	uint64_t delay_ns; /* before each restart */
	uint64_t wait;     /* mask of nodes that must have been ready before its first start */
};

struct orders_stdin {
	size_t node;
	uint64_t invocation; /* 0 = each */
	uint64_t offset;     /* of the first byte: what came before of this invocation's input */
	bool end;            /* end of file follows */
	struct wire_bytes bytes;
	uint64_t delay_ns; /* after the start of the invocation */
};

struct orders_trouble {
	char kind[32];
	size_t node;
	const char *params[ORDERS_STRINGS_MAX + 1]; /* "name=value", NULL-terminated */
	uint64_t for_ns;
	enum wire_trigger trigger;
	uint64_t trigger_value, trigger_of, trigger_nth, delay_ns; /* as in wire.h; trigger_of is in range */
};

struct orders {
	uint8_t digest[WIRE_DIGEST_SIZE];
	struct wire_bytes entropy; /* borrowed, at most ORDERS_ENTROPY_MAX bytes */
	uint64_t limit_ns;         /* 0 for none */
	uint64_t wait;             /* mask of nodes whose last exit ends the run; 0: it goes on to its limit */
	size_t node_count;         /* as the spec's */
	struct orders_node nodes[WIRE_NODES_MAX];
	size_t stdin_count;
	struct orders_stdin stdins[ORDERS_STDIN_MAX]; /* in the order of the file: those of one node by offset */
	size_t trouble_count;
	struct orders_trouble troubles[WIRE_FAULTS_MAX];
};

/* Reads a whole file into *ret, which borrows from data. It may be filled in partly on failure. */
bool orders_read(const uint8_t *data, size_t size, const struct spec *spec, struct orders *ret, struct why *why);

/* Value of the parameter `name` of a trouble, or NULL. */
const char *orders_param(const struct orders_trouble *t, const char *name);

/* Is there input for this invocation of the node? */
bool orders_has_stdin(const struct orders *o, size_t node, uint64_t invocation);

#endif
