/* Roles and what they look like. A theme file gives each role a foreground, a background and attributes.
 *
 *	# comment
 *	ROLE[@COLOURS] FOREGROUND BACKGROUND [bold] [dim] [italic] [underline] [reverse]
 *
 * A colour is `-` (as without this role), `default`, a name (`red`, `bright-red`), an index 0..255 or `#rrggbb`. A line with
 * @COLOURS (256, 16, 8 or 0) holds for terminals of at most that many colours and must come after the general line. */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define THEME_FILE_MAX (64 * 1024) /* bytes of a theme file */
#define THEME_LINE_MAX 256         /* bytes of one line */

/* X(enum, name, letter): letter stands for the role in dumps of the screen. Not more than 25: a theme must stay writable by hand.
 */
#define ROLES(X) \
	X(TEXT, "text", '.') \
	X(DIM, "dim", 'd') \
	X(TITLE, "title", 'T') \
	X(STATUS, "status", 'S') \
	X(KEY, "key", 'k') \
	X(BORDER, "border", 'b') \
	X(HEADING, "heading", 'h') \
	X(SELECTED, "selected", '>') \
	X(CURSOR, "cursor", 'c') \
	X(PLAYHEAD, "playhead", 'P') \
	X(MATCH, "match", 'm') \
	X(PASS, "pass", 'p') \
	X(FAIL, "fail", 'F') \
	X(WARN, "warn", 'w') \
	X(NODE, "node", 'n') \
	X(NUMBER, "number", '#') \
	X(STDERR, "stderr", 'e') \
	X(FAULT, "fault", 'f') \
	X(HEALED, "healed", 'H') \
	X(BOOKMARK, "bookmark", '*') \
	X(LEFT, "left", 'l') \
	X(RIGHT, "right", 'r') \
	X(CHOICE, "choice", 'C') \
	X(ERROR, "error", 'E') \
	X(PROMPT, "prompt", ':')

enum role {
#define ROLE_ENUM(id, name, letter) ROLE_##id,
	ROLES(ROLE_ENUM)
#undef ROLE_ENUM
		ROLE_COUNT
};

#define COLOUR_NONE    (-1) /* as without the role */
#define COLOUR_DEFAULT (-2) /* the terminal's own */
#define COLOUR_RGB     0x1000000

enum theme_attribute { THEME_BOLD = 1, THEME_DIM = 2, THEME_ITALIC = 4, THEME_UNDERLINE = 8, THEME_REVERSE = 16 };

struct style {
	int32_t fg, bg; /* COLOUR_*, an index 0..255, or COLOUR_RGB | 0xrrggbb */
	unsigned attributes;
};

enum { THEME_TRUE, THEME_256, THEME_16, THEME_8, THEME_MONO, THEME_LEVELS };

struct theme {
	char name[40];
	struct style styles[THEME_LEVELS][ROLE_COUNT];
};

/* The theme compiled in from themes/default.theme. */
void theme_default(struct theme *ret);

/* Changes theme by the lines of a file; roles the file does not mention stay. Errors: ERR_INPUT "file:line:column: sentence";
 * theme is then unchanged. */
bool theme_parse(struct theme *theme, const char *bytes, size_t size, const char *file, struct err *err);

/* The themes that are compiled in: their names in order, then NULL. */
const char *theme_builtin_name(size_t index);

/* Loads a theme by name (compiled in, or NAME.theme in config_dir/themes, which wins) or by path (with a slash).
 * config_dir may be NULL. Errors: ERR_INPUT with the names that exist, or where the file is wrong; *ret is then untouched. */
bool theme_load(struct theme *ret, const char *name, const char *config_dir, struct err *err);

/* What a cell of role looks like with overlay (the selection, say; ROLE_TEXT for none) on a terminal of so many colours:
 * 0, 8, 16, 256 or more. Colours that the terminal lacks become the nearest it has. */
struct style theme_style(const struct theme *theme, enum role role, enum role overlay, int colours);

const char *theme_role_name(enum role role);
char theme_role_letter(enum role role);

#endif
