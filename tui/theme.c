#include "tui/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

static const char *const role_names[ROLE_COUNT] = {
#define ROLE_NAME(id, name, letter) name,
	ROLES(ROLE_NAME)
#undef ROLE_NAME
};

static const char role_letters[ROLE_COUNT] = {
#define ROLE_LETTER(id, name, letter) letter,
	ROLES(ROLE_LETTER)
#undef ROLE_LETTER
};

_Static_assert(ROLE_COUNT <= 25, "a theme must stay writable by hand");

const char *theme_role_name(enum role role)
{
	return role_names[role];
}

char theme_role_letter(enum role role)
{
	return role_letters[role];
}

static const struct {
	const char *name, *text;
} builtin[] = {
	{
		"default",
#include "default.theme.inc"
	},
	{
		"light",
#include "light.theme.inc"
	},
	{
		"solarized",
#include "solarized.theme.inc"
	},
	{
		"high-contrast",
#include "high-contrast.theme.inc"
	},
	{
		"colour-blind",
#include "colour-blind.theme.inc"
	},
	{
		"mono",
#include "mono.theme.inc"
	},
};

#define BUILTINS (sizeof builtin / sizeof builtin[0])

const char *theme_builtin_name(size_t index)
{
	return index < BUILTINS ? builtin[index].name : NULL;
}

/* ---- parser ---- */

struct word {
	const char *text;
	size_t size;
	size_t column; /* from 1 */
};

#define WORDS_MAX 8

static bool is(struct word w, const char *text)
{
	return strlen(text) == w.size && memcmp(w.text, text, w.size) == 0;
}

static size_t split_words(const char *line, size_t size, struct word words[WORDS_MAX])
{
	size_t count = 0;
	for (size_t i = 0; i < size && count < WORDS_MAX;) {
		while (i < size && (line[i] == ' ' || line[i] == '\t'))
			i++;
		size_t start = i;
		while (i < size && line[i] != ' ' && line[i] != '\t')
			i++;
		if (i > start)
			words[count++] = (struct word){line + start, i - start, start + 1};
	}
	return count;
}

static bool parse_number(struct word w, int base, long max, long *ret)
{
	char text[16];
	if (w.size == 0 || w.size >= sizeof text || !strchr("0123456789abcdefABCDEF", w.text[0]))
		return false;
	memcpy(text, w.text, w.size);
	text[w.size] = '\0';
	char *end;
	*ret = strtol(text, &end, base);
	return *end == '\0' && *ret >= 0 && *ret <= max;
}

