/*
 * Does a symbol of a program have the name that a person typed? "add" means add, shop::add and the instances of a template of
 * that name; types of parameters and arguments of templates count where they were typed.
 */
#ifndef ENGINE_NAMED_H
#define ENGINE_NAMED_H

#include <stdbool.h>
#include <stddef.h>

enum named_fit { NAMED_NOT, NAMED_END /* shop::add for add */, NAMED_WHOLE };

/* A name to look for. */
struct named {
	const char *name; /* borrowed */
	char *last;       /* without namespaces, types of parameters and arguments of templates; owned */
	bool types;       /* of parameters are in the name */
	bool templates;   /* arguments of templates are in the name */
};

/* name: borrowed until named_finish. */
struct named named_of(const char *name);
void named_finish(struct named *n);

/* symbol: as the program's file has it. */
enum named_fit named_fit(const struct named *n, const char *symbol);
/* The same for a name as people write it: "shop::add<int>". */
enum named_fit named_fit_shown(const struct named *n, const char *shown);

#endif
