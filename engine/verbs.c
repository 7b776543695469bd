#include "engine/verbs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/verb.h"

static verb_run help, quit, gdb;

/* In the order people read them. */
static const struct verb verbs[] = {
	{"goto", "g", "MOMENT", 1, 1,
		"Go to a moment: 123456, ev:20, fault:kill#1.applied, prop:ID, t:4.39s, begin, end, +N, -N, a bookmark.", "moves",
		"goto fault:kill#1.applied", verb_goto, false},
	{"next", "n", "[WHAT...]", 0, WORDS_MAX,
		"To the next event; WHAT narrows it: fault, property, line, NODE, a fault, a kind, /TEXT; also switch (of "
		"processes), syscall.",
		"moves", "next line server", verb_next, false},
	{"prev", "p", "[WHAT...]", 0, WORDS_MAX, "To the event before here, as next.", "moves", "prev property", verb_prev,
		false},
	{"stepi", "si", "[N]", 0, 1, "N instructions on, interrupt handlers included.", "moves", "stepi 100", verb_stepi, false},
	{"rstepi", "rsi", "[N]", 0, 1, "N instructions back.", "moves", "rstepi 100", verb_rstepi, false},
	{"step", "s", "[N]", 0, 1, "On to another source line of the current thread, into calls.", "moves", "step", verb_step,
		false},
	{"rstep", "rs", "[N]", 0, 1, "Back to the start of the line before.", "moves", "rstep 3", verb_rstep, false},
	{"over", "o", "[N]", 0, 1, "On to another line of the same call, over the calls it makes.", "moves", "over", verb_over,
		false},
	{"rover", "ro", "[N]", 0, 1, "Back, over calls.", "moves", "rover", verb_rover, false},
	{"finish", NULL, "", 0, 0, "On to where the current function has returned to.", "moves", "finish", verb_finish, false},
	{"rfinish", NULL, "", 0, 0, "Back to the call of the current function.", "moves", "rfinish", verb_rfinish, false},
	{"back", NULL, "", 0, 0, "To the place before the last move.", "moves", "back", verb_back, false},
	{"forward", NULL, "", 0, 0, "Forward again after back.", "moves", "forward", verb_forward, false},
	{"until", NULL, "CONDITION...", 1, WORDS_MAX,
		"On to: a comparison of variables that becomes true, pc PLACE, write VARIABLE [by thread] [if EXPRESSION] ($old "
		"and "
		"$new in it are the value before and after; by thread: only by the one at hand), read VARIABLE..., mem ADDRESS "
		"== VALUE, exit PID|NODE, "
		"signal [PID|NODE] (one that kills with a dump, as SIGSEGV and SIGABRT do), syscall, switch, event WHAT...",
		"moves", "until counter == 5", verb_until, false},
	{"runtil", "ru", "CONDITION...", 1, WORDS_MAX, "Back to where that was last.", "moves",
		"runtil write counter if $new < $old", verb_runtil, false},
	{"break", "b", "FUNCTION|FILE:LINE|ADDRESS [if EXPRESSION]", 1, WORDS_MAX,
		"Stop `continue` and `rcontinue` there, in the process in focus.", "moves", "break counter.c:40 if i == 5",
		verb_break, false},
	{"watch", "w", "VARIABLE|ADDRESS [BYTES] [if EXPRESSION]", 1, WORDS_MAX,
		"Stop them where somebody has written there; EXPRESSION may have $old and $new in it.", "moves",
		"watch counter if $new < $old", verb_watch, false},
	{"breaks", NULL, "", 0, 0, "The list of both.", "moves", "breaks", verb_breaks, false},
	{"delete", NULL, "N", 1, 1, "Take one off the list.", "moves", "delete 1", verb_delete, false},
	{"disable", NULL, "N", 1, 1, "Keep one on the list without stopping there.", "moves", "disable 1", verb_disable, false},
	{"enable", NULL, "N", 1, 1, "Stop there again.", "moves", "enable 1", verb_enable, false},
	{"continue", "c", "", 0, 0, "On to the nearest break or watch.", "moves", "continue", verb_continue, false},
	{"rcontinue", "rc", "", 0, 0, "Back to the nearest one.", "moves", "rcontinue", verb_rcontinue, false},
	{"here", NULL, "", 0, 0, "Where this is: count, event, program counter, process.", "moves", "here", verb_here, false},
	{"bookmark", NULL, "NAME [MOMENT]", 1, 2, "Give a moment (or this one) a name; it is kept for the next session.", "moves",
		"bookmark lost prop:no-lost-ack", verb_bookmark, false},
	{"bookmarks", NULL, "", 0, 0, "The bookmarks of this run.", "moves", "bookmarks", verb_bookmarks, false},
	{"unbookmark", NULL, "NAME", 1, 1, "Forget a bookmark.", "moves", "unbookmark lost", verb_unbookmark, false},

	{"regs", "r", "[all|NAME]", 0, 1, "Registers; those that changed since they were shown last are marked.", "the machine",
		"regs rip", verb_regs, false},
	{"mem", "x", "ADDRESS [BYTES]", 1, 2,
		"Memory here; x/16xb: 16 in hexadecimal, each a byte (d u o t c a f s i; h w g: 2, 4, 8 bytes).", "the machine",
		"x/4xg $rsp", verb_mem, true},
	{"disas", "u", "[ADDRESS [COUNT]]", 0, 2, "Instructions, from here or an address.", "the machine", "disas main 20",
		verb_disas, false},
	{"digest", NULL, "", 0, 0, "SHA-256 of the registers and of all memory.", "the machine", "digest", verb_digest, false},
	{"diff-state", NULL, "MOMENT [RUN] MOMENT", 2, 3,
		"Registers and pages that differ between two moments, by process, file and object of the kernel, the largest "
		"first; the second may be of another "
		"run.",
		"the machine", "diff-state ev:10 ev:11", verb_diff_state, false},
	{"checkpoints", NULL, "", 0, 0, "How many checkpoints there are, and what they hold.", "the machine", "checkpoints",
		verb_checkpoints, false},

	{"last", NULL, "ADDRESS|$REG [K] [if EXPRESSION]", 1, WORDS_MAX, "Who wrote there last: the last K writes before here.",
		"writes", "last counter 5", verb_last, false},
	{"first", NULL, "ADDRESS [K] [if EXPRESSION]", 1, WORDS_MAX, "The first K writes after here.", "writes",
		"first counter 3 if $new != $old + 1", verb_first, false},
	{"count", NULL, "ADDRESS [MOMENT] [if EXPRESSION]", 1, WORDS_MAX,
		"How many writes from here to a moment (default: the end).", "writes", "count counter end", verb_count, false},

	{"ps", NULL, "[all]", 0, 1,
		"Processes, with the pid that each has inside its node, as the program prints it; all: the kernel's threads too.",
		"the guest", "ps", verb_ps, false},
	{"where", "bt", "[PID|NODE [THREAD]]", 0, 2, "The calls that led here, or to where another process waits.", "the guest",
		"where server", verb_where, false},
	{"frame", "f", "[N]", 0, 1,
		"One of the calls that `where` lists; with N, what locals, print, source, disas and regs are about until the "
		"next "
		"move.",
		"the guest", "frame 2", verb_frame, false},
	{"up", NULL, "[N]", 0, 1, "The frame that called this one, or N calls further out.", "the guest", "up", verb_up, false},
	{"down", NULL, "[N]", 0, 1, "The frame that this one called.", "the guest", "down", verb_down, false},
	{"focus", NULL, "[PID|NODE|none [THREAD]]", 0, 2,
		"The process, and its thread, that questions are about from now on; none: the current one, whichever that is.",
		"the guest", "focus server", verb_focus, false},
	{"threads", NULL, "[PID|NODE]", 0, 1, "Threads of a process.", "the guest", "threads server", verb_threads, false},
	{"maps", NULL, "[PID|NODE]", 0, 1, "Memory map of a process.", "the guest", "maps server", verb_maps, false},
	{"fds", NULL, "[PID|NODE]", 0, 1, "Open files of a process, or of all processes of a node.", "the guest", "fds server",
		verb_fds, false},
	{"sockets", NULL, "[PID|NODE]", 0, 1, "Sockets of a process, or of all processes of a node.", "the guest",
		"sockets server", verb_sockets, false},
	{"env", NULL, "[PID|NODE]", 0, 1, "Environment of a process.", "the guest", "env server", verb_env, false},
	{"cat", NULL, "[PID:|NODE:]PATH", 1, 1,
		"A file as a process sees it, from the guest's memory; a live copy of the machine is asked for what that does "
		"not hold, "
		"as /proc.",
		"the guest", "cat server:/proc/self/status", verb_cat, false},
	{"ls", NULL, "[[PID:|NODE:]PATH]", 0, 1, "A directory as a process sees it, as cat.", "the guest", "ls server:/", verb_ls,
		false},
	{"fork", NULL, "[@NODE] [COMMAND...]", 0, WORDS_MAX,
		"Open a shell in a live copy of this moment, or execute a command in it; it is recorded as a run of its own.",
		"the guest", "fork @server ls /", verb_fork, false},

	{"gdb", NULL, "[--pid P|--kernel] [--print|--listen PATH] [-- WORD...]", 0, WORDS_MAX,
		"gdb on a process, or on the machine, from here; the session goes on where gdb leaves it. --print says what to "
		"type in another terminal.",
		"programs", "gdb --kernel", gdb, false},
	{"print", NULL, "EXPRESSION", 1, WORDS_MAX,
		"What an expression is here, as C and C++ write it; print/x: in hexadecimal (d u o t c a).", "programs",
		"print/x list->next[2]", verb_print, true},
	{"whatis", NULL, "EXPRESSION|TYPE", 1, WORDS_MAX, "The type of an expression.", "programs", "whatis list->next",
		verb_whatis, false},
	{"ptype", NULL, "EXPRESSION|TYPE", 1, WORDS_MAX, "Its type with all members.", "programs", "ptype struct list",
		verb_ptype, false},
	{"locals", NULL, "", 0, 0, "Local variables of the current function.", "programs", "locals", verb_locals, false},
	{"source", "l", "[ADDRESS|FUNCTION|FILE:LINE [LINES]]", 0, 2,
		"Source lines around the current place of the current program, or another place.", "programs", "source main 20",
		verb_source, false},
	{"symbol", NULL, "NAME|ADDRESS", 1, 1, "Address and size of a symbol; the symbol at an address.", "programs",
		"symbol main", verb_symbol, false},

	{"help", "h", "[COMMAND]", 0, 1, "This list, or one command of it.", "other", "help until", help, false},
	{"quit", "q", "", 0, 0, "End the session.", "other", "quit", quit, false},
};

