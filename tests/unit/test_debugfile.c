#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/debugfile.h"
#include "unit.h"

static void put(const char *dir, const char *path, const char *text)
{
	char name[400];
	snprintf(name, sizeof name, "%s/%s", dir, path);
	for (char *slash = strchr(name + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(name, 0700);
		*slash = '/';
	}
	FILE *f = fopen(name, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

/* Which file was opened, below dir; "" when none was. */
static const char *opened(const char *dir, int fd, char **name)
{
	static char text[400];
	*text = 0;
	if (fd < 0)
		return text;
	CU_ASSERT_EQUAL(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
	CU_ASSERT_FALSE_FATAL(strncmp(*name, dir, strlen(dir)));
	snprintf(text, sizeof text, "%s", *name + strlen(dir));
	free(*name);
	return text;
}

static void crc_is_that_of_the_link(void)
{
	CU_ASSERT_EQUAL(debugfile_crc(0, "123456789", 9), 0xcbf43926u);
	CU_ASSERT_EQUAL(debugfile_crc(debugfile_crc(0, "1234", 4), "56789", 5), 0xcbf43926u);
	CU_ASSERT_EQUAL(debugfile_crc(0, "", 0), 0);
}

static void files_are_found_beside_the_program(void)
{
	char dir[] = "/tmp/polecat-unit-XXXXXX", command[100], *name = NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	put(dir, "outside", "123456789");
	put(dir, "in/usr/bin/.debug/a.debug", "123456789");
	put(dir, "in/b.debug", "123456789");
	put(dir, "in/usr/bin/c.debug", "other");
	put(dir, "in/c.debug", "123456789");
	put(dir, "in/.build-id/ab/cd01.debug", "x");
	char in[60];
	snprintf(in, sizeof in, "%s/in", dir);
#define LINK(program, link) opened(in, debugfile_by_link(in, program, link, 0xcbf43926u, &name), &name)
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/a", "a.debug"), "/usr/bin/.debug/a.debug");
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/b", "b.debug"), "/b.debug");
	CU_ASSERT_STRING_EQUAL(LINK(NULL, "b.debug"), "/b.debug");
	/* One that belongs to another program is passed over. */
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/c", "c.debug"), "/c.debug");
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/d", "d.debug"), "");
	/* Neither name leads out of the directory, and what is no file is not read. */
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/a", "../outside"), "");
	CU_ASSERT_STRING_EQUAL(LINK("/../x", "outside"), "");
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/a", ".."), "");
	CU_ASSERT_STRING_EQUAL(LINK("/usr/bin/a", ""), "");
	CU_ASSERT_STRING_EQUAL(LINK("/a", "usr"), "");
	CU_ASSERT_STRING_EQUAL(opened(in, debugfile_by_id(in, (const unsigned char *)"\xab\xcd\x01", 3, &name), &name),
		"/.build-id/ab/cd01.debug");
	CU_ASSERT_STRING_EQUAL(opened(in, debugfile_by_id(in, (const unsigned char *)"\xab\xcd\x02", 3, &name), &name), "");
	CU_ASSERT_STRING_EQUAL(opened(in, debugfile_by_id(in, (const unsigned char *)"\xab", 1, &name), &name), "");
	snprintf(command, sizeof command, "rm -r %s", dir);
	CU_ASSERT_EQUAL(system(command), 0);
}

const struct test suite_debugfile[] = {{"the CRC is that of .gnu_debuglink", crc_is_that_of_the_link},
	{"files are found beside the program, and nowhere else", files_are_found_beside_the_program}, {0}};
