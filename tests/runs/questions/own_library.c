/* A variable of each thread in a library: own.c has one that is there from the start (NAME of_library), one that comes later. */
static __thread long before[5];
__thread long NAME = 2000;
static __thread long inside;

long *SET(long to);
long *SET(long to)
{
	NAME += to;
	inside = 100 * to;
	before[0] = inside;
	return &NAME;
}
