#include "engine/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/archive.h"
#include "engine/buf.h"
#include "engine/child.h"
#include "engine/file.h"
#include "engine/json.h"
#include "engine/kmodule.h"

#define META_PACKAGE  "linux-image-amd64"
#define DEB_MAX       (512u << 20)
#define VMLINUX_MAX   (512u << 20)
#define FILE_MAX      (64u << 20) /* one module */
#define JSON_MAX      (1u << 20)
#define APT_MS        600000
#define KERNEL_FORMAT 2 /* 1 kept the signatures of modules */
#define CURRENT       "current"

struct progress {
	kernel_progress *call;
	void *data;
};

/* Where a kernel's modules are: in dir itself, or in its subdirectory named like the release. */
struct modules_at {
	char *dir;
	bool by_release;
};

static void say(const struct progress *p, const char *words)
{
	if (p->call)
		p->call(p->data, words);
}

void kernel_destroy(struct kernel *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->module_count; i++) {
		free(k->modules[i].name);
		free(k->modules[i].path);
	}
	free(k->modules);
	free(k->release);
	free(k->vmlinux);
	free(k);
}

const struct kernel_module *kernel_find_module(const struct kernel *k, const char *name)
{
	for (size_t i = 0; i < k->module_count; i++)
		if (!strcmp(k->modules[i].name, name))
			return &k->modules[i];
	return NULL;
}

/* ---- a kernel image ---- */

static uint32_t le32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;
	return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

bool kernel_unpack(const void *bytes, size_t size, struct buf *out, struct err *err)
{
	const char *image = bytes;
	if (size >= 4 && !memcmp(image, "\177ELF", 4)) {
		buf_add(out, image, size);
		return true;
	}
	/* The boot protocol's header: sectors of real-mode code, then where the compressed ELF image lies after them. */
	if (size < 0x250 || memcmp(image + 0x202, "HdrS", 4))
		return err_set(err, ERR_INPUT, "kernel: expected an ELF vmlinux or a bzImage (vmlinuz)");
	size_t sectors = (unsigned char)image[0x1f1];
	size_t start = ((sectors ? sectors : 4) + 1) * 512 + le32(image + 0x248), length = le32(image + 0x24c);
	if (start > size || length > size - start || length < 5)
		return err_set(err, ERR_INPUT, "kernel: the bzImage is cut short");
	/* The last four bytes are the unpacked size, which is none of the compressor's business. */
	if (!archive_decompress(image + start, length - 4, VMLINUX_MAX, "kernel payload", out, err))
		return false;
	if (out->size < 4 || memcmp(out->data, "\177ELF", 4))
		return err_set(err, ERR_INPUT, "kernel: the bzImage does not hold an ELF image");
	return true;
}

/* "Linux version 6.1.0-57-amd64 (debian..." is in every kernel's read-only data. */
static char *find_release(const struct buf *vmlinux, struct err *err)
{
	static const char mark[] = "Linux version ";
	const char *p = vmlinux->data, *end = p + vmlinux->size;
	while ((p = memmem(p, (size_t)(end - p), mark, sizeof mark - 1))) {
		p += sizeof mark - 1;
		size_t n = strcspn(p, " ");
		if (n > 0 && n < 100 && p[0] >= '0' && p[0] <= '9' && p[n] == ' ')
			return mem_strn(p, n);
	}
	err_set(err, ERR_INPUT, "kernel: no \"Linux version\" text in it");
	return NULL;
}

/* ---- one directory of the cache: vmlinux, modules/, kernel.json, written last ---- */

static bool save_description(
	int dir, const char *release, const uint8_t vmlinux[DIGEST_SIZE], const struct kmodules *mods, struct err *err)
{
	struct json *j = json_new_object(), *list = json_new_array();
	char hex[DIGEST_TEXT_MAX];
	uint8_t all[DIGEST_SIZE];
	struct digest *d = digest_create();
	digest_field(d, vmlinux, DIGEST_SIZE);
	for (size_t i = 0; i < mods->count; i++) {
		const struct kmodule *m = &mods->list[i];
		uint8_t own[DIGEST_SIZE];
		digest_sha256(m->bytes.data, m->bytes.size, own);
		digest_field(d, m->name, strlen(m->name));
		digest_field(d, own, sizeof own);
		json_push(list, json_new_str(m->name));
	}
	digest_end(d, all);
	digest_destroy(d);
	json_put_u64(j, "format", KERNEL_FORMAT);
	json_put_str(j, "release", release);
	digest_hex(vmlinux, DIGEST_SIZE, hex);
	json_put_str(j, "vmlinux_sha256", hex);
	digest_hex(all, DIGEST_SIZE, hex);
	json_put_str(j, "sha256", hex);
	json_put(j, "modules", list);
	struct buf text = {0};
	json_write_pretty(j, &text);
	bool ok = file_write_in(dir, "kernel.json", text.data, text.size, err);
	buf_free(&text);
	json_destroy(j);
	return ok;
}

