/* A program that uses a library. */
#include <stdio.h>

#include "box.h"

int main(void)
{
	int got = 0;
	for (int i = 0; i < 3; i++)
		got += box_open(i);
	printf("got %d\n", got);
	return got != 9;
}
