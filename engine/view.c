#include "engine/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value_text.h"

struct viewing {
	const struct value_world *world;
	const struct value *value;
	const char *name; /* of its type */
	enum value_form form;
	int depth;
	view_part *print;
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* ---- containers --------------------------------------------------------------------------------------------------- */

static void put_item(const struct viewing *v, const struct container *c, const struct value *item, struct buf *out)
{
	struct value key, value;
	if (!c->keyed || !container_member(v->world, item, "first", &key) ||
		!container_member(v->world, item, "second", &value)) {
		v->print(v->world, item, v->form, v->depth + 1, out);
		return;
	}
	buf_char(out, '[');
	v->print(v->world, &key, v->form, v->depth + 1, out);
	buf_str(out, "] = ");
	v->print(v->world, &value, v->form, v->depth + 1, out);
}

static bool put_container(const struct viewing *v, struct buf *out)
{
	struct container c;
	struct value item;
	if (!container_open(v->world, v->value, &c))
		return false;
	bool is_single = begins(v->name, "optional<") || begins(v->name, "variant<");
	buf_printf(out, "std::%s ", c.name);
	if (c.counted && !is_single)
		buf_printf(out, "of %" PRIu64 " ", c.count);
	buf_char(out, '{');
	while (!(c.counted && c.at >= c.count)) {
		size_t before = out->size;
		buf_str(out, c.at ? ", " : "");
		if (c.at == VALUE_ITEMS_MAX || value_is_full(v->world, out)) {
			buf_str(out, "...");
			if (c.counted)
				buf_printf(out, " %" PRIu64 " more", c.count - c.at);
			break;
		}
		bool got = container_next(v->world, &c, &item) && value_is_there(v->world, &item);
		if (!got && !c.damaged && !c.counted) {
			out->size = before; /* that was all */
			break;
		}
		if (!got) {
			buf_str(out, c.kind && c.damaged ? "<the rest is damaged or not in memory>" : "<not in memory>");
			break;
		}
		if (begins(v->name, "variant<"))
			buf_printf(out, "[%" PRIu64 "] = ", c.first);
		put_item(v, &c, &item, out);
	}
	buf_char(out, '}');
	return true;
}

/* ---- others ------------------------------------------------------------------------------------------------------- */

static bool put_text(const struct viewing *v, struct buf *out)
{
	struct container_text text;
	if (!container_text(v->world, v->value, &text))
		return false;
	value_print_text(v->world, text.address, text.size, text.width, out);
	return true;
}

static bool put_pointer(const struct viewing *v, struct buf *out)
{
	struct value pointer;
	uint64_t used, holder;
	if (begins(v->name, "optional<") || !container_pointer(v->world, v->value, &pointer))
		return false;
	v->print(v->world, &pointer, v->form, v->depth, out);
	bool weak = begins(v->name, "weak_ptr<") && container_number(v->world, v->value, "_M_refcount._M_pi", &holder) && holder;
	struct value count;
	struct err ignored;
	if (weak && container_member(v->world, v->value, "_M_refcount._M_pi", &pointer) &&
		value_target(v->world, &pointer, &count, &ignored) && container_number(v->world, &count, "_M_use_count", &used) &&
		!(uint32_t)used)
		buf_str(out, " (expired)");
	return true;
}

/* "ratio<1, 1000>" in the name of its type is the unit. */
static void put_unit(const char *name, struct buf *out)
{
	static const struct {
		uint64_t of, parts;
		const char *name;
	} units[] = {{1, 1, "s"}, {1, 1000, "ms"}, {1, 1000000, "us"}, {1, 1000000000, "ns"}, {60, 1, "min"}, {3600, 1, "h"},
		{86400, 1, "d"}};
	const char *ratio = strstr(name, "ratio<");
	char *end = NULL;
	uint64_t of = ratio ? strtoull(ratio + 6, &end, 10) : 1, parts = end && *end == ',' ? strtoull(end + 1, NULL, 10) : 1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].of == of && units[i].parts == parts) {
			buf_printf(out, " %s", units[i].name);
			return;
		}
	buf_printf(out, " [%" PRIu64 "/%" PRIu64 "] s", of, parts);
}

static bool put_duration(const struct viewing *v, struct buf *out)
{
	struct value ticks;
	if (!container_member(v->world, v->value, "__r", &ticks))
		return false;
	v->print(v->world, &ticks, v->form, v->depth, out);
	put_unit(v->name, out);
	return true;
}

static bool put_time(const struct viewing *v, struct buf *out)
{
	struct value since;
	if (!container_member(v->world, v->value, "__d", &since))
		return false;
	v->print(v->world, &since, v->form, v->depth, out);
	buf_str(out, " since the clock's zero");
	return true;
}

/* What a std::function calls: the name of what manages it has the type of that, "_Function_handler<int (int), TYPE>::_M_manager".
 */
static bool put_function(const struct viewing *v, struct buf *out)
{
	uint64_t manager, function, offset;
	if (!container_number(v->world, v->value, "_M_manager", &manager))
		return false;
	buf_str(out, "std::function {");
	const char *name = manager && v->world->symbols ? symbols_name(v->world->symbols, manager, &offset) : NULL;
	const char *end = name ? strstr(name, ">::_M_manager") : NULL, *at = name ? strstr(name, "_Function_handler<") : NULL;
	int depth = 0;
	const char *type = NULL;
	for (at = at && end ? at + strlen("_Function_handler<") : NULL; at && at < end; at++) {
		depth += *at == '(' || *at == '<' ? 1 : *at == ')' || *at == '>' ? -1 : 0;
		if (*at == ',' && !depth && !type)
			type = at + 1 + strspn(at + 1, " ");
	}
	bool is_pointer = type && memchr(type, '*', (size_t)(end - type)) &&
		container_number(v->world, v->value, "_M_functor._M_unused._M_function_pointer", &function);
	const char *called = is_pointer ? symbols_name(v->world->symbols, function, &offset) : NULL;
	if (called)
		text_put_safe(out, called, strlen(called));
	else if (type)
		text_put_safe(out, type, (size_t)(end - type));
	else if (manager)
		buf_printf(out, "managed at 0x%" PRIx64, manager);
	buf_char(out, '}');
	return true;
}

static bool put_atomic(const struct viewing *v, struct buf *out)
{
	static const char *const paths[] = {"_M_i", "_M_base._M_i", "_M_b._M_p", "_M_fp"};
	struct value inner;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (container_member(v->world, v->value, paths[i], &inner)) {
			v->print(v->world, &inner, v->form, v->depth, out);
			return true;
		}
	return false;
}

/* Is in another type, whose value it is. */
static bool put_inner(const struct viewing *v, const char *path, struct buf *out)
{
	struct value inner;
	if (!container_member(v->world, v->value, path, &inner))
		return false;
	v->print(v->world, &inner, v->form, v->depth, out);
	return true;
}

bool view_print(const struct value_world *w, const struct value *value, enum value_form form, int depth, view_part *print,
	struct buf *out)
{
	struct viewing v = {w, value, container_type_name(value), form, depth, print};
	if (!v.name || value->place == VALUE_GONE)
		return false;
	if (begins(v.name, "duration<"))
		return put_duration(&v, out);
	if (begins(v.name, "time_point<"))
		return put_time(&v, out);
	if (begins(v.name, "function<"))
		return put_function(&v, out);
	if (begins(v.name, "atomic<"))
		return put_atomic(&v, out);
	if (begins(v.name, "complex<"))
		return put_inner(&v, "_M_value", out);
	return put_text(&v, out) || put_pointer(&v, out) || put_container(&v, out);
}
