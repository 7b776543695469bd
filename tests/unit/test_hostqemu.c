#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/hostqemu.h"
#include "unit.h"

static void versions(void)
{
	static const struct {
		int major, minor;
		bool good;
	} rows[] = {{6, 2, false}, {7, 1, false}, {7, 2, true}, {8, 0, true}, {8, 2, true}, {9, 0, false}, {9, 1, false},
		{9, 2, true}, {10, 0, true}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err err = {0};
		CU_ASSERT_EQUAL(hostqemu_supported(rows[i].major, rows[i].minor, &err), rows[i].good);
		CU_ASSERT_EQUAL(err.code, rows[i].good ? ERR_NONE : ERR_SYSTEM);
	}
}

static void texts(void)
{
	struct hostqemu q = {0};
	struct err err = {0};
	CU_ASSERT_TRUE(hostqemu_parse(&q, "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright", &err));
	CU_ASSERT_TRUE(q.major == 7 && q.minor == 2 && q.micro == 22);
	CU_ASSERT_STRING_EQUAL(q.version, "7.2.22");
	CU_ASSERT_STRING_EQUAL(q.package, "Debian 1:7.2+dfsg-7");
	hostqemu_finish(&q);
	CU_ASSERT_TRUE(hostqemu_parse(&q, "QEMU emulator version 10.0.2\n", &err));
	CU_ASSERT_STRING_EQUAL(q.package, "");
	hostqemu_finish(&q);
	CU_ASSERT_FALSE(hostqemu_parse(&q, "hello", &err));
	CU_ASSERT_FALSE(hostqemu_parse(&q, "version x.y.z", &err));
	hostqemu_finish(&q);
}

static void write_program(int dir, const char *version)
{
	char *script = mem_printf("#!/bin/sh\necho \"QEMU emulator version %s (test)\"\n", version);
	CU_ASSERT_TRUE(file_write_in(dir, "qemu", script, strlen(script), NULL) && fchmodat(dir, "qemu", 0700, 0) == 0);
	free(script);
}

/* A program of another content, time or size is asked again; the same one is remembered. */
static void found_and_remembered(void)
{
	char path[256];
	const char *base = getenv("TMPDIR");
	struct err err = {0};
	struct hostqemu q;
	snprintf(path, sizeof path, "%s/polecat-unit-XXXXXX", base ? base : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
	int dir = file_open_dir(path, &err), up = file_open_dir(base ? base : "/tmp", &err);
	char *program = mem_printf("%s/qemu", path), *kept = mem_str(getenv("POLECAT_QEMU"));
	uint8_t first[DIGEST_SIZE];
	setenv("POLECAT_QEMU", program, 1);
	CU_ASSERT_FALSE(hostqemu_find(&q, path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "POLECAT_QEMU names"));
	write_program(dir, "7.2.1");
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_TRUE(hostqemu_find(&q, path, &err));
		CU_ASSERT_STRING_EQUAL(q.version, "7.2.1");
		CU_ASSERT_STRING_EQUAL(q.package, "test");
		if (i)
			CU_ASSERT_EQUAL(memcmp(first, q.digest, DIGEST_SIZE), 0);
		memcpy(first, q.digest, DIGEST_SIZE);
		hostqemu_finish(&q);
	}
	write_program(dir, "8.1.12");
	CU_ASSERT_TRUE(hostqemu_find(&q, path, &err));
	CU_ASSERT_STRING_EQUAL(q.version, "8.1.12");
	CU_ASSERT_NOT_EQUAL(memcmp(first, q.digest, DIGEST_SIZE), 0);
	hostqemu_finish(&q);
	CU_ASSERT_TRUE(file_write_in(dir, "qemu.json", "{\"damaged", 9, &err));
	CU_ASSERT_TRUE(hostqemu_find(&q, path, &err));
	hostqemu_finish(&q);
	write_program(dir, "9.1.0");
	CU_ASSERT_FALSE(hostqemu_find(&q, path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "9.1 cannot seek"));
	CU_ASSERT_PTR_NULL(q.path);
	kept ? setenv("POLECAT_QEMU", kept, 1) : unsetenv("POLECAT_QEMU");
	CU_ASSERT_TRUE(file_remove_in(up, strrchr(path, '/') + 1, &err));
	close(dir);
	close(up);
	free(program);
	free(kept);
}

const struct test suite_hostqemu[] = {{"which versions can be used", versions}, {"what it says of itself", texts},
	{"found and remembered", found_and_remembered}, {0}};
