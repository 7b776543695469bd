/*
 * One invocation of a node's command: three processes in namespaces of their own.
 *
 *   init         pid 1 of the invocation: reaps what is orphaned; when it ends, the kernel kills the rest
 *   supervisor   parent of the command, since programs misbehave with a parent whose pid is 1; says how the command ended
 *   main         the command; alone (with its descendants) in the node's control group
 *
 * All three are made ahead, and wait: what is done before the barrier costs no run anything. The orders lie in memory that is
 * shared, so that processes made before the orders were read see them.
 */
#ifndef AGENT_LAUNCH_H
#define AGENT_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/mission.h"
#include "agent/spec.h"
#include "agent/why.h"

/* What an invocation is made from. Everything is borrowed and stays for ever. */
struct launch_order {
	const struct spec *spec;
	const struct mission *mission; /* in shared memory; read only after launch_go */
	size_t node;
	uint64_t invocation;
	int netns, cgroup;
};

/* The agent's ends. Descriptors that are not open are -1; all of them are closed by launch_finish. */
struct launch {
	pid_t init;   /* to be reaped by the agent */
	pid_t main;   /* 0 until it has said hello */
	int pidfd;    /* of main */
	int control;  /* readable: launch_hear */
	int exec;     /* readable: launch_hear_exec */
	int out, err; /* read ends, non-blocking */
	int in;       /* write end, non-blocking */
};

enum launch_kind {
	LAUNCH_NOTHING, /* no news */
	LAUNCH_HELLO,   /* main waits for launch_go; l->main, l->pidfd and l->exec are there */
	LAUNCH_FAILED,  /* news.step could not be done: news.errnum */
	LAUNCH_STARTED, /* the command runs: not one instruction of it has been executed yet */
	LAUNCH_EXITED,  /* the command has ended: news.status as from wait */
	LAUNCH_GONE,    /* nobody is left to say anything */
};

struct launch_news {
	enum launch_kind kind;
	int errnum;
	int status;
	char step[WHY_MAX];
};

/* Makes the three processes. On failure nothing is left. */
bool launch_prepare(const struct launch_order *order, struct launch *ret, struct why *why);

/* Lets the command start; stdin is kept open only if there is input for it. May be called before main has said hello. */
bool launch_go(struct launch *l, bool has_stdin, struct why *why);

/* After LAUNCH_GONE the caller closes l->control; after any news of launch_hear_exec but LAUNCH_NOTHING it closes l->exec. */
struct launch_news launch_hear(struct launch *l);
struct launch_news launch_hear_exec(struct launch *l);

/* A signal to main, unless it has ended. */
bool launch_signal(const struct launch *l, int number, struct why *why);

void launch_finish(struct launch *l);

#endif
