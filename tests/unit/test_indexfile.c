#include <fcntl.h>
#include <sys/stat.h>
#include "engine/indexfile.h"
#include "made.h"

struct fixture {
	struct made made;
	struct eventindex index;
	int dir, events; /* to change what file reads */
	struct eventfile *file;
};

static void set_up(struct fixture *f)
{
	made_init(&f->made, "run");
	made_start(&f->made, 1, 1);
	made_line(&f->made, 2, 2, "client", "hello");
	made_fault(&f->made, 3, 3, EVENT_FAULT_APPLIED, "server", "kill#1");
	made_line(&f->made, 4, 4, "server", "bye");
	made_events(&f->made);
	f->dir = file_open_dir(f->made.path, NULL);
	f->events = openat(f->dir, "events.jsonl", O_RDWR | O_CLOEXEC);
	f->file = eventfile_open(f->dir, NULL, NULL);
	CU_ASSERT_TRUE(eventindex_init(&f->index, NULL, 0, NULL, 0, NULL));
	CU_ASSERT_TRUE_FATAL(f->file && eventindex_read(&f->index, f->file, NULL));
	indexfile_save(&f->index, f->dir, f->file);
}

static void tear_down(struct fixture *f)
{
	eventindex_finish(&f->index);
	close(f->events);
	eventfile_close(f->file);
	close(f->dir);
	made_finish(&f->made);
}

static bool loads(const struct fixture *f, char *const *nodes, size_t node_count)
{
	struct eventindex x;
	CU_ASSERT_TRUE(eventindex_init(&x, nodes, node_count, NULL, 0, NULL));
	bool ok = indexfile_load(&x, f->dir, f->file);
	if (ok) {
		CU_ASSERT_EQUAL(x.count, f->index.count);
		CU_ASSERT_EQUAL(x.end, f->index.end);
		CU_ASSERT_EQUAL(memcmp(x.entries, f->index.entries, x.count * sizeof *x.entries), 0);
		CU_ASSERT_EQUAL(eventindex_node(&x, "server"), 2);
		CU_ASSERT_EQUAL(eventindex_fault(&x, "kill#1"), 0);
	} else {
		CU_ASSERT_EQUAL(x.count, 0);
		CU_ASSERT_EQUAL(x.nodes.count, 1 + node_count);
	}
	eventindex_finish(&x);
	return ok;
}

static void what_was_saved_is_loaded(void)
{
	struct fixture f;
	struct stat st;
	set_up(&f);
	CU_ASSERT_TRUE(loads(&f, NULL, 0));
	CU_ASSERT_EQUAL(fstatat(f.dir, INDEXFILE_NAME, &st, AT_SYMLINK_NOFOLLOW), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0600);
	indexfile_save(&f.index, f.dir, f.file); /* replaces */
	CU_ASSERT_TRUE(loads(&f, NULL, 0));
	tear_down(&f);
}

static void names_must_come_in_the_wanted_order(void)
{
	struct fixture f;
	char client[] = "client", server[] = "server";
	char *right[] = {client, server}, *wrong[] = {server, client};
	set_up(&f);
	CU_ASSERT_TRUE(loads(&f, right, 2));
	CU_ASSERT_FALSE(loads(&f, wrong, 2));
	tear_down(&f);
}

static void stale_ones_are_not_used(void)
{
	struct fixture f;
	set_up(&f);
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	struct stat st;
	fstat(f.events, &st);
	futimens(f.events, times);
	CU_ASSERT_FALSE(loads(&f, NULL, 0));
	/* The old time and size over another last line. */
	CU_ASSERT_EQUAL(pwrite(f.events, "x", 1, (off_t)f.index.end - 5), 1);
	struct timespec old[2] = {st.st_atim, st.st_mtim};
	futimens(f.events, old);
	CU_ASSERT_FALSE(loads(&f, NULL, 0));
	tear_down(&f);
}

static void every_changed_byte_and_every_shorter_file_is_refused(void)
{
	struct fixture f;
	struct buf whole = {0};
	set_up(&f);
	CU_ASSERT_TRUE(file_read_in(f.dir, INDEXFILE_NAME, 1 << 20, &whole, NULL));
	int fd = openat(f.dir, INDEXFILE_NAME, O_RDWR | O_CLOEXEC);
	for (size_t i = 0; i < whole.size; i++) {
		char changed = (char)(whole.data[i] ^ 0x41);
		CU_ASSERT_EQUAL(pwrite(fd, &changed, 1, (off_t)i), 1);
		CU_ASSERT_FALSE(loads(&f, NULL, 0));
		CU_ASSERT_EQUAL(pwrite(fd, &whole.data[i], 1, (off_t)i), 1);
	}
	CU_ASSERT_TRUE(loads(&f, NULL, 0));
	for (size_t i = whole.size; i-- > 0;) {
		CU_ASSERT_EQUAL(ftruncate(fd, (off_t)i), 0);
		CU_ASSERT_FALSE(loads(&f, NULL, 0));
	}
	close(fd);
	buf_free(&whole);
	tear_down(&f);
}

static void links_and_other_things_are_not_followed(void)
{
	struct fixture f;
	set_up(&f);
	CU_ASSERT_EQUAL(renameat(f.dir, INDEXFILE_NAME, f.dir, "elsewhere"), 0);
	CU_ASSERT_EQUAL(symlinkat("elsewhere", f.dir, INDEXFILE_NAME), 0);
	CU_ASSERT_FALSE(loads(&f, NULL, 0));
	unlinkat(f.dir, INDEXFILE_NAME, 0);
	CU_ASSERT_EQUAL(mkdirat(f.dir, INDEXFILE_NAME, 0700), 0);
	CU_ASSERT_FALSE(loads(&f, NULL, 0));
	indexfile_save(&f.index, f.dir, f.file); /* cannot; and that is no error */
	tear_down(&f);
}

const struct test suite_indexfile[] = {
	{"what was saved is loaded", what_was_saved_is_loaded},
	{"names must come in the wanted order", names_must_come_in_the_wanted_order},
	{"stale ones are not used", stale_ones_are_not_used},
	{"every changed byte and every shorter file is refused", every_changed_byte_and_every_shorter_file_is_refused},
	{"links and other things are not followed", links_and_other_things_are_not_followed},
	{0},
};
