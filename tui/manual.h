/* The manual page polecat-ui(1), made from the table of actions and the roles of themes. */
#ifndef TUI_MANUAL_H
#define TUI_MANUAL_H

#include <stdio.h>

#include "engine/err.h"

bool manual_print(FILE *out, struct err *err);

#endif
