#include "engine/err.h"

#include <stdio.h>
#include <string.h>

static bool fill(struct err *err, enum err_code code, const char *fmt, va_list args)
{
	if (err) {
		err->code = code;
		vsnprintf(err->text, sizeof err->text, fmt, args);
	}
	return false;
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fill(err, code, fmt, args);
	va_end(args);
	return false;
}

bool err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fill(err, ERR_SYSTEM, fmt, args);
	va_end(args);
	if (err) {
		size_t used = strlen(err->text);
		snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(errnum));
	}
	return false;
}

bool err_prefix(struct err *err, const char *fmt, ...)
{
	if (!err)
		return false;
	char was[ERR_TEXT_MAX];
	memcpy(was, err->text, sizeof was);
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", was);
	return false;
}

int err_exit_status(enum err_code code)
{
	switch (code) {
	case ERR_NONE:
		return 0;
	case ERR_DIVERGED:
		return 3;
	case ERR_USAGE:
	case ERR_INPUT:
		return 4;
	case ERR_SYSTEM:
	case ERR_QEMU:
	case ERR_CANCELLED:
		return 5;
	}
	return 5;
}
