#include "engine/replaylog.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

/* How the data after a kind byte is measured. Numbers are big endian; an array is a u32 size and that many bytes. */
enum shape {
	NOTHING,
	FIXED_4,
	FIXED_8,
	ARRAY,      /* array */
	BYTE_ARRAY, /* u8, array */
	WORD_ARRAY, /* u32, array */
	PACKET,     /* u8, u32, array */
	SAMPLES,    /* u64 count, u64 position, count times two u64 */
	INPUT,      /* keyboard or mouse: depends on its first fields */
};

struct row {
	uint8_t first, last;
	enum replaylog_kind kind;
	enum shape shape;
};

/* Version 0xe0200c: QEMU's enum ReplayEvents with its ranges spelt out (asynchronous kinds, causes of shutdown, clocks,
 * checkpoints). QEMU 7.2 to 10.0 write this. */
static const struct row rows[] = {
	{0, 0, REPLAYLOG_INSTRUCTIONS, FIXED_4},
	{1, 1, REPLAYLOG_INTERRUPT, NOTHING},
	{2, 2, REPLAYLOG_EXCEPTION, NOTHING},
	{3, 4, REPLAYLOG_ASYNC, FIXED_8},    /* bottom half, one-shot bottom half: id */
	{5, 5, REPLAYLOG_ASYNC, INPUT},      /* key, button, movement */
	{6, 6, REPLAYLOG_ASYNC, NOTHING},    /* end of a group of inputs */
	{7, 7, REPLAYLOG_ASYNC, BYTE_ARRAY}, /* characters from the host: device, bytes */
	{8, 8, REPLAYLOG_ASYNC, FIXED_8},    /* block request: id */
	{9, 9, REPLAYLOG_ASYNC, PACKET},     /* network packet: filter, flags, bytes */
	{10, 21, REPLAYLOG_SHUTDOWN, NOTHING},
	{22, 22, REPLAYLOG_CHAR_WRITE, FIXED_8}, /* result, offset */
	{23, 23, REPLAYLOG_CHAR_READ, ARRAY},
	{24, 24, REPLAYLOG_CHAR_READ, FIXED_4}, /* the error */
	{25, 25, REPLAYLOG_AUDIO, FIXED_8},     /* samples played */
	{26, 26, REPLAYLOG_AUDIO, SAMPLES},
	{27, 27, REPLAYLOG_RANDOM, WORD_ARRAY}, /* result, bytes */
	{28, 29, REPLAYLOG_CLOCK, FIXED_8},
	{30, 38, REPLAYLOG_CHECKPOINT, NOTHING},
	{39, 39, REPLAYLOG_END, NOTHING},
};

#define KIND_END       39
#define CHAR_WRITE_MAX 16 /* the serial port's FIFO */

