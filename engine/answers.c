#include "engine/answers.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const struct answer *answer)
{
	return answer->out.size + answer->complaint.size;
}

void answer_finish(struct answer *answer)
{
	free(answer->question);
	buf_free(&answer->out);
	buf_free(&answer->complaint);
	*answer = (struct answer){0};
}

static void drop_oldest(struct answers *a)
{
	a->bytes -= bytes_of(a->list[0]);
	answer_finish(a->list[0]);
	free(a->list[0]);
	memmove(a->list, a->list + 1, --a->count * sizeof *a->list);
}

void answers_finish(struct answers *a)
{
	while (a->count)
		drop_oldest(a);
}

const struct answer *answers_find(const struct answers *a, uint64_t icount, int node, const char *question)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->list[i]->icount == icount && a->list[i]->node == node && !strcmp(a->list[i]->question, question))
			return a->list[i];
	return NULL;
}

const struct answer *answers_add(struct answers *a, struct answer *answer)
{
	while (a->count && (a->count == ANSWERS_MAX || a->bytes + bytes_of(answer) > ANSWERS_BYTES_MAX))
		drop_oldest(a);
	struct answer *kept = mem_alloc(sizeof *kept);
	*kept = *answer;
	*answer = (struct answer){0};
	a->bytes += bytes_of(kept);
	return a->list[a->count++] = kept;
}