static bool parse_colour(struct word w, int32_t *ret)
{
	static const char *const names[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
	if (is(w, "-") || is(w, "default")) {
		*ret = w.text[0] == '-' ? COLOUR_NONE : COLOUR_DEFAULT;
		return true;
	}
	bool bright = w.size > 7 && memcmp(w.text, "bright-", 7) == 0;
	struct word base = bright ? (struct word){w.text + 7, w.size - 7, w.column} : w;
	for (int i = 0; i < 8; i++)
		if (is(base, names[i])) {
			*ret = i + (bright ? 8 : 0);
			return true;
		}
	long number;
	if (w.text[0] == '#') {
		if (w.size != 7 || !parse_number((struct word){w.text + 1, 6, 0}, 16, 0xffffff, &number))
			return false;
		*ret = (int32_t)number | COLOUR_RGB;
		return true;
	}
	if (!parse_number(w, 10, 255, &number))
		return false;
	*ret = (int32_t)number;
	return true;
}

static bool parse_attribute(struct word w, unsigned *attributes)
{
	static const char *const names[] = {"bold", "dim", "italic", "underline", "reverse"};
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		if (is(w, names[i])) {
			*attributes |= 1u << i;
			return true;
		}
	return false;
}

/* Splits "role@colours"; *ret_level is the first level that the line holds for. */
static bool parse_role(struct word w, enum role *ret_role, int *ret_level, struct word *ret_wrong)
{
	const char *at = memchr(w.text, '@', w.size);
	struct word name = {w.text, at ? (size_t)(at - w.text) : w.size, w.column};
	*ret_level = THEME_TRUE;
	*ret_wrong = name;
	int role = 0;
	while (role < ROLE_COUNT && !is(name, role_names[role]))
		role++;
	if (role == ROLE_COUNT)
		return false;
	*ret_role = (enum role)role;
	if (!at)
		return true;
	struct word level = {at + 1, w.size - name.size - 1, w.column + name.size + 1};
	static const char *const levels[THEME_LEVELS] = {
		[THEME_256] = "256", [THEME_16] = "16", [THEME_8] = "8", [THEME_MONO] = "0"};
	*ret_wrong = level;
	for (int i = THEME_256; i < THEME_LEVELS; i++)
		if (is(level, levels[i])) {
			*ret_level = i;
			return true;
		}
	return false;
}

static bool wrong(struct err *err, const char *file, size_t line, struct word w, const char *expected)
{
	char shown[41];
	size_t n = 0;
	for (; n < w.size && n < sizeof shown - 1; n++)
		shown[n] = w.text[n] >= ' ' && w.text[n] < 0x7f ? w.text[n] : '?';
	shown[n] = '\0';
	return err_set(err, ERR_INPUT, "%s:%zu:%zu: '%s': expected %s", file, line, w.column, shown, expected);
}

static bool parse_line(struct theme *theme, const char *text, size_t size, const char *file, size_t line, struct err *err)
{
	struct word words[WORDS_MAX];
	size_t count = split_words(text, size, words);
	if (count == 0 || words[0].text[0] == '#')
		return true;
	enum role role;
	int level;
	struct word bad;
	if (!parse_role(words[0], &role, &level, &bad))
		return wrong(err, file, line, bad,
			bad.column == words[0].column ? "a role, as 'text' or 'fail'" : "256, 16, 8 or 0 after '@'");
	struct style style = {COLOUR_NONE, COLOUR_NONE, 0};
	struct word end = {"end of line", 11, size + 1};
	for (size_t i = 1; i < 3; i++)
		if (i >= count || !parse_colour(words[i], i == 1 ? &style.fg : &style.bg))
			return wrong(err, file, line, i < count ? words[i] : end,
				i == 1 ? "a foreground colour: -, default, a name, 0..255 or #rrggbb"
				       : "a background colour: -, default, a name, 0..255 or #rrggbb");
	for (size_t i = 3; i < count; i++)
		if (!parse_attribute(words[i], &style.attributes))
			return wrong(err, file, line, words[i], "bold, dim, italic, underline or reverse");
	for (; level < THEME_LEVELS; level++)
		theme->styles[level][role] = style;
	return true;
}

bool theme_parse(struct theme *theme, const char *bytes, size_t size, const char *file, struct err *err)
{
	if (size > THEME_FILE_MAX)
		return err_set(err, ERR_INPUT, "%s: has %zu bytes, a theme has at most %d", file, size, THEME_FILE_MAX);
	struct theme work = *theme;
	struct text_lines l = {.bytes = bytes, .size = size};
	while (text_next_line(&l)) {
		if (l.length > THEME_LINE_MAX)
			return err_set(err, ERR_INPUT, "%s:%zu:%d: line is longer than %d bytes", file, l.number,
				THEME_LINE_MAX + 1, THEME_LINE_MAX);
		if (!parse_line(&work, l.line, l.length, file, l.number, err))
			return false;
	}
	*theme = work;
	return true;
}

/* ---- loading ---- */

static void set_name(struct theme *theme, const char *name)
{
	snprintf(theme->name, sizeof theme->name, "%s", name);
}

void theme_default(struct theme *ret)
{
	*ret = (struct theme){0};
	for (int level = 0; level < THEME_LEVELS; level++)
		for (int role = 0; role < ROLE_COUNT; role++)
			ret->styles[level][role] = (struct style){COLOUR_NONE, COLOUR_NONE, 0};
	/* Cannot fail: the same text is parsed by the unit test of this module. */
	theme_parse(ret, builtin[0].text, strlen(builtin[0].text), "default.theme", NULL);
	set_name(ret, "default");
}

static bool load_file(struct theme *ret, const char *path, const char *name, struct err *err)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return err_set(err, ERR_INPUT, "theme %s: cannot be opened", path);
	struct buf bytes = {0};
	char block[4096];
	size_t got;
	while ((got = fread(block, 1, sizeof block, file)) > 0 && bytes.size <= THEME_FILE_MAX)
		buf_add(&bytes, block, got);
	fclose(file);
	struct theme theme;
	theme_default(&theme);
	bool ok = theme_parse(&theme, bytes.data ? bytes.data : "", bytes.size, path, err);
	buf_free(&bytes);
	if (ok) {
		set_name(&theme, name);
		*ret = theme;
	}
	return ok;
}

