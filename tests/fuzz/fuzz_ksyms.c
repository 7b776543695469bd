/* A kernel's symbol table, cut and damaged: whatever is found can be walked, and finds itself. */
#include <stdlib.h>
#include <string.h>
#include "engine/ksyms.h"
#include "tests/unit/sample_kallsyms.h"
#include "tests/fuzz/fuzz.h"

/* Input: order, then (place u16, byte) three by three: what is changed in a sound table; too short an input is the table itself.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buf sound[3]; /* made once: the same for every input */
	struct buf table = {0};
	for (int order = 0; order < 3 && !sound[order].size; order++)
		sound[order] = sample_kallsyms((enum sample_order)order);
	size_t order = size ? data[0] % 3 : 0;
	buf_add(&table, sound[order].data, sound[order].size);
	for (size_t i = 1; i + 3 <= size; i += 3)
		table.data[(data[i] | (size_t)data[i + 1] << 8) % table.size] = (char)data[i + 2];
	struct err err = {0};
	struct ksyms *ksyms = ksyms_create(table.data, table.size, &err);
	if (!ksyms && !err.text[0])
		abort();
	for (size_t i = 0; ksyms && i < ksyms_count(ksyms); i += 7) {
		const struct ksym *symbol = ksyms_get(ksyms, i), *found = ksyms_find(ksyms, symbol->name),
				  *at = ksyms_at(ksyms, symbol->address);
		if (!found || strcmp(found->name, symbol->name) || (at && at->address != symbol->address))
			abort();
	}
	ksyms_destroy(ksyms);
	/* The bytes alone, too. */
	ksyms_destroy(ksyms_create(data, size, NULL));
	buf_free(&table);
	return 0;
}
