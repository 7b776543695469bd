/*
 * Everything a person can do, in one table: it feeds key handling, the line of keys, the help, the completion of `:`, keys.conf
 * and the man page. A new action is a new row and one function in app (found by its ID).
 */
#ifndef TUI_ACTION_H
#define TUI_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "tui/keys.h"

/* Where an action makes sense. A key looks in the scope of the view on the screen first, then in more general ones. */
#define SCOPES(X) \
	X(RUNS, "runs", "The list of runs") \
	X(DIFF, "diff", "Two runs side by side") \
	X(DEBUG, "debug", "The machine of a run, at one instruction") \
	X(RUN, "run", "A run and its playhead") \
	X(LIST, "list", "Every list") \
	X(ALL, "everywhere", "Everywhere")

enum key_scope {
#define SCOPE_ENUM(id, name, title) SCOPE_##id,
	SCOPES(SCOPE_ENUM)
#undef SCOPE_ENUM
		SCOPE_COUNT
};

/* X(ID, name, default keys, scope, argument or "", word for the line of keys, help).
 * An argument in [ ] may be left out; without brackets, a key asks for it on the `:` line; in ( ) a key asks, and it may be
 * empty. The word for the line of keys is "" where the action is not shown there, and "<" where its key is shown together with
 * that of the row above. */
