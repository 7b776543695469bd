#include "engine/gdbserver.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/extract.h"

enum { READ_MAX = 4096, STEPS_MAX = 100000 /* of one range */, WORDS_ON_STACK = 100000, AUXV_MAX = 64 };

/* ---- what the processor looks like --------------------------------------------------------------------------- */

/* clang-format off */
static const char target_start[] =
	"<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
	"<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi><feature name=\"org.gnu.gdb.i386.core\">";
/* clang-format on */

static const char *const general_names[] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
/* Number of each in the order DWARF counts them. */
static const unsigned char general_dwarf[] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const char *const segment_names[] = {"cs", "ss", "ds", "es", "fs", "gs"};
static const enum regs_segment segments[] = {REGS_CS, REGS_SS, REGS_DS, REGS_ES, REGS_FS, REGS_GS};
static const char *const float_names[] = {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"};

static void put_reg(struct buf *out, const char *name, int bits, const char *type)
{
	buf_printf(out, "<reg name=\"%s\" bitsize=\"%d\" type=\"%s\"/>", name, bits, type);
}

static void put_target(struct buf *out)
{
	char name[16];
	buf_str(out, target_start);
	for (size_t i = 0; i < 16; i++)
		put_reg(out, general_names[i], 64, i == 6 || i == 7 ? "data_ptr" : "int64");
	put_reg(out, "rip", 64, "code_ptr");
	put_reg(out, "eflags", 32, "int32");
	for (size_t i = 0; i < 6; i++)
		put_reg(out, segment_names[i], 32, "int32");
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof name, "st%d", i);
		put_reg(out, name, 80, "i387_ext");
	}
	for (size_t i = 0; i < 8; i++)
		buf_printf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"int\" group=\"float\"/>", float_names[i]);
	buf_str(out,
		"</feature><feature name=\"org.gnu.gdb.i386.sse\"><vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
		"<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/><vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
		"<vector id=\"v8i16\" type=\"int16\" count=\"8\"/><vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
		"<vector id=\"v2i64\" type=\"int64\" count=\"2\"/><union id=\"vec128\"><field name=\"v4_float\" "
		"type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" type=\"v16i8\"/><field "
		"name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" type=\"v4i32\"/><field name=\"v2_int64\" "
		"type=\"v2i64\"/><field name=\"uint128\" type=\"uint128\"/></union>");
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof name, "xmm%d", i);
		put_reg(out, name, 128, "vec128");
	}
	buf_str(out,
		"<reg name=\"mxcsr\" bitsize=\"32\" type=\"int\" group=\"vector\"/></feature>"
		/* What makes gdb look for the libraries of a Linux program. */
		"<feature name=\"org.gnu.gdb.i386.linux\"><reg name=\"orig_rax\" bitsize=\"64\" type=\"int\" group=\"system\"/>"
		"</feature><feature name=\"org.gnu.gdb.i386.segments\">");
	put_reg(out, "fs_base", 64, "int");
	put_reg(out, "gs_base", 64, "int");
	buf_str(out, "</feature></target>");
}

/* The low bytes of a register in the order of the machine; what is not known is "x". */
static void put_value(struct buf *out, bool known, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (known)
			buf_printf(out, "%02x", (unsigned)(i < 8 ? value >> (8 * i) & 0xff : 0));
		else
			buf_str(out, "xx");
}

