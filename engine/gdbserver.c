#include "engine/gdbserver.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/extract.h"
#include "engine/gdbmoves.h"
#include "engine/gdbpacket.h"
#include "engine/gdbtarget.h"
#include "engine/verbs.h"

enum { READ_MAX = 4096 };

static const char past[] = "this is a recording, and what was recorded cannot be changed";

static bool starts(const char *packet, const char *with)
{
	return !strncmp(packet, with, strlen(with));
}

/* gdb shows the sentence to the person, where it understands that. */
static void refuse(struct buf *out, const char *text)
{
	buf_printf(out, "E.%s", text);
}

/* The thread that is meant. */
static uint32_t thread_of(struct gdbserver *g)
{
	return g->general ? g->general : tracee_thread(g->tracee);
}

static uint32_t process_of(struct gdbserver *g)
{
	uint32_t pid = tracee_process_of(g->tracee, thread_of(g));
	return pid ? pid : tracee_pid(g->tracee);
}

/* ---- memory and points ----------------------------------------------------------------------------------------- */

static void read_memory(struct gdbserver *g, const char *text, size_t size, struct buf *out)
{
	uint64_t address, count;
	unsigned char bytes[GDB_PACKET_MAX / 2];
	struct err err;
	if (!gdb_parse_range(text, size, &address, &count, &err)) {
		refuse(out, err.text);
		return;
	}
	if (address == GDB_MOVED_AT && count == 1) {
		buf_str(out, g->elsewhere ? "01" : "00");
		g->hooked = true;
		return;
	}
	size_t got = tracee_read(g->tracee, process_of(g), address, bytes, count < sizeof bytes ? (size_t)count : sizeof bytes);
	if (count && !got)
		buf_str(out, "E0e"); /* EFAULT: gdb says "Cannot access memory" itself */
	else
		buf_hex(out, bytes, got);
}

static void point(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	static const enum tracee_kind kinds[] = {TRACEE_CODE, TRACEE_CODE, TRACEE_WRITE, TRACEE_READ, TRACEE_ACCESS};
	struct gdb_point p;
	struct err err;
	if (!gdb_parse_point(packet, size, &p, &err)) {
		refuse(out, err.text);
		return;
	}
	enum tracee_kind kind = kinds[p.kind - '0'];
	if (!p.insert)
		tracee_remove_point(g->tracee, process_of(g), kind, p.address, p.size);
	if (!p.insert || tracee_add_point_of(g->tracee, process_of(g), kind, p.address, p.size, &err)) {
		buf_str(out, "OK");
		return;
	}
	gdbmoves_say(g, err.text); /* gdb says only that it could not */
	refuse(out, err.text);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static bool thread_lives(struct gdbserver *g, int64_t id)
{
	struct err ignored;
	if (id <= 0 || id > UINT32_MAX)
		return false;
	/* Where no process lives, gdb shall still have one thread to ask about. */
	return tracee_process_of(g->tracee, (uint32_t)id) ||
		(!tracee_is_machine(g->tracee) && !tracee_process(g->tracee, &ignored) && id == tracee_thread(g->tracee));
}

static void choose_thread(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	struct gdb_thread thread;
	char what = at < end ? *at++ : 0;
	if (!gdb_parse_thread(&at, end, &thread) || at != end || (thread.tid > 0 && !thread_lives(g, thread.tid))) {
		refuse(out, "there is no such thread here");
		return;
	}
	uint32_t id = thread.tid > 0 ? (uint32_t)thread.tid : 0;
	/* Any thread of a process is meant by the process alone. */
	if (!id && thread.pid > 0 && thread.tid == -1)
		id = (uint32_t)thread.pid;
	if (what == 'g')
		g->general = id;
	else if (what == 'c')
		g->chosen = id;
	buf_str(out, "OK");
}

static void put_escaped(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size && text[i]; i++)
		if (text[i] < ' ' || text[i] > '~' || strchr("<>&\"'", text[i]))
			buf_char(out, '?');
		else
			buf_char(out, text[i]);
}

