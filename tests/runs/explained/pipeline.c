#define _GNU_SOURCE
// A pipeline of three; the parent forgets to wait for the middle one, and keeps a write end open.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void child(int in, int out, char *const *argv)
{
	if (in >= 0)
		dup2(in, 0);
	if (out >= 0)
		dup2(out, 1);
	execv("/proc/self/exe", argv);
	_exit(127);
}
static int gen(void)
{
	for (int i = 0; i < 20; i++)
		printf("line %d\n", i);
	return 0;
}
static int upper(void)
{
	char l[100];
	int n = 0;
	while (fgets(l, sizeof l, stdin)) {
		if (strstr(l, " 13"))
			return 3;
		fputs(l, stdout);
		n++;
	}
	return n != 20;
}
static int count(void)
{
	char l[100];
	int n = 0;
	while (fgets(l, sizeof l, stdin))
		n++;
	fprintf(stderr, "counted %d\n", n);
	return 0;
}
int main(int argc, char **argv)
{
	if (argc > 1)
		return !strcmp(argv[1], "gen") ? gen() : !strcmp(argv[1], "upper") ? upper() : count();
	int a[2], b[2], status;
	setvbuf(stdout, NULL, _IONBF, 0);
	pipe2(a, O_CLOEXEC);
	pipe2(b, O_CLOEXEC);
	char *g[] = {"pipeline", "gen", 0}, *u[] = {"pipeline", "upper", 0}, *c[] = {"pipeline", "count", 0};
	pid_t pg = fork();
	if (!pg)
		child(-1, a[1], g);
	pid_t pu = fork();
	if (!pu)
		child(a[0], b[1], u);
	pid_t pc = fork();
	if (!pc)
		child(b[0], -1, c);
	printf("started %d %d %d\n", pg, pu, pc);
	close(a[0]);
	close(a[1]);
	waitpid(pg, &status, 0);
	printf("gen %x\n", status);
	/* b[1] is still open here: count never sees the end */
	waitpid(pc, &status, 0);
	printf("count %x\n", status);
	return 0;
}
