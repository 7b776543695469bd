#include "engine/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/archive.h"
#include "engine/buf.h"
#include "engine/file.h"

#define IMAGE_FORMAT "polecat guest image 1"
#define PROGRAM_MAX  (64u << 20)
#define SPEC_MAX     (16u << 20)

static bool digest_program(struct digest *d, const char *path, struct err *err)
{
	uint8_t own[DIGEST_SIZE] = {0};
	int fd = path ? file_open(path, err) : -1;
	if (path && fd < 0)
		return false;
	bool ok = !path || digest_fd(fd, own, err);
	if (fd >= 0)
		close(fd);
	digest_field(d, own, sizeof own);
	return ok;
}

bool image_digest(const struct image_spec *spec, uint8_t out[DIGEST_SIZE], struct err *err)
{
	struct digest *d = digest_create();
	digest_field(d, IMAGE_FORMAT, sizeof IMAGE_FORMAT);
	bool ok = digest_program(d, spec->agent, err) && digest_program(d, spec->busybox, err);
	if (spec->kernel)
		digest_field(d, spec->kernel->digest, DIGEST_SIZE);
	digest_field(d, spec->spec ? spec->spec : "", spec->spec_size);
	for (size_t i = 0; i < spec->tree_count; i++) {
		uint8_t own[DIGEST_SIZE];
		tree_digest(spec->trees[i], own);
		digest_field(d, own, sizeof own);
	}
	digest_end(d, out);
	digest_destroy(d);
	return ok;
}

/* ---- building ---- */

static bool put_dir(struct archive_writer *w, const char *path, unsigned mode, struct err *err)
{
	return archive_add(w, &(struct archive_entry_info){.path = path, .kind = ARCHIVE_DIR, .mode = mode}, NULL, err);
}

static bool put_file(struct archive_writer *w, const char *path, unsigned mode, const void *bytes, size_t size, struct err *err)
{
	struct archive_entry_info e = {.path = path, .kind = ARCHIVE_FILE, .mode = mode, .size = size};
	return archive_add(w, &e, bytes, err);
}

static bool put_host_file(struct archive_writer *w, const char *path, unsigned mode, const char *from, struct err *err)
{
	struct buf bytes = {0};
	bool ok = file_read(from, PROGRAM_MAX, &bytes, err) && put_file(w, path, mode, bytes.data, bytes.size, err);
	buf_free(&bytes);
	return ok;
}

static bool put_modules(struct archive_writer *w, const struct kernel *k, struct err *err)
{
	bool ok = put_dir(w, "modules", 0755, err);
	for (size_t i = 0; ok && i < k->module_count; i++) {
		char path[256];
		snprintf(path, sizeof path, "modules/%02zu-%s.ko", i, k->modules[i].name);
		ok = put_host_file(w, path, 0644, k->modules[i].path, err);
	}
	return ok;
}

static bool put_tree(struct archive_writer *w, size_t number, const struct tree *t, struct err *err)
{
	static const enum archive_kind kinds[] = {
		[TREE_FILE] = ARCHIVE_FILE, [TREE_DIR] = ARCHIVE_DIR, [TREE_LINK] = ARCHIVE_SYMLINK};
	char *root = mem_printf("images/%zu", number);
	bool ok = put_dir(w, root, 0755, err);
	for (size_t i = 0; ok && i < t->count; i++) {
		const struct tree_entry *e = &t->entries[i];
		char *path = mem_printf("%s/%s", root, e->path);
		struct archive_entry_info info = {.path = path,
			.kind = kinds[e->kind],
			.mode = e->mode,
			.uid = e->uid,
			.gid = e->gid,
			.target = e->target,
			.size = e->size};
		ok = archive_add(w, &info, e->bytes, err);
		free(path);
	}
	free(root);
	return ok;
}

static bool put_all(struct archive_writer *w, const struct image_spec *spec, struct err *err)
{
	static const char *const dirs[] = {"bin", "dev", "images", "polecat", "proc", "sys", "tmp"};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof dirs / sizeof *dirs; i++)
		ok = put_dir(w, dirs[i], 0755, err);
	ok = ok && put_host_file(w, "init", 0755, spec->agent, err) &&
		(!spec->busybox || put_host_file(w, "bin/busybox", 0755, spec->busybox, err)) &&
		(!spec->spec || put_file(w, "polecat/spec", 0600, spec->spec, spec->spec_size, err)) &&
		(!spec->kernel || put_modules(w, spec->kernel, err));
	for (size_t i = 0; ok && i < spec->tree_count; i++)
		ok = put_tree(w, i, spec->trees[i], err);
	return ok;
}

int image_build(const struct image_spec *spec, struct err *err)
{
	if (spec->spec_size > SPEC_MAX) {
		err_set(err, ERR_INPUT, "the agent's spec has %zu bytes: %u is the limit", spec->spec_size, SPEC_MAX);
		return -1;
	}
	int fd = file_memory("guest image", err);
	struct archive_writer *w = fd >= 0 ? archive_create_newc(fd, err) : NULL;
	bool ok = w && put_all(w, spec, err);
	if (w && !archive_finish(w, ok ? err : NULL))
		ok = false;
	if (ok)
		return fd;
	if (fd >= 0)
		close(fd);
	err_prefix(err, "building the guest image");
	return -1;
}

char *image_find_busybox(struct err *err)
{
	const char *given = getenv("POLECAT_BUSYBOX");
	static const char *const places[] = {"/bin/busybox", "/usr/bin/busybox"};
	if (given && *given)
		return mem_str(given);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (access(places[i], X_OK) == 0)
			return mem_str(places[i]);
	err_set(err, ERR_SYSTEM,
		"no static BusyBox in /bin or /usr/bin: install it with: apt-get install busybox-static, or set POLECAT_BUSYBOX");
	return NULL;
}
