/* The debug command that shows memory: as bytes, or as numbers, strings and instructions in a form. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value.h"
#include "engine/verb.h"

enum { MEM_DEFAULT = 64, MEM_MAX = 1 << 20, COUNT_MAX = 100000, LINE = 16, STRING_MAX = 4096 };

bool verb_format_parse(const char *text, struct verb_format *ret, struct err *err)
{
	const char *c = text;
	*ret = (struct verb_format){.count = 1};
	if (*c >= '0' && *c <= '9') {
		char *end;
		ret->count = strtoull(c, &end, 10);
		c = end;
	}
	for (; *c; c++)
		if (strchr("bhwg", *c) && !ret->unit)
			ret->unit = *c;
		else if (strchr("xduotcafsi", *c) && !ret->form)
			ret->form = *c;
		else
			return err_set(err, ERR_USAGE,
				"/%.40s is no format: expected a count, one of x d u o t c a f s i, and of b h w g, such as "
				"/16xb",
				text);
	if (!ret->count || ret->count > COUNT_MAX)
		return err_set(err, ERR_USAGE, "/%.40s: expected 1 to %d", text, COUNT_MAX);
	return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

static size_t unit_size(const struct verb_format *f)
{
	char unit = f->unit ? f->unit : f->form == 'c' ? 'b' : f->form == 'a' || f->form == 'f' ? 'g' : 'w';
	return unit == 'b' ? 1 : unit == 'h' ? 2 : unit == 'w' ? 4 : 8;
}

static void put_number(const struct verb_format *f, uint64_t number, size_t size, const struct symbols *symbols, struct buf *out)
{
	float single;
	double real;
	if (f->form == 'f' && size == sizeof single) {
		memcpy(&single, &number, sizeof single);
		buf_printf(out, "%.9g", (double)single);
	} else if (f->form == 'f' && size == sizeof real) {
		memcpy(&real, &number, sizeof real);
		buf_printf(out, "%.17g", real);
	} else if (!f->form || f->form == 'x')
		buf_printf(out, "0x%0*" PRIx64, (int)(2 * size), number);
	else
		value_print_integer(
			number, size, f->form != 'u', f->form == 'f' ? VALUE_NATURAL : (enum value_form)f->form, symbols, out);
}

static void put_place(struct verbs *v, uint64_t at, struct buf *out)
{
	struct err ignored;
	struct program *program = here_program(session_here(v->session), 0, &ignored);
	struct buf name = {0};
	if (program)
		program_name(program, at, &name);
	buf_printf(out, name.size ? "0x%" PRIx64 " <%s>:" : "0x%" PRIx64 ":", at, name.data);
	buf_free(&name);
}

static bool numbers(
	struct verbs *v, const struct space *space, uint64_t at, const struct verb_format *f, struct buf *out, struct err *err)
{
	size_t size = unit_size(f), each = f->form == 'a' ? 1 : f->form == 't' ? 8 / size : LINE / size;
	struct err ignored;
	struct program *program = here_program(session_here(v->session), 0, &ignored);
	each = f->form == 'c' ? 8 : each ? each : 1;
	for (uint64_t i = 0; i < f->count; i++) {
		uint64_t number = 0, here = at + i * size;
		if (memory_read_some(space, here, &number, size) != size) {
			buf_str(out, i ? "\n" : "");
			return err_set(err, ERR_INPUT, "0x%" PRIx64 " is not in memory here", here);
		}
		if (i % each == 0) {
			buf_str(out, i ? "\n" : "");
			put_place(v, here, out);
		}
		buf_str(out, "  ");
		put_number(f, number, size, program ? program_symbols(program) : NULL, out);
	}
	buf_char(out, '\n');
	return true;
}

/* ---- strings -------------------------------------------------------------------------------------------------- */

static bool strings(struct verbs *v, const struct space *space, uint64_t at, uint64_t count, struct buf *out, struct err *err)
{
	char text[STRING_MAX];
	for (uint64_t i = 0; i < count; i++) {
		size_t got = memory_read_some(space, at, text, sizeof text), size = strnlen(text, got);
		if (!got)
			return err_set(err, ERR_INPUT, "0x%" PRIx64 " is not in memory here", at);
		put_place(v, at, out);
		buf_str(out, "  \"");
		text_put_safe(out, text, size);
		buf_str(out, size == got ? "\"...\n" : "\"\n");
		at += size + (size < got);
	}
	return true;
}

bool verb_mem(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t at, size = MEM_DEFAULT;
	struct verb_format format;
	struct space space;
	if (v->format && w->count > 2)
		return err_set(err, ERR_USAGE, "expected: x/%.40s ADDRESS: the format says how much", v->format);
	if (w->count > 2 && !verb_number(w->list[2], "the number of bytes", &size, err))
		return false;
	if (!size || size > MEM_MAX)
		return err_set(err, ERR_USAGE, "%" PRIu64 " bytes: expected 1 to %d", size, MEM_MAX);
	if ((v->format && !verb_format_parse(v->format, &format, err)) || !verb_address(v, w->list[1], &at, NULL, err) ||
		!here_space(session_here(v->session), &space, err))
		return false;
	if (!v->format) {
		memory_print(&space, at, (size_t)size, out);
		return true;
	}
	if (format.form == 's')
		return strings(v, &space, at, format.count, out, err);
	if (format.form != 'i')
		return numbers(v, &space, at, &format, out, err);
	char count[24];
	struct words disas = {.list = {w->list[0], w->list[1], count}, .count = 3};
	snprintf(count, sizeof count, "%" PRIu64, format.count);
	return verb_disas(v, &disas, out, err);
}