static bool load_builtin(struct theme *ret, const char *name, struct err *err)
{
	for (size_t i = 0; i < BUILTINS; i++)
		if (strcmp(name, builtin[i].name) == 0) {
			struct theme theme;
			theme_default(&theme);
			if (!theme_parse(&theme, builtin[i].text, strlen(builtin[i].text), name, err))
				return false;
			set_name(&theme, name);
			*ret = theme;
			return true;
		}
	struct buf names = {0};
	for (size_t i = 0; i < BUILTINS; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", builtin[i].name);
	err_set(err, ERR_INPUT, "there is no theme '%.40s': expected %s, or a path with a slash", name, names.data);
	buf_free(&names);
	return false;
}

bool theme_load(struct theme *ret, const char *name, const char *config_dir, struct err *err)
{
	if (strchr(name, '/'))
		return load_file(ret, name, name, err);
	if (config_dir) {
		char *path = mem_printf("%s/themes/%s.theme", config_dir, name);
		FILE *probe = fopen(path, "re");
		bool found = probe != NULL, ok = false;
		if (found) {
			fclose(probe);
			ok = load_file(ret, path, name, err);
		}
		free(path);
		if (found)
			return ok;
	}
	return load_builtin(ret, name, err);
}

/* ---- colours of a terminal ---- */

/* The usual values of the first 16 colours, only to measure distances by. */
static const uint32_t sixteen[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
	0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

static uint32_t rgb_of(int index)
{
	if (index < 16)
		return sixteen[index];
	if (index >= 232) {
		uint32_t grey = (uint32_t)(8 + (index - 232) * 10);
		return grey << 16 | grey << 8 | grey;
	}
	uint32_t cube = (uint32_t)(index - 16), part[3] = {cube / 36, cube / 6 % 6, cube % 6};
	for (int i = 0; i < 3; i++)
		part[i] = part[i] ? 55 + part[i] * 40 : 0;
	return part[0] << 16 | part[1] << 8 | part[2];
}

static int distance(uint32_t a, uint32_t b)
{
	int r = (int)(a >> 16 & 255) - (int)(b >> 16 & 255), g = (int)(a >> 8 & 255) - (int)(b >> 8 & 255),
	    bl = (int)(a & 255) - (int)(b & 255);
	return 3 * r * r + 6 * g * g + bl * bl;
}

static int32_t nearest(uint32_t rgb, int first, int end)
{
	int best = first;
	for (int i = first + 1; i < end; i++)
		if (distance(rgb, rgb_of(i)) < distance(rgb, rgb_of(best)))
			best = i;
	return best;
}

static int32_t reduce(int32_t colour, int colours)
{
	if (colour < 0)
		return colour;
	if (colours > 256) /* such terminals take red, green and blue; only the first eight numbers are colours by index */
		return colour & COLOUR_RGB || colour < 8 ? colour : (int32_t)rgb_of(colour) | COLOUR_RGB;
	if (colours == 0)
		return COLOUR_DEFAULT;
	bool rgb = (colour & COLOUR_RGB) != 0;
	if (colours == 256) /* not the first 16: people change those */
		return rgb ? nearest((uint32_t)colour & 0xffffff, 16, 256) : colour;
	if (!rgb && colour < colours)
		return colour;
	if (!rgb && colour < 16)
		return colour - 8;
	return nearest(rgb ? (uint32_t)colour & 0xffffff : rgb_of(colour), 0, colours);
}

struct style theme_style(const struct theme *theme, enum role role, enum role overlay, int colours)
{
	int level = colours > 256 ? THEME_TRUE
		: colours >= 256  ? THEME_256
		: colours >= 16   ? THEME_16
		: colours >= 8    ? THEME_8
				  : THEME_MONO;
	int have = colours > 256 ? colours : colours >= 256 ? 256 : colours >= 16 ? 16 : colours >= 8 ? 8 : 0;
	struct style result = theme->styles[level][ROLE_TEXT];
	enum role layers[2] = {role, overlay};
	for (int i = 0; i < 2; i++) {
		if (layers[i] == ROLE_TEXT)
			continue;
		const struct style *s = &theme->styles[level][layers[i]];
		result.fg = s->fg == COLOUR_NONE ? result.fg : s->fg;
		result.bg = s->bg == COLOUR_NONE ? result.bg : s->bg;
		result.attributes |= s->attributes;
	}
	result.fg = reduce(result.fg == COLOUR_NONE ? COLOUR_DEFAULT : result.fg, have);
	result.bg = reduce(result.bg == COLOUR_NONE ? COLOUR_DEFAULT : result.bg, have);
	return result;
}