static void put_thread(const struct gdbserver *g, uint32_t pid, const struct thread *t, struct buf *out)
{
	buf_str(out, "<thread id=\"");
	gdbmoves_put_thread(g, pid, t->id, out);
	buf_str(out, "\" name=\"");
	put_escaped(out, t->name, sizeof t->name);
	buf_printf(out, "\">state %c</thread>", t->state);
}

static void put_threads(struct gdbserver *g, struct buf *out)
{
	struct thread only = {.id = tracee_thread(g->tracee), .state = '?', .name = "?"};
	bool any = false;
	buf_str(out, "<?xml version=\"1.0\"?><threads>");
	struct err ignored;
	const struct process_list *list = here_processes(tracee_here(g->tracee), &ignored);
	for (size_t i = 0; i < tracee_count(g->tracee); i++) {
		const struct process *p = list ? process_find(list, tracee_get(g->tracee, i)) : NULL;
		for (size_t k = 0; p && k < p->thread_count; k++)
			put_thread(g, p->pid, &p->threads[k], out);
		any |= p && p->thread_count;
	}
	if (tracee_is_machine(g->tracee)) {
		const struct process *p = here_current(tracee_here(g->tracee), &ignored);
		only.state = 'R';
		memcpy(only.name, p ? p->name : "idle", p ? sizeof only.name : sizeof "idle");
	}
	if (!any)
		put_thread(g, tracee_pid(g->tracee), &only, out);
	buf_str(out, "</threads>");
}

/* For a gdb that does not read XML. */
static void put_thread_list(struct gdbserver *g, struct buf *out)
{
	bool any = false;
	struct err ignored;
	const struct process_list *list = here_processes(tracee_here(g->tracee), &ignored);
	for (size_t i = 0; i < tracee_count(g->tracee); i++) {
		const struct process *p = list ? process_find(list, tracee_get(g->tracee, i)) : NULL;
		for (size_t k = 0; p && k < p->thread_count && out->size < GDB_PACKET_MAX - 32; k++, any = true) {
			buf_char(out, any ? ',' : 'm');
			gdbmoves_put_thread(g, p->pid, p->threads[k].id, out);
		}
	}
	if (any)
		return;
	buf_char(out, 'm');
	gdbmoves_put_thread(g, tracee_pid(g->tracee), tracee_thread(g->tracee), out);
}

/* ---- what gdb reads in pieces ---------------------------------------------------------------------------------- */

static uint32_t annex_process(const struct gdbserver *g, const struct gdb_transfer *x)
{
	const char *at = x->annex, *end = at + x->annex_size;
	uint64_t pid;
	return gdb_number(&at, end, &pid) && pid <= UINT32_MAX ? (uint32_t)pid : tracee_pid(g->tracee);
}

static void put_features(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	(void)x;
	gdbtarget_describe(tracee_is_machine(g->tracee), text);
}

static void put_auxv(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	(void)x;
	gdbfiles_auxv(g->tracee, process_of(g), text);
}

static void put_program(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	gdbfiles_program(g->tracee, annex_process(g, x), text);
}

static void put_siginfo(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	(void)x;
	tracee_signal(g->tracee, thread_of(g), text);
}

static void put_thread_texts(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	(void)x;
	put_threads(g, text);
}

static const struct object {
	const char *name;
	bool of_machine; /* also of the machine */
	void (*put)(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text);
} objects[] = {
	{"features", true, put_features},
	{"threads", true, put_thread_texts},
	{"auxv", false, put_auxv},
	{"exec-file", false, put_program},
	{"siginfo", false, put_siginfo},
};

static void put_piece(const struct buf *text, const struct gdb_transfer *x, struct buf *out)
{
	uint64_t offset = x->offset < text->size ? x->offset : text->size;
	uint64_t size = x->size < GDB_PACKET_MAX / 2 ? x->size : GDB_PACKET_MAX / 2;
	bool more = text->size - offset > size;
	buf_char(out, more ? 'm' : 'l');
	buf_add(out, text->data ? text->data + offset : "", more ? (size_t)size : text->size - (size_t)offset);
}

