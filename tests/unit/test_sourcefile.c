#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/sourcefile.h"
#include "unit.h"

static void paths_are_put_together(void)
{
	static const char *const rows[][3] = {{"/src/x", "a.c", "/src/x/a.c"}, {"/src/x", "../y/./a.c", "/src/y/a.c"},
		{"/src", "/other/a.c", "/other/a.c"}, {"/src", "../../../a.c", "/a.c"}, {NULL, "/a//b/a.c", "/a/b/a.c"},
		{".", "tests/a.c", "tests/a.c"}, {NULL, "a.c", "a.c"}, {"", "../a.c", "a.c"}, {"/src", "", "/src"},
		{NULL, "", ""}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf path = {0};
		sourcefile_path(rows[i][0], rows[i][1], &path);
		CU_ASSERT_STRING_EQUAL(path.data ? path.data : "", rows[i][2]);
		buf_free(&path);
	}
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

static void files_are_looked_for(void)
{
	char dir[] = "/tmp/polecat-unit-XXXXXX", name[100], command[100];
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	const char *dirs[] = {"/nowhere", dir};
	struct buf found = {0};
	struct err err = {0};
	snprintf(name, sizeof name, "%s/src", dir);
	CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
	snprintf(name, sizeof name, "%s/a.c", dir);
	write_file(name, "a");
	snprintf(name, sizeof name, "%s/src/a.c", dir);
	write_file(name, "b");
	/* The most of its path that fits. */
	int fd = sourcefile_open("/build/src/a.c", dirs, 2, &found, &err);
	CU_ASSERT_NOT_EQUAL(fd, -1);
	CU_ASSERT_STRING_EQUAL(found.data, name);
	close(fd);
	buf_clear(&found);
	/* Without directories where it was compiled. */
	fd = sourcefile_open(name, NULL, 0, &found, &err);
	CU_ASSERT_NOT_EQUAL(fd, -1);
	CU_ASSERT_STRING_EQUAL(found.data, name);
	close(fd);
	buf_clear(&found);
	CU_ASSERT_EQUAL(sourcefile_open("/build/b.c", dirs, 2, &found, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/build/b.c"));
	/* A directory is no source file. */
	CU_ASSERT_EQUAL(sourcefile_open("/build/src", dirs, 2, &found, &err), -1);
	CU_ASSERT_EQUAL(found.size, 0);
	buf_free(&found);
	snprintf(command, sizeof command, "rm -r %s", dir);
	CU_ASSERT_EQUAL(system(command), 0);
}

static void lines_are_numbered(void)
{
	static const char text[] = "one\n\ttwo \"\\n\"\nthree \x1b[31m\n\nlast";
	struct buf out = {0};
	CU_ASSERT_TRUE(sourcefile_print(text, sizeof text - 1, 2, 4, 3, &out));
	CU_ASSERT_STRING_EQUAL(out.data, "       2      two \"\\n\"\n=>     3  three \\e[31m\n       4  \n");
	buf_clear(&out);
	CU_ASSERT_TRUE(sourcefile_print(text, sizeof text - 1, 5, 90, 5, &out));
	CU_ASSERT_STRING_EQUAL(out.data, "=>     5  last\n");
	CU_ASSERT_FALSE(sourcefile_print(text, sizeof text - 1, 1, 90, 6, &out));
	CU_ASSERT_FALSE(sourcefile_print("", 0, 1, 90, 1, &out));
	buf_free(&out);
}

const struct test suite_sourcefile[] = {{"paths are put together", paths_are_put_together},
	{"files are looked for in their order", files_are_looked_for}, {"lines are numbered", lines_are_numbered}, {0}};
