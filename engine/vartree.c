#include "engine/vartree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value_parts.h"

struct reader {
	const struct scope *scope;
	bool (*is_open)(void *data, const char *expression);
	void *data;
	struct vartree *tree;
};

static void add_row(struct reader *r, unsigned depth, char *expression, char *name, char *value)
{
	struct vartree *t = r->tree;
	ARRAY_PUSH(t->rows, t->count, t->room) =
		(struct vartree_row){.depth = depth, .expression = expression, .name = name, .value = value};
}

static char *print(const struct scope *scope, const struct value *value)
{
	struct buf text = {0};
	variables_print_value(scope, value, &text);
	return text.size ? buf_take(&text) : mem_str("");
}

/* A prefix binds less than what is put behind an expression. Takes nothing. */
static char *part_of(const char *whole, const char *suffix)
{
	if (!strcmp(suffix, "*"))
		return mem_printf("*%s", whole);
	return *whole == '*' && *suffix ? mem_printf("(%s)%s", whole, suffix) : mem_printf("%s%s", whole, suffix);
}

static void open_row(struct reader *r, size_t row, const struct value *value);

/* A part: its row, and its own parts if they are wanted. */
static void add_part(struct reader *r, const struct vartree_row *whole, const struct value *value, uint64_t index)
{
	struct value part;
	struct buf name = {0}, suffix = {0}, safe = {0};
	if (value_part(&r->scope->world, value, index, &part, &name, &suffix)) {
		text_put_safe(&safe, name.data ? name.data : "", name.size);
		add_row(r, whole->depth + 1, part_of(whole->expression, suffix.data ? suffix.data : ""),
			safe.size ? buf_take(&safe) : mem_str("<no name>"), print(r->scope, &part));
		open_row(r, r->tree->count - 1, &part);
	}
	buf_free(&name);
	buf_free(&suffix);
	buf_free(&safe);
}

/* What a row has, and if it is open, that. Rows move: they are found by number. */
static void open_row(struct reader *r, size_t row, const struct value *value)
{
	struct value_parts parts;
	struct vartree_row *at = &r->tree->rows[row];
	value_parts(&r->scope->world, value, &parts);
	at->has_parts = parts.count && at->depth < VARTREE_DEPTH_MAX;
	at->is_open = at->has_parts && r->is_open(r->data, at->expression);
	if (!at->is_open)
		return;
	char *items = strstr(at->value, "{"); /* its lines say it all */
	if (items && (items == at->value || !strncmp(at->value, "std::", 5))) {
		*items = 0;
		char *shown = mem_printf("%s{...}", at->value);
		free(at->value);
		at->value = shown;
	}
	struct vartree_row whole = {.depth = at->depth, .expression = mem_str(at->expression)};
	for (uint64_t i = 0; i < parts.count && i < VARTREE_PARTS_MAX && r->tree->count < VARTREE_ROWS_MAX; i++)
		add_part(r, &whole, value, i);
	if (parts.count > VARTREE_PARTS_MAX)
		add_row(r, whole.depth + 1, NULL, mem_str("..."),
			mem_printf("%" PRIu64 " more", parts.count - VARTREE_PARTS_MAX));
	free(whole.expression);
}

static bool is_hidden(const struct vartree *tree, const char *name)
{
	for (size_t i = 0; i < tree->count; i++)
		if (!tree->rows[i].depth && !strcmp(tree->rows[i].name, name))
			return true;
	return false;
}

static void add_local(void *data, const char *name, bool is_argument, const struct value *value)
{
	struct reader *r = data;
	struct buf safe = {0};
	(void)is_argument;
	if (r->tree->count >= VARTREE_ROWS_MAX)
		return;
	text_put_safe(&safe, name, strlen(name));
	char *shown = safe.size ? buf_take(&safe) : mem_str("");
	bool hidden = is_hidden(r->tree, shown);
	add_row(r, 0, hidden ? NULL : mem_str(name), shown, print(r->scope, value));
	if (!hidden)
		open_row(r, r->tree->count - 1, value);
}

void vartree_read(const struct scope *scope, bool (*is_open)(void *data, const char *expression), void *data, struct vartree *ret)
{
	struct reader r = {scope, is_open, data, ret};
	variables_each_local(scope, add_local, &r);
}

void vartree_finish(struct vartree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->rows[i].expression);
		free(tree->rows[i].name);
		free(tree->rows[i].value);
	}
	free(tree->rows);
	*tree = (struct vartree){0};
}
