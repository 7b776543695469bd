// Two threads that lock two accounts in opposite orders.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
struct account {
	pthread_mutex_t lock;
	long money;
	const char *name;
};
static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 1000, "alice"}, bob = {PTHREAD_MUTEX_INITIALIZER, 1000, "bob"};
static __attribute__((noinline)) void move(struct account *from, struct account *to, long money)
{
	pthread_mutex_lock(&from->lock);
	usleep(1000); /* the other one locks as well */
	pthread_mutex_lock(&to->lock);
	from->money -= money;
	to->money += money;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}
static void *one(void *arg)
{
	for (int i = 0; i < 3; i++)
		move(&alice, &bob, 1);
	return arg;
}
static void *two(void *arg)
{
	for (int i = 0; i < 3; i++)
		move(&bob, &alice, 1);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	puts("ready");
	fflush(stdout);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("done %ld %ld\n", alice.money, bob.money);
	return 0;
}
