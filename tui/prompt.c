#include "tui/prompt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "engine/buf.h"
#include "tui/glyph.h"
#include "tui/keys.h"

struct prompt {
	char *history;
	struct prompt_completer completer;
	char *label;
	char *entered;
	enum prompt_state state;
	struct buf queue; /* bytes of keys that readline has not read yet */
	char **matches;   /* offered by Tab */
	size_t match_count, match_room;
	char **found; /* being collected */
	size_t found_count, found_room, found_next;
	FILE *null_in, *null_out;
};

/* Readline's callbacks take no argument. */
static struct prompt *current;

static void free_list(char **list, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		free(list[i]);
	*count = 0;
}

/* ---- what readline calls ---- */

static int read_byte(FILE *stream)
{
	(void)stream;
	if (current->queue.size == 0)
		return EOF;
	unsigned char byte = (unsigned char)current->queue.data[0];
	buf_drop(&current->queue, 1);
	return byte;
}

static int has_input(void)
{
	return current->queue.size > 0;
}

/* Gives up the line being edited, with its undo list and a search through the history that may be going on. */
static void abandon(void)
{
	rl_callback_sigcleanup();
	rl_free_line_state();
	rl_callback_handler_remove();
}

static void redisplay(void)
{
}

static void on_line(char *line)
{
	current->state = line ? PROMPT_ENTERED : PROMPT_CANCELLED;
	free(current->entered);
	current->entered = mem_str(line ? line : "");
	free(line);
	rl_callback_handler_remove();
}

static void add_found(void *data, const char *text)
{
	struct prompt *p = data;
	if (p->found_count < PROMPT_MATCHES_MAX)
		ARRAY_PUSH(p->found, p->found_count, p->found_room) = mem_str(text);
}

static char *next_found(const char *text, int state)
{
	(void)text;
	if (state == 0)
		current->found_next = 0;
	/* Readline frees it. */
	return current->found_next < current->found_count ? strdup(current->found[current->found_next++]) : NULL;
}

static char **complete(const char *text, int start, int end)
{
	(void)end;
	rl_attempted_completion_over = 1; /* never file names on its own */
	free_list(current->found, &current->found_count);
	current->completer.complete(current->completer.data, rl_line_buffer, (size_t)start, add_found, current);
	return rl_completion_matches(text, next_found);
}

static void show_matches(char **matches, int count, int longest)
{
	(void)longest;
	free_list(current->matches, &current->match_count);
	for (int i = 1; i <= count && i <= PROMPT_MATCHES_MAX; i++)
		ARRAY_PUSH(current->matches, current->match_count, current->match_room) = mem_str(matches[i]);
}

/* ---- ours ---- */

