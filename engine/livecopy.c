#include "engine/livecopy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fork.h"

#define NUMBER(n)  NUMBER_(n)
#define NUMBER_(n) #n

/* BusyBox reads a name with a dash before it as its own, and no program of a node is found by it: so the one that comes with the
 * machine is executed, whatever the node has. */
#define BUSYBOX "-busybox"

/* The last line of its errors: the status, and the pids of the shell and its parent. Whatever waits is ended, and what it wrote
 * until then is told. */
#define ENDING       "echo \"asked $s $$ $PPID\" >&2; } | head -c " NUMBER(LIVECOPY_CUT)
#define LIVECOPY_CUT 1048577
_Static_assert(LIVECOPY_CUT == LIVECOPY_BYTES_MAX + 1 && LIVECOPY_WAIT_S == 2, "the scripts say it too");

static const char *const scripts[] = {
	[LIVECOPY_CAT] = "{ timeout 2 cat -- \"$1\"; s=$?; " ENDING,
	/* Patterns that match nothing stay as they are, and stat complains of them. */
	[LIVECOPY_LS] = "{ cd \"$1\"; s=$?; [ $s != 0 ] || timeout 2 stat -c '%f %u %s %n' -- * .[!.]* ..?* 2>/dev/null; " ENDING,
};

/* ---- asking ------------------------------------------------------------------------------------------------- */

static void take(void *data, int stream, const char *bytes, size_t size)
{
	struct answer *answer = data;
	buf_add(stream == 2 ? &answer->complaint : &answer->out, bytes, size);
}

/* Takes the last line of the errors, which is ours. */
static bool take_status(struct answer *answer, struct err *err)
{
	size_t size = answer->complaint.size, start;
	unsigned status, self, parent;
	if (size && answer->complaint.data[size - 1] == '\n')
		size--;
	for (start = size; start && answer->complaint.data[start - 1] != '\n';)
		start--;
	const char *line = answer->complaint.data ? answer->complaint.data + start : "";
	if (sscanf(line, "asked %3u %9u %9u", &status, &self, &parent) != 3)
		return err_set(err, ERR_QEMU, "the live copy of the machine did not answer to the end");
	answer->status = (int)status;
	answer->first_asking = parent ? parent : self; /* what keeps it in the machine is its parent */
	answer->complaint.size = start;
	answer->complaint.data[start] = '\0';
	return true;
}

const struct answer *livecopy_ask(struct session *s, const struct livecopy_question *q, struct err *err)
{
	char *question = mem_printf("%d %s", q->kind, q->path);
	const struct answer *known = answers_find(session_answers(s), session_icount(s), q->node, question);
	struct answer answer = {.icount = session_icount(s), .node = q->node, .question = question};
	const char *const argv[] = {BUSYBOX, "sh", "-c", scripts[q->kind], "sh", q->path, NULL};
	struct fork_result result;
	struct fork_options options = {.run = timeline_path(session_timeline(s)),
		.node = q->node,
		.argv = argv,
		.hold = true,
		.keep = RECORD_KEEP_NONE,
		.cancel = q->cancel,
		.progress = q->progress,
		.output = take,
		.data = &answer};
	if (!known && fork_run(s, &options, &result, err) && take_status(&answer, err)) {
		answer.before = result.before;
		known = answers_add(session_answers(s), &answer);
	}
	answer_finish(&answer);
	return known;
}

/* ---- what is asked ------------------------------------------------------------------------------------------ */

/* What is behind a name at the start of a path: "" or "/..."; NULL when the path does not start so. */
static const char *behind(const char *path, const char *name)
{
	size_t size = strlen(name);
	return !strncmp(path, name, size) && (!path[size] || path[size] == '/') ? path + size : NULL;
}

bool livecopy_path(const char *path, uint32_t pid, struct buf *out, struct err *err)
{
	static const struct {
		const char *name, *is; /* is: below the process's directory */
	} own[] = {{"/proc/self", ""}, {"/proc/thread-self", NULL}, {"/proc/mounts", "/mounts"}, {"/proc/net", "/net"}};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		const char *rest = behind(path, own[i].name);
		if (!rest || (!pid && own[i].is && *own[i].is)) /* whoever asks is in the node's namespaces too */
			continue;
		if (!pid)
			return err_set(err, ERR_INPUT,
				"%s is whoever reads it, and the node has no process here: expected /proc/PID%.100s", own[i].name,
				rest);
		buf_printf(out, "/proc/%u", pid);
		if (own[i].is)
			buf_str(out, own[i].is);
		else
			buf_printf(out, "/task/%u", pid);
		buf_str(out, rest);
		return true;
	}
	buf_str(out, path);
	return true;
}

/* ---- names -------------------------------------------------------------------------------------------------- */

static bool read_number(const char **at, const char *end, unsigned base, uint64_t max, uint64_t *ret)
{
	const char *p = *at;
	for (*ret = 0; p < end && isxdigit((unsigned char)*p); p++) {
		unsigned digit =
			isdigit((unsigned char)*p) ? (unsigned)(*p - '0') : (unsigned)(tolower((unsigned char)*p) - 'a') + 10;
		if (digit >= base || *ret > (max - digit) / base)
			return false;
		*ret = *ret * base + digit;
	}
	if (p == *at || p == end || *p != ' ')
		return false;
	*at = p + 1;
	return true;
}

static bool read_name(const char *line, size_t size, struct guestdir_entry *ret)
{
	const char *end = line + size;
	uint64_t mode, owner, bytes;
	if (!read_number(&line, end, 16, 0xffff, &mode) || !read_number(&line, end, 10, UINT32_MAX, &owner) ||
		!read_number(&line, end, 10, UINT64_MAX, &bytes) || line == end)
		return false;
	ret->file = (struct guestfile){
		.mode = (uint32_t)mode, .uid = (uint32_t)owner, .size = bytes, .kind = guestfile_kind((uint32_t)mode)};
	ret->name = mem_strn(line, (size_t)(end - line));
	return true;
}

/* In /proc, the processes that asked came after everybody else, who stands still since. */
static bool is_asking(const char *name, uint32_t first)
{
	char *end;
	unsigned long pid = strtoul(name, &end, 10);
	return first && isdigit((unsigned char)*name) && !*end && pid >= first;
}

void livecopy_names(const char *path, const struct answer *answer, struct guestdir_list *list)
{
	bool in_proc = !strncmp(path, "/proc", 5) && !path[5 + strspn(path + 5, "/")];
	const struct buf *out = &answer->out;
	*list = (struct guestdir_list){.complete = out->size <= LIVECOPY_BYTES_MAX};
	for (size_t at = 0; at < out->size && list->count < GUESTDIR_LIST_MAX;) {
		const char *newline = memchr(out->data + at, '\n', out->size - at);
		size_t end = newline ? (size_t)(newline - out->data) : out->size;
		struct guestdir_entry entry;
		if (read_name(out->data + at, end - at, &entry)) {
			if (in_proc && is_asking(entry.name, answer->first_asking))
				free(entry.name);
			else
				ARRAY_PUSH(list->entries, list->count, list->room) = entry;
		}
		at = end + 1;
	}
	guestdir_list_sort(list);
}
