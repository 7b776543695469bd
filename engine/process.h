/*
 * The processes of a stopped guest, read from its kernel's memory: nothing runs in the guest to answer.
 */
#ifndef ENGINE_PROCESS_H
#define ENGINE_PROCESS_H

#include "engine/buf.h"
#include "engine/guestfile.h"
#include "engine/layout.h"

#define PROCESS_MAX         65536 /* processes, and threads of one */
#define PROCESS_COMMAND_MAX 4096  /* bytes of a command line or an environment that are read */
#define PROCESS_COMM_SIZE   16

struct thread {
	uint64_t task; /* kernel address of its task_struct: what the other questions take */
	uint32_t id;
	uint32_t inner_id; /* as it sees itself, as process.inner_pid; 0: not known */
	char state;        /* R S D T t X Z P I as in ps */
	char name[PROCESS_COMM_SIZE];
};

struct process {
	uint64_t task; /* of the first thread */
	uint64_t mm;   /* 0: kernel thread or zombie */
	uint32_t pid, parent;
	uint32_t inner_pid; /* as the process sees itself: in the innermost namespace of pids */
	uint32_t uid;
	uint32_t exit_code; /* as wait() gives it; 0 while it lives */
	char state;
	bool kernel_thread;
	bool current; /* one of its threads is on the processor */
	char name[PROCESS_COMM_SIZE];
	uint64_t start_ns;           /* since boot */
	uint64_t user_ns, system_ns; /* processor time of the first thread */
	uint64_t pages;              /* of address space */
	char *cgroup;                /* "/nodes/server"; owned */
	char *command; /* arguments each ended by NUL, command_size bytes; owned, "" for kernel threads and zombies */
	size_t command_size;
	struct thread *threads; /* the first thread first */
	size_t thread_count, thread_room;
};

struct process_list {
	struct process *list; /* by pid */
	size_t count, room;
	uint64_t current_task; /* of the thread on the processor */
	bool damaged;          /* a list in the kernel led nowhere: some processes may be missing */
};

/* ERR_QEMU when not even the first task can be read. */
bool process_read(const struct guest *guest, struct process_list *list, struct err *err);
void process_finish(struct process_list *list);

const struct process *process_find(const struct process_list *list, uint32_t pid);
/* The process that a task (of any of its threads) belongs to; NULL when there is none. */
const struct process *process_of_task(const struct process_list *list, uint64_t task);
/* The task on the processor; 0 when it is not in memory. */
uint64_t process_current(const struct guest *guest);

/* "lost[85]", "lost[85/88]" in another thread than the first: which one is what is asked of a race. task 0: no thread is meant.
 */
void process_put_name(const struct process *process, uint64_t task, struct buf *out);

/* The environment of a process: strings each ended by NUL, appended. False when it has none any more. */
bool process_environ(const struct guest *guest, uint64_t task, struct buf *out);

/* A table: pid, the pid that the process has for itself ("-": the same), parent, state, threads, address space, cgroup, command.
 * "*" marks the current one. Without `all` the kernel's own threads are counted only. */
void process_print(const struct process_list *list, bool all, struct buf *out);
/* Arguments or environment, quoted where a shell would need it, on one line. Safe for a terminal. */
void process_print_words(const char *bytes, size_t size, char between, struct buf *out);

#endif
