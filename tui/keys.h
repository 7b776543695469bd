/* Keys as numbers and as names: "a", "C-l", "S-Tab", "M-x", "Left", "F1", "Space". */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

/* A character is its code point; control characters are themselves (C-l is 12). Special keys lie above Unicode. */
#define KEY_SPECIAL 0x200000u
#define KEY_SHIFT   0x1000000u /* only with special keys; a shifted letter is another letter */
#define KEY_ALT     0x2000000u

#define KEYS_SPECIAL(X) \
	X(UP, "Up") \
	X(DOWN, "Down") \
	X(LEFT, "Left") \
	X(RIGHT, "Right") \
	X(HOME, "Home") \
	X(END, "End") \
	X(PAGE_UP, "PgUp") \
	X(PAGE_DOWN, "PgDn") \
	X(INSERT, "Insert") \
	X(DELETE, "Delete") \
	X(BACKSPACE, "Backspace") \
	X(TAB, "Tab") \
	X(ENTER, "Enter") \
	X(ESCAPE, "Esc") \
	X(F1, "F1") \
	X(F2, "F2") \
	X(F3, "F3") \
	X(F4, "F4") \
	X(F5, "F5") \
	X(F6, "F6") \
	X(F7, "F7") \
	X(F8, "F8") \
	X(F9, "F9") \
	X(F10, "F10") \
	X(F11, "F11") \
	X(F12, "F12")

enum key_special {
	KEYS_BEFORE = KEY_SPECIAL - 1,
#define KEYS_ENUM(id, name) KEYS_##id,
	KEYS_SPECIAL(KEYS_ENUM)
#undef KEYS_ENUM
		KEYS_AFTER
};

/* Something the person did. */
enum input_kind {
	INPUT_NONE, /* nothing more for now */
	INPUT_KEY,
	INPUT_RESIZE,
	INPUT_MOUSE,
	INPUT_END, /* the terminal has gone */
};

enum mouse_kind { MOUSE_PRESS, MOUSE_DRAG, MOUSE_RELEASE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct input {
	enum input_kind kind;
	uint32_t key;          /* INPUT_KEY */
	int width, height;     /* INPUT_RESIZE */
	enum mouse_kind mouse; /* INPUT_MOUSE, with the cell in x, y */
	int x, y;
};

/* Parses one name of length size. Errors: ERR_INPUT saying what was expected. */
bool keys_parse(const char *name, size_t size, uint32_t *ret, struct err *err);

/* Writes the name of key. Returns out. */
#define KEYS_NAME_MAX 24
const char *keys_name(uint32_t key, char out[KEYS_NAME_MAX]);

#endif
