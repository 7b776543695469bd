#include "tui/theme.h"

#include <stdio.h>

#include "unit.h"

static void builtins_are_valid(void)
{
	size_t count = 0;
	for (; theme_builtin_name(count); count++) {
		struct theme theme;
		struct err err = {0};
		CU_ASSERT_TRUE(theme_load(&theme, theme_builtin_name(count), NULL, &err));
		CU_ASSERT_STRING_EQUAL(theme.name, theme_builtin_name(count));
	}
	CU_ASSERT_TRUE(count >= 6);
}

static bool same(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

/* The selection must be seen in every theme and with every number of colours. */
static void selection_is_seen(void)
{
	static const int colours[] = {0, 8, 16, 256, 1 << 24};
	for (size_t t = 0; theme_builtin_name(t); t++) {
		struct theme theme;
		theme_load(&theme, theme_builtin_name(t), NULL, NULL);
		for (size_t c = 0; c < sizeof colours / sizeof colours[0]; c++) {
			struct style plain = theme_style(&theme, ROLE_TEXT, ROLE_TEXT, colours[c]);
			CU_ASSERT_FALSE(same(plain, theme_style(&theme, ROLE_TEXT, ROLE_SELECTED, colours[c])));
			CU_ASSERT_FALSE(same(plain, theme_style(&theme, ROLE_TITLE, ROLE_TEXT, colours[c])));
			CU_ASSERT_FALSE(same(plain, theme_style(&theme, ROLE_MATCH, ROLE_TEXT, colours[c])));
			CU_ASSERT_FALSE(same(plain, theme_style(&theme, ROLE_ERROR, ROLE_TEXT, colours[c])));
		}
	}
}

static void no_colours_means_none(void)
{
	for (size_t t = 0; theme_builtin_name(t); t++) {
		struct theme theme;
		theme_load(&theme, theme_builtin_name(t), NULL, NULL);
		for (int role = 0; role < ROLE_COUNT; role++) {
			struct style s = theme_style(&theme, (enum role)role, ROLE_SELECTED, 0);
			CU_ASSERT_EQUAL(s.fg, COLOUR_DEFAULT);
			CU_ASSERT_EQUAL(s.bg, COLOUR_DEFAULT);
		}
	}
}

static void colours_fit_the_terminal(void)
{
	static const int colours[] = {8, 16, 256};
	for (size_t t = 0; theme_builtin_name(t); t++) {
		struct theme theme;
		theme_load(&theme, theme_builtin_name(t), NULL, NULL);
		for (int role = 0; role < ROLE_COUNT; role++)
			for (size_t c = 0; c < 3; c++) {
				struct style s = theme_style(&theme, (enum role)role, ROLE_TEXT, colours[c]);
				CU_ASSERT_TRUE(s.fg == COLOUR_DEFAULT || (s.fg >= 0 && s.fg < colours[c]));
				CU_ASSERT_TRUE(s.bg == COLOUR_DEFAULT || (s.bg >= 0 && s.bg < colours[c]));
			}
	}
}

static void parses(void)
{
	struct theme theme;
	struct err err = {0};
	static const char text[] = "# c\n\nfail red - bold underline\nfail@8 - default reverse\npass #00ff00 17\n";
	theme_default(&theme);
	CU_ASSERT_TRUE_FATAL(theme_parse(&theme, text, strlen(text), "t", &err));
	CU_ASSERT_EQUAL(theme.styles[THEME_TRUE][ROLE_FAIL].fg, 1);
	CU_ASSERT_EQUAL(theme.styles[THEME_TRUE][ROLE_FAIL].attributes, THEME_BOLD | THEME_UNDERLINE);
	CU_ASSERT_EQUAL(theme.styles[THEME_16][ROLE_FAIL].fg, 1);
	CU_ASSERT_EQUAL(theme.styles[THEME_8][ROLE_FAIL].attributes, THEME_REVERSE);
	CU_ASSERT_EQUAL(theme.styles[THEME_MONO][ROLE_FAIL].bg, COLOUR_DEFAULT);
	CU_ASSERT_EQUAL(theme.styles[THEME_TRUE][ROLE_PASS].fg, COLOUR_RGB | 0x00ff00);
	CU_ASSERT_EQUAL(theme.styles[THEME_TRUE][ROLE_PASS].bg, 17);
	CU_ASSERT_EQUAL(theme_style(&theme, ROLE_PASS, ROLE_TEXT, 256).fg, 46);
	CU_ASSERT_EQUAL(theme_style(&theme, ROLE_PASS, ROLE_TEXT, 16).fg, 10);
	CU_ASSERT_EQUAL(theme_style(&theme, ROLE_PASS, ROLE_TEXT, 1 << 24).fg, COLOUR_RGB | 0x00ff00);
	CU_ASSERT_EQUAL(theme_style(&theme, ROLE_PASS, ROLE_TEXT, 1 << 24).bg, COLOUR_RGB | 0x00005f);
	CU_ASSERT_EQUAL(theme_style(&theme, ROLE_FAIL, ROLE_TEXT, 1 << 24).fg, 1);
}

static void errors_say_where(void)
{
	static const struct {
		const char *text, *where;
	} rows[] = {{"\nfial red -\n", "t:2:1: 'fial': expected a role"}, {"fail@9 red -", "t:1:6: '9': expected 256"},
		{"fail", "t:1:5:"}, {"fail red", "t:1:9: 'end of line': expected a background"},
		{"fail #12345 -", "t:1:6: '#12345'"}, {"fail 256 -", "t:1:6:"},
		{"fail red - blink", "t:1:12: 'blink': expected bold"}, {"fail -1 -", "t:1:6:"}, {"fail bright- -", "t:1:6:"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct theme theme, before;
		struct err err = {0};
		theme_default(&theme);
		before = theme;
		CU_ASSERT_FALSE(theme_parse(&theme, rows[i].text, strlen(rows[i].text), "t", &err));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, rows[i].where));
		CU_ASSERT_EQUAL(memcmp(&theme, &before, sizeof theme), 0);
	}
}

