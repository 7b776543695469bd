#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include "engine/eventfile.h"
#include "engine/timeline.h"
#include "engine/zst.h"
#include "made.h"

enum { LINES = 12 };

struct fixture {
	struct made made;
	int dir;
};

static void set_up(struct fixture *f)
{
	made_init(&f->made, "run");
	made_start(&f->made, 1, 1);
	for (uint64_t i = 2; i < LINES; i++) {
		char text[32];
		snprintf(text, sizeof text, "number %" PRIu64, i * i);
		made_line(&f->made, i, i, i % 3 ? "client" : "server", text);
	}
	made_end(&f->made, LINES, LINES);
	made_events(&f->made);
	f->dir = file_open_dir(f->made.path, NULL);
}

static void tear_down(struct fixture *f)
{
	close(f->dir);
	made_finish(&f->made);
}

/* Every piece of it, and what there is beyond its end. */
static void reads_as_written(const struct fixture *f, const struct eventfile *file)
{
	const struct buf *events = &f->made.events;
	struct err err = {0};
	char *to = mem_alloc(events->size + 10);
	size_t got;
	CU_ASSERT_EQUAL(eventfile_size(file), events->size);
	for (size_t at = 0; at < events->size; at += 7)
		for (size_t size = 1; size < 200; size = size * 12 + 1) {
			size_t there = events->size - at < size ? events->size - at : size;
			CU_ASSERT_TRUE(eventfile_read(file, at, to, size, &got, &err));
			CU_ASSERT_TRUE(got == there && !memcmp(to, events->data + at, there));
		}
	CU_ASSERT_TRUE(eventfile_read(file, 0, to, events->size + 10, &got, &err));
	CU_ASSERT_TRUE(got == events->size && !memcmp(to, events->data, got));
	CU_ASSERT_TRUE(eventfile_read(file, events->size + 5, to, 10, &got, &err) && got == 0);
	free(to);
}

