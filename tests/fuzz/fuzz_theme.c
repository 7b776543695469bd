/* A theme file from anywhere: taken whole, or refused with a place and nothing changed. */
#include <string.h>

#include "tui/theme.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct theme theme, before;
	struct err err = {0};
	theme_default(&theme);
	before = theme;
	if (!theme_parse(&theme, (const char *)data, size, "t", &err)) {
		if (strncmp(err.text, "t:", 2) != 0 || memcmp(&theme, &before, sizeof theme) != 0)
			__builtin_trap();
		return 0;
	}
	static const int colours[] = {0, 8, 16, 256, 1 << 24};
	for (size_t c = 0; c < sizeof colours / sizeof colours[0]; c++)
		for (int role = 0; role < ROLE_COUNT; role++) {
			struct style s = theme_style(&theme, (enum role)role, ROLE_SELECTED, colours[c]);
			if (colours[c] <= 256 && (s.fg >= colours[c] || s.bg >= colours[c]) && (s.fg >= 0 || s.bg >= 0))
				__builtin_trap();
		}
	return 0;
}
