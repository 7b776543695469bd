/* What fuzz harnesses share. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assertion that stays in whatever the build, and that the fuzzer reports. */
static inline void require(bool holds)
{
	if (!holds)
		abort();
}

#endif
