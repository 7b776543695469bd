/* Names of symbols from a guest's programs: whatever they are, they are answered soon, within the limit, and as a string. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/demangle.h"
#include "engine/named.h"
#include "engine/sourcefile.h"
#include "tests/fuzz/fuzz.h"

/* Input: a name, with "_Z" put before it; the same bytes are a path in debug information too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strn((const char *)data, size), *name = mem_printf("_Z%s", text);
	struct buf path = {0};
	for (int parameters = 0; parameters < 2; parameters++) {
		char *made = demangle(name, parameters);
		if (made && (!*made || strlen(made) > DEMANGLE_MAX))
			abort();
		free(made);
	}
	/* As a name that somebody looks for, too: what is called like that has it. */
	struct named wanted = named_of(text);
	if (named_fit(&wanted, text) != NAMED_WHOLE || named_fit_shown(&wanted, text) != NAMED_WHOLE)
		abort();
	named_fit(&wanted, name);
	named_finish(&wanted);
	struct named add = named_of("add");
	named_fit_shown(&add, text);
	named_finish(&add);
	sourcefile_path("/", text, &path);
	if (path.size && (path.data[0] != '/' || strstr(path.data, "//") || strstr(path.data, "/../")))
		abort();
	buf_free(&path);
	sourcefile_print(text, strlen(text), 1, 100, 3, &path);
	for (size_t i = 0; i < path.size; i++)
		if ((unsigned char)path.data[i] < ' ' && path.data[i] != '\n')
			abort();
	buf_free(&path);
	free(name);
	free(text);
	return 0;
}