/* Fills dir (empty) from a kernel image and a directory that has its modules somewhere below. */
static bool fill(int dir, const struct buf *image, const struct modules_at *modules, struct err *err)
{
	struct buf vmlinux = {0};
	struct kmodules mods = {0};
	uint8_t digest[DIGEST_SIZE];
	char *release = NULL;
	bool ok = kernel_unpack(image->data, image->size, &vmlinux, err) && (release = find_release(&vmlinux, err));
	char *here = ok ? mem_printf("%s%s%s", modules->dir, modules->by_release ? "/" : "", modules->by_release ? release : "")
			: NULL;
	ok = ok && kmodules_resolve(&mods, here, err);
	int mod_fd = ok ? file_mkdir_in(dir, "modules", err) : -1;
	ok = mod_fd >= 0;
	for (size_t i = 0; ok && i < mods.count; i++) {
		char *name = mem_printf("%s.ko", mods.list[i].name);
		ok = file_write_in(mod_fd, name, mods.list[i].bytes.data, mods.list[i].bytes.size, err);
		free(name);
	}
	if (ok) {
		digest_sha256(vmlinux.data, vmlinux.size, digest);
		ok = file_write_in(dir, "vmlinux", vmlinux.data, vmlinux.size, err) &&
			save_description(dir, release, digest, &mods, err);
	}
	if (mod_fd >= 0)
		close(mod_fd);
	kmodules_finish(&mods);
	buf_free(&vmlinux);
	free(here);
	free(release);
	return ok;
}

static bool read_hex(const struct json *j, const char *key, uint8_t out[DIGEST_SIZE], struct err *err)
{
	const char *text;
	if (!json_get_str(j, key, &text, err))
		return false;
	return digest_parse(text, out) || err_set(err, ERR_INPUT, "%s: expected 64 hexadecimal digits", key);
}

/* NULL if the entry is not there or not whole. */
static struct kernel *load(const char *path, struct err *err)
{
	struct buf text = {0};
	struct kernel *k = mem_alloc(sizeof *k);
	struct json *j = NULL;
	const struct json *list = NULL;
	const char *release = NULL;
	uint64_t format = 0;
	char *file = mem_printf("%s/kernel.json", path);
	bool ok = file_read(file, JSON_MAX, &text, err) && (j = json_parse(text.data, text.size, "kernel.json", err)) &&
		json_get_u64(j, "format", &format, err) && json_get_str(j, "release", &release, err) &&
		read_hex(j, "vmlinux_sha256", k->vmlinux_digest, err) && read_hex(j, "sha256", k->digest, err) &&
		json_get(j, "modules", JSON_ARRAY, &list, err);
	if (ok && format != KERNEL_FORMAT)
		ok = err_set(err, ERR_INPUT, "%s: format %llu is unknown", file, (unsigned long long)format);
	if (ok) {
		k->release = mem_str(release);
		k->vmlinux = mem_printf("%s/vmlinux", path);
		k->modules = mem_array(json_count(list), sizeof *k->modules);
	}
	for (size_t i = 0; ok && i < json_count(list); i++) {
		const char *name;
		ok = json_as_str(json_at(list, i), "modules", &name, NULL, err);
		if (ok)
			k->modules[k->module_count++] =
				(struct kernel_module){mem_str(name), mem_printf("%s/modules/%s.ko", path, name)};
	}
	if (ok && access(k->vmlinux, R_OK) < 0)
		ok = err_sys(err, errno, "%s", k->vmlinux);
	free(file);
	json_destroy(j);
	buf_free(&text);
	if (ok)
		return k;
	kernel_destroy(k);
	return NULL;
}

/* ---- Debian's package ---- */

static bool run(const char *const *argv, const char *dir, struct buf *out, struct err *err)
{
	struct buf errors = {0};
	int status = 0;
	bool ok = child_run(&(struct child_spec){.argv = argv, .dir = dir}, NULL, 0, APT_MS, out, &errors, &status, err);
	if (ok && status != 0) {
		char text[80];
		ok = err_set(err, ERR_SYSTEM, "%s %s: it %s: %.400s", argv[0], argv[1],
			child_status_text(status, text, sizeof text), errors.data ? errors.data : "");
	}
	buf_free(&errors);
	return ok;
}

