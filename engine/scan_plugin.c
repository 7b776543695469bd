/*
 * A QEMU plugin that notes who executes, writes or reads what, with the exact instruction count of each time.
 *
 * The plugin interface (QEMU documents it in docs/devel/tcg-plugins) has no header in distributions, so the few functions that
 * are used are declared here: they are the same in its versions 1 (QEMU 7.2) and 2 (from 9.0 on the least that QEMU takes). It
 * has no instruction count either: that comes from functions that QEMU exports all the same, looked up by name; a QEMU without
 * them is told about and does no scans.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/scan_hits.h"

/* ---- QEMU --------------------------------------------------------------------------------------------------- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
enum { CB_NO_REGS = 0, MEM_READS = 1, MEM_WRITES = 2 };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *h);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *h);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id));
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*cb)(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data), int flags, int rw, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(
	struct qemu_plugin_insn *insn, void (*cb)(unsigned cpu, void *data), int flags, void *data);

/* The plugin's own names, for QEMU. */
__attribute__((visibility("default"))) extern int qemu_plugin_version;
int qemu_plugin_version = 1;
/* Before QEMU reads it. */
__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_get_registers"))
		qemu_plugin_version = 2;
}

struct qemu_info;
__attribute__((visibility("default"))) int qemu_plugin_install(
	qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

/* ---- state: a plugin is a part of one process, and its callbacks get nothing of ours but a site ------------- */

enum {
	TIMERS_MAX = 512, /* bytes of QEMU's timers_state that are looked at */
	PAGE = 4096,
	SITES = 4096, /* in one piece of memory */
};

/* One instruction of translated code. */
struct site {
	uint64_t pc;
	uint32_t length, index; /* of its block, in instructions; its number in it */
	uint32_t watch;
};

/* Sites live until the code that refers to them is gone. */
struct sites {
	struct sites *next;
	size_t used;
	struct site list[SITES];
};

/* GLib's GByteArray. */
struct bytes {
	uint8_t *data;
	unsigned size;
};

static struct {
	struct scan_shared *shared;
	struct sites *sites;
	void (*icount_update)(void *cpu);
	void *(*get_cpu)(int index);
	int64_t (*icount_raw)(void);
	void (*disable_mem_helpers)(void *cpu); /* NULL where it is not needed */
	void (*memory_rw)(uint64_t physical, void *bytes, uint64_t size, bool write);
	/* For conditions; NULL: there are none then. */
	int (*memory_rw_debug)(void *cpu, uint64_t address, void *bytes, size_t size, bool write);
	int (*read_register)(void *cpu, struct bytes *to, int number);
	struct bytes *(*bytes_new)(void);
	struct bytes *(*bytes_clear)(struct bytes *bytes, unsigned size);
	int (*breakpoint_insert)(void *cpu, uint64_t pc, int flags, void **ret);
	void (*breakpoint_remove)(void *cpu, void *breakpoint);
	void *breakpoints[SCAN_WATCHES];
	struct bytes *bytes;
	const char *timers;
	const int64_t *icount; /* within timers; NULL until it was found */
} plugin;

static void *read_count(void *to)
{
	*(int64_t *)to = plugin.icount_raw();
	return NULL;
}

/* The count lies somewhere in a struct whose layout is not ours to know. Asked from a thread that is no vCPU's, QEMU gives it
 * out; where that number is, it will be. */
static bool find_count(void)
{
	int64_t count = 0;
	pthread_t thread;
	if (pthread_create(&thread, NULL, read_count, &count) != 0)
		return false;
	pthread_join(thread, NULL);
	for (size_t at = 0; at < TIMERS_MAX; at += sizeof count)
		if (!plugin.icount && !memcmp(plugin.timers + at, &count, sizeof count))
			plugin.icount = (const int64_t *)(const void *)(plugin.timers + at);
	return plugin.icount != NULL;
}

/* Instructions executed before this one: QEMU has counted its whole block already. */
static bool count_at(const struct site *s, uint64_t *ret)
{
	plugin.icount_update(plugin.get_cpu(0));
	if (!plugin.icount && !find_count()) {
		plugin.shared->failed = 1;
		return false;
	}
	*ret = (uint64_t)*plugin.icount - s->length + s->index;
	return true;
}

static uint64_t word_at(uint64_t physical)
{
	uint64_t word = 0;
	plugin.memory_rw(physical, &word, sizeof word, false);
	return word;
}

/* Is it one of those that the request, or its watch, is about? */
static bool is_wanted(const struct scan_shared *s, const struct scan_hit *hit)
{
	const struct scan_watch *w = &s->watches[hit->watch];
	bool wanted = !s->task_count;
	for (uint32_t i = 0; i < s->task_count && !wanted; i++)
		wanted = s->tasks[i] == hit->task;
	if (!wanted || (w->task && w->task != hit->task))
		return false;
	/* A task is in the kernel's heap, which the direct mapping covers, but for the first of all, which has no process. */
	return !w->process ||
		(hit->task >= s->direct_map && (uint32_t)word_at(hit->task - s->direct_map + s->process_offset) == w->process);
}

/* ---- conditions --------------------------------------------------------------------------------------------- */

static bool register_value(void *data, uint64_t number, uint64_t *ret)
{
	/* gdb's numbers of what DWARF numbers 0 to 16, and of the base of fs. */
	static const uint8_t numbers[] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24};
	(void)data;
	if (number >= sizeof numbers || !plugin.read_register)
		return false;
	plugin.bytes_clear(plugin.bytes, 0);
	plugin.read_register(plugin.get_cpu(0), plugin.bytes, numbers[number]);
	if (plugin.bytes->size < sizeof *ret)
		return false;
	memcpy(ret, plugin.bytes->data, sizeof *ret);
	return true;
}

