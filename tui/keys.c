#include "tui/keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tui/glyph.h"

static const struct {
	uint32_t key;
	const char *name;
} specials[] = {
#define KEYS_ROW(id, name) {KEYS_##id, name},
	KEYS_SPECIAL(KEYS_ROW)
#undef KEYS_ROW
		{' ', "Space"},
};

#define SPECIALS (sizeof specials / sizeof specials[0])

static bool is_name(const char *text, size_t size, const char *name)
{
	return strlen(name) == size && strncasecmp(text, name, size) == 0;
}

static bool parse_base(const char *name, size_t size, uint32_t *ret)
{
	for (size_t i = 0; i < SPECIALS; i++)
		if (is_name(name, size, specials[i].name)) {
			*ret = specials[i].key;
			return true;
		}
	uint32_t code;
	if (size == 0 || glyph_decode(name, size, &code) != size || code == GLYPH_BAD || code < 0x20 || code == 0x7f)
		return false;
	*ret = code;
	return true;
}

bool keys_parse(const char *name, size_t size, uint32_t *ret, struct err *err)
{
	const char *rest = name;
	size_t left = size;
	bool control = false;
	uint32_t flags = 0;
	for (; left > 2 && rest[1] == '-' && strchr("CSM", rest[0]); rest += 2, left -= 2) {
		control |= rest[0] == 'C';
		flags |= rest[0] == 'S' ? KEY_SHIFT : rest[0] == 'M' ? KEY_ALT : 0;
	}
	uint32_t key;
	if (!parse_base(rest, left, &key))
		return err_set(err, ERR_INPUT,
			"'%.*s' is not a key: expected one character, C-letter, or a name like Left, S-Tab, F1, Space",
			(int)(size < 40 ? size : 40), name);
	if (control) {
		bool letter = (key >= 'a' && key <= 'z') || (key >= '@' && key <= '_');
		if (!letter)
			return err_set(err, ERR_INPUT, "'%.*s': C- goes with a letter only", (int)(size < 40 ? size : 40), name);
		key &= 0x1f;
		if (key == '\t' || key == '\r' || key == 0x1b)
			return err_set(
				err, ERR_INPUT, "'%.*s' cannot be told from Tab, Enter or Esc on a terminal", (int)size, name);
	}
	if (flags & KEY_SHIFT && key < KEY_SPECIAL)
		return err_set(err, ERR_INPUT, "'%.*s': S- goes with a named key; write the capital letter instead",
			(int)(size < 40 ? size : 40), name);
	*ret = key | flags;
	return true;
}

const char *keys_name(uint32_t key, char out[KEYS_NAME_MAX])
{
	const char *alt = key & KEY_ALT ? "M-" : "";
	const char *shift = key & KEY_SHIFT ? "S-" : "";
	uint32_t base = key & ~(KEY_ALT | KEY_SHIFT);
	for (size_t i = 0; i < SPECIALS; i++)
		if (specials[i].key == base) {
			snprintf(out, KEYS_NAME_MAX, "%s%s%s", alt, shift, specials[i].name);
			return out;
		}
	char text[5] = {0};
	if (base < 0x20)
		snprintf(out, KEYS_NAME_MAX, "%sC-%c", alt, (int)(base + (base >= 1 && base <= 26 ? 'a' - 1 : '@')));
	else if (base < KEY_SPECIAL && glyph_encode(base, text))
		snprintf(out, KEYS_NAME_MAX, "%s%s", alt, text);
	else
		snprintf(out, KEYS_NAME_MAX, "%sunknown", alt);
	return out;
}
