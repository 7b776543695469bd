/*
 * A program that knows its own stack and its own variables: it stops the machine in leaf() (a write to the barrier port),
 * so that the debugger's answers can be compared with what is written here. Compiled in several ways by the test.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <unistd.h>

enum color { RED, GREEN = 5 };

struct point {
	int x, y;
};

struct record {
	struct record *next;
	const char *name;
	struct point where;
	unsigned flags : 3, kind : 5;
	enum color color;
	double weight;
	char tag[8];
};

int global_counter = 41;
static unsigned char file_bytes[4] = {1, 2, 3, 255};
struct record global_record = {
	.name = "first", .where = {-3, 7}, .flags = 5, .kind = 17, .color = GREEN, .weight = 2.5, .tag = "tag"};
const char *global_text = "hello";
struct record *global_pointer = &global_record;
int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
long wide = -12345678901234567;
bool yes = true;
int main(int argc, char **argv);
int (*call)(int, char **) = main;
static pthread_barrier_t ready;
volatile long sink;
__thread int thread_value = 9;

static __attribute__((noinline)) long leaf(int depth, const struct point *at, const char *label)
{
	volatile long local = depth * 1000L + at->x;
	volatile char word[8] = "inside";
	sink = local + word[0] + label[0] + thread_value;
	__asm__ volatile("outb %b0, %w1\n\tnop" : : "a"(1), "Nd"(0x505)); /* stops the machine */
	sink += local;
	return sink;
}

static inline __attribute__((always_inline)) long inlined(int depth, struct point *at)
{
	at->x += depth;
	return leaf(depth, at, "label") + 1;
}

static __attribute__((noinline)) long outer(int depth)
{
	struct point at = {10, 20};
	volatile int twice = depth * 2;
	long result = 0;
	if (depth < 4)
		result = outer(depth + 1) + twice;
	else
		result = inlined(depth, &at);
	return result + at.y;
}

static __attribute__((noinline)) void waiter_body(const char *name)
{
	volatile int alive = 1;
	pthread_barrier_wait(&ready);
	while (alive)
		pause();
	sink += name[0];
}

static void *waiter(void *name)
{
	waiter_body(name);
	return NULL;
}

static __attribute__((noinline)) void rest(void)
{
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	if (iopl(3))
		return 3;
	pthread_barrier_init(&ready, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, waiter, i ? "two" : "one");
	pthread_barrier_wait(&ready);
	global_record.next = &global_record;
	thread_value += argc;
	file_bytes[0] = (unsigned char)argc;
	printf("%s %ld\n", argv[0], outer(1) + file_bytes[1] + global_counter);
	fflush(stdout);
	rest();
	return 0;
}