enum { COUNT = sizeof verbs / sizeof *verbs };

size_t verbs_count(void)
{
	return COUNT;
}

const struct verb *verbs_get(size_t i)
{
	return &verbs[i];
}

const struct verb *verbs_find(const char *name, struct err *err)
{
	const struct verb *found = NULL;
	const char *names[COUNT];
	size_t size = strlen(name), hits = 0;
	for (size_t i = 0; i < COUNT; i++) {
		names[i] = verbs[i].name;
		if (!strcmp(verbs[i].name, name) || (verbs[i].alias && !strcmp(verbs[i].alias, name)))
			return &verbs[i];
		if (!strncmp(verbs[i].name, name, size) && !hits++)
			found = &verbs[i];
	}
	if (hits == 1)
		return found;
	const char *near = text_nearest(name, names, COUNT);
	if (hits)
		err_set(err, ERR_USAGE, "'%.60s' is short for several commands, %s among them", name, found->name);
	else if (near)
		err_set(err, ERR_USAGE, "there is no command '%.60s' (did you mean '%s'?)", name, near);
	else
		err_set(err, ERR_USAGE, "there is no command '%.60s' (`help` lists them)", name);
	return NULL;
}

/* What was found out since the last command: stored checkpoints that are damaged, a QEMU that was killed. */
static void say_notes(struct verbs *v, struct buf *out)
{
	char *note = session_take_note(v->session);
	if (note)
		buf_printf(out, "%s\n", note);
	free(note);
	verb_say_restart(v, out);
}

