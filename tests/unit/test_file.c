#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "unit.h"

/* A directory of our own below TMPDIR; its descriptor is returned, its path is for paths that people give. */
static int scratch(char path[256])
{
	const char *base = getenv("TMPDIR");
	snprintf(path, 256, "%s/polecat-unit-XXXXXX", base ? base : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT_TRUE_FATAL(fd >= 0);
	return fd;
}

static void forget(int dir, const char *path)
{
	struct err err = {0};
	const char *name = strrchr(path, '/') + 1;
	char *parent = mem_strn(path, (size_t)(name - path));
	int up = file_open_dir(parent, &err);
	CU_ASSERT_TRUE(file_remove_in(up, name, &err));
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
	close(up);
	close(dir);
	free(parent);
}

static void writes_are_whole_and_owner_only(void)
{
	char path[256];
	int dir = scratch(path);
	struct err err = {0};
	struct buf out = {0};
	struct stat st;
	CU_ASSERT_TRUE(file_write_in(dir, "a", "one", 3, &err));
	CU_ASSERT_TRUE(file_write_in(dir, "a", "second", 6, &err));
	CU_ASSERT_TRUE(file_read_in(dir, "a", 6, &out, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "second");
	CU_ASSERT_FALSE(file_read_in(dir, "a", 5, &out, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than 5 bytes"));
	CU_ASSERT_EQUAL(out.size, 6);
	CU_ASSERT_TRUE(fstatat(dir, "a", &st, 0) == 0 && (st.st_mode & 07777) == 0600);
	CU_ASSERT_FALSE(file_read_in(dir, "none", 9, &out, &err));
	CU_ASSERT_FALSE(file_write_in(dir, "no/such", "x", 1, &err));
	char *full = mem_printf("%s/deep/er/still", path);
	CU_ASSERT_TRUE(file_mkdirs(full, &err) && file_mkdirs(full, &err));
	CU_ASSERT_TRUE(stat(full, &st) == 0 && (st.st_mode & 07777) == 0700);
	char *below = mem_printf("%s/a/b", path);
	CU_ASSERT_FALSE(file_mkdirs(below, &err));
	free(below);
	free(full);
	buf_free(&out);
	forget(dir, path);
}

static void links_are_not_followed(void)
{
	char path[256];
	int dir = scratch(path);
	struct err err = {0};
	CU_ASSERT_EQUAL(mkdirat(dir, "in", 0700), 0);
	CU_ASSERT_TRUE(file_write_in(dir, "target", "keep", 4, &err));
	CU_ASSERT_EQUAL(symlinkat("target", dir, "link"), 0);
	CU_ASSERT_EQUAL(symlinkat("/", dir, "root"), 0);
	CU_ASSERT_EQUAL(symlinkat("..", dir, "in/up"), 0);
	static const char *const refused[] = {"link", "root/etc/passwd", "in/up/target", "../x", "in/../target", "/etc/passwd"};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		int fd = file_open_in(dir, refused[i], O_RDONLY, &err);
		CU_ASSERT_EQUAL(fd, -1);
		if (fd >= 0)
			close(fd);
	}
	int fd = file_open_in(dir, "target", O_RDONLY, &err);
	CU_ASSERT_TRUE(fd >= 0);
	close(fd);
	/* Removing a tree removes links, not what they point to. */
	CU_ASSERT_EQUAL(symlinkat("../target", dir, "in/out"), 0);
	CU_ASSERT_TRUE(file_remove_in(dir, "in", &err) && file_remove_in(dir, "in", &err));
	CU_ASSERT_EQUAL(faccessat(dir, "target", F_OK, 0), 0);
	forget(dir, path);
}

static void only_regular_files_are_read(void)
{
	char path[256];
	int dir = scratch(path);
	struct err err = {0};
	CU_ASSERT_EQUAL(mkfifoat(dir, "fifo", 0600), 0);
	char *fifo = mem_printf("%s/fifo", path);
	CU_ASSERT_EQUAL(file_open(fifo, &err), -1);
	CU_ASSERT_EQUAL(file_open(path, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "expected a regular file"));
	CU_ASSERT_EQUAL(file_open("/nowhere/at/all", &err), -1);
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	free(fifo);
	forget(dir, path);
}

static void locks_exclude(void)
{
	char path[256];
	int dir = scratch(path);
	struct err err = {0};
	bool busy;
	int first = file_lock_in(dir, "lock", 0, &busy, &err);
	CU_ASSERT_TRUE(first >= 0 && !busy);
	CU_ASSERT_EQUAL(file_lock_in(dir, "lock", 0, &busy, &err), -1);
	CU_ASSERT_TRUE(busy);
	CU_ASSERT_EQUAL(file_lock_in(dir, "lock", 30, &busy, &err), -1);
	/* A holder that removes its file leaves the next one a lock that counts. */
	CU_ASSERT_EQUAL(unlinkat(dir, "lock", 0), 0);
	int second = file_lock_in(dir, "lock", 0, &busy, &err);
	CU_ASSERT_TRUE(second >= 0);
	close(first);
	CU_ASSERT_EQUAL(file_lock_in(dir, "lock", 0, &busy, &err), -1);
	close(second);
	CU_ASSERT_EQUAL(file_lock_in(dir, "no/lock", 0, &busy, &err), -1);
	CU_ASSERT_FALSE(busy);
	forget(dir, path);
}

static void copies_keep_holes(void)
{
	struct err err = {0};
	int from = file_memory("from", &err), to = file_memory("to", &err);
	struct buf a = {0}, b = {0};
	struct stat st;
	CU_ASSERT_EQUAL(ftruncate(from, 64 << 20), 0);
	CU_ASSERT_EQUAL(pwrite(from, "start", 5, 0), 5);
	CU_ASSERT_EQUAL(pwrite(from, "middle", 6, 32 << 20), 6);
	CU_ASSERT_TRUE(file_copy(from, to, &err));
	CU_ASSERT_TRUE(file_read_fd(from, "from", 65 << 20, &a, &err) && file_read_fd(to, "to", 65 << 20, &b, &err));
	CU_ASSERT_TRUE(a.size == b.size && a.size == 64 << 20 && !memcmp(a.data, b.data, a.size));
	CU_ASSERT_TRUE(fstat(to, &st) == 0 && st.st_blocks * 512 < 1 << 20);
	int small = file_memory_of("small", "abc", 3, &err);
	CU_ASSERT_EQUAL(file_size(small), 3);
	close(small);
	close(from);
	close(to);
	buf_free(&a);
	buf_free(&b);
}

static void directories_of_a_person(void)
{
	char path[256];
	int dir = scratch(path);
	struct err err = {0};
	const char *was = getenv("XDG_CACHE_HOME");
	char *kept = mem_str(was), *expected = mem_printf("%s/polecat", path);
	setenv("XDG_CACHE_HOME", path, 1);
	char *cache = file_cache_dir(&err);
	CU_ASSERT_STRING_EQUAL(cache ? cache : "", expected);
	free(cache);
	setenv("XDG_CACHE_HOME", "relative", 1);
	const char *home = getenv("HOME");
	char *kept_home = mem_str(home);
	unsetenv("HOME");
	CU_ASSERT_PTR_NULL(file_cache_dir(&err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "XDG_CACHE_HOME"));
	setenv("HOME", path, 1);
	cache = file_cache_dir(&err);
	CU_ASSERT_TRUE(cache && strstr(cache, "/.cache/polecat"));
	free(cache);
	kept_home ? setenv("HOME", kept_home, 1) : unsetenv("HOME");
	kept ? setenv("XDG_CACHE_HOME", kept, 1) : unsetenv("XDG_CACHE_HOME");
	free(kept);
	free(kept_home);
	free(expected);
	forget(dir, path);
}

const struct test suite_file[] = {
	{"writes are whole and owner-only", writes_are_whole_and_owner_only},
	{"links are not followed", links_are_not_followed},
	{"only regular files are read", only_regular_files_are_read},
	{"locks exclude", locks_exclude},
	{"copies keep holes", copies_keep_holes},
	{"directories of a person", directories_of_a_person},
	{0},
};
