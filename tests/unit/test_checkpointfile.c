#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/checkpointfile.h"
#include "engine/checkpointset.h"
#include "engine/checkpointstore.h"
#include "engine/file.h"
#include "unit.h"

enum { PAGES = 64 };

static const uint8_t key[DIGEST_SIZE] = {1, 2, 3};

/* Three checkpoints: a page that all share, one that the last two share, and one that is equal by chance. */
struct fixture {
	struct ram_delta *deltas[3];
	struct buf states[3], serial;
	struct checkpointfile_item items[3];
};

static struct ram_page *page_of(char c)
{
	uint8_t bytes[RAM_PAGE];
	memset(bytes, c, sizeof bytes);
	return ram_page_create(bytes);
}

static void set_up(struct fixture *f)
{
	*f = (struct fixture){0};
	struct ram_page *a = page_of('a'), *b = page_of('b');
	buf_str(&f->serial, "0123456789");
	for (size_t i = 0; i < 3; i++) {
		f->deltas[i] = ram_delta_create();
		ram_delta_add(f->deltas[i], 3, ram_page_ref(a));
		if (i)
			ram_delta_add(f->deltas[i], 5, ram_page_ref(b));
		ram_delta_add(f->deltas[i], PAGES - 1, page_of(i == 1 ? 'a' : (char)('x' + i)));
		buf_printf(&f->states[i], "state %zu", i);
		f->items[i] = (struct checkpointfile_item){
			.icount = 100 * (i + 1), .serial_size = 3 * i, .state = &f->states[i], .delta = f->deltas[i]};
	}
	ram_page_unref(a);
	ram_page_unref(b);
}

static void tear_down(struct fixture *f)
{
	for (size_t i = 0; i < 3; i++) {
		ram_delta_destroy(f->deltas[i]);
		buf_free(&f->states[i]);
	}
	buf_free(&f->serial);
}

static bool write_all(int fd, const struct checkpointfile_item *items, size_t count, const struct buf *serial, struct err *err)
{
	struct checkpointfile_writer *w = checkpointfile_begin(fd, key, PAGES, items, count, serial, err);
	bool done = false, ok = w != NULL;
	while (ok && !done)
		ok = checkpointfile_step(w, &done, err);
	checkpointfile_end(w);
	return ok;
}

static int written(const struct fixture *f)
{
	struct err err = {0};
	int fd = file_memory("checkpoints", &err);
	CU_ASSERT_TRUE_FATAL(write_all(fd, f->items, 3, &f->serial, &err));
	return fd;
}

