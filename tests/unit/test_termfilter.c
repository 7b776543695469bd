/* What of a guest's output reaches a terminal. */
#include <string.h>

#include "engine/termfilter.h"
#include "unit.h"

static void passes(const char *bytes, size_t size, const char *wanted, bool plain)
{
	struct buf whole = {0};
	struct termfilter f = {.plain = plain};
	termfilter_put(&f, bytes, size, &whole);
	CU_ASSERT_EQUAL(whole.size, strlen(wanted));
	CU_ASSERT(whole.size == strlen(wanted) && !memcmp(whole.data ? whole.data : "", wanted, whole.size));
	if (whole.size != strlen(wanted))
		fprintf(stderr, "  '%s' became '%s'\n", bytes, whole.data ? whole.data : "");
	for (size_t cut = 0; cut <= size; cut++) {
		struct buf parts = {0};
		struct termfilter g = {.plain = plain};
		termfilter_put(&g, bytes, cut, &parts);
		termfilter_put(&g, bytes + cut, size - cut, &parts);
		CU_ASSERT(parts.size == whole.size &&
			!memcmp(parts.data ? parts.data : "", whole.data ? whole.data : "", parts.size));
		buf_free(&parts);
	}
	buf_free(&whole);
}

static void becomes(const char *text, const char *wanted)
{
	passes(text, strlen(text), wanted, false);
}

static void text_passes(void)
{
	becomes("a\\b\r\n\tc\b\ad", "a\\b\r\n\tc\b\ad");
	becomes("gr\303\274\303\237e \342\202\254 \360\237\220\276", "gr\303\274\303\237e \342\202\254 \360\237\220\276");
	/* What is no character, a control of the upper half, and what turns text around, is a sign in its place. */
	becomes("a\377b\200c\302\233d\342\200\256e", "a?b?c?d?e");
	becomes("\342\202x\342\202\n\303", "?x?\n");
	becomes("\300\257\355\240\200", "???");
	passes("a\0b\177c\016d\001", 9, "abcd", false);
}

static void pictures_pass(void)
{
	static const char *const all[] = {"\033[H", "\033[2J", "\033[J", "\033[12;40H", "\033[K", "\033[1K", "\033[4A", "\033[7m",
		"\033[38;5;208m", "\033[38:2::1:2:3m", "\033[0m", "\033[2;23r", "\033[r", "\033[L", "\033[3M", "\033[5P",
		"\033[@", "\033[2X", "\033[S", "\033[3T", "\033[G", "\033[5d", "\033[s", "\033[u", "\033[?25l", "\033[?25h",
		"\033[?1049h", "\033[?1;7h", "\033[?2004h", "\0337", "\0338", "\033M", "\033D", "\033E", "\033=", "\033>",
		"\033(B", "\033(0"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		becomes(all[i], all[i]);
	/* A control in the middle is obeyed at once, as a terminal does. */
	becomes("\033[2\n;4Hx", "\n\033[2;4Hx");
}

static void what_reaches_further_does_not(void)
{
	static const char *const all[] = {"\033]0;title\a", "\033]52;c;cm0gLXJm\033\\", "\033]8;;http://x\033\\",
		"\033P+q544e\033\\", "\033_Gf=100;AAAA\033\\", "\033^private\033\\", "\033Xstring\033\\", "\033[6n", "\033[c",
		"\033[>c", "\033[0c", "\033[5n", "\033[?6n", "\033[18t", "\033[8;10;10t", "\033[?1000h", "\033[?1006h",
		"\033[?1003;25h", "\033[3J", "\033[!p", "\033[1 q", "\033[>4;2m", "\033[?5h", "\033[99999b", "\033[4i",
		"\033[=1u", "\033[>1u", "\033c", "\033n", "\033#8", "\033(A", "\033)0", "\033%G", "\033Z", "\033[1;2;3H",
		"\033[1;2s", "\033[1;2;3;4;5T", "\033[2;3J", "\033[4h", "\033[\"q", "\033[?25", "\033[", "\033",
		"\033]0;never ends"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		becomes(all[i], "");
	becomes("a\033]0;b\ac\033]0;d\033\\e\033[6nf", "acef");
	/* Cancelled, broken off by another, or too long. */
	becomes("a\033[12\030b\033[1\033[Kc\033[2\377d", "ab\033[Kcd");
	char sequence[200] = "\033[";
	memset(sequence + 2, '1', 150);
	strcpy(sequence + 152, "mx");
	becomes(sequence, "x");
}

static void a_string_that_never_ends_is_given_up(void)
{
	static char bytes[TERMFILTER_STRING_MAX + 100];
	struct termfilter f = {0};
	struct buf out = {0};
	memset(bytes, 'a', sizeof bytes);
	memcpy(bytes, "\033]", 2);
	termfilter_put(&f, bytes, sizeof bytes, &out);
	CU_ASSERT(out.size > 50 && out.size < 100);
	buf_free(&out);
}

static void nothing_passes_where_there_is_no_terminal(void)
{
	passes("a\033[31mb\033[0m\n", 12, "ab\n", true);
}

static void a_terminal_is_brought_back(void)
{
	struct termfilter f = {0};
	struct buf out = {0};
	termfilter_put(&f, "plain \033]0;t\a", 12, &out);
	buf_clear(&out);
	termfilter_reset(&f, &out);
	CU_ASSERT_EQUAL(out.size, 0);
	termfilter_put(&f, "\033[?1049h\033[?25l\033[", 16, &out);
	buf_clear(&out);
	termfilter_reset(&f, &out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, TERMFILTER_FIRST_SCREEN));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\033[?25h"));
	/* The half sequence is forgotten, and it need not be brought back again. */
	buf_clear(&out);
	termfilter_put(&f, "K", 1, &out);
	CU_ASSERT_STRING_EQUAL(out.data, "K");
	buf_clear(&out);
	termfilter_reset(&f, &out);
	CU_ASSERT_EQUAL(out.size, 0);
	buf_free(&out);
}

const struct test suite_termfilter[] = {
	{"text passes", text_passes},
	{"pictures pass", pictures_pass},
	{"what reaches further does not", what_reaches_further_does_not},
	{"a string that never ends is given up", a_string_that_never_ends_is_given_up},
	{"nothing passes where there is no terminal", nothing_passes_where_there_is_no_terminal},
	{"a terminal is brought back", a_terminal_is_brought_back},
	{0},
};
