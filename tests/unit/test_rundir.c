#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/eventfile.h"
#include "engine/file.h"
#include "engine/rundir.h"
#include "engine/runlist.h"

/* A runs directory of its own for each test, removed at its end. */
struct place {
	char path[64];
};

static struct place make_place(void)
{
	struct place p = {"/tmp/polecat-unit.XXXXXX"};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(p.path));
	return p;
}

static void remove_place(struct place *p)
{
	int tmp = file_open_dir("/tmp", NULL);
	CU_ASSERT_TRUE(file_remove_in(tmp, p->path + strlen("/tmp/"), NULL));
	close(tmp);
}

static struct rundir *begin(const struct place *p)
{
	struct err err = {0};
	struct rundir *r = rundir_create(p->path, "demo", 7, 1700000000, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	CU_ASSERT_TRUE(rundir_write(r, "plan.json", "{}\n", 3, &err));
	struct event e = {.seq = 1, .node = "", .kind = EVENT_RUN_START, .plan = "ab"};
	struct event_sink sink = rundir_sink(r);
	CU_ASSERT_TRUE(sink.event(sink.data, &e, &err));
	return r;
}

static char *finish(struct rundir *r)
{
	struct err err = {0};
	struct manifest m = {.polecat = mem_str("0"),
		.scenario = mem_str("demo"),
		.created = mem_str("now"),
		.kind = mem_str("closed"),
		.reproducible = mem_str("seed"),
		.end = mem_str("done"),
		.identity = mem_str("{}")};
	memset(m.identity_sha256, '0', 64);
	CU_ASSERT_TRUE_FATAL(rundir_complete(r, &m, &err));
	manifest_finish(&m);
	char *path = mem_str(rundir_path(r));
	rundir_destroy(r);
	return path;
}

static char *complete(const struct place *p)
{
	return finish(begin(p));
}

static size_t states(const struct place *p, enum run_state state)
{
	struct runlist_entry *list;
	size_t count, n = 0;
	CU_ASSERT_TRUE_FATAL(runlist_read(p->path, &list, &count, NULL));
	for (size_t i = 0; i < count; i++)
		n += list[i].state == state;
	runlist_free(list, count);
	return n;
}

static void is_incomplete_until_renamed(void)
{
	struct place p = make_place();
	struct rundir *r = begin(&p);
	CU_ASSERT_EQUAL(states(&p, RUN_RECORDING), 1);
	CU_ASSERT_EQUAL(states(&p, RUN_WHOLE), 0);
	size_t removed = 9;
	CU_ASSERT_TRUE(runlist_sweep(p.path, &removed, NULL)); /* a living one is left alone */
	CU_ASSERT_EQUAL(removed, 0);
	rundir_destroy(r);
	CU_ASSERT_EQUAL(states(&p, RUN_RECORDING), 0);
	char *path = complete(&p);
	CU_ASSERT_EQUAL(states(&p, RUN_WHOLE), 1);
	struct stat st;
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0700);
	free(path);
	remove_place(&p);
}

static void names_the_file_that_was_changed(void)
{
	struct place p = make_place();
	char *path = complete(&p);
	struct manifest m = {0};
	struct err err = {0};
	int dir = rundir_open(path, &m, &err);
	CU_ASSERT_TRUE_FATAL(dir >= 0);
	CU_ASSERT_TRUE(rundir_verify(dir, &m, &err));
	static const char *const files[] = {"plan.json", "events.jsonl"};
	for (size_t i = 0; i < 2; i++) {
		int fd = openat(dir, files[i], O_RDWR);
		char was, other = '#';
		CU_ASSERT_EQUAL(pread(fd, &was, 1, 1), 1);
		CU_ASSERT_EQUAL(pwrite(fd, &other, 1, 1), 1);
		CU_ASSERT_FALSE(rundir_verify(dir, &m, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, files[i]));
		CU_ASSERT_EQUAL(pwrite(fd, &was, 1, 1), 1);
		CU_ASSERT_EQUAL(ftruncate(fd, 1), 0);
		CU_ASSERT_FALSE(rundir_verify(dir, &m, &err));
		close(fd);
		CU_ASSERT_EQUAL(unlinkat(dir, files[i], 0), 0);
		CU_ASSERT_EQUAL(symlinkat("/etc/passwd", dir, files[i]), 0);
		CU_ASSERT_FALSE(rundir_verify(dir, &m, &err));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, files[i]));
		unlinkat(dir, files[i], 0);
		CU_ASSERT_TRUE(file_write_in(dir, files[i], i ? "" : "{}\n", i ? 0 : 3, &err));
	}
	close(dir);
	manifest_finish(&m);
	free(path);
	remove_place(&p);
}

