/* deeper: a function that calls itself, and each call maps a file: what a debugger knew of the files of the program ends then. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

static void map_another(void)
{
	int fd = open("/deeper", O_RDONLY);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
}

static int deeper(int n)
{
	int got = 0;
	if (n > 0)
		got = deeper(n - 1);
	map_another();
	got += n;
	return got;
}

int main(void)
{
	printf("ready\n");
	fflush(stdout);
	printf("got %d\n", deeper(4));
	return 0;
}
