/* polecat-agent: PID 1 of the machine. Gets it ready, waits at the barrier, obeys its orders, and stops the machine again. */
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/boot.h"
#include "agent/sysfile.h"
#include "agent/net.h"
#include "agent/port.h"
#include "agent/rootfs.h"
#include "agent/run.h"

#define SPEC_PATH   "/polecat/spec"
#define ORDERS_NAME "opt/polecat/orders"
#define BUILD       "polecat-agent 1"

enum { PRIORITY = 50 };

/* The one global: what a handler of SIGSEGV has to go by. */
static struct {
	struct outbox outbox;
	struct spec spec;
	struct run run;
	pid_t pid;
} agent;

/* The barrier once more; then nothing, for ever. */
static void stop(void)
{
	port_barrier();
	for (;;)
		pause();
}

static void crashed(int number)
{
	if (getpid() == agent.pid)
		outbox_fatal(&agent.outbox, 0, "the agent crashed by signal %d", number);
	_exit(128 + number);
}

static void handle_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
	struct sigaction action = {.sa_handler = crashed, .sa_flags = (int)SA_RESETHAND};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

/* Before anything else can be said: the way to say it. Without it the barrier is the only sign; the kernel's console says why. */
static void open_outbox(void)
{
	struct why why;
	void *region;
	uint64_t size;
	const char *text = getenv("POLECAT_OUT");
	bool ok = boot_machine(&why);
	struct why mapped;
	if (!port_allow(true, &mapped) || !outbox_map(text, &region, &size, &mapped) ||
		!outbox_init(&agent.outbox, region, size, port_ring, stop, &mapped)) {
		int console = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
		ssize_t ignored = write(console, mapped.text, strlen(mapped.text));
		(void)ignored;
		stop();
	}
	agent.pid = getpid();
	handle_crashes();
	if (!ok)
		outbox_fatal(&agent.outbox, why.errnum, "%s", why.text);
}

static void read_spec(void)
{
	static uint8_t data[SPEC_SIZE_MAX + 1];
	struct why why;
	size_t size;
	if (!sysfile_read(AT_FDCWD, SPEC_PATH, data, sizeof data, &size, &why) || !spec_read(data, size, &agent.spec, &why))
		outbox_fatal(&agent.outbox, why.errnum, "%s", why.text);
}

/* Nothing of a node may run while the agent has something to do, so that what it does is done at the instant that caused it. */
static void take_precedence(void)
{
	struct why why;
	struct sched_param priority = {.sched_priority = PRIORITY};
	/* musl's own sched_setscheduler does nothing. */
	if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0)
		outbox_fatal(&agent.outbox, errno, "setting the agent's priority");
	if (!sysfile_write("/proc/self/oom_score_adj", "-1000", &why))
		outbox_fatal(&agent.outbox, why.errnum, "%s", why.text);
}

static void get_ready(void)
{
	static int netns[WIRE_NODES_MAX], events[WIRE_NODES_MAX];
	struct why why;
	struct mission *mission = mmap(NULL, sizeof *mission, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mission == MAP_FAILED)
		outbox_fatal(&agent.outbox, errno, "making room for orders");
	if (!net_boot(&agent.spec, netns, &why) || !rootfs_boot(&agent.spec, events, &why) || !cgroup_boot(&why))
		outbox_fatal(&agent.outbox, why.errnum, "%s", why.text);
	run_prepare(&agent.run, &agent.spec, mission, &agent.outbox, netns, events);
}

/* A machine without orders is one that is being made ready: it stops at the barrier, and looks again when it goes on. A run may
 * start from there, or from any instruction since HELLO. */
static size_t await_orders(void)
{
	for (;;) {
		size_t size;
		if (!port_fwcfg_open(ORDERS_NAME, &size))
			outbox_fatal(&agent.outbox, 0, "the machine has no fw_cfg file " ORDERS_NAME);
		if (size >= WIRE_OVERHEAD)
			return size;
		port_barrier();
	}
}

static void read_orders(uint8_t *data, size_t size)
{
	struct why why;
	if (size > MISSION_SIZE_MAX)
		outbox_fatal(&agent.outbox, 0, "orders of %zu bytes: expected at most %d", size, MISSION_SIZE_MAX);
	port_fwcfg_read(data, size);
	if (!mission_read(data, size, &agent.spec, agent.run.mission, &why))
		outbox_fatal(&agent.outbox, 0, "%s", why.text);
}

/* What the kernel will draw is the plan's choice. */
static void seed_random(struct wire_bytes entropy)
{
	struct {
		struct rand_pool_info head;
		uint8_t bytes[MISSION_ENTROPY_MAX];
	} pool = {.head = {.entropy_count = (int)entropy.size * 8, .buf_size = (int)entropy.size}};
	if (entropy.size)
		memcpy(pool.bytes, entropy.data, entropy.size);
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) != 0 || ioctl(fd, RNDRESEEDCRNG) != 0)
		outbox_fatal(&agent.outbox, errno, "seeding the kernel's random numbers");
	close(fd);
}

int main(void)
{
	open_outbox();
	read_spec();
	take_precedence();
	/* Shared, since processes that are made before the barrier read their orders in it. */
	uint8_t *data = mmap(NULL, MISSION_SIZE_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		outbox_fatal(&agent.outbox, errno, "making room for orders");
	get_ready();
	struct wire_message hello = {.type = WIRE_HELLO, .value = WIRE_VERSION, .bytes = {(const uint8_t *)BUILD, strlen(BUILD)}};
	outbox_send(&agent.outbox, &hello);
	size_t size = await_orders();
	agent.outbox.epoch_ns = outbox_now_ns(&agent.outbox);
	read_orders(data, size);
	seed_random(agent.run.mission->entropy);
	run_do(&agent.run);
	stop();
}
