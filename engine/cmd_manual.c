/* `polecat manual` and `polecat completion`: what is made from the command rows. */
#include "engine/commands.h"
#include "engine/help.h"
#include "engine/output.h"

#include <string.h>

static bool manual(const struct args *args, int *status, struct err *err)
{
	(void)args;
	(void)status;
	(void)err;
	struct buf text = {0};
	help_manual(commands_all, &text);
	output_bytes(text.data, text.size);
	buf_free(&text);
	return true;
}

const struct command command_manual = {
	.name = "manual",
	.operands = "",
	.about = "Print the manual page polecat(1), made from the same table as this help.",
	.run = manual,
};

static bool completion(const struct args *args, int *status, struct err *err)
{
	(void)status;
	const char *const *operands;
	args_operands(args, &operands);
	struct buf text = {0};
	bool known = help_completion(commands_all, operands[0], &text);
	if (known)
		output_bytes(text.data, text.size);
	buf_free(&text);
	return known || err_set(err, ERR_USAGE, "completion: '%s' is not a shell it knows: bash, zsh or fish", operands[0]);
}

const struct command command_completion = {
	.name = "completion",
	.operands = "bash|zsh|fish",
	.least = 1,
	.most = 1,
	.about = "Print a completion script for a shell.",
	.run = completion,
};
