/* Boot snapshots: what identifies one, and opening one that is in the cache. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/json.h"
#include "engine/qemuargs.h"
#include "engine/snapshot_data.h"

#define JSON_MAX (1u << 20)

struct snapshot {
	struct machine_base base;
	char *qemu, *identity;
	uint8_t digest[DIGEST_SIZE];
};

/* ---- identity ---- */

static struct json *machine_json(unsigned memory_mib, unsigned output_mib)
{
	struct qemu_setup setup = {.memory_mib = memory_mib, .output_mib = output_mib, .fds = {-1, -1, -1, -1, -1, -1, -1, -1}};
	struct qemuargs args;
	struct json *list = json_new_array();
	qemuargs_build(&args, "qemu", &setup);
	for (size_t i = 1; i < args.count; i++)
		json_push(list, json_new_str(args.argv[i]));
	qemuargs_finish(&args);
	return list;
}

static void put_digest(struct json *j, const char *key, const uint8_t digest[DIGEST_SIZE])
{
	char hex[DIGEST_TEXT_MAX];
	digest_hex(digest, DIGEST_SIZE, hex);
	json_put_str(j, key, hex);
}

static struct json *qemu_json(const struct hostqemu *q)
{
	struct json *j = json_new_object();
	json_put_str(j, "version", q->version);
	json_put_str(j, "package", q->package);
	put_digest(j, "sha256", q->digest);
	return j;
}

unsigned snapshot_output_of(const struct snapshot_spec *spec)
{
	return spec->output_mib ? spec->output_mib : MACHINE_OUTPUT_MIB;
}

char *snapshot_identity_of(const struct snapshot_spec *spec, uint8_t digest[DIGEST_SIZE], struct err *err)
{
	uint8_t image[DIGEST_SIZE];
	if (!image_digest(spec->image, image, err))
		return NULL;
	struct json *j = json_new_object(), *kernel = json_new_object();
	char *words = qemuargs_kernel_words(spec->memory_mib, snapshot_output_of(spec));
	json_put_u64(j, "format", SNAPSHOT_FORMAT);
	json_put(j, "qemu", qemu_json(spec->qemu));
	json_put_str(kernel, "release", spec->kernel->release);
	json_put_str(kernel, "command_line", words);
	put_digest(kernel, "sha256", spec->kernel->digest);
	json_put(j, "kernel", kernel);
	put_digest(j, "image_sha256", image);
	json_put_u64(j, "memory_mib", spec->memory_mib);
	json_put_u64(j, "output_mib", snapshot_output_of(spec));
	json_put(j, "machine", machine_json(spec->memory_mib, snapshot_output_of(spec)));
	struct buf text = {0};
	json_write_canonical(j, &text);
	json_destroy(j);
	free(words);
	digest_sha256(text.data, text.size, digest);
	return buf_take(&text);
}

/* ---- opening ---- */

void snapshot_destroy(struct snapshot *s)
{
	if (!s)
		return;
	if (s->base.device_fd >= 0)
		close(s->base.device_fd);
	if (s->base.ram_fd >= 0)
		close(s->base.ram_fd);
	free(s->qemu);
	free(s->identity);
	free(s);
}

static struct json *read_json(int dir, const char *name, struct buf *text, struct err *err)
{
	return file_read_in(dir, name, JSON_MAX, text, err) ? json_parse(text->data, text->size, name, err) : NULL;
}

static bool read_state(struct snapshot *s, int dir, struct err *err)
{
	struct buf text = {0};
	struct json *j = read_json(dir, SNAPSHOT_STATE, &text, err);
	uint64_t memory_mib = 0, output_mib = 0;
	bool ok = j && json_get_u64(j, "icount", &s->base.icount, err) && json_get_u64(j, "log_lead", &s->base.log_lead, err) &&
		json_get_bool(j, "load_is_clean", &s->base.load_is_clean, err) &&
		json_get_u64(j, "memory_mib", &memory_mib, err) && json_get_u64(j, "output_mib", &output_mib, err);
	if (ok &&
		(memory_mib < MACHINE_MEMORY_MIN_MIB || memory_mib > MACHINE_MEMORY_MAX_MIB ||
			output_mib > MACHINE_MEMORY_MAX_MIB))
		ok = err_set(err, ERR_INPUT, "%s: impossible sizes of memory", SNAPSHOT_STATE);
	s->base.memory_mib = (unsigned)memory_mib;
	s->base.output_mib = (unsigned)output_mib;
	json_destroy(j);
	buf_free(&text);
	return ok;
}

