/* Errors are values: a code and one sentence. Library code fills them in; only main() prints and exits. */
#ifndef ENGINE_ERR_H
#define ENGINE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

/* What went wrong, by who can mend it. Each maps to one exit status (err_exit_status). */
enum err_code {
	ERR_NONE,
	ERR_USAGE,     /* the command line is wrong */
	ERR_INPUT,     /* a scenario, plan, run directory or other file given to us is wrong */
	ERR_SYSTEM,    /* the host refused: disk, memory, permissions, a missing program */
	ERR_QEMU,      /* QEMU or the guest broke: crash, hang, kernel panic, watchdog */
	ERR_DIVERGED,  /* a replay did not do what the recording did */
	ERR_CANCELLED, /* the person asked to stop */
};

#define ERR_TEXT_MAX 2048

/* Owned by the caller, usually on the stack: `struct err err = {0};`. Text is UTF-8 without a final newline. */
struct err {
	enum err_code code;
	char text[ERR_TEXT_MAX];
};

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fills in *err and returns false, so that `return err_set(...)` reads as "fail with". A NULL err is allowed. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* As err_set with ERR_SYSTEM; appends ": " and the text of errnum (an errno value). */
bool err_sys(struct err *err, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Puts "what we were doing: " before the text already there. Returns false. */
bool err_prefix(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Exit status for a code: 0, 3 (diverged), 4 (usage, input) or 5 (system, QEMU, cancelled). Verdict statuses 1 and 2 are not
 * errors. */
int err_exit_status(enum err_code code);

#endif
