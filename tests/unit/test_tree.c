#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/image.h"
#include "engine/tree.h"
#include "unit.h"

static void add(struct tree *t, const char *path, enum tree_kind kind, const char *content)
{
	struct err err = {0};
	CU_ASSERT_TRUE(tree_add(t, path, kind, kind == TREE_DIR ? 0755 : 0644, 0, 0, content, content,
		content && kind == TREE_FILE ? strlen(content) : 0, &err));
}

/* "path kind;" for each entry. */
static char *shape(const struct tree *t)
{
	struct buf out = {0};
	for (size_t i = 0; i < t->count; i++)
		buf_printf(&out, "%s%c;", t->entries[i].path, "-d>"[t->entries[i].kind]);
	return buf_take(&out);
}

static bool has_shape(const struct tree *t, const char *wanted)
{
	char *text = shape(t);
	bool same = !strcmp(text, wanted);
	if (!same)
		printf("\nshape: %s\n", text);
	free(text);
	return same;
}

static void sorted_with_parents(void)
{
	struct tree *t = tree_create();
	struct err err = {0};
	add(t, "./usr//bin/b", TREE_FILE, "old");
	add(t, "/usr/bin/a/", TREE_DIR, NULL);
	add(t, "usr-x", TREE_LINK, "/usr");
	add(t, "usr/bin/b", TREE_FILE, "new!");
	add(t, ".", TREE_DIR, NULL);
	add(t, "a/b/c/d", TREE_FILE, NULL);
	CU_ASSERT_TRUE(tree_finish(t, &err));
	CU_ASSERT_TRUE(has_shape(t, "ad;a/bd;a/b/cd;a/b/c/d-;usrd;usr-x>;usr/bind;usr/bin/ad;usr/bin/b-;"));
	const struct tree_entry *e = tree_find(t, "usr/bin/b");
	CU_ASSERT_TRUE(e && e->size == 4 && !memcmp(e->bytes, "new!", 4) && t->bytes == 4);
	CU_ASSERT_PTR_NULL(tree_find(t, "usr/bin/none"));
	tree_remove(t, "usr/bin");
	CU_ASSERT_TRUE(has_shape(t, "ad;a/bd;a/b/cd;a/b/c/d-;usrd;usr-x>;") && t->bytes == 0);
	tree_destroy(t);
}