static void plain_and_packed_at_every_split(void)
{
	struct fixture f;
	set_up(&f);
	struct eventfile *file = eventfile_open(f.dir, NULL, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_STRING_EQUAL(eventfile_name(file), "events.jsonl");
	reads_as_written(&f, file);
	eventfile_close(file);
	for (size_t frame = 1; frame <= f.made.events.size + 1; frame += 1 + frame / 2) {
		struct err err = {0};
		made_events(&f.made);
		unlinkat(f.dir, EVENTFILE_PACKED, 0);
		CU_ASSERT_TRUE_FATAL(eventfile_pack(f.dir, f.made.events.size, frame, &err));
		CU_ASSERT_NOT_EQUAL(faccessat(f.dir, EVENTFILE_NAME, F_OK, 0), 0);
		file = eventfile_open(f.dir, NULL, &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		CU_ASSERT_STRING_EQUAL(eventfile_name(file), "events.jsonl.zst");
		reads_as_written(&f, file);
		eventfile_close(file);
		/* It is what any zstd unpacks. */
		struct buf packed = {0}, out = {0};
		CU_ASSERT_TRUE(file_read_in(f.dir, EVENTFILE_PACKED, 1 << 20, &packed, NULL));
		CU_ASSERT_TRUE(zst_unpack(packed.data, packed.size, f.made.events.size, "x", &out, &err));
		CU_ASSERT_TRUE(out.size == f.made.events.size && !memcmp(out.data, f.made.events.data, out.size));
		buf_free(&packed);
		buf_free(&out);
	}
	tear_down(&f);
}

/* Everything that is cut short or turned over is said at once, or when it is read, and gives no other bytes. */
static void damage_is_said(void)
{
	struct fixture f;
	set_up(&f);
	CU_ASSERT_TRUE_FATAL(eventfile_pack(f.dir, f.made.events.size, 200, NULL));
	struct buf good = {0};
	CU_ASSERT_TRUE(file_read_in(f.dir, EVENTFILE_PACKED, 1 << 20, &good, NULL));
	char *to = mem_alloc(f.made.events.size);
	size_t got, said = 0;
	for (size_t i = 0; i < good.size; i++) {
		struct err err = {0};
		bool cut = i % 2;
		good.data[i] ^= 0x10;
		made_file(&f.made, EVENTFILE_PACKED, good.data, cut ? i : good.size);
		good.data[i] ^= 0x10;
		struct eventfile *file = eventfile_open(f.dir, NULL, &err);
		bool ok = file && eventfile_read(file, 0, to, f.made.events.size, &got, &err);
		if (!ok) {
			said++;
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
			CU_ASSERT_PTR_NOT_NULL(strstr(err.text, EVENTFILE_PACKED ": byte "));
		} else if (got == f.made.events.size || !cut) {
			CU_ASSERT_TRUE(got == f.made.events.size && !memcmp(to, f.made.events.data, got));
		} else {
			CU_ASSERT_TRUE(got % 200 == 0 && !memcmp(to, f.made.events.data, got));
		}
		eventfile_close(file);
	}
	CU_ASSERT_TRUE(said > good.size * 9 / 10);
	free(to);
	buf_free(&good);
	tear_down(&f);
}

static void expect_refused(const struct fixture *f, const struct buf *bytes, const char *words)
{
	struct err err = {0};
	bool absent = true;
	made_file(&f->made, EVENTFILE_PACKED, bytes->data, bytes->size);
	CU_ASSERT_PTR_NULL(eventfile_open(f->dir, &absent, &err));
	CU_ASSERT_FALSE(absent);
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
}

static void limits_are_named(void)
{
	struct fixture f;
	set_up(&f);
	unlinkat(f.dir, EVENTFILE_NAME, 0);
	struct buf bytes = {0};
	char *zeros = mem_alloc(EVENTFILE_FRAME_MAX + 1);
	/* A small frame that unpacks to more than the limit; one of nothing; too many of one byte. */
	CU_ASSERT_TRUE(zst_pack("a", 1, &bytes, NULL) && zst_pack(zeros, EVENTFILE_FRAME_MAX + 1, &bytes, NULL));
	expect_refused(&f, &bytes, "expected a zstd frame of 1 to 1048576 bytes");
	buf_clear(&bytes);
	CU_ASSERT_TRUE(zst_pack("", 0, &bytes, NULL));
	expect_refused(&f, &bytes, "events.jsonl.zst: byte 0: expected a zstd frame of 1 to");
	struct buf one = {0};
	CU_ASSERT_TRUE(zst_pack("a", 1, &one, NULL));
	buf_clear(&bytes);
	for (size_t i = 0; i <= EVENTFILE_FRAMES_MAX; i++)
		buf_add(&bytes, one.data, one.size);
	expect_refused(&f, &bytes, "more than 65536 frames");
	/* The largest that is allowed. */
	buf_clear(&bytes);
	CU_ASSERT_TRUE(zst_pack(zeros, EVENTFILE_FRAME_MAX, &bytes, NULL));
	made_file(&f.made, EVENTFILE_PACKED, bytes.data, bytes.size);
	struct eventfile *file = eventfile_open(f.dir, NULL, NULL);
	size_t got = 0;
	CU_ASSERT_TRUE(file && eventfile_read(file, EVENTFILE_FRAME_MAX - 1, zeros, 2, &got, NULL) && got == 1);
	eventfile_close(file);
	free(zeros);
	buf_free(&one);
	buf_free(&bytes);
	tear_down(&f);
}

static void none_and_no_file(void)
{
	struct fixture f;
	struct err err = {0};
	bool absent = false;
	set_up(&f);
	unlinkat(f.dir, EVENTFILE_NAME, 0);
	CU_ASSERT_PTR_NULL(eventfile_open(f.dir, &absent, &err));
	CU_ASSERT_TRUE(absent && err.code == ERR_INPUT);
	static const char *const names[] = {EVENTFILE_NAME, EVENTFILE_PACKED};
	for (size_t i = 0; i < 2; i++) {
		mkdirat(f.dir, names[i], 0700);
		CU_ASSERT_PTR_NULL(eventfile_open(f.dir, &absent, &err));
		CU_ASSERT_TRUE(!absent && strstr(err.text, "is not a regular file"));
		unlinkat(f.dir, names[i], AT_REMOVEDIR);
		CU_ASSERT_EQUAL(symlinkat("/etc/passwd", f.dir, names[i]), 0);
		CU_ASSERT_PTR_NULL(eventfile_open(f.dir, &absent, &err));
		CU_ASSERT_FALSE(absent);
		unlinkat(f.dir, names[i], 0);
	}
	tear_down(&f);
}

static void packing_fails_as_a_whole(void)
{
	struct fixture f;
	struct err err = {0};
	set_up(&f);
	CU_ASSERT_FALSE(eventfile_pack(f.dir, f.made.events.size + 1, 100, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "though"));
	CU_ASSERT_EQUAL(faccessat(f.dir, EVENTFILE_NAME, F_OK, 0), 0);
	CU_ASSERT_NOT_EQUAL(faccessat(f.dir, EVENTFILE_PACKED, F_OK, 0), 0);
	made_text(&f.made, EVENTFILE_PACKED, "somebody's");
	CU_ASSERT_FALSE(eventfile_pack(f.dir, f.made.events.size, 100, &err));
	tear_down(&f);
}

struct reader {
	const struct fixture *f;
	const struct eventfile *file;
	size_t from, wrong;
};

static void *read_much(void *data)
{
	struct reader *r = data;
	char to[64];
	for (size_t i = 0; i < 1000; i++) {
		size_t at = (r->from + i * 97) % (r->f->made.events.size - sizeof to), got = 0;
		if (!eventfile_read(r->file, at, to, sizeof to, &got, NULL) || memcmp(to, r->f->made.events.data + at, sizeof to))
			r->wrong++;
	}
	return NULL;
}

static void two_threads_read_it(void)
{
	struct fixture f;
	set_up(&f);
	CU_ASSERT_TRUE_FATAL(eventfile_pack(f.dir, f.made.events.size, 100, NULL));
	struct eventfile *file = eventfile_open(f.dir, NULL, NULL);
	struct reader a = {&f, file, 0, 0}, b = {&f, file, 500, 0};
	pthread_t thread;
	CU_ASSERT_EQUAL(pthread_create(&thread, NULL, read_much, &a), 0);
	read_much(&b);
	pthread_join(thread, NULL);
	CU_ASSERT_TRUE(a.wrong == 0 && b.wrong == 0);
	eventfile_close(file);
	tear_down(&f);
}

static void same_timeline(const struct timeline *plain, const struct timeline *packed)
{
	struct timeline_event a = {0}, b = {0};
	size_t count = timeline_count(plain);
	CU_ASSERT_EQUAL_FATAL(timeline_count(packed), count);
	CU_ASSERT_EQUAL(memcmp(timeline_entries(plain), timeline_entries(packed), count * sizeof(struct entry)), 0);
	for (size_t i = count; i-- > 0;) {
		CU_ASSERT_TRUE_FATAL(timeline_event(plain, i, &a, NULL) && timeline_event(packed, i, &b, NULL));
		CU_ASSERT_STRING_EQUAL(a.line.data, b.line.data);
	}
	timeline_event_finish(&a);
	timeline_event_finish(&b);
}

static void a_timeline_is_the_same(void)
{
	struct fixture f;
	set_up(&f);
	struct timeline *plain = timeline_open(f.made.path, NULL);
	CU_ASSERT_TRUE_FATAL(eventfile_pack(f.dir, f.made.events.size, 300, NULL));
	struct timeline *packed = timeline_open(f.made.path, NULL);
	CU_ASSERT_TRUE_FATAL(plain && packed);
	same_timeline(plain, packed);
	timeline_close(plain);
	timeline_close(packed);
	/* Cut short between two frames: what is left are whole frames, but no whole line. */
	struct err err = {0};
	struct buf bytes = {0};
	CU_ASSERT_TRUE(zst_pack(f.made.events.data, 300, &bytes, NULL));
	made_file(&f.made, EVENTFILE_PACKED, bytes.data, bytes.size);
	CU_ASSERT_PTR_NULL(timeline_open(f.made.path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "has no end, though the run is whole"));
	buf_free(&bytes);
	tear_down(&f);
}

/* Who follows a recording has the file open that is packed under it. */
static void one_who_follows_sees_all(void)
{
	struct fixture f;
	made_init(&f.made, ".incomplete-run");
	made_start(&f.made, 1, 1);
	made_line(&f.made, 2, 2, "client", "hello");
	made_events(&f.made);
	struct timeline *t = timeline_open(f.made.path, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	int fd = open(f.made.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), events = openat(fd, EVENTFILE_NAME, O_WRONLY | O_APPEND);
	size_t before = f.made.events.size;
	made_line(&f.made, 3, 3, "client", "bye");
	made_end(&f.made, 4, 4);
	size_t more = f.made.events.size - before;
	CU_ASSERT_EQUAL(write(events, f.made.events.data + before, more), (ssize_t)more);
	CU_ASSERT_TRUE(eventfile_pack(fd, f.made.events.size, 100, NULL));
	char whole[256];
	snprintf(whole, sizeof whole, "%s/run", f.made.root);
	CU_ASSERT_EQUAL(rename(f.made.path, whole), 0);
	bool changed = false;
	CU_ASSERT_TRUE(timeline_refresh(t, &changed, NULL) && changed);
	CU_ASSERT_TRUE(timeline_count(t) == 4 && !timeline_incomplete(t));
	struct timeline *again = timeline_open(whole, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	same_timeline(t, again);
	timeline_close(again);
	timeline_close(t);
	close(events);
	close(fd);
	made_finish(&f.made);
}

const struct test suite_eventfile[] = {{"plain and packed, at every split", plain_and_packed_at_every_split},
	{"damage is said", damage_is_said}, {"limits are named", limits_are_named}, {"none, and no file", none_and_no_file},
	{"packing fails as a whole", packing_fails_as_a_whole}, {"two threads read it", two_threads_read_it},
	{"a timeline is the same", a_timeline_is_the_same}, {"one who follows sees all", one_who_follows_sees_all}, {0}};
