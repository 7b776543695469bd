#include "engine/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "engine/buf.h"

struct demangling {
	struct buf text;
	jmp_buf too_long;
};

/* A short name may stand for one of any length, each part of which repeats the last. The library has no way to be stopped other
 * than this one, which leaves nothing behind: with a callback it allocates nothing. */
static void add(const char *text, size_t size, void *data)
{
	struct demangling *d = data;
	if (d->text.size + size > DEMANGLE_MAX)
		longjmp(d->too_long, 1);
	buf_add(&d->text, text, size);
}

char *demangle(const char *name, bool parameters)
{
	struct demangling d = {0};
	if (strncmp(name, "_Z", 2) || strlen(name) > DEMANGLE_MAX)
		return NULL;
	if (!setjmp(d.too_long) &&
		cplus_demangle_v3_callback(name, parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS, add, &d) && d.text.size)
		return buf_take(&d.text);
	buf_free(&d.text);
	return NULL;
}