/* All that a file says is what was written. */
static void compare(struct checkpointfile *file, const struct fixture *f)
{
	struct err err = {0};
	CU_ASSERT_EQUAL_FATAL(checkpointfile_count(file), 3);
	CU_ASSERT_STRING_EQUAL(checkpointfile_serial(file)->data, "0123456789");
	for (size_t i = 0; i < 3; i++) {
		struct buf state = {0};
		CU_ASSERT_EQUAL(checkpointfile_icount(file, i), 100 * (i + 1));
		CU_ASSERT_EQUAL(checkpointfile_serial_size(file, i), 3 * i);
		CU_ASSERT_TRUE(checkpointfile_state(file, i, &state, &err));
		CU_ASSERT_STRING_EQUAL(state.data, f->states[i].data);
		buf_free(&state);
		struct ram_delta *d = checkpointfile_delta(file, i, &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(d);
		CU_ASSERT_EQUAL_FATAL(ram_delta_pages(d), ram_delta_pages(f->deltas[i]));
		for (size_t k = 0; k < ram_delta_pages(d); k++) {
			uint32_t number, wanted;
			const uint8_t *bytes = ram_page_bytes(ram_delta_page(d, k, &number));
			const uint8_t *own = ram_page_bytes(ram_delta_page(f->deltas[i], k, &wanted));
			CU_ASSERT_EQUAL(number, wanted);
			CU_ASSERT_EQUAL(memcmp(bytes, own, RAM_PAGE), 0);
		}
		ram_delta_destroy(d);
	}
}

static void there_and_back(void)
{
	struct fixture f;
	struct err err = {0};
	set_up(&f);
	int fd = written(&f);
	struct checkpointfile *file = checkpointfile_open(fd, key, PAGES, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	compare(file, &f);
	/* Four pages: equal ones are there once. */
	CU_ASSERT_EQUAL(checkpointfile_held(file), 4 * RAM_PAGE);
	checkpointfile_forget(file);
	CU_ASSERT_EQUAL(checkpointfile_held(file), 0);
	compare(file, &f);

	/* From the file and from memory into another file. */
	struct checkpointfile_item items[3] = {f.items[0], f.items[1], f.items[2]};
	for (size_t i = 0; i < 2; i++)
		items[i] = (struct checkpointfile_item){
			.icount = items[i].icount, .serial_size = items[i].serial_size, .file = file, .index = i};
	int second = file_memory("checkpoints", &err);
	CU_ASSERT_TRUE(write_all(second, items, 3, &f.serial, &err));
	struct checkpointfile *again = checkpointfile_open(second, key, PAGES, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	compare(again, &f);
	CU_ASSERT_EQUAL(checkpointfile_size(again), checkpointfile_size(file));
	checkpointfile_unref(again);
	checkpointfile_unref(file);
	close(second);
	close(fd);
	tear_down(&f);
}

static void none_at_all(void)
{
	struct err err = {0};
	struct buf serial = {0};
	int fd = file_memory("checkpoints", &err);
	CU_ASSERT_TRUE(write_all(fd, NULL, 0, &serial, &err));
	struct checkpointfile *file = checkpointfile_open(fd, key, PAGES, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(checkpointfile_count(file), 0);
	checkpointfile_unref(file);
	close(fd);
}

/* Reads everything. True if nothing was found to be wrong. */
static bool all_is_well(int fd, struct err *err)
{
	struct checkpointfile *file = checkpointfile_open(fd, key, PAGES, err);
	bool ok = file != NULL;
	for (size_t i = 0; ok && i < checkpointfile_count(file); i++) {
		struct buf state = {0};
		struct ram_delta *d = NULL;
		ok = checkpointfile_state(file, i, &state, err) && (d = checkpointfile_delta(file, i, err)) != NULL;
		ram_delta_destroy(d);
		buf_free(&state);
	}
	checkpointfile_unref(file);
	return ok;
}

static void cut_at_every_byte(void)
{
	struct fixture f;
	struct err err = {0};
	struct buf bytes = {0};
	set_up(&f);
	int fd = written(&f);
	CU_ASSERT_TRUE_FATAL(file_read_fd(fd, "checkpoints", 1 << 20, &bytes, &err));
	for (size_t size = bytes.size; size-- > 0;) {
		CU_ASSERT_EQUAL(ftruncate(fd, (off_t)size), 0);
		CU_ASSERT_FALSE(all_is_well(fd, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	}
	close(fd);
	buf_free(&bytes);
	tear_down(&f);
}

/* A bit that is another, anywhere but in the padding before the pages. */
static void every_byte_counts(void)
{
	struct fixture f;
	struct err err = {0};
	struct buf bytes = {0};
	set_up(&f);
	int fd = written(&f);
	CU_ASSERT_TRUE_FATAL(file_read_fd(fd, "checkpoints", 1 << 20, &bytes, &err));
	size_t padding = 0;
	for (size_t at = 0; at < bytes.size; at += at < 2 * RAM_PAGE ? 1 : 97) {
		char other = (char)(bytes.data[at] ^ 0x10);
		CU_ASSERT_EQUAL(pwrite(fd, &other, 1, (off_t)at), 1);
		if (all_is_well(fd, &err))
			padding += at < RAM_PAGE && !bytes.data[at] ? 1 : bytes.size;
		CU_ASSERT_EQUAL(pwrite(fd, &bytes.data[at], 1, (off_t)at), 1);
	}
	CU_ASSERT(padding < RAM_PAGE);
	CU_ASSERT_TRUE(all_is_well(fd, &err));
	close(fd);
	buf_free(&bytes);
	tear_down(&f);
}

static void of_others(void)
{
	struct fixture f;
	struct err err = {0};
	uint8_t other[DIGEST_SIZE] = {9};
	uint8_t version = CHECKPOINTFILE_VERSION + 1;
	set_up(&f);
	int fd = written(&f);
	CU_ASSERT_PTR_NULL(checkpointfile_open(fd, other, PAGES, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "stored checkpoints: of another run");
	CU_ASSERT_PTR_NULL(checkpointfile_open(fd, key, PAGES + 1, &err));
	CU_ASSERT_EQUAL(pwrite(fd, &version, 1, 8), 1);
	CU_ASSERT_PTR_NULL(checkpointfile_open(fd, key, PAGES, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "stored checkpoints: of another version");
	close(fd);
	tear_down(&f);
}

/* ---- the folder --------------------------------------------------------------------------------------------- */

/* Pages that somebody else has too would be read a second time, and counted by nobody. */
static void what_is_shared_is_held(void)
{
	struct fixture f;
	struct err err = {0};
	set_up(&f);
	int fd = written(&f);
	struct checkpointfile *file = checkpointfile_open(fd, key, PAGES, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	struct ram_delta *d = checkpointfile_delta(file, 2, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	size_t held = checkpointfile_held(file);
	CU_ASSERT(held >= 3 * RAM_PAGE);
	checkpointfile_forget(file);
	CU_ASSERT_EQUAL(checkpointfile_held(file), 3 * RAM_PAGE);
	ram_delta_destroy(d);
	checkpointfile_forget(file);
	CU_ASSERT_EQUAL(checkpointfile_held(file), 0);
	checkpointfile_unref(file);
	close(fd);
	tear_down(&f);
}

struct folder {
	char path[64];
	struct checkpointstore store;
};

static void make_folder(struct folder *d, unsigned budget_mib)
{
	struct err err = {0};
	strcpy(d->path, "/tmp/polecat-unit-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(d->path));
	CU_ASSERT_TRUE_FATAL(checkpointstore_open(&d->store, d->path, budget_mib, &err));
}

static void remove_folder(struct folder *d)
{
	struct err err = {0};
	int dir = file_open_dir(d->path, &err);
	CU_ASSERT_TRUE(file_remove_in(dir, "checkpoints", &err));
	close(dir);
	rmdir(d->path);
	checkpointstore_close(&d->store);
}

static void key_text(const uint8_t k[DIGEST_SIZE], char name[DIGEST_TEXT_MAX])
{
	digest_hex(k, DIGEST_SIZE, name);
}

/* A file of a run with so many bytes behind it. */
static bool keep(struct folder *d, const uint8_t k[DIGEST_SIZE], const struct fixture *f, size_t more, struct err *err)
{
	struct checkpointstore_draft draft;
	struct buf large = {0};
	struct checkpointfile_item item = f->items[0];
	for (size_t i = 0; i < more; i++)
		buf_char(&large, (char)i);
	if (more)
		item.state = &large;
	bool done = false, ok = checkpointstore_begin(&d->store, k, &draft, err);
	struct checkpointfile_writer *w = ok ? checkpointfile_begin(draft.fd, k, PAGES, &item, 1, &f->serial, err) : NULL;
	while (w && ok && !done)
		ok = checkpointfile_step(w, &done, err);
	checkpointfile_end(w);
	ok = ok && checkpointstore_commit(&d->store, k, &draft, err);
	buf_free(&large);
	return ok;
}

static void set_age(struct folder *d, const uint8_t k[DIGEST_SIZE], time_t seconds)
{
	char name[DIGEST_TEXT_MAX];
	struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
	key_text(k, name);
	CU_ASSERT_EQUAL(utimensat(d->store.dir, name, times, 0), 0);
}

static bool has(struct folder *d, const uint8_t k[DIGEST_SIZE])
{
	struct err err;
	struct checkpointfile *file = checkpointstore_load(&d->store, k, PAGES, &err);
	checkpointfile_unref(file);
	return file != NULL;
}

static void kept_and_evicted(void)
{
	struct fixture f;
	struct folder d;
	struct err err = {0};
	struct checkpointstore_entry *list;
	struct stat st;
	size_t count, removed = 0;
	uint64_t bytes = 0;
	uint8_t keys[3][DIGEST_SIZE] = {{1}, {2}, {3}};
	set_up(&f);
	make_folder(&d, 3);
	CU_ASSERT_FALSE(has(&d, keys[0]));
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_TRUE(keep(&d, keys[i], &f, 1 << 20, &err));
		set_age(&d, keys[i], 1000 + (time_t)i);
		CU_ASSERT_EQUAL(fstatat(d.store.dir, ".", &st, 0), 0);
		CU_ASSERT_EQUAL(st.st_mode & 077, 0);
	}
	/* Three do not fit: the one used longest ago went, when the third came. */
	CU_ASSERT_TRUE(checkpointstore_list(&d.store, &list, &count, &err));
	CU_ASSERT_EQUAL_FATAL(count, 2);
	char name[DIGEST_TEXT_MAX];
	key_text(keys[1], name);
	CU_ASSERT_STRING_EQUAL(list[0].name, name);
	free(list);
	/* A use makes it the newest. */
	CU_ASSERT_TRUE(has(&d, keys[1]));
	CU_ASSERT_TRUE(checkpointstore_trim(&d.store, 2 << 20, &removed, &bytes, &err));
	CU_ASSERT_EQUAL(removed, 1);
	CU_ASSERT(bytes > 1 << 20);
	CU_ASSERT_TRUE(has(&d, keys[1]));
	CU_ASSERT_FALSE(has(&d, keys[2]));
	remove_folder(&d);
	tear_down(&f);
}

/* A file that was replaced is not read any more, so nothing of it is outside of the budgets. */
static void replaced(void)
{
	struct fixture f;
	struct folder d;
	struct err err = {0};
	struct checkpointset s;
	bool more = true;
	set_up(&f);
	make_folder(&d, 3);
	CU_ASSERT_TRUE_FATAL(keep(&d, key, &f, 0, &err));
	checkpointset_init(&s, 100, 1 << 20, PAGES, &d.store, key);
	CU_ASSERT_EQUAL_FATAL(s.marks.count, 1);
	CU_ASSERT_EQUAL(checkpoint_item(checkpointset_get(&s, 0)).file, s.file);
	CU_ASSERT_EQUAL(checkpointset_bytes(&s), 0);
	s.fresh = 1;
	while (more)
		checkpointset_save(&s, &more);
	CU_ASSERT_EQUAL(s.problem.code, ERR_NONE);
	CU_ASSERT_EQUAL_FATAL(s.marks.count, 1);
	struct checkpointfile_item item = checkpoint_item(checkpointset_get(&s, 0));
	CU_ASSERT_EQUAL(item.file, s.file);
	CU_ASSERT_EQUAL(item.icount, f.items[0].icount);
	CU_ASSERT_TRUE(checkpointstore_has(&d.store, key, item.file));
	/* Another session wrote a file without it: it is given up, and what is there is taken. */
	f.items[0].icount = 50;
	CU_ASSERT_TRUE_FATAL(keep(&d, key, &f, 0, &err));
	s.fresh = 1;
	checkpointset_save(&s, &more);
	CU_ASSERT_EQUAL_FATAL(s.marks.count, 1);
	item = checkpoint_item(checkpointset_get(&s, 0));
	CU_ASSERT_EQUAL(item.file, s.file);
	CU_ASSERT_EQUAL(item.icount, 50);
	checkpointset_finish(&s);
	remove_folder(&d);
	tear_down(&f);
}

/* What was left by a killed writer is swept; what is being written is not. */
static void drafts(void)
{
	struct fixture f;
	struct folder d;
	struct err err = {0};
	struct checkpointstore_draft mine;
	size_t removed = 0;
	uint64_t bytes = 0;
	set_up(&f);
	make_folder(&d, 100);
	int left = openat(d.store.dir, ".0123.99.0", O_RDWR | O_CREAT, 0600);
	close(left);
	CU_ASSERT_EQUAL(symlinkat("/etc/passwd", d.store.dir, ".link"), 0);
	CU_ASSERT_TRUE(checkpointstore_begin(&d.store, key, &mine, &err));
	CU_ASSERT_NOT_EQUAL(faccessat(d.store.dir, ".0123.99.0", F_OK, 0), 0);
	CU_ASSERT_NOT_EQUAL(faccessat(d.store.dir, ".link", F_OK, AT_SYMLINK_NOFOLLOW), 0);
	CU_ASSERT_TRUE(checkpointstore_trim(&d.store, 0, &removed, &bytes, &err));
	CU_ASSERT_EQUAL(faccessat(d.store.dir, mine.name, F_OK, 0), 0);
	checkpointstore_abandon(&d.store, &mine);
	CU_ASSERT_NOT_EQUAL(faccessat(d.store.dir, mine.name, F_OK, 0), 0);
	remove_folder(&d);
	tear_down(&f);
}

static void not_trusted(void)
{
	struct fixture f;
	struct folder d;
	struct err err = {0};
	char name[DIGEST_TEXT_MAX];
	set_up(&f);
	make_folder(&d, 100);
	key_text(key, name);
	/* A link, a second name, others may read it, too short: each is said, and gone afterwards. */
	for (int how = 0; how < 4; how++) {
		CU_ASSERT_TRUE_FATAL(keep(&d, key, &f, 0, &err));
		if (how == 0) {
			CU_ASSERT_EQUAL(renameat(d.store.dir, name, d.store.dir, "other"), 0);
			CU_ASSERT_EQUAL(symlinkat("other", d.store.dir, name), 0);
		} else if (how == 1) {
			unlinkat(d.store.dir, "other", 0);
			CU_ASSERT_EQUAL(linkat(d.store.dir, name, d.store.dir, "other", 0), 0);
		} else if (how == 2) {
			CU_ASSERT_EQUAL(fchmodat(d.store.dir, name, 0644, 0), 0);
		} else {
			int fd = openat(d.store.dir, name, O_RDWR);
			CU_ASSERT_EQUAL(ftruncate(fd, 50), 0);
			close(fd);
		}
		CU_ASSERT_PTR_NULL(checkpointstore_load(&d.store, key, PAGES, &err));
		CU_ASSERT_NOT_EQUAL(err.code, ERR_NONE);
		CU_ASSERT_PTR_NULL(checkpointstore_load(&d.store, key, PAGES, &err));
		CU_ASSERT_EQUAL(err.code, ERR_NONE);
	}
	remove_folder(&d);
	tear_down(&f);
}

const struct test suite_checkpointfile[] = {
	{"there and back", there_and_back},
	{"none at all", none_at_all},
	{"cut at every byte", cut_at_every_byte},
	{"every byte counts", every_byte_counts},
	{"of other runs and versions", of_others},
	{"what is shared is held", what_is_shared_is_held},
	{"kept and evicted", kept_and_evicted},
	{"replaced", replaced},
	{"drafts", drafts},
	{"what is not trusted", not_trusted},
	{0},
};
