/*
 * PID 1 of the test machine. Makes processes of many kinds, then writes down what the kernel itself says about them in
 * /proc (to the debug port, 0xe9) and stops the machine (barrier port): that text is the truth the answers are compared with.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void truth_bytes(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		outb((unsigned char)data[i], 0xe9);
}

static void truth(const char *fmt, ...)
{
	char line[8192];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	truth_bytes(line, (size_t)n);
}

/* One file of /proc, whole: "FILE path", then its lines each after "|". NULs become spaces. */
static void truth_file(const char *path)
{
	static char text[1 << 20];
	size_t size = 0;
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	for (ssize_t n; size < sizeof text && (n = read(fd, text + size, sizeof text - size)) > 0;)
		size += (size_t)n;
	close(fd);
	truth("FILE %s\n", path);
	for (size_t i = 0; i < size;) {
		size_t end = i;
		while (end < size && text[end] != '\n') {
			if (!text[end])
				text[end] = ' ';
			end++;
		}
		truth("|");
		truth_bytes(text + i, end - i);
		truth("\n");
		i = end + 1;
	}
}

static void truth_link(const char *path)
{
	char target[4096];
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n < 0)
		return;
	target[n] = 0;
	truth("LINK %s\n|%s\n", path, target);
}

static void truth_process(const char *pid)
{
	static const char *const files[] = {"stat", "status", "cmdline", "maps", "cgroup", "environ"};
	static const char *const links[] = {"exe", "cwd", "root"};
	char path[600];
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "/proc/%s/%s", pid, files[i]);
		truth_file(path);
	}
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		snprintf(path, sizeof path, "/proc/%s/%s", pid, links[i]);
		truth_link(path);
	}
	static const char *const lists[] = {"fd", "task"};
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "/proc/%s/%s", pid, lists[i]);
		DIR *dir = opendir(path);
		for (struct dirent *e; dir && (e = readdir(dir));) {
			if (e->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "/proc/%s/%s/%s%s", pid, lists[i], e->d_name, i ? "/stack" : "");
			i ? truth_file(path) : truth_link(path);
			if (i) {
				snprintf(path, sizeof path, "/proc/%s/task/%s/stat", pid, e->d_name);
				truth_file(path);
			}
		}
		if (dir)
			closedir(dir);
	}
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd >= 0) {
		(void)!write(fd, text, strlen(text));
		close(fd);
	}
}

/* Runs `role` in a child that then waits for ever; returns when the child says it is ready. */
static pid_t child(const char *cgroup, const char *name, void (*role)(void))
{
	int gate[2];
	(void)!pipe2(gate, O_CLOEXEC);
	pid_t pid = fork();
	if (!pid) {
		char path[200];
		snprintf(path, sizeof path, "/sys/fs/cgroup/%s/cgroup.procs", cgroup);
		write_file(path, "0");
		close(gate[0]);
		FILE *comm = fopen("/proc/self/comm", "w");
		fputs(name, comm);
		fclose(comm);
		role();
		(void)!write(gate[1], "r", 1);
		for (;;)
			pause();
	}
	close(gate[1]);
	char c;
	(void)!read(gate[0], &c, 1);
	close(gate[0]);
	return pid;
}

static int tcp_socket(const char *address, int port, struct sockaddr_in *at)
{
	*at = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	inet_pton(AF_INET, address, &at->sin_addr);
	return socket(AF_INET, SOCK_STREAM, 0);
}