static bool load(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	return plugin.memory_rw_debug && !plugin.memory_rw_debug(plugin.get_cpu(0), address, out, size, false);
}

static bool load_physical(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	plugin.memory_rw(address, out, size, false);
	return true;
}

static bool meets(const struct scan_watch *w, const struct scan_hit *hit)
{
	const uint64_t written[] = {hit->before, hit->after};
	const struct scan_machine machine = {register_value, load, load_physical, NULL, w->kind == SCAN_WRITE ? written : NULL};
	return !w->test_count || scan_holds(plugin.shared->tests + w->test, w->test_count, &machine);
}

/*
 * Registers are where they can be read only where a block of translated code begins. QEMU executes one instruction at a time in a
 * page with a breakpoint in it; this one has no flag, so that it is never hit.
 */
static void place_breakpoints(void)
{
	const struct scan_shared *s = plugin.shared;
	void *cpu = plugin.get_cpu ? plugin.get_cpu(0) : NULL;
	for (uint32_t i = 0; i < SCAN_WATCHES && cpu && plugin.breakpoint_insert; i++) {
		if (plugin.breakpoints[i])
			plugin.breakpoint_remove(cpu, plugin.breakpoints[i]);
		plugin.breakpoints[i] = NULL;
		if (i < s->count && s->watches[i].kind == SCAN_EXEC && s->watches[i].test_count)
			plugin.breakpoint_insert(cpu, s->watches[i].low, 0, &plugin.breakpoints[i]);
	}
}

static void note(struct scan_hit *hit)
{
	struct scan_shared *s = plugin.shared;
	if (hit->icount < s->from || hit->icount > s->to)
		return;
	if (s->task_at)
		hit->task = word_at(s->task_at);
	if (!is_wanted(s, hit) || !meets(&s->watches[hit->watch], hit))
		return;
	if (s->hits < SCAN_FIRST)
		s->first[s->hits] = *hit;
	s->last[s->hits % SCAN_LAST] = *hit;
	s->hits++;
}

/* ---- while the guest runs ----------------------------------------------------------------------------------- */

static void on_exec(unsigned cpu, void *data)
{
	const struct site *s = data;
	struct scan_hit hit = {.pc = s->pc, .address = s->pc, .watch = s->watch};
	(void)cpu;
	if (count_at(s, &hit.icount))
		note(&hit);
}

static bool holds(const struct scan_watch *w, uint64_t after)
{
	uint64_t mask = w->compare >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * w->compare)) - 1;
	return !w->compare || (after & mask) == (w->value & mask);
}

/* Most accesses are somewhere else in their page: that is seen without asking for the physical address. */
static bool may_touch(const struct scan_watch *w, uint64_t address, uint64_t size)
{
	uint64_t at = address % PAGE, low = w->low % PAGE, length = w->high - w->low;
	return length >= PAGE || at + size > PAGE || low + length > PAGE || (at < low + length && at + size > low);
}

/* What an instruction did with memory, for one watch. */
struct access {
	uint64_t pc, address, physical, size;
	const struct site *site;
	bool store;
};

static void touch(const struct access *a, uint32_t number)
{
	struct scan_shared *shared = plugin.shared;
	const struct scan_watch *w = &shared->watches[number];
	bool is_virtual = w->kind & SCAN_VIRTUAL;
	uint64_t at = is_virtual ? a->address : a->physical;
	if (at >= w->high || at + a->size <= w->low)
		return;
	struct scan_hit hit = {
		.pc = a->pc, .address = a->address, .physical = a->physical, .watch = number, .size = (uint32_t)a->size};
	if (is_virtual || !a->store) {
		hit.after = word_at(a->physical);
	} else {
		hit.before = shared->before[number];
		hit.after = shared->before[number] = word_at(w->low);
	}
	if (!holds(w, hit.after) || !count_at(a->site, &hit.icount))
		return;
	hit.icount++;
	note(&hit);
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	const struct scan_shared *shared = plugin.shared;
	const struct site *s = data;
	struct access a = {.pc = s->pc,
		.address = address,
		.size = (uint64_t)1 << qemu_plugin_mem_size_shift(info),
		.site = s,
		.store = qemu_plugin_mem_is_store(info)};
	bool known = false;
	(void)cpu;
	for (uint32_t i = 0; i < shared->memory_count; i++) {
		const struct scan_watch *w = &shared->watches[shared->memory[i]];
		/* Asked for stores, some versions tell of loads as well. */
		if (!(w->kind & (a.store ? SCAN_WRITE : SCAN_READ)) || !may_touch(w, address, a.size))
			continue;
		if (!known) {
			struct qemu_plugin_hwaddr *h = qemu_plugin_get_hwaddr(info, address);
			if (!h || qemu_plugin_hwaddr_is_io(h))
				return;
			a.physical = qemu_plugin_hwaddr_phys_addr(h);
			known = true;
		}
		touch(&a, shared->memory[i]);
	}
}