static void load_history(struct prompt *p)
{
	using_history();
	stifle_history(PROMPT_HISTORY_MAX);
	if (!p->history)
		return;
	int fd = open(p->history, O_CREAT | O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		close(fd);
	read_history(p->history);
}

struct prompt *prompt_create(const char *history, struct prompt_completer completer)
{
	struct prompt *p = mem_alloc(sizeof *p);
	p->history = mem_str(history);
	p->completer = completer;
	p->label = mem_str("");
	p->entered = mem_str("");
	p->null_in = fopen("/dev/null", "re");
	p->null_out = fopen("/dev/null", "we");
	current = p;
	rl_instream = p->null_in;
	rl_outstream = p->null_out;
	rl_readline_name = "polecat";
	rl_terminal_name = "dumb"; /* term has the terminal; readline must not touch it */
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_prep_term_function = NULL;
	rl_deprep_term_function = NULL;
	rl_getc_function = read_byte;
	rl_input_available_hook = has_input;
	rl_redisplay_function = redisplay;
	rl_attempted_completion_function = complete;
	rl_completion_display_matches_hook = show_matches;
	rl_completer_word_break_characters = " ";
	rl_completer_quote_characters = "";
	load_history(p);
	return p;
}

void prompt_destroy(struct prompt *p)
{
	if (!p)
		return;
	if (p->state == PROMPT_EDITING)
		abandon();
	free_list(p->matches, &p->match_count);
	free_list(p->found, &p->found_count);
	free(p->matches);
	free(p->found);
	free(p->history);
	free(p->label);
	free(p->entered);
	buf_free(&p->queue);
	rl_clear_history(); /* with what readline keeps about edited entries */
	if (p->null_in)
		fclose(p->null_in);
	if (p->null_out)
		fclose(p->null_out);
	current = NULL;
	free(p);
}

void prompt_open(struct prompt *p, const char *label, const char *text)
{
	if (p->state == PROMPT_EDITING)
		abandon();
	free(p->label);
	p->label = mem_str(label);
	buf_clear(&p->queue);
	free_list(p->matches, &p->match_count);
	rl_callback_handler_install("", on_line);
	rl_variable_bind("show-all-if-ambiguous", "on");
	rl_variable_bind("bell-style", "none");
	rl_variable_bind("completion-query-items", "0");
	rl_variable_bind("enable-bracketed-paste", "off");
	rl_insert_text(text);
	p->state = PROMPT_EDITING;
}

/* Special keys as the bytes that readline's default bindings know. */
static const char *sequence(uint32_t key)
{
	switch (key) {
	case KEYS_UP:
		return "\033[A";
	case KEYS_DOWN:
		return "\033[B";
	case KEYS_RIGHT:
		return "\033[C";
	case KEYS_LEFT:
		return "\033[D";
	case KEYS_HOME:
		return "\033[H";
	case KEYS_END:
		return "\033[F";
	case KEYS_DELETE:
		return "\033[3~";
	case KEYS_BACKSPACE:
		return "\x7f";
	case KEYS_TAB:
		return "\t";
	case KEYS_ENTER:
		return "\r";
	case KEYS_ESCAPE:
		return "\033";
	default:
		return NULL;
	}
}

static void queue_key(struct prompt *p, uint32_t key)
{
	const char *bytes = sequence(key);
	char text[4];
	if (bytes) {
		buf_str(&p->queue, bytes);
	} else if ((key & ~KEY_ALT) < KEY_SPECIAL) {
		if (key & KEY_ALT)
			buf_char(&p->queue, '\033');
		buf_add(&p->queue, text, glyph_encode(key & ~KEY_ALT, text));
	}
}

/* Esc leaves the prompt, except where vi bindings need it: from insert to command mode. */
static bool cancels(uint32_t key)
{
	bool vi_insert = rl_editing_mode == 0 && rl_get_keymap() == vi_insertion_keymap;
	return key == 3 || key == 7 || (key == KEYS_ESCAPE && !vi_insert);
}

enum prompt_state prompt_key(struct prompt *p, uint32_t key)
{
	if (p->state != PROMPT_EDITING)
		return p->state;
	free_list(p->matches, &p->match_count);
	bool empty_backspace = key == KEYS_BACKSPACE && rl_end == 0;
	if (cancels(key) || empty_backspace) {
		abandon();
		p->state = PROMPT_CANCELLED;
		return p->state;
	}
	if (rl_end < PROMPT_LINE_MAX || key >= KEY_SPECIAL || key < ' ')
		queue_key(p, key);
	while (p->queue.size > 0 && p->state == PROMPT_EDITING)
		rl_callback_read_char();
	buf_clear(&p->queue);
	if (p->state == PROMPT_ENTERED && p->entered[strspn(p->entered, " ")]) {
		HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
		if (!last || strcmp(last->line, p->entered) != 0) {
			add_history(p->entered);
			if (p->history)
				append_history(1, p->history);
		}
	}
	return p->state;
}

enum prompt_state prompt_state(const struct prompt *p)
{
	return p->state;
}

const char *prompt_label(const struct prompt *p)
{
	return p->label;
}

const char *prompt_text(const struct prompt *p)
{
	return p->state == PROMPT_EDITING ? rl_line_buffer : p->entered;
}

size_t prompt_cursor(const struct prompt *p)
{
	return p->state == PROMPT_EDITING ? (size_t)rl_point : 0;
}

size_t prompt_matches(const struct prompt *p, const char *const **ret)
{
	*ret = (const char *const *)p->matches;
	return p->match_count;
}
