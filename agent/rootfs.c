#include "agent/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/sysfile.h"

#define STAGE "/run/polecat/stage"

enum {
	HOSTS_MAX = 64 * 1024, /* bytes of an image's own /etc/hosts that are kept */
	HOST_LINE_MAX = SPEC_NAME_MAX + 32,
	PATH_SIZE = 128,
	OPEN_TREE_CLONE_CLOEXEC = 1 | O_CLOEXEC, /* <linux/mount.h> and <sys/mount.h> cannot be had together */
	MOVE_MOUNT_FROM_FD = 4,
};

/* ---- before the barrier ---------------------------------------------------------------------------------- */

static void name_of(const char *what, size_t node, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/run/polecat/%s-%zu", what, node);
}

static bool make_events(size_t node, int *ret_fd, struct why *why)
{
	char path[PATH_SIZE];
	name_of("events", node, path);
	if (mkfifo(path, 0666) != 0 || chmod(path, 0666) != 0)
		return why_set(why, errno, "making %s", path);
	/* Open for writing as well, so that it never ends and no writer ever waits for a reader. */
	*ret_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return *ret_fd >= 0 || why_set(why, errno, "opening %s", path);
}

static bool make_disk(size_t node, uint64_t size, struct why *why)
{
	char path[PATH_SIZE], options[64];
	name_of("disk", node, path);
	snprintf(options, sizeof options, "mode=0777,size=%llu", (unsigned long long)size);
	if (!sysfile_directory(path, 0777, why))
		return false;
	return mount("disk", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 || why_set(why, errno, "mounting %s", path);
}

bool rootfs_boot(const struct spec *spec, int ret_events[WIRE_NODES_MAX], struct why *why)
{
	if (!sysfile_directory(STAGE, 0700, why))
		return false;
	for (size_t i = 0; i < spec->count; i++) {
		if (!make_events(i, &ret_events[i], why))
			return false;
		if (spec->hosts[i].disk_size && !make_disk(i, spec->hosts[i].disk_size, why))
			return false;
	}
	return true;
}

/* ---- the tree of an invocation ----------------------------------------------------------------------------- */

/* A mount of ours that is carried along into the new root. */
static bool take(const char *what, size_t node, int *ret_fd, struct why *why)
{
	char path[PATH_SIZE];
	name_of(what, node, path);
	*ret_fd = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE_CLOEXEC);
	return *ret_fd >= 0 || why_set(why, errno, "taking %s", path);
}

static bool put(int fd, const char *at, struct why *why)
{
	long result = syscall(SYS_move_mount, fd, "", AT_FDCWD, at, MOVE_MOUNT_FROM_FD);
	int errnum = errno;
	close(fd);
	return result == 0 || why_set(why, errnum, "mounting %s", at);
}

static bool mount_root(unsigned image, struct why *why)
{
	char lower[PATH_SIZE], options[3 * PATH_SIZE];
	struct stat st;
	snprintf(lower, sizeof lower, "/images/%u", image);
	snprintf(options, sizeof options, "lowerdir=%s,upperdir=" STAGE "/upper,workdir=" STAGE "/work", lower);
	if (stat(lower, &st) != 0)
		return why_set(why, errno, "finding %s", lower);
	/* No devices: they are for /dev, which is ours. */
	if (mount("node", STAGE, "tmpfs", MS_NODEV, "mode=0755") != 0)
		return why_set(why, errno, "mounting " STAGE);
	if (!sysfile_directory(STAGE "/upper", 0755, why) || !sysfile_directory(STAGE "/work", 0755, why) ||
		!sysfile_directory(STAGE "/root", 0755, why))
		return false;
	if (chown(STAGE "/upper", st.st_uid, st.st_gid) != 0 || chmod(STAGE "/upper", st.st_mode & 07777) != 0)
		return why_set(why, errno, "preparing the root directory");
	return mount("node", STAGE "/root", "overlay", MS_NODEV, options) == 0 || why_set(why, errno, "mounting the root");
}

static bool pivot(struct why *why)
{
	if (chdir(STAGE "/root") != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 ||
		chdir("/") != 0)
		return why_set(why, errno, "changing to the root");
	return true;
}

static bool mounted(const char *type, const char *at, unsigned long flags, const char *options, struct why *why)
{
	if (!sysfile_directory(at, 0755, why))
		return false;
	return mount(type, at, type, flags, options) == 0 || why_set(why, errno, "mounting %s", at);
}

