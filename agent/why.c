#include "agent/why.h"

#include <stdarg.h>
#include <stdio.h>

bool why_set(struct why *why, int errnum, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(why->text, sizeof why->text, fmt, args);
	va_end(args);
	why->errnum = errnum;
	return false;
}
