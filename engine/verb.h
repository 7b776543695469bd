/* One command of a debug session: what it is, what it works on, and the functions behind the table in verbs.c, by file. */
#ifndef ENGINE_VERB_H
#define ENGINE_VERB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bookmarks.h"
#include "engine/buf.h"
#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/prepare.h"
#include "engine/scan_condition.h"
#include "engine/session.h"
#include "engine/words.h"

/* Where `continue` and `rcontinue` stop. */
struct breaks {
	struct scan_watch list[SCAN_WATCHES];
	char *text[SCAN_WATCHES];            /* as typed; owned */
	struct scan_op *tests[SCAN_WATCHES]; /* owned: what must hold; test_count of the watch says how many */
	bool disabled[SCAN_WATCHES];
	uint32_t count;
};
void breaks_finish(struct breaks *b);

struct verbs;
struct words;

/* How a front end lets its person use gdb (engine/gdbverb.h runs it). */
struct verb_gdb {
	bool (*run)(struct verbs *v, const struct words *words, struct buf *out, struct err *err);
	/* Shows a line now, while the verb goes on. */
	bool (*print)(void *data, const char *line, struct err *err);
	void (*say)(void *data, const char *text); /* a sentence for the person, that gdb cannot show */
	/* Gives a program the person's terminal; *ret_fd becomes readable when it has ended. NULL: there is no terminal. */
	bool (*start)(void *data, char *const *argv, int *ret_fd, struct err *err);
	/* Waits for that program to end, or kills it. */
	void (*end)(void *data, bool kill);
	/* gdb moved the session. May be NULL. */
	void (*moved)(void *data);
	void *data;
};

/* What verbs work on. All borrowed. */
struct verbs {
	struct session *session;
	struct bookmarks *bookmarks;
	struct cancel *cancel; /* may be NULL */
	struct progress progress;
	void (*scanned)(void *data, uint64_t done, uint64_t of); /* instructions of a scan, as numbers; may be NULL */
	void *scanned_data;
	struct breaks *breaks;         /* of `break` and `watch` */
	const char *runs;              /* directory where runs are named; may be NULL */
	const char *const *debug_dirs; /* as the session has them */
	size_t debug_dir_count;
	const char *const *source_dirs; /* where `source` looks for files first */
	size_t source_dir_count;
	const struct verb_gdb *gdb; /* NULL: gdb cannot be used from here */
	const char *format;         /* of the command that runs: what stands behind "/"; NULL: nothing */
	bool terminal;              /* standard input and output are the person's terminal: `fork` may open a shell there */
	bool quit;                  /* set by `quit` */
	bool moved;                 /* set by verbs that move: the place was printed */
	bool asked;                 /* set when a live copy of the machine gave the answer */
};

typedef bool verb_run(struct verbs *v, const struct words *words, struct buf *out, struct err *err);

struct verb {
	const char *name, *alias; /* alias: another name, or NULL */
	const char *operands;     /* "MOMENT", "[N]" */
	size_t least, most;       /* words after the name */
	const char *about;        /* one sentence */
	const char *group;        /* "moves", "questions" ... */
	const char *example;
	verb_run *run;
	bool has_format; /* NAME/FORMAT */
};

/* verb_moves.c */
verb_run verb_goto, verb_next, verb_prev, verb_stepi, verb_rstepi, verb_back, verb_forward, verb_bookmark, verb_unbookmark,
	verb_bookmarks, verb_here;
/* verb_machine.c */
verb_run verb_regs, verb_disas, verb_digest, verb_checkpoints;
/* verb_memory.c */
verb_run verb_mem;
/* What stands behind the name of a command: "x/16xb", "print/x". */
struct verb_format {
	uint64_t count; /* 1 when it is not said */
	char form;      /* x d u o t c a f s i; 0: not said */
	char unit;      /* b h w g; 0: not said */
};
bool verb_format_parse(const char *text, struct verb_format *ret, struct err *err);
/* verb_guest.c */
verb_run verb_ps, verb_where, verb_threads, verb_maps, verb_fds, verb_sockets, verb_env;
/* verb_files.c */
verb_run verb_cat, verb_ls;
/* verb_print.c */
verb_run verb_print, verb_locals, verb_symbol, verb_whatis, verb_ptype;

/* verb_frame.c */
verb_run verb_frame, verb_up, verb_down, verb_focus;
/* Questions about registers and code are about a frame that called another, or a thread that is not on the processor. */
bool verb_frame_is_meant(struct verbs *v);
/* Those registers of that frame that are known, or the one of this name. */
bool verb_frame_registers(struct verbs *v, const char *name, struct buf *out, struct err *err);
/* The node (from 0) that a word names; -1 when it is a number, or none. */
int verb_node(const struct verbs *v, const char *word);
/* The process that a word names by its pid, or as the main one of a node; without a word (NULL) the one in focus. */
const struct process *verb_process(struct verbs *v, const char *word, struct err *err);
/* Puts in focus what "57", "server", "57/60", "none" names. */
bool verb_choose(struct verbs *v, const char *word, const char *thread, struct err *err);
/* Chooses a frame of the thread in focus by its number. */
bool verb_choose_frame(struct verbs *v, const char *number, struct err *err);
/* "server/60 #2": what was chosen, as it was typed; nothing when it is the current process and no frame. */
void verb_say_choice(struct verbs *v, struct buf *out);

