#include "engine/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool coloured(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static const char *escape(enum output_style style)
{
	switch (style) {
	case OUTPUT_GOOD:
		return "\033[32m";
	case OUTPUT_BAD:
		return "\033[1;31m";
	case OUTPUT_WARN:
		return "\033[33m";
	case OUTPUT_DIM:
		return "\033[2m";
	case OUTPUT_BOLD:
		return "\033[1m";
	case OUTPUT_PLAIN:
		break;
	}
	return "";
}

void output_print(enum output_style style, const char *fmt, ...)
{
	bool colour = style != OUTPUT_PLAIN && coloured(STDOUT_FILENO);
	if (colour)
		fputs(escape(style), stdout);
	va_list args;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	if (colour)
		fputs("\033[0m", stdout);
}

void output_bytes(const char *bytes, size_t size)
{
	fwrite(bytes, 1, size, stdout);
}

bool output_flush(struct err *err)
{
	if (fflush(stdout) || ferror(stdout))
		return err_sys(err, errno, "standard output");
	return true;
}

enum output_style output_verdict_style(const char *verdict)
{
	if (!strcmp(verdict, "pass"))
		return OUTPUT_GOOD;
	return strcmp(verdict, "fail") && strcmp(verdict, "error") ? OUTPUT_WARN : OUTPUT_BAD;
}

void output_progress_init(struct output_progress *p)
{
	const char *term = getenv("TERM"), *lines = getenv("POLECAT_PROGRESS");
	*p = (struct output_progress){.terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0};
	p->lines = !p->terminal && lines && strcmp(lines, "lines") == 0;
}

void output_progress_say(struct output_progress *p, const char *stage, const char *fmt, ...)
{
	bool fresh = strcmp(p->stage, stage) != 0;
	snprintf(p->stage, sizeof p->stage, "%s", stage);
	if (!p->terminal && !p->lines) {
		if (fresh)
			fprintf(stderr, "%s\n", stage);
		return;
	}
	char detail[160];
	va_list args;
	va_start(args, fmt);
	vsnprintf(detail, sizeof detail, fmt, args);
	va_end(args);
	if (p->lines) {
		fprintf(stderr, "%s%s%s\n", stage, *detail ? "  " : "", detail);
		return;
	}
	/* No line feed: the next one replaces it. Cut, so that it never wraps on a terminal of 80 columns. */
	fprintf(stderr, "\r\033[K%.*s", 79, stage);
	if (*detail && strlen(stage) < 70)
		fprintf(stderr, "  %.*s", (int)(77 - strlen(stage)), detail);
	fflush(stderr);
	p->shown = true;
}

void output_progress_clear(struct output_progress *p)
{
	if (p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	p->shown = false;
	p->stage[0] = '\0';
}

const char *output_duration(unsigned long long ns, char buffer[32])
{
	if (ns < 1000000ull)
		snprintf(buffer, 32, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000ull)
		snprintf(buffer, 32, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buffer, 32, "%.3f s", (double)ns / 1e9);
	return buffer;
}

const char *output_count(unsigned long long n, char buffer[32])
{
	char digits[24];
	int size = snprintf(digits, sizeof digits, "%llu", n), at = 0;
	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			buffer[at++] = ' ';
		buffer[at++] = digits[i];
	}
	buffer[at] = '\0';
	return buffer;
}