static char *resolve_package(struct err *err)
{
	const char *argv[] = {"apt-cache", "depends", META_PACKAGE, NULL};
	struct buf out = {0};
	char *name = NULL;
	if (run(argv, NULL, &out, err)) {
		const char *p = out.data ? strstr(out.data, "Depends: linux-image-") : NULL;
		if (p)
			name = mem_strn(p + 9, strcspn(p + 9, " \n"));
		else
			err_set(err, ERR_SYSTEM,
				"apt knows no package " META_PACKAGE
				" with a kernel: run apt-get update, or set POLECAT_KERNEL to a vmlinuz");
	}
	buf_free(&out);
	return name;
}

struct unpacking {
	int dir;
	struct buf image; /* vmlinuz */
	struct buf data;  /* data.tar.* of the package */
};

static bool take_member(void *data, const struct archive_entry_info *e, struct archive_content *content, struct err *err)
{
	struct unpacking *u = data;
	return strncmp(e->path, "data.tar", 8) || archive_content(content, DEB_MAX, &u->data, err);
}

static bool take_file(void *data, const struct archive_entry_info *e, struct archive_content *content, struct err *err)
{
	struct unpacking *u = data;
	const char *base = strrchr(e->path, '/');
	base = base ? base + 1 : e->path;
	if (e->kind != ARCHIVE_FILE)
		return true;
	if (!strncmp(base, "vmlinuz-", 8))
		return archive_content(content, DEB_MAX, &u->image, err);
	if (!kmodule_file_name(base) && strcmp(base, "modules.builtin"))
		return true;
	struct buf bytes = {0};
	int fd = -1;
	bool ok = archive_content(content, FILE_MAX, &bytes, err) &&
		(fd = file_open_in(u->dir, base, O_WRONLY | O_CREAT | O_TRUNC, err)) >= 0 &&
		file_write_fd(fd, bytes.data, bytes.size, base, err);
	if (fd >= 0)
		close(fd);
	buf_free(&bytes);
	return ok;
}

/* Downloads into dir/deb and unpacks what a kernel needs into dir/all and *image. */
static bool download(int dir, const char *path, const char *package, struct buf *image, const struct progress *p, struct err *err)
{
	char *words = mem_printf("downloading %s", package), *deb_dir = mem_printf("%s/deb", path);
	struct unpacking u = {.dir = file_mkdir_in(dir, "all", err)};
	int deb = file_mkdir_in(dir, "deb", err), fd = -1;
	/* As root, apt would drop to a user who cannot write here. */
	const char *argv[] = {"apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", package, NULL};
	say(p, words);
	bool ok = u.dir >= 0 && deb >= 0 && run(argv, deb_dir, NULL, err);
	DIR *list = ok ? opendir(deb_dir) : NULL;
	for (struct dirent *e; list && (e = readdir(list));)
		if (fd < 0 && strstr(e->d_name, ".deb"))
			fd = file_open_in(deb, e->d_name, O_RDONLY, err);
	if (list)
		closedir(list);
	if (ok && fd < 0)
		ok = err_set(err, ERR_SYSTEM, "apt-get download %s left no package file", package);
	if (ok)
		say(p, "unpacking the kernel");
	ok = ok && archive_read_fd(fd, package, take_member, &u, err) &&
		archive_read_bytes(u.data.data, u.data.size, package, take_file, &u, err);
	if (ok && !u.image.size)
		ok = err_set(err, ERR_SYSTEM, "package %s has no vmlinuz in it", package);
	if (fd >= 0)
		close(fd);
	if (deb >= 0)
		close(deb);
	if (u.dir >= 0)
		close(u.dir);
	buf_free(&u.data);
	*image = u.image;
	free(words);
	free(deb_dir);
	return ok;
}

/* ---- the cache ---- */

/* Makes kernels/NAME whole, in the place of one that is not. The caller holds the lock, and with it every half-built directory.
 * image is NULL for Debian's package. */