/* verb_diff.c */
verb_run verb_diff_state;
/* verb_source.c */
verb_run verb_source;
/* Source lines around a frame's code; `lines` in all. */
bool verb_source_of(struct verbs *v, const struct frame *frame, int lines, struct buf *out, struct err *err);

/* verb_scan.c */
verb_run verb_last, verb_first, verb_count;
/* verb_until.c */
verb_run verb_until, verb_runtil;
/* verb_breaks.c */
verb_run verb_break, verb_watch, verb_breaks, verb_delete, verb_enable, verb_disable, verb_continue, verb_rcontinue;
/* verb_register.c */
verb_run verb_last_register;

/* An address from what a person types: anything that the current program understands; without one, numbers and kernel symbols.
 * ret_size (may be NULL): bytes there, 8 when not known. */
bool verb_address(struct verbs *v, const char *text, uint64_t *ret, uint64_t *ret_size, struct err *err);
/* verb_fork.c */
verb_run verb_fork;
/* verb_lines.c */
verb_run verb_step, verb_rstep, verb_over, verb_rover, verb_finish, verb_rfinish;

/* A request without watches yet. */
void verb_prepare(struct verbs *v, struct scan_request *r);
/* The memory behind an address as it is mapped here; it is the same memory wherever else it is mapped. size 0: what is there. */
bool verb_memory_watch(struct verbs *v, const char *text, uint64_t size, struct scan_watch *ret, struct err *err);
bool verb_add_watch(struct scan_request *r, const struct scan_watch *w, struct err *err);
/* An instruction; user code is meant as that of the process in focus: others may have other code at the same address. */
struct scan_watch verb_code_watch(struct verbs *v, uint64_t address);
/* verb_condition.c */
/* "if EXPRESSION" from word i on: *ret is the expression, NULL when there is no word. */
bool verb_take_test(const struct words *w, size_t i, const char **ret, struct err *err);
/* For the instruction at pc. NULL on failure; owned by the caller (free). */
struct scan_condition *verb_code_condition(struct verbs *v, const char *text, uint64_t pc, struct err *err);
/* For writes to what verb_memory_watch made of a place; $old and $new have the type of what is there. As above. */
struct scan_condition *verb_write_condition(
	struct verbs *v, const char *text, const char *place, const struct scan_watch *watch, struct err *err);
/* Adds a watch of SCAN_WRITE or SCAN_READ to a place; test: only those for which it holds; NULL: all. *ret: the watch. */
bool verb_add_access(struct verbs *v, uint32_t kind, const char *place, const char *test, struct scan_request *r,
	struct scan_watch *ret, struct err *err);
/* Whatever an expression is about is watched for being written, and for the expression being true then. */
bool verb_watch_truth(struct verbs *v, const char *text, struct scan_request *r, struct err *err);
/* Goes to the first hit after here, or the last before. numbered: which of the watches it is is said, as the number of a break.
 */
bool verb_go_to_hit(
	struct verbs *v, const struct scan_request *r, bool backward, bool numbered, struct buf *out, struct err *err);
/* Physical address of the kernel's pointer to its current task; 0 when it is not known. */
uint64_t verb_task_at(struct verbs *v);
/* Brings the machine to an absolute count after a scan that went well (ok). After one that did not that is only the place, and
 * whatever needs the machine brings it there: nobody waits for that after a wish to stop. Returns ok unless it fails. */
bool verb_return(struct verbs *v, uint64_t icount, bool ok, struct err *err);
/* Used by several: moves, prints the place, and how it was reached. */
bool verb_go(struct verbs *v, uint64_t icount, struct buf *out, struct err *err);
/* That QEMU had ended and was started again, if that was not said yet. */
void verb_say_restart(struct verbs *v, struct buf *out);
/* Place, event and pc: what every move ends with. */
void verb_say_place(struct verbs *v, struct buf *out);
/* The name of a place in code, for the current process or the kernel; nothing when it has none. */
void verb_name_pc(struct verbs *v, uint64_t pc, struct buf *out);
/* A count, with _ or not; the name of a bookmark; else a moment of the timeline. */
bool verb_moment(struct verbs *v, const char *text, uint64_t *ret, struct err *err);
/* A whole number above 0 in decimal, or hexadecimal with 0x; `what` names it in the sentence. */
bool verb_number(const char *text, const char *what, uint64_t *ret, struct err *err);

#endif
