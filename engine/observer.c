#include "engine/observer.h"

#include <stdlib.h>
#include <string.h>

#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/digest.h"

struct stream {
	struct buf line; /* what came since the last newline */
	uint64_t offset; /* bytes of this invocation */
	struct digest *sum;
};

struct node {
	uint64_t invocation;
	uint64_t lines;
	uint64_t sequence;
	struct stream streams[2];
};

struct observer {
	struct observer_cast cast;
	struct observer_limits limits;
	struct event_sink sink;
	struct node *nodes;
	size_t used, frames;
	uint64_t events, bytes, vtime_ns, icount;
	bool begun, ended;
	char reason[32];
	struct buf text;
};

struct observer *observer_create(const struct observer_cast *cast, const struct observer_limits *limits, struct event_sink sink)
{
	struct observer *o = mem_alloc(sizeof *o);
	o->cast = *cast;
	o->limits = *limits;
	o->sink = sink;
	o->nodes = mem_array(cast->node_count, sizeof *o->nodes);
	return o;
}

void observer_destroy(struct observer *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->cast.node_count; i++) {
		for (int s = 0; s < 2; s++) {
			buf_free(&o->nodes[i].streams[s].line);
			digest_destroy(o->nodes[i].streams[s].sum);
		}
	}
	free(o->nodes);
	buf_free(&o->text);
	free(o);
}

/* ---- handing on ------------------------------------------------------------------------------------------- */

static bool emit(struct observer *o, struct event *e, struct err *err)
{
	if (o->ended)
		return true;
	e->seq = ++o->events;
	if (!e->node)
		e->node = "";
	o->icount = e->icount;
	o->vtime_ns = e->vtime_ns;
	return o->sink.event(o->sink.data, e, err);
}

bool observer_cut(struct observer *o, const char *reason, const char *why, uint64_t icount, struct err *err)
{
	if (o->ended)
		return true;
	struct event e = {.kind = EVENT_RUN_END, .icount = icount, .vtime_ns = o->vtime_ns, .reason = reason, .why = why};
	strncpy(o->reason, reason, sizeof o->reason - 1);
	bool ok = emit(o, &e, err);
	o->ended = true;
	return ok;
}

/* The last event of a run is always run.end, so the limit leaves room for it. */
static bool full(struct observer *o, uint64_t icount, bool *ok, struct err *err)
{
	if (o->ended)
		return true;
	if (o->events + 1 >= o->limits.events)
		*ok = observer_cut(o, "event_limit", "the limit of events was reached", icount, err);
	return o->ended;
}

static bool post(struct observer *o, struct event *e, struct err *err)
{
	bool ok = true;
	if (full(o, e->icount, &ok, err))
		return ok;
	return emit(o, e, err);
}

/* ---- output ----------------------------------------------------------------------------------------------- */

static bool post_line(struct observer *o, const struct wire_message *m, uint64_t icount, unsigned stream, bool cut, bool counts,
	struct err *err)
{
	struct node *n = &o->nodes[m->node];
	struct buf *line = &n->streams[stream].line;
	struct event e = {.kind = EVENT_IO_LINE,
		.icount = icount,
		.vtime_ns = m->vtime_ns,
		.node = o->cast.nodes[m->node],
		.invocation = m->invocation,
		.line = n->lines + 1,
		.is_stderr = stream == 1,
		.cut = cut,
		.text = {line->data ? line->data : "", line->size}};
	if (counts)
		n->lines++;
	bool ok = post(o, &e, err);
	buf_clear(line);
	return ok;
}

/* Splits at newlines; a line that grows too long goes on as a piece. */
static bool add_output(
	struct observer *o, const struct wire_message *m, uint64_t icount, const uint8_t *bytes, size_t size, struct err *err)
{
	unsigned stream = (unsigned)m->stream - 1;
	struct buf *line = &o->nodes[m->node].streams[stream].line;
	while (size) {
		const uint8_t *newline = memchr(bytes, '\n', size);
		size_t part = newline ? (size_t)(newline - bytes) : size;
		size_t room = OBSERVER_LINE_MAX - line->size;
		if (part > room) {
			buf_add(line, bytes, room);
			bytes += room;
			size -= room;
			if (!post_line(o, m, icount, stream, true, false, err))
				return false;
			continue;
		}
		buf_add(line, bytes, part);
		bytes += part + (newline ? 1 : 0);
		size -= part + (newline ? 1 : 0);
		if (newline && !post_line(o, m, icount, stream, false, true, err))
			return false;
	}
	return true;
}