struct snapshot *snapshot_open_entry(int snapshots, const char *name, const char *qemu, struct err *err)
{
	struct snapshot *s = mem_alloc(sizeof *s);
	struct buf identity = {0};
	s->base.device_fd = s->base.ram_fd = -1;
	int dir = file_open_in(snapshots, name, O_RDONLY | O_DIRECTORY, err);
	bool ok = dir >= 0 && read_state(s, dir, err) && file_read_in(dir, SNAPSHOT_IDENTITY, JSON_MAX, &identity, err) &&
		(s->base.device_fd = file_open_in(dir, SNAPSHOT_DEVICE, O_RDONLY, err)) >= 0 &&
		(s->base.ram_fd = file_open_in(dir, SNAPSHOT_RAM, O_RDONLY, err)) >= 0;
	if (ok && file_size(s->base.ram_fd) != ((uint64_t)s->base.memory_mib + s->base.output_mib) << 20)
		ok = err_set(err, ERR_INPUT, "%s: has another size than the machine's memory", SNAPSHOT_RAM);
	if (ok) {
		digest_sha256(identity.data, identity.size, s->digest);
		s->identity = buf_take(&identity);
		s->qemu = mem_str(qemu);
		s->base.qemu = s->qemu;
		futimens(dir, NULL);
	}
	buf_free(&identity);
	if (dir >= 0)
		close(dir);
	if (ok)
		return s;
	err_prefix(err, "boot snapshot %.16s", name);
	snapshot_destroy(s);
	return NULL;
}

static bool names_differ(const struct json *recorded, const struct json *host, struct err *err)
{
	static const char *const members[] = {"version", "package", "sha256"};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const char *was, *is;
		if (!json_get_str(recorded, members[i], &was, err) || !json_get_str(host, members[i], &is, err))
			return err_prefix(err, "identity: qemu");
		if (strcmp(was, is))
			return err_set(err, ERR_INPUT,
				"identity: qemu.%s differs: recorded with %.100s, this host has %.100s (set POLECAT_QEMU to "
				"another QEMU)",
				members[i], was, is);
	}
	return true;
}

static bool same_qemu(const char *identity_json, const struct hostqemu *qemu, struct err *err)
{
	const struct json *recorded;
	struct json *j = json_parse(identity_json, strlen(identity_json), "identity", err), *host = qemu_json(qemu);
	bool ok = j && json_get(j, "qemu", JSON_OBJECT, &recorded, err) && names_differ(recorded, host, err);
	uint64_t format = 0;
	ok = ok && json_get_u64(j, "format", &format, err);
	if (ok && format != SNAPSHOT_FORMAT)
		ok = err_set(err, ERR_INPUT, "identity: format %" PRIu64 ", expected %d: recorded by another version of polecat",
			format, SNAPSHOT_FORMAT);
	json_destroy(host);
	json_destroy(j);
	return ok;
}

struct snapshot *snapshot_open(const char *cache, const struct hostqemu *qemu, const char *identity_json, struct err *err)
{
	uint8_t digest[DIGEST_SIZE];
	char name[DIGEST_TEXT_MAX];
	if (!same_qemu(identity_json, qemu, err))
		return NULL;
	int dir = snapshot_cache_open(cache, err);
	if (dir < 0)
		return NULL;
	digest_sha256(identity_json, strlen(identity_json), digest);
	digest_hex(digest, DIGEST_SIZE, name);
	struct snapshot *s = NULL;
	if (snapshot_there(dir, name))
		s = snapshot_open_entry(dir, name, qemu->path, err);
	else
		err_set(err, ERR_INPUT,
			"the boot snapshot %.16s that the run started from is no longer in the cache: record its scenario once "
			"more, which makes it again",
			name);
	close(dir);
	return s;
}

/* ---- what it holds ---- */

const struct machine_base *snapshot_base(const struct snapshot *s)
{
	return &s->base;
}

const char *snapshot_identity_json(const struct snapshot *s)
{
	return s->identity;
}

void snapshot_identity(const struct snapshot *s, uint8_t out[DIGEST_SIZE])
{
	memcpy(out, s->digest, DIGEST_SIZE);
}

uint64_t snapshot_icount(const struct snapshot *s)
{
	return s->base.icount;
}

unsigned snapshot_memory_mib(const struct snapshot *s)
{
	return s->base.memory_mib;
}

unsigned snapshot_output_mib(const struct snapshot *s)
{
	return s->base.output_mib;
}