static bool look_after(struct verbs *v, struct buf *out, struct err *err)
{
	bool ok = session_ensure(v->session, err);
	say_notes(v, out);
	return ok;
}

/* A QEMU that ends while it is asked something is replaced, and the other one is asked. */
static bool run_surely(struct verbs *v, const struct verb *verb, const struct words *words, struct buf *out, struct err *err)
{
	size_t before = out->size;
	struct err first = {0};
	if (!v->session)
		return verb->run(v, words, out, err);
	uint64_t icount = session_icount(v->session);
	bool ok = verb->run(v, words, out, &first);
	if (!ok && first.code == ERR_QEMU && session_icount(v->session) == icount && !session_is_alive(v->session)) {
		out->size = before;
		if (out->data)
			out->data[before] = '\0';
		return look_after(v, out, err) && verb->run(v, words, out, err);
	}
	say_notes(v, out);
	if (!ok && err)
		*err = first;
	return ok;
}

/* -p and -f before the operands. An expression may begin with a minus too, but no word can follow its first name. */
static bool is_option(const struct words *w, const char *name)
{
	return w->count > 2 && !strcmp(w->list[1], name) && (isalnum((unsigned char)w->list[2][0]) || w->list[2][0] == '_');
}

static void drop_option(struct words *w)
{
	w->count -= 2;
	for (size_t i = 1; i <= w->count; i++) {
		w->list[i] = w->list[i + 2];
		w->rest[i] = w->rest[i + 2];
	}
}

