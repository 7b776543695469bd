/* Conditions of breakpoints: any text is evaluated, or refused with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/condition.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bool operand(void *data, const char *text, uint64_t *ret, bool *ret_signed, struct err *err)
{
	(void)data;
	*ret = strtoull(text, NULL, 0);
	*ret_signed = strlen(text) % 2;
	return *text || err_set(err, ERR_INPUT, "nothing");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = mem_strn((const char *)data, size);
	struct err err = {0};
	uint64_t value;
	bool is_signed;
	if (!condition_evaluate(text, operand, NULL, &value, &is_signed, &err) && (err.code != ERR_INPUT || !*err.text))
		abort();
	free(text);
	return 0;
}
