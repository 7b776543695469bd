#include "engine/shell.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/input.h"
#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/listener.h"
#include "engine/machine.h"
#include "engine/play.h"
#include "engine/rawtty.h"
#include "engine/termfilter.h"
#include "engine/text.h"

#define LEAVE_KEY 0x1d /* Ctrl-] */

enum {
	WAIT_MS = 50,      /* at most, until the size of the terminal is looked at again */
	START_MS = 20000,  /* for the agent to take the request */
	LEAVE_MS = 5000,   /* ... and a farewell */
	QUEUE_MAX = 65536, /* bytes typed that are not sent yet */
	READ_MAX = 4096,   /* bytes typed at a time */
	WRITE_MAX = 512,   /* bytes given to a terminal at a time, so that one which stands still is noticed */
	TERM_MAX = 40,
};

struct shell {
	const struct shell_options *options;
	struct fork_live live;
	char term[TERM_MAX];
	uint64_t visitor; /* its node's number in frames */
	size_t used;      /* bytes of frames understood; 0: none yet */
	bool started, over, full;
	struct buf queue; /* for the serial port, encoded */
	uint64_t sent, read_by_agent;
	uint32_t shown, told; /* bytes of output taken, and what the agent knows of that */
	bool input_ended, end_sent, leaving;
	int64_t began_ms, left_ms;
	struct buf show[2]; /* not written yet: to out_fd, to err_fd */
	struct termfilter filters[2];
	struct rawtty tty;
	int stop_fd; /* SIGTSTP and SIGCONT, or -1 */
	sigset_t mask;
	bool masked;
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the terminal ------------------------------------------------------------------------------------------- */

/* Its size, within what the agent takes; 80 by 24 where it does not say. */
static void get_size(int fd, unsigned *rows, unsigned *columns)
{
	struct winsize w = {0};
	if (ioctl(fd, TIOCGWINSZ, &w) != 0 || !w.ws_row || !w.ws_col)
		w = (struct winsize){.ws_row = 24, .ws_col = 80};
	*rows = w.ws_row < INPUT_SIZE_MAX ? w.ws_row : INPUT_SIZE_MAX;
	*columns = w.ws_col < INPUT_SIZE_MAX ? w.ws_col : INPUT_SIZE_MAX;
}

/* TERM of this process, if it is a name that terminals have. */
static void get_term(char term[TERM_MAX])
{
	const char *name = getenv("TERM");
	bool ok = name && *name && strlen(name) < TERM_MAX;
	for (const char *c = name; ok && *c; c++)
		ok = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._", *c) != NULL;
	snprintf(term, TERM_MAX, "%s", ok ? name : "vt100");
}

static void say(struct shell *s, const char *text)
{
	/* Where there is no terminal, standard output is the shell's alone. */
	buf_printf(&s->show[!s->live.terminal], "%s%s%s", s->live.terminal ? "\r" : "", text, s->live.terminal ? "\r\n" : "\n");
}

static void put_word(struct shell *s, struct input_word word)
{
	uint8_t bytes[INPUT_WORD_MAX];
	buf_add(&s->queue, bytes, input_put(&word, bytes));
}

static void put_size(struct shell *s)
{
	put_word(s,
		(struct input_word){.kind = INPUT_WINDOW, .rows = (uint16_t)s->live.rows, .columns = (uint16_t)s->live.columns});
}

static void look_at_size(struct shell *s)
{
	unsigned rows, columns;
	if (!s->live.terminal)
		return;
	get_size(s->options->out_fd, &rows, &columns);
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
		if (poll(&p, 1, LEAVE_MS) <= 0)
			return;
		ssize_t put = write(fd, bytes, size < WRITE_MAX ? size : WRITE_MAX);
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

static void on_stop(struct shell *s)
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

static bool open_terminal(struct shell *s, struct err *err)
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

static void close_terminal(struct shell *s)
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

/* ---- what the agent says ------------------------------------------------------------------------------------ */

static void on_output(struct shell *s, const struct wire_message *m)
{
	size_t stream = m->stream == 2;
	int fd = stream ? s->options->err_fd : s->options->out_fd;
	const char *bytes = (const char *)m->bytes.data;
	if (s->live.terminal || isatty(fd))
		termfilter_put(&s->filters[stream], bytes, m->bytes.size, &s->show[stream]);
	else
		buf_add(&s->show[stream], bytes, m->bytes.size);
	s->shown += (uint32_t)m->bytes.size;
}

static bool on_frame(struct shell *s, const struct wire_message *m, struct err *err)
{
	if (m->type == WIRE_END || m->type == WIRE_FATAL)
		s->over = true;
	if (m->type == WIRE_ENDING && m->code == WIRE_END_BYTES)
		s->full = true;
	if (m->node != s->visitor)
		return true;
	switch (m->type) {
	case WIRE_STARTED:
		s->started = true;
		break;
	case WIRE_INPUT:
		if (m->value > s->sent || m->value < s->read_by_agent)
			return err_set(err, ERR_QEMU, "the agent has read %" PRIu64 " bytes of %" PRIu64, m->value, s->sent);
		s->read_by_agent = m->value;
		break;
	case WIRE_OUTPUT:
		on_output(s, m);
		break;
	case WIRE_EXITED:
	case WIRE_LAUNCH_FAILED:
		s->over = true;
		break;
	default:
		break;
	}
	return true;
}

/* Frames are read from memory as they come: their instruction counts, and so the events, are only known when QEMU has written the
 * next block of its log. */
static bool take_frames(struct shell *s, const struct listener *l, struct err *err)
{
	size_t size;
	const uint8_t *frames = listener_frames(l, &size);
	if (!s->used)
		s->used = listener_before(l);
	while (s->used < size) {
		struct wire_message m;
		size_t used;
		enum wire_result result = wire_decode(frames + s->used, size - s->used, &m, &used);
		if (result != WIRE_OK)
			return err_set(err, ERR_QEMU, "a frame of the agent: %s", wire_result_text(result));
		s->used += used;
		if (!on_frame(s, &m, err))
			return false;
	}
	return true;
}

/* ---- what is typed ------------------------------------------------------------------------------------------ */

static void leave(struct shell *s)
{
	if (s->leaving)
		return;
	s->leaving = true;
	s->left_ms = now_ms();
	buf_clear(&s->queue);
	put_word(s, (struct input_word){.kind = INPUT_HANGUP});
}

static bool wants_input(const struct shell *s)
{
	return s->started && !s->over && !s->leaving && !s->input_ended && s->queue.size < QUEUE_MAX;
}

static bool read_input(struct shell *s, struct err *err)
{
	char bytes[READ_MAX];
	ssize_t size = read(s->options->in_fd, bytes, sizeof bytes);
	if (size < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	/* A terminal that was taken away is not an end of input but a person who has gone. */
	if (size <= 0 && s->live.terminal) {
		leave(s);
		return true;
	}
	if (size < 0)
		return err_sys(err, errno, "reading what is to be typed");
	if (size == 0) {
		s->input_ended = true;
		put_word(s, (struct input_word){.kind = INPUT_END});
	}
	for (ssize_t i = 0; i < size; i++) {
		if (s->live.terminal && bytes[i] == LEAVE_KEY) {
			leave(s);
			break;
		}
		put_word(s, (struct input_word){.kind = INPUT_TYPED, .byte = (uint8_t)bytes[i]});
	}
	return true;
}

/* How much of the queue fits without cutting a word in two: what was taken goes between them. */
static size_t whole_words(const struct buf *queue, size_t room)
{
	struct input in = {0};
	size_t whole = 0;
	for (size_t i = 0; i < queue->size && i < room; i++) {
		input_next(&in, (uint8_t)queue->data[i]);
		if (in.count == 0)
			whole = i + 1;
	}
	return whole;
}

/* No more is under way than the serial port holds. What was taken goes first: the program may wait for that. */
static bool send_input(struct shell *s, struct machine *m, struct err *err)
{
	uint8_t word[INPUT_WORD_MAX];
	size_t room = MACHINE_INPUT_MAX - (size_t)(s->sent - s->read_by_agent);
	bool shown = !s->show[0].size && !s->show[1].size;
	if (!s->started || s->over)
		return true;
	if (shown && s->told != s->shown && room >= sizeof word) {
		struct input_word taken = {.kind = INPUT_TAKEN, .total = s->shown};
		size_t size = input_put(&taken, word);
		if (!machine_input(m, word, size, err))
			return false;
		s->told = s->shown;
		s->sent += size;
		room -= size;
	}
	size_t size = whole_words(&s->queue, room);
	if (!size)
		return true;
	if (!machine_input(m, s->queue.data, size, err))
		return false;
	s->sent += size;
	buf_drop(&s->queue, size);
	return true;
}

/* ---- waiting ------------------------------------------------------------------------------------------------ */

static bool write_some(struct shell *s, int stream, struct err *err)
{
	int fd = stream ? s->options->err_fd : s->options->out_fd;
	struct buf *b = &s->show[stream];
	ssize_t put = write(fd, b->data, b->size < WRITE_MAX ? b->size : WRITE_MAX);
	if (put < 0 && errno != EINTR && errno != EAGAIN)
		return err_sys(err, errno, "writing what the shell says");
	buf_drop(b, put > 0 ? (size_t)put : 0);
	return true;
}

static bool in_time(const struct shell *s, struct err *err)
{
	if (!s->started && now_ms() - s->began_ms > START_MS)
		return err_set(err, ERR_QEMU,
			"the agent of the fork did not start a shell within %d s: nothing lets it run at this moment (fork one "
			"event later or earlier)",
			START_MS / 1000);
	if (s->leaving && !s->over && now_ms() - s->left_ms > LEAVE_MS)
		return err_set(err, ERR_QEMU, "the agent of the fork did not answer within %d s: the recording is given up",
			LEAVE_MS / 1000);
	return true;
}

/* Waits until there is something to do. */
static bool wait_for_any(struct shell *s, struct machine *m, struct err *err)
{
	enum { IN, OUT, ERR, MONITOR, SPEECH, STOP, CANCEL, COUNT };
	const struct shell_options *o = s->options;
	struct pollfd p[COUNT] = {[IN] = {.fd = wants_input(s) ? o->in_fd : -1, .events = POLLIN},
		[OUT] = {.fd = s->show[0].size ? o->out_fd : -1, .events = POLLOUT},
		[ERR] = {.fd = s->show[1].size ? o->err_fd : -1, .events = POLLOUT},
		[MONITOR] = {.fd = machine_fd(m), .events = POLLIN},
		[SPEECH] = {.fd = machine_speech_fd(m), .events = POLLIN},
		[STOP] = {.fd = s->stop_fd, .events = POLLIN},
		[CANCEL] = {.fd = o->cancel ? o->cancel->fd : -1, .events = POLLIN}};
	if (poll(p, COUNT, WAIT_MS) < 0 && errno != EINTR)
		return err_sys(err, errno, "waiting for the terminal");
	if (!machine_take_speech(m, err))
		return false;
	if (p[STOP].revents)
		on_stop(s);
	return (!p[OUT].revents || write_some(s, 0, err)) && (!p[ERR].revents || write_some(s, 1, err)) &&
		(!p[IN].revents || read_input(s, err));
}

static bool wait_live(void *data, struct play *p, struct err *err)
{
	struct shell *s = data;
	return take_frames(s, p->listener, err) && in_time(s, err) && send_input(s, p->machine, err) &&
		wait_for_any(s, p->machine, err) && (look_at_size(s), true);
}

/* What was said between the last look and the end. */
static bool end_live(void *data, struct play *p, struct err *err)
{
	struct shell *s = data;
	return take_frames(s, p->listener, err);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static void greet(struct shell *s, const struct session *session)
{
	struct buf text = {0};
	if (!s->live.terminal)
		return;
	buf_printf(&text, "A shell ");
	if (s->options->node == FORK_MACHINE)
		buf_str(&text, "in the machine below the nodes, ");
	else
		buf_printf(&text, "in %s, ", session_recorded(session)->plan->nodes[s->options->node].name);
	session_print_place(session, &text);
	buf_str(&text, "; Ctrl-] leaves.");
	say(s, text.data);
	buf_free(&text);
}

static void begin(struct shell *s, const struct session *session, const struct shell_options *o)
{
	*s = (struct shell){.options = o, .stop_fd = -1, .visitor = session_recorded(session)->plan->node_count};
	s->live.terminal = isatty(o->in_fd) && isatty(o->out_fd);
	s->live.term = "dumb";
	s->live.play = (struct play_live){wait_live, end_live, s};
	s->filters[0].plain = s->filters[1].plain = !s->live.terminal;
	s->began_ms = now_ms();
	if (!s->live.terminal)
		return;
	get_term(s->term);
	s->live.term = s->term;
	get_size(o->out_fd, &s->live.rows, &s->live.columns);
}

bool shell_open(struct session *session, const struct shell_options *o, struct fork_result *ret, struct err *err)
{
	static const char *const argv[] = {"sh", NULL};
	struct shell s;
	begin(&s, session, o);
	struct fork_options fork = {.run = o->run,
		.node = o->node,
		.hold = o->hold,
		.argv = argv,
		.keep = o->keep,
		.cancel = o->cancel,
		.progress = o->progress,
		.live = &s.live};
	greet(&s, session);
	*ret = (struct fork_result){0};
	bool ok = open_terminal(&s, err) && fork_run(session, &fork, ret, err);
	if (s.full)
		say(&s, "The fork's memory for output is full: the shell was ended.");
	close_terminal(&s);
	buf_free(&s.queue);
	buf_free(&s.show[0]);
	buf_free(&s.show[1]);
	return ok;
}
