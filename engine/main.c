/* polecat: finds the command's row, parses its words, runs it, and is the one place that exits. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/args.h"
#include "engine/commands.h"
#include "engine/help.h"
#include "engine/manifest.h"
#include "engine/output.h"

static int complain(const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "polecat: %s\n", err->text);
	return err_exit_status(err->code);
}

static int say_help(const struct command *command)
{
	struct buf text = {0};
	if (command)
		help_command(command, &text);
	else
		help_all(commands_all, &text);
	output_bytes(text.data, text.size);
	buf_free(&text);
	return 0;
}

static int unknown(const char *name)
{
	struct err err = {0};
	const char *near = commands_nearest(name);
	if (near)
		err_set(&err, ERR_USAGE, "there is no command '%s' (did you mean '%s'?)", name, near);
	else
		err_set(&err, ERR_USAGE, "there is no command '%s' (`polecat help` lists them)", name);
	return complain(&err);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = {0};
	struct args *args = args_parse(command, argc, argv, &err);
	if (!args)
		return complain(&err);
	int status = 0;
	bool ok = true;
	if (args_has(args, "help"))
		status = say_help(command);
	else
		ok = command->run(args, &status, &err);
	args_destroy(args);
	if (!ok)
		return complain(&err);
	if (!output_flush(&err))
		return complain(&err);
	return status;
}

int main(int argc, char **argv)
{
	umask(077);
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of the write, said by output_flush */
	if (argc < 2) {
		say_help(NULL);
		return err_exit_status(ERR_USAGE);
	}
	const char *name = argv[1];
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("polecat %s\n", POLECAT_VERSION);
		return 0;
	}
	bool help = !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h");
	if (help && argc == 2)
		return say_help(NULL);
	const struct command *command = commands_find(help ? argv[2] : name);
	if (!command)
		return unknown(help ? argv[2] : name);
	return help ? say_help(command) : run(command, argc - 2, argv + 2);
}
