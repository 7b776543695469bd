/*
 * The inside of a debug adapter, for the files that make it up (dap_*.c, dapserver.c): what it knows of its client, its
 * breakpoints and the move that goes on, and the requests by file.
 *
 * A request is answered by a function that fills s->body or fails with a sentence. What takes long, a move, is a second function
 * (s->after) that runs when the answer has been sent, as clients expect; it ends in a `stopped` event.
 */
#ifndef ENGINE_DAP_SERVER_H
#define ENGINE_DAP_SERVER_H

#include "engine/dap_client.h"
#include "engine/targets.h"
#include "engine/verbs.h"

#define DAP_POINTS_MAX       256          /* breakpoints of all kinds that a client sets */
#define DAP_PLACES_MAX       1024         /* addresses in processes that these come to */
#define DAP_TEXT_MAX         4096         /* bytes of a name, a condition or a message of a breakpoint */
#define DAP_FRAMES_MAX       65536        /* frames shown at one stop */
#define DAP_REFERENCES_MAX   65536        /* values that can be unfolded, shown at one stop */
#define DAP_NESTING_MAX      64           /* unfolded in each other */
#define DAP_VARIABLES_MAX    1000         /* in one answer, when the client does not say how many */
#define DAP_VALUE_MAX        500          /* bytes of one value's text, about */
#define DAP_CLIPBOARD_MAX    (64u << 10)  /* when it is for the clipboard */
#define DAP_MEMORY_MAX       (256u << 10) /* bytes in one answer */
#define DAP_DISASSEMBLY_MAX  2000         /* instructions in one answer */
#define DAP_LISTINGS_MAX     4096         /* functions shown as instructions */
#define DAP_LIST_MAX         10000        /* files, modules or lines in one answer */
#define DAP_TARGETS_MAX      256          /* places to go to, of gotoTargets, that are remembered */
#define DAP_OUTPUT_MAX       1000         /* events of the timeline told after one move */
#define DAP_DIRS_MAX         32           /* source or debug directories, and pairs of the source map */
#define DAP_PROGRESS_MS      200          /* a move that takes longer is told about */
#define DAP_PROGRESS_EACH_MS 250          /* that often */

#define DAP_NOBODY \
	1 /* the number of a thread that stands for nobody: that of the machine's first process, which is no node's \
	   */

/* ---- breakpoints ---------------------------------------------------------------------------------------------------- */

enum dap_point_kind { DAP_LINE, DAP_FUNCTION, DAP_INSTRUCTION, DAP_DATA };
enum dap_times { TIMES_ALWAYS, TIMES_EQUAL, TIMES_LESS, TIMES_AT_MOST, TIMES_MORE, TIMES_AT_LEAST, TIMES_EVERY };

struct dap_point {
	enum dap_point_kind kind;
	uint64_t id;
	char *source;              /* LINE: the path that the client gave; FUNCTION: the name */
	int line;                  /* LINE: as asked for */
	uint64_t address, size;    /* INSTRUCTION, DATA, and LINE of a function that is shown as instructions */
	uint32_t pid;              /* of those; 0 with LINE: it is one of a file */
	uint32_t access;           /* DATA: SCAN_WRITE, SCAN_READ or both */
	char *condition, *message; /* NULL: none. message: to be told instead of stopping */
	enum dap_times times;
	uint64_t number; /* of times */
	int64_t passed;  /* how often it came, up to here and with what is about to be executed here; backward one less each time
			  */
	/* During a move back: its last time that was seen, which is not gone yet. */
	bool counted;
	uint64_t counted_at;
	/* What is known of it here, and what the client was told last: */
	bool verified, told_verified;
	int at_line, told_line;
	uint64_t at_address;
	char *why; /* it is not verified */
};

/* An address of a point in a process. */
struct dap_place {
	size_t point;
	uint32_t pid;
	uint64_t address, size;
};

/* Why a move ended where it did. */
struct dap_stop {
	const char *reason; /* as the protocol has it; NULL: the move was refused */
	uint64_t ids[DAP_POINTS_MAX];
	size_t count;
	char text[200]; /* "SIGSEGV" */
};

/* ---- frames and values that the client holds numbers of ------------------------------------------------------------- */

struct dap_frame {
	uint32_t pid, thread;
	size_t index;  /* among the thread's frames */
	unsigned call; /* of those inlined there, from 1 */
};

enum dap_reference_kind {
	DAP_ARGUMENTS, /* of a frame */
	DAP_LOCALS,
	DAP_GLOBALS,
	DAP_REGISTERS,
	DAP_VARIABLE,   /* number `index` of its parent, which is one of the above */
	DAP_EXPRESSION, /* `expression` in a frame */
	DAP_PART,       /* number `index` of its parent */
};