/* All registers in the order of the description. */
static void put_registers(struct gdbserver *g, struct buf *out)
{
	struct frame_registers r = {0};
	const struct regs *live = NULL;
	tracee_registers(g->tracee, g->general, &r, &live);
	for (size_t i = 0; i < 16; i++)
		put_value(out, r.known >> general_dwarf[i] & 1, r.value[general_dwarf[i]], 8);
	put_value(out, r.known >> FRAME_PC & 1, r.value[FRAME_PC], 8);
	put_value(out, live, live ? live->rflags : 0, 4);
	for (size_t i = 0; i < 6; i++)
		put_value(out, live, live ? live->selector[segments[i]] : 0, 4);
	/* Only the significands of the x87 stack are known; programs for x86-64 hardly use it. */
	for (size_t i = 0; i < 8; i++)
		put_value(out, false, 0, 10);
	for (size_t i = 0; i < 8; i++)
		put_value(out, live && i < 2, live ? (i ? live->fsw : live->fcw) : 0, 4);
	for (size_t i = 0; i < 16; i++) {
		bool known = r.known >> (FRAME_XMM0 + i) & 1;
		put_value(out, known, r.value[FRAME_XMM0 + i], 8);
		put_value(out, known, r.high[i], 8);
	}
	put_value(out, live, live ? live->mxcsr : 0, 4);
	put_value(out, false, 0, 8); /* orig_rax */
	put_value(out, r.known, r.fs_base, 8);
	put_value(out, live, live ? live->segment_base[REGS_GS] : 0, 8);
}

/* ---- packets ------------------------------------------------------------------------------------------------- */

static bool starts(const char *packet, const char *with)
{
	return !strncmp(packet, with, strlen(with));
}

/* gdb shows the sentence to the person, where it understands that. */
static void refuse(struct buf *out, const char *text)
{
	buf_printf(out, "E.%s", text);
}

static void put_stop(struct gdbserver *g, const struct tracee_stop *stop, int signal, struct buf *out)
{
	g->general = tracee_thread(g->tracee);
	buf_printf(out, "T%02xthread:%x;", (unsigned)signal, g->general);
	if (!stop)
		return;
	if (stop->why == TRACEE_BREAK)
		buf_str(out, "swbreak:;");
	else if (stop->why == TRACEE_WATCH)
		buf_printf(out, "watch:%" PRIx64 ";", stop->address);
	else if (stop->why == TRACEE_BEGIN)
		buf_str(out, "replaylog:begin;");
	else if (stop->why == TRACEE_END)
		buf_str(out, "replaylog:end;");
}

/* gdb looks for the files of libraries as soon as it hears of the stop. */
static void take_files(struct gdbserver *g)
{
	struct err err;
	struct buf missing = {0};
	const struct guest *guest = g->files >= 0 ? here_guest(session_here(g->verbs->session), &err) : NULL;
	struct program *program = guest ? tracee_program(g->tracee, &err) : NULL;
	size_t count = program ? extract_count(program_maps(program)) : g->file_count;
	if (count == g->file_count)
		return;
	g->file_count = count;
	if (!extract_files(guest, program_maps(program), g->files, &missing, &err))
		fprintf(stderr, "polecat: %s\n", err.text);
	if (missing.size)
		fprintf(stderr, "without symbols, since the guest's memory does not hold all of it: %s", missing.data);
	buf_free(&missing);
}

static void moved(struct gdbserver *g, bool ok, const struct tracee_stop *stop, const struct err *err, struct buf *out)
{
	if (ok)
		put_stop(g, stop, SIGTRAP, out);
	else if (err->code == ERR_CANCELLED)
		put_stop(g, NULL, SIGINT, out);
	else {
		fprintf(stderr, "polecat: %s\n", err->text);
		put_stop(g, NULL, SIGTRAP, out);
	}
	take_files(g);
	if (g->cancel)
		g->cancel->requested = false;
}

static void resume(struct gdbserver *g, bool backward, struct buf *out)
{
	struct tracee_stop stop;
	struct err err = {0};
	bool ok = tracee_continue(g->tracee, backward, &stop, &err);
	moved(g, ok, &stop, &err, out);
}

