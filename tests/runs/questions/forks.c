/* Forks, executes itself in the child, and is in the handler of a signal there: tests/runs/debug-programs.sh looks at it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long left = 600000;

static void handler(int number)
{
	while (left > 0 && number)
		left = left - 1; /* it is here for a long time */
}

static int child(void)
{
	signal(SIGUSR1, handler);
	puts("ready");
	fflush(stdout);
	return raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	struct timespec wait = {0, atol(argv[1]) * 1000000};
	nanosleep(&wait, NULL);
	pid_t pid = fork();
	if (!pid) {
		execl(argv[0], argv[0], "child", NULL);
		_exit(127);
	}
	int status = 1;
	waitpid(pid, &status, 0);
	return status != 0;
}
