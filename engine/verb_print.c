/* Debug commands that ask about the variables, types and symbols of the program in focus. */
#include <inttypes.h>

#include "engine/expression.h"
#include "engine/verb.h"

static bool scope(struct verbs *v, struct scope *ret, struct err *err)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	struct program *program = here_program(here, 0, err);
	if (!program)
		return false;
	*ret = program_scope(program, here_frame(here, NULL, &ignored));
	return true;
}

/* The form that numbers are to have. */
static bool form_of(struct verbs *v, enum value_form *ret, struct err *err)
{
	struct verb_format format;
	*ret = VALUE_NATURAL;
	if (!v->format)
		return true;
	if (!verb_format_parse(v->format, &format, err))
		return false;
	if (format.count != 1 || format.unit || !format.form || format.form == 's' || format.form == 'i' || format.form == 'f')
		return err_set(err, ERR_USAGE, "/%.40s: expected one of /x /d /u /o /t /c /a (x/%.40s shows memory)", v->format,
			v->format);
	*ret = (enum value_form)format.form;
	return true;
}

bool verb_print(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct scope s;
	enum value_form form;
	/* The expression as it was typed: blanks and quotes belong to it. */
	return form_of(v, &form, err) && scope(v, &s, err) && expression_print(&s, w->rest[1], form, out, err);
}

bool verb_whatis(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct scope s;
	return scope(v, &s, err) && expression_print_type(&s, w->rest[1], false, out, err);
}

bool verb_ptype(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct scope s;
	return scope(v, &s, err) && expression_print_type(&s, w->rest[1], true, out, err);
}

bool verb_locals(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	struct scope s;
	if (!scope(v, &s, err))
		return false;
	variables_print_locals(&s, out);
	return true;
}

bool verb_symbol(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t at, size;
	struct here *here = session_here(v->session);
	struct err ignored;
	struct program *program = here_program(here, 0, err);
	if (!program || !program_address(program, here_frame(here, NULL, &ignored), w->list[1], &at, &size, err))
		return false;
	buf_printf(out, "0x%" PRIx64 " (%" PRIu64 " bytes) ", at, size);
	program_name(program, at, out);
	buf_char(out, '\n');
	return true;
}
