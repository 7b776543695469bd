#include "engine/verbs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/verb.h"

static verb_run help, quit;

/* In the order people read them. */
static const struct verb verbs[] = {
	{"goto", "g", "MOMENT", 1, 1,
		"Go to a moment: 123456, ev:20, fault:kill#1.applied, prop:ID, t:4.39s, begin, end, +N, -N, a bookmark.", "moves",
		verb_goto},
	{"next", "n", "[WHAT...]", 0, WORDS_MAX,
		"To the next event; WHAT narrows it: fault, property, line, NODE, a fault, a kind, /TEXT; also switch (of "
		"processes), syscall.",
		"moves", verb_next},
	{"prev", "p", "[WHAT...]", 0, WORDS_MAX, "To the event before here, as next.", "moves", verb_prev},
	{"stepi", "si", "[N]", 0, 1, "N instructions on, interrupt handlers included.", "moves", verb_stepi},
	{"rstepi", "rsi", "[N]", 0, 1, "N instructions back.", "moves", verb_rstepi},
	{"step", "s", "[N]", 0, 1, "On to another source line of the current thread, into calls.", "moves", verb_step},
	{"rstep", "rs", "[N]", 0, 1, "Back to the start of the line before.", "moves", verb_rstep},
	{"over", "o", "[N]", 0, 1, "On to another line of the same call, over the calls it makes.", "moves", verb_over},
	{"rover", "ro", "[N]", 0, 1, "Back, over calls.", "moves", verb_rover},
	{"finish", NULL, "", 0, 0, "On to where the current function has returned to.", "moves", verb_finish},
	{"rfinish", NULL, "", 0, 0, "Back to the call of the current function.", "moves", verb_rfinish},
	{"back", NULL, "", 0, 0, "To the place before the last move.", "moves", verb_back},
	{"forward", NULL, "", 0, 0, "Forward again after back.", "moves", verb_forward},
	{"until", NULL, "CONDITION...", 1, WORDS_MAX,
		"On to: pc ADDRESS, write ADDRESS, mem ADDRESS == VALUE, exit PID, syscall, switch, event WHAT...", "moves",
		verb_until},
	{"runtil", "ru", "CONDITION...", 1, WORDS_MAX, "Back to where that was last.", "moves", verb_runtil},
	{"break", "b", "ADDRESS", 1, 1, "Stop `continue` and `rcontinue` at an instruction.", "moves", verb_break},
	{"watch", "w", "ADDRESS [BYTES]", 1, 2, "Stop them where somebody has written there.", "moves", verb_watch},
	{"breaks", NULL, "", 0, 0, "The list of both.", "moves", verb_breaks},
	{"delete", NULL, "N", 1, 1, "Take one off the list.", "moves", verb_delete},
	{"continue", "c", "", 0, 0, "On to the nearest break or watch.", "moves", verb_continue},
	{"rcontinue", "rc", "", 0, 0, "Back to the nearest one.", "moves", verb_rcontinue},
	{"here", NULL, "", 0, 0, "Where this is: count, event, program counter, process.", "moves", verb_here},
	{"bookmark", NULL, "NAME [MOMENT]", 1, 2, "Give a moment (or this one) a name; it is kept for the next session.", "moves",
		verb_bookmark},
	{"bookmarks", NULL, "", 0, 0, "The bookmarks of this run.", "moves", verb_bookmarks},
	{"unbookmark", NULL, "NAME", 1, 1, "Forget a bookmark.", "moves", verb_unbookmark},

	{"regs", "r", "[all|NAME]", 0, 1, "Registers; those that changed since they were shown last are marked.", "the machine",
		verb_regs},
	{"mem", "x", "ADDRESS [BYTES]", 1, 2, "Memory as the processor sees it here.", "the machine", verb_mem},
	{"disas", "u", "[ADDRESS [COUNT]]", 0, 2, "Instructions, from here or an address.", "the machine", verb_disas},
	{"digest", NULL, "", 0, 0, "SHA-256 of the registers and of all memory.", "the machine", verb_digest},
	{"diff-state", NULL, "MOMENT [RUN] MOMENT", 2, 3,
		"Registers and pages that differ between two moments, with whose the pages are; the second may be of another "
		"run.",
		"the machine", verb_diff_state},
	{"checkpoints", NULL, "", 0, 0, "How many checkpoints there are, and what they hold.", "the machine", verb_checkpoints},

	{"last", NULL, "ADDRESS|$REG [K]", 1, 2, "Who wrote there last: the last K writes before here.", "writes", verb_last},
	{"first", NULL, "ADDRESS [K]", 1, 2, "The first K writes after here.", "writes", verb_first},
	{"count", NULL, "ADDRESS [MOMENT]", 1, 2, "How many writes from here to a moment (default: the end).", "writes",
		verb_count},

	{"ps", NULL, "", 0, 0, "All processes.", "the guest", verb_ps},
	{"where", "bt", "[PID|NODE [THREAD]]", 0, 2, "The calls that led here, or to where another process waits.", "the guest",
		verb_where},
	{"frame", "f", "[N]", 0, 1,
		"One of the calls that `where` lists; with N, what locals, print, source, disas and regs are about until the "
		"next "
		"move.",
		"the guest", verb_frame},
	{"up", NULL, "[N]", 0, 1, "The frame that called this one, or N calls further out.", "the guest", verb_up},
	{"down", NULL, "[N]", 0, 1, "The frame that this one called.", "the guest", verb_down},
	{"focus", NULL, "[PID|NODE|none [THREAD]]", 0, 2,
		"The process, and its thread, that questions are about from now on; none: the current one, whichever that is.",
		"the guest", verb_focus},
	{"threads", NULL, "[PID|NODE]", 0, 1, "Threads of a process.", "the guest", verb_threads},
	{"maps", NULL, "[PID|NODE]", 0, 1, "Memory map of a process.", "the guest", verb_maps},
	{"fds", NULL, "[PID|NODE]", 0, 1, "Open files of a process, or of all processes of a node.", "the guest", verb_fds},
	{"sockets", NULL, "[PID|NODE]", 0, 1, "Sockets of a process, or of all processes of a node.", "the guest", verb_sockets},
	{"env", NULL, "[PID|NODE]", 0, 1, "Environment of a process.", "the guest", verb_env},
	{"cat", NULL, "[PID:|NODE:]PATH", 1, 1, "A file as a process sees it, from the guest's memory.", "the guest", verb_cat},
	{"ls", NULL, "[[PID:|NODE:]PATH]", 0, 1, "A directory as a process sees it.", "the guest", verb_ls},
	{"fork", NULL, "[@NODE] COMMAND...", 1, WORDS_MAX,
		"Execute a command in a live copy of this moment, which is recorded as a run of its own.", "the guest",
		verb_fork},

	{"print", NULL, "EXPRESSION", 1, WORDS_MAX, "A variable of the current program: name, a.b, p->x, list[3], *p, &x.",
		"programs", verb_print},
	{"locals", NULL, "", 0, 0, "Local variables of the current function.", "programs", verb_locals},
	{"source", "l", "[ADDRESS|FUNCTION|FILE:LINE [LINES]]", 0, 2,
		"Source lines around the current place of the current program, or another place.", "programs", verb_source},
	{"symbol", NULL, "NAME|ADDRESS", 1, 1, "Address and size of a symbol; the symbol at an address.", "programs",
		verb_symbol},

	{"help", "h", "[COMMAND]", 0, 1, "This list, or one command of it.", "other", help},
	{"quit", "q", "", 0, 0, "End the session.", "other", quit},
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
static bool look_after(struct verbs *v, struct buf *out, struct err *err)
{
	bool ok = session_ensure(v->session, err);
	char *note = session_take_note(v->session);
	if (note)
		buf_printf(out, "%s\n", note);
	free(note);
	verb_say_restart(v, out);
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
	verb_say_restart(v, out);
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
	v->moved = false;
	char *copy = mem_strn(line, size); /* so that the rest of a line is a string */
	bool ok = words_split(&words, copy, size, err);
	if (ok && words.count) {
		const struct verb *verb = verbs_find(words.list[0], err);
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
		buf_printf(out, "%s %s\n  %s\n", verb->name, verb->operands, verb->about);
	return verb != NULL;
}

static bool quit(struct verbs *v, const struct words *words, struct buf *out, struct err *err)
{
	(void)words, (void)out, (void)err;
	v->quit = true;
	return true;
}