static void transfer(struct gdbserver *g, const char *at, size_t size, struct buf *out)
{
	struct gdb_transfer x;
	struct err err;
	struct buf text = {0};
	if (!gdb_parse_transfer(at, size, &x, &err)) {
		refuse(out, err.text);
		return;
	}
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
		if (strlen(objects[i].name) != x.object_size || memcmp(objects[i].name, x.object, x.object_size) != 0 ||
			(tracee_is_machine(g->tracee) && !objects[i].of_machine))
			continue;
		objects[i].put(g, &x, &text);
		put_piece(&text, &x, out);
	}
	buf_free(&text);
}

/* ---- queries --------------------------------------------------------------------------------------------------- */

static void put_supported(struct gdbserver *g, const char *packet, struct buf *out)
{
	bool process = !tracee_is_machine(g->tracee);
	g->multiprocess = strstr(packet, "multiprocess+") != NULL;
	buf_printf(out,
		"PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;ReverseStep+;ReverseContinue+;swbreak+;"
		"hwbreak+;vContSupported+",
		GDB_PACKET_MAX);
	if (process)
		buf_str(out, ";qXfer:auxv:read+;qXfer:exec-file:read+;qXfer:siginfo:read+;QPassSignals+;exec-events+");
	if (g->multiprocess)
		buf_str(out, ";multiprocess+");
	if (g->multiprocess && process)
		buf_str(out, ";fork-events+;vfork-events+");
}

/* A line of `polecat debug`, in hexadecimal as its answer. */
static void monitor(struct gdbserver *g, const char *text, size_t size, struct buf *out)
{
	struct buf line = {0}, said = {0};
	struct err err = {0};
	uint64_t before = session_icount(g->verbs->session);
	const struct verb_gdb *front = g->verbs->gdb;
	g->verbs->gdb = NULL; /* not within itself */
	if (!gdb_parse_hex(text, size, &line, &err) || !verbs_run(g->verbs, line.data ? line.data : "", line.size, &said, &err))
		buf_printf(&said, "%s\n", err.text);
	g->verbs->gdb = front;
	g->verbs->quit = false; /* the session is not gdb's to end */
	tracee_moved(g->tracee);
	if (session_icount(g->verbs->session) != before) {
		g->elsewhere = true;
		if (!g->hooked)
			buf_str(&said,
				"(gdb does not know that this moved: one `stepi` shows it the new place, and moves nothing)\n");
		if (g->moved)
			g->moved(g->data);
	}
	if (g->cancel)
		g->cancel->requested = false;
	size_t most = GDB_PACKET_MAX / 2 - 1;
	if (said.size)
		buf_hex(out, said.data, said.size < most ? said.size : most);
	else
		buf_str(out, "OK");
	buf_free(&line);
	buf_free(&said);
}

/* Where the program lies, which moves when it is position independent. */
static void put_offsets(struct gdbserver *g, struct buf *out)
{
	struct err ignored;
	const struct guest *guest = tracee_is_machine(g->tracee) ? NULL : here_guest(tracee_here(g->tracee), &ignored);
	const struct process *p = guest ? tracee_process(g->tracee, &ignored) : NULL;
	struct program *program = p ? tracee_program(g->tracee, &ignored) : NULL;
	const struct map *map = program ? extract_main(guest, p, program_maps(program)) : NULL;
	if (map)
		buf_printf(out, "TextSeg=%" PRIx64, map->start);
}

static void pass_signals(struct gdbserver *g, const char *text, size_t size, struct buf *out)
{
	struct err err;
	if (gdb_parse_signals(text, size, &g->passed, &err))
		buf_str(out, "OK");
	else
		refuse(out, err.text);
}

static void query(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	static const char xfer[] = "qXfer:", command[] = "qRcmd,", pass[] = "QPassSignals:";
	if (starts(packet, "qSupported"))
		put_supported(g, packet, out);
	else if (starts(packet, "QStartNoAckMode"))
		buf_str(out, "OK");
	else if (starts(packet, xfer))
		transfer(g, packet + sizeof xfer - 1, size - (sizeof xfer - 1), out);
	else if (starts(packet, "qfThreadInfo"))
		put_thread_list(g, out);
	else if (starts(packet, "qsThreadInfo"))
		buf_char(out, 'l');
	else if (!strcmp(packet, "qC")) {
		buf_str(out, "QC");
		gdbmoves_put_thread(g, process_of(g), thread_of(g), out);
	} else if (starts(packet, "qAttached"))
		buf_char(out, '1'); /* so that gdb detaches when it leaves, instead of killing */
	else if (!strcmp(packet, "qOffsets"))
		put_offsets(g, out);
	else if (starts(packet, "qSymbol"))
		buf_str(out, "OK");
	else if (starts(packet, pass))
		pass_signals(g, packet + sizeof pass - 1, size - (sizeof pass - 1), out);
	else if (starts(packet, command))
		monitor(g, packet + sizeof command - 1, size - (sizeof command - 1), out);
}

