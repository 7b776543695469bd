#include "tui/debugpast.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE, NOW };

void debug_past_finish(struct debug_past *past)
{
	vartree_finish(&past->calls[BEFORE].tree);
	vartree_finish(&past->calls[NOW].tree);
	for (size_t i = 0; i < past->opened_count; i++)
		free(past->opened[i]);
	free(past->opened);
	*past = (struct debug_past){0};
}

void debug_past_stop(struct debug_past *past, uint64_t icount)
{
	if (past->any && past->icount == icount)
		return;
	past->any = true;
	past->icount = icount;
	past->regs[BEFORE] = past->regs[NOW];
	past->has_regs[BEFORE] = past->has_regs[NOW];
	past->has_regs[NOW] = false;
	vartree_finish(&past->calls[BEFORE].tree);
	past->calls[BEFORE] = past->calls[NOW];
	past->calls[NOW] = (struct debug_call){0};
}

const struct regs *debug_past_regs(struct debug_past *past, const struct regs *regs)
{
	past->regs[NOW] = *regs;
	past->has_regs[NOW] = true;
	return past->has_regs[BEFORE] ? &past->regs[BEFORE] : NULL;
}

const char *debug_past_was(const struct debug_past *past, uint64_t cfa, uint64_t function, const struct vartree_row *row)
{
	const struct debug_call *before = &past->calls[BEFORE];
	if (!cfa || before->cfa != cfa || before->function != function || !row->expression)
		return NULL;
	for (size_t i = 0; i < before->tree.count; i++) {
		const struct vartree_row *old = &before->tree.rows[i];
		if (old->expression && !strcmp(old->expression, row->expression))
			return old->is_open == row->is_open && strcmp(old->value, row->value) != 0 ? old->value : NULL;
	}
	return NULL;
}

void debug_past_locals(struct debug_past *past, uint64_t cfa, uint64_t function, const struct vartree *tree)
{
	struct debug_call *now = &past->calls[NOW];
	vartree_finish(&now->tree);
	now->cfa = cfa;
	now->function = function;
	for (size_t i = 0; i < tree->count; i++) {
		const struct vartree_row *row = &tree->rows[i];
		struct vartree_row copy = *row;
		copy.expression = mem_str(row->expression);
		copy.name = mem_str(row->name);
		copy.value = mem_str(row->value);
		ARRAY_PUSH(now->tree.rows, now->tree.count, now->tree.room) = copy;
	}
}

static size_t find(const struct debug_past *past, const char *expression)
{
	size_t i = 0;
	while (i < past->opened_count && strcmp(past->opened[i], expression) != 0)
		i++;
	return i;
}

void debug_past_toggle(struct debug_past *past, const char *expression)
{
	size_t at = find(past, expression);
	if (at < past->opened_count) {
		free(past->opened[at]);
		past->opened[at] = past->opened[--past->opened_count];
	} else if (past->opened_count < DEBUG_OPENED_MAX) {
		ARRAY_PUSH(past->opened, past->opened_count, past->opened_room) = mem_str(expression);
	}
}

bool debug_past_is_open(void *past, const char *expression)
{
	return find(past, expression) < ((struct debug_past *)past)->opened_count;
}