static void names_that_are_refused(void)
{
	struct tree *t = tree_create();
	struct err err = {0};
	CU_ASSERT_FALSE(tree_add(t, "a/../../etc", TREE_DIR, 0, 0, 0, NULL, NULL, 0, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "a/../../etc: leaves the tree by \"..\"");
	char *deep = mem_alloc(3 * TREE_DEPTH_MAX + 3);
	for (int i = 0; i <= TREE_DEPTH_MAX; i++)
		memcpy(deep + 2 * i, "x/", 2);
	CU_ASSERT_FALSE(tree_add(t, deep, TREE_DIR, 0, 0, 0, NULL, NULL, 0, &err));
	free(deep);
	char *large = mem_alloc(TREE_PATH_MAX + 2);
	memset(large, 'x', TREE_PATH_MAX + 1);
	CU_ASSERT_FALSE(tree_add(t, large, TREE_FILE, 0, 0, 0, NULL, NULL, 0, &err));
	free(large);
	CU_ASSERT_FALSE(tree_add(t, "f", TREE_FILE, 0, 0, 0, NULL, "x", (size_t)TREE_BYTES_MAX + 1, &err));
	add(t, "f", TREE_FILE, "x");
	add(t, "f/below", TREE_FILE, "y");
	CU_ASSERT_FALSE(tree_finish(t, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "f/below: lies below f, which is not a directory");
	tree_destroy(t);
}

static void digests_see_everything(void)
{
	static const struct {
		const char *path;
		enum tree_kind kind;
		unsigned mode, uid, gid;
		const char *content;
	} rows[] = {{"a", TREE_FILE, 0644, 0, 0, "x"}, {"b", TREE_FILE, 0644, 0, 0, "x"}, {"a", TREE_DIR, 0644, 0, 0, ""},
		{"a", TREE_FILE, 0645, 0, 0, "x"}, {"a", TREE_FILE, 0644, 1, 0, "x"}, {"a", TREE_FILE, 0644, 0, 1, "x"},
		{"a", TREE_FILE, 0644, 0, 0, "y"}, {"a", TREE_LINK, 0777, 0, 0, "x"}, {"a", TREE_LINK, 0777, 0, 0, "y"}};
	enum { COUNT = sizeof rows / sizeof *rows };
	uint8_t digests[COUNT][DIGEST_SIZE], again[DIGEST_SIZE];
	for (size_t i = 0; i < COUNT; i++) {
		struct tree *t = tree_create();
		CU_ASSERT_TRUE(tree_add(t, rows[i].path, rows[i].kind, rows[i].mode, rows[i].uid, rows[i].gid, rows[i].content,
			rows[i].content, strlen(rows[i].content), NULL));
		CU_ASSERT_TRUE(tree_finish(t, NULL));
		tree_digest(t, digests[i]);
		tree_digest(t, again);
		CU_ASSERT_EQUAL(memcmp(digests[i], again, DIGEST_SIZE), 0);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(memcmp(digests[i], digests[k], DIGEST_SIZE), 0);
		tree_destroy(t);
	}
}

/* ---- tar: headers made by hand, so that no program of the host decides what is tested ---- */

static void tar_entry(struct buf *tar, const char *name, char type, const char *link, const char *content)
{
	char h[512] = "";
	size_t size = content ? strlen(content) : 0;
	snprintf(h, 100, "%s", name);
	memcpy(h + 100, "0000755", 8);
	memcpy(h + 108, "0000007", 8);
	memcpy(h + 116, "0000010", 8);
	snprintf(h + 124, 12, "%011o", (unsigned)size);
	memcpy(h + 136, "14700000000", 12);
	h[156] = type;
	if (link)
		snprintf(h + 157, 100, "%s", link);
	memcpy(h + 257, "ustar\00000", 8);
	memset(h + 148, ' ', 8);
	unsigned sum = 0;
	for (size_t i = 0; i < sizeof h; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	buf_add(tar, h, sizeof h);
	if (size) {
		char block[512] = "";
		memcpy(block, content, size);
		buf_add(tar, block, sizeof block);
	}
}

static void tar_end(struct buf *tar)
{
	char zeros[1024] = "";
	buf_add(tar, zeros, sizeof zeros);
}

static void tars(void)
{
	struct buf tar = {0};
	struct err err = {0};
	tar_entry(&tar, "./bin/prog", '0', NULL, "content");
	tar_entry(&tar, "bin/hard", '1', "./bin/prog", NULL);
	tar_entry(&tar, "bin/soft", '2', "../../../../etc/passwd", NULL);
	tar_entry(&tar, "dev/null", '3', NULL, NULL);
	tar_entry(&tar, "b\xc3\xb6x\xff", '5', NULL, NULL);
	tar_end(&tar);
	struct tree *t = tree_of_tar_bytes(tar.data, tar.size, "x.tar", &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT_TRUE(has_shape(t,
		"bind;bin/hard-;bin/prog-;bin/soft>;b\xc3\xb6x\xff"
		"d;"));
	const struct tree_entry *e = tree_find(t, "bin/hard");
	CU_ASSERT_TRUE(e && e->uid == 7 && e->gid == 8 && e->mode == 0755 && e->size == 7 && !memcmp(e->bytes, "content", 7));
	CU_ASSERT_STRING_EQUAL(tree_find(t, "bin/soft")->target, "../../../../etc/passwd");
	tree_destroy(t);
	for (size_t n = 1; n < tar.size - 1024; n += 97) {
		t = tree_of_tar_bytes(tar.data, n, "x.tar", &err);
		tree_destroy(t); /* a cut between two entries is no error in a tar; elsewhere it is. Neither may crash. */
	}
	buf_free(&tar);
}

static void tars_that_are_refused(void)
{
	static const struct {
		const char *name;
		char type;
		const char *link, *says;
	} rows[] = {{"../up", '0', NULL, "leaves the tree"}, {"a/../../up", '5', NULL, "leaves the tree"},
		{"disk", '4', NULL, "a device"}, {"pipe", '6', NULL, "a device, socket or fifo"},
		{"h", '1', "none", "no file before it"}, {"h", '1', "../x", "leaves the tree"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf tar = {0};
		struct err err = {0};
		tar_entry(&tar, rows[i].name, rows[i].type, rows[i].link, NULL);
		tar_end(&tar);
		CU_ASSERT_PTR_NULL(tree_of_tar_bytes(tar.data, tar.size, "x.tar", &err));
		if (err.code != ERR_INPUT || !strstr(err.text, rows[i].says))
			CU_FAIL(rows[i].name);
		buf_free(&tar);
	}
}

/* ---- directories ---- */

static void directories_and_their_image(void)
{
	char path[256];
	const char *base = getenv("TMPDIR");
	struct err err = {0};
	snprintf(path, sizeof path, "%s/polecat-unit-XXXXXX", base ? base : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
	int up = file_open_dir(base ? base : "/tmp", &err), dir = file_open_dir(path, &err);
	CU_ASSERT_TRUE(mkdirat(dir, "sub", 0750) == 0 && symlinkat("/etc/passwd", dir, "sub/link") == 0);
	CU_ASSERT_TRUE(file_write_in(dir, "prog", "#!/bin/sh\n", 10, &err) && fchmodat(dir, "prog", 0755, 0) == 0);
	struct tree *a = tree_of_rootfs(path, &err), *b = tree_of_dir(path, &err);
	CU_ASSERT_TRUE_FATAL(a && b);
	CU_ASSERT_TRUE(has_shape(a, "prog-;subd;sub/link>;") && a->entries[0].mode == 0755 && a->entries[1].mode == 0750);
	char *prog = mem_printf("%s/prog", path);
	struct tree *c = tree_of_binary(prog, "server", &err);
	CU_ASSERT_TRUE(c && has_shape(c, "server-;"));

	/* The same inputs, the same image; another tree, another one. Both by its digest and by its bytes. */
	const struct tree *first[] = {a, c}, *second[] = {b, c}, *third[] = {c, a};
	const struct tree *const *lists[] = {first, second, third};
	uint8_t digests[3][DIGEST_SIZE], bytes[3][DIGEST_SIZE];
	for (int i = 0; i < 3; i++) {
		struct image_spec spec = {
			.agent = prog, .busybox = prog, .spec = "nodes", .spec_size = 5, .trees = lists[i], .tree_count = 2};
		CU_ASSERT_TRUE(image_digest(&spec, digests[i], &err));
		int fd = image_build(&spec, &err);
		CU_ASSERT_TRUE(fd >= 0 && digest_fd(fd, bytes[i], &err));
		close(fd);
	}
	CU_ASSERT_TRUE(!memcmp(digests[0], digests[1], DIGEST_SIZE) && !memcmp(bytes[0], bytes[1], DIGEST_SIZE));
	CU_ASSERT_TRUE(memcmp(digests[0], digests[2], DIGEST_SIZE) && memcmp(bytes[0], bytes[2], DIGEST_SIZE));
	struct image_spec missing = {.agent = "/nowhere/agent"};
	CU_ASSERT_EQUAL(image_build(&missing, &err), -1);
	CU_ASSERT_FALSE(image_digest(&missing, digests[0], &err));

	CU_ASSERT_EQUAL(mkfifoat(dir, "sub/fifo", 0600), 0);
	CU_ASSERT_PTR_NULL(tree_of_dir(path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "sub/fifo: a device, socket or fifo cannot be part of a workload"));
	CU_ASSERT_PTR_NULL(tree_of_rootfs("/nowhere", &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_TRUE(file_remove_in(up, strrchr(path, '/') + 1, &err));
	close(dir);
	close(up);
	free(prog);
	tree_destroy(a);
	tree_destroy(b);
	tree_destroy(c);
}

const struct test suite_tree[] = {
	{"sorted, with parents", sorted_with_parents},
	{"names that are refused", names_that_are_refused},
	{"digests see everything", digests_see_everything},
	{"tars", tars},
	{"tars that are refused", tars_that_are_refused},
	{"directories and their image", directories_and_their_image},
	{0},
};