static bool build(int dir, const char *base, const char *name, const struct buf *image, const struct modules_at *modules,
	const struct progress *p, struct err *err)
{
	char *path = mem_printf("%s/.building", base), *unpacked = mem_printf("%s/all", path);
	struct buf fetched = {0};
	bool ok = file_remove_in(dir, ".building", err) && file_remove_in(dir, name, err);
	int made = ok ? file_mkdir_in(dir, ".building", err) : -1;
	ok = made >= 0 && (image || download(made, path, name, &fetched, p, err));
	ok = ok && fill(made, image ? image : &fetched, image ? modules : &(struct modules_at){unpacked, false}, err);
	ok = ok && file_remove_in(made, "deb", err) && file_remove_in(made, "all", err);
	if (ok && renameat(dir, ".building", dir, name) < 0)
		ok = err_sys(err, errno, "keeping the kernel in %s", base);
	if (!ok)
		file_remove_in(dir, ".building", NULL);
	if (made >= 0)
		close(made);
	buf_free(&fetched);
	free(path);
	free(unpacked);
	return ok;
}

/* kernels/NAME, built if it is missing or not whole. */
static struct kernel *get_entry(int dir, const char *base, const char *name, const struct buf *image,
	const struct modules_at *modules, const struct progress *p, struct err *err)
{
	struct err ignored;
	char *path = mem_printf("%s/%s", base, name);
	struct kernel *k = load(path, &ignored);
	int lock = k ? -1 : file_lock_in(dir, ".lock", -1, NULL, err);
	if (lock >= 0) {
		/* Another process may have built it while we waited. */
		k = load(path, &ignored);
		if (!k && build(dir, base, name, image, modules, p, err))
			k = load(path, err);
		close(lock);
	}
	free(path);
	return k;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? mem_strn(path, (size_t)(slash - path)) : mem_str(".");
}

/* $POLECAT_KERNEL: its modules are looked for where distributions put them. *by_release: in the directory of its release below.
 */
static char *modules_of_given(const char *path, bool *by_release)
{
	const char *given = getenv("POLECAT_MODULES");
	*by_release = !given || !*given;
	if (!*by_release)
		return mem_str(given);
	char *boot = directory_of(path), *beside = mem_printf("%s/../lib/modules", boot);
	free(boot);
	if (access(beside, X_OK) == 0)
		return beside;
	free(beside);
	return mem_str("/lib/modules");
}

static struct kernel *get_given(int dir, const char *base, const char *path, const struct progress *p, struct err *err)
{
	struct buf image = {0};
	uint8_t digest[DIGEST_SIZE];
	char hex[DIGEST_TEXT_MAX];
	struct kernel *k = NULL;
	struct modules_at modules = {0};
	modules.dir = modules_of_given(path, &modules.by_release);
	if (file_read(path, VMLINUX_MAX, &image, err)) {
		struct digest *d = digest_create();
		digest_field(d, image.data, image.size);
		digest_field(d, modules.dir, strlen(modules.dir));
		digest_end(d, digest);
		digest_destroy(d);
		digest_hex(digest, DIGEST_SIZE, hex);
		char *name = mem_printf("given-%.16s", hex);
		k = get_entry(dir, base, name, &image, &modules, p, err);
		free(name);
	}
	if (!k)
		err_prefix(err, "POLECAT_KERNEL=%s", path);
	buf_free(&image);
	free(modules.dir);
	return k;
}

static struct kernel *get_debian(int dir, const char *base, const struct progress *p, struct err *err)
{
	struct buf current = {0};
	struct err ignored;
	struct kernel *k = NULL;
	/* The one used last time: no network, and no new kernel behind anybody's back. */
	if (file_read_in(dir, CURRENT, 200, &current, &ignored) && !strchr(current.data, '/') && current.data[0] != '.') {
		char *entry = mem_printf("%s/%s", base, current.data);
		k = load(entry, &ignored);
		free(entry);
	}
	buf_free(&current);
	if (k)
		return k;
	char *package = resolve_package(err);
	k = package ? get_entry(dir, base, package, NULL, NULL, p, err) : NULL;
	if (k && !file_write_in(dir, CURRENT, package, strlen(package), err)) {
		kernel_destroy(k);
		k = NULL;
	}
	free(package);
	return k;
}

struct kernel *kernel_get(const char *cache, kernel_progress *progress, void *data, struct err *err)
{
	char *base = mem_printf("%s/kernels", cache);
	const char *given = getenv("POLECAT_KERNEL");
	struct progress p = {progress, data};
	struct kernel *k = NULL;
	int dir = file_mkdirs(base, err) ? file_open_dir(base, err) : -1;
	if (dir >= 0) {
		k = given && *given ? get_given(dir, base, given, &p, err) : get_debian(dir, base, &p, err);
		close(dir);
	}
	free(base);
	return k;
}
