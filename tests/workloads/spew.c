/* spew MIB: prints that many MiB in lines of 64 bytes, each with its number. */
#include <stdio.h>
#include "net.h"

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: spew MIB\n");
		return 2;
	}
	long lines = net_number("MIB", argv[1], 1, 4096) * (1 << 20) / 64;
	for (long i = 1; i <= lines; i++)
		printf("line %010ld abcdefghijklmnopqrstuvwxyz0123456789 ABCDEFGHIJ\n", i);
	return fflush(stdout) == 0 ? 0 : 1;
}
