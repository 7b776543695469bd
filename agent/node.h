/*
 * One node: its invocations one after another, what they write, when they are ready, and when they start again.
 *
 *   WAITING -> LAUNCHING -> RUNNING -> ENDING -> (RESTARTING -> LAUNCHING ...) | DOWN
 */
#ifndef AGENT_NODE_H
#define AGENT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/cgroup.h"
#include "agent/launch.h"
#include "agent/mission.h"
#include "agent/outbox.h"
#include "agent/stream.h"

#define NODE_USER_LINE_MAX  32768   /* bytes of a line written to the events file; the rest of a longer one is dropped */
#define NODE_PORT_PERIOD_NS 5000000 /* between two looks for a listening port */
#define NODE_NEVER          UINT64_MAX

enum node_state {
	NODE_WAITING,   /* for other nodes to be ready; its first invocation is prepared */
	NODE_LAUNCHING, /* told to start */
	NODE_RUNNING,
	NODE_ENDING,     /* the command has ended, its processes are not all reaped */
	NODE_RESTARTING, /* until restart_ns */
	NODE_DOWN,       /* for good */
};

enum node_happening { NODE_STARTED, NODE_READY, NODE_EXITED, NODE_FROZEN, NODE_THAWED };

struct node;

/* Whom a node tells, at once, from within its functions. */
struct node_watch {
	void (*happened)(void *data, struct node *n, enum node_happening what);
	void (*line)(void *data, struct node *n); /* line n->lines was completed, and n->line_stop <= n->lines */
	void *data;
};

/* What epoll says is ready; the order in which things of one node are handled. */
enum node_source { NODE_EXEC, NODE_CONTROL, NODE_OUT, NODE_ERR, NODE_USER, NODE_IN, NODE_CGROUP, NODE_OOM, NODE_SOURCES };

struct node {
	size_t index;
	const struct spec *spec;
	const struct mission *mission;
	const struct mission_node *own;
	struct outbox *outbox;
	struct node_watch watch;
	int epoll, netns, events;
	struct cgroup cgroup;

	enum node_state state;
	uint64_t invocation; /* of the one launched last; 0 before the first */
	struct launch launch;
	bool prepared; /* launch is that of invocation + 1, and waits */
	bool main_ended, failed, is_ready;
	int status;                  /* of main, as from wait */
	bool struck;                 /* by a fault: AFTER_FAULT restarts */
	bool doomed;                 /* killed because the run ends */
	bool must_restart, must_not; /* whatever the policy is */
	unsigned freezers;           /* stops that hold it frozen */
	uint64_t started_ns, restart_ns, port_ns;
	uint64_t starts, readies, exits; /* how often so far */

	struct stream streams[2];
	uint64_t sequence;  /* of the next OUTPUT frame of the invocation */
	uint64_t lines;     /* completed so far, over all invocations */
	uint64_t line_stop; /* line at which watch.line is wanted; NODE_NEVER for none */
	uint64_t oom_kills;
	char user_line[NODE_USER_LINE_MAX];
	size_t user_size;
	size_t in_piece, in_done; /* pieces of stdin before in_piece, and bytes of it, are written */
	bool in_blocked;
};

/* Before the barrier. n->spec, mission (in shared memory, not read yet), outbox, epoll, netns, events and cgroup are set. */
bool node_prepare(struct node *n, struct why *why);

/* After it: orders may be read. */
void node_begin(struct node *n);

/* Starts the next invocation, which is prepared first if it is not yet. */
void node_launch(struct node *n);

/* Something is ready to be read (or written). */
void node_serve(struct node *n, enum node_source source);

/* A process was reaped; returns whether it was the node's. */
bool node_reaped(struct node *n, pid_t pid);

/* What is due: input, a look for the port, a restart. node_due_ns says when there will be something, NODE_NEVER for never. */
void node_tick(struct node *n, uint64_t now_ns);
uint64_t node_due_ns(const struct node *n);

/* Is there a command that may yet do something? */
bool node_is_live(const struct node *n);

#endif
