/*
 * compare DIR: compares what the engine reads out of DIR/ram with what the guest's kernel said in DIR/truth, line by line.
 * Prints each difference, and at the end how many facts were compared. Exits with 1 when anything differs.
 */
#include "stopped.h"

#include <stdarg.h>
#include <string.h>

#include "engine/guestdir.h"
#include "engine/kcode.h"
#include "engine/maps.h"
#include "engine/openfiles.h"
#include "engine/orc.h"
#include "engine/process.h"

struct section {
	char kind[8], path[256];
	char *lines[8192]; /* without "|" */
	size_t count;
};

struct test {
	struct guest guest;
	struct process_list processes;
	size_t facts, wrong;
	struct section *section;
};

static void same(struct test *t, const char *what, const char *ours, const char *theirs)
{
	t->facts++;
	if (!strcmp(ours, theirs))
		return;
	t->wrong++;
	printf("%s: %s\n  engine: %s\n  guest:  %s\n", t->section->path, what, ours, theirs);
}

static void same_number(struct test *t, const char *what, unsigned long long ours, unsigned long long theirs)
{
	char a[32], b[32];
	snprintf(a, sizeof a, "%llu", ours);
	snprintf(b, sizeof b, "%llu", theirs);
	same(t, what, a, b);
}

static const char *first_line(const struct section *s)
{
	return s->count ? s->lines[0] : "";
}

static void check_stat(struct test *t, const struct process *p, const struct thread *thread)
{
	char *line = (char *)(uintptr_t)first_line(t->section), *open = strchr(line, '('), *close = strrchr(line, ')');
	char name[64] = "", state;
	int parent, skip;
	unsigned long long threads, start, size;
	if (!open || !close)
		return;
	snprintf(name, sizeof name, "%.*s", (int)(close - open - 1), open + 1);
	int n = sscanf(close + 2, "%c %d %d %d %d %d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %llu %*d %llu %llu", &state,
		&parent, &skip, &skip, &skip, &skip, &threads, &start, &size);
	same_number(t, "fields of stat", (unsigned)n, 9);
	if (p->kernel_thread)
		name[strlen(thread->name)] = 0; /* the kernel adds what a worker does */
	same(t, "name", thread->name, name);
	same_number(t, "parent", p->parent, (unsigned)parent);
	same_number(t, "threads", p->thread_count, threads);
	if (!p->kernel_thread) {
		same(t, "state", (char[]){thread->state, 0}, (char[]){state, 0});
		same_number(t, "address space", p->pages * 4096, size);
	}
	if (thread->id == p->pid)
		same_number(t, "start, 1/100 s", p->start_ns / 10000000, start);
}

static void check_status(struct test *t, const struct process *p)
{
	for (size_t i = 0; i < t->section->count; i++) {
		const char *line = t->section->lines[i], *last = strrchr(line, '\t');
		if (!strncmp(line, "NSpid:", 6))
			same_number(t, "inner pid", p->inner_pid, strtoull(last, NULL, 10));
		if (!strncmp(line, "Uid:", 4))
			same_number(t, "uid", p->uid, strtoull(last, NULL, 10));
	}
}

static void check_words(struct test *t, const char *what, const char *bytes, size_t size)
{
	struct buf ours = {0};
	buf_add(&ours, bytes, size);
	for (size_t i = 0; i < ours.size; i++)
		if (!ours.data[i])
			ours.data[i] = ' ';
	same(t, what, ours.data ? ours.data : "", first_line(t->section));
	buf_free(&ours);
}

static void check_maps(struct test *t, const struct process *p)
{
	struct maps maps;
	struct buf ours = {0};
	maps_read(&t->guest, p->mm, NULL, &maps);
	maps_print(&maps, &ours);
	maps_finish(&maps);
	char *save = NULL, *line = ours.data ? strtok_r(ours.data, "\n", &save) : NULL;
	for (size_t i = 0; i < t->section->count; i++) {
		same(t, "mapping", line ? line : "(none)", t->section->lines[i]);
		line = line ? strtok_r(NULL, "\n", &save) : NULL;
	}
	same(t, "mappings after the last", line ? line : "", "");
	buf_free(&ours);
}

static void check_place(struct test *t, struct guest_place place)
{
	struct buf path = {0};
	guestfile_path(&t->guest, place, NULL, &path);
	same(t, "link", path.data ? path.data : "", first_line(t->section));
	buf_free(&path);
}