static void limits(void)
{
	struct theme theme;
	struct err err = {0};
	static char big[THEME_FILE_MAX + 1];
	memset(big, '\n', sizeof big);
	theme_default(&theme);
	CU_ASSERT_FALSE(theme_parse(&theme, big, sizeof big, "t", &err));
	CU_ASSERT_TRUE(theme_parse(&theme, big, sizeof big - 1, "t", &err));
	memset(big, 'x', THEME_LINE_MAX + 1);
	CU_ASSERT_FALSE(theme_parse(&theme, big, THEME_LINE_MAX + 1, "t", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "t:1:257"));
}

static void cut_anywhere(void)
{
	static const char text[] = "# c\nfail #ff0000 - bold\npass@16 green - underline\n";
	for (size_t size = 0; size <= strlen(text); size++) {
		struct theme theme;
		struct err err = {0};
		theme_default(&theme);
		if (!theme_parse(&theme, text, size, "t", &err))
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	}
}

static void unknown_theme(void)
{
	struct theme theme;
	struct err err = {0};
	theme_default(&theme);
	CU_ASSERT_FALSE(theme_load(&theme, "neon", NULL, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "solarized"));
	CU_ASSERT_STRING_EQUAL(theme.name, "default");
}

const struct test suite_theme[] = {
	{"the compiled-in themes are valid", builtins_are_valid},
	{"selection, title, match and error are seen in every theme and depth", selection_is_seen},
	{"without colours nothing is coloured", no_colours_means_none},
	{"colours fit the terminal", colours_fit_the_terminal},
	{"a theme file is read", parses},
	{"errors say where, and change nothing", errors_say_where},
	{"limits", limits},
	{"a theme file cut at every byte", cut_anywhere},
	{"an unknown theme names those there are", unknown_theme},
	{0},
};
