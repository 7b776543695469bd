#include "engine/verdict.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define VERDICT_NAME(id, name) [VERDICT_##id] = name,
	VERDICTS(VERDICT_NAME)
#undef VERDICT_NAME
};

const char *verdict_name(enum verdict verdict)
{
	return names[verdict];
}

bool verdict_find(const char *name, enum verdict *ret)
{
	for (size_t i = 0; i < VERDICT_COUNT; i++)
		if (strcmp(names[i], name) == 0) {
			*ret = (enum verdict)i;
			return true;
		}
	return false;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
	static const int weight[] = {[VERDICT_PASS] = 0, [VERDICT_UNEXERCISED] = 1, [VERDICT_UNKNOWN] = 2, [VERDICT_FAIL] = 3};
	return weight[a] >= weight[b] ? a : b;
}

int verdict_exit_status(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return 0;
	case VERDICT_FAIL:
		return 1;
	default:
		return 2;
	}
}