static bool take_output(struct observer *o, const struct wire_message *m, uint64_t icount, struct err *err)
{
	if (m->stream != 1 && m->stream != 2)
		return err_set(err, ERR_QEMU, "the agent sent output of stream %llu", (unsigned long long)m->stream);
	struct node *n = &o->nodes[m->node];
	struct stream *s = &n->streams[m->stream - 1];
	if (m->offset != s->offset || m->sequence != n->sequence)
		return err_set(err, ERR_QEMU, "output of node %s is not whole: offset %llu after %llu", o->cast.nodes[m->node],
			(unsigned long long)m->offset, (unsigned long long)s->offset);
	const uint8_t *bytes = m->bytes.data;
	size_t size = m->bytes.size;
	s->offset += size;
	n->sequence++;
	if (!s->sum)
		s->sum = digest_create();
	digest_add(s->sum, bytes, size);
	o->bytes += size;
	if (o->bytes > o->limits.bytes) {
		size_t over = (size_t)(o->bytes - o->limits.bytes);
		size -= over < size ? over : size;
	}
	if (!add_output(o, m, icount, bytes, size, err))
		return false;
	if (o->bytes > o->limits.bytes)
		return observer_cut(o, "byte_limit", "the limit of output bytes was reached", icount, err);
	return true;
}

/* ---- the other frames ------------------------------------------------------------------------------------- */

static const char *text_of(struct observer *o, struct wire_bytes b)
{
	buf_clear(&o->text);
	for (size_t i = 0; i < b.size; i++)
		buf_char(&o->text, b.data[i] < 0x20 || b.data[i] > 0x7e ? '?' : (char)b.data[i]);
	buf_char(&o->text, '\0');
	return o->text.data;
}

static bool take_begin(struct observer *o, const struct wire_message *m, struct event *e, struct err *err)
{
	if (o->begun || m->bytes.size != WIRE_DIGEST_SIZE)
		return err_set(err, ERR_QEMU, "the agent began twice, or not with the digest of a plan");
	o->begun = true;
	char hex[2 * WIRE_DIGEST_SIZE + 1];
	digest_hex(m->bytes.data, WIRE_DIGEST_SIZE, hex);
	e->kind = EVENT_RUN_START;
	e->plan = hex;
	bool ok = post(o, e, err);
	e->plan = NULL;
	return ok;
}

static void forget_invocation(struct node *n)
{
	n->sequence = 0;
	for (int s = 0; s < 2; s++) {
		n->streams[s].offset = 0;
		digest_destroy(n->streams[s].sum);
		n->streams[s].sum = NULL;
		buf_clear(&n->streams[s].line);
	}
}

static bool take_started(struct observer *o, const struct wire_message *m, struct event *e, struct err *err)
{
	struct node *n = &o->nodes[m->node];
	if (m->invocation != n->invocation + 1)
		return err_set(err, ERR_QEMU, "node %s started invocation %llu after %llu", e->node,
			(unsigned long long)m->invocation, (unsigned long long)n->invocation);
	n->invocation = m->invocation;
	forget_invocation(n);
	e->kind = EVENT_NODE_STARTED;
	e->pid = m->value;
	return post(o, e, err);
}

static bool take_launch_failed(struct observer *o, const struct wire_message *m, struct event *e, struct err *err)
{
	/* The command never ran, but the attempt has a number of its own. */
	if (m->invocation == o->nodes[m->node].invocation + 1)
		o->nodes[m->node].invocation = m->invocation;
	e->kind = EVENT_NODE_LAUNCH_FAILED;
	e->status = (int)m->value;
	e->why = text_of(o, m->bytes);
	return post(o, e, err);
}

