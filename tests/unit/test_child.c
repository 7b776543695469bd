#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/child.h"
#include "engine/file.h"
#include "unit.h"

enum { LONG_MS = 20000 };

static bool sh(
	const char *script, const char *input, int timeout_ms, struct buf *out, struct buf *errors, int *status, struct err *err)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	return child_run(
		&(struct child_spec){.argv = argv}, input, input ? strlen(input) : 0, timeout_ms, out, errors, status, err);
}

static void output_and_status(void)
{
	struct buf out = {0}, errors = {0};
	struct err err = {0};
	int status = 0;
	char text[80];
	CU_ASSERT_TRUE(sh("cat; echo oops >&2; exit 3", "hello", LONG_MS, &out, &errors, &status, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "hello");
	CU_ASSERT_STRING_EQUAL(errors.data, "oops\n");
	CU_ASSERT_STRING_EQUAL(child_status_text(status, text, sizeof text), "exited with status 3");
	CU_ASSERT_TRUE(sh("kill -9 $$", NULL, LONG_MS, NULL, NULL, &status, &err));
	CU_ASSERT_STRING_EQUAL(child_status_text(status, text, sizeof text), "was killed by signal 9 (Killed)");
	/* Standard input is empty, not ours. */
	buf_clear(&out);
	CU_ASSERT_TRUE(sh("cat; ls /proc/self/fd | wc -l", NULL, LONG_MS, &out, NULL, &status, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "4\n"); /* 0, 1, 2 and the one of ls: nothing of ours is inherited */
	buf_free(&out);
	buf_free(&errors);
}

static void more_than_the_limit_is_dropped(void)
{
	struct buf out = {0};
	struct err err = {0};
	int status = 1;
	CU_ASSERT_TRUE(sh("head -c 3000000 /dev/zero", NULL, LONG_MS, &out, NULL, &status, &err));
	CU_ASSERT_EQUAL(out.size, CHILD_CAPTURE_MAX);
	CU_ASSERT_EQUAL(status, 0);
	buf_free(&out);
}

static void what_cannot_start(void)
{
	struct child c;
	struct err err = {0};
	const char *argv[] = {"polecat-no-such-program", NULL};
	CU_ASSERT_FALSE(child_start(&c, &(struct child_spec){.argv = argv}, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "starting polecat-no-such-program: No such file or directory");
	CU_ASSERT_EQUAL(c.pid, 0);
	const char *good[] = {"true", NULL};
	CU_ASSERT_FALSE(child_start(&c, &(struct child_spec){.argv = good, .dir = "/nowhere"}, &err));
	CU_ASSERT_TRUE(child_wait(&c, 0));
}

static void too_slow_is_killed_with_its_children(void)
{
	struct buf out = {0};
	struct err err = {0};
	CU_ASSERT_FALSE(sh("sleep 1000 & echo $!; sleep 1000", NULL, 200, &out, NULL, NULL, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "did not end within 200 ms"));
	pid_t grandchild = (pid_t)atol(out.data);
	/* It is nobody's child of ours: its end shows as a process that is gone or waits to be reaped by another. */
	bool gone = false;
	for (int i = 0; i < 1000 && !gone; i++) {
		char *path = mem_printf("/proc/%d/stat", (int)grandchild);
		struct buf stat = {0};
		gone = !file_read(path, 4096, &stat, NULL) || strstr(stat.data, ") Z ");
		buf_free(&stat);
		free(path);
		usleep(1000);
	}
	CU_ASSERT_TRUE(gone);
	buf_free(&out);
}

static void descriptors_keep_their_numbers(void)
{
	struct err err = {0};
	struct buf out = {0};
	int status = 1, given = file_memory_of("given", "precious", 8, &err), other = file_memory_of("other", "secret", 6, &err);
	char *script = mem_printf("cat /proc/self/fd/%d; test ! -e /proc/self/fd/%d", given, other);
	const char *argv[] = {"sh", "-c", script, NULL};
	CU_ASSERT_TRUE(child_run(&(struct child_spec){.argv = argv, .inherit = &given, .inherit_count = 1}, NULL, 0, LONG_MS,
		&out, NULL, &status, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "precious");
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_TRUE(fcntl(given, F_GETFD) & FD_CLOEXEC);
	close(given);
	close(other);
	free(script);
	buf_free(&out);
}

/* A parent that is killed takes its child along. */
static void dies_with_its_parent(void)
{
	int ends[2];
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	pid_t parent = fork();
	if (parent == 0) {
		struct child c;
		const char *argv[] = {"sleep", "1000", NULL};
		bool ok = child_start(&c, &(struct child_spec){.argv = argv, .out_fd = ends[1]}, NULL);
		ssize_t put = write(ends[1], ok ? "y" : "n", 1);
		(void)put;
		pause();
	}
	char answer = 0;
	close(ends[1]);
	CU_ASSERT_TRUE(read(ends[0], &answer, 1) == 1 && answer == 'y');
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	/* End of file: the last holder of the other end, the child, is gone. */
	CU_ASSERT_EQUAL(read(ends[0], &answer, 1), 0);
	close(ends[0]);
}

const struct test suite_child[] = {
	{"output and status", output_and_status},
	{"more than the limit is dropped", more_than_the_limit_is_dropped},
	{"what cannot start", what_cannot_start},
	{"too slow is killed with its children", too_slow_is_killed_with_its_children},
	{"descriptors keep their numbers", descriptors_keep_their_numbers},
	{"dies with its parent", dies_with_its_parent},
	{0},
};
