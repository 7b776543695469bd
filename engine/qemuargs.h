/* QEMU's command line: one place decides what a machine is made of. */
#ifndef ENGINE_QEMUARGS_H
#define ENGINE_QEMUARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"

/* Descriptors that QEMU inherits. -1 in all of them gives the text for an identity: the same machine with no numbers in it. */
struct qemu_fds {
	int ram, device, log, serial, console, orders, monitor, initrd;
};

struct qemu_setup {
	bool replay;
	bool open;  /* time passes as the host's while the guest is idle, so that input from outside arrives */
	bool typed; /* the serial port is QEMU's standard input and output (7.2 has no other way to read from a descriptor) */
	unsigned memory_mib, output_mib;
	const char *kernel;         /* a vmlinux to boot; NULL: a snapshot will be loaded, and no kernel or initrd is needed */
	const char *const *plugins; /* NULL-terminated, or NULL */
	const char *gdb;
	bool background; /* the process is one that others go before: not an argument */
	struct qemu_fds fds;
};

/* An argument vector; argv ends with NULL. */
struct qemuargs {
	char **argv;
	size_t count, room;
};

void qemuargs_build(struct qemuargs *a, const char *program, const struct qemu_setup *setup);
void qemuargs_finish(struct qemuargs *a);

/* The kernel's command line for a machine; owned by the caller. */
char *qemuargs_kernel_words(unsigned memory_mib, unsigned output_mib);

#endif