static bool same_digest(struct stream *s, struct wire_bytes said, char hex[2 * DIGEST_SIZE + 1])
{
	uint8_t sum[DIGEST_SIZE];
	if (!s->sum)
		s->sum = digest_create();
	digest_end(s->sum, sum);
	digest_destroy(s->sum);
	s->sum = NULL;
	digest_hex(sum, sizeof sum, hex);
	return said.size == sizeof sum && !memcmp(said.data, sum, sizeof sum);
}

static bool take_exited(struct observer *o, const struct wire_message *m, struct event *e, struct err *err)
{
	struct node *n = &o->nodes[m->node];
	char out[2 * DIGEST_SIZE + 1], errsum[2 * DIGEST_SIZE + 1];
	for (unsigned s = 0; s < 2; s++)
		if (n->streams[s].line.size && !post_line(o, m, e->icount, s, true, true, err))
			return false;
	bool whole = m->out_total == n->streams[0].offset && m->err_total == n->streams[1].offset;
	whole = same_digest(&n->streams[0], m->out_sha, out) && whole;
	whole = same_digest(&n->streams[1], m->err_sha, errsum) && whole;
	if (!whole)
		return err_set(err, ERR_QEMU, "the output received from node %s is not what it wrote", e->node);
	e->kind = EVENT_NODE_EXITED;
	e->by_signal = m->code == WIRE_BY_SIGNAL;
	e->status = (int)m->value;
	e->out_bytes = m->out_total;
	e->err_bytes = m->err_total;
	e->out_sha256 = out;
	e->err_sha256 = errsum;
	return post(o, e, err);
}

static bool take_fault(struct observer *o, const struct wire_message *m, struct event *e, struct err *err)
{
	static const enum event_kind kinds[] = {
		EVENT_FAULT_SELECTED, EVENT_FAULT_APPLIED, EVENT_FAULT_REJECTED, EVENT_FAULT_OBSERVED, EVENT_FAULT_HEALED};
	if (m->fault >= o->cast.fault_count || m->code >= sizeof kinds / sizeof *kinds)
		return err_set(err, ERR_QEMU, "the agent spoke of fault %llu, stage %llu: the plan has %zu faults",
			(unsigned long long)m->fault, (unsigned long long)m->code, o->cast.fault_count);
	e->kind = kinds[m->code];
	e->fault = o->cast.faults[m->fault].id;
	e->type = o->cast.faults[m->fault].type;
	e->why = text_of(o, m->bytes);
	return post(o, e, err);
}

/* The agent's word for a reason, NULL for none that we know. */
static const char *end_reason(uint64_t code)
{
	static const char *const reasons[] = {[WIRE_END_DONE] = "done",
		[WIRE_END_VTIME] = "vtime_limit",
		[WIRE_END_STALLED] = "stalled",
		[WIRE_END_BYTES] = "byte_limit"};
	return code < sizeof reasons / sizeof *reasons ? reasons[code] : NULL;
}

static bool take_ending(struct observer *o, const struct wire_message *m, struct event *e, struct err *err)
{
	e->kind = EVENT_RUN_ENDING;
	e->reason = end_reason(m->code);
	if (!e->reason)
		return err_set(err, ERR_QEMU, "the agent ends for an unknown reason");
	return post(o, e, err);
}

static bool take_end(struct observer *o, const struct wire_message *m, uint64_t icount, struct err *err)
{
	const char *reason = end_reason(m->code);
	if (!reason)
		return err_set(err, ERR_QEMU, "the agent ended for an unknown reason");
	o->vtime_ns = m->vtime_ns;
	return observer_cut(o, reason, text_of(o, m->bytes), icount, err);
}

static bool names_node(enum wire_type type)
{
	return type != WIRE_BEGIN && type != WIRE_ENDING && type != WIRE_END && type != WIRE_FATAL;
}

