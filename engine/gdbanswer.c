#include "engine/gdbanswer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gdbmoves.h"
#include "engine/gdbpacket.h"
#include "engine/gdbquery.h"
#include "engine/gdbtarget.h"
#include "engine/gdbthreads.h"

static void read_memory(struct gdbserver *g, const char *text, size_t size, struct buf *out)
{
	uint64_t address, count;
	unsigned char bytes[GDB_PACKET_MAX / 2];
	struct err err;
	if (!gdb_parse_range(text, size, &address, &count, &err)) {
		gdb_refuse(out, err.text);
		return;
	}
	if (address == GDB_MOVED_AT && count == 1) {
		buf_str(out, g->elsewhere ? "01" : "00");
		g->hooked = true;
		return;
	}
	size_t got = tracee_read(
		g->tracee, gdbthreads_process(g), address, bytes, count < sizeof bytes ? (size_t)count : sizeof bytes);
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
		gdb_refuse(out, err.text);
		return;
	}
	enum tracee_kind kind = kinds[p.kind - '0'];
	if (!p.insert)
		tracee_remove_point(g->tracee, gdbthreads_process(g), kind, p.address, p.size);
	if (!p.insert || tracee_add_point_of(g->tracee, gdbthreads_process(g), kind, p.address, p.size, &err)) {
		buf_str(out, "OK");
		return;
	}
	gdbmoves_say(g, err.text); /* gdb says only that it could not */
	gdb_refuse(out, err.text);
}

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
	if (gdb_starts(packet, "vCont?"))
		buf_str(out, "vCont;c;C;s;S;r");
	else if (gdb_starts(packet, cont))
		gdbmoves_actions(g, packet + sizeof cont - 1, size - (sizeof cont - 1), out);
	else if (gdb_starts(packet, file) && !tracee_is_machine(g->tracee))
		gdbfiles_answer(&g->opened, g->tracee, packet + sizeof file - 1, size - (sizeof file - 1), out);
	else if (gdb_starts(packet, "vKill;")) {
		g->detached = true;
		buf_str(out, "OK");
	}
}

/* For registers, memory and calls of functions. */
static void change(struct gdbserver *g, struct buf *out)
{
	const struct session *s = g->verbs->session;
	char *text = mem_printf("this is a recording, and what was recorded cannot be changed: `polecat fork %s --at %" PRIu64
				"` goes on from here in a machine of its own",
		timeline_name(session_timeline(s)), session_icount(s));
	gdbmoves_say(g, text); /* gdb shows it for registers, but not for memory */
	gdb_refuse(out, text);
	free(text);
}

bool gdbanswer(struct gdbserver *g, const char *packet, size_t size, struct buf *out)
{
	const char *end = packet + size, *at = packet + 1;
	struct gdb_thread thread;
	switch (*packet) {
	case 'v':
		v_packet(g, packet, size, out);
		break;
	case 'q':
	case 'Q':
		gdbquery_answer(g, packet, size, out);
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
		gdbtarget_registers(g->tracee, gdbthreads_meant(g), g->verbs->session, out);
		break;
	case 'm':
		read_memory(g, at, size - 1, out);
		break;
	case 'Z':
	case 'z':
		point(g, packet, size, out);
		break;
	case 'H':
		gdbthreads_choose(g, at, end, out);
		break;
	case 'T':
		buf_str(out, gdb_parse_thread(&at, end, &thread) && gdbthreads_lives(g, thread.tid) ? "OK" : "E01");
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
