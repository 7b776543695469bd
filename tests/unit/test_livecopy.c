#include <string.h>

#include "engine/livecopy.h"
#include "unit.h"

static void whose_proc(void)
{
	static const struct {
		const char *path;
		uint32_t pid;
		const char *wanted; /* NULL: refused */
	} rows[] = {
		{"/proc/self", 3, "/proc/3"},
		{"/proc/self/fd/1", 3, "/proc/3/fd/1"},
		{"/proc/selfish", 3, "/proc/selfish"},
		{"/proc/thread-self/comm", 3, "/proc/3/task/3/comm"},
		{"/proc/mounts", 3, "/proc/3/mounts"},
		{"/proc/net/tcp", 3, "/proc/3/net/tcp"},
		{"/proc/net/tcp", 0, "/proc/net/tcp"},
		{"/proc/mounts", 0, "/proc/mounts"},
		{"/proc/uptime", 0, "/proc/uptime"},
		{"/proc/self/comm", 0, NULL},
		{"/proc/thread-self", 0, NULL},
		{"/", 3, "/"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = {0};
		struct err err = {0};
		bool ok = livecopy_path(rows[i].path, rows[i].pid, &out, &err);
		CU_ASSERT_EQUAL(ok, rows[i].wanted != NULL);
		if (ok && rows[i].wanted) {
			CU_ASSERT_STRING_EQUAL(out.data, rows[i].wanted);
		} else {
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		}
		buf_free(&out);
	}
}

static struct guestdir_list names(const char *path, const char *text, size_t size, uint32_t first)
{
	struct answer answer = {.first_asking = first};
	struct guestdir_list list;
	buf_add(&answer.out, text, size);
	livecopy_names(path, &answer, &list);
	answer_finish(&answer);
	return list;
}

static const char sample[] =
	"81a4 7 12 b\n41ed 0 0 a dir\n8124 0 140737471590400 kcore\n\n81a4 0 x nothing\nffff 4294967295 1 z\n"
	"41ed 0 0 9\n41ed 0 0 12\n41ed 0 0 12x\n1ffff 0 0 too\n81a4 4294967296 0 large\n81a4 0 0 \n81a4 0 0";

static void names_are_read(void)
{
	struct guestdir_list list = names("/data", sample, sizeof sample - 1, 12);
	CU_ASSERT_EQUAL_FATAL(list.count, 7);
	CU_ASSERT(list.complete);
	CU_ASSERT_STRING_EQUAL(list.entries[0].name, "12");
	CU_ASSERT_STRING_EQUAL(list.entries[3].name, "a dir");
	CU_ASSERT_EQUAL(list.entries[3].file.kind, GUESTFILE_DIR);
	CU_ASSERT_STRING_EQUAL(list.entries[4].name, "b");
	CU_ASSERT_EQUAL(list.entries[4].file.uid, 7);
	CU_ASSERT_EQUAL(list.entries[4].file.size, 12);
	CU_ASSERT_EQUAL(list.entries[4].file.mode, 0100644);
	CU_ASSERT_EQUAL(list.entries[5].file.size, 140737471590400);
	guestdir_list_finish(&list);
}

/* In /proc, not elsewhere, those that asked are left out. */
static void who_asks_is_not_listed(void)
{
	static const struct {
		const char *path;
		uint32_t first;
		size_t count;
	} rows[] = {
		{"/proc", 12, 6}, {"/proc//", 12, 6}, {"/proc", 0, 7}, {"/proc", 9, 5}, {"/proc/sys", 9, 7}, {"/process", 9, 7}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct guestdir_list list = names(rows[i].path, sample, sizeof sample - 1, rows[i].first);
		CU_ASSERT_EQUAL(list.count, rows[i].count);
		guestdir_list_finish(&list);
	}
}

static void cut_anywhere(void)
{
	for (size_t size = 0; size < sizeof sample; size++) {
		struct guestdir_list list = names("/", sample, size, 0);
		CU_ASSERT(list.count <= 7);
		guestdir_list_finish(&list);
	}
}

static void fill(struct answers *a, uint64_t icount, const char *question, size_t size)
{
	struct answer answer = {.icount = icount, .node = 1, .question = mem_str(question)};
	buf_reserve(&answer.out, size);
	memset(answer.out.data, 'x', size);
	answer.out.size = size;
	CU_ASSERT_EQUAL(answers_add(a, &answer)->out.size, size);
	CU_ASSERT_PTR_NULL(answer.question);
}

static void answers_are_kept(void)
{
	struct answers a = {0};
	fill(&a, 5, "q", 3);
	CU_ASSERT_PTR_NOT_NULL(answers_find(&a, 5, 1, "q"));
	CU_ASSERT_PTR_NULL(answers_find(&a, 6, 1, "q"));
	CU_ASSERT_PTR_NULL(answers_find(&a, 5, 0, "q"));
	CU_ASSERT_PTR_NULL(answers_find(&a, 5, 1, "qq"));
	for (uint64_t i = 0; i < ANSWERS_MAX; i++)
		fill(&a, i + 10, "q", 1);
	CU_ASSERT_EQUAL(a.count, ANSWERS_MAX);
	CU_ASSERT_PTR_NULL(answers_find(&a, 5, 1, "q"));
	CU_ASSERT_PTR_NOT_NULL(answers_find(&a, 10, 1, "q"));
	fill(&a, 1, "large", ANSWERS_BYTES_MAX - 1);
	CU_ASSERT_EQUAL(a.count, 2);
	fill(&a, 1, "larger", ANSWERS_BYTES_MAX + 1);
	CU_ASSERT_EQUAL(a.count, 1);
	CU_ASSERT_EQUAL(a.bytes, ANSWERS_BYTES_MAX + 1);
	answers_finish(&a);
	CU_ASSERT_EQUAL(a.bytes, 0);
}

const struct test suite_livecopy[] = {
	{"whose /proc", whose_proc},
	{"names are read", names_are_read},
	{"who asks is not listed", who_asks_is_not_listed},
	{"cut anywhere", cut_anywhere},
	{"answers are kept", answers_are_kept},
	{0},
};