static bool take(struct observer *o, const struct wire_message *m, uint64_t icount, struct err *err)
{
	if (names_node(m->type) && m->node >= o->cast.node_count)
		return err_set(err, ERR_QEMU, "the agent spoke of node %llu: the plan has %zu", (unsigned long long)m->node,
			o->cast.node_count);
	if (!o->begun && m->type != WIRE_BEGIN && m->type != WIRE_FATAL)
		return err_set(err, ERR_QEMU, "the agent sent %s before it began", wire_type_name(m->type));
	struct event e = {.icount = icount, .vtime_ns = m->vtime_ns, .invocation = m->invocation, .text = {"", 0}};
	e.node = names_node(m->type) ? o->cast.nodes[m->node] : "";
	switch (m->type) {
	case WIRE_BEGIN:
		return take_begin(o, m, &e, err);
	case WIRE_STARTED:
		return take_started(o, m, &e, err);
	case WIRE_READY:
		e.kind = EVENT_NODE_READY;
		return post(o, &e, err);
	case WIRE_LAUNCH_FAILED:
		return take_launch_failed(o, m, &e, err);
	case WIRE_OUTPUT:
		return take_output(o, m, icount, err);
	case WIRE_EXITED:
		return take_exited(o, m, &e, err);
	case WIRE_CLEANED:
		e.kind = EVENT_NODE_CLEANED;
		return post(o, &e, err);
	case WIRE_OOM:
		e.kind = EVENT_PROC_OOM;
		e.kills = m->value;
		return post(o, &e, err);
	case WIRE_FAULT:
		return take_fault(o, m, &e, err);
	case WIRE_USER:
		e.kind = EVENT_USER_EVENT;
		e.text = (struct event_bytes){(const char *)m->bytes.data, m->bytes.size};
		return post(o, &e, err);
	case WIRE_INPUT: /* those with nothing typed only say that the port was read */
		e.kind = EVENT_USER_INPUT;
		e.text = (struct event_bytes){(const char *)m->bytes.data, m->bytes.size};
		return !e.text.size || post(o, &e, err);
	case WIRE_ENDING:
		return take_ending(o, m, &e, err);
	case WIRE_END:
		return take_end(o, m, icount, err);
	case WIRE_FATAL:
		o->vtime_ns = m->vtime_ns;
		return observer_cut(o, "agent_failed", text_of(o, m->bytes), icount, err);
	default:
		return err_set(err, ERR_QEMU, "the agent sent a frame that only it may receive: %s", wire_type_name(m->type));
	}
}

bool observer_reached(struct observer *o, uint64_t icount, struct err *err)
{
	if (icount <= o->limits.icount)
		return true;
	return observer_cut(o, "instruction_limit", "the limit of instructions was reached", o->limits.icount, err);
}

uint64_t observer_limit(const struct observer *o)
{
	return o->limits.icount;
}

bool observer_feed(
	struct observer *o, const uint8_t *frames, size_t size, const uint64_t *icounts, size_t counted, struct err *err)
{
	while (!o->ended && o->used < size && o->frames < counted) {
		struct wire_message m;
		size_t used;
		enum wire_result result = wire_decode(frames + o->used, size - o->used, &m, &used);
		if (result != WIRE_OK)
			return err_set(err, ERR_QEMU, "frame %zu of the agent: %s", o->frames, wire_result_text(result));
		uint64_t icount = icounts[o->frames];
		if (icount > o->limits.icount)
			return observer_reached(o, icount, err);
		o->used += used;
		o->frames++;
		if (!take(o, &m, icount, err))
			return false;
	}
	return true;
}

bool observer_ended(const struct observer *o)
{
	return o->ended;
}

const char *observer_reason(const struct observer *o)
{
	return o->ended ? o->reason : NULL;
}

uint64_t observer_events(const struct observer *o)
{
	return o->events;
}

uint64_t observer_vtime_ns(const struct observer *o)
{
	return o->vtime_ns;
}

uint64_t observer_icount(const struct observer *o)
{
	return o->icount;
}

size_t observer_used(const struct observer *o)
{
	return o->used;
}

size_t observer_frames(const struct observer *o)
{
	return o->frames;
}
