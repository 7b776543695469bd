#include "engine/commands.h"

#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

const struct command *const commands_all[] = {
#define COMMAND_ROW(row) &command_##row,
	COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
		NULL,
};

const struct command *commands_find(const char *name)
{
	for (const struct command *const *c = commands_all; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

const char *commands_nearest(const char *name)
{
	const char *names[sizeof commands_all / sizeof *commands_all];
	size_t n = 0;
	for (const struct command *const *c = commands_all; *c; c++)
		names[n++] = (*c)->name;
	return text_nearest(name, names, n);
}