static void role_server(void)
{
	struct sockaddr_in at;
	int fd = tcp_socket("127.0.0.1", 6379, &at);
	bind(fd, (struct sockaddr *)&at, sizeof at);
	listen(fd, 7);
	struct sockaddr_in6 at6 = {.sin6_family = AF_INET6, .sin6_port = htons(8080), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd6 = socket(AF_INET6, SOCK_STREAM, 0);
	bind(fd6, (struct sockaddr *)&at6, sizeof at6);
	listen(fd6, 5);
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/tmp/the.sock"};
	int un = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(un, (struct sockaddr *)&name, sizeof name);
	listen(un, 3);
	int epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void role_client(void)
{
	struct sockaddr_in at;
	int fd = tcp_socket("127.0.0.1", 6379, &at);
	connect(fd, (struct sockaddr *)&at, sizeof at);
	(void)!write(fd, "not read yet", 12);
	int udp = socket(AF_INET, SOCK_DGRAM, 0);
	at.sin_port = htons(5353);
	bind(udp, (struct sockaddr *)&at, sizeof at);
}

static void role_files(void)
{
	int fd = open("/tmp/deleted", O_RDWR | O_CREAT, 0600);
	(void)!write(fd, "gone but open", 13);
	unlink("/tmp/deleted");
	fd = open("/tmp/some dir/log", O_WRONLY | O_APPEND | O_CREAT, 0600);
	(void)!write(fd, "twelve bytes", 12);
	static int pipes[2];
	(void)!pipe(pipes);
	eventfd(3, 0);
	fd = memfd_create("secret", 0);
	(void)!ftruncate(fd, 8192);
	mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	mmap(NULL, 3 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 300; i++) /* enough of them that the maple tree has inner nodes */
		mmap(NULL, 4096, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	dup2(fd, 200);
	(void)!chdir("/tmp/some dir");
}

static void role_node(void)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWUTS))
		return;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount("node", "/node", "tmpfs", 0, NULL);
	mkdir("/node/data", 0755);
	mkdir("/node/tmp", 0755);
	write_file("/node/data/file", "in the node\n");
	(void)!chroot("/node");
	(void)!chdir("/data");
	open("/data/file", O_RDONLY);
	mount("deep", "/tmp", "tmpfs", 0, NULL);
	open("/tmp/deeper", O_RDWR | O_CREAT, 0600);
	(void)!symlink("data/file", "/link");
	mkdir("/data/much", 0755);
	char path[40];
	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof path, "/data/much/%02d", i);
		write_file(path, path);
	}
	int fd = open("/data/big", O_RDWR | O_CREAT, 0600);
	char page[4096];
	for (int i = 0; i < 300; i++) {
		memset(page, 'a' + i % 26, sizeof page);
		(void)!pwrite(fd, page, i == 299 ? 100 : sizeof page, i * 4096L);
	}
}

static void overlay_file(const char *path, const char *text)
{
	char full[200];
	snprintf(full, sizeof full, "/lower/%s", path);
	write_file(full, text);
}

/* A root as the agent makes it: an overlay of a tree that nobody changes and of a tmpfs. */
static void role_overlay(void)
{
	static const char *const dirs[] = {"/lower", "/lower/etc", "/lower/old", "/lower/again", "/stage"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
		mkdir(dirs[i], 0755);
	overlay_file("etc/untouched", "lower\n");
	overlay_file("etc/changed", "before\n");
	overlay_file("etc/removed", "never seen\n");
	overlay_file("again/hidden", "never seen\n");
	overlay_file("old/deep", "below\n");
	(void)!symlink("../etc/untouched", "/lower/old/link");
	if (unshare(CLONE_NEWNS))
		truth("FAILED unshare\n");
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount("node", "/stage", "tmpfs", 0, NULL);
	mkdir("/stage/upper", 0755);
	mkdir("/stage/work", 0755);
	mkdir("/stage/root", 0755);
	if (mount("node", "/stage/root", "overlay", 0, "lowerdir=/lower,upperdir=/stage/upper,workdir=/stage/work") ||
		chroot("/stage/root") || chdir("/"))
		truth("FAILED overlay\n");
	write_file("/etc/changed", "after\n");
	write_file("/etc/new", "upper\n");
	unlink("/etc/removed");
	unlink("/again/hidden");
	rmdir("/again");
	mkdir("/again", 0755);
	write_file("/again/fresh", "fresh\n");
	mkdir("/tmp", 0755);
	mount("tmp", "/tmp", "tmpfs", 0, NULL);
	write_file("/tmp/mounted", "in a mount on an overlay\n");
	open("/etc/changed", O_RDONLY);
}

static void role_zombie(void)
{
	pid_t pid = fork();
	if (!pid)
		_exit(42);
	siginfo_t info;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
}

static void role_stopped(void)
{
	pid_t pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(0);
	}
	int status;
	waitpid(pid, &status, WUNTRACED);
}

