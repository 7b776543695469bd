#include "engine/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/digest.h"
#include "engine/eventfile.h"
#include "engine/file.h"
#include "engine/json.h"
#include "engine/text.h"
#include "engine/zst.h"

enum { EVENTS_BLOCK = 64 * 1024, CREATE_TRIES = 100, ID_DIGITS = 6 };

struct rundir {
	char *runs;
	int runs_fd, fd; /* fd is the directory itself, locked */
	char *name;      /* without prefix or suffix */
	char *path;
	bool settled; /* completed or failed: not ours to remove any more */
	int events_fd;
	struct buf pending;
	struct digest *events_sum;
	uint64_t events_size;
	struct manifest files; /* only its list of files */
};

/* ---- making ----------------------------------------------------------------------------------------------- */

static char *name_of(const char *scenario, uint64_t seed, int64_t created_s, unsigned attempt)
{
	char stamp[32];
	time_t t = (time_t)created_s;
	struct tm tm;
	gmtime_r(&t, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	char *text = mem_printf("%s/%s/%" PRIu64 "/%ld/%u", stamp, scenario, seed, now.tv_nsec, attempt);
	uint8_t sum[DIGEST_SIZE];
	char hex[2 * DIGEST_SIZE + 1];
	digest_sha256(text, strlen(text), sum);
	digest_hex(sum, sizeof sum, hex);
	free(text);
	return mem_printf("%s-%s-%" PRIu64 "-%.*s", stamp, scenario, seed, ID_DIGITS, hex);
}

/* Makes, opens and locks runs/.incomplete-NAME. A sweeper may take the directory between making and locking it: then it is
 * gone or another one, and the caller tries again. */
static bool make(struct rundir *r, bool *again, struct err *err)
{
	char *dir = mem_printf(RUNDIR_INCOMPLETE "%s", r->name);
	*again = false;
	if (mkdirat(r->runs_fd, dir, 0700)) {
		*again = errno == EEXIST;
		err_sys(err, errno, "%s/%s", r->runs, dir);
		free(dir);
		return false;
	}
	struct stat mine, there;
	r->fd = openat(r->runs_fd, dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = r->fd >= 0 && !flock(r->fd, LOCK_EX | LOCK_NB) && !fstat(r->fd, &mine) &&
		!fstatat(r->runs_fd, dir, &there, AT_SYMLINK_NOFOLLOW) && mine.st_ino == there.st_ino;
	if (!ok) {
		*again = true;
		err_sys(err, errno, "%s/%s", r->runs, dir);
		if (r->fd >= 0)
			close(r->fd);
		r->fd = -1;
	}
	free(r->path);
	r->path = mem_printf("%s/%s", r->runs, dir);
	free(dir);
	return ok;
}

static bool create(struct rundir *r, const char *scenario, uint64_t seed, int64_t created_s, struct err *err)
{
	if (!file_mkdirs(r->runs, err))
		return false;
	r->runs_fd = file_open_dir(r->runs, err);
	if (r->runs_fd < 0)
		return false;
	bool again = true;
	for (unsigned i = 0; again && i < CREATE_TRIES; i++) {
		free(r->name);
		r->name = name_of(scenario, seed, created_s, i);
		if (make(r, &again, err))
			break;
	}
	if (r->fd < 0)
		return err_prefix(err, "make a run directory");
	r->events_fd = file_open_in(r->fd, EVENTFILE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, err);
	return r->events_fd >= 0;
}

struct rundir *rundir_create(const char *runs, const char *scenario, uint64_t seed, int64_t created_s, struct err *err)
{
	struct rundir *r = mem_alloc(sizeof *r);
	r->runs = mem_str(runs);
	r->runs_fd = r->fd = r->events_fd = -1;
	r->events_sum = digest_create();
	if (create(r, scenario, seed, created_s, err))
		return r;
	rundir_destroy(r);
	return NULL;
}

void rundir_destroy(struct rundir *r)
{
	if (!r)
		return;
	if (r->fd >= 0 && !r->settled) {
		char *dir = mem_printf(RUNDIR_INCOMPLETE "%s", r->name);
		file_remove_in(r->runs_fd, dir, NULL);
		free(dir);
	}
	if (r->events_fd >= 0)
		close(r->events_fd);
	if (r->fd >= 0)
		close(r->fd);
	if (r->runs_fd >= 0)
		close(r->runs_fd);
	digest_destroy(r->events_sum);
	buf_free(&r->pending);
	manifest_finish(&r->files);
	free(r->runs);
	free(r->name);
	free(r->path);
	free(r);
}

const char *rundir_path(const struct rundir *r)
{
	return r->path;
}

/* ---- writing ---------------------------------------------------------------------------------------------- */

bool rundir_write(struct rundir *r, const char *name, const void *bytes, size_t size, struct err *err)
{
	if (!file_write_in(r->fd, name, bytes, size, err))
		return err_prefix(err, "%s", r->path);
	manifest_add_file(&r->files, name, bytes, size);
	return true;
}

bool rundir_flush(struct rundir *r, struct err *err)
{
	if (!file_write_fd(r->events_fd, r->pending.data, r->pending.size, EVENTFILE_NAME, err))
		return err_prefix(err, "%s", r->path);
	buf_clear(&r->pending);
	return true;
}

static bool add_event(void *data, const struct event *e, struct err *err)
{
	struct rundir *r = data;
	size_t from = r->pending.size;
	event_write(e, &r->pending);
	digest_add(r->events_sum, r->pending.data + from, r->pending.size - from);
	r->events_size += r->pending.size - from;
	return r->pending.size < EVENTS_BLOCK || rundir_flush(r, err);
}

struct event_sink rundir_sink(struct rundir *r)
{
	return (struct event_sink){add_event, r};
}

/* Gives the directory the name it keeps. */
static bool settle(struct rundir *r, const char *suffix, struct err *err)
{
	char *from = mem_printf(RUNDIR_INCOMPLETE "%s", r->name), *to = mem_printf("%s%s", r->name, suffix);
	bool ok = !renameat(r->runs_fd, from, r->runs_fd, to);
	if (!ok) {
		err_sys(err, errno, "rename %s/%s", r->runs, from);
	} else {
		fsync(r->runs_fd);
		r->settled = true;
		free(r->path);
		r->path = mem_printf("%s/%s", r->runs, to);
	}
	free(from);
	free(to);
	return ok;
}

bool rundir_complete(struct rundir *r, struct manifest *m, struct err *err)
{
	uint8_t sum[DIGEST_SIZE];
	if (!rundir_flush(r, err))
		return false;
	if (fsync(r->events_fd))
		return err_sys(err, errno, "%s/" EVENTFILE_NAME, r->path);
	bool packed = r->events_size >= EVENTFILE_PACK_MIN;
	if (packed && !eventfile_pack(r->fd, r->events_size, EVENTFILE_FRAME, err))
		return err_prefix(err, "%s", r->path);
	digest_end(r->events_sum, sum);
	manifest_add_digest(&r->files, EVENTFILE_NAME, r->events_size, sum, packed);
	m->files = r->files.files;
	m->file_count = r->files.file_count;
	m->file_room = r->files.file_room;
	r->files = (struct manifest){0};
	struct buf text = {0};
	manifest_write(m, &text);
	bool ok = file_write_in(r->fd, MANIFEST_NAME, text.data, text.size, err);
	buf_free(&text);
	return ok && settle(r, "", err);
}

/* ---- failure ---------------------------------------------------------------------------------------------- */

static bool write_note(struct rundir *r, const struct rundir_note *note, struct err *err)
{
	size_t size = note->size < RUNDIR_FAILURE_MAX ? note->size : RUNDIR_FAILURE_MAX;
	const char *from = note->bytes ? note->bytes + (note->size - size) : "";
	struct buf safe = {0};
	struct text_lines l = {.bytes = from, .size = size};
	while (text_next_line(&l)) {
		text_put_safe(&safe, l.line, l.length);
		buf_char(&safe, '\n');
	}
	bool ok = file_write_in(r->fd, note->name, safe.data ? safe.data : "", safe.size, err);
	buf_free(&safe);
	return ok;
}

bool rundir_fail(struct rundir *r, const struct err *why, const struct rundir_note *notes, size_t count, struct err *err)
{
	struct json *j = json_new_object();
	json_put_u64(j, "polecat_failure", 1);
	json_put_str(j, "run", r->name);
	json_put_str(j, "error", why->text);
	struct buf text = {0};
	json_write_pretty(j, &text);
	json_destroy(j);
	/* What was recorded so far is no run: only the reasons stay. */
	static const char *const drop[] = {EVENTFILE_NAME, EVENTFILE_PACKED, "plan.json", "scenario.yaml", "replay.log.zst",
		"properties.json", "console.log"};
	for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
		unlinkat(r->fd, drop[i], 0);
	bool ok = file_write_in(r->fd, "failure.json", text.data, text.size, err);
	buf_free(&text);
	for (size_t i = 0; ok && i < count; i++)
		ok = write_note(r, &notes[i], err);
	return ok && settle(r, RUNDIR_FAILED, err);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

int rundir_open(const char *path, struct manifest *m, struct err *err)
{
	struct buf text = {0};
	int fd = file_open_dir(path, err);
	if (fd < 0)
		return -1;
	bool ok = file_read_in(fd, MANIFEST_NAME, MANIFEST_SIZE_MAX, &text, err);
	ok = ok && manifest_parse(m, text.data, text.size, MANIFEST_NAME, err);
	buf_free(&text);
	if (ok)
		return fd;
	if (err && err->code == ERR_SYSTEM)
		err->code = ERR_INPUT; /* not a run: what was given is wrong, not the host */
	err_prefix(err, "%s", path);
	close(fd);
	return -1;
}

static const struct manifest_file *find_file(const struct manifest *m, const char *name)
{
	for (size_t i = 0; i < m->file_count; i++)
		if (!strcmp(m->files[i].name, name))
			return &m->files[i];
	return NULL;
}

static bool read_stored(int dir, const char *name, struct buf *out, struct err *err)
{
	if (file_read_in(dir, name, RUNDIR_FILE_MAX, out, err))
		return true;
	if (err && err->code == ERR_SYSTEM)
		err->code = ERR_INPUT;
	return false;
}

static bool read_packed(int dir, const struct manifest_file *f, struct buf *out, struct err *err)
{
	struct buf stored = {0};
	char *name = mem_printf("%s" MANIFEST_PACKED_SUFFIX, f->name);
	bool ok = true;
	/* Whoever looks for the file finds the one that is not packed first. */
	if (faccessat(dir, f->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		ok = err_set(err, ERR_INPUT, "%s: it is there beside %s, where the manifest has only that", f->name, name);
	else if (f->size > RUNDIR_FILE_MAX)
		ok = err_set(err, ERR_INPUT, "%s: the manifest says more than %llu bytes", name, RUNDIR_FILE_MAX);
	ok = ok && read_stored(dir, name, &stored, err) && zst_unpack(stored.data, stored.size, f->size, name, out, err);
	buf_free(&stored);
	free(name);
	return ok;
}

bool rundir_read(int dir, const struct manifest *m, const char *name, struct buf *out, struct err *err)
{
	const struct manifest_file *f = find_file(m, name);
	if (!f)
		return err_set(err, ERR_INPUT, "%s: the manifest does not name it", name);
	size_t from = out->size;
	if (!(f->packed ? read_packed(dir, f, out, err) : read_stored(dir, name, out, err)))
		return false;
	size_t size = out->size - from;
	if (size != f->size)
		return err_set(err, ERR_INPUT, "%s: it has %zu bytes, the manifest says %" PRIu64, name, size, f->size);
	uint8_t sum[DIGEST_SIZE];
	char hex[2 * DIGEST_SIZE + 1];
	digest_sha256(out->data + from, size, sum);
	digest_hex(sum, sizeof sum, hex);
	if (strcmp(hex, f->sha256))
		return err_set(err, ERR_INPUT,
			"%s: it was changed after it was recorded (SHA-256 %.12s..., the manifest says %.12s...)", name, hex,
			f->sha256);
	return true;
}

bool rundir_verify(int dir, const struct manifest *m, struct err *err)
{
	struct buf bytes = {0};
	bool ok = true;
	for (size_t i = 0; ok && i < m->file_count; i++) {
		buf_clear(&bytes);
		ok = rundir_read(dir, m, m->files[i].name, &bytes, err);
	}
	buf_free(&bytes);
	return ok;
}

/* A recorder holds a lock. Asked for a shared one, so that two who ask do not take each other for it. */
bool rundir_abandoned(int dir)
{
	if (flock(dir, LOCK_SH | LOCK_NB) != 0)
		return false;
	flock(dir, LOCK_UN);
	return true;
}
