/* What is typed into a fork: words and bytes through the serial port. */
#include <string.h>

#include "agent/input.h"
#include "unit.h"

/* Takes bytes one after the other; appends what they are to `seen` in a form of the test's own. */
static void take(struct input *in, const uint8_t *bytes, size_t size, char *seen, size_t room)
{
	for (size_t i = 0; i < size; i++) {
		struct input_word w = input_next(in, bytes[i]);
		size_t used = strlen(seen);
		switch (w.kind) {
		case INPUT_MORE:
			break;
		case INPUT_TYPED:
			snprintf(seen + used, room - used, "%02x ", w.byte);
			break;
		case INPUT_WINDOW:
			snprintf(seen + used, room - used, "%ux%u ", w.columns, w.rows);
			break;
		case INPUT_TAKEN:
			snprintf(seen + used, room - used, "taken %lu ", (unsigned long)w.total);
			break;
		default:
			snprintf(seen + used, room - used, "%s ",
				w.kind == INPUT_END              ? "end"
					: w.kind == INPUT_HANGUP ? "hangup"
								 : "bad");
			break;
		}
	}
}

static const struct input_word words[] = {
	{.kind = INPUT_TYPED, .byte = 'l'},
	{.kind = INPUT_TYPED, .byte = INPUT_ESCAPE},
	{.kind = INPUT_TYPED, .byte = 0xff},
	{.kind = INPUT_WINDOW, .rows = 36, .columns = 120},
	{.kind = INPUT_WINDOW, .rows = INPUT_SIZE_MAX, .columns = 1},
	{.kind = INPUT_TYPED, .byte = 0},
	{.kind = INPUT_TAKEN, .total = 0x10101010},
	{.kind = INPUT_TAKEN, .total = UINT32_MAX},
	{.kind = INPUT_END},
	{.kind = INPUT_HANGUP},
};

static void every_word_comes_back_at_every_split(void)
{
	uint8_t stream[256];
	char whole[512] = "";
	size_t size = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t put = input_put(&words[i], stream + size);
		CU_ASSERT(put > 0 && put <= INPUT_WORD_MAX);
		size += put;
	}
	struct input in = {0};
	take(&in, stream, size, whole, sizeof whole);
	CU_ASSERT_STRING_EQUAL(whole, "6c 10 ff 120x36 1x1000 00 taken 269488144 taken 4294967295 end hangup ");
	/* The reader knows nothing of where a piece ends; what it keeps must carry over. */
	for (size_t cut = 0; cut <= size; cut++) {
		char parts[512] = "";
		struct input before = {0};
		take(&before, stream, cut, parts, sizeof parts);
		struct input after = before;
		take(&after, stream + cut, size - cut, parts, sizeof parts);
		CU_ASSERT_STRING_EQUAL(parts, whole);
	}
}

static void what_is_no_word_is_bad_and_then_over(void)
{
	static const struct {
		const char *bytes, *seen;
		size_t size;
	} cases[] = {
		{"\020xq", "bad 71 ", 3},
		{"\020\0q", "bad 71 ", 3},
		{"\020w\0\0\001\0q", "bad 71 ", 7},
		{"\020w\001\0\0\0q", "bad 71 ", 7},
		{"\020w\351\003\001\0q", "bad 71 ", 7},
		{"\020w\001\0\377\377q", "bad 71 ", 7},
		{"\020w\001\0\001", "", 5},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct input in = {0};
		char seen[64] = "";
		take(&in, (const uint8_t *)cases[i].bytes, cases[i].size, seen, sizeof seen);
		CU_ASSERT_STRING_EQUAL(seen, cases[i].seen);
	}
}

static void what_cannot_be_sent_is_not(void)
{
	static const struct input_word bad[] = {
		{.kind = INPUT_MORE},
		{.kind = INPUT_BAD},
		{.kind = INPUT_WINDOW, .rows = 0, .columns = 80},
		{.kind = INPUT_WINDOW, .rows = 24, .columns = INPUT_SIZE_MAX + 1},
	};
	uint8_t out[INPUT_WORD_MAX];
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CU_ASSERT_EQUAL(input_put(&bad[i], out), 0);
}

const struct test suite_input[] = {
	{"every word comes back at every split", every_word_comes_back_at_every_split},
	{"what is no word is bad and then over", what_is_no_word_is_bad_and_then_over},
	{"what cannot be sent is not", what_cannot_be_sent_is_not},
	{0},
};
