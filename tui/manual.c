#include "tui/manual.h"

#include <errno.h>

#include "tui/action.h"
#include "tui/theme.h"

static const char head[] =
	".Dd November 29, 2026\n"
	".Dt POLECAT-UI 1\n"
	".Os\n"
	".Sh NAME\n"
	".Nm polecat-ui\n"
	".Nd browse recorded runs on a terminal\n"
	".Sh SYNOPSIS\n"
	".Nm polecat ui\n"
	".Op Fl -runs Ar DIR\n"
	".Op Fl -debug-dir Ar DIR\n"
	".Op Fl -source-dir Ar DIR\n"
	".Op Ar RUN Op Ar RUN\n"
	".Sh DESCRIPTION\n"
	"Shows the runs of a directory, the timeline of one run with its events, faults and properties on one playhead, or two\n"
	"runs beside each other with their differences.\n"
	"A failed run opens at the event that decided its failure.\n"
	".Pp\n"
	"The last line shows the keys that make sense where one is; the line above it says where that is.\n"
	"Every action can be typed by its name after\n"
	".Ic \\&: ;\n"
	"Tab completes names of actions, moments, nodes and runs.\n"
	"The line is edited by readline and obeys\n"
	".Pa ~/.inputrc .\n"
	"The same key with Shift goes backwards.\n"
	".Pp\n"
	"The debug view stands in the machine of a run at one instruction:\n"
	"code, calls, variables, registers, processes, what was printed by then, the timeline, and what commands printed.\n"
	"There the line after\n"
	".Ic \\&:\n"
	"takes every command of\n"
	".Nm polecat debug ,\n"
	"and Tab completes functions, variables, moments and bookmarks.\n"
	"The focused pane has a cursor.\n"
	"In the calls it chooses the frame that code, variables and registers are of;\n"
	"Enter opens a variable, or puts the process or thread in focus, and again ends that.\n"
	"Variables and registers that changed since the stop before are marked with *,\n"
	"lines where continue stops with b.\n"
	"Moves of more than 200 ms say how far they are, and Esc stops them.\n"
	"Sources are looked for below\n"
	".Fl -source-dir\n"
	"before the places where they were compiled, debug information below\n"
	".Fl -debug-dir .\n"
	".Pp\n"
	"Nothing that a recorded program printed is obeyed by the terminal: control characters are shown as escapes.\n"
	".Sh KEYS AND COMMANDS\n";

static const char tail[] = ".Sh ENVIRONMENT\n"
			   ".Bl -tag -width Ds\n"
			   ".It Ev TERM\n"
			   "The kind of terminal.\n"
			   "One that this host does not know is driven like the nearest known kind.\n"
			   ".It Ev NO_COLOR\n"
			   "If set and not empty: no colours.\n"
			   ".It Ev COLORTERM\n"
			   ".Dq truecolor\n"
			   "uses 16 million colours where the terminal database has an entry for them.\n"
			   ".It Ev LANG , LC_ALL\n"
			   "Outside of a UTF-8 locale everything is drawn with ASCII.\n"
			   ".El\n"
			   ".Sh FILES\n"
			   ".Bl -tag -width Ds\n"
			   ".It Pa $XDG_CONFIG_HOME/polecat/keys.conf\n"
			   "Lines of\n"
			   ".Dq KEY ACTION ,\n"
			   ".Dq KEY none ,\n"
			   "or comments that start with #. A line binds the key where the action makes sense.\n"
			   ".It Pa $XDG_CONFIG_HOME/polecat/themes/NAME.theme\n"
			   "Themes of one's own, see above.\n"
			   ".It Pa $XDG_STATE_HOME/polecat/ui\n"
			   "Where one was in each run, its bookmarks and searches, folded panes; written as they are made.\n"
			   ".It Pa $XDG_STATE_HOME/polecat/history\n"
			   "What was typed after\n"
			   ".Ic \\&: .\n"
			   ".El\n"
			   ".Sh EXIT STATUS\n"
			   "0; 4 for a wrong command line or no terminal; 5 when something else failed.\n"
			   ".Sh SEE ALSO\n"
			   ".Xr polecat 1\n";

/* mdoc takes a line's first . or ' and every backslash for its own. */
static void put(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (*text == '"')
			fputs("\\(dq", out);
		else
			fputc(*text, out);
}

static void put_actions(FILE *out)
{
	struct keymap map;
	keymap_init(&map);
	for (int scope = SCOPE_COUNT - 1; scope >= 0; scope--) {
		fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n", scope_title((enum key_scope)scope));
		for (int action = 0; action < ACTION_COUNT; action++) {
			const struct action_info *info = action_info((enum action)action);
			if (info->scope != (enum key_scope)scope)
				continue;
			struct buf keys = {0};
			keymap_keys(&map, (enum action)action, false, &keys);
			fputs(".It Xo\n", out);
			if (keys.size) {
				fputs(".Sy \"\\&", out); /* a lone : or ? would be punctuation */
				put(out, keys.data);
				fputs("\"\n", out);
			}
			fprintf(out, ".Pq Ic \\&: Ns %s", info->name);
			if (info->argument[0])
				fprintf(out, " Ar \"%s\"", info->argument);
			fputs("\n.Xc\n", out);
			put(out, info->help);
			fputs(".\n", out);
			buf_free(&keys);
		}
		fputs(".El\n", out);
	}
}

static void put_themes(FILE *out)
{
	fputs(".Sh THEMES\nA theme gives roles their looks, a line each:\n.Pp\n.D1 ROLE[@COLOURS] FOREGROUND BACKGROUND "
	      "[ATTRIBUTE ...]\n.Pp\n"
	      "A colour is \\(dq-\\(dq (as without the role), default, a name (red, bright-red), 0..255 or #rrggbb; attributes "
	      "are bold, dim,\n"
	      "italic, underline, reverse.\n@256, @16, @8 and @0 limit a line to terminals of at most so many colours.\n"
	      "The themes that come with polecat:",
		out);
	for (size_t i = 0; theme_builtin_name(i); i++)
		fprintf(out, "%s %s", i ? "," : "", theme_builtin_name(i));
	fputs(".\nThe roles:", out);
	for (int role = 0; role < ROLE_COUNT; role++)
		fprintf(out, "%s %s", role ? "," : "", theme_role_name((enum role)role));
	fputs(".\n", out);
}

bool manual_print(FILE *out, struct err *err)
{
	fputs(head, out);
	put_actions(out);
	put_themes(out);
	fputs(tail, out);
	if (fflush(out) != 0 || ferror(out))
		return err_sys(err, errno, "the manual page cannot be written");
	return true;
}
