/* Debug commands that ask about the variables, types and symbols of the program in focus. */
#include <inttypes.h>
#include <string.h>

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
	if (format.count != 1 || format.unit || !format.form || format.form == 'i')
		return err_set(err, ERR_USAGE, "/%.40s: expected one of /x /d /u /o /t /c /a /f /s (x/%.40s shows memory)",
			v->format, v->format);
	/* Texts are shown as such anyway. */
	*ret = format.form == 's' ? VALUE_NATURAL : (enum value_form)format.form;
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

/* The function of a frame, without how far into it. */
static void put_function(struct program *program, const struct frame *frame, struct buf *out)
{
	struct buf name = {0};
	program_name(program, frame->is_return ? frame->pc - 1 : frame->pc, &name);
	if (name.size)
		buf_add(out, name.data, strcspn(name.data, "+"));
	else
		buf_printf(out, "the code at 0x%" PRIx64, frame->pc);
	buf_free(&name);
}

/* Of which function there is nothing to show, and why. */
static void say_none(struct verbs *v, struct buf *out)
{
	struct here *here = session_here(v->session);
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct err why = {0};
	const struct frame *frame = here_frame(here, NULL, &why);
	struct program *program = frame ? here_program(here, 0, &why) : NULL;
	buf_str(out, "no locals: ");
	if (!program) {
		buf_printf(out, "%s\n", why.text);
		return;
	}
	put_function(program, frame, out);
	if (program_places(program, frame, places) && places[0].file)
		buf_str(out, " has none here\n");
	else if (frame->kernel)
		buf_str(out, " is the kernel's, whose variables are not known\n");
	else
		buf_str(out, " has no debug information (`where` lists the calls, `frame N` chooses one)\n");
}

/* Whose variables they are, where nobody chose a call and it is not the one that the program is in. */
static void say_frame(struct verbs *v, struct buf *out)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	size_t number, inner = 0;
	const struct frame *frame = here_frame(here, &number, &ignored);
	const struct frames *frames = frame && !here_frame_is_chosen(here) ? here_frames(here, 0, 0, &ignored) : NULL;
	struct program *program = frames ? here_program(here, 0, &ignored) : NULL;
	while (program && inner < number && frames->list[inner].kernel)
		inner++;
	if (!program || inner == number)
		return;
	buf_printf(out, "frame %zu, ", number);
	put_function(program, frame, out);
	buf_str(out, ":\n");
}

bool verb_locals(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	struct scope s;
	if (!scope(v, &s, err))
		return false;
	say_frame(v, out);
	size_t before = out->size;
	variables_print_locals(&s, out);
	if (out->size == before)
		say_none(v, out);
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