/* One instruction, or on until the thread has left [low, high). */
static void step(struct gdbserver *g, uint32_t thread, bool backward, uint64_t low, uint64_t high, struct buf *out)
{
	struct tracee_stop stop;
	struct err err = {0};
	struct frame_registers r = {0};
	const struct regs *live;
	bool ok = true;
	for (int i = 0; ok && i < STEPS_MAX; i++) {
		ok = tracee_step(g->tracee, thread, backward, &stop, &err) && cancel_check(g->cancel, &err);
		if (stop.why != TRACEE_STEPPED || low == high || !tracee_registers(g->tracee, thread, &r, &live) ||
			r.value[FRAME_PC] < low || r.value[FRAME_PC] >= high)
			break;
	}
	moved(g, ok, &stop, &err, out);
}

static void v_cont(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	/* The first action is the one that matters: others of the list are "and all other threads go on". */
	char action = *at++;
	uint64_t thread = tracee_thread(g->tracee), low = 0, high = 0, ignored;
	if ((action == 'C' || action == 'S') && !gdb_number(&at, end, &ignored)) {
		refuse(out, "vCont: expected a signal");
		return;
	}
	if (action == 'r' && (!gdb_number(&at, end, &low) || *at++ != ',' || !gdb_number(&at, end, &high))) {
		refuse(out, "vCont: expected a range");
		return;
	}
	if (*at == ':') {
		at++;
		if (*at != '-' && (!gdb_number(&at, end, &thread) || !thread || thread > UINT32_MAX))
			thread = tracee_thread(g->tracee);
	}
	if (action == 'c' || action == 'C')
		resume(g, false, out);
	else if (action == 's' || action == 'S' || action == 'r')
		step(g, (uint32_t)thread, false, low, high, out);
	else
		refuse(out, "vCont: expected c, s or r");
}

static void read_memory(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	uint64_t address, size;
	unsigned char bytes[GDB_PACKET_MAX / 2];
	if (!gdb_number(&at, end, &address) || *at++ != ',' || !gdb_number(&at, end, &size)) {
		refuse(out, "m: expected ADDRESS,SIZE");
		return;
	}
	size_t got = tracee_read(g->tracee, address, bytes, size < sizeof bytes ? (size_t)size : sizeof bytes);
	if (size && !got)
		buf_str(out, "E0e"); /* EFAULT: gdb says "Cannot access memory" itself */
	else
		buf_hex(out, bytes, got);
}

static void point(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	bool insert = *at++ == 'Z';
	char kind = *at++;
	uint64_t address, size;
	struct err err;
	if (kind != '0' && kind != '1' && kind != '2')
		return; /* an empty answer: not supported */
	if (*at++ != ',' || !gdb_number(&at, end, &address) || *at++ != ',' || !gdb_number(&at, end, &size)) {
		refuse(out, "Z: expected ADDRESS,SIZE");
		return;
	}
	if (!insert)
		tracee_remove_point(g->tracee, kind == '2', address, size);
	if (!insert || tracee_add_point(g->tracee, kind == '2', address, size, &err))
		buf_str(out, "OK");
	else
		refuse(out, err.text);
}

static void put_threads(struct gdbserver *g, struct buf *out)
{
	struct err ignored;
	const struct process *p = tracee_process(g->tracee, &ignored);
	size_t count = p ? p->thread_count : 0;
	for (size_t i = 0; i < count && out->size < GDB_PACKET_MAX - 16; i++)
		buf_printf(out, "%c%x", i ? ',' : 'm', p->threads[i].id);
	if (!count)
		buf_printf(out, "m%x", tracee_thread(g->tracee));
}

static bool thread_lives(struct gdbserver *g, uint64_t id)
{
	struct err ignored;
	const struct process *p = tracee_process(g->tracee, &ignored);
	for (size_t i = 0; p && i < p->thread_count; i++)
		if (p->threads[i].id == id)
			return true;
	return !p && id == tracee_thread(g->tracee);
}

