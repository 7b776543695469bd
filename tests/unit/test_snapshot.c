#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/qcow2.h"
#include "engine/qemuargs.h"
#include "engine/snapshot.h"
#include "unit.h"

#define NAME_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NAME_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void lists_and_removes(void)
{
	char path[256];
	const char *base = getenv("TMPDIR");
	struct err err = {0};
	struct snapshot_entry *list;
	size_t count;
	snprintf(path, sizeof path, "%s/polecat-unit-XXXXXX", base ? base : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
	int up = file_open_dir(base ? base : "/tmp", &err), dir = file_open_dir(path, &err);
	CU_ASSERT_TRUE(snapshot_list(path, &list, &count, &err) && count == 0);
	free(list);
	int cache = file_open_in(dir, "snapshots", O_RDONLY | O_DIRECTORY, &err), entry = file_mkdir_in(cache, NAME_B, &err);
	CU_ASSERT_TRUE(file_write_in(entry, "dev.qcow2", "some bytes", 10, &err));
	close(entry);
	close(file_mkdir_in(cache, "." NAME_A, &err));
	close(file_mkdir_in(cache, "something else", &err));
	CU_ASSERT_TRUE(snapshot_list(path, &list, &count, &err));
	CU_ASSERT_EQUAL_FATAL(count, 2);
	CU_ASSERT_TRUE(!strcmp(list[0].name, NAME_A) && !list[0].whole && list[0].disk_bytes == 0);
	CU_ASSERT_TRUE(!strcmp(list[1].name, NAME_B) && list[1].whole && list[1].disk_bytes > 0 && list[1].used_s > 0);
	free(list);
	/* One that is being built is neither listed nor removed. */
	int lock = file_lock_in(cache, "." NAME_A ".lock", 0, NULL, &err);
	CU_ASSERT_TRUE(snapshot_list(path, &list, &count, &err) && count == 1);
	free(list);
	CU_ASSERT_FALSE(snapshot_remove(path, NAME_A, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "being built by another"));
	close(lock);
	CU_ASSERT_TRUE(snapshot_remove(path, NAME_A, &err) && snapshot_remove(path, NAME_B, &err) &&
		snapshot_remove(path, NAME_B, &err));
	CU_ASSERT_FALSE(snapshot_remove(path, "../../etc", &err));
	CU_ASSERT_EQUAL(err.code, ERR_USAGE);
	CU_ASSERT_TRUE(snapshot_list(path, &list, &count, &err) && count == 0);
	free(list);
	CU_ASSERT_TRUE(file_remove_in(up, strrchr(path, '/') + 1, &err));
	close(cache);
	close(dir);
	close(up);
}

static void identities_differ_where_machines_do(void)
{
	struct err err = {0};
	char version[2][8] = {"7.2.22", "7.2.23"}, package[] = "Debian", release[] = "6.1";
	struct hostqemu qemu = {.version = version[0], .package = package}, other = {.version = version[1], .package = package};
	struct kernel kernel = {.release = release};
	struct image_spec image = {.agent = "/proc/self/exe"};
	struct snapshot_spec specs[5];
	uint8_t digests[5][DIGEST_SIZE];
	for (int i = 0; i < 5; i++)
		specs[i] = (struct snapshot_spec){
			.qemu = &qemu, .kernel = &kernel, .image = &image, .memory_mib = 128, .cancel_fd = -1};
	specs[1].memory_mib = 129;
	specs[2].qemu = &other;
	specs[3].output_mib = 65;
	specs[4].output_mib = MACHINE_OUTPUT_MIB; /* the default, said */
	for (int i = 0; i < 5; i++) {
		char *text = snapshot_identity_of(&specs[i], digests[i], &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_PTR_NULL(strstr(text, "/proc/self/fd/")); /* no numbers of this process */
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"-icount\",\"shift=1,sleep=off,rr=record,rrfile=-\""));
		CU_ASSERT_PTR_NULL(snapshot_open("/proc/nowhere", &other, text, &err));
		CU_ASSERT_EQUAL(err.code, i == 2 ? ERR_SYSTEM : ERR_INPUT);
		if (i != 2)
			CU_ASSERT_PTR_NOT_NULL(
				strstr(err.text, "qemu.version differs: recorded with 7.2.22, this host has 7.2.23"));
		free(text);
		for (int k = 0; k < i; k++)
			CU_ASSERT_EQUAL(memcmp(digests[i], digests[k], DIGEST_SIZE) == 0, i == 4 && k == 0);
	}
	CU_ASSERT_PTR_NULL(snapshot_open("/proc/nowhere", &qemu, "{\"qemu\":5}", &err));
	CU_ASSERT_PTR_NULL(snapshot_open("/proc/nowhere", &qemu, "garbage", &err));
}

static void an_empty_disk(void)
{
	struct buf image = {0};
	qcow2_empty(&image);
	CU_ASSERT_EQUAL(image.size, 4 * 65536);
	CU_ASSERT_EQUAL(memcmp(image.data, "QFI\xfb\0\0\0\3", 8), 0);
	buf_free(&image);
}

const struct test suite_snapshot[] = {
	{"lists and removes", lists_and_removes},
	{"identities differ where machines do", identities_differ_where_machines_do},
	{"an empty disk", an_empty_disk},
	{0},
};
