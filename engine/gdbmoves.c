#include "engine/gdbmoves.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/extract.h"
#include "engine/gdbpacket.h"
#include "engine/gdbthreads.h"

void gdbmoves_say(struct gdbserver *g, const char *text)
{
	if (g->say)
		g->say(g->data, text);
}

/* gdb looks for the files of libraries as soon as it hears of the stop. */
void gdbmoves_take_files(struct gdbserver *g)
{
	struct err err;
	struct buf missing = {0};
	bool wanted = g->files >= 0 && !tracee_is_machine(g->tracee);
	const struct guest *guest = wanted ? here_guest(tracee_here(g->tracee), &err) : NULL;
	struct program *program = guest ? tracee_program(g->tracee, &err) : NULL;
	size_t count = program ? extract_count(program_maps(program)) : g->file_count;
	if (count == g->file_count)
		return;
	g->file_count = count;
	if (!extract_files(guest, program_maps(program), g->files, &missing, &err))
		gdbmoves_say(g, err.text);
	if (missing.size) {
		char *text = mem_printf("without symbols, since the guest's memory does not hold all of it: %s", missing.data);
		gdbmoves_say(g, text);
		free(text);
	}
	buf_free(&missing);
}

/* ---- what gdb is told ------------------------------------------------------------------------------------------ */

/* Notes which program runs. Another one than gdb knew of? */
static bool learn_program(struct gdbserver *g)
{
	struct buf path = {0};
	if (!tracee_is_machine(g->tracee))
		gdbfiles_program(g->tracee, tracee_pid(g->tracee), &path);
	bool other = path.size && g->program && strcmp(path.data, g->program) != 0;
	if (path.size) {
		free(g->program);
		g->program = mem_str(path.data);
	}
	buf_free(&path);
	return other;
}

static void put_exec(struct gdbserver *g, struct buf *out)
{
	g->file_count = 0;
	gdbmoves_take_files(g);
	buf_str(out, "exec:");
	buf_hex(out, g->program ? g->program : "", g->program ? strlen(g->program) : 0);
	buf_char(out, ';');
}

static const char *watch_name(enum tracee_kind kind)
{
	return kind == TRACEE_READ ? "rwatch" : kind == TRACEE_ACCESS ? "awatch" : "watch";
}

static void put_fork(struct gdbserver *g, const struct tracee_stop *stop, struct buf *out)
{
	buf_str(out, stop->why == TRACEE_FORK ? "fork:" : "vfork:");
	gdbthreads_put(g, stop->child, stop->child, out);
	buf_char(out, ';');
}

static void put_reason(struct gdbserver *g, const struct tracee_stop *stop, struct buf *out)
{
	switch (stop->why) {
	case TRACEE_BREAK:
		buf_str(out, "swbreak:;");
		break;
	case TRACEE_WATCH:
		buf_printf(out, "%s:%" PRIx64 ";", watch_name(stop->kind), stop->address);
		break;
	case TRACEE_BEGIN:
		buf_str(out, "replaylog:begin;");
		break;
	case TRACEE_END:
		buf_str(out, "replaylog:end;");
		break;
	case TRACEE_FORK:
	case TRACEE_VFORK:
		put_fork(g, stop, out);
		break;
	case TRACEE_VFORK_DONE:
		buf_str(out, "vforkdone:;");
		break;
	case TRACEE_EXEC:
		learn_program(g);
		put_exec(g, out);
		break;
	case TRACEE_STEPPED:
	case TRACEE_SIGNAL:
	case TRACEE_INTERRUPTED:
		break;
	}
}

/* stop may be NULL: nothing but the place. */
static void put_stop(struct gdbserver *g, const struct tracee_stop *stop, uint32_t thread, int signal, struct buf *out)
{
	uint32_t pid = tracee_process_of(g->tracee, thread);
	g->general = thread;
	buf_printf(out, "T%02xthread:", (unsigned)gdb_signal_of_linux(signal));
	gdbthreads_put(g, pid ? pid : tracee_pid(g->tracee), thread, out);
	buf_char(out, ';');
	if (stop)
		put_reason(g, stop, out);
}

static int signal_here(struct gdbserver *g)
{
	uint64_t passed = g->passed;
	int signal = tracee_signal(g->tracee, tracee_thread(g->tracee), NULL);
	return signal && !(passed >> (signal - 1) & 1) ? signal : SIGTRAP;
}

void gdbmoves_where(struct gdbserver *g, struct buf *out)
{
	learn_program(g);
	put_stop(g, NULL, tracee_thread(g->tracee), signal_here(g), out);
}

/* ---- what a person should know --------------------------------------------------------------------------------- */

static void say_end(struct gdbserver *g, const struct tracee_stop *stop)
{
	int code = stop->code;
	if (stop->thread_ends)
		buf_printf(&g->console, "Thread %u ends here.\n", tracee_thread(g->tracee));
	else if (!stop->exited)
		buf_str(&g->console, "The recording ends here.\n");
	else if (code & 0x7f)
		buf_printf(&g->console, "Process %u is killed by signal %d (%s) here.\n", tracee_pid(g->tracee), code & 0x7f,
			sigabbrev_np(code & 0x7f) ? sigabbrev_np(code & 0x7f) : "?");
	else
		buf_printf(&g->console, "Process %u exits with status %d here.\n", tracee_pid(g->tracee), code >> 8 & 0xff);
}