/* Takes the options out, and obeys them. */
static bool take_options(struct verbs *v, struct words *w, struct err *err)
{
	bool process = false, frame = false;
	for (;;) {
		if (!process && is_option(w, "-p")) {
			if (!verb_choose(v, w->list[2], NULL, err))
				return false;
			process = true;
		} else if (!frame && is_option(w, "-f")) {
			if (!verb_choose_frame(v, w->list[2], err))
				return false;
			frame = true;
		} else
			return true;
		drop_option(w);
	}
}

static bool run_verb(struct verbs *v, const struct verb *verb, struct words *w, struct buf *out, struct err *err)
{
	struct here *here = v->session ? session_here(v->session) : NULL;
	bool chosen = here && (is_option(w, "-p") || is_option(w, "-f"));
	struct here_choice before = {0};
	size_t frame = HERE_FRAME_NONE;
	if (chosen) {
		before = here_choice(here);
		frame = here_chosen_frame(here);
	}
	bool ok = !chosen || take_options(v, w, err);
	if (ok && (w->count - 1 < verb->least || w->count - 1 > verb->most))
		ok = err_set(err, ERR_USAGE, "expected: %s%s%s", verb->name, *verb->operands ? " " : "", verb->operands);
	ok = ok && run_surely(v, verb, w, out, err);
	if (chosen) {
		here_set_choice(here, &before);
		if (frame != HERE_FRAME_NONE)
			here_choose_frame(here, frame);
	}
	return ok;
}

bool verbs_run(struct verbs *v, const char *line, size_t size, struct buf *out, struct err *err)
{
	struct words words;
	v->moved = v->asked = false;
	char *copy = mem_strn(line, size); /* so that the rest of a line is a string */
	bool ok = words_split(&words, copy, size, err);
	if (ok && words.count) {
		char *slash = strchr(words.list[0], '/');
		v->format = slash ? slash + 1 : NULL;
		if (slash)
			*slash = '\0';
		const struct verb *verb = verbs_find(words.list[0], err);
		if (verb && slash && !verb->has_format)
			verb = (err_set(err, ERR_USAGE, "%s has no formats: only print and x have", verb->name), NULL);
		bool asks = verb && v->session && verb->run != help && verb->run != quit;
		ok = verb && (!asks || look_after(v, out, err)) && run_verb(v, verb, &words, out, err);
	}
	free(copy);
	return ok;
}

void verbs_help(struct buf *out)
{
	const char *group = "";
	for (size_t i = 0; i < COUNT; i++) {
		const struct verb *verb = &verbs[i];
		if (strcmp(group, verb->group))
			buf_printf(out, "%s%s:\n", i ? "\n" : "", group = verb->group);
		char *left = mem_printf("%s %s", verb->name, verb->operands);
		buf_printf(out, "  %-26s %s%s%s%s\n", left, verb->about, verb->alias ? " (" : "", verb->alias ? verb->alias : "",
			verb->alias ? ")" : "");
		free(left);
	}
	buf_str(out,
		"\nBefore the operands: -p PID|NODE[/THREAD] is about that process, -f N about call N of `where`. Names may be "
		"shortened; `help COMMAND` has an example.\n");
}

static void say_verb(const struct verb *verb, struct buf *out)
{
	buf_printf(out, "%s%s%s%s\n  %s\n", verb->name, verb->has_format ? "[/FORMAT]" : "", *verb->operands ? " " : "",
		verb->operands, verb->about);
	if (verb->alias)
		buf_printf(out, "  Also: %s.\n", verb->alias);
	buf_printf(out, "  For example: %s\n", verb->example);
}

static bool help(struct verbs *v, const struct words *words, struct buf *out, struct err *err)
{
	(void)v;
	if (words->count < 2) {
		verbs_help(out);
		return true;
	}
	const struct verb *verb = verbs_find(words->list[1], err);
	if (verb)
		say_verb(verb, out);
	return verb != NULL;
}

static bool gdb(struct verbs *v, const struct words *words, struct buf *out, struct err *err)
{
	return v->gdb ? v->gdb->run(v, words, out, err)
		      : err_set(err, ERR_USAGE, "gdb cannot be used from here (`polecat gdb RUN` starts it)");
}

static bool quit(struct verbs *v, const struct words *words, struct buf *out, struct err *err)
{
	(void)words, (void)out, (void)err;
	v->quit = true;
	return true;
}
