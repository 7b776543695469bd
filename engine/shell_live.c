/* A shell in the past while it lives: what the agent says, what is typed, and waiting for both. */
#include "engine/shell_data.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "agent/wire.h"
#include "engine/listener.h"
#include "engine/machine.h"
#include "engine/play.h"
#include "engine/text.h"

#define LEAVE_KEY 0x1d /* Ctrl-] */

enum {
	WAIT_MS = 50,      /* at most, until the size of the terminal is looked at again */
	START_MS = 20000,  /* for the agent to take the request */
	LEAVE_MS = 20000,  /* ... and a farewell: what was typed until then is lost without it */
	QUEUE_MAX = 65536, /* bytes typed that are not sent yet */
	READ_MAX = 4096,   /* bytes typed at a time */
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
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
	shell_put_word(s, (struct input_word){.kind = INPUT_HANGUP});
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
		shell_put_word(s, (struct input_word){.kind = INPUT_END});
	}
	for (ssize_t i = 0; i < size; i++) {
		if (s->live.terminal && bytes[i] == LEAVE_KEY) {
			leave(s);
			break;
		}
		shell_put_word(s, (struct input_word){.kind = INPUT_TYPED, .byte = (uint8_t)bytes[i]});
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
	ssize_t put = write(fd, b->data, b->size < SHELL_WRITE_MAX ? b->size : SHELL_WRITE_MAX);
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
		shell_on_stop(s);
	return (!p[OUT].revents || write_some(s, 0, err)) && (!p[ERR].revents || write_some(s, 1, err)) &&
		(!p[IN].revents || read_input(s, err));
}

static bool wait_live(void *data, struct play *p, struct err *err)
{
	struct shell *s = data;
	/* Not before: the way to the moment takes as long as it takes, and says nothing about the agent. */
	if (!s->began_ms)
		s->began_ms = now_ms();
	return take_frames(s, p->listener, err) && in_time(s, err) && send_input(s, p->machine, err) &&
		wait_for_any(s, p->machine, err) && (shell_look_at_size(s), true);
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
	shell_say(s, text.data);
	buf_free(&text);
}

static void begin(struct shell *s, const struct session *session, const struct shell_options *o)
{
	*s = (struct shell){.options = o, .stop_fd = -1, .visitor = session_recorded(session)->plan->node_count};
	s->live.terminal = isatty(o->in_fd) && isatty(o->out_fd);
	s->live.term = "dumb";
	s->live.play = (struct play_live){wait_live, end_live, s};
	s->filters[0].plain = s->filters[1].plain = !s->live.terminal;
	if (!s->live.terminal)
		return;
	shell_term(s->term);
	s->live.term = s->term;
	shell_size(o->out_fd, &s->live.rows, &s->live.columns);
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
	bool ok = shell_open_terminal(&s, err) && fork_run(session, &fork, ret, err);
	if (s.full)
		shell_say(&s, "The fork's memory for output is full: the shell was ended.");
	shell_close_terminal(&s);
	buf_free(&s.queue);
	buf_free(&s.show[0]);
	buf_free(&s.show[1]);
	return ok;
}
