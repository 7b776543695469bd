/* What a property came to. Four values that are never collapsed into two. */
#ifndef ENGINE_VERDICT_H
#define ENGINE_VERDICT_H

#include <stdbool.h>

/* X(enum, name): the one list. */
#define VERDICTS(X) \
	X(PASS, "pass") \
	X(FAIL, "fail") \
	X(UNEXERCISED, "unexercised") /* never evaluated: not a pass */ \
	X(UNKNOWN, "unknown")         /* evaluated, but nobody can say: the run was cut short, a work limit */

enum verdict {
#define VERDICT_ENUM(id, name) VERDICT_##id,
	VERDICTS(VERDICT_ENUM)
#undef VERDICT_ENUM
		VERDICT_COUNT
};

const char *verdict_name(enum verdict verdict);
bool verdict_find(const char *name, enum verdict *ret);

/* The one that counts of two: fail > unknown > unexercised > pass. */
enum verdict verdict_worse(enum verdict a, enum verdict b);
/* pass 0, fail 1, unexercised and unknown 2. */
int verdict_exit_status(enum verdict verdict);

#endif