#define ACTIONS(X) \
	X(OPEN, "open", "Enter", RUNS, "[RUN]", "open", "Open the selected run, or the one named") \
	X(MARK, "mark", "Space", RUNS, "", "mark", "Mark the run for comparing; two can be marked") \
	X(RUNS_DIFF, "diff-marked", "d", RUNS, "", "diff", "Compare the two marked runs, or the marked one with the selected") \
	X(RECORD, "record", "c", RUNS, "SCENARIO [SEED]", "record", "Record a new run of a scenario, in the background") \
	X(RERUN, "rerun", "R", RUNS, "SEED", "other seed", "Record the same scenario with another seed, in the background") \
	X(REPLAY, "replay", "r", RUNS, "", "replay", "Execute the run again and compare, in the background") \
	X(STOP, "stop", "K", RUNS, "", "", "Stop the recording or replay that runs in the background") \
	X(FOLD_FORKS, "fold-forks", "i", RUNS, "", "fold", "Hide the forks below the selected run, or show them again") \
	X(DELETE, "delete", "X Delete", RUNS, "", "delete", "Delete the run; `undo` brings it back until the program ends") \
	X(UNDO, "undo", "u", RUNS, "", "", "Bring the last deleted run back") \
	X(DIFF_NEXT, "next-difference", "d", DIFF, "", "difference", "Go to the next place where the runs differ") \
	X(DIFF_PREV, "previous-difference", "D", DIFF, "", "<", "Go to the previous place where the runs differ") \
	X(SWAP, "swap", "w", DIFF, "", "other side", "Make the other run the one that the keys move in") \
	X(ALIGN, "align", "t", DIFF, "[WAY]", "align", "Keep both runs at the same event, time or icount") \
	X(FOLD, "fold", "i", DIFF, "", "fold", "Fold what both runs have in common, or show all of it") \
	X(DEBUG_STEP, "stepi", "s", DEBUG, "[N]", "instruction", "Execute one instruction, or N") \
	X(DEBUG_STEP_BACK, "rstepi", "S", DEBUG, "[N]", "<", "Take one instruction back, or N") \
	X(DEBUG_LINE, "step", "w", DEBUG, "[N]", "line", "On to another source line, into calls") \
	X(DEBUG_LINE_BACK, "rstep", "W", DEBUG, "[N]", "<", "Back to the start of the line before") \
	X(DEBUG_OVER, "over", "r", DEBUG, "[N]", "over", "On to another line of the same call, over the calls it makes") \
	X(DEBUG_OVER_BACK, "rover", "R", DEBUG, "[N]", "<", "Back, over calls") \
	X(DEBUG_FINISH, "finish", "d", DEBUG, "", "return", "On to where the current function has returned to") \
	X(DEBUG_FINISH_BACK, "rfinish", "D", DEBUG, "", "<", "Back to the call of the current function") \
	X(DEBUG_CONTINUE, "continue", "c", DEBUG, "", "continue", "On to the nearest break or watch (:break, :watch)") \
	X(DEBUG_CONTINUE_BACK, "rcontinue", "C", DEBUG, "", "<", "Back to the nearest break or watch") \
	X(DEBUG_BREAK, "break-line", "b", DEBUG, "", "break", \
		"Make continue stop at the line under the cursor of the pane of code, or not any more") \
	X(DEBUG_BACK, "place-back", "u Backspace", DEBUG, "", "place", \
		"Go to the place before the last move, to the instruction") \
	X(DEBUG_FORWARD, "place-forward", "U", DEBUG, "", "<", "Undo place-back") \
	X(DEBUG_CODE, "code", "t", DEBUG, "[WHAT]", "code", \
		"Show source, disassembly, or auto: source when the machine is in it, or in the kernel for it") \
	X(DEBUG_FOLD, "fold-pane", "i", DEBUG, "[PANE]", "fold", "Fold the focused pane, or the one named, or unfold it") \
	X(DEBUG_FORK, "shell-here", "!", DEBUG, "[COMMAND]", "shell", \
		"Open a shell in a fork of the machine, live from here, or execute a command in one; the recording is not " \
		"touched") \
	X(EVENT_NEXT, "next-event", "Right l", RUN, "", "event", "Go to the next event") \
	X(EVENT_PREV, "previous-event", "Left h", RUN, "", "<", "Go to the previous event") \
	X(EVENT_MORE, "forward", "S-Right L", RUN, "", "", "Go a tenth of what the timeline shows forward") \
	X(EVENT_LESS, "backward", "S-Left H", RUN, "", "", "Go a tenth of what the timeline shows backward") \
	X(FAULT_NEXT, "next-fault", "f", RUN, "", "fault", "Go to the next fault transition") \
	X(FAULT_PREV, "previous-fault", "F", RUN, "", "<", "Go to the previous fault transition") \
	X(FAIL_NEXT, "next-failure", "p", RUN, "", "failure", \
		"Go to the next event that decided or proves a failed property; without failures, any property") \
	X(FAIL_PREV, "previous-failure", "P", RUN, "", "<", "Go to the previous one") \
	X(DEBUG, "debug", "x", RUN, "[MOMENT]", "debug", \
		"Stand in the machine at this instant; there : also takes every command of `polecat debug`") \
	X(SEARCH, "search", "/", LIST, "TEXT", "search", \
		"Search forward in what events say, or in the list or page that has the focus; small letters match capitals " \
		"too; " \
		"Esc goes back to where it began") \
	X(SEARCH_BACK, "search-back", "\\", LIST, "TEXT", "", "Search backward") \
	X(SEARCH_NEXT, "next-match", "n", LIST, "", "", "Go to the next match") \
	X(SEARCH_PREV, "previous-match", "N", LIST, "", "", "Go to the previous match") \
	X(CONSOLE, "console", "c", RUN, "[NODE]", "console", \
		"Output of the nodes up to the playhead; again: one node after the other") \
	X(DIFF_WITH, "diff", "d", RUN, "[RUN]", "diff", "Compare with the run named, with the marked one, or choose one") \
	X(DETAIL, "detail", "Enter", RUN, "", "detail", "Everything about what is selected: the event, the fault, the property") \
	X(SHELL, "shell", "!", RUN, "[COMMAND]", "", \
		"Open a shell in a fork of the machine, live from the playhead, or execute a command in one; the recording is " \
		"not " \
		"touched") \
	X(PLAN, "plan", "s", RUN, "", "scenario", "The scenario with the seed's decisions marked, and the plan") \
	X(BOOKMARK, "bookmark", "b", RUN, "[NAME]", "mark", "Set a bookmark here, or take it away") \
	X(BOOKMARK_NEXT, "next-bookmark", "'", RUN, "", "", "Go to the next bookmark") \
	X(BOOKMARK_PREV, "previous-bookmark", "\"", RUN, "", "", "Go to the previous bookmark") \
	X(NODE_NEXT, "next-of-node", "e", RUN, "", "", "Go to the next event of the same node") \
	X(NODE_PREV, "previous-of-node", "E", RUN, "", "", "Go to the previous event of the same node") \
	X(BEGIN, "begin", "g", RUN, "", "", "Go to the first event") \
	X(END, "end", "G", RUN, "", "", "Go to the last event; stay there while a recording grows") \
	X(GOTO, "goto", "@", RUN, "MOMENT", "", \
		"Go to a moment: ev:17, fault:kill#1.applied, prop:ID, t:4.39s, an icount, begin, end") \
	X(JUMP_BACK, "jump-back", "u Backspace", RUN, "", "", "Go back to where you were before the last jump") \
	X(JUMP_FORWARD, "jump-forward", "U", RUN, "", "", "Undo jump-back") \
	X(EVENTS, "events", "v", RUN, "", "", "Back to events, faults and properties") \
	X(ZOOM_IN, "zoom-in", "+ =", RUN, "", "zoom", "Show less of the run, larger") \
	X(ZOOM_OUT, "zoom-out", "-", RUN, "", "<", "Show more of the run") \
	X(ZOOM_ALL, "zoom-all", "0", RUN, "", "", "Show the whole run") \
	X(AXIS, "axis", "a", RUN, "[AXIS]", "", "Draw the timeline by time, icount or event") \
	X(GAPS, "gaps", "A", RUN, "", "", "Fold idle time, or draw it at its length") \
	X(COPY, "copy", "y", RUN, "", "", "Copy the event's line to the clipboard of your terminal") \
	X(WIDE, "wide", "z", RUN, "", "", "Give the focused pane the whole width, or share it again") \
	X(UP, "up", "Up k C-p", LIST, "", "", "One row up") \
	X(DOWN, "down", "Down j C-n", LIST, "", "", "One row down") \
	X(PAGE_UP, "page-up", "PgUp C-b", LIST, "", "", "One page up") \
	X(PAGE_DOWN, "page-down", "PgDn C-f Space", LIST, "", "", "One page down") \
	X(FIRST, "first", "Home g", LIST, "", "", "To the first row") \
	X(LAST, "last", "End G", LIST, "", "", "To the last row") \
	X(FILTER, "filter", "&", LIST, "(WORDS)", "filter", \
		"Show only rows with these words; none: all. Also node:N kind:K fault:F; of runs verdict:V scenario:S " \
		"seed:40..50") \
	X(SORT, "sort", "S", LIST, "[ORDER]", "sort", \
		"Sort by the next order, or the one named. Runs: verdict, age, scenario, seed, length, faults, size; events: " \
		"time, " \
		"node, kind; faults: plan, time, stage; properties: verdict, name, time") \
	X(PANE_NEXT, "next-pane", "Tab", ALL, "", "pane", "Focus the next pane") \
	X(PANE_PREV, "previous-pane", "S-Tab", ALL, "", "", "Focus the previous pane") \
	X(RUNS_VIEW, "runs", "o", ALL, "", "runs", "The list of runs") \
	X(BACK, "back", "Esc", ALL, "", "", \
		"Cancel what is going on; or close this view (but not the debug view, whose machine would end)") \
	X(COMMAND, "command", ":", ALL, "", "command", "Type any action by its name; Tab completes") \
	X(HELP, "help", "?", ALL, "", "help", "All keys and commands") \
	X(QUIT, "quit", "q", ALL, "", "quit", "Close this view; at the last one, end") \
	X(QUIT_ALL, "quit-all", "Q C-c", ALL, "", "", "End") \
	X(TOUR, "tour", "F1", ALL, "", "", "A short walk through this screen") \
	X(THEME, "theme", "T", ALL, "[NAME]", "", "The next theme, or the one named") \
	X(ASCII, "ascii", "", ALL, "", "", "Draw with ASCII only, or with UTF-8 again") \
	X(MOUSE, "mouse", "m", ALL, "", "", "Mouse on or off: click, wheel, drag the playhead") \
	X(REDRAW, "redraw", "C-l", ALL, "", "", "Draw everything anew") \
	X(SUSPEND, "suspend", "C-z", ALL, "", "", "Stop this program and give the shell the terminal")

