/* burner MILLIONS [--every N]: goes round a loop MILLIONS million times, printing `burned M` after every N of them (default
 * 10), then the result of the arithmetic, which is the same on every machine. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "net.h"

int main(int argc, char **argv)
{
	long every = 10;

	if (argc == 4 && strcmp(argv[2], "--every") == 0) {
		every = net_number("--every", argv[3], 1, 1000000);
	} else if (argc != 2) {
		fprintf(stderr, "usage: burner MILLIONS [--every N]\n");
		return 2;
	}
	long millions = net_number("MILLIONS", argv[1], 1, 1000000);
	uint64_t x = 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (long m = 1; m <= millions; m++) {
		for (int i = 0; i < 1000000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
		if (m % every == 0)
			printf("burned %ld\n", m);
	}
	printf("result %016" PRIx64 "\n", x);
	return 0;
}