struct dap_reference {
	enum dap_reference_kind kind;
	size_t frame;  /* number of the frame + 1; 0: none */
	size_t parent; /* number of the reference; 0: none */
	uint64_t index;
	char *expression; /* that evaluates to it, or with `hidden` to what it is a part of; NULL: none does */
	bool hidden;
};

/* A function whose source is not on this host: its instructions are shown instead. The number that the client has is the place
 * in the list + 1. */
struct dap_listing {
	uint32_t pid;
	uint64_t low, high;
};

/* ---- the rest ------------------------------------------------------------------------------------------------------- */

struct dap_target { /* of gotoTargets */
	uint64_t address;
	uint32_t pid;
	bool backward;
};

enum dap_move_kind { DAP_CONTINUE, DAP_STEP, DAP_GOTO, DAP_RESTART };

struct dap_move {
	enum dap_move_kind kind;
	bool backward;
	const char *verb;     /* STEP: of the debug command table */
	bool by_instruction;  /* STEP */
	bool over;            /* STEP: what is called is executed as one */
	uint32_t pid, thread; /* STEP */
	struct dap_target target;
};

/* What a client waits for while it lasts. */
struct dap_work {
	bool active, stopped; /* stopped: on the client's request */
	bool asked;           /* the client has said something that ends it */
	bool shown;           /* as progress */
	uint64_t request, id; /* seq of the request; number of the progress */
	double began_ms, said_ms;
	uint64_t done, of;
};

struct dap_options {
	char *dirs[DAP_DIRS_MAX], *from[DAP_DIRS_MAX], *to[DAP_DIRS_MAX]; /* owned: source directories, source map */
	const char *debug_dirs[DAP_DIRS_MAX * 2];
	char *own_debug_dirs[DAP_DIRS_MAX];
	size_t dir_count, map_count, debug_dir_count, own_debug_dir_count;
	bool kernel_frames, stops_on_entry;
	bool quiet, all_events; /* of the timeline: none is told, or also those that are no output */
	uint64_t start;         /* where it begins, and `restart` goes */
};

struct dap_exception { /* that the last stop is about */
	bool is_one;
	char id[32];
	char description[200];
};

struct dap_server {
	struct verbs *verbs;
	struct dap_client client;
	struct targets *targets; /* from launch or attach on */
	struct dap_options options;
	uint64_t began; /* where the session stood, for those who name no moment */
	bool client_has_progress, lines_from_0, columns_from_0;
	bool initialized, leaving;
	bool interrupted; /* by a signal */
	uint32_t thread;  /* that the last stop is about; DAP_NOBODY where no process of a node lives */
	bool on_signals, on_failures, on_properties;
	struct dap_exception exception;

	struct dap_point points[DAP_POINTS_MAX];
	size_t point_count;
	uint64_t last_id;
	struct dap_place places[DAP_PLACES_MAX];
	size_t place_count;

	struct dap_frame *frames;
	size_t frame_count, frame_room;
	struct dap_reference *references;
	size_t reference_count, reference_room;
	uint64_t frames_before, references_before; /* numbers of earlier stops: they are not given out again */
	struct dap_listing *listings;              /* for the whole session: clients keep what they have read */
	size_t listing_count, listing_room;
	struct dap_target goto_targets[DAP_TARGETS_MAX];
	size_t goto_count;

	struct dap_move move;
	struct dap_work work;
	bool repl_moved;      /* a command of the console did */
	uint64_t events_told; /* count up to which events of the timeline were told, during a move */

	/* Of the request that is answered: */
	const struct json *arguments;
	struct json *body;
	bool hex, whole; /* how it wants values: numbers in hexadecimal; not cut */
	bool (*after)(struct dap_server *s, struct dap_stop *stop, struct err *err);
};

typedef bool dap_request(struct dap_server *s, struct err *err);

/* dap_launch.c */
dap_request dap_initialize, dap_launch, dap_configuration_done, dap_disconnect, dap_terminate;
void dap_options_finish(struct dap_options *o);
/* Stays where it begins, or goes to the first breakpoint, as the client wants it. */
bool dap_stop_at_entry(struct dap_server *s, struct dap_stop *stop, struct err *err);
/* dap_breakpoints.c */
dap_request dap_set_breakpoints, dap_set_function_breakpoints, dap_set_instruction_breakpoints, dap_set_exception_breakpoints,
	dap_breakpoint_locations;
/* dap_data.c */
dap_request dap_set_data_breakpoints, dap_data_breakpoint_info;
/* dap_moves.c */
dap_request dap_continue, dap_reverse_continue, dap_step_over, dap_step_in, dap_step_out, dap_step_back, dap_pause,
	dap_goto_targets, dap_goto, dap_restart, dap_exception_info;
