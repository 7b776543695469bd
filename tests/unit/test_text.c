#include "engine/text.h"
#include "unit.h"

struct quantity {
	const char *text;
	enum text_unit unit;
	uint64_t value;
};

static void quantities(void)
{
	static const struct quantity good[] = {
		{"57", TEXT_NUMBER, 57},
		{"18446744073709551615", TEXT_NUMBER, UINT64_MAX},
		{"0", TEXT_DURATION, 0},
		{"50ms", TEXT_DURATION, 50000000},
		{"1.5s", TEXT_DURATION, 1500000000},
		{"0.000000001s", TEXT_DURATION, 1},
		{"2m", TEXT_DURATION, UINT64_C(120000000000)},
		{"1.5m", TEXT_DURATION, UINT64_C(90000000000)},
		{"1h", TEXT_DURATION, UINT64_C(3600000000000)},
		{"7ns", TEXT_DURATION, 7},
		{"64MiB", TEXT_SIZE, 64 << 20},
		{"1.5KiB", TEXT_SIZE, 1536},
		{"12B", TEXT_SIZE, 12},
		{"20G", TEXT_COUNT, UINT64_C(20000000000)},
		{"200000", TEXT_COUNT, 200000},
		{"1.25M", TEXT_COUNT, 1250000},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t value = 1234;
		CU_ASSERT_TRUE(text_parse(good[i].text, good[i].unit, &value));
		CU_ASSERT_EQUAL(value, good[i].value);
	}
	static const struct quantity bad[] = {
		{"", TEXT_NUMBER, 0},
		{"1.5", TEXT_NUMBER, 0},
		{"1.", TEXT_NUMBER, 0},
		{"-1", TEXT_NUMBER, 0},
		{"+1", TEXT_NUMBER, 0},
		{" 1", TEXT_NUMBER, 0},
		{"1 ", TEXT_NUMBER, 0},
		{"01", TEXT_NUMBER, 0},
		{"0x10", TEXT_NUMBER, 0},
		{"18446744073709551616", TEXT_NUMBER, 0},
		{"5", TEXT_DURATION, 0},
		{"5 s", TEXT_DURATION, 0},
		{"5S", TEXT_DURATION, 0},
		{"5ss", TEXT_DURATION, 0},
		{".5s", TEXT_DURATION, 0},
		{"0.5ns", TEXT_DURATION, 0},
		{"0.0000000001s", TEXT_DURATION, 0},
		{"20000000000s", TEXT_DURATION, 0},
		{"64MB", TEXT_SIZE, 0},
		{"64", TEXT_SIZE, 0},
		{"0.3KiB", TEXT_SIZE, 0},
		{"20g", TEXT_COUNT, 0},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t value;
		CU_ASSERT_FALSE(text_parse(bad[i].text, bad[i].unit, &value));
	}
	for (int unit = TEXT_NUMBER; unit <= TEXT_COUNT; unit++)
		CU_ASSERT_PTR_NOT_NULL(strstr(text_unit_expected((enum text_unit)unit), "such as"));
}

static void ranges(void)
{
	struct text_range r;

	CU_ASSERT_TRUE(text_parse_range("1..3", TEXT_NUMBER, &r) && r.low == 1 && r.high == 3);
	CU_ASSERT_TRUE(text_parse_range("3", TEXT_NUMBER, &r) && r.low == 3 && r.high == 3);
	CU_ASSERT_TRUE(text_parse_range("50ms..2s", TEXT_DURATION, &r) && r.low == 50000000 && r.high == 2000000000);
	CU_ASSERT_TRUE(text_parse_range("0..1.5s", TEXT_DURATION, &r) && r.low == 0 && r.high == 1500000000);
	CU_ASSERT_FALSE(text_parse_range("3..1", TEXT_NUMBER, &r));
	CU_ASSERT_FALSE(text_parse_range("1...3", TEXT_NUMBER, &r));
	CU_ASSERT_FALSE(text_parse_range("1..", TEXT_NUMBER, &r));
	CU_ASSERT_FALSE(text_parse_range("..3", TEXT_NUMBER, &r));
	CU_ASSERT_FALSE(text_parse_range("1..2..3", TEXT_NUMBER, &r));
	CU_ASSERT_FALSE(text_parse_range("1..3s", TEXT_DURATION, &r));
	CU_ASSERT_FALSE(text_parse_range("00000000000000000000000000000000000001..3", TEXT_NUMBER, &r));
}

static void written_quantities_come_back(void)
{
	static const struct quantity table[] = {
		{"0", TEXT_DURATION, 0},
		{"1500ms", TEXT_DURATION, 1500000000},
		{"90s", TEXT_DURATION, UINT64_C(90000000000)},
		{"1000000001ns", TEXT_DURATION, 1000000001},
		{"64MiB", TEXT_SIZE, 64 << 20},
		{"1025B", TEXT_SIZE, 1025},
		{"20G", TEXT_COUNT, UINT64_C(20000000000)},
		{"57", TEXT_NUMBER, 57},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct buf out = {0};
		uint64_t value;
		text_put(&out, table[i].unit, table[i].value);
		CU_ASSERT_STRING_EQUAL(out.data, table[i].text);
		CU_ASSERT_TRUE(text_parse(out.data, table[i].unit, &value) && value == table[i].value);
		buf_free(&out);
	}
	struct buf out = {0};
	text_put_range(&out, TEXT_DURATION, (struct text_range){50000000, 2000000000});
	buf_char(&out, ' ');
	text_put_range(&out, TEXT_NUMBER, (struct text_range){3, 3});
	CU_ASSERT_STRING_EQUAL(out.data, "50ms..2s 3");
	buf_free(&out);
}

