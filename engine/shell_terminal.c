/* The person's end of a shell in the past: the terminal, its size, and that it is given back as it was. */
#include "engine/shell_data.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { WRITE_MS = 5000 }; /* for a terminal that stands still, at the end */

void shell_size(int fd, unsigned *rows, unsigned *columns)
{
	struct winsize w = {0};
	if (ioctl(fd, TIOCGWINSZ, &w) != 0 || !w.ws_row || !w.ws_col)
		w = (struct winsize){.ws_row = 24, .ws_col = 80};
	*rows = w.ws_row < INPUT_SIZE_MAX ? w.ws_row : INPUT_SIZE_MAX;
	*columns = w.ws_col < INPUT_SIZE_MAX ? w.ws_col : INPUT_SIZE_MAX;
}

void shell_term(char term[SHELL_TERM_MAX])
{
	const char *name = getenv("TERM");
	bool ok = name && *name && strlen(name) < SHELL_TERM_MAX;
	for (const char *c = name; ok && *c; c++)
		ok = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._", *c) != NULL;
	snprintf(term, SHELL_TERM_MAX, "%s", ok ? name : "vt100");
}

void shell_say(struct shell *s, const char *text)
{
	/* Where there is no terminal, standard output is the shell's alone. */
	buf_printf(&s->show[!s->live.terminal], "%s%s%s", s->live.terminal ? "\r" : "", text, s->live.terminal ? "\r\n" : "\n");
}

void shell_put_word(struct shell *s, struct input_word word)
{
	uint8_t bytes[INPUT_WORD_MAX];
	buf_add(&s->queue, bytes, input_put(&word, bytes));
}

static void put_size(struct shell *s)
{
	shell_put_word(s,
		(struct input_word){.kind = INPUT_WINDOW, .rows = (uint16_t)s->live.rows, .columns = (uint16_t)s->live.columns});
}

void shell_look_at_size(struct shell *s)
{
	unsigned rows, columns;
	if (!s->live.terminal)
		return;
	shell_size(s->options->out_fd, &rows, &columns);
	if (rows == s->live.rows && columns == s->live.columns)
		return;
	s->live.rows = rows;
	s->live.columns = columns;
	put_size(s);
}

static void write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		if (poll(&p, 1, WRITE_MS) <= 0)
			return;
		ssize_t put = write(fd, bytes, size < SHELL_WRITE_MAX ? size : SHELL_WRITE_MAX);
		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return;
		bytes += put > 0 ? put : 0;
		size -= put > 0 ? (size_t)put : 0;
	}
}

/* What the shell's programs have made of the terminal is taken back, as it will be at the end. */
static void write_reset(struct shell *s, struct termfilter *f)
{
	struct buf text = {0};
	termfilter_reset(f, &text);
	buf_str(&text, "\r\n");
	write_all(s->options->out_fd, text.data, text.size);
	buf_free(&text);
}

/* Stopped from outside: the terminal is the other programs' until we are continued. */
static void stop(struct shell *s)
{
	struct termfilter f = s->filters[0];
	write_reset(s, &f);
	rawtty_suspend(&s->tty);
	kill(getpid(), SIGSTOP);
}

void shell_on_stop(struct shell *s)
{
	struct signalfd_siginfo info;
	while (s->stop_fd >= 0 && read(s->stop_fd, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGTSTP)
			stop(s);
		rawtty_resume(&s->tty);
		if (s->filters[0].alternate)
			write_all(s->options->out_fd, TERMFILTER_OTHER_SCREEN, strlen(TERMFILTER_OTHER_SCREEN));
		/* A change and back makes a program of the full screen draw anew. */
		s->live.rows = s->live.rows > 1 ? s->live.rows - 1 : 2;
		put_size(s);
	}
}

bool shell_open_terminal(struct shell *s, struct err *err)
{
	static const char reset[] = TERMFILTER_FIRST_SCREEN TERMFILTER_RESET "\r\n";
	sigset_t set;
	if (!s->live.terminal)
		return true;
	if (!rawtty_begin(&s->tty, s->options->in_fd, reset, err))
		return false;
	if (!s->options->stops)
		return true;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	s->masked = sigprocmask(SIG_BLOCK, &set, &s->mask) == 0;
	s->stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->stop_fd >= 0 || err_sys(err, errno, "watching for being stopped");
}

void shell_close_terminal(struct shell *s)
{
	write_all(s->options->out_fd, s->show[0].data, s->show[0].size);
	write_all(s->options->err_fd, s->show[1].data, s->show[1].size);
	if (s->live.terminal)
		write_reset(s, &s->filters[0]);
	rawtty_end(&s->tty);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	if (s->masked)
		sigprocmask(SIG_SETMASK, &s->mask, NULL);
}
