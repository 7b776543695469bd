#include <stdlib.h>
#include <unistd.h>

#include "engine/archive.h"
#include "engine/file.h"
#include "engine/zst.h"
#include "unit.h"

static bool list(void *data, const struct archive_entry_info *e, struct archive_content *content, struct err *err)
{
	struct buf *out = data, bytes = {0};
	bool ok = archive_content(content, 1000, &bytes, err);
	buf_printf(out, "%s %d %o %u:%u %s %.*s\n", e->path, (int)e->kind, e->mode, e->uid, e->gid, e->target ? e->target : "-",
		(int)bytes.size, bytes.data ? bytes.data : "");
	buf_free(&bytes);
	return ok;
}

/* newc is written here and read by others; its text form is simple enough to look into. */
static void newc_is_the_same_every_time(void)
{
	struct buf images[2] = {{0}};
	struct err err = {0};
	for (int i = 0; i < 2; i++) {
		int fd = file_memory("image", &err);
		struct archive_writer *w = archive_create_newc(fd, &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(w);
		CU_ASSERT_TRUE(
			archive_add(w, &(struct archive_entry_info){.path = "d", .kind = ARCHIVE_DIR, .mode = 0755}, NULL, &err));
		CU_ASSERT_TRUE(archive_add(w,
			&(struct archive_entry_info){.path = "d/f", .kind = ARCHIVE_FILE, .mode = 04644, .uid = 5, .size = 3},
			"abc", &err));
		CU_ASSERT_TRUE(archive_add(w,
			&(struct archive_entry_info){.path = "d/l", .kind = ARCHIVE_SYMLINK, .mode = 0777, .target = "/x"}, NULL,
			&err));
		CU_ASSERT_TRUE(archive_add(
			w, &(struct archive_entry_info){.path = "\xc3\xa9\xff", .kind = ARCHIVE_FILE, .mode = 0600}, NULL, &err));
		CU_ASSERT_TRUE(archive_finish(w, &err));
		CU_ASSERT_TRUE(file_read_fd(fd, "image", 1 << 20, &images[i], &err));
		close(fd);
	}
	CU_ASSERT_TRUE(images[0].size == images[1].size && !memcmp(images[0].data, images[1].data, images[0].size));
	static const char second[] =
		"070701" /* magic */ "00000002" /* inode */ "000089a4" /* mode */ "00000005" /* uid */ "00000000"
		"00000001" /* links */ "00000000" /* time */ "00000003" /* size */;
	CU_ASSERT_PTR_NOT_NULL(memmem(images[0].data, images[0].size, second, sizeof second - 1));
	CU_ASSERT_PTR_NOT_NULL(memmem(images[0].data, images[0].size, "TRAILER!!!", 10));
	CU_ASSERT_PTR_NOT_NULL(memmem(images[0].data, images[0].size, "\xc3\xa9\xff", 4));
	CU_ASSERT_TRUE(images[0].size < 1024);
	buf_free(&images[0]);
	buf_free(&images[1]);
}

static void decompresses_within_limits(void)
{
	struct buf in = {0}, packed = {0}, out = {0};
	struct err err = {0};
	for (int i = 0; i < 1000; i++)
		buf_printf(&in, "%d ", i);
	CU_ASSERT_TRUE(zst_pack(in.data, in.size, &packed, &err));
	CU_ASSERT_TRUE(archive_decompress(packed.data, packed.size, in.size, "x.zst", &out, &err));
	CU_ASSERT_TRUE(out.size == in.size && !memcmp(out.data, in.data, in.size));
	CU_ASSERT_FALSE(archive_decompress(packed.data, packed.size, in.size - 1, "x.zst", &out, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "which is the limit"));
	CU_ASSERT_FALSE(archive_decompress(in.data, in.size, 100000, "plain", &out, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "plain: is not compressed in a way that is known here");
	CU_ASSERT_FALSE(archive_decompress(packed.data, packed.size / 2, in.size, "x.zst", &out, &err));
	buf_free(&in);
	buf_free(&packed);
	buf_free(&out);
}

/* As dpkg makes them: "!<arch>\n", then members with 60 byte headers. */
static void reads_ar(void)
{
	static const char deb[] = "!<arch>\n"
				  "debian-binary   0           0     0     100644  4         `\n2.0\n"
				  "data.tar        0           0     0     100644  3         `\nxyz\n";
	struct buf out = {0};
	struct err err = {0};
	CU_ASSERT_TRUE(archive_read_bytes(deb, sizeof deb - 1, "x.deb", list, &out, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "debian-binary 0 644 0:0 - 2.0\n\ndata.tar 0 644 0:0 - xyz\n");
	CU_ASSERT_FALSE(archive_read_bytes("nonsense", 8, "x.deb", list, &out, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	buf_free(&out);
}

const struct test suite_archive[] = {
	{"newc is the same every time", newc_is_the_same_every_time},
	{"decompresses within limits", decompresses_within_limits},
	{"reads ar", reads_ar},
	{0},
};
