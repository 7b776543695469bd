#include "tui/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/text.h"

static const char *const axis_names[] = {[LANES_VTIME] = "time", [LANES_ICOUNT] = "icount", [LANES_EVENT] = "event"};

int state_open(struct err *err)
{
	char *path = file_state_dir(err);
	if (!path)
		return -1;
	int parent = file_open_dir(path, err);
	free(path);
	int dir = parent < 0 ? -1 : file_mkdir_in(parent, "ui", err);
	if (parent >= 0)
		close(parent);
	return dir;
}

void state_write(const struct run *run, struct buf *out)
{
	buf_str(out, "polecat_ui 1\n");
	buf_printf(out, "playhead %zu\n", run->playhead == TIMELINE_NONE ? 0 : run->playhead + 1);
	buf_printf(out, "axis %s\n", axis_names[run->window.axis]);
	if (run->search[0] && !strchr(run->search, '\n'))
		buf_printf(out, "search %s\n", run->search);
	for (size_t i = 0; i < run->bookmark_count; i++)
		buf_printf(out, "bookmark %zu%s%s\n", run->bookmarks[i].event + 1, run->bookmarks[i].name[0] ? " " : "",
			run->bookmarks[i].name);
}

static bool parse_bookmark(struct run *run, const char *value)
{
	size_t digits = strcspn(value, " ");
	char *number = mem_strn(value, digits);
	uint64_t seq;
	bool ok = text_parse_u64(number, &seq) && seq > 0;
	free(number);
	if (!ok)
		return false;
	size_t here = run->playhead, event = (size_t)seq - 1;
	if (event >= timeline_count(run->timeline)) /* the run was recorded anew: its bookmarks mean nothing now */
		return true;
	bool set;
	run->playhead = event;
	run_bookmark(run, value[digits] ? value + digits + 1 : "", &set);
	run->playhead = here;
	return true;
}

static bool parse_line(struct run *run, char *line)
{
	char *value = strchr(line, ' ');
	if (!value)
		return false;
	*value++ = '\0';
	uint64_t number;
	if (strcmp(line, "playhead") == 0) {
		if (!text_parse_u64(value, &number))
			return false;
		if (number <= timeline_count(run->timeline))
			run_goto(run, number ? (size_t)number - 1 : TIMELINE_NONE, false);
		return true;
	}
	if (strcmp(line, "axis") == 0) {
		for (int i = 0; i < 3; i++)
			if (strcmp(value, axis_names[i]) == 0) {
				run->window = lanes_whole(run->timeline, (enum lanes_axis)i);
				return true;
			}
		return false;
	}
	if (strcmp(line, "search") == 0) {
		snprintf(run->search, sizeof run->search, "%s", value);
		return true;
	}
	return strcmp(line, "bookmark") == 0 && parse_bookmark(run, value);
}

bool state_parse(struct run *run, const char *bytes, size_t size, struct err *err)
{
	bool follow = run->follow;
	struct text_lines l = {.bytes = bytes, .size = size};
	bool ok = true;
	while (ok && text_next_line(&l)) {
		if (l.length > STATE_LINE_MAX || memchr(l.line, '\0', l.length))
			return err_set(err, ERR_INPUT, "line %zu: expected text of at most %d bytes", l.number, STATE_LINE_MAX);
		char *text = mem_strn(l.line, l.length);
		if (l.number == 1)
			ok = strcmp(text, "polecat_ui 1") == 0 || err_set(err, ERR_INPUT, "line 1: expected 'polecat_ui 1'");
		else
			ok = parse_line(run, text) ||
				err_set(err, ERR_INPUT, "line %zu: expected playhead, axis, search or bookmark", l.number);
		free(text);
	}
	run->follow = follow;
	run->changed = false;
	return ok;
}

/* The name of the run, and a hash of where it is: runs of different places may have one name. */
static char *file_name(const struct run *run)
{
	char *real = realpath(timeline_path(run->timeline), NULL);
	uint64_t hash = 0xcbf29ce484222325;
	for (const char *c = real ? real : timeline_path(run->timeline); *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
	free(real);
	return mem_printf("%.100s.%016" PRIx64, timeline_name(run->timeline), hash);
}

/* Whole or not at all, but not synced: a power cut may cost the last second, and no key waits for the disk. */
static bool put(int dir, const char *name, const struct buf *bytes, struct err *err)
{
	char *fresh = mem_printf("%s.new", name);
	int fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool ok = fd >= 0 ? file_write_fd(fd, bytes->data, bytes->size, fresh, err) : err_sys(err, errno, "%s", fresh);
	if (fd >= 0)
		close(fd);
	if (ok && renameat(dir, fresh, dir, name) != 0)
		ok = err_sys(err, errno, "%s", name);
	free(fresh);
	return ok;
}

bool state_load(int dir, struct run *run, struct err *err)
{
	if (dir < 0)
		return true;
	char *name = file_name(run);
	struct buf bytes = {0};
	int fd = file_open_in(dir, name, O_RDONLY, NULL);
	bool ok = fd < 0 ||
		(file_read_fd(fd, name, STATE_FILE_MAX, &bytes, err) &&
			state_parse(run, bytes.data ? bytes.data : "", bytes.size, err));
	if (!ok)
		err_prefix(err, "what was kept about %s", timeline_name(run->timeline));
	if (fd >= 0)
		close(fd);
	buf_free(&bytes);
	free(name);
	return ok;
}

bool state_save(int dir, struct run *run, struct err *err)
{
	run->changed = false;
	if (dir < 0)
		return true;
	char *name = file_name(run);
	struct buf out = {0};
	state_write(run, &out);
	bool ok = put(dir, name, &out, err);
	buf_free(&out);
	free(name);
	return ok;
}

bool state_load_session(int dir, struct session *session, struct err *err)
{
	struct buf bytes = {0};
	struct err none = {0};
	bool ok = true;
	if (dir >= 0 && file_read_in(dir, "session", SESSION_FILE_MAX, &bytes, &none))
		ok = session_parse(session, bytes.data ? bytes.data : "", bytes.size, err);
	if (!ok)
		err_prefix(err, "what was kept about the last session");
	buf_free(&bytes);
	return ok;
}

bool state_save_session(int dir, const struct buf *text, struct err *err)
{
	return dir < 0 || put(dir, "session", text, err);
}
