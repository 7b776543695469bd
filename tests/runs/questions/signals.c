/* What a debugger has to be told of: signals, threads, a child that becomes another program, an end. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int counter, shared, limit = 5;
int *volatile nowhere;
static volatile sig_atomic_t seen;

static void on_signal(int number)
{
	seen = number;
}

static void on_fault(int number)
{
	_exit(number == SIGSEGV ? 3 : 4);
}

__attribute__((noinline)) int add(int by)
{
	counter += by;
	return counter;
}

__attribute__((noinline)) int look(void)
{
	return shared;
}

static void *work(void *argument)
{
	for (int i = 0; i < 3; i++) {
		add(10);
		shared = i;
		usleep(1000);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int status = 0;
	signal(SIGUSR1, on_signal);
	signal(SIGALRM, on_signal);
	for (int i = 0; i < limit; i++)
		add(1);
	if (argc > 1)
		return 7;
	raise(SIGUSR1);
	alarm(1);
	pause();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pid_t child = fork();
	if (!child) {
		add(100);
		execl(argv[0], argv[0], "again", (char *)NULL);
		_exit(9);
	}
	waitpid(child, &status, 0);
	printf("looked %d, the child ended with %x, %d\n", look(), status, seen);
	fflush(stdout);
	signal(SIGSEGV, on_fault);
	*nowhere = 1;
	return 0;
}
