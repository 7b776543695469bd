/*
 * The kernel's symbols, decoded from its own compressed table (kallsyms) in the RAM of a machine that runs it. Debian ships
 * neither a symbol table in vmlinux nor a System.map, so this is the only place that always has them; being read from
 * RAM they are the addresses that are in use.
 */
#ifndef ENGINE_KSYMS_H
#define ENGINE_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

#define KSYMS_MAX     4000000 /* symbols */
#define KSYMS_MIN     100     /* fewer are no kernel's */
#define KSYM_NAME_MAX 512     /* longest name, with its NUL */

struct ksyms;

struct ksym {
	uint64_t address;
	const char *name; /* borrowed from the table */
	char type;        /* as in /proc/kallsyms: T t D d B b R r A ... */
};

/* Looks for the table in bytes (physical RAM, or a vmlinux file). The result is the caller's. ERR_QEMU when there is none. */
struct ksyms *ksyms_create(const void *bytes, uint64_t size, struct err *err);
void ksyms_destroy(struct ksyms *ksyms);

size_t ksyms_count(const struct ksyms *ksyms);
/* By address, lowest first; per-CPU offsets come before everything else. */
const struct ksym *ksyms_get(const struct ksyms *ksyms, size_t i);

/* The first symbol of that name; NULL when there is none. */
const struct ksym *ksyms_find(const struct ksyms *ksyms, const char *name);

/* The last symbol at or below an address of kernel code or data; NULL when the address is outside the kernel image. */
const struct ksym *ksyms_at(const struct ksyms *ksyms, uint64_t address);

#endif
