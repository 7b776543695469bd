#include "tui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/child.h"
#include "tui/guard.h"

#define ESCAPE_DELAY_MS 25
#define SWALLOW_MAX     64 /* bytes of an unknown escape sequence that are thrown away */

struct look { /* a style as curses wants it */
	attr_t attributes;
	int pair;
	bool known;
};

struct terminal {
	SCREEN *screen;
	bool utf8;
	bool mouse;
	int colours;
	int width, height;
	char note[160];
	struct look looks[ROLE_COUNT][ROLE_COUNT];
	char look_theme[40];
	struct cell *shown; /* what the terminal shows, width * height */
	int shown_width, shown_height;
	bool all_again;
	cchar_t *row;
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- giving the terminal back ---- */

/* Appends a capability without its padding marks ($<5>), which only tputs understands. Returns whether there is one. */
static bool add_capability(struct buf *out, const char *name)
{
	const char *text = tigetstr(name);
	if (!text || text == (char *)-1)
		return false;
	while (*text) {
		const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
		if (end)
			text = end + 1;
		else
			buf_char(out, *text++);
	}
	return true;
}

static bool knows_mouse(void)
{
	const char *mouse = tigetstr("kmous");
	return mouse && mouse != (char *)-1;
}

static void prepare_restore(void)
{
	struct buf out = {0};
	if (knows_mouse())
		buf_str(&out, "\033[?1006;1002;1000l");
	add_capability(&out, "sgr0");
	add_capability(&out, "op");
	add_capability(&out, "rmkx");
	add_capability(&out, "cnorm");
	if (!add_capability(&out, "rmcup")) /* no second screen: at least leave the cursor on a line of its own */
		buf_str(&out, "\r\n");
	guard_restore_bytes(out.data, out.size);
	buf_free(&out);
}

/* ---- taking it ---- */

static bool known_terminal(const char *name)
{
	int status;
	if (!name || !name[0] || setupterm(name, STDOUT_FILENO, &status) != OK)
		return false;
	bool places_cursor = tigetstr("cup") && tigetstr("cup") != (char *)-1;
	del_curterm(cur_term);
	return places_cursor;
}

/* The kinds to try after TERM itself, for names that this host's terminfo does not know. */
static const char *substitute(const char *name)
{
	static const char *const kinds[] = {"xterm-256color", "xterm", "screen", "linux", "vt100", "ansi"};
	bool colours = strstr(name, "256") || strstr(name, "kitty") || strstr(name, "ghostty") || strstr(name, "alacritty") ||
		strstr(name, "foot") || strstr(name, "wezterm") || strstr(name, "tmux") || getenv("COLORTERM");
	for (size_t i = colours ? 0 : 1; i < COUNT(kinds); i++)
		if (known_terminal(kinds[i]))
			return kinds[i];
	return NULL;
}

static bool choose_kind(struct terminal *t, char kind[64], struct err *err)
{
	const char *name = getenv("TERM");
	if (!name)
		name = "";
	if (strcmp(name, "dumb") == 0)
		return err_set(err, ERR_USAGE,
			"TERM=dumb cannot place a cursor; `polecat show RUN --timeline` draws a run as text, and `polecat diff` "
			"and "
			"`polecat debug` need no screen either");
	const char *colourterm = getenv("COLORTERM");
	if (colourterm && (strcmp(colourterm, "truecolor") == 0 || strcmp(colourterm, "24bit") == 0) && strlen(name) < 48) {
		size_t base = strcspn(name, "-");
		snprintf(kind, 64, "%.*s-direct", (int)base, name);
		if (known_terminal(kind))
			return true;
	}
	snprintf(kind, 64, "%.60s", name);
	if (known_terminal(kind))
		return true;
	const char *other = substitute(name);
	if (!other)
		return err_set(err, ERR_SYSTEM,
			"the terminal kind TERM=%.40s is unknown here, and so are xterm, vt100 and ansi: is ncurses-base "
			"installed?",
			name);
	snprintf(t->note, sizeof t->note, "TERM=%.40s is unknown here; drawing as for %s", name[0] ? name : "(unset)", other);
	snprintf(kind, 64, "%s", other);
	return true;
}

static void adopt_size(struct terminal *t)
{
	struct winsize size;
	int width = COLS, height = LINES;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		width = size.ws_col;
		height = size.ws_row;
	}
	if (width != COLS || height != LINES) {
		resize_term(height, width);
		clearok(curscr, TRUE); /* terminals move what is there to where they like, and do not say so */
	}
	t->width = width;
	t->height = height;
	t->row = mem_grow(t->row, (size_t)width + 1, sizeof *t->row);
	t->all_again = true;
}

