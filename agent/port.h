/* The machine's I/O ports: the only file with assembler. x86 only, as the machine is. */
#ifndef AGENT_PORT_H
#define AGENT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/why.h"

/* Allows this process to use I/O ports, or (in a child, which inherits the right) forbids it again. */
bool port_allow(bool allowed, struct why *why);

/* One byte on the first serial port (0x3f8). The host's end is a file, so it never has to wait. */
void port_ring(uint8_t byte);

/* The barrier: QEMU's pvpanic device stops the machine at this very instruction. Returns when the host lets it go on. */
void port_barrier(void);

/* Size in bytes of a fw_cfg file, which is then the one that port_fwcfg_read reads from its start; false if there is none. */
bool port_fwcfg_open(const char *name, size_t *ret_size);
void port_fwcfg_read(void *data, size_t size);

#endif