static void check_link(struct test *t, const struct process *p, const char *name)
{
	uint64_t exe = guest_value(&t->guest, LAYOUT_MM_EXE, p->mm);
	if (!strcmp(name, "cwd"))
		check_place(t, guestfile_cwd(&t->guest, p->task));
	else if (!strcmp(name, "root"))
		check_place(t, guestfile_root(&t->guest, p->task));
	else if (!strcmp(name, "exe") && exe)
		check_place(t,
			(struct guest_place){
				guest_value(&t->guest, LAYOUT_FILE_MNT, exe), guest_value(&t->guest, LAYOUT_FILE_DENTRY, exe)});
	else if (!strncmp(name, "fd/", 3) && p->pid != 1) {
		struct openfiles files;
		const char *ours = "(not open)";
		openfiles_read(&t->guest, p->task, NULL, &files);
		for (size_t i = 0; i < files.count; i++)
			if (files.list[i].fd == strtoul(name + 3, NULL, 10))
				ours = files.list[i].path;
		same(t, "open file", ours, first_line(t->section));
		openfiles_finish(&files);
	}
}

/* Lines of /proc/net/tcp: local and remote as hexadecimal, state, queues, and the inode by which the descriptor is found. */
static void check_tcp(struct test *t)
{
	for (size_t i = 1; i < t->section->count; i++) {
		unsigned a, ap, b, bp, state, sent, unread;
		unsigned long long inode;
		if (sscanf(t->section->lines[i], " %*d: %8x:%4x %8x:%4x %2x %8x:%8x %*x:%*x %*x %*u %*u %llu", &a, &ap, &b, &bp,
			    &state, &sent, &unread, &inode) != 8)
			continue;
		if (!inode)
			continue; /* not accepted yet: nobody has it open */
		char theirs[200], ours[300] = "(not open)";
		snprintf(theirs, sizeof theirs, "%u.%u.%u.%u:%u %u.%u.%u.%u:%u %s %u %u", a & 255, a >> 8 & 255, a >> 16 & 255,
			a >> 24, ap, b & 255, b >> 8 & 255, b >> 16 & 255, b >> 24, bp, openfile_state_name(state), sent, unread);
		for (size_t k = 0; k < t->processes.count; k++) {
			struct openfiles files;
			openfiles_read(&t->guest, t->processes.list[k].task, NULL, &files);
			for (size_t f = 0; f < files.count; f++) {
				const struct openfile_socket *s = &files.list[f].socket;
				if (files.list[f].is_socket && files.list[f].inode.number == inode)
					snprintf(ours, sizeof ours, "%s %s %s %llu %llu", s->local, s->remote,
						openfile_state_name(s->state), (unsigned long long)s->sent_unacked,
						(unsigned long long)s->received_unread);
			}
			openfiles_finish(&files);
		}
		same(t, "socket", ours, theirs);
	}
}

static void check_kallsyms(struct test *t)
{
	for (size_t i = 0; i + 1 < t->section->count; i++) { /* the last line may be cut */
		char name[512], type;
		unsigned long long address;
		if (sscanf(t->section->lines[i], "%llx %c %511s", &address, &type, name) != 3)
			continue;
		const struct ksym *symbol = ksyms_get(t->guest.layout->ksyms, i), *at = NULL;
		same(t, "symbol", symbol ? symbol->name : "(none)", name);
		same_number(t, name, symbol ? symbol->address : 0, address);
		if ((type == 'T' || type == 't') && (at = ksyms_at(t->guest.layout->ksyms, address)))
			same_number(t, "symbol at", at->address, address);
	}
}

/* The kernel's own stack trace of a sleeping thread: "[<0>] do_wait+0x12/0x34". It leaves out the scheduler, as we do here. */
static void check_stack(struct test *t, uint64_t task)
{
	struct frames frames = {0};
	struct frame_registers registers;
	const struct ksyms *ksyms = t->guest.layout->ksyms;
	uint64_t low = ksyms_find(ksyms, "__sched_text_start")->address, high = ksyms_find(ksyms, "__sched_text_end")->address;
	size_t i = 0;
	if (orc_sleeping_registers(&t->guest, task, &registers))
		orc_unwind(&t->guest, &registers, true, &frames);
	for (size_t k = 0; k < t->section->count; k++, i++) {
		char ours[300] = "(none)";
		while (i < frames.count && frames.list[i].pc >= low && frames.list[i].pc < high)
			i++;
		struct kcode_place place;
		if (i < frames.count && kcode_at(&t->guest, frames.list[i].pc, &place))
			snprintf(ours, sizeof ours, "[<0>] %s+0x%llx", place.name, (unsigned long long)place.offset);
		same(t, "kernel frame", ours, strtok(t->section->lines[k], "/"));
	}
	same_number(t, "kernel frames", frames.count, i);
	unwind_finish(&frames);
}

