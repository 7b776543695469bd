#include "engine/gdbquery.h"

#include <inttypes.h>
#include <string.h>

#include "engine/extract.h"
#include "engine/gdbpacket.h"
#include "engine/gdbtarget.h"
#include "engine/gdbthreads.h"
#include "engine/verbs.h"

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
	gdbfiles_auxv(g->tracee, gdbthreads_process(g), text);
}

static void put_program(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	gdbfiles_program(g->tracee, annex_process(g, x), text);
}

static void put_siginfo(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	(void)x;
	tracee_signal(g->tracee, gdbthreads_meant(g), text);
}

static void put_thread_texts(struct gdbserver *g, const struct gdb_transfer *x, struct buf *text)
{
	(void)x;
	gdbthreads_put_texts(g, text);
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
		gdb_refuse(out, err.text);
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
		gdb_refuse(out, err.text);
}

void gdbquery_answer(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	static const char xfer[] = "qXfer:", command[] = "qRcmd,", pass[] = "QPassSignals:";
	if (gdb_starts(packet, "qSupported"))
		put_supported(g, packet, out);
	else if (gdb_starts(packet, "QStartNoAckMode"))
		buf_str(out, "OK");
	else if (gdb_starts(packet, xfer))
		transfer(g, packet + sizeof xfer - 1, size - (sizeof xfer - 1), out);
	else if (gdb_starts(packet, "qfThreadInfo"))
		gdbthreads_put_list(g, out);
	else if (gdb_starts(packet, "qsThreadInfo"))
		buf_char(out, 'l');
	else if (!strcmp(packet, "qC")) {
		buf_str(out, "QC");
		gdbthreads_put(g, gdbthreads_process(g), gdbthreads_meant(g), out);
	} else if (gdb_starts(packet, "qAttached"))
		buf_char(out, '1'); /* so that gdb detaches when it leaves, instead of killing */
	else if (!strcmp(packet, "qOffsets"))
		put_offsets(g, out);
	else if (gdb_starts(packet, "qSymbol"))
		buf_str(out, "OK");
	else if (gdb_starts(packet, pass))
		pass_signals(g, packet + sizeof pass - 1, size - (sizeof pass - 1), out);
	else if (gdb_starts(packet, command))
		monitor(g, packet + sizeof command - 1, size - (sizeof command - 1), out);
}