static void enter(struct terminal *t)
{
	set_term(t->screen);
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	notimeout(stdscr, FALSE);
	set_escdelay(ESCAPE_DELAY_MS);
	typeahead(-1);
	leaveok(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	curs_set(0);
}

static int count_colours(bool no_colour)
{
	if (no_colour || !has_colors())
		return 0;
	start_color();
	use_default_colors();
	return COLORS > 256 ? 1 << 24 : COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

struct terminal *term_create(struct term_options options, struct err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_set(err, ERR_USAGE,
			"the screen needs a terminal; `polecat show RUN --timeline` and `polecat diff` print the same facts "
			"without "
			"one");
		return NULL;
	}
	struct terminal *t = mem_alloc(sizeof *t);
	char kind[64];
	if (!choose_kind(t, kind, err)) {
		free(t);
		return NULL;
	}
	if (!guard_start(err)) {
		free(t);
		return NULL;
	}
	t->screen = newterm(kind, stdout, stdin);
	if (!t->screen) {
		err_set(err, ERR_SYSTEM, "the terminal (TERM=%s) could not be set up", kind);
		guard_stop();
		free(t);
		return NULL;
	}
	prepare_restore();
	guard_taken();
	enter(t);
	t->colours = count_colours(options.no_colour);
	t->utf8 = !options.ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && strcmp(kind, "linux") != 0;
	adopt_size(t);
	return t;
}

void term_destroy(struct terminal *t)
{
	if (!t)
		return;
	term_mouse(t, false);
	endwin();
	guard_stop();
	delscreen(t->screen);
	free(t->shown);
	free(t->row);
	free(t);
}

void term_size(const struct terminal *t, int *ret_width, int *ret_height)
{
	*ret_width = t->width;
	*ret_height = t->height;
}

bool term_utf8(const struct terminal *t)
{
	return t->utf8;
}

int term_colours(const struct terminal *t)
{
	return t->colours;
}

const char *term_note(const struct terminal *t)
{
	return t->note;
}

int term_input_fd(const struct terminal *t)
{
	(void)t;
	return STDIN_FILENO;
}

int term_signal_fd(const struct terminal *t)
{
	(void)t;
	return guard_fd();
}

/* ---- input ---- */

static struct input key_input(uint32_t key)
{
	return (struct input){.kind = INPUT_KEY, .key = key};
}

static uint32_t function_key(wint_t code)
{
	static const struct {
		int curses;
		uint32_t key;
	} table[] = {{KEY_UP, KEYS_UP}, {KEY_DOWN, KEYS_DOWN}, {KEY_LEFT, KEYS_LEFT}, {KEY_RIGHT, KEYS_RIGHT},
		{KEY_HOME, KEYS_HOME}, {KEY_END, KEYS_END}, {KEY_PPAGE, KEYS_PAGE_UP}, {KEY_NPAGE, KEYS_PAGE_DOWN},
		{KEY_IC, KEYS_INSERT}, {KEY_DC, KEYS_DELETE}, {KEY_BACKSPACE, KEYS_BACKSPACE}, {KEY_BTAB, KEYS_TAB | KEY_SHIFT},
		{KEY_ENTER, KEYS_ENTER}, {KEY_SLEFT, KEYS_LEFT | KEY_SHIFT}, {KEY_SRIGHT, KEYS_RIGHT | KEY_SHIFT},
		{KEY_SR, KEYS_UP | KEY_SHIFT}, {KEY_SF, KEYS_DOWN | KEY_SHIFT}, {KEY_SHOME, KEYS_HOME | KEY_SHIFT},
		{KEY_SEND, KEYS_END | KEY_SHIFT}, {KEY_A1, KEYS_HOME}, {KEY_C1, KEYS_END}, {KEY_A3, KEYS_PAGE_UP},
		{KEY_C3, KEYS_PAGE_DOWN}};
	for (size_t i = 0; i < COUNT(table); i++)
		if ((wint_t)table[i].curses == code)
			return table[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEYS_F1 + (uint32_t)(code - KEY_F(1));
	return 0;
}

static struct input mouse_input(void)
{
	MEVENT event;
	struct input in = {.kind = INPUT_MOUSE};
	if (getmouse(&event) != OK)
		return (struct input){.kind = INPUT_KEY, .key = 0};
	in.x = event.x;
	in.y = event.y;
	if (event.bstate & BUTTON4_PRESSED)
		in.mouse = MOUSE_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		in.mouse = MOUSE_WHEEL_DOWN;
	else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		in.mouse = MOUSE_PRESS;
	else if (event.bstate & BUTTON1_RELEASED)
		in.mouse = MOUSE_RELEASE;
	else if (event.bstate & REPORT_MOUSE_POSITION)
		in.mouse = MOUSE_DRAG;
	else
		return (struct input){.kind = INPUT_KEY, .key = 0};
	return in;
}

/* After Esc: a sequence that terminfo does not know is thrown away whole (focus events, other terminals' keys), so that its
 * letters are not taken for commands. */
static struct input after_escape(void)
{
	wint_t next;
	int kind = get_wch(&next);
	if (kind == ERR)
		return key_input(KEYS_ESCAPE);
	if (kind == KEY_CODE_YES)
		return key_input(function_key(next));
	if (next == 'O') {
		get_wch(&next);
		return key_input(0);
	}
	if (next != '[')
		return next == 0x1b ? key_input(KEYS_ESCAPE) : key_input((uint32_t)next | KEY_ALT);
	for (int i = 0; i < SWALLOW_MAX && get_wch(&next) == OK; i++)
		if (next >= 0x40 && next <= 0x7e)
			break;
	return key_input(0);
}

static struct input plain_key(wint_t code)
{
	switch (code) {
	case 0x1b:
		return after_escape();
	case '\r':
	case '\n':
		return key_input(KEYS_ENTER);
	case '\t':
		return key_input(KEYS_TAB);
	case 0x7f:
	case '\b':
		return key_input(KEYS_BACKSPACE);
	default:
		return key_input((uint32_t)code);
	}
}

static bool take_signal(struct terminal *t, struct input *ret)
{
	struct guard_news news = guard_take();
	if (news.end) {
		*ret = (struct input){.kind = INPUT_END};
		return true;
	}
	if (news.suspend) {
		term_suspend(t);
		news = guard_take();
	}
	if (news.continued) { /* stopped by someone else: another program may have had the terminal */
		reset_prog_mode();
		enter(t);
		clearok(curscr, TRUE);
	}
	if (!news.continued && !news.resized)
		return false;
	adopt_size(t);
	*ret = (struct input){.kind = INPUT_RESIZE, .width = t->width, .height = t->height};
	return true;
}

struct input term_input(struct terminal *t)
{
	struct input in = {.kind = INPUT_NONE};
	if (take_signal(t, &in))
		return in;
	for (int tries = 0; tries < 64; tries++) {
		wint_t code;
		errno = 0;
		int kind = get_wch(&code);
		if (kind == ERR) {
			/* At the end of a terminal read gives 0 and curses gives ERR for ever: ask the descriptor itself. */
			struct termios now;
			if (tcgetattr(STDIN_FILENO, &now) != 0)
				in.kind = INPUT_END;
			return in;
		}
		if (kind == KEY_CODE_YES && code == KEY_RESIZE)
			continue;
		if (kind == KEY_CODE_YES && code == KEY_MOUSE)
			in = mouse_input();
		else
			in = kind == KEY_CODE_YES ? key_input(function_key(code)) : plain_key(code);
		if (in.kind != INPUT_KEY || in.key)
			return in;
	}
	return (struct input){.kind = INPUT_NONE};
}

/* ---- output ---- */

static attr_t curses_attributes(unsigned attributes)
{
	attr_t a = A_NORMAL;
	a |= attributes & THEME_BOLD ? A_BOLD : 0;
	a |= attributes & THEME_DIM ? A_DIM : 0;
	a |= attributes & THEME_ITALIC ? A_ITALIC : 0;
	a |= attributes & THEME_UNDERLINE ? A_UNDERLINE : 0;
	a |= attributes & THEME_REVERSE ? A_REVERSE : 0;
	return a;
}

static int curses_colour(int32_t colour)
{
	return colour == COLOUR_DEFAULT ? -1 : colour & COLOUR_RGB ? colour & 0xffffff : colour;
}

static const struct look *look_of(struct terminal *t, const struct theme *theme, const struct cell *cell)
{
	struct look *look = &t->looks[cell->role][cell->overlay];
	if (!look->known) {
		struct style style = theme_style(theme, (enum role)cell->role, (enum role)cell->overlay, t->colours);
		look->attributes = curses_attributes(style.attributes);
		look->pair = 0;
		if (t->colours > 0) {
			int pair = alloc_pair(curses_colour(style.fg), curses_colour(style.bg));
			look->pair = pair > 0 ? pair : 0;
		}
		look->known = true;
	}
	return look;
}

static void show_row(struct terminal *t, const struct canvas *c, const struct theme *theme, int y)
{
	int count = 0;
	for (int x = 0; x < c->width && x < t->width; x++) {
		const struct cell *cell = &c->cells[y * c->width + x];
		if (cell->width == 0)
			continue;
		wchar_t text[4] = {(wchar_t)cell->code[0], (wchar_t)cell->code[1], (wchar_t)cell->code[2], 0};
		const struct look *look = look_of(t, theme, cell);
		int pair = look->pair;
		setcchar(&t->row[count++], text, look->attributes, 0, &pair);
	}
	mvadd_wchnstr(y, 0, t->row, count);
}

void term_show(struct terminal *t, const struct canvas *c, const struct theme *theme)
{
	size_t cells = (size_t)c->width * (size_t)c->height;
	if (strcmp(t->look_theme, theme->name) != 0) {
		memset(t->looks, 0, sizeof t->looks);
		snprintf(t->look_theme, sizeof t->look_theme, "%s", theme->name);
		t->all_again = true;
	}
	bool all = t->all_again || c->width != t->shown_width || c->height != t->shown_height;
	if (all) {
		t->shown = mem_grow(t->shown, cells, sizeof *t->shown);
		t->shown_width = c->width;
		t->shown_height = c->height;
		erase();
	}
	for (int y = 0; y < c->height && y < t->height; y++) {
		size_t at = (size_t)y * (size_t)c->width, size = (size_t)c->width * sizeof *c->cells;
		if (all || memcmp(&t->shown[at], &c->cells[at], size) != 0)
			show_row(t, c, theme, y);
	}
	memcpy(t->shown, c->cells, cells * sizeof *t->shown);
	t->all_again = false;
	curs_set(c->cursor_x >= 0);
	if (c->cursor_x >= 0)
		move(c->cursor_y, c->cursor_x);
	wnoutrefresh(stdscr);
	doupdate();
}

void term_redraw(struct terminal *t)
{
	t->all_again = true;
	t->look_theme[0] = '\0';
	clearok(curscr, TRUE);
}

void term_bell(struct terminal *t)
{
	(void)t;
	beep();
}

static void send_bytes(const char *text, size_t size)
{
	fflush(stdout);
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, text, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		size -= (size_t)n;
	}
}

void term_mouse(struct terminal *t, bool on)
{
	if (t->mouse == on)
		return;
	t->mouse = on;
	mouseinterval(0);
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED | REPORT_MOUSE_POSITION : 0, NULL);
	static const char drag_on[] = "\033[?1002h", drag_off[] = "\033[?1002l";
	if (knows_mouse())
		send_bytes(on ? drag_on : drag_off, sizeof drag_on - 1);
}