/* Threads of the kernel that work for everybody: they may have run after the truth was written down. */
static bool is_busy(const struct process *p)
{
	return !strncmp(p->name, "kworker", 7) || !strncmp(p->name, "rcu_", 4) || !strncmp(p->name, "ksoftirqd", 9);
}

/* "ffffffffc0008000 t jbd2_journal_init [jbd2]" */
static void check_modules(struct test *t)
{
	/* Each is looked for from the start of its module: some are enough. */
	for (size_t i = 0; i < t->section->count; i += 10) {
		char name[512], module[64], ours[700] = "(none)", theirs[700];
		unsigned long long address;
		struct kcode_place place;
		uint64_t found = 0;
		if (sscanf(t->section->lines[i], "%llx %*c %511s [%63[^]]]", &address, name, module) != 3)
			continue;
		snprintf(theirs, sizeof theirs, "%s [%s]", name, module);
		/* Several symbols may stand at one address: then the first of them is the answer. */
		if (kcode_at(&t->guest, address, &place)) {
			bool same_place = !place.offset && kcode_find(&t->guest, name, &found);
			snprintf(ours, sizeof ours, "%s [%s]", same_place ? name : place.name, place.module);
		}
		same(t, "symbol of a module", ours, theirs);
	}
	same(t, "modules", t->section->count > 1000 ? "many symbols" : "few", "many symbols");
}

static void check_section(struct test *t)
{
	struct section *s = t->section;
	unsigned pid, id;
	int used = 0;
	if (!strcmp(s->path, "/proc/net/tcp"))
		check_tcp(t);
	else if (!strcmp(s->path, "/proc/kallsyms"))
		check_kallsyms(t);
	else if (!strcmp(s->path, "/modules"))
		check_modules(t);
	if (!strcmp(s->kind, "FAILED"))
		same(t, s->path, "failed in the guest", "");
	if (sscanf(s->path, "/proc/%u/%n", &pid, &used) != 1 || !used)
		return;
	const struct process *p = process_find(&t->processes, pid);
	const char *name = s->path + used;
	if (!p) {
		same(t, "process", "none", "there");
		return;
	}
	if (!strcmp(s->kind, "LINK"))
		check_link(t, p, name);
	else if (!strcmp(name, "stat"))
		check_stat(t, p, &p->threads[0]);
	else if (!strcmp(name, "status"))
		check_status(t, p);
	else if (!strcmp(name, "cmdline"))
		check_words(t, "command", p->command, p->command_size);
	else if (!strcmp(name, "environ")) {
		struct buf words = {0};
		process_environ(&t->guest, p->task, &words);
		check_words(t, "environment", words.data ? words.data : "", words.size);
		buf_free(&words);
	} else if (!strcmp(name, "maps"))
		check_maps(t, p);
	else if (!strcmp(name, "cgroup"))
		same(t, "cgroup", p->cgroup, first_line(s) + 3);
	else if (sscanf(name, "task/%u/sta", &id) == 1)
		for (size_t i = 0; i < p->thread_count; i++) {
			if (p->threads[i].id != id)
				continue;
			if (!strcmp(strrchr(name, '/'), "/stat"))
				check_stat(t, p, &p->threads[i]);
			else if (p->pid != 1 && p->state != 'Z' && !is_busy(p))
				check_stack(t, p->threads[i].task);
		}
}

/* Contents of files in memory, and a path through a mount, a root of its own and a symbolic link. */
static void check_files(struct test *t)
{
	static const struct {
		const char *process, *path, *content;
	} files[] = {{"files", "/tmp/some dir/log", "twelve bytes"}, {"files", "log", "twelve bytes"},
		{"node", "/data/file", "in the node\n"}, {"node", "/link", "in the node\n"},
		{"node", "../data/./much//07", "/data/much/07"}, {"node", "/../../data/file", "in the node\n"},
		{"files", "/node/data/file", NULL}, {"node", "/tmp/some dir/log", NULL}, {"node", "/tmp/deeper", ""},
		{"overlay", "/etc/untouched", "lower\n"}, {"overlay", "etc/changed", "after\n"},
		{"overlay", "/etc/new", "upper\n"}, {"overlay", "/etc/removed", NULL}, {"overlay", "/again/hidden", NULL},
		{"overlay", "/again/fresh", "fresh\n"}, {"overlay", "/old/deep", "below\n"}, {"overlay", "/old/link", "lower\n"},
		{"overlay", "/tmp/../old/../tmp/mounted", "in a mount on an overlay\n"}, {"files", "/init/x", NULL}};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(t->section->path, sizeof t->section->path, "%s: %s", files[i].process, files[i].path);
		for (size_t k = 0; k < t->processes.count; k++) {
			struct guestdir_node place;
			struct guestfile file;
			struct buf bytes = {0};
			if (strcmp(t->processes.list[k].name, files[i].process))
				continue;
			bool ok = guestdir_find(&t->guest, t->processes.list[k].task, files[i].path, true, &place, &file, NULL, NULL) &&
				guestfile_read(&t->guest, &file, 0, 100, &bytes, NULL);
			same(t, "content", ok ? bytes.data ? bytes.data : "" : "(none)",
				files[i].content ? files[i].content : "(none)");
			buf_free(&bytes);
		}
	}
}

