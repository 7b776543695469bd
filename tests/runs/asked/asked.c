/* A program with something to ask about: a name that would clear a terminal, a pipe with bytes in it, and a child in a root
 * directory of its own. Says "ready", then waits for its child, which waits. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

int main(void)
{
	struct timespec wait = {5, 0};
	char byte;
	int ends[2];
	must(mkfifo("/tmp/fifo", 0600) == 0, "mkfifo");
	int fifo = open("/tmp/fifo", O_RDWR);
	must(fifo >= 0 && write(fifo, "it waits\n", 9) == 9, "the fifo");
	must(prctl(PR_SET_NAME, "odd\033[2Jname") == 0, "prctl");
	must(symlink("/proc/self/comm", "/tmp/me") == 0, "symlink");
	must(pipe(ends) == 0, "pipe");
	pid_t child = fork();
	if (child == 0) {
		must(mkdir("/tmp/jail", 0755) == 0 && mkfifo("/tmp/jail/fifo", 0600) == 0 && chroot("/tmp/jail") == 0 && chdir("/") == 0, "chroot");
		close(ends[1]);
		close(ends[0]);
		nanosleep(&wait, NULL);
		return 0;
	}
	close(ends[1]);
	must(child > 0 && read(ends[0], &byte, 1) == 0, "the child");
	puts("ready");
	fflush(stdout);
	waitpid(child, NULL, 0);
	return 0;
}