/* Part of a text that gdb reads piece by piece: "OFFSET,SIZE". */
static void put_part(const struct buf *text, const char *at, const char *end, struct buf *out)
{
	uint64_t offset, size;
	if (!gdb_number(&at, end, &offset) || *at++ != ',' || !gdb_number(&at, end, &size)) {
		refuse(out, "qXfer: expected OFFSET,SIZE");
		return;
	}
	if (offset > text->size)
		offset = text->size;
	if (size > GDB_PACKET_MAX / 2)
		size = GDB_PACKET_MAX / 2;
	bool more = text->size - offset > size;
	buf_char(out, more ? 'm' : 'l');
	buf_add(out, text->data + offset, more ? (size_t)size : text->size - (size_t)offset);
}

/* A line of `polecat debug`, in hexadecimal as its answer. */
static void monitor(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	struct buf line = {0}, said = {0};
	struct err err = {0};
	for (; end - at >= 2; at += 2) {
		const char pair[] = {at[0], at[1]}, *digits = pair;
		uint64_t value;
		if (!gdb_number(&digits, pair + 2, &value) || digits != pair + 2)
			break;
		buf_char(&line, (char)value);
	}
	uint64_t before = session_icount(g->verbs->session);
	if (!verbs_run(g->verbs, line.data ? line.data : "", line.size, &said, &err))
		buf_printf(&said, "%s\n", err.text);
	tracee_moved(g->tracee);
	if (session_icount(g->verbs->session) != before)
		buf_str(&said, "(gdb does not know that this moved: say `maintenance flush register-cache`)\n");
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
	const struct guest *guest = here_guest(session_here(g->verbs->session), &ignored);
	const struct process *p = guest ? tracee_process(g->tracee, &ignored) : NULL;
	struct program *program = p ? tracee_program(g->tracee, &ignored) : NULL;
	const struct map *map = program ? extract_main(guest, p, program_maps(program)) : NULL;
	if (map)
		buf_printf(out, "TextSeg=%" PRIx64, map->start);
}

static bool word(struct gdbserver *g, uint64_t at, uint64_t *ret)
{
	return tracee_read(g->tracee, at, ret, sizeof *ret) == sizeof *ret;
}

/* What the kernel told the program when it began, from where the program finds it: on the stack behind arguments and environment.
 * gdb finds the dynamic linker by it, and so the libraries. */
static void put_auxv(struct gdbserver *g, struct buf *out)
{
	struct err ignored;
	const struct guest *guest = here_guest(session_here(g->verbs->session), &ignored);
	const struct process *p = guest ? tracee_process(g->tracee, &ignored) : NULL;
	uint64_t at = p && p->mm ? guest_value(guest, LAYOUT_MM_START_STACK, p->mm) : 0, arguments, pair[2] = {1};
	if (!at || !word(g, at, &arguments) || arguments > WORDS_ON_STACK)
		return;
	at += 8 * (1 + arguments + 1);
	for (int i = 0; pair[0] && i < WORDS_ON_STACK; i++, at += 8)
		if (!word(g, at, &pair[0]))
			return;
	pair[0] = 1;
	for (int i = 0; pair[0] && i < AUXV_MAX && word(g, at, &pair[0]) && word(g, at + 8, &pair[1]); i++, at += 16)
		buf_add(out, pair, sizeof pair);
}

