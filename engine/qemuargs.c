#include "engine/qemuargs.h"

#include <stdarg.h>
#include <stdlib.h>

#define MIB (1ull << 20)

static void push(struct qemuargs *a, char *word)
{
	ARRAY_PUSH(a->argv, a->count, a->room) = word;
}

static void two(struct qemuargs *a, const char *option, char *value)
{
	push(a, mem_str(option));
	push(a, value);
}

/* "/proc/self/fd/7", which QEMU opens like any file. In an identity there is no number. */
static char *path_of(int fd)
{
	return fd < 0 ? mem_str("-") : mem_printf("/proc/self/fd/%d", fd);
}

static void with_path(struct qemuargs *a, const char *option, const char *before, int fd, const char *after)
{
	char *path = path_of(fd);
	two(a, option, mem_printf("%s%s%s", before, path, after));
	free(path);
}

char *qemuargs_kernel_words(unsigned memory_mib, unsigned output_mib)
{
	/* The agent's region lies above mem=; a word with = that the kernel does not know becomes PID 1's environment.
	 * console: early and late words, panics; never the recorded port. reboot=t: by a triple fault, which QEMU notices; the
	 * default jumps into firmware. nokaslr: fixed addresses for symbols. The rest keeps a boot short and equal: no entropy
	 * from the CPU, no watchdogs, no self-tests, no calibration by waiting. */
	return mem_printf("console=ttyS1 quiet panic=-1 reboot=t mem=%uM random.trust_cpu=off nokaslr mitigations=off nowatchdog "
			  "nosoftlockup cryptomgr.notests tsc=reliable no_timer_check POLECAT_OUT=0x%llx,0x%llx",
		memory_mib, memory_mib * MIB, output_mib * MIB);
}

/* The machine itself: what must be equal for a snapshot to load and a log to replay. */
static void machine_words(struct qemuargs *a, const struct qemu_setup *s)
{
	unsigned total_mib = s->memory_mib + s->output_mib;
	char *log = path_of(s->fds.log), *ram = path_of(s->fds.ram);
	two(a, "-M", mem_str("microvm,memory-backend=ram"));
	two(a, "-cpu", mem_str("Westmere-v1"));
	/* With it, a reset waits for the vCPU's thread, which waits for the lock that loadvm holds: for ever. */
	two(a, "-global", mem_str("apic-common.vapic=off"));
	two(a, "-m", mem_printf("%u", total_mib));
	two(a, "-accel", mem_str("tcg"));
	push(a, mem_str("-nodefaults"));
	push(a, mem_str("-no-user-config"));
	two(a, "-display", mem_str("none"));
	two(a, "-net", mem_str("none"));
	two(a, "-icount",
		mem_printf("shift=1,sleep=%s,rr=%s,rrfile=%s", s->open ? "on" : "off", s->replay ? "replay" : "record", log));
	two(a, "-rtc", mem_str("base=2020-01-01,clock=vm"));
	two(a, "-seed", mem_str("1"));
	two(a, "-device", mem_str("pvpanic"));
	/* A guest that resets or powers off is kept for looking at it; QEMU ends only when it is told to. */
	two(a, "-action", mem_str("panic=pause,shutdown=pause"));
	push(a, mem_str("-no-reboot"));
	two(a, "-object", mem_printf("memory-backend-file,id=ram,size=%uM,mem-path=%s,share=on", total_mib, ram));
	with_path(a, "-drive", "if=none,id=snap,format=qcow2,file=", s->fds.device, "");
	/* Files never block, so the host's pace cannot show in the guest. append: after a restore we cut them. */
	if (s->typed)
		two(a, "-chardev", mem_str("stdio,id=serial,signal=off"));
	else
		with_path(a, "-chardev", "file,id=serial,append=on,path=", s->fds.serial, "");
	two(a, "-serial", mem_str("chardev:serial"));
	with_path(a, "-chardev", "file,id=console,append=on,path=", s->fds.console, "");
	two(a, "-device", mem_str("isa-serial,index=1,chardev=console"));
	with_path(a, "-fw_cfg", "name=opt/polecat/orders,file=", s->fds.orders, "");
	free(log);
	free(ram);
}

void qemuargs_build(struct qemuargs *a, const char *program, const struct qemu_setup *s)
{
	*a = (struct qemuargs){0};
	push(a, mem_str(program));
	machine_words(a, s);
	if (s->fds.monitor >= 0) {
		two(a, "-chardev", mem_printf("socket,id=monitor,fd=%d", s->fds.monitor));
		two(a, "-mon", mem_str("chardev=monitor,mode=control"));
		push(a, mem_str("-S"));
	}
	if (s->kernel) {
		two(a, "-kernel", mem_str(s->kernel));
		with_path(a, "-initrd", "", s->fds.initrd, "");
		two(a, "-append", qemuargs_kernel_words(s->memory_mib, s->output_mib));
	}
	for (size_t i = 0; s->plugins && s->plugins[i]; i++)
		two(a, "-plugin", mem_str(s->plugins[i]));
	if (s->gdb)
		two(a, "-gdb", mem_str(s->gdb));
	ARRAY_PUSH(a->argv, a->count, a->room) = NULL;
	a->count--;
}

void qemuargs_finish(struct qemuargs *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->argv[i]);
	free(a->argv);
	*a = (struct qemuargs){0};
}
