#include "engine/help.h"

#include "engine/verbs.h"

#include <string.h>

static const struct exit_status {
	int status;
	const char *about;
} exit_statuses[] = {
	{0, "everything asked for was done, and every property passed"},
	{1, "a property failed"},
	{2, "a property is unknown or was never exercised"},
	{3, "a replay diverged from its recording"},
	{4, "the command line, the scenario or another input is wrong"},
	{5, "the infrastructure failed: QEMU, a watchdog, the disk"},
};

enum { NAME_WIDTH = 12, OPTION_WIDTH = 24 };

void help_all(const struct command *const *commands, struct buf *out)
{
	buf_str(out, "usage: polecat COMMAND [OPTION]... [OPERAND]...\n\n");
	for (; *commands; commands++)
		buf_printf(out, "  %-*s %s\n", NAME_WIDTH, (*commands)->name, (*commands)->about);
	buf_str(out, "\n`polecat help COMMAND` shows a command's options; man polecat tells the rest.\n\nexit status:\n");
	for (size_t i = 0; i < sizeof exit_statuses / sizeof *exit_statuses; i++)
		buf_printf(out, "  %d  %s\n", exit_statuses[i].status, exit_statuses[i].about);
}

static void help_option(const struct args_option *o, struct buf *out)
{
	struct buf left = {0};
	if (o->letter)
		buf_printf(&left, "-%c, ", o->letter);
	buf_printf(&left, "--%s", o->name);
	if (o->value)
		buf_printf(&left, " %s", o->value);
	buf_printf(out, "  %-*s %s%s\n", OPTION_WIDTH, left.data, o->about, o->many ? " May be given more than once." : "");
	buf_free(&left);
}

void help_command(const struct command *c, struct buf *out)
{
	buf_printf(out, "usage: polecat %s [OPTION]...%s%s%s\n\n%s\n", c->name, *c->operands ? " " : "", c->operands,
		c->rest ? " [-- COMMAND...]" : "", c->about);
	if (c->more)
		buf_printf(out, "\n%s\n", c->more);
	buf_str(out, "\noptions:\n");
	for (const struct args_option *o = c->options; o && o->name; o++)
		help_option(o, out);
	for (const struct args_option *o = args_common; o->name; o++)
		help_option(o, out);
}

/* ---- mdoc ------------------------------------------------------------------------------------------------- */

/* mdoc takes a line that starts with a dot or a quote as a request, and a backslash as an escape. */
static void mdoc_text(struct buf *out, const char *text)
{
	bool start = true;
	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			buf_str(out, "\\&");
		if (*text == '\\')
			buf_str(out, "\\e");
		else if (*text == '\n' && text[1] == '\n')
			buf_str(out, "\n.Pp"), text++, buf_char(out, '\n');
		else
			buf_char(out, *text);
		start = *text == '\n';
	}
	buf_char(out, '\n');
}

static void mdoc_options(const struct args_option *o, struct buf *out)
{
	for (; o && o->name; o++) {
		buf_str(out, ".It");
		if (o->letter)
			buf_printf(out, " Fl %c ,", o->letter);
		buf_printf(out, " Fl -%s", o->name);
		if (o->value)
			buf_printf(out, " Ar %s", o->value);
		buf_char(out, '\n');
		mdoc_text(out, o->about);
	}
}

static void mdoc_command(const struct command *c, struct buf *out)
{
	buf_printf(out, ".Ss polecat %s %s%s\n", c->name, c->operands, c->rest ? " [-- COMMAND...]" : "");
	mdoc_text(out, c->about);
	if (c->more) {
		buf_str(out, ".Pp\n");
		mdoc_text(out, c->more);
	}
	if (!c->options || !c->options->name)
		return;
	buf_str(out, ".Bl -tag -width Ds\n");
	mdoc_options(c->options, out);
	buf_str(out, ".El\n");
}

/* "x[/FORMAT] ADDRESS [BYTES]", what it does, an example. */
static void mdoc_verbs(struct buf *out)
{
	const char *group = "";
	buf_str(out,
		".Sh DEBUG COMMANDS\nWhat\n.Ic polecat debug\nreads, and the\n.Ic \\&:\nline of the debug view takes. Names may "
		"be shortened.\n"
		".Fl p Ar PID|NODE[/THREAD]\nand\n.Fl f Ar N\nbefore the operands make one command be about another process, "
		"thread or call.\n");
	for (size_t i = 0; i < verbs_count(); i++) {
		const struct verb *v = verbs_get(i);
		if (strcmp(group, v->group))
			buf_printf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "", group = v->group);
		buf_printf(out, ".It Ic %s%s%s%s%s %s\n", v->name, v->alias ? " | " : "", v->alias ? v->alias : "",
			v->has_format ? " No /FORMAT" : "", *v->operands ? " Ar" : "", v->operands);
		mdoc_text(out, v->about);
		buf_str(out, ".br\nFor example:\n.Li ");
		mdoc_text(out, v->example);
	}
	buf_str(out, ".El\n");
}