/* ---- packets --------------------------------------------------------------------------------------------------- */

/* Leaves one process ("D;PID") or all. False when nothing is to be said. */
static bool detach(struct gdbserver *g, const char *packet, const char *end, struct buf *out)
{
	const char *at = packet + 2;
	uint64_t pid;
	bool one = packet[0] == 'D' && packet[1] == ';' && gdb_number(&at, end, &pid) && pid <= UINT32_MAX;
	if (one && (tracee_count(g->tracee) > 1 || tracee_get(g->tracee, 0) != pid))
		tracee_remove(g->tracee, (uint32_t)pid);
	else
		g->detached = true;
	if (packet[0] != 'k')
		buf_str(out, "OK");
	return packet[0] != 'k';
}

static void v_packet(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	static const char cont[] = "vCont;", file[] = "vFile:";
	if (starts(packet, "vCont?"))
		buf_str(out, "vCont;c;C;s;S;r");
	else if (starts(packet, cont))
		gdbmoves_actions(g, packet + sizeof cont - 1, size - (sizeof cont - 1), out);
	else if (starts(packet, file) && !tracee_is_machine(g->tracee))
		gdbfiles_answer(&g->opened, g->tracee, packet + sizeof file - 1, size - (sizeof file - 1), out);
	else if (starts(packet, "vKill;")) {
		g->detached = true;
		buf_str(out, "OK");
	}
}

static void change(struct gdbserver *g, struct buf *out)
{
	gdbmoves_say(g, past); /* gdb shows it for registers, but not for memory */
	refuse(out, past);
}

bool gdbserver_answer(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	const char *end = packet + size, *at = packet + 1;
	struct gdb_thread thread;
	switch (*packet) {
	case 'v':
		v_packet(g, packet, size, out);
		break;
	case 'q':
	case 'Q':
		query(g, packet, size, out);
		break;
	case 'b':
		if (!strcmp(at, "s") || !strcmp(at, "c"))
			gdbmoves_simple(g, *at == 's', true, out);
		break;
	case 'c':
	case 'C':
	case 's':
	case 'S':
		gdbmoves_simple(g, *packet == 's' || *packet == 'S', false, out);
		break;
	case '?':
		gdbmoves_where(g, out);
		break;
	case 'g':
		gdbtarget_registers(g->tracee, thread_of(g), g->verbs->session, out);
		break;
	case 'm':
		read_memory(g, at, size - 1, out);
		break;
	case 'Z':
	case 'z':
		point(g, packet, size, out);
		break;
	case 'H':
		choose_thread(g, at, end, out);
		break;
	case 'T':
		buf_str(out, gdb_parse_thread(&at, end, &thread) && thread_lives(g, thread.tid) ? "OK" : "E01");
		break;
	case 'G':
	case 'P':
	case 'M':
	case 'X':
		change(g, out);
		break;
	case 'D':
	case 'k':
		return detach(g, packet, end, out);
	default:
		break; /* an empty answer: not supported */
	}
	return true;
}

/* ---- the connection ------------------------------------------------------------------------------------------ */