enum action {
#define ACTION_ENUM(id, name, keys, scope, argument, brief, help) ACTION_##id,
	ACTIONS(ACTION_ENUM)
#undef ACTION_ENUM
		ACTION_COUNT,
	ACTION_NONE = ACTION_COUNT
};

struct action_info {
	const char *name, *keys, *argument, *brief, *help;
	enum key_scope scope;
};

const struct action_info *action_info(enum action action);
enum action action_find(const char *name, size_t size); /* ACTION_NONE if there is none */
const char *scope_title(enum key_scope scope);
const char *scope_name(enum key_scope scope);
/* A key for it asks for an argument first; and there must be one. */
bool action_asks(enum action action);
bool action_needs_argument(enum action action);

/* ---- which key does what ---- */

#define KEYMAP_BINDINGS_MAX 512
#define KEYMAP_FILE_MAX     (64 * 1024)
#define KEYMAP_LINE_MAX     256

struct binding {
	uint32_t key;
	enum key_scope scope;
	enum action action;
};

struct keymap {
	struct binding bindings[KEYMAP_BINDINGS_MAX];
	size_t count;
};

/* The default keys of the table. */
void keymap_init(struct keymap *map);

/*
 * Reads a keys.conf: lines `KEY ACTION`, `KEY none`, `# comment` (so # itself cannot be bound). A line binds the key in the scope
 * of its action and takes the key from what had it there. Errors: ERR_INPUT "file:line:column: sentence"; map is then unchanged.
 */
bool keymap_parse(struct keymap *map, const char *bytes, size_t size, const char *file, struct err *err);

/* scopes: bits 1 << enum key_scope that hold now; the most special wins. ACTION_NONE if the key does nothing here. */
enum action keymap_find(const struct keymap *map, uint32_t key, unsigned scopes);

/* The keys of an action as text, "f", "Right l"; "" if it has none. first: only the first. */
void keymap_keys(const struct keymap *map, enum action action, bool first, struct buf *out);

#endif
