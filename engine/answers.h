/*
 * Answers to questions about moments that cost something to get, kept so that asking again is free. Of a recorded run the answer
 * to the same question at the same moment is the same. The oldest go when there is no room.
 */
#ifndef ENGINE_ANSWERS_H
#define ENGINE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"

#define ANSWERS_MAX       64
#define ANSWERS_BYTES_MAX (32u << 20) /* of out and complaint, together; one answer may be larger */

struct answer {
	uint64_t icount;       /* where it was asked */
	int node;              /* whom */
	char *question;        /* owned */
	struct buf out;        /* guest bytes, as they are */
	struct buf complaint;  /* what was written as an error; guest bytes too */
	int status;            /* exit status */
	uint32_t first_asking; /* the lowest pid of those that asked; 0: not known */
	size_t before;         /* event (from 1) from which on it was asked, when that was not the moment itself; else 0 */
};

struct answers {
	struct answer *list[ANSWERS_MAX]; /* the oldest first; owned */
	size_t count, bytes;
};

void answers_finish(struct answers *a);
/* NULL when it is not there. Borrowed until the next answers_add. */
const struct answer *answers_find(const struct answers *a, uint64_t icount, int node, const char *question);
/* Takes over what the answer owns, *answer is empty afterwards. Returns it as kept, borrowed as above. */
const struct answer *answers_add(struct answers *a, struct answer *answer);
void answer_finish(struct answer *answer);

#endif