static bool say(struct gdbserver *g, const void *bytes, size_t size)
{
	const char *at = bytes;
	while (size && !g->closed) {
		ssize_t n = send(g->fd, at, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			g->closed = true;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return !g->closed;
}

static void hear(struct gdbserver *g, int flags)
{
	char bytes[READ_MAX];
	ssize_t n = recv(g->fd, bytes, sizeof bytes, flags);
	if (n > 0)
		gdb_feed(&g->stream, bytes, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		g->closed = true;
}

/* Has gdb asked to stop, or gone, while something goes on? */
static bool interrupted(void *data)
{
	struct gdbserver *g = data;
	if (!g->closed)
		hear(g, MSG_DONTWAIT);
	return g->closed || gdb_has_interrupt(&g->stream);
}

/* What gdb shows before it shows where a move ended. */
static void put_console(struct gdbserver *g, struct buf *framed)
{
	struct buf text = {0};
	if (!g->console.size)
		return;
	buf_char(&text, 'O');
	buf_hex(&text, g->console.data, g->console.size);
	gdb_put(framed, text.data, text.size);
	buf_clear(&g->console);
	buf_free(&text);
}

static bool handle(struct gdbserver *g, enum gdb_result what)
{
	struct buf answer = {0}, framed = {0};
	bool ok = true;
	if (what == GDB_DAMAGED)
		return say(g, "-", 1);
	if (what != GDB_PACKET)
		return what != GDB_BAD; /* an interrupt while nothing goes on is too late: it has stopped already */
	struct err ignored;
	if (!g->no_ack)
		ok = say(g, "+", 1);
	session_ensure(g->verbs->session, &ignored); /* what cannot be answered without a machine says so */
	if (ok && gdbserver_answer(g, g->stream.packet.data, g->stream.packet.size, &answer)) {
		put_console(g, &framed);
		gdb_put(&framed, answer.data ? answer.data : "", answer.size);
		ok = say(g, framed.data, framed.size);
	}
	g->no_ack |= !strcmp(g->stream.packet.data, "QStartNoAckMode");
	buf_free(&answer);
	buf_free(&framed);
	return ok && !g->detached;
}

/* Waits for one of the two, for the person, or for the end of the child. */
static bool wait_for(struct gdbserver *g, int fd, int child_fd, bool *ended, struct err *err)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = g->cancel ? g->cancel->fd : -1, .events = POLLIN},
		{.fd = child_fd, .events = POLLIN}};
	*ended = false;
	for (;;) {
		if (!session_wait(g->verbs->session, fds, 3, err))
			return false;
		struct signalfd_siginfo info;
		if (fds[1].revents && read(fds[1].fd, &info, sizeof info) == (ssize_t)sizeof info &&
			!(child_fd >= 0 && info.ssi_signo == SIGINT))
			return err_set(err, ERR_CANCELLED, "stopped on request");
		if (fds[0].revents)
			return true;
		*ended = fds[2].revents != 0;
		if (*ended)
			return true;
	}
}

static bool converse(struct gdbserver *g, int child_fd, struct err *err)
{
	bool ended = false;
	while (!g->closed && !g->detached && !ended) {
		enum gdb_result what = gdb_next(&g->stream);
		if (what == GDB_MORE) {
			if (!wait_for(g, g->fd, child_fd, &ended, err))
				return false;
			if (!ended)
				hear(g, 0);
		} else if (!handle(g, what)) {
			break;
		}
	}
	return true;
}

bool gdbserver_serve(struct gdbserver *g, int listener, int child_fd, struct err *err)
{
	bool ended;
	gdbmoves_take_files(g);
	if (!wait_for(g, listener, child_fd, &ended, err))
		return false;
	if (ended)
		return err_set(err, ERR_SYSTEM, "gdb ended without asking anything");
	g->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (g->fd < 0)
		return err_sys(err, errno, "the connection of gdb");
	if (g->cancel) {
		g->cancel->also = interrupted;
		g->cancel->data = g;
	}
	bool ok = converse(g, child_fd, err);
	if (g->cancel)
		g->cancel->also = NULL;
	close(g->fd);
	return ok;
}

void gdbserver_finish(struct gdbserver *g)
{
	gdb_finish(&g->stream);
	gdbfiles_finish(&g->opened);
	buf_free(&g->console);
	free(g->program);
}

int gdbserver_listen(const char *path, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path) {
		err_set(err, ERR_USAGE, "%s: expected a path of at most %zu bytes for a socket", path,
			sizeof address.sun_path - 1);
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mode_t old = umask(0177);
	bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
	int why = errno;
	umask(old);
	if (ok && listen(fd, 1) < 0) {
		why = errno;
		unlink(path);
		ok = false;
	}
	if (ok)
		return fd;
	if (fd >= 0)
		close(fd);
	err_sys(err, why, "%s", path);
	return -1;
}