static void gather(int fd, struct buf *errors)
{
	char bytes[4096];
	ssize_t size;
	while (fd >= 0 && (size = read(fd, bytes, sizeof bytes)) > 0)
		buf_add(errors, bytes, errors->size < TERM_ERRORS_MAX ? (size_t)size : 0);
}

/* Waits for its end; a signal that asks us to end asks it to end, too. errors_fd: where it says what goes wrong, or -1. */
static void wait_for_child(struct child *child, int errors_fd, struct buf *errors)
{
	struct pollfd fds[] = {{.fd = child->pid_fd, .events = POLLIN}, {.fd = guard_fd(), .events = POLLIN},
		{.fd = errors_fd, .events = POLLIN}};
	while (!fds[0].revents) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents && guard_take().end)
			child_kill(child);
		gather(errors_fd, errors);
		if (fds[2].revents & (POLLHUP | POLLERR))
			fds[2].fd = -1;
	}
	child_wait(child, -1);
	gather(errors_fd, errors);
}

bool term_run(
	struct terminal *t, char *const *argv, struct buf *errors, void (*started)(void *to, int fd), void *to, struct err *err)
{
	static const char starting[] = "starting ...; Ctrl-C gives up\r\n";
	int ends[2] = {-1, -1};
	if (errors && pipe2(ends, O_CLOEXEC) != 0)
		return err_sys(err, errno, "making a pipe");
	if (errors)
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
	struct child child = {.pid_fd = -1};
	struct child_spec spec = {.argv = (const char *const *)argv,
		.in_fd = dup(STDIN_FILENO),
		.out_fd = dup(STDOUT_FILENO),
		.err_fd = errors ? ends[1] : dup(STDERR_FILENO),
		.terminal = true};
	bool mouse = t->mouse;
	term_mouse(t, false);
	endwin();
	guard_lend();
	if (errors) /* where its own word of what takes so long would go */
		send_bytes(starting, sizeof starting - 1);
	bool ok = child_start(&child, &spec, err);
	close(spec.in_fd);
	close(spec.out_fd);
	close(spec.err_fd);
	if (ok) {
		if (started)
			started(to, dup(child.pid_fd));
		wait_for_child(&child, ends[0], errors);
	}
	if (errors)
		close(ends[0]);
	guard_reclaim();
	reset_prog_mode();
	enter(t);
	term_mouse(t, mouse);
	clearok(curscr, TRUE);
	guard_note_resize();
	return ok;
}