static void query(struct gdbserver *g, const char *packet, const char *end, struct buf *out)
{
	static const char features[] = "qXfer:features:read:target.xml:", auxv[] = "qXfer:auxv:read::",
			  extra[] = "qThreadExtraInfo,", command[] = "qRcmd,";
	if (starts(packet, "qSupported")) {
		buf_printf(out,
			"PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:auxv:read+;ReverseStep+;ReverseContinue+;"
			"swbreak+;"
			"vContSupported+",
			GDB_PACKET_MAX);
	} else if (starts(packet, "QStartNoAckMode")) {
		buf_str(out, "OK");
	} else if (starts(packet, features)) {
		struct buf text = {0};
		put_target(&text);
		put_part(&text, packet + sizeof features - 1, end, out);
		buf_free(&text);
	} else if (starts(packet, auxv)) {
		struct buf vector = {0};
		put_auxv(g, &vector);
		put_part(&vector, packet + sizeof auxv - 1, end, out);
		buf_free(&vector);
	} else if (starts(packet, "qfThreadInfo")) {
		put_threads(g, out);
	} else if (starts(packet, "qsThreadInfo")) {
		buf_char(out, 'l');
	} else if (!strcmp(packet, "qC")) {
		buf_printf(out, "QC%x", tracee_thread(g->tracee));
	} else if (starts(packet, "qAttached")) {
		buf_char(out, '1'); /* so that gdb detaches when it leaves, instead of killing */
	} else if (!strcmp(packet, "qOffsets")) {
		put_offsets(g, out);
	} else if (starts(packet, "qSymbol")) {
		buf_str(out, "OK");
	} else if (starts(packet, extra)) {
		const char *at = packet + sizeof extra - 1;
		uint64_t id;
		struct err ignored;
		const struct process *p = tracee_process(g->tracee, &ignored);
		for (size_t i = 0; gdb_number(&at, end, &id) && p && i < p->thread_count; i++, at = packet + sizeof extra - 1)
			if (p->threads[i].id == id)
				buf_hex(out, p->threads[i].name, strnlen(p->threads[i].name, sizeof p->threads[i].name));
	} else if (starts(packet, command)) {
		monitor(g, packet + sizeof command - 1, end, out);
	}
}

static void choose_thread(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	uint64_t id = 0;
	char what = *at ? *at++ : 0;
	if (*at == '-')
		id = 0;
	else if (!gdb_number(&at, end, &id) || (id && !thread_lives(g, id))) {
		refuse(out, "there is no such thread here");
		return;
	}
	if (what == 'g')
		g->general = id ? (uint32_t)id : tracee_thread(g->tracee);
	buf_str(out, "OK");
}

bool gdbserver_answer(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	const char *end = packet + size, *at = packet + 1;
	uint64_t id;
	if (!g->general)
		g->general = tracee_thread(g->tracee);
	if (starts(packet, "vCont?"))
		buf_str(out, "vCont;c;C;s;S;r");
	else if (starts(packet, "vCont;"))
		v_cont(g, packet + 6, end, out);
	else if (*packet == 'q' || *packet == 'Q')
		query(g, packet, end, out);
	else if (!strcmp(packet, "bs") || !strcmp(packet, "bc"))
		*at == 's' ? step(g, g->general, true, 0, 0, out) : resume(g, true, out);
	else if (*packet == '?')
		put_stop(g, NULL, SIGTRAP, out);
	else if (*packet == 'g')
		put_registers(g, out);
	else if (*packet == 'm')
		read_memory(g, at, end, out);
	else if (*packet == 'Z' || *packet == 'z')
		point(g, packet, end, out);
	else if (*packet == 'H')
		choose_thread(g, at, end, out);
	else if (*packet == 'T')
		buf_str(out, gdb_number(&at, end, &id) && thread_lives(g, id) ? "OK" : "E01");
	else if (*packet == 'c' || *packet == 'C')
		resume(g, false, out);
	else if (*packet == 's' || *packet == 'S')
		step(g, g->general, false, 0, 0, out);
	else if (*packet && strchr("GPMX", *packet))
		refuse(out, "this is a recording: nothing can be changed in it");
	else if (*packet == 'D' || *packet == 'k') {
		g->detached = true;
		buf_str(out, *packet == 'D' ? "OK" : "");
		return *packet == 'D';
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

static bool handle(struct gdbserver *g, enum gdb_result what)
{
	struct buf answer = {0}, framed = {0};
	bool ok = true;
	if (what == GDB_DAMAGED)
		return say(g, "-", 1);
	if (what != GDB_PACKET)
		return what != GDB_BAD; /* an interrupt while nothing goes on is too late: it has stopped already */
	if (!g->no_ack)
		ok = say(g, "+", 1);
	if (ok && gdbserver_answer(g, g->stream.packet.data, g->stream.packet.size, &answer)) {
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
	take_files(g);
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
	gdb_finish(&g->stream);
	return ok;
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
