#include "engine/hostqemu.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/child.h"
#include "engine/file.h"
#include "engine/json.h"

#define PROGRAM      "qemu-system-x86_64"
#define INSTALL_HINT "install it with: apt-get install qemu-system-x86"
#define MEMORY_NAME  "qemu.json"
#define MEMORY_MAX   65536
#define VERSION_MS   10000

bool hostqemu_supported(int major, int minor, struct err *err)
{
	if (major < 7 || (major == 7 && minor < 2))
		return err_set(err, ERR_SYSTEM, "QEMU %d.%d is too old: polecat needs 7.2 or newer", major, minor);
	if (major == 9 && minor < 2)
		return err_set(err, ERR_SYSTEM,
			"QEMU %d.%d cannot seek in recordings (QEMU issue 2524, mended in 9.2): use 7.2 to 8.2, or 9.2 or newer",
			major, minor);
	return true;
}

bool hostqemu_parse(struct hostqemu *q, const char *text, struct err *err)
{
	int used = 0;
	const char *start = strstr(text, "version ");
	size_t line = strcspn(text, "\r\n");
	if (!start || sscanf(start, "version %d.%d.%d%n", &q->major, &q->minor, &q->micro, &used) != 3)
		return err_set(err, ERR_SYSTEM, "cannot read QEMU's version out of \"%.*s\"", (int)(line < 80 ? line : 80), text);
	q->version = mem_printf("%d.%d.%d", q->major, q->minor, q->micro);
	const char *open = start + used + strspn(start + used, " ");
	const char *close = *open == '(' ? strchr(open, ')') : NULL;
	q->package = close ? mem_strn(open + 1, (size_t)(close - open - 1)) : mem_str("");
	return true;
}

static char *find_program(struct err *err)
{
	const char *given = getenv("POLECAT_QEMU"), *path = getenv("PATH");
	char real[PATH_MAX];
	if (given && *given) {
		if (access(given, X_OK) == 0 && realpath(given, real))
			return mem_str(real);
		err_sys(err, errno, "POLECAT_QEMU names %s", given);
		return NULL;
	}
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char *candidate = mem_printf("%.*s/%s", (int)n, n ? p : ".", PROGRAM);
		bool found = access(candidate, X_OK) == 0 && realpath(candidate, real);
		free(candidate);
		if (found)
			return mem_str(real);
		p += n + (p[n] == ':');
	}
	err_set(err, ERR_SYSTEM, PROGRAM " is not in PATH: " INSTALL_HINT ", or set POLECAT_QEMU to its path");
	return NULL;
}

/* What makes a program file "the same as last time". */
static char *fingerprint(const char *path, struct err *err)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		err_sys(err, errno, "looking at %s", path);
		return NULL;
	}
	return mem_printf("%s %ju:%ju %jd %jd.%09ld %jd.%09ld", path, (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
		(intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec,
		st.st_ctim.tv_nsec);
}

/* What was learnt about this very file before. Anything odd in the memory only means asking again. */
static bool recall(struct hostqemu *q, const char *cache, const char *print)
{
	struct err ignored;
	struct buf text = {0};
	const char *was, *version, *digest;
	struct json *j = NULL;
	bool ok = false;
	int dir = cache ? file_open_dir(cache, &ignored) : -1;
	if (dir < 0)
		return false;
	if (file_read_in(dir, MEMORY_NAME, MEMORY_MAX, &text, &ignored) &&
		(j = json_parse(text.data, text.size, MEMORY_NAME, &ignored)))
		ok = json_get_str(j, "file", &was, &ignored) && !strcmp(was, print) &&
			json_get_str(j, "version", &version, &ignored) && json_get_str(j, "sha256", &digest, &ignored) &&
			digest_parse(digest, q->digest) && hostqemu_parse(q, version, &ignored);
	json_destroy(j);
	buf_free(&text);
	close(dir);
	return ok;
}

/* A memory that cannot be kept is no failure: it is only asked again next time. */
static void remember(const struct hostqemu *q, const char *cache, const char *print)
{
	struct err ignored;
	char hex[DIGEST_TEXT_MAX];
	digest_hex(q->digest, DIGEST_SIZE, hex);
	struct json *j = json_new_object();
	json_put_str(j, "file", print);
	char *version = mem_printf("version %s (%s)", q->version, q->package);
	json_put_str(j, "version", version);
	json_put_str(j, "sha256", hex);
	struct buf text = {0};
	json_write_pretty(j, &text);
	int dir = cache ? file_open_dir(cache, &ignored) : -1;
	if (dir >= 0) {
		file_write_in(dir, MEMORY_NAME, text.data, text.size, &ignored);
		close(dir);
	}
	free(version);
	json_destroy(j);
	buf_free(&text);
}

static bool ask(struct hostqemu *q, struct err *err)
{
	struct buf out = {0};
	int status = 0;
	const char *argv[] = {q->path, "--version", NULL};
	bool ok = child_run(&(struct child_spec){.argv = argv}, NULL, 0, VERSION_MS, &out, NULL, &status, err);
	if (ok && status != 0) {
		char text[80];
		ok = err_set(err, ERR_SYSTEM, "%s --version %s", q->path, child_status_text(status, text, sizeof text));
	}
	ok = ok && hostqemu_parse(q, out.data ? out.data : "", err);
	buf_free(&out);
	int fd = ok ? file_open(q->path, err) : -1;
	ok = fd >= 0 && digest_fd(fd, q->digest, err);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool hostqemu_find(struct hostqemu *q, const char *cache, struct err *err)
{
	*q = (struct hostqemu){0};
	q->path = find_program(err);
	char *print = q->path ? fingerprint(q->path, err) : NULL;
	bool ok = print != NULL;
	if (ok && !recall(q, cache, print)) {
		ok = ask(q, err);
		if (ok)
			remember(q, cache, print);
	}
	free(print);
	ok = ok && hostqemu_supported(q->major, q->minor, err);
	if (!ok)
		hostqemu_finish(q);
	return ok;
}

void hostqemu_finish(struct hostqemu *q)
{
	free(q->path);
	free(q->version);
	free(q->package);
	*q = (struct hostqemu){0};
}