void term_suspend(struct terminal *t)
{
	bool mouse = t->mouse;
	term_mouse(t, false);
	endwin();
	guard_suspend();
	guard_taken();
	reset_prog_mode();
	enter(t);
	term_mouse(t, mouse);
	clearok(curscr, TRUE);
	guard_note_resize(); /* it may have another size now */
}

bool term_copy(struct terminal *t, const char *text, size_t size, struct err *err)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	(void)t;
	if (size > TERM_COPY_MAX)
		return err_set(
			err, ERR_USAGE, "%zu bytes are too much for the terminal's clipboard: at most %d", size, TERM_COPY_MAX);
	const unsigned char *b = (const unsigned char *)text;
	struct buf out = {0};
	buf_str(&out, "\033]52;c;");
	for (size_t i = 0; i < size; i += 3) {
		unsigned v = (unsigned)b[i] << 16 | (i + 1 < size ? (unsigned)b[i + 1] << 8 : 0) | (i + 2 < size ? b[i + 2] : 0);
		buf_char(&out, digits[v >> 18 & 63]);
		buf_char(&out, digits[v >> 12 & 63]);
		buf_char(&out, i + 1 < size ? digits[v >> 6 & 63] : '=');
		buf_char(&out, i + 2 < size ? digits[v & 63] : '=');
	}
	buf_str(&out, "\a");
	send_bytes(out.data, out.size);
	buf_free(&out);
	return true;
}