void help_manual(const struct command *const *commands, struct buf *out)
{
	buf_str(out,
		".Dd November 29, 2026\n.Dt POLECAT 1\n.Os\n.Sh NAME\n.Nm polecat\n"
		".Nd find and understand failures of Linux programs, deterministically\n"
		".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n.Op Ar operand ...\n"
		".Sh DESCRIPTION\n.Nm\nruns unmodified Linux programs inside one deterministic virtual machine, breaks things "
		"around\n"
		"them by a seed, records everything, and replays it to the byte.\n.Sh COMMANDS\n");
	for (; *commands; commands++)
		mdoc_command(*commands, out);
	mdoc_verbs(out);
	buf_str(out,
		".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
		".It Ev XDG_CACHE_HOME\nWhere the kernel, guest images and boot snapshots are kept (in polecat/).\n"
		".It Ev POLECAT_RUNS\nThe runs directory when --runs is not given; otherwise it is ./runs.\n"
		".It Ev POLECAT_KERNEL\nA vmlinux or bzImage to use instead of Debian's; its modules are expected beside it in "
		"modules/.\n"
		".It Ev POLECAT_AGENT\nThe static program that is PID 1 of the machine, otherwise polecat-agent beside polecat.\n"
		".It Ev POLECAT_QEMU\nThe QEMU program, otherwise qemu-system-x86_64 in PATH.\n"
		".It Ev NO_COLOR\nNo colour in any output.\n.El\n.Sh EXIT STATUS\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < sizeof exit_statuses / sizeof *exit_statuses; i++)
		buf_printf(out, ".It %d\n%s\n", exit_statuses[i].status, exit_statuses[i].about);
	buf_str(out, ".El\n.Sh SEE ALSO\n.Xr polecat-scenario 5 ,\n.Xr polecat-ui 1\n");
}

/* ---- completions ------------------------------------------------------------------------------------------ */

static void complete_bash(const struct command *const *commands, struct buf *out)
{
	buf_str(out, "_polecat() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n\tcase ${COMP_WORDS[1]} in\n");
	for (const struct command *const *c = commands; *c; c++) {
		buf_printf(out, "\t%s) words='", (*c)->name);
		for (const struct args_option *o = (*c)->options; o && o->name; o++)
			buf_printf(out, "--%s ", o->name);
		buf_str(out, "--help' ;;\n");
	}
	buf_str(out, "\tesac\n\tif [ \"$COMP_CWORD\" = 1 ]; then words='");
	for (const struct command *const *c = commands; *c; c++)
		buf_printf(out, "%s ", (*c)->name);
	buf_str(out,
		"'; fi\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
		"\t*) if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"));\n"
		"\t   else COMPREPLY=($(compgen -f -- \"$cur\")); fi ;;\n\tesac\n}\ncomplete -o filenames -F _polecat polecat\n");
}

/* Single quotes inside zsh's and fish's single-quoted descriptions. */
static void quoted(struct buf *out, const char *text, const char *stop)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_str(out, stop);
		else
			buf_char(out, *text);
	}
}

static void complete_zsh(const struct command *const *commands, struct buf *out)
{
	buf_str(out, "#compdef polecat\n_polecat() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a commands=(\n");
	for (const struct command *const *c = commands; *c; c++) {
		buf_printf(out, "\t\t\t'%s:", (*c)->name);
		quoted(out, (*c)->about, "'\\''");
		buf_str(out, "'\n");
	}
	buf_str(out, "\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (const struct command *const *c = commands; *c; c++) {
		buf_printf(out, "\t%s) _arguments '*:file:_files'", (*c)->name);
		for (const struct args_option *o = (*c)->options; o && o->name; o++) {
			buf_printf(out, " '%s--%s", o->many ? "*" : "", o->name);
			buf_char(out, '[');
			for (const char *p = o->about; *p; p++)
				if (!strchr("[]'", *p))
					buf_char(out, *p);
			buf_printf(out, "]%s%s%s'", o->value ? ":" : "", o->value ? o->value : "", o->value ? ":_files" : "");
		}
		buf_str(out, " ;;\n");
	}
	buf_str(out, "\tesac\n}\n_polecat \"$@\"\n");
}

static void complete_fish(const struct command *const *commands, struct buf *out)
{
	for (const struct command *const *c = commands; *c; c++) {
		buf_printf(out, "complete -c polecat -n __fish_use_subcommand -f -a %s -d '", (*c)->name);
		quoted(out, (*c)->about, "\\'");
		buf_str(out, "'\n");
		for (const struct args_option *o = (*c)->options; o && o->name; o++) {
			buf_printf(out, "complete -c polecat -n '__fish_seen_subcommand_from %s' -l %s", (*c)->name, o->name);
			if (o->letter)
				buf_printf(out, " -s %c", o->letter);
			buf_printf(out, "%s -d '", o->value ? " -r" : "");
			quoted(out, o->about, "\\'");
			buf_str(out, "'\n");
		}
	}
}

bool help_completion(const struct command *const *commands, const char *shell, struct buf *out)
{
	if (!strcmp(shell, "bash"))
		complete_bash(commands, out);
	else if (!strcmp(shell, "zsh"))
		complete_zsh(commands, out);
	else if (!strcmp(shell, "fish"))
		complete_fish(commands, out);
	else
		return false;
	return true;
}