/* A user namespace of pids: the process sees itself as 1. */
static void role_pidns(void)
{
	int gate[2];
	(void)!pipe(gate);
	(void)!unshare(CLONE_NEWPID);
	if (!fork()) {
		(void)!write(gate[1], "x", 1);
		for (;;)
			pause();
	}
	char c;
	(void)!read(gate[0], &c, 1);
}

static void set_up(void)
{
	static const char *const dirs[] = {"/proc", "/sys", "/dev", "/tmp", "/node", "/etc"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
		mkdir(dirs[i], 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sys", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	mount("tmp", "/tmp", "tmpfs", 0, NULL);
	mount("cgroup", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	mkdir("/sys/fs/cgroup/nodes", 0755);
	mkdir("/sys/fs/cgroup/nodes/server", 0755);
	mkdir("/sys/fs/cgroup/nodes/client", 0755);
	mkdir("/tmp/some dir", 0755);
	iopl(3);
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
	for (fd = 0; fd < 3; fd++)
		open("/dev/console", O_RDWR);
}

/* Modules of the kernel, and a file system of one: its journal's thread sleeps in a module's code. */
static void load_modules(void)
{
	static const char *const names[] = {"crc16", "crc32c_generic", "mbcache", "jbd2", "ext4", "loop", "overlay"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[100];
		snprintf(path, sizeof path, "/modules/%s.ko", names[i]);
		int fd = open(path, O_RDONLY);
		if (syscall(SYS_finit_module, fd, "", 0))
			truth("FAILED insmod %s\n", path);
		close(fd);
	}
	int disk = open("/modules/disk", O_RDWR), loop = open("/dev/loop0", O_RDWR);
	if (disk < 0 || loop < 0 || ioctl(loop, LOOP_SET_FD, disk) || mkdir("/disk", 0755) ||
		mount("/dev/loop0", "/disk", "ext4", 0, NULL))
		truth("FAILED mount ext4\n");
	close(disk);
	close(loop);
	write_file("/disk/on disk", "a journal keeps this\n");
}

/* What /proc/kallsyms says of modules: lines that end with "[name]". */
static void truth_module_symbols(void)
{
	char line[600];
	FILE *file = fopen("/proc/kallsyms", "r");
	truth("FILE /modules\n");
	while (fgets(line, sizeof line, file))
		if (strchr(line, '['))
			truth("|%s", line);
	fclose(file);
}

/* Starts a program of /bin and waits until it has come back from its barrier and rests. */
static void program(const char *path)
{
	int gate[2];
	(void)!pipe(gate);
	pid_t pid = fork();
	if (!pid) {
		dup2(gate[1], 1);
		close(gate[0]);
		close(gate[1]);
		execl(path, path, "an argument", "and another", (char *)NULL);
		_exit(127);
	}
	close(gate[1]);
	char line[200];
	(void)!read(gate[0], line, sizeof line);
	close(gate[0]);
}

int main(void)
{
	set_up();
	struct dirent **programs;
	int count = scandir("/bin", &programs, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char path[300];
		snprintf(path, sizeof path, "/bin/%s", programs[i]->d_name);
		if (programs[i]->d_name[0] != '.')
			program(path);
	}
	load_modules();
	child("nodes/server", "server", role_server);
	child("nodes/client", "client one", role_client);
	child("nodes/client", "files", role_files);
	child("nodes/server", "node", role_node);
	child("nodes/server", "overlay", role_overlay);
	child("", "zombie maker", role_zombie);
	child("", "stopper", role_stopped);
	child("", "pidns", role_pidns);
	sched_yield();

	static const char *const tables[] = {
		"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/unix", "/proc/kallsyms", "/proc/self/mountinfo"};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		truth_file(tables[i]);
	truth_module_symbols();
	DIR *dir = opendir("/proc");
	for (struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			truth_process(e->d_name);
	closedir(dir);
	truth("END\n");
	outb(1, 0x505);
	for (;;)
		pause();
}