static void utf8(void)
{
	static const char *const good[] = {
		"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\xbe", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"};
	static const char *const bad[] = {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80",
		"\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x90", "\xc3("};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CU_ASSERT_TRUE(text_is_utf8(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CU_ASSERT_FALSE(text_is_utf8(bad[i], strlen(bad[i])));
	uint32_t c = 0;
	CU_ASSERT_EQUAL(text_utf8_next("\xf0\x9f\x90\xbe", 4, &c), 4);
	CU_ASSERT_EQUAL(c, 0x1f43e);
}

static void terminals_obey_nothing(void)
{
	struct buf out = {0};
	static const char bytes[] = "a\xc3\xa9\033[31m\n\t\r\\\x7f\xff\xc2\x9b\xe2\x80\xae\0z";

	text_put_safe(&out, bytes, sizeof bytes - 1);
	CU_ASSERT_STRING_EQUAL(out.data, "a\xc3\xa9\\e[31m\\n\\t\\r\\\\\\x7f\\xff\\u{9b}\\u{202e}\\x00z");
	buf_clear(&out);
	text_put_masked(&out, bytes, sizeof bytes - 1);
	CU_ASSERT_STRING_EQUAL(out.data, "a\xc3\xa9?[31m? ?\\?????z");
	buf_free(&out);
}

static void distances(void)
{
	CU_ASSERT_EQUAL(text_distance("", ""), 0);
	CU_ASSERT_EQUAL(text_distance("", "abc"), 3);
	CU_ASSERT_EQUAL(text_distance("abc", ""), 3);
	CU_ASSERT_EQUAL(text_distance("kitten", "sitting"), 3);
	CU_ASSERT_EQUAL(text_distance("propertees", "properties"), 1);
	CU_ASSERT_EQUAL(text_distance("nmae", "name"), 1);
	CU_ASSERT_EQUAL(text_distance("ca", "abc"), 3);
	char big[TEXT_DISTANCE_MAX + 2];
	memset(big, 'a', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	CU_ASSERT_EQUAL(text_distance(big, "a"), SIZE_MAX);
	big[TEXT_DISTANCE_MAX] = '\0';
	CU_ASSERT_EQUAL(text_distance(big, "a"), TEXT_DISTANCE_MAX - 1);
}

static void suggestions(void)
{
	static const char *const words[] = {"name", "about", "machine", "nodes", "faults", "properties", "limits", "until", "at"};
	size_t count = sizeof words / sizeof *words;
	const char *none = text_nearest("zzz", words, count);

	CU_ASSERT_PTR_NULL(none);
	CU_ASSERT_STRING_EQUAL(text_nearest("propertees", words, count), "properties");
	CU_ASSERT_STRING_EQUAL(text_nearest("property", words, count), "properties");
	CU_ASSERT_STRING_EQUAL(text_nearest("node", words, count), "nodes");
	CU_ASSERT_STRING_EQUAL(text_nearest("limit", words, count), "limits");
	CU_ASSERT_PTR_NULL(text_nearest("xy", words, count));
	CU_ASSERT_PTR_NULL(text_nearest("", words, count));
}

static void names_and_hex(void)
{
	uint8_t bytes[2];

	CU_ASSERT_TRUE(text_is_name("no-lost-ack.2_x", 48));
	CU_ASSERT_TRUE(text_is_name("1", 48));
	CU_ASSERT_FALSE(text_is_name("", 48));
	CU_ASSERT_FALSE(text_is_name("-a", 48));
	CU_ASSERT_FALSE(text_is_name("Ab", 48));
	CU_ASSERT_FALSE(text_is_name("a/b", 48));
	CU_ASSERT_FALSE(text_is_name("abc", 2));
	CU_ASSERT_TRUE(text_parse_hex("00fF", bytes, 2) && bytes[0] == 0 && bytes[1] == 255);
	CU_ASSERT_FALSE(text_parse_hex("00f", bytes, 2));
	CU_ASSERT_FALSE(text_parse_hex("00fg", bytes, 2));
}

static void lines_one_after_the_other(void)
{
	static const struct {
		const char *bytes;
		size_t count;
		const char *lines[4];
	} rows[] = {{"", 0, {0}}, {"\n", 1, {""}}, {"a", 1, {"a"}}, {"a\n", 1, {"a"}}, {"a\n\nbc\n", 3, {"a", "", "bc"}},
		{"\na\nlast", 3, {"", "a", "last"}}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text_lines l = {.bytes = rows[i].bytes, .size = strlen(rows[i].bytes)};
		for (size_t k = 0; k < rows[i].count; k++) {
			CU_ASSERT_TRUE_FATAL(text_next_line(&l));
			CU_ASSERT_EQUAL(l.number, k + 1);
			CU_ASSERT_TRUE(l.length == strlen(rows[i].lines[k]) && !memcmp(l.line, rows[i].lines[k], l.length));
		}
		CU_ASSERT_FALSE(text_next_line(&l));
	}
}

const struct test suite_text[] = {
	{"lines one after the other", lines_one_after_the_other},
	{"quantities", quantities},
	{"ranges", ranges},
	{"written quantities come back", written_quantities_come_back},
	{"UTF-8", utf8},
	{"terminals obey nothing", terminals_obey_nothing},
	{"distances", distances},
	{"suggestions", suggestions},
	{"names and hex digits", names_and_hex},
	{0},
};
