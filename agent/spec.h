/* The file /polecat/spec of the guest image: which nodes the machine has. Pure: bytes in, values out. */
#ifndef AGENT_SPEC_H
#define AGENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/why.h"
#include "agent/wire.h"

#define SPEC_SIZE_MAX 65536 /* bytes of the file */
#define SPEC_NAME_MAX 63    /* as a host name's label */
#define SPEC_TEXT_MAX 255

struct spec_host {
	char name[SPEC_NAME_MAX + 1]; /* letters, digits, '-' and '_' */
	uint32_t address;             /* IPv4 as a number: 10.77.0.10 is 0x0a4d000a */
	uint64_t disk_size;           /* bytes, 0 for none */
	unsigned image;               /* its tree is /images/<image> */
};

struct spec {
	char machine[SPEC_TEXT_MAX + 1];
	size_t count; /* 1 to WIRE_NODES_MAX */
	struct spec_host hosts[WIRE_NODES_MAX];
};

/* Reads a whole file. MACHINE comes first, then HOST for node 0, 1, 2 ... Addresses of 0 become 10.77.0.(10 + node). */
bool spec_read(const uint8_t *data, size_t size, struct spec *ret, struct why *why);

#endif
