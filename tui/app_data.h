/* The inside of struct app, for the files that make it up (app_core, act*, preview, background) and no others. */
#ifndef TUI_APP_DATA_H
#define TUI_APP_DATA_H

#include "engine/child.h"
#include "engine/search.h"
#include "tui/app.h"
#include "tui/debugger.h"
#include "tui/job.h"
#include "tui/model.h"
#include "tui/prompt.h"
#include "tui/screen.h"

/* What a thread works on. */
struct opening {
	char *path;
	struct timeline *timeline; /* the result */
};

struct comparing {
	const struct timeline *a, *b;
	struct diff *diff; /* the result */
};

/* A recording or replay that runs as a process of its own. */
struct errand {
	struct child child;
	int output;       /* its standard output and error; -1 when there is none */
	struct buf bytes; /* not yet a whole line */
	char *what;       /* "recording redis-memory-only" */
	char *last;       /* its last line, printable */
	bool records;     /* makes a new run */
	struct buf *log;  /* takes its lines as well; NULL: nobody does */
};

#define DEBUGGERS_ENDING_MAX 4

/* The session behind the debug view; model.debug is what views see of it. */
struct debugging {
	struct debugger *debugger; /* NULL: none */
	struct debugger *ending[DEBUGGERS_ENDING_MAX];
	struct debug_names *names; /* that the `:` line completes; NULL: none yet */
	struct run *run;
	bool follow;   /* the playhead is to be brought where the machine stands */
	bool progress; /* the progress on the screen is ours */
};

/* What a line being typed shows, and how it was before. */
struct preview {
	enum action action; /* ACTION_NONE: nothing */
	char *text;         /* the argument that is shown; NULL before the first */
	struct view *view;
	size_t selected, top;
	char *words, *find;
	struct run *run; /* NULL when it went away */
	size_t playhead;
	bool follow;
	char search[SEARCH_TEXT_MAX + 1];
};

struct app {
	struct app_options options;
	struct app_terminal terminal;
	struct model model;
	struct screen screen;
	struct theme theme;
	struct keymap keymap;
	struct prompt *prompt;
	bool ascii, mouse;
	struct view *dragged; /* where the button went down; NULL when it is up */
	bool ended, dirty;
	bool cut_off; /* ended because the terminal went away or by a signal, not by a key */
	int state_dir;
	char *config_dir;   /* NULL without */
	char *last_run;     /* for the session */
	int session_lock;   /* held while this is the one that keeps the session; -1 */
	char *session_text; /* as it was saved last; NULL before */
	bool keep_place;    /* opened again: the playheads stay where they were, even if the runs differ elsewhere */
	int keep_side;
	struct runs *runs;
	bool loading; /* rows of the list are not loaded yet */
	int64_t scanned_ms, refreshed_ms;
	/* opening: one run at a time, for a side */
	struct job *open_job;
	struct opening opening;
	int open_side;
	char *open_next; /* to be opened as the second */
	/* diff */
	struct job *diff_job;
	struct comparing comparing;
	struct diff *diff;
	/* search */
	struct search *search;
	const struct timeline *searched;
	size_t search_from;
	bool search_backward, search_wrapped, search_previews;
	struct preview preview;
	struct errand errand;
	struct debugging debug;
};

void app_message(struct app *app, bool is_error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct run *app_run(const struct app *app); /* the one that keys move in; NULL */

/* act.c */
/* Runs an action; argument NULL or "" for none. Failures become the message. */
void app_act(struct app *app, enum action action, const char *argument);
/* "goto ev:17": an action by name with its argument. */
void app_command(struct app *app, const char *line);
void app_request(struct app *app, const struct request *request);
void app_goto(struct app *app, size_t event, bool jump);
/* On the diff page the other run comes along to the place that belongs to this one. */
void app_bring_other_side(struct app *app);

/* app_complete.c */
/* Calls found for each word that can stand at line + start, where the word begins. data is the app. */
void app_complete(
	void *data, const char *line, size_t start, void (*found)(void *found_data, const char *text), void *found_data);

/* app_session.c */
void app_session_start(struct app *app); /* the theme, and after a crash all that was open */
void app_session_save(struct app *app, bool ended);

/* background.c */
bool background_step(struct app *app); /* true when there is more to do at once */
bool background_busy(const struct app *app);
size_t background_poll(const struct app *app, struct pollfd *fds, size_t room);
void background_stop(struct app *app); /* waits for threads, stops the errand */
bool app_open(struct app *app, const char *path, int side, struct err *err);
void app_close_run(struct app *app, int side);
bool app_scan(struct app *app, struct err *err);
bool app_search(struct app *app, bool backward, struct err *err);
/* The same for a line being typed: no jump to come back from, and a text that is nowhere is only mentioned. */
void app_preview_search(struct app *app, const char *text, bool backward);
void app_preview_stop(struct app *app);
bool app_cancel(struct app *app); /* stops a search, an opening, a comparison: true if there was one */
bool app_errand(struct app *app, const char *const *arguments, bool records, const char *what, struct err *err);
void app_errand_stop(struct app *app);
void app_errand_step(struct app *app); /* takes what it has printed, and its end */
int64_t app_clock_ms(void);

/* app_debug.c */
bool debug_start(struct app *app, struct run *run, uint64_t icount, struct err *err);
void debug_end(struct app *app);  /* of the session: does not wait */
void debug_stop(struct app *app); /* waits, frees all */
void debug_step(struct app *app); /* takes what the thread has for us */
bool debug_busy(const struct app *app);
size_t debug_poll(const struct app *app, struct pollfd *fds, size_t room);
/* The playhead was moved: the machine goes there too. */
void debug_follow(struct app *app, const struct run *run);
/* The machine stands between the playhead's event and the next: one event back is that event. */
bool debug_between(const struct app *app, const struct run *run);
/* A verb for the session. typed: what it prints is shown. */
bool debug_verb(struct app *app, const char *line, bool typed, struct err *err);
/* What a pane asks for: a choice, or a variable to open or close. Only the last of a row of choices counts. */
bool debug_request(struct app *app, const char *text, bool toggles, struct err *err);
void debug_log(struct app *app, const char *text); /* a line of the output pane */

#endif