/* dap_variables.c */
dap_request dap_scopes, dap_variables;
/* dap_evaluate.c */
dap_request dap_evaluate, dap_completions;
/* dap_frames.c */
dap_request dap_threads, dap_stack_trace;
/* dap_sources.c */
dap_request dap_source, dap_loaded_sources, dap_modules;
/* dap_memory.c */
dap_request dap_read_memory, dap_disassemble;

/* ---- dap_server.c: what several of them need ------------------------------------------------------------------------- */

/* Lets a part of the machine's time pass: to an absolute count. */
bool dap_go(struct dap_server *s, uint64_t absolute, struct err *err);
/* After anybody moved the machine. */
void dap_moved(struct dap_server *s);
/* Frames and values that the client has numbers of are no more. */
void dap_forget_views(struct dap_server *s);
/* The thread and process that requests without one are about; NULL with ERR_INPUT: there is none here. */
const struct thread *dap_focus(struct dap_server *s, const struct process **ret_process, struct err *err);
void dap_send_stopped(struct dap_server *s, const struct dap_stop *stop);
/* category: console, important, stdout, stderr. text ends with a newline. */
void dap_send_output(struct dap_server *s, const char *category, const char *text, size_t size);
/* Events of the timeline in (s->events_told, icount] are told. */
void dap_tell_events(struct dap_server *s, uint64_t icount);
/* What goes on for a request is told as progress when it takes long, until its end. */
void dap_work_begin(struct dap_server *s, uint64_t request);
void dap_work_end(struct dap_server *s);
/* The request `cancel`, whenever it comes; it is answered. */
void dap_cancel(struct dap_server *s, const struct json *request);
/* For struct cancel: has the client asked to stop what goes on? Requests to pause are answered here, others wait. */
bool dap_interrupted(void *server);
/* A number of instructions, of those that a move has to look at: what progress is about. */
void dap_progress(void *server, uint64_t done, uint64_t of);

/* "0x401136", or "0x401136@75" for a process that is not in focus. */
void dap_put_reference(struct dap_server *s, const struct process *p, uint64_t address, struct json *object, const char *key);
/* The process and the address that such a text means. */
const struct process *dap_find_reference(struct dap_server *s, const char *text, uint64_t *ret_address, struct err *err);

/* The number of a frame for the client; 0: there are too many. */
uint64_t dap_add_frame(struct dap_server *s, const struct dap_frame *frame);
/* What the client has the number of. NULL with ERR_INPUT: it is of no frame of this stop. */
const struct dap_frame *dap_frame(struct dap_server *s, uint64_t id, struct err *err);
/* The same, and where names are looked up in it. */
bool dap_find_frame(struct dap_server *s, uint64_t id, struct scope *ret, struct err *err);
/* What an expression comes to: a value, or with operators a number without a type. */
bool dap_evaluate_value(const struct scope *scope, const char *text, struct value *ret, struct err *err);
bool dap_evaluate_number(const struct scope *scope, const char *text, uint64_t *ret, struct err *err);
/* As a client shows it: cut where it gets long, numbers as the request wants them; of a reference what it refers to. */
void dap_print_value(const struct dap_server *s, const struct scope *scope, const struct value *value, struct buf *out);
/* Where a variable or expression of a dataBreakpointInfo request lies. */
bool dap_locate(struct dap_server *s, uint64_t reference, const char *name, uint64_t frame, uint32_t *ret_pid,
	uint64_t *ret_address, uint64_t *ret_size, struct err *err);

/* The path on this host of a source file, through the source map and below the source directories; owned by the caller. NULL: it
 * is not here. */
char *dap_source_find(struct dap_server *s, const char *directory, const char *file);
/* The path that debug information may have for a path of the client (by the source map); owned by the caller. */
char *dap_source_path(struct dap_server *s, const char *path);

/* Looks up where each point is in the processes that live here; tells the client what has changed, with `tell`. */
void dap_points_resolve(struct dap_server *s, bool tell);
void dap_points_finish(struct dap_server *s);
/* Is there anything that a move stops at besides its end? */
bool dap_hits_wanted(const struct dap_server *s);
/* A step has come here from `origin` (of the session's counts): if there is a place to stop at between, back to the first that it
 * met. *stop->reason stays NULL where there is none; then the machine stands here again. */
bool dap_hits_between(struct dap_server *s, uint64_t origin, struct dap_stop *stop, struct err *err);
/* Goes to the next (previous) place to stop at, in all processes. *stop says why. */
bool dap_hits_pursue(struct dap_server *s, bool backward, struct dap_stop *stop, struct err *err);
/* To one address in a process, the next time or the last; *found: false, and nothing moved, when there is no such time. */
bool dap_hits_find(struct dap_server *s, const struct dap_target *target, bool *found, struct err *err);

#endif