static void check_listing(struct test *t, const char *process, const char *path, const char *theirs)
{
	struct guestdir_node node;
	struct guestfile file;
	struct guestdir_list list = {0};
	struct buf ours = {0};
	for (size_t k = 0; k < t->processes.count; k++)
		if (!strcmp(t->processes.list[k].name, process) &&
			guestdir_find(&t->guest, t->processes.list[k].task, path, true, &node, &file, NULL, NULL))
			guestdir_ls(&t->guest, &node, &list, NULL);
	for (size_t i = 0; i < list.count; i++)
		buf_printf(&ours, "%s%s ", list.entries[i].name, list.entries[i].file.kind == GUESTFILE_DIR ? "/" : "");
	buf_str(&ours, list.complete ? "all" : "some");
	snprintf(t->section->path, sizeof t->section->path, "%s: %s", process, path);
	same(t, "names", ours.data, theirs);
	guestdir_list_finish(&list);
	buf_free(&ours);
}

/* A file of 299 pages and 100 bytes, so its tree of pages has two levels. */
static void check_big_file(struct test *t, const char *process, const char *path)
{
	struct guestdir_node place;
	struct guestfile file;
	struct buf bytes = {0};
	for (size_t k = 0; k < t->processes.count; k++)
		if (!strcmp(t->processes.list[k].name, process) &&
			guestdir_find(&t->guest, t->processes.list[k].task, path, true, &place, &file, NULL, NULL))
			guestfile_read(&t->guest, &file, 0, UINT64_MAX, &bytes, NULL);
	snprintf(t->section->path, sizeof t->section->path, "%s", path);
	same_number(t, "size", bytes.size, 299 * 4096 + 100);
	size_t wrong = 0;
	for (size_t i = 0; i < bytes.size; i++)
		wrong += bytes.data[i] != (char)('a' + i / 4096 % 26);
	same_number(t, "wrong bytes", wrong, 0);
	buf_free(&bytes);
}

int main(int argc, char **argv)
{
	struct test t = {.section = mem_alloc(sizeof *t.section)};
	struct err err = {0};
	if (argc != 2)
		return 2;
	struct stop stop = load_stop(argv[1]);
	size_t size;
	const char *truth = map_file(argv[1], "truth", &size);
	struct layout *layout = layout_create(&stop, &err);
	if (!layout)
		die(&err);
	t.guest = guest_of(layout, &stop);
	if (!process_read(&t.guest, &t.processes, &err))
		die(&err);
	size_t pids = 0;
	char *copy = mem_strn(truth, size), *save = NULL;
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '|') {
			if (t.section->count < sizeof t.section->lines / sizeof *t.section->lines)
				t.section->lines[t.section->count++] = line + 1;
			continue;
		}
		check_section(&t);
		t.section->count = 0;
		sscanf(line, "%7s %255[^\n]", t.section->kind, t.section->path);
		unsigned pid;
		int used = 0;
		pids += sscanf(t.section->path, "/proc/%u/stat%n", &pid, &used) == 1 && used && !t.section->path[used];
	}
	same_number(&t, "processes", t.processes.count, pids);
	same_number(&t, "current process", process_of_task(&t.processes, t.processes.current_task)->pid, 1);
	check_files(&t);
	check_big_file(&t, "node", "/data/big");
	check_listing(&t, "node", "/", "data/ link tmp/ all");
	check_listing(&t, "node", "/tmp", "deeper all");
	check_listing(&t, "overlay", "/", "again/ etc/ old/ tmp/ all");
	check_listing(&t, "overlay", "/etc", "changed new untouched all");
	check_listing(&t, "overlay", "/again", "fresh all");
	check_listing(&t, "overlay", "/old", "deep link all");
	check_listing(&t, "overlay", "/tmp", "mounted all");
	printf("%zu facts, %zu wrong\n", t.facts, t.wrong);
	free(copy);
	free(t.section);
	process_finish(&t.processes);
	layout_destroy(layout);
	return t.wrong != 0 || t.facts < 10000;
}
