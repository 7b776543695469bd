/* What people read about the command line, made from the command rows: help, the manual page, shell completions. Pure text. */
#ifndef ENGINE_HELP_H
#define ENGINE_HELP_H

#include "engine/args.h"

/* All functions append to out. commands is a NULL-terminated list. */
void help_all(const struct command *const *commands, struct buf *out);
void help_command(const struct command *command, struct buf *out);
void help_manual(const struct command *const *commands, struct buf *out); /* polecat(1), mdoc */
/* shell is "bash", "zsh" or "fish"; false for another one. */
bool help_completion(const struct command *const *commands, const char *shell, struct buf *out);

#endif