const char *replaylog_kind_name(enum replaylog_kind kind)
{
	static const char *const names[] = {"instructions", "interrupt", "exception", "async", "shutdown", "char-write",
		"char-read", "audio", "random", "clock", "checkpoint", "end"};
	return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

/* Bytes of which some are not there yet: reading past the end sets `more` and gives 0. */
struct cursor {
	const uint8_t *bytes;
	size_t size, at;
	bool more, bad;
};

static uint64_t number(struct cursor *c, size_t width)
{
	uint64_t value = 0;
	if (c->more || c->size - c->at < width) {
		c->more = true;
		return 0;
	}
	for (size_t i = 0; i < width; i++)
		value = value << 8 | c->bytes[c->at + i];
	c->at += width;
	return value;
}

static void skip(struct cursor *c, uint64_t size)
{
	if (size > REPLAYLOG_ARRAY_MAX)
		c->bad = true;
	else if (c->more || c->size - c->at < size)
		c->more = true;
	else
		c->at += (size_t)size;
}

static void skip_array(struct cursor *c)
{
	skip(c, number(c, 4));
}

/* A key: kind of key (0 number: u64, 1 name: u32), down: u8. A button: which u32, down u8. A movement: axis u32, value u64. A
 * touch (QEMU 8.1 on) is not written by QEMU at all. */
static void skip_input(struct cursor *c)
{
	switch (number(c, 4)) {
	case 0:
		skip(c, number(c, 4) == 0 ? 9 : 5);
		break;
	case 1:
		skip(c, 5);
		break;
	case 2:
	case 3:
		skip(c, 12);
		break;
	default:
		c->bad = !c->more;
	}
}

static void skip_samples(struct cursor *c)
{
	uint64_t count = number(c, 8);
	number(c, 8);
	skip(c, count > REPLAYLOG_ARRAY_MAX ? UINT64_MAX : count * 16);
}

static void skip_data(struct cursor *c, enum shape shape)
{
	switch (shape) {
	case NOTHING:
		break;
	case FIXED_4:
		skip(c, 4);
		break;
	case FIXED_8:
		skip(c, 8);
		break;
	case ARRAY:
		skip_array(c);
		break;
	case BYTE_ARRAY:
		skip(c, 1);
		skip_array(c);
		break;
	case WORD_ARRAY:
		skip(c, 4);
		skip_array(c);
		break;
	case PACKET:
		skip(c, 5);
		skip_array(c);
		break;
	case SAMPLES:
		skip_samples(c);
		break;
	case INPUT:
		skip_input(c);
		break;
	}
}

static enum replaylog_result bad(struct err *err, uint64_t offset, const char *why)
{
	err_set(err, ERR_INPUT, "replay log: byte %llu: %s", (unsigned long long)offset, why);
	return REPLAYLOG_BAD;
}

static enum replaylog_result header(struct replaylog *r, struct cursor *c, struct err *err)
{
	uint64_t version = number(c, 4);
	skip(c, 8);
	if (c->more)
		return REPLAYLOG_MORE;
	if (version != 0 && version != REPLAYLOG_VERSION) {
		err_set(err, ERR_INPUT, "replay log: version 0x%llx is unknown, expected 0x%x (QEMU 7.2 to 10.0 write that)",
			(unsigned long long)version, REPLAYLOG_VERSION);
		return REPLAYLOG_BAD;
	}
	r->open = version == 0;
	return REPLAYLOG_EVENT;
}

static uint32_t u32_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

enum replaylog_result replaylog_next(
	struct replaylog *r, const uint8_t *bytes, size_t size, size_t *used, struct replaylog_event *e, struct err *err)
{
	struct cursor c = {.bytes = bytes, .size = size};
	*used = 0;
	if (!r->header_done) {
		enum replaylog_result got = header(r, &c, err);
		if (got != REPLAYLOG_EVENT)
			return got;
	}
	size_t start = c.at;
	uint64_t offset = r->offset + start;
	if (r->ended)
		return start < size ? bad(err, offset, "there are bytes after the end event") : REPLAYLOG_MORE;
	uint8_t code = (uint8_t)number(&c, 1);
	if (c.more)
		return REPLAYLOG_MORE;
	const struct row *row = rows;
	while (code > row->last && row->last != KIND_END)
		row++;
	if (code > row->last)
		return bad(err, offset, "unknown kind of event");
	skip_data(&c, row->shape);
	if (c.bad)
		return bad(err, offset, "the size in the event is impossible");
	if (c.more)
		return REPLAYLOG_MORE;
	const uint8_t *data = bytes + start + 1;
	*e = (struct replaylog_event){.kind = row->kind, .code = code, .offset = offset};
	if (row->kind == REPLAYLOG_INSTRUCTIONS)
		r->icount += u32_at(data);
	if (row->kind == REPLAYLOG_CHAR_WRITE) {
		/* result is what the last write(2) gave, offset how many bytes went out in all; a failed write has a negative
		 * result. */
		e->written = u32_at(data + 4);
		if (e->written > CHAR_WRITE_MAX)
			return bad(err, offset, "more characters in one write than the serial port can hold");
		r->serial += e->written;
	}
	r->ended = row->kind == REPLAYLOG_END;
	r->header_done = true;
	r->offset += c.at;
	e->icount = r->icount;
	*used = c.at;
	return REPLAYLOG_EVENT;
}

/* Decodes a whole log; each serial byte's count is appended unless icounts is NULL. */
static bool decode_all(const uint8_t *bytes, size_t size, uint64_t **icounts, size_t *count, uint64_t *total, struct err *err)
{
	struct replaylog r = {0};
	struct replaylog_event e;
	size_t at = 0, used, room = 0;
	enum replaylog_result got;
	while (!r.ended && (got = replaylog_next(&r, bytes + at, size - at, &used, &e, err)) == REPLAYLOG_EVENT) {
		at += used;
		if (e.kind == REPLAYLOG_CHAR_WRITE && icounts)
			for (uint32_t i = 0; i < e.written; i++)
				ARRAY_PUSH(*icounts, *count, room) = e.icount;
	}
	*total = r.icount;
	if (r.ended)
		return true;
	return got == REPLAYLOG_BAD ? false
				    : err_set(err, ERR_INPUT, "replay log: cut short at byte %zu: there is no end event", size);
}

bool replaylog_serial(const uint8_t *bytes, size_t size, uint64_t **icounts, size_t *count, uint64_t *total, struct err *err)
{
	uint64_t own_total;
	*icounts = NULL;
	*count = 0;
	if (decode_all(bytes, size, icounts, count, total ? total : &own_total, err))
		return true;
	free(*icounts);
	*icounts = NULL;
	*count = 0;
	return false;
}

bool replaylog_total(const uint8_t *bytes, size_t size, uint64_t *total, struct err *err)
{
	return decode_all(bytes, size, NULL, NULL, total, err);
}

bool replaylog_shift(uint8_t *bytes, size_t size, int64_t instructions, uint64_t *offset, struct err *err)
{
	struct replaylog r = {0};
	struct replaylog_event e;
	size_t at = 0, used;
	enum replaylog_result got;
	while ((got = replaylog_next(&r, bytes + at, size - at, &used, &e, err)) == REPLAYLOG_EVENT &&
		e.kind != REPLAYLOG_INSTRUCTIONS)
		at += used;
	if (got == REPLAYLOG_BAD)
		return false;
	if (got == REPLAYLOG_MORE)
		return err_set(err, ERR_INPUT, "replay log: no instructions in it");
	uint8_t *number = bytes + e.offset + 1;
	int64_t sum = (int64_t)u32_at(number) + instructions;
	if (sum < 0 || sum > INT32_MAX)
		return bad(err, e.offset, "the count does not fit the snapshot it belongs to") == REPLAYLOG_EVENT;
	for (int i = 0; i < 4; i++)
		number[i] = (uint8_t)(sum >> (8 * (3 - i)));
	if (offset)
		*offset = e.offset;
	return true;
}

/* A shutdown asked for by QEMU's user or a signal, as `quit` records it; those that the guest caused belong to the run. */
static bool by_host(uint8_t code)
{
	return code >= 11 && code <= 15;
}

bool replaylog_close(uint8_t *bytes, size_t size, size_t *new_size, struct err *err)
{
	struct replaylog r = {0};
	struct replaylog_event e;
	size_t at = 0, kept = 0, used;
	while (!r.ended) {
		enum replaylog_result got = replaylog_next(&r, bytes + at, size - at, &used, &e, err);
		if (got == REPLAYLOG_BAD)
			return false;
		if (got == REPLAYLOG_MORE)
			return err_set(err, ERR_INPUT, "replay log: cut short at byte %zu: there is no end event", size);
		/* The first event brings the header with it, which stays in any case. */
		size_t header = at == 0 ? REPLAYLOG_HEADER_SIZE : 0;
		size_t keep = e.kind == REPLAYLOG_SHUTDOWN && by_host(e.code) ? header : used;
		memmove(bytes + kept, bytes + at, keep);
		kept += keep;
		at += used;
	}
	if (r.open)
		return err_set(err, ERR_INPUT, "replay log: QEMU did not finish it: the version is missing");
	*new_size = kept;
	return true;
}
