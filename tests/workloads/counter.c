/*
 * counter [--locked] THREADS COUNT: each thread adds 1 to one shared counter COUNT times, with or without a lock around it.
 * Prints `total N of M`, and `lost K` when updates were lost. Without the lock a thread that is preempted between its load and
 * its store throws away what the others stored meanwhile.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 16 };

struct shared {
	volatile unsigned long total;
	pthread_mutex_t lock;
	bool locked;
	unsigned long count;
};

/* Global, so that a debugger finds it by its name. */
struct shared counter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_one(struct shared *c)
{
	unsigned long seen = c->total;
	unsigned long next = seen + 1;
	c->total = next;
}

static void *add_all(void *data)
{
	struct shared *c = data;
	for (unsigned long i = 0; i < c->count; i++) {
		if (c->locked)
			pthread_mutex_lock(&c->lock);
		add_one(c);
		if (c->locked)
			pthread_mutex_unlock(&c->lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	counter.locked = argc == 4 && strcmp(argv[1], "--locked") == 0;
	if (argc != 3 + counter.locked) {
		fprintf(stderr, "usage: counter [--locked] THREADS COUNT\n");
		return 2;
	}
	unsigned long n = strtoul(argv[argc - 2], NULL, 10);
	counter.count = strtoul(argv[argc - 1], NULL, 10);
	if (n < 1 || n > THREADS_MAX) {
		fprintf(stderr, "counter: from 1 to %d threads\n", THREADS_MAX);
		return 2;
	}
	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, add_all, &counter) != 0)
			return 1;
	for (unsigned long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("total %lu of %lu\n", counter.total, n * counter.count);
	if (counter.total != n * counter.count)
		printf("lost %lu\n", n * counter.count - counter.total);
	return 0;
}
