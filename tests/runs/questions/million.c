/* Counts to a million, in a global and a local variable, then in a thread: tests/runs/conditions.sh looks for places in it. */
#include <pthread.h>
#include <stdio.h>

enum { TIMES = 1000000 };

struct tally {
	unsigned char low;
	short signed_part;
	unsigned bits : 5;
	struct tally *self;
};

volatile long counter;
volatile int unused_between;
struct tally tally = {.self = &tally};
static volatile unsigned long thread_sum;

static __attribute__((noipa)) long count(long times, int step)
{
	long done = 0;
	for (long i = 0; i < times; i++) {
		counter += step; /* a million times */
		done += step;
	}
	return done;
}

static void *in_thread(void *data)
{
	(void)data;
	for (unsigned i = 0; i < 1000; i++)
		thread_sum += i; /* in a thread that began later */
	return NULL;
}

int main(void)
{
	pthread_t thread;
	puts("ready");
	fflush(stdout);
	long done = count(TIMES, 1);
	for (int i = 0; i < 300; i++) {
		tally.low = (unsigned char)i;
		tally.signed_part = (short)-i;
		tally.bits = i & 31;
	}
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	return done == TIMES ? 0 : 1;
}