/* gdb passes signals on, or does not, or has others; in a recording that is decided. */
static void say_signal(struct gdbserver *g, bool has_signal, int signal)
{
	int pending = tracee_signal(g->tracee, tracee_thread(g->tracee), NULL);
	if (has_signal && gdb_signal_to_linux(signal) != pending)
		buf_str(&g->console, "No signal can be sent to a recorded process: it gets those that it got.\n");
	else if (!has_signal && pending && !(g->passed >> (pending - 1) & 1))
		buf_str(&g->console, "The signal is delivered, as it was when this was recorded.\n");
}

static void say_locked(struct gdbserver *g)
{
	if (!g->told_locks)
		buf_str(&g->console, "The other threads run as they were recorded; only stops of this one are told.\n");
	g->told_locks = true;
}

/* ---- moves ----------------------------------------------------------------------------------------------------- */

/* A child that was made is looked at too, until gdb says that it does not want to. */
static bool adopt(struct gdbserver *g, struct tracee_stop *stop)
{
	struct err err;
	if (stop->why != TRACEE_FORK && stop->why != TRACEE_VFORK)
		return true;
	if (tracee_add(g->tracee, stop->child, &err))
		return true;
	gdbmoves_say(g, err.text);
	return false;
}

static bool try(struct gdbserver *g, const struct tracee_move *m, struct tracee_stop *stop, struct err *err)
{
	do {
		if (!tracee_move(g->tracee, m, stop, err))
			return false;
	} while (!adopt(g, stop)); /* nothing to tell about a child that nobody can look at */
	return true;
}

static bool try_again(struct gdbserver *g, const struct tracee_move *m, struct tracee_stop *stop, struct err *err)
{
	struct session *s = g->verbs->session;
	bool ok = session_ensure(s, err) && try(g, m, stop, err);
	if (!ok && err->code == ERR_QEMU && session_ensure(s, err))
		ok = try(g, m, stop, err);
	if (session_was_restarted(s))
		gdbmoves_say(g, "QEMU had ended and was started again: this is the same place");
	return ok;
}

static void answer(struct gdbserver *g, const struct tracee_move *m, struct buf *out)
{
	struct tracee_stop stop = {0};
	struct err err = {0};
	int signal = SIGTRAP;
	bool ok = try_again(g, m, &stop, &err);
	if (!ok)
		gdbmoves_say(g, err.text);
	uint32_t alone = m->step ? m->step : m->thread, thread = tracee_thread(g->tracee);
	if (m->locked && tracee_process_of(g->tracee, alone))
		thread = alone;
	if (ok && stop.why == TRACEE_SIGNAL)
		signal = stop.signal;
	else if (ok ? stop.why == TRACEE_INTERRUPTED : err.code == ERR_CANCELLED)
		signal = SIGINT;
	else if (ok && stop.why == TRACEE_END)
		say_end(g, &stop);
	put_stop(g, ok ? &stop : NULL, thread, signal, out);
	gdbmoves_take_files(g);
	if (g->cancel)
		g->cancel->requested = false;
	if (g->moved)
		g->moved(g->data);
}

/* The machine was moved behind gdb's back: this move is answered with where it stands. */
static bool was_elsewhere(struct gdbserver *g, const struct tracee_move *m, struct buf *out)
{
	if (!g->elsewhere)
		return false;
	g->elsewhere = false;
	/* gdb insists that it is the thread that it lets step alone. */
	put_stop(g, NULL, m->locked && m->step ? m->step : tracee_thread(g->tracee), signal_here(g), out);
	if (tracee_count(g->tracee) == 1 && learn_program(g))
		put_exec(g, out);
	gdbmoves_take_files(g);
	return true;
}

static void move(struct gdbserver *g, const struct tracee_move *m, struct buf *out)
{
	unsigned events = TRACEE_TELL_SIGNALS | TRACEE_TELL_EXEC | (g->multiprocess ? TRACEE_TELL_FORK : 0);
	if (was_elsewhere(g, m, out))
		return;
	if (m->locked && !m->step && gdbthreads_count(g) > 1)
		say_locked(g);
	tracee_tell(g->tracee, events, g->passed);
	answer(g, m, out);
}

void gdbmoves_simple(struct gdbserver *g, bool step, bool backward, struct buf *out)
{
	struct tracee_move m = {.backward = backward,
		.stay = true,
		.step = !step       ? 0
			: g->chosen ? g->chosen
				    : gdbthreads_meant(g)};
	move(g, &m, out);
}

static bool is_all(const struct gdb_action *a)
{
	return !a->has_thread || a->thread.tid == -1;
}

void gdbmoves_actions(struct gdbserver *g, const char *text, size_t size, struct buf *out)
{
	struct gdb_action list[GDB_ACTIONS_MAX];
	struct err err;
	size_t count;
	struct tracee_move m = {.stay = true, .locked = true};
	if (!gdb_parse_actions(text, size, list, &count, &err)) {
		buf_printf(out, "E.vCont: %s", err.text);
		return;
	}
	/* The first action is the one that matters: others of the list say what the other threads do. */
	const struct gdb_action *a = &list[0];
	uint32_t thread = a->has_thread && a->thread.tid > 0 ? (uint32_t)a->thread.tid : gdbthreads_meant(g);
	for (size_t i = 0; i < count; i++)
		m.locked &= !is_all(&list[i]);
	for (size_t i = 0; i < count && tracee_count(g->tracee) > 1; i++)
		if (list[i].thread.pid > 0)
			m.process = (uint32_t)list[i].thread.pid;
	if (a->kind != 'c')
		m.step = thread;
	m.thread = thread;
	m.low = a->low;
	m.high = a->high;
	say_signal(g, a->has_signal, a->signal);
	move(g, &m, out);
}
