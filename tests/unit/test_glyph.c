#include "tui/glyph.h"

#include <locale.h>

#include "unit.h"

static void utf8_locale(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
}

static void decodes(void)
{
	static const struct {
		const char *bytes;
		size_t size, took;
		uint32_t code;
	} rows[] = {{"a", 1, 1, 'a'}, {"\xc3\xa9", 2, 2, 0xe9}, {"\xe2\x82\xac", 3, 3, 0x20ac},
		{"\xf0\x9f\x98\x80", 4, 4, 0x1f600}, {"\xc3", 1, 1, GLYPH_BAD}, {"\xc0\x80", 2, 1, GLYPH_BAD},
		{"\xe0\x80\x80", 3, 1, GLYPH_BAD}, {"\xed\xa0\x80", 3, 1, GLYPH_BAD}, {"\xf4\x90\x80\x80", 4, 1, GLYPH_BAD},
		{"\xff", 1, 1, GLYPH_BAD}, {"\xe2\x82", 2, 1, GLYPH_BAD}, {"\xe2(\xa1", 3, 1, GLYPH_BAD}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint32_t code;
		CU_ASSERT_EQUAL(glyph_decode(rows[i].bytes, rows[i].size, &code), rows[i].took);
		CU_ASSERT_EQUAL(code, rows[i].code);
	}
}

static void encodes_what_it_decodes(void)
{
	for (uint32_t code = 1; code < 0x110000; code += code < 0x3000 ? 1 : 97) {
		char out[4];
		uint32_t back;
		if (code >= 0xd800 && code < 0xe000)
			continue;
		size_t size = glyph_encode(code, out);
		CU_ASSERT_EQUAL(glyph_decode(out, size, &back), size);
		CU_ASSERT_EQUAL(back, code);
	}
}

static void shows_and_never_obeys(void)
{
	utf8_locale();
	static const struct {
		const char *in, *utf8, *ascii;
	} rows[] = {{"plain", "plain", "plain"}, {"a\x1b[31mb", "a\\x1b[31mb", "a\\x1b[31mb"},
		{"t\tn\nr\r", "t\\tn\\nr\\r", "t\\tn\\nr\\r"}, {"\xc3\xa9", "\xc3\xa9", "\\u{e9}"},
		{"\xff\xfe", "\\xff\\xfe", "\\xff\\xfe"}, {"\xe2\x80\xae!", "\\u{202e}!", "\\u{202e}!"},
		{"\xc2\x9b"
		 "1m",
			"\\u{9b}1m", "\\u{9b}1m"},
		{"\x7f", "\\x7f", "\\x7f"}, {"\xe2\x80\x8b", "\\u{200b}", "\\u{200b}"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buf out = {0};
		glyph_show(rows[i].in, strlen(rows[i].in), true, &out);
		CU_ASSERT_STRING_EQUAL(out.data, rows[i].utf8);
		buf_clear(&out);
		glyph_show(rows[i].in, strlen(rows[i].in), false, &out);
		CU_ASSERT_STRING_EQUAL(out.data, rows[i].ascii);
		buf_free(&out);
	}
}

static void widths(void)
{
	utf8_locale();
	CU_ASSERT_EQUAL(glyph_width('a'), 1);
	CU_ASSERT_EQUAL(glyph_width(0x4e2d), 2);
	CU_ASSERT_EQUAL(glyph_width(0x301), 0);
	CU_ASSERT_EQUAL(glyph_width(0x1b), -1);
	CU_ASSERT_EQUAL(glyph_width(0x9b), -1);
	CU_ASSERT_EQUAL(glyph_width(0x202e), -1);
	CU_ASSERT_EQUAL(glyph_text_width("a\xe4\xb8\xad"
					 "e\xcc\x81"),
		4);
}

static void every_sign_is_one_cell(void)
{
	utf8_locale();
	for (int i = 0; i < GLYPH_COUNT; i++) {
		CU_ASSERT_EQUAL(glyph_text_width(glyph_sign((enum glyph)i, true)), 1);
		CU_ASSERT_EQUAL(strlen(glyph_sign((enum glyph)i, false)), 1);
		uint32_t code;
		glyph_decode(glyph_sign((enum glyph)i, true), 3, &code);
		CU_ASSERT_TRUE(glyph_ascii(code) > ' ' && glyph_ascii(code) < 0x7f);
	}
}

const struct test suite_glyph[] = {
	{"UTF-8 is decoded strictly", decodes},
	{"what is encoded is decoded", encodes_what_it_decodes},
	{"what a guest printed is shown, never obeyed", shows_and_never_obeys},
	{"widths: wide, combining, hidden", widths},
	{"every sign is one cell and has an ASCII form", every_sign_is_one_cell},
	{0},
};
