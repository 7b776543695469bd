#include "engine/gdbpacket.h"

#include <string.h>

#include "engine/gdb.h"

enum { SIGNALS = 64, UNKNOWN = 143 };

bool gdb_starts(const char *packet, const char *with)
{
	return !strncmp(packet, with, strlen(with));
}

void gdb_refuse(struct buf *out, const char *text)
{
	buf_printf(out, "E.%s", text);
}

static bool expected(struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT, "expected %s", what);
}

/* A number, or -1. */
static bool identity(const char **at, const char *end, int64_t *ret)
{
	uint64_t value;
	if (end - *at >= 2 && (*at)[0] == '-' && (*at)[1] == '1') {
		*at += 2;
		*ret = -1;
		return true;
	}
	if (!gdb_number(at, end, &value) || value > UINT32_MAX)
		return false;
	*ret = (int64_t)value;
	return true;
}

bool gdb_parse_thread(const char **at, const char *end, struct gdb_thread *ret)
{
	*ret = (struct gdb_thread){0};
	if (*at == end || **at != 'p')
		return identity(at, end, &ret->tid);
	++*at;
	if (!identity(at, end, &ret->pid))
		return false;
	ret->tid = -1;
	if (*at == end || **at != '.')
		return true;
	++*at;
	return identity(at, end, &ret->tid);
}

static bool comma(const char **at, const char *end)
{
	return *at < end && *(*at)++ == ',';
}

static bool action(const char *at, const char *end, struct gdb_action *ret)
{
	uint64_t number;
	*ret = (struct gdb_action){0};
	if (at == end)
		return false;
	char kind = *at++;
	if (kind == 'C' || kind == 'S') {
		if (!gdb_number(&at, end, &number) || number > 255)
			return false;
		ret->has_signal = true;
		ret->signal = (int)number;
	}
	if (kind == 'r' &&
		(!gdb_number(&at, end, &ret->low) || !comma(&at, end) || !gdb_number(&at, end, &ret->high) ||
			ret->low > ret->high))
		return false;
	ret->kind = kind == 'C' ? 'c' : kind == 'S' ? 's' : kind;
	if (ret->kind != 'c' && ret->kind != 's' && ret->kind != 'r')
		return false;
	if (at == end)
		return true;
	ret->has_thread = true;
	return *at++ == ':' && gdb_parse_thread(&at, end, &ret->thread) && at == end;
}

bool gdb_parse_actions(const char *text, size_t size, struct gdb_action *list, size_t *count, struct err *err)
{
	const char *at = text, *end = text + size;
	for (*count = 0; at <= end; ++*count) {
		const char *next = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
		next = next ? next : end;
		if (*count == GDB_ACTIONS_MAX)
			return err_set(err, ERR_INPUT, "expected at most %d actions", GDB_ACTIONS_MAX);
		if (!action(at, next, &list[*count]))
			return expected(err, "c, s or r, each with a thread or without");
		at = next + 1;
	}
	return true;
}

bool gdb_parse_point(const char *text, size_t size, struct gdb_point *ret, struct err *err)
{
	const char *end = text + size, *semicolon = memchr(text, ';', size), *at = text + (size < 2 ? 0 : 2);
	end = semicolon ? semicolon : end;
	*ret = (struct gdb_point){0};
	if (end - text < 2 || (text[0] != 'Z' && text[0] != 'z') || text[1] < '0' || text[1] > '4')
		return expected(err, "Z or z, and a kind from 0 to 4");
	ret->insert = text[0] == 'Z';
	ret->kind = text[1];
	return (comma(&at, end) && gdb_number(&at, end, &ret->address) && comma(&at, end) && gdb_number(&at, end, &ret->size) &&
		       at == end) ||
		expected(err, "ADDRESS,SIZE");
}

bool gdb_parse_range(const char *text, size_t size, uint64_t *ret_at, uint64_t *ret_size, struct err *err)
{
	const char *at = text, *end = text + size;
	return (gdb_number(&at, end, ret_at) && comma(&at, end) && gdb_number(&at, end, ret_size) && at == end) ||
		expected(err, "two numbers with a comma between them");
}

bool gdb_parse_transfer(const char *text, size_t size, struct gdb_transfer *ret, struct err *err)
{
	static const char verb[] = "read:";
	const char *end = text + size, *colon = memchr(text, ':', size);
	*ret = (struct gdb_transfer){.object = text, .object_size = colon ? (size_t)(colon - text) : 0};
	const char *annex = colon ? colon + 1 + sizeof verb - 1 : NULL;
	if (!colon || end - colon - 1 < (ptrdiff_t)sizeof verb - 1 || memcmp(colon + 1, verb, sizeof verb - 1) != 0)
		return expected(err, "OBJECT:read:ANNEX:OFFSET,SIZE: nothing can be written");
	colon = memchr(annex, ':', (size_t)(end - annex));
	if (!colon)
		return expected(err, "OBJECT:read:ANNEX:OFFSET,SIZE");
	ret->annex = annex;
	ret->annex_size = (size_t)(colon - annex);
	return gdb_parse_range(colon + 1, (size_t)(end - colon - 1), &ret->offset, &ret->size, err);
}

bool gdb_parse_signals(const char *text, size_t size, uint64_t *ret, struct err *err)
{
	const char *at = text, *end = text + size;
	uint64_t number;
	for (*ret = 0; at < end;) {
		if (!gdb_number(&at, end, &number) || (at < end && *at++ != ';'))
			return expected(err, "numbers of signals with semicolons between them");
		int signal = number <= 255 ? gdb_signal_to_linux((int)number) : 0;
		if (signal)
			*ret |= UINT64_C(1) << (signal - 1);
	}
	return true;
}

bool gdb_parse_hex(const char *text, size_t size, struct buf *out, struct err *err)
{
	for (size_t i = 0; i < size; i += 2) {
		const char *at = text + i, *end = i + 2 <= size ? at + 2 : at;
		uint64_t value;
		if (!gdb_number(&at, end, &value) || at != end)
			return expected(err, "pairs of hexadecimal digits");
		buf_char(out, (char)value);
	}
	return true;
}

/* By Linux' numbers (x86). */
static const unsigned char numbers[SIGNALS + 1] = {0, 1, 2, 3, 4, 5, 6, 10, 8, 9, 30, 11, 31, 13, 14, 15, UNKNOWN, 20, 19, 17, 18,
	21, 22, 16, 24, 25, 26, 27, 28, 23, 32, 12, 77, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 78};

int gdb_signal_of_linux(int number)
{
	return number > 0 && number <= SIGNALS ? numbers[number] : number == 0 ? 0 : UNKNOWN;
}

int gdb_signal_to_linux(int number)
{
	for (int i = 1; i <= SIGNALS; i++)
		if (numbers[i] == number && number != UNKNOWN)
			return i;
	return 0;
}
