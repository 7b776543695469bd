/* Threads with variables of their own, in the program and in two libraries: tests/runs/debug-programs.sh looks at them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern __thread long of_library;
long *library_set(long to);

__thread long of_program = 1000;
static __thread long of_file;
volatile long left = 600000;

static void *thread(void *data)
{
	long number = *(long *)data;
	long *(*late)(long) = (long *(*)(long))dlsym(dlopen("liblate.so", RTLD_NOW), "late_set");
	of_program += number;
	of_file = 10 * number;
	library_set(number);
	if (late && number == 2)
		late(number);
	if (number == 2) {
		puts("ready");
		fflush(stdout);
		while (left > 0)
			left = left - 1; /* it is here for a long time */
	} else {
		struct timespec wait = {5, 0};
		nanosleep(&wait, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec wait = {0, argc > 1 ? atol(argv[1]) * 1000000 : 0};
	long numbers[] = {1, 2};
	pthread_t threads[2];
	nanosleep(&wait, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, &numbers[i]);
	pthread_join(threads[1], NULL);
	return 0;
}
