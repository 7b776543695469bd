#include "tui/fmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *fmt_count(uint64_t n, char out[FMT_MAX])
{
	char digits[24];
	int size = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;
	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			out[at++] = ' ';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

const char *fmt_seconds(uint64_t ns, char out[FMT_MAX])
{
	snprintf(out, FMT_MAX, "%" PRIu64 ".%03" PRIu64, ns / 1000000000, ns / 1000000 % 1000);
	return out;
}

const char *fmt_time(uint64_t ns, char out[FMT_MAX])
{
	if (ns >= 60000000000)
		snprintf(out, FMT_MAX, "%" PRIu64 ":%02" PRIu64 ".%03" PRIu64, ns / 60000000000, ns / 1000000000 % 60,
			ns / 1000000 % 1000);
	else if (ns >= 1000000000)
		snprintf(out, FMT_MAX, "%" PRIu64 ".%03" PRIu64 " s", ns / 1000000000, ns / 1000000 % 1000);
	else if (ns >= 1000000)
		snprintf(out, FMT_MAX, "%" PRIu64 ".%01" PRIu64 " ms", ns / 1000000, ns / 100000 % 10);
	else if (ns >= 1000)
		snprintf(out, FMT_MAX, "%" PRIu64 " us", ns / 1000);
	else
		snprintf(out, FMT_MAX, "%" PRIu64 " ns", ns);
	return out;
}

static const char *scaled(uint64_t n, uint64_t step, char out[FMT_MAX])
{
	static const char units[] = " KMGTPE";
	uint64_t whole = n, rest = 0;
	int unit = 0;
	while (whole >= step && unit < 6) {
		rest = whole % step * 10 / step;
		whole /= step;
		unit++;
	}
	if (unit == 0)
		snprintf(out, FMT_MAX, "%" PRIu64, n);
	else
		snprintf(out, FMT_MAX, "%" PRIu64 ".%" PRIu64 " %c", whole, rest, units[unit]);
	return out;
}

const char *fmt_size(uint64_t bytes, char out[FMT_MAX])
{
	return scaled(bytes, 1024, out);
}

const char *fmt_short(uint64_t n, char out[FMT_MAX])
{
	return scaled(n, 1000, out);
}

const char *fmt_age(int64_t seconds, char out[FMT_MAX])
{
	if (seconds < 0)
		seconds = 0;
	if (seconds < 90)
		snprintf(out, FMT_MAX, "%" PRId64 " s", seconds);
	else if (seconds < 90 * 60)
		snprintf(out, FMT_MAX, "%" PRId64 " min", seconds / 60);
	else if (seconds < 36 * 3600)
		snprintf(out, FMT_MAX, "%" PRId64 " h", seconds / 3600);
	else
		snprintf(out, FMT_MAX, "%" PRId64 " d", seconds / 86400);
	return out;
}
