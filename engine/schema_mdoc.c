#include "engine/schema_mdoc.h"

#include <stdio.h>
#include <string.h>

#include "engine/event.h"
#include "engine/scenario_keys.h"
#include "engine/schema.h"

/* One character of running text, or of a macro's argument, as roff reads it. */
static void put_char(struct buf *out, char c)
{
	if (c == '\\')
		buf_str(out, "\\e");
	else if (c == '\'' && out->size && out->data[out->size - 1] == '\n')
		buf_str(out, "\\(aq");
	else
		buf_char(out, c);
}

static void end_line(struct buf *out)
{
	if (out->size && out->data[out->size - 1] == ' ')
		out->data[--out->size] = '\0';
	if (out->size && out->data[out->size - 1] != '\n')
		buf_char(out, '\n');
}

/* Sentences with `words` set as literals: each word is a macro line, with the punctuation after it. Each sentence starts a line.
 */
static void put_text(struct buf *out, const char *text)
{
	for (const char *p = text; *p;) {
		if (*p != '`') {
			bool ends = (p[0] == '.' || p[0] == ':') && p[1] == ' ';
			put_char(out, *p++);
			if (ends) {
				end_line(out);
				p++;
			}
			continue;
		}
		size_t size = strcspn(p + 1, "`");
		end_line(out);
		buf_str(out, ".Ql ");
		for (size_t i = 1; i <= size; i++)
			put_char(out, p[i]);
		p += size + 2;
		for (; *p && strchr(".,;:)", *p); p++)
			buf_printf(out, " %c", *p);
		buf_char(out, '\n');
		while (*p == ' ')
			p++;
	}
	end_line(out);
}

static void put_key(struct buf *out, const struct schema_key *k)
{
	struct buf range = {0};
	const char *type = schema_type_text(k->type);

	buf_printf(out, type[0] ? ".It Ic %s : Ar %s\n" : ".It Ic %s\n", k->name, type);
	put_text(out, k->about);
	if (k->bounds.high && k->bounds.low != k->bounds.high && k->type != SCHEMA_DURATION && k->type != SCHEMA_DURATIONS) {
		enum text_unit unit = k->type == SCHEMA_SIZE ? TEXT_SIZE : k->type == SCHEMA_COUNT ? TEXT_COUNT : TEXT_NUMBER;
		text_put_range(&range, unit, k->bounds);
		buf_printf(out, "From %s.\n", range.data);
	}
	if (k->required)
		buf_str(out, "Required.\n");
	else if (k->fallback)
		buf_printf(out, "Default: %s.\n", k->fallback);
	buf_free(&range);
}

static void put_section(struct buf *out, const struct schema_section *s)
{
	buf_printf(out, ".Ss %s\n", s->title);
	if (s->about)
		put_text(out, s->about);
	buf_str(out, ".Bl -tag -width Ds\n");
	for (const struct schema_key *k = s->keys; k->name; k++)
		put_key(out, k);
	buf_str(out, ".El\n");
}

static void put_fault(struct buf *out, const struct fault_kind *kind)
{
	buf_printf(out, ".It Ic %s : Ar %s\n", kind->name, kind->target == FAULT_ON_LINK ? "two nodes" : "node or list of nodes");
	put_text(out, kind->about);
	for (const struct fault_param *p = kind->params; p->name; p++) {
		buf_printf(out, "Parameter\n.Ql %s :\n%s", p->name, p->about);
		buf_printf(out, p->fallback ? "; default %s.\n" : ".\n", p->fallback);
	}
	if (kind->lasts)
		buf_str(out, "Needs\n.Ql for .\n");
	buf_printf(out, "Observed when %s.\nHealed when %s.\n", kind->observed, kind->healed);
}

static void put_faults(struct buf *out)
{
	const char *before = "";
	buf_str(out, ".Ss Kinds of faults\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < fault_kind_count; i++)
		if (fault_kinds[i].is_applied)
			put_fault(out, &fault_kinds[i]);
	buf_str(out, ".El\n.Pp\nThe language knows more kinds, which this version cannot apply yet and refuses:\n");
	for (size_t i = 0; i < fault_kind_count; i++)
		if (!fault_kinds[i].is_applied) {
			buf_printf(out, "%s%s", before, fault_kinds[i].name);
			before = ", ";
		}
	buf_str(out, ".\n");
}

static void put_events(struct buf *out)
{
	buf_str(out, ".Ss Kinds of events\n");
	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		buf_printf(out, ".Ql %s%s\n", event_kind_name((enum event_kind)i), i + 1 < EVENT_KIND_COUNT ? " ," : " .");
}

void schema_mdoc(struct buf *out)
{
	for (size_t i = 0; i < keys_section_count; i++) {
		put_section(out, keys_sections[i]);
		if (keys_sections[i] == &keys_trigger)
			put_faults(out);
	}
	put_events(out);
}
