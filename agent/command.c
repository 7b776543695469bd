#include "agent/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/sysfile.h"
#include "agent/rootfs.h"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum { SIGNALS_MAX = 64, FILES_SOFT = 1024, FILES_HARD = 524288 };

void command_reset_signals(void)
{
	sigset_t none;
	for (int i = 1; i <= SIGNALS_MAX; i++)
		signal(i, SIG_DFL); /* fails for those that cannot be caught and need no reset */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool set_descriptors(const struct mission_node *n, struct command_ends ends, struct why *why)
{
	if (ends.in < 0 && (ends.in = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
		return why_set(why, errno, "opening /dev/null");
	/* So that /dev/stdout can be opened by the user that the command runs as. */
	if (fchown(ends.out, n->uid, n->gid) != 0 || fchown(ends.err, n->uid, n->gid) != 0)
		return why_set(why, errno, "giving away the output pipes");
	if (dup2(ends.in, 0) < 0 || dup2(ends.out, 1) < 0 || dup2(ends.err, 2) < 0)
		return why_set(why, errno, "setting standard descriptors");
	/* The others are closed by the exec itself: the pipe that tells of its failure must live until then. */
	return syscall(SYS_close_range, 3, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */) == 0 ||
		why_set(why, errno, "closing descriptors");
}

/* What root in a node may not do: touch the machine below it, or make itself a way to that. */
static bool drop_capabilities(struct why *why)
{
	static const int dropped[] = {CAP_SYS_RAWIO, CAP_SYS_MODULE, CAP_SYS_BOOT, CAP_SYS_TIME, CAP_SYS_ADMIN, CAP_MKNOD,
		CAP_SYSLOG, CAP_MAC_ADMIN, CAP_MAC_OVERRIDE, CAP_AUDIT_CONTROL, CAP_SYS_PACCT, CAP_WAKE_ALARM, CAP_BLOCK_SUSPEND,
		CAP_PERFMON, CAP_BPF, CAP_CHECKPOINT_RESTORE, CAP_DAC_READ_SEARCH, CAP_LINUX_IMMUTABLE};
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (prctl(PR_CAPBSET_DROP, dropped[i], 0, 0, 0) != 0)
			return why_set(why, errno, "dropping capability %d", dropped[i]);
	return true;
}

static bool set_user(const struct mission_node *n, struct why *why)
{
	struct rlimit files = {FILES_SOFT, FILES_HARD};
	gid_t group = n->gid;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		return why_set(why, errno, "setting the limit of open files");
	/* Negative is the agent's own; what a node runs may be killed for lack of memory. */
	if (!sysfile_write("/proc/self/oom_score_adj", "0", why) || !drop_capabilities(why))
		return false;
	if (setgroups(1, &group) != 0 || setresgid(n->gid, n->gid, n->gid) != 0)
		return why_set(why, errno, "setting group %u", n->gid);
	if (setresuid(n->uid, n->uid, n->uid) != 0)
		return why_set(why, errno, "setting user %u", n->uid);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 || why_set(why, errno, "setting no_new_privs");
}

static const char *value_of(const char *const *env, const char *name)
{
	size_t size = strlen(name);
	for (; *env; env++)
		if (strncmp(*env, name, size) == 0 && (*env)[size] == '=')
			return *env + size + 1;
	return NULL;
}

static void execute(const char *path, const char *const *argv, const char *const *env)
{
	execve(path, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
}

/* As execvpe, but with the PATH of the new environment. errno is the most telling of the failures. */
static void search(const char *const *argv, const char *const *env)
{
	char path[MISSION_PATH_MAX];
	const char *at = value_of(env, "PATH");
	int errnum = ENOENT;
	for (at = at ? at : PATH_DEFAULT; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		int size = (int)strcspn(at, ":");
		if (snprintf(path, sizeof path, "%.*s%s%s", size, at, size ? "/" : "./", argv[0]) >= (int)sizeof path)
			continue;
		execute(path, argv, env);
		if (errno != ENOENT && errno != ENOTDIR)
			errnum = errno;
		if (errnum != ENOENT && errnum != EACCES)
			break;
	}
	errno = errnum;
}

void command_execute(const struct mission_node *n, struct command_ends ends, struct why *why)
{
	static const char *const ours[][2] = {{"POLECAT_EVENTS", "POLECAT_EVENTS=" ROOTFS_EVENTS},
		{"ANTITHESIS_SDK_LOCAL_OUTPUT", "ANTITHESIS_SDK_LOCAL_OUTPUT=" ROOTFS_EVENTS}};
	const char *env[MISSION_STRINGS_MAX + 3];
	size_t count = 0;
	for (; n->env[count]; count++)
		env[count] = n->env[count];
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (!value_of(n->env, ours[i][0]))
			env[count++] = ours[i][1];
	env[count] = NULL;
	if (setsid() < 0) {
		why_set(why, errno, "making a session");
		return;
	}
	if (!set_descriptors(n, ends, why) || !set_user(n, why))
		return;
	umask(022);
	if (chdir(n->cwd) != 0) {
		why_set(why, errno, "going to %.200s", n->cwd);
		return;
	}
	command_reset_signals();
	if (strchr(n->argv[0], '/'))
		execute(n->argv[0], n->argv, env);
	else
		search(n->argv, env);
	why_set(why, errno, "executing %.200s", n->argv[0]);
}
