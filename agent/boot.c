#include "agent/boot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/sysfile.h"

#define MODULES "/modules"

enum { MODULES_MAX = 64 };

static bool mounted(const char *type, const char *at, unsigned long flags, const char *options, struct why *why)
{
	if (!sysfile_directory(at, 0755, why))
		return false;
	return mount(type, at, type, flags, options) == 0 || why_set(why, errno, "mounting %s", at);
}

/* The initial root cannot be pivoted away from; a mount of itself on top of it can. */
static bool cover_root(struct why *why)
{
	if (!sysfile_directory("/polecat/root", 0755, why))
		return false;
	if (mount("/", "/polecat/root", NULL, MS_BIND, NULL) != 0 || chdir("/polecat/root") != 0 ||
		mount(".", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0 || chdir("/") != 0)
		return why_set(why, errno, "covering the root file system");
	return true;
}

static bool open_standard(struct why *why)
{
	int fd = open("/dev/null", O_RDWR);
	if (fd < 0)
		return why_set(why, errno, "opening /dev/null");
	for (int i = 0; i < 3; i++)
		if (fd != i && dup2(fd, i) < 0)
			return why_set(why, errno, "opening standard descriptors");
	if (fd > 2)
		close(fd);
	return true;
}

static bool load_module(const char *name, struct why *why)
{
	char path[sizeof MODULES + NAME_MAX + 1];
	snprintf(path, sizeof path, MODULES "/%s", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return why_set(why, errno, "opening %s", path);
	long result = syscall(SYS_finit_module, fd, "", 0);
	int errnum = errno;
	close(fd);
	return result == 0 || errnum == EEXIST || why_set(why, errnum, "loading %s", path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool load_modules(struct why *why)
{
	char *names[MODULES_MAX];
	size_t count = 0;
	DIR *dir = opendir(MODULES);
	if (!dir)
		return errno == ENOENT || why_set(why, errno, "opening " MODULES);
	for (struct dirent *e; (e = readdir(dir)) && count < MODULES_MAX;)
		if (e->d_name[0] != '.' && (names[count] = strdup(e->d_name)))
			count++;
	closedir(dir);
	qsort(names, count, sizeof *names, by_name);
	bool ok = count < MODULES_MAX || why_set(why, 0, MODULES " holds more than %d files", MODULES_MAX - 1);
	for (size_t i = 0; i < count; i++) {
		ok = ok && load_module(names[i], why);
		free(names[i]);
	}
	return ok;
}

bool boot_machine(struct why *why)
{
	umask(022);
	if (!cover_root(why) || !mounted("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL, why) ||
		!mounted("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL, why) ||
		!mounted("devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC, "mode=0755", why) ||
		!mounted("tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755", why) ||
		!mounted("tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777", why) ||
		!sysfile_directory("/run/polecat", 0700, why))
		return false;
	/* The agent runs before everything else whenever it has something to do; nobody may take that from it. */
	return open_standard(why) && sysfile_write("/proc/sys/kernel/sched_rt_runtime_us", "-1", why) && load_modules(why);
}
