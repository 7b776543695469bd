/* What becomes of a process, read from the kernel where it is about to do it: signals, forks, exits. */
#include <signal.h>
#include <string.h>

#include "engine/tracee_inside.h"

/* Linux 6.1: kernel/signal.c, include/linux/sched/signal.h */
enum { GROUP_EXIT = 4, QUEUE_MAX = 4096 /* signals that wait */ };
#define BIT(signal) (UINT64_C(1) << ((signal)-1))
/* An instruction of the thread itself raised them, so they come before others. */
#define SYNCHRONOUS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGFPE) | BIT(SIGSYS))

static int lowest(uint64_t set)
{
	return set ? __builtin_ctzll(set) + 1 : 0;
}

/* The siginfo of a signal that waits in a list. */
static void put_info(const struct guest *g, uint64_t head, int signal, struct buf *info)
{
	unsigned char bytes[48]; /* struct kernel_siginfo: the rest of the user's 128 bytes is zero */
	static const unsigned char rest[80];
	uint64_t at = 0;
	memory_read_some(&g->kernel, head, &at, sizeof at);
	for (int i = 0; at && at != head && i < QUEUE_MAX; i++, at = guest_value(g, LAYOUT_SIGQUEUE_NEXT, at)) {
		int32_t number;
		if (memory_read_some(&g->kernel, at + guest_offset(g, LAYOUT_SIGQUEUE_INFO), bytes, sizeof bytes) != sizeof bytes)
			return;
		memcpy(&number, bytes, sizeof number);
		if (number != signal)
			continue;
		buf_add(info, bytes, sizeof bytes);
		buf_add(info, rest, sizeof rest);
		return;
	}
}

int tracee_signal(struct tracee *t, uint32_t thread, struct buf *info)
{
	struct err ignored;
	const struct guest *g = here_guest(session_here(t->session), &ignored);
	const struct thread *th = g ? tracee_find_thread(t, thread) : NULL;
	const struct stop *stop = th ? tracee_stop_here(t) : NULL;
	const struct thread *current = stop ? tracee_on_processor(t, NULL) : NULL;
	if (!current || current->task != th->task || stop->regs.rip != t->functions[TRACEE_GET_SIGNAL])
		return 0;
	uint64_t group = guest_value(g, LAYOUT_TASK_SIGNAL, th->task), free = ~guest_value(g, LAYOUT_TASK_BLOCKED, th->task);
	uint64_t own = guest_value(g, LAYOUT_TASK_PENDING, th->task) & free;
	uint64_t shared = guest_value(g, LAYOUT_SIGNAL_SHARED, group) & free;
	if (guest_value(g, LAYOUT_SIGNAL_FLAGS, group) & GROUP_EXIT)
		return SIGKILL;
	int signal = lowest(own & SYNCHRONOUS);
	signal = signal ? signal : lowest(own) ? lowest(own) : lowest(shared & SYNCHRONOUS);
	signal = signal ? signal : lowest(shared);
	if (signal && info)
		put_info(g,
			own & BIT(signal) ? th->task + guest_offset(g, LAYOUT_TASK_PENDING_LIST)
					  : group + guest_offset(g, LAYOUT_SIGNAL_SHARED_LIST),
			signal, info);
	return signal;
}

static bool is_told(const struct tracee *t, int signal)
{
	return signal && signal != SIGKILL && !(t->passed & BIT(signal));
}

/* A child, or only another thread? */
static bool new_task(struct tracee *t, uint32_t pid, uint64_t task, struct tracee_stop *ret)
{
	struct err ignored;
	const struct guest *g = here_guest(session_here(t->session), &ignored);
	uint32_t child = g ? (uint32_t)guest_value(g, LAYOUT_TASK_TGID, task) : 0;
	if (!child || child == pid)
		return false;
	ret->why = guest_value(g, LAYOUT_TASK_VFORK_DONE, task) ? TRACEE_VFORK : TRACEE_FORK;
	ret->child = child;
	return true;
}

bool tracee_happening(struct tracee *t, enum tracee_function which, uint32_t pid, struct tracee_stop *ret)
{
	const struct stop *stop = tracee_stop_here(t);
	const struct thread *current = stop ? tracee_on_processor(t, NULL) : NULL;
	*ret = (struct tracee_stop){0};
	if (!current)
		return false;
	switch (which) {
	case TRACEE_GET_SIGNAL:
		ret->why = TRACEE_SIGNAL;
		ret->signal = tracee_signal(t, current->id, NULL);
		return is_told(t, ret->signal);
	case TRACEE_NEW_TASK:
		return new_task(t, pid, stop->regs.gpr[REGS_RDI], ret);
	case TRACEE_EXIT:
		ret->why = TRACEE_END;
		ret->exited = true;
		ret->code = (int)stop->regs.gpr[REGS_RDI];
		return true;
	case TRACEE_START:
		ret->why = TRACEE_EXEC;
		return true;
	case TRACEE_THREAD_EXIT:
		ret->why = TRACEE_END;
		ret->thread_ends = true;
		return true;
	case TRACEE_FUNCTIONS:
		break;
	}
	return false;
}