/* ---- sites --------------------------------------------------------------------------------------------------- */

static void free_sites(void)
{
	while (plugin.sites) {
		struct sites *next = plugin.sites->next;
		free(plugin.sites);
		plugin.sites = next;
	}
}

/* All translated code is gone. 7.2 may still hold the callbacks of an instruction that was left by an exception, and would call
 * them at the next exception; they are gone too. */
static void on_flush(qemu_plugin_id_t id)
{
	(void)id;
	free_sites();
	place_breakpoints();
	if (plugin.disable_mem_helpers)
		plugin.disable_mem_helpers(plugin.get_cpu(0));
}

static struct site *new_site(void)
{
	if (!plugin.sites || plugin.sites->used == SITES) {
		struct sites *more = malloc(sizeof *more);
		if (!more)
			abort();
		more->next = plugin.sites;
		more->used = 0;
		plugin.sites = more;
	}
	return &plugin.sites->list[plugin.sites->used++];
}

/* ---- when code is translated -------------------------------------------------------------------------------- */

static struct site *site_at(uint64_t pc, size_t length, size_t index, uint32_t watch)
{
	struct site *site = new_site();
	*site = (struct site){pc, (uint32_t)length, (uint32_t)index, watch};
	return site;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const struct scan_shared *s = plugin.shared;
	int accesses = 0;
	(void)id;
	for (uint32_t i = 0; s->count && i < s->memory_count; i++) {
		uint32_t kind = s->watches[s->memory[i]].kind;
		/* Asked for loads alone, 7.2 tells of nothing. */
		accesses |= kind & SCAN_READ ? MEM_READS | MEM_WRITES : kind & SCAN_WRITE ? MEM_WRITES : 0;
	}
	size_t length = s->count ? qemu_plugin_tb_n_insns(tb) : 0;
	for (size_t i = 0; i < length; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		for (uint32_t w = 0; w < s->count; w++)
			if (s->watches[w].kind == SCAN_EXEC && pc >= s->watches[w].low && pc < s->watches[w].high)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_exec, CB_NO_REGS, site_at(pc, length, i, w));
		if (accesses)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, CB_NO_REGS, accesses, site_at(pc, length, i, 0));
	}
}

static void *symbol(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	const char *path = argc == 1 ? strchr(argv[0], '=') : NULL;
	int fd = path ? open(path + 1, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return 1;
	void *map = mmap(NULL, sizeof *plugin.shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 1;
	plugin.shared = map;
	*(void **)&plugin.icount_update = symbol("icount_update");
	*(void **)&plugin.get_cpu = symbol("qemu_get_cpu");
	*(void **)&plugin.icount_raw = symbol("icount_get_raw");
	*(void **)&plugin.memory_rw = symbol("cpu_physical_memory_rw");
	*(void **)&plugin.disable_mem_helpers = symbol("qemu_plugin_disable_mem_helpers");
	plugin.timers = symbol("timers_state");
	*(void **)&plugin.memory_rw_debug = symbol("cpu_memory_rw_debug");
	*(void **)&plugin.read_register = symbol("x86_cpu_gdb_read_register");
	*(void **)&plugin.bytes_new = symbol("g_byte_array_new");
	*(void **)&plugin.bytes_clear = symbol("g_byte_array_set_size");
	*(void **)&plugin.breakpoint_insert = symbol("cpu_breakpoint_insert");
	*(void **)&plugin.breakpoint_remove = symbol("cpu_breakpoint_remove_by_ref");
	if (plugin.read_register && plugin.bytes_new && plugin.bytes_clear && plugin.breakpoint_insert &&
		plugin.breakpoint_remove)
		plugin.bytes = plugin.bytes_new();
	else
		plugin.read_register = NULL, plugin.breakpoint_insert = NULL;
	plugin.shared->can_test = plugin.read_register && plugin.memory_rw_debug;
	if (plugin.shared->version != SCAN_VERSION || !plugin.icount_update || !plugin.get_cpu || !plugin.icount_raw ||
		!plugin.memory_rw || !plugin.timers) {
		plugin.shared->failed = 1;
		return 0;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_flush_cb(id, on_flush);
	return 0;
}