static bool make_devices(struct why *why)
{
	static const struct {
		const char *path;
		unsigned major, minor;
	} devices[] = {{"/dev/null", 1, 3}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7}, {"/dev/random", 1, 8},
		{"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0}};
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"}, {"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"}, {"/proc/self/fd/2", "/dev/stderr"}, {"pts/ptmx", "/dev/ptmx"}};
	if (!mounted("tmpfs", "/dev", MS_NOSUID | MS_NOEXEC, "mode=0755", why))
		return false;
	mode_t old = umask(0);
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof devices / sizeof *devices; i++)
		ok = mknod(devices[i].path, S_IFCHR | 0666, makedev(devices[i].major, devices[i].minor)) == 0 ||
			why_set(why, errno, "making %s", devices[i].path);
	umask(old);
	for (size_t i = 0; ok && i < sizeof links / sizeof *links; i++)
		ok = symlink(links[i][0], links[i][1]) == 0 || why_set(why, errno, "making %s", links[i][1]);
	return ok && mounted("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620,gid=5", why) &&
		mounted("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777", why);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Every node by name; then what the image itself says. */
static bool make_hosts(const struct spec *spec, struct why *why)
{
	static char text[WIRE_NODES_MAX * HOST_LINE_MAX + 128 + HOSTS_MAX];
	struct why ignored;
	size_t own = 0;
	int used = snprintf(text, sizeof text, "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n");
	for (size_t i = 0; i < spec->count; i++) {
		uint32_t a = spec->hosts[i].address;
		used += snprintf(text + used, sizeof text - (size_t)used, "%u.%u.%u.%u %s\n", a >> 24, a >> 16 & 255,
			a >> 8 & 255, a & 255, spec->hosts[i].name);
	}
	sysfile_read(AT_FDCWD, "/etc/hosts", text + used, HOSTS_MAX, &own, &ignored);
	return sysfile_make("/etc/hosts", text, (size_t)used + own, 0644, why);
}

static bool make_if_missing(const char *path, const char *text, struct why *why)
{
	struct stat st;
	return lstat(path, &st) == 0 || sysfile_make(path, text, strlen(text), 0644, why);
}

static bool make_files(const struct spec *spec, size_t node, struct why *why)
{
	char name[SPEC_NAME_MAX + 2];
	snprintf(name, sizeof name, "%s\n", spec->hosts[node].name);
	if (!sysfile_directory("/etc", 0755, why) || !sysfile_directory("/run", 0755, why) ||
		!sysfile_directory("/tmp", 01777, why) || !sysfile_directory("/run/polecat", 0755, why))
		return false;
	if (chmod("/tmp", 01777) != 0)
		return why_set(why, errno, "preparing /tmp");
	/* There is no name server: a look-up that the hosts file cannot answer is refused at once. */
	return make_hosts(spec, why) && make_if_missing("/etc/hostname", name, why) &&
		make_if_missing("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", why);
}

/* A program may break its node, but neither the other nodes nor the machine. */
static bool protect_machine(struct why *why)
{
	const unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
	if (mount("/proc/sys", "/proc/sys", NULL, MS_BIND, NULL) != 0 || mount(NULL, "/proc/sys", NULL, flags, NULL) != 0)
		return why_set(why, errno, "protecting /proc/sys");
	return mount("/dev/null", "/proc/sysrq-trigger", NULL, MS_BIND, NULL) == 0 || errno == ENOENT ||
		why_set(why, errno, "covering /proc/sysrq-trigger");
}

bool rootfs_enter(const struct spec *spec, size_t node, struct why *why)
{
	const struct spec_host *host = &spec->hosts[node];
	int events, disk = -1;
	if (!take("events", node, &events, why) || (host->disk_size && !take("disk", node, &disk, why)))
		return false;
	if (!mount_root(host->image, why) || !pivot(why) || !make_files(spec, node, why))
		return false;
	if (!sysfile_make(ROOTFS_EVENTS, "", 0, 0666, why) || !put(events, ROOTFS_EVENTS, why))
		return false;
	if (host->disk_size && (!sysfile_directory(ROOTFS_DISK, 0777, why) || !put(disk, ROOTFS_DISK, why)))
		return false;
	if (!mounted("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL, why) ||
		!mounted("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL, why) || !make_devices(why))
		return false;
	return protect_machine(why);
}
