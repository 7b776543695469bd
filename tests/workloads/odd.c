/* odd WHAT: a program that does what programs ought not to do, and says how it went. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, int failed)
{
	printf("%s: %s\n", what, failed ? "refused" : "done");
	fflush(stdout);
}

static void nap(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* The right to use I/O ports, devices and the machine's settings would end every other node's run as well. */
static int reach_out(void)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		outb('!', 0x3f8);
		_exit(0);
	}
	waitpid(child, &status, 0);
	say("port", !WIFSIGNALED(status) ? 0 : 1);
	say("iopl", iopl(3));
	say("mknod", mknod("/tmp/mem", S_IFCHR | 0600, makedev(1, 1)));
	say("mount", mount("none", "/mnt", "tmpfs", 0, NULL));
	say("sysctl", open("/proc/sys/kernel/panic", O_WRONLY) < 0);
	/* It is /dev/null here, so this does nothing, and the next line is there to say so. */
	int fd = open("/proc/sysrq-trigger", O_WRONLY);
	if (fd >= 0 && write(fd, "c", 1) == 1)
		close(fd);
	say("clock", clock_settime(CLOCK_REALTIME, &(struct timespec){.tv_sec = 1}));
	say("reboot", reboot(RB_AUTOBOOT));
	say("chroot", chdir("/") || chroot("/proc/1/root") || chdir("../../../..") || access("images", F_OK));
	return 0;
}

/* A grandchild that nothing but SIGKILL ends outlives the command, and holds its output open. */
static int leave_orphan(void)
{
	if (fork() == 0) {
		setsid();
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		for (;;)
			nap(1000);
	}
	say("orphan", 0);
	return 3;
}

static int ignore_term(void)
{
	signal(SIGTERM, SIG_IGN);
	say("ready", 0);
	while (pause() < 0)
		continue;
	return 0;
}

static int close_output(void)
{
	close(1);
	close(2);
	nap(20);
	return 4;
}

static int reopen_output(void)
{
	int fd = open("/dev/stdout", O_WRONLY);
	say("reopen", fd < 0);
	dprintf(fd, "through /dev/stdout\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} things[] = {{"reach-out", reach_out}, {"leave-orphan", leave_orphan}, {"ignore-term", ignore_term},
		{"close-output", close_output}, {"reopen-output", reopen_output}};
	for (size_t i = 0; argc == 2 && i < sizeof things / sizeof *things; i++)
		if (strcmp(argv[1], things[i].name) == 0)
			return things[i].run();
	if (argc == 2 && strcmp(argv[1], "kill-all") == 0) {
		kill(-1, SIGKILL); /* its supervisor, too */
		for (;;)
			pause();
	}
	fprintf(stderr, "usage: odd WHAT\n");
	return 2;
}
