/* A request in the memory of a fork's agent. */
#include <stdlib.h>
#include <string.h>

#include "agent/visit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct visit_request r;
	struct why why = {0};
	uint8_t *header = calloc(1, OUTBOX_HEADER);
	if (!header)
		abort();
	size = size < VISIT_REQUEST_MAX ? size : VISIT_REQUEST_MAX;
	/* As a frame of that many bytes, and as its own size. */
	for (int own = 0; own < 2; own++) {
		uint8_t *at = header + VISIT_REQUEST;
		for (int i = 0; i < 4; i++)
			at[i] = (uint8_t)(size >> (8 * i));
		memcpy(own ? at : at + 4, data, size);
		if (visit_read(header, 4, &r, &why)) {
			if (!r.argv[0] || r.node > 4 || strlen(r.cwd) >= sizeof r.cwd)
				__builtin_trap();
		} else if (!why.text[0]) {
			__builtin_trap();
		}
	}
	free(header);
	return 0;
}
