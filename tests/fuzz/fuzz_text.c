/*
 * Short texts: quantities that people write, what QEMU says of itself, regular expressions over lines of a guest, the lines a
 * node writes and the kernel's list of sockets. Input: a text, NUL, bytes. The same bytes give the same answers however they are
 * cut.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/ready.h"
#include "agent/stream.h"
#include "engine/hostqemu.h"
#include "engine/pattern.h"
#include "engine/text.h"
#include "tests/fuzz/fuzz.h"

static void quantities(const char *text)
{
	static const enum text_unit units[] = {TEXT_NUMBER, TEXT_DURATION, TEXT_SIZE, TEXT_COUNT};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		struct buf again = {0};
		struct text_range range;
		uint64_t value, back;
		if (text_parse(text, units[i], &value)) {
			text_put(&again, units[i], value);
			require(text_parse(again.data, units[i], &back) && back == value);
		}
		require(!text_parse_range(text, units[i], &range) || range.low <= range.high);
		buf_free(&again);
	}
}

static void versions(const char *text)
{
	struct hostqemu q = {0};
	struct err err = {0};
	require(hostqemu_parse(&q, text, &err) || err.text[0]);
	hostqemu_finish(&q);
}

static void patterns(const char *text, const char *bytes, size_t size)
{
	struct pattern_span spans[PATTERN_CAPTURES_MAX + 1];
	struct err err = {0};
	size_t at = 0;
	struct pattern *p = pattern_create(text, &at, &err);
	require(p ? pattern_captures(p) <= PATTERN_CAPTURES_MAX : err.text[0] && at <= strlen(text));
	if (p && pattern_match(p, bytes, size, spans, pattern_captures(p) + 1) == PATTERN_YES)
		require(spans[0].data >= bytes && spans[0].data + spans[0].size <= bytes + size);
	pattern_destroy(p);
}

/* How many lines there are, and how many of them hold the text; bytes come in pieces of a size. */
static void count_lines(const char *text, const char *bytes, size_t size, size_t piece, size_t counts[2])
{
	struct stream s;
	struct wire_bytes wanted = {.data = (const uint8_t *)text, .size = strlen(text) < STREAM_TEXT_MAX ? strlen(text) : 0};
	counts[0] = counts[1] = 0;
	stream_init(&s);
	for (size_t at = 0; at < size;) {
		size_t end = at + piece < size ? at + piece : size;
		while (at < end) {
			struct stream_part part = stream_next(&s, (const uint8_t *)bytes + at, end - at, wanted);
			require(part.size && part.size <= end - at);
			counts[0] += part.line;
			counts[1] += part.line && part.holds;
			at += part.size;
		}
	}
}

/* As lines of /proc/net/tcp, which the kernel begins like that. */
static void sockets(const char *bytes, size_t size)
{
	struct text_lines lines = {.bytes = bytes, .size = size};
	struct buf table = {0};
	while (text_next_line(&lines)) {
		buf_str(&table, "   0: 0100007F:");
		buf_add(&table, lines.line, lines.length);
		buf_char(&table, '\n');
	}
	ready_listens(table.data ? table.data : "", table.size, 80);
	buf_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strn((const char *)data, size);
	size_t head = strlen(text) + 1, whole[2], cut[2];
	const char *bytes = (const char *)data + (head < size ? head : size);
	size_t left = head < size ? size - head : 0;
	quantities(text);
	versions(text);
	patterns(text, bytes, left);
	count_lines(text, bytes, left, left ? left : 1, whole);
	for (size_t piece = 1; piece < 8; piece += 3) {
		count_lines(text, bytes, left, piece, cut);
		require(whole[0] == cut[0] && whole[1] == cut[1]);
	}
	sockets(bytes, left);
	free(text);
	return 0;
}
