#include "agent/trouble_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SIGNAL_LAST = 64 };
#define GRACE_DEFAULT_NS 10000000000u

int trouble_signal_number(const char *text)
{
	static const char *const names[] = {"", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
		"USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
		"VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"};
	char *end;
	long number = strtol(text, &end, 10);
	if (end != text && !*end)
		return number >= 1 && number <= SIGNAL_LAST ? (int)number : 0;
	if (strncmp(text, "SIG", 3) == 0)
		text += 3;
	for (int i = 1; i < (int)(sizeof names / sizeof *names); i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	return 0;
}

/* ---- kill --------------------------------------------------------------------------------------------------- */

static bool read_kill(struct trouble *t, struct why *why)
{
	const char *text = mission_param(t->mission, "signal");
	t->signal = text ? trouble_signal_number(text) : SIGKILL;
	return t->signal || why_set(why, 0, "there is no signal '%.40s'", text);
}

static bool strike(struct trouble *t, int number, struct why *why)
{
	t->target->struck = true;
	return number == SIGKILL ? cgroup_kill(&t->target->cgroup, why) : launch_signal(&t->target->launch, number, why);
}

static bool apply_kill(struct trouble *t, struct why *why)
{
	return strike(t, t->signal, why);
}

static void kill_observed(struct trouble *t)
{
	char text[80] = "";
	int status = t->target->status;
	if (WIFEXITED(status))
		snprintf(text, sizeof text, "it exited with status %d", WEXITSTATUS(status));
	else if (WTERMSIG(status) != t->signal)
		snprintf(text, sizeof text, "it was ended by signal %d", WTERMSIG(status));
	trouble_stage_text(t, WIRE_OBSERVED, text);
}

static void kill_happened(struct trouble *t, enum node_happening what)
{
	if (what == NODE_EXITED && t->target->invocation == t->invocation && !t->observed) {
		t->due_ns = TROUBLE_NEVER;
		kill_observed(t);
	}
	if (what == NODE_READY && t->target->invocation > t->invocation)
		trouble_stage(t, WIRE_HEALED, NULL);
}

const struct trouble_kind trouble_kill = {"kill", read_kill, apply_kill, kill_happened, NULL};

/* ---- stop --------------------------------------------------------------------------------------------------- */

static bool apply_stop(struct trouble *t, struct why *why)
{
	if (!cgroup_freeze(&t->target->cgroup, true, why))
		return false;
	t->target->freezers++;
	if (t->mission->for_ns)
		t->due_ns = outbox_now_ns(t->outbox) + t->mission->for_ns;
	return true;
}

/* The node goes on when the last of its stops has passed. */
static void stop_wane(struct trouble *t)
{
	struct why why;
	t->due_ns = TROUBLE_NEVER;
	if (t->waned)
		return;
	t->waned = true;
	if (--t->target->freezers == 0 && !cgroup_freeze(&t->target->cgroup, false, &why))
		outbox_fatal(t->outbox, why.errnum, "node %zu: %s", t->target->index, why.text);
}

static void stop_happened(struct trouble *t, enum node_happening what)
{
	bool same = t->target->invocation == t->invocation;
	if (what == NODE_FROZEN && same && !t->observed && !t->waned)
		trouble_stage(t, WIRE_OBSERVED, NULL);
	if (what == NODE_THAWED && t->waned && t->target->freezers == 0)
		trouble_stage(t, WIRE_HEALED, NULL);
	if (what == NODE_EXITED && same) {
		/* What was frozen is gone; the next invocation is not to start frozen. */
		stop_wane(t);
		trouble_stage_text(t, WIRE_HEALED, "the invocation ended");
	}
}

const struct trouble_kind trouble_stop = {"stop", NULL, apply_stop, stop_happened, stop_wane};

/* ---- restart ------------------------------------------------------------------------------------------------ */

static bool read_restart(struct trouble *t, struct why *why)
{
	const char *text = mission_param(t->mission, "grace_ns");
	char *end = NULL;
	t->signal = SIGTERM;
	t->grace_ns = text ? strtoull(text, &end, 10) : GRACE_DEFAULT_NS;
	return !text || (end != text && !*end) || why_set(why, 0, "grace_ns is '%.40s': expected a number", text);
}

static bool apply_restart(struct trouble *t, struct why *why)
{
	t->target->must_restart = true;
	if (!strike(t, SIGTERM, why))
		return false;
	t->due_ns = outbox_now_ns(t->outbox) + t->grace_ns;
	return true;
}

static void restart_elapsed(struct trouble *t)
{
	struct why why;
	t->due_ns = TROUBLE_NEVER;
	if (!cgroup_kill(&t->target->cgroup, &why))
		outbox_fatal(t->outbox, why.errnum, "node %zu: %s", t->target->index, why.text);
}

const struct trouble_kind trouble_restart = {"restart", read_restart, apply_restart, kill_happened, restart_elapsed};
