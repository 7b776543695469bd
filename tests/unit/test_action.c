#include "tui/action.h"

#include <stdio.h>

#include "unit.h"

static void names_are_unique(void)
{
	for (int i = 0; i < ACTION_COUNT; i++) {
		const struct action_info *info = action_info((enum action)i);
		CU_ASSERT_EQUAL(action_find(info->name, strlen(info->name)), i);
		CU_ASSERT_TRUE(info->help[0] != '\0');
		CU_ASSERT_TRUE(info->help[strlen(info->help) - 1] != '.');
	}
	CU_ASSERT_EQUAL(action_find("nonsense", 8), ACTION_NONE);
}

/* Every default key parses, and no two actions of one scope want the same. */
static void default_keys(void)
{
	struct keymap map;
	size_t expected = 0;
	keymap_init(&map);
	for (int i = 0; i < ACTION_COUNT; i++)
		for (const char *at = action_info((enum action)i)->keys; *at;) {
			size_t size = strcspn(at, " ");
			uint32_t key;
			CU_ASSERT_TRUE(keys_parse(at, size, &key, NULL));
			CU_ASSERT_EQUAL(keymap_find(&map, key, 1u << action_info((enum action)i)->scope), i);
			expected++;
			at += size + (at[size] == ' ');
		}
	CU_ASSERT_EQUAL(map.count, expected);
}

static void special_scope_wins(void)
{
	struct keymap map;
	keymap_init(&map);
	unsigned run = 1u << SCOPE_RUN | 1u << SCOPE_LIST | 1u << SCOPE_ALL;
	CU_ASSERT_EQUAL(keymap_find(&map, 'g', run), ACTION_BEGIN);
	CU_ASSERT_EQUAL(keymap_find(&map, 'g', 1u << SCOPE_LIST), ACTION_FIRST);
	CU_ASSERT_EQUAL(keymap_find(&map, 'd', run | 1u << SCOPE_DIFF), ACTION_DIFF_NEXT);
	CU_ASSERT_EQUAL(keymap_find(&map, 'd', run), ACTION_DIFF_WITH);
	CU_ASSERT_EQUAL(keymap_find(&map, 'd', 1u << SCOPE_ALL), ACTION_NONE);
}

static void key_names(void)
{
	static const char *const good[] = {
		"a", "A", "C-l", "Left", "S-Tab", "F1", "Space", "M-x", "M-Left", "S-Left", "\xc3\xa9", "-", "\\", "Esc"};
	static const char *const bad[] = {"", "ab", "C-", "C-i", "C-m", "C-\xc3\xa9", "S-a", "F13", "C-Left", "\x01"};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint32_t key;
		char name[KEYS_NAME_MAX];
		CU_ASSERT_TRUE(keys_parse(good[i], strlen(good[i]), &key, NULL));
		CU_ASSERT_STRING_EQUAL(keys_name(key, name), good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint32_t key;
		struct err err = {0};
		CU_ASSERT_FALSE(keys_parse(bad[i], strlen(bad[i]), &key, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	}
}

static void conf_binds(void)
{
	struct keymap map;
	struct err err = {0};
	static const char text[] = "# mine\n\nC-f next-fault\nx bookmark\nq none\n# end";
	keymap_init(&map);
	CU_ASSERT_TRUE_FATAL(keymap_parse(&map, text, strlen(text), "keys.conf", &err));
	CU_ASSERT_EQUAL(keymap_find(&map, 6, 1u << SCOPE_RUN), ACTION_FAULT_NEXT);
	CU_ASSERT_EQUAL(keymap_find(&map, 'x', 1u << SCOPE_RUN), ACTION_BOOKMARK);
	CU_ASSERT_EQUAL(keymap_find(&map, 'X', 1u << SCOPE_RUNS), ACTION_DELETE);
	CU_ASSERT_EQUAL(keymap_find(&map, 'q', 1u << SCOPE_ALL), ACTION_NONE);
}

static void conf_errors_say_where(void)
{
	static const struct {
		const char *text, *where;
	} rows[] = {{"a next-event\nzz next-event\n", "k:2:1: 'zz'"}, {"a\n", "k:1:2: expected an action"},
		{"\n a fly\n", "k:2:4: there is no action 'fly'"}, {"a next-event now\n", "k:1:14: 'now'"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct keymap map, before;
		struct err err = {0};
		keymap_init(&map);
		before = map;
		CU_ASSERT_FALSE(keymap_parse(&map, rows[i].text, strlen(rows[i].text), "k", &err));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, rows[i].where));
		CU_ASSERT_EQUAL(map.count, before.count);
		CU_ASSERT_EQUAL(memcmp(&map, &before, sizeof map.bindings[0] * map.count), 0);
	}
	char line[KEYMAP_LINE_MAX + 2];
	memset(line, 'a', sizeof line);
	struct keymap map;
	struct err err = {0};
	keymap_init(&map);
	CU_ASSERT_FALSE(keymap_parse(&map, line, sizeof line, "k", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "longer than"));
}

/* Cut anywhere, a file is either read or refused with a place: never half applied. */
static void conf_cut_anywhere(void)
{
	static const char text[] = "# mine\nC-f next-fault\nq none\n";
	for (size_t size = 0; size <= strlen(text); size++) {
		struct keymap map;
		struct err err = {0};
		keymap_init(&map);
		if (!keymap_parse(&map, text, size, "k", &err)) {
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
			CU_ASSERT_EQUAL(keymap_find(&map, 6, 1u << SCOPE_RUN), ACTION_NONE);
		}
	}
}

const struct test suite_action[] = {
	{"names are unique and have help", names_are_unique},
	{"default keys parse and do not collide", default_keys},
	{"the most special scope wins", special_scope_wins},
	{"key names, there and back", key_names},
	{"keys.conf binds and unbinds", conf_binds},
	{"keys.conf: errors say where", conf_errors_say_where},
	{"keys.conf cut at every byte", conf_cut_anywhere},
	{0},
};
