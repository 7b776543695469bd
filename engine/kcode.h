/*
 * The kernel's code at any address, its loaded modules included: names and unwind tables.
 */
#ifndef ENGINE_KCODE_H
#define ENGINE_KCODE_H

#include "engine/layout.h"

#define KCODE_MODULES_MAX 4096   /* loaded modules */
#define KCODE_SYMBOLS_MAX 200000 /* symbols of one */
#define KCODE_MODULE_SIZE 56     /* bytes of a module's name, with its NUL */

struct kcode_place {
	char name[KSYM_NAME_MAX];
	uint64_t offset;                /* from the symbol */
	char module[KCODE_MODULE_SIZE]; /* "" for the kernel itself */
};

/* The symbol at or below an address of the kernel or of a module. False when there is none. */
bool kcode_at(const struct guest *guest, uint64_t address, struct kcode_place *ret);

/* Address of a symbol of the kernel, or else of a module. */
bool kcode_find(const struct guest *guest, const char *name, uint64_t *ret_address);

/* The unwind tables that cover an address: sorted by it, `count` entries each. False when none does. */
struct kcode_tables {
	uint64_t where, how; /* addresses */
	uint64_t count;
};
bool kcode_tables(const struct guest *guest, uint64_t address, struct kcode_tables *ret);

/* Every loaded module, and every symbol of the one that lies at base. Names are borrowed during the call. */
struct kcode_module {
	char name[KCODE_MODULE_SIZE];
	uint64_t base, size;
};
struct kcode_symbol {
	const char *name;
	uint64_t address, size;
	bool code;
};
void kcode_each_module(const struct guest *guest, void (*each)(void *data, const struct kcode_module *module), void *data);
void kcode_each_symbol(
	const struct guest *guest, uint64_t base, void (*each)(void *data, const struct kcode_symbol *symbol), void *data);

#endif