/* A run whose events are many. */
static char *complete_large(const struct place *p, uint64_t *ret_size)
{
	struct err err = {0};
	struct rundir *r = begin(p);
	struct event_sink sink = rundir_sink(r);
	char text[1000];
	memset(text, 'x', sizeof text);
	for (uint64_t seq = 2; seq <= EVENTFILE_PACK_MIN / sizeof text; seq++) {
		struct event e = {.seq = seq, .node = "a", .kind = EVENT_IO_LINE, .line = seq, .text = {text, sizeof text}};
		CU_ASSERT_TRUE_FATAL(sink.event(sink.data, &e, &err));
	}
	CU_ASSERT_TRUE(rundir_flush(r, &err));
	struct stat st;
	char *events = mem_printf("%s/" EVENTFILE_NAME, rundir_path(r));
	CU_ASSERT_EQUAL(stat(events, &st), 0); /* while it is recorded, anybody can follow it */
	*ret_size = (uint64_t)st.st_size;
	free(events);
	return finish(r);
}

static void turn_over(int dir, const char *name, off_t at)
{
	int fd = openat(dir, name, O_RDWR);
	char c;
	CU_ASSERT_EQUAL(pread(fd, &c, 1, at), 1);
	c ^= 1;
	CU_ASSERT_EQUAL(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

static void refused(int dir, const struct manifest *m, const char *words)
{
	struct err err = {0};
	CU_ASSERT_FALSE(rundir_verify(dir, m, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
}

static void many_events_are_packed(void)
{
	struct place p = make_place();
	uint64_t size;
	char *path = complete_large(&p, &size);
	struct manifest m = {0};
	struct err err = {0};
	struct buf events = {0}, stored = {0};
	int dir = rundir_open(path, &m, &err);
	CU_ASSERT_TRUE_FATAL(dir >= 0);
	CU_ASSERT_TRUE(rundir_verify(dir, &m, &err));
	CU_ASSERT_TRUE(m.files[1].packed && !strcmp(m.files[1].name, EVENTFILE_NAME) && m.files[1].size == size);
	CU_ASSERT_NOT_EQUAL(faccessat(dir, EVENTFILE_NAME, F_OK, 0), 0);
	CU_ASSERT_TRUE(rundir_read(dir, &m, EVENTFILE_NAME, &events, &err) && events.size == size);
	/* The digest is of the events, not of what some zstd made of them: packed another way they are the same. */
	CU_ASSERT_TRUE(file_write_in(dir, EVENTFILE_NAME, events.data, events.size, &err));
	refused(dir, &m, "events.jsonl: it is there beside events.jsonl.zst");
	CU_ASSERT_TRUE(file_read_in(dir, EVENTFILE_PACKED, 1 << 20, &stored, &err));
	unlinkat(dir, EVENTFILE_PACKED, 0);
	CU_ASSERT_TRUE(eventfile_pack(dir, size, 12345, &err) && rundir_verify(dir, &m, &err));
	/* Changed inside, cut short, longer, not there. */
	CU_ASSERT_TRUE(file_write_in(dir, EVENTFILE_PACKED, stored.data, stored.size, &err));
	turn_over(dir, EVENTFILE_PACKED, (off_t)stored.size / 2);
	refused(dir, &m, "events.jsonl.zst: damaged at byte");
	CU_ASSERT_TRUE(file_write_in(dir, EVENTFILE_PACKED, stored.data, stored.size - 1, &err));
	refused(dir, &m, "events.jsonl.zst: cut short");
	events.data[5] ^= 1;
	CU_ASSERT_TRUE(file_write_in(dir, EVENTFILE_NAME, events.data, events.size, &err));
	unlinkat(dir, EVENTFILE_PACKED, 0);
	CU_ASSERT_TRUE(eventfile_pack(dir, size, EVENTFILE_FRAME, &err));
	refused(dir, &m, "events.jsonl: it was changed after it was recorded");
	buf_add(&stored, stored.data, stored.size);
	CU_ASSERT_TRUE(file_write_in(dir, EVENTFILE_PACKED, stored.data, stored.size, &err));
	refused(dir, &m, "which is the limit");
	unlinkat(dir, EVENTFILE_PACKED, 0);
	refused(dir, &m, EVENTFILE_PACKED);
	buf_free(&events);
	buf_free(&stored);
	close(dir);
	manifest_finish(&m);
	free(path);
	remove_place(&p);
}

/* What a recorder that was killed leaves: nobody holds the lock. */
static void sweeps_what_a_kill_left(void)
{
	struct place p = make_place();
	pid_t pid = fork();
	if (pid == 0) {
		begin(&p);
		_exit(0);
	}
	char stale[128];
	snprintf(stale, sizeof stale, "%s/.incomplete-by-hand", p.path);
	CU_ASSERT_EQUAL(mkdir(stale, 0700), 0);
	int status;
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(states(&p, RUN_ABANDONED), 2);
	size_t removed = 0;
	CU_ASSERT_TRUE(runlist_sweep(p.path, &removed, NULL));
	CU_ASSERT_EQUAL(removed, 2);
	CU_ASSERT_EQUAL(states(&p, RUN_ABANDONED), 0);
	remove_place(&p);
}

static void a_failure_keeps_only_reasons(void)
{
	struct place p = make_place();
	struct rundir *r = begin(&p);
	struct err why = {.code = ERR_QEMU, .text = "it broke"}, err = {0};
	char *big = mem_alloc(3 * RUNDIR_FAILURE_MAX);
	memset(big, '\033', 3 * RUNDIR_FAILURE_MAX);
	struct rundir_note note = {"console.txt", big, 3 * RUNDIR_FAILURE_MAX};
	CU_ASSERT_TRUE(rundir_fail(r, &why, &note, 1, &err));
	int dir = file_open_dir(rundir_path(r), &err);
	struct buf text = {0};
	CU_ASSERT_TRUE(file_read_in(dir, "console.txt", 1 << 20, &text, &err));
	CU_ASSERT_PTR_NULL(memchr(text.data, '\033', text.size));
	CU_ASSERT_TRUE(faccessat(dir, "events.jsonl", F_OK, 0) != 0);
	buf_clear(&text);
	CU_ASSERT_TRUE(file_read_in(dir, "failure.json", 1 << 20, &text, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "it broke"));
	buf_free(&text);
	close(dir);
	free(big);
	rundir_destroy(r);
	CU_ASSERT_EQUAL(states(&p, RUN_FAILED), 1);
	remove_place(&p);
}

static void finds_by_a_part_of_the_name(void)
{
	struct place p = make_place();
	struct err err = {0};
	char *a = complete(&p), *b = complete(&p);
	char *hit = runlist_find(p.path, strrchr(a, '-') + 1, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(hit);
	CU_ASSERT_STRING_EQUAL(hit, a);
	free(hit);
	hit = runlist_find(p.path, "last", &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(hit);
	CU_ASSERT_TRUE(!strcmp(hit, a) || !strcmp(hit, b));
	free(hit);
	CU_ASSERT_PTR_NULL(runlist_find(p.path, "demo", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than one"));
	CU_ASSERT_PTR_NULL(runlist_find(p.path, "nothing-like-it", &err));
	CU_ASSERT_PTR_NULL(runlist_find("/nonexistent/runs", "x", &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	free(a);
	free(b);
	remove_place(&p);
}

const struct test suite_rundir[] = {
	{"is incomplete until renamed", is_incomplete_until_renamed},
	{"names the file that was changed", names_the_file_that_was_changed},
	{"many events are packed", many_events_are_packed},
	{"sweeps what a kill left", sweeps_what_a_kill_left},
	{"a failure keeps only reasons", a_failure_keeps_only_reasons},
	{"finds by a part of the name", finds_by_a_part_of_the_name},
	{0},
};
