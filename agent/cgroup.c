#include "agent/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "agent/sysfile.h"

#define ROOT "/sys/fs/cgroup"

enum { EVENTS_MAX = 512 };

bool cgroup_boot(struct why *why)
{
	if (mount("cgroup2", ROOT, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return why_set(why, errno, "mounting " ROOT);
	return sysfile_write(ROOT "/cgroup.subtree_control", "+cpu +memory +pids", why);
}

bool cgroup_make(size_t node, struct cgroup *ret, struct why *why)
{
	char path[64];
	snprintf(path, sizeof path, ROOT "/node-%zu", node);
	if (!sysfile_directory(path, 0755, why))
		return false;
	ret->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret->events = openat(ret->dir, "cgroup.events", O_RDONLY | O_CLOEXEC);
	ret->oom = openat(ret->dir, "memory.events", O_RDONLY | O_CLOEXEC);
	if (ret->dir < 0 || ret->events < 0 || ret->oom < 0)
		return why_set(why, errno, "opening %s", path);
	return true;
}

static bool set(const struct cgroup *g, const char *name, const char *value, struct why *why)
{
	int fd = openat(g->dir, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return why_set(why, errno, "opening %s", name);
	bool ok = write(fd, value, strlen(value)) > 0 || why_set(why, errno, "writing %s", name);
	close(fd);
	return ok;
}

bool cgroup_freeze(const struct cgroup *g, bool frozen, struct why *why)
{
	return set(g, "cgroup.freeze", frozen ? "1" : "0", why);
}

bool cgroup_kill(const struct cgroup *g, struct why *why)
{
	return set(g, "cgroup.kill", "1", why);
}

/* The number after `key` at the start of a line of a flat keyed file. */
static bool get(int fd, const char *key, uint64_t *ret, struct why *why)
{
	char text[EVENTS_MAX];
	ssize_t size = pread(fd, text, sizeof text - 1, 0);
	if (size < 0)
		return why_set(why, errno, "reading %s of a control group", key);
	text[size] = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ' ') {
			*ret = strtoull(line + strlen(key), NULL, 10);
			return true;
		}
	}
	return why_set(why, 0, "a control group has no %s", key);
}

bool cgroup_is_frozen(const struct cgroup *g, bool *ret, struct why *why)
{
	uint64_t frozen;
	if (!get(g->events, "frozen", &frozen, why))
		return false;
	*ret = frozen != 0;
	return true;
}

bool cgroup_oom_kills(const struct cgroup *g, uint64_t *ret, struct why *why)
{
	return get(g->oom, "oom_kill", ret, why);
}
