#include "engine/kmodule.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/archive.h"
#include "engine/file.h"

#define MODULE_MAX  (64u << 20)
#define BUILTIN_MAX (4u << 20)
#define FILES_MAX   65536
#define DIR_DEPTH   32

struct wanted {
	const char *name;
	bool needed; /* without it no node can start */
};

/* The order is the load order, except that dependencies go before. */
static const struct wanted wanted[] = {
	{"overlay", true},
	{"veth", true},
	{"bridge", true},
	{"crc32c_generic", false}, /* ext4 and nf_tables ask for it by algorithm, not by name */
	{"qemu_fw_cfg", false},
	{"sch_netem", false},
	{"sch_tbf", false},
	{"sch_prio", false},
	{"sch_ingress", false},
	{"cls_u32", false},
	{"cls_matchall", false},
	{"act_mirred", false},
	{"ifb", false},
	{"dummy", false},
	{"nf_tables", false},
	{"nft_ct", false},
	{"nft_limit", false},
	{"nft_reject_inet", false},
	{"brd", false},
	{"loop", false},
	{"ext4", false},
	{"dm_mod", false},
	{"dm_flakey", false},
	{"dm_delay", false},
	{"dm_log_writes", false},
	{"dm_snapshot", false},
};

/* ---- files below a directory ---- */

struct found {
	char *name, *path;
};

struct files {
	struct found *list;
	size_t count, room;
	struct buf builtin; /* modules.builtin */
};

static const char *const suffixes[] = {".ko", ".ko.gz", ".ko.xz", ".ko.zst"};

static size_t stem(const char *file)
{
	size_t n = strlen(file);
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t s = strlen(suffixes[i]);
		if (n > s && !strcmp(file + n - s, suffixes[i]))
			return n - s;
	}
	return 0;
}

bool kmodule_file_name(const char *file)
{
	return stem(file) > 0;
}

/* Files may be called dm-mod.ko; the kernel says dm_mod. */
static char *kernel_name(const char *text, size_t size)
{
	char *name = mem_strn(text, size);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static bool scan(struct files *f, const char *path, int depth, struct err *err)
{
	DIR *dir = opendir(path);
	if (!dir)
		return err_sys(err, errno, "looking for kernel modules in %s", path);
	bool ok = true;
	for (struct dirent *e; ok && (e = readdir(dir));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, "build") ||
			!strcmp(e->d_name, "source"))
			continue;
		char *child = mem_printf("%s/%s", path, e->d_name);
		struct stat st;
		if (lstat(child, &st) < 0)
			ok = err_sys(err, errno, "looking for kernel modules in %s", path);
		else if (S_ISDIR(st.st_mode) && depth > 0)
			ok = scan(f, child, depth - 1, err);
		else if (S_ISREG(st.st_mode) && !strcmp(e->d_name, "modules.builtin"))
			ok = file_read(child, BUILTIN_MAX, &f->builtin, err);
		else if (S_ISREG(st.st_mode) && stem(e->d_name) && f->count < FILES_MAX)
			ARRAY_PUSH(f->list, f->count, f->room) =
				(struct found){kernel_name(e->d_name, stem(e->d_name)), mem_str(child)};
		free(child);
	}
	closedir(dir);
	return ok;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

static const struct found *lookup(const struct files *f, const char *name)
{
	struct found key = {.name = (char *)(uintptr_t)name};
	return f->count ? bsearch(&key, f->list, f->count, sizeof *f->list, by_name) : NULL;
}

/* modules.builtin has lines like kernel/drivers/block/loop.ko. */
static bool built_in(const struct files *f, const char *name)
{
	for (const char *line = f->builtin.data; line && *line;) {
		size_t n = strcspn(line, "\n");
		char *text = mem_strn(line, n);
		const char *base = strrchr(text, '/');
		base = base ? base + 1 : text;
		char *is = kernel_name(base, stem(base));
		bool same = *is && !strcmp(is, name);
		free(is);
		free(text);
		if (same)
			return true;
		line += n + (line[n] == '\n');
	}
	return false;
}

/* ---- the .modinfo section: "key=value" strings, each ended by NUL bytes ---- */

char *kmodule_info(const void *bytes, size_t size, const char *key, struct err *err)
{
	Elf64_Ehdr h;
	if (size < sizeof h)
		goto bad;
	memcpy(&h, bytes, sizeof h);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_shentsize != sizeof(Elf64_Shdr) ||
		h.e_shstrndx >= h.e_shnum || h.e_shoff > size || (size - h.e_shoff) / sizeof(Elf64_Shdr) < h.e_shnum)
		goto bad;
	const char *base = bytes;
	Elf64_Shdr names, s;
	memcpy(&names, base + h.e_shoff + h.e_shstrndx * sizeof names, sizeof names);
	if (names.sh_offset > size || names.sh_size > size - names.sh_offset)
		goto bad;
	size_t key_size = strlen(key);
	for (unsigned i = 0; i < h.e_shnum; i++) {
		memcpy(&s, base + h.e_shoff + i * sizeof s, sizeof s);
		static const char section[] = ".modinfo";
		if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < sizeof section ||
			memcmp(base + names.sh_offset + s.sh_name, section, sizeof section))
			continue;
		if (s.sh_type == SHT_NOBITS || s.sh_offset > size || s.sh_size > size - s.sh_offset)
			goto bad;
		const char *p = base + s.sh_offset, *end = p + s.sh_size;
		while (p < end) {
			size_t n = strnlen(p, (size_t)(end - p));
			if (n > key_size && !memcmp(p, key, key_size) && p[key_size] == '=')
				return mem_strn(p + key_size + 1, n - key_size - 1);
			p += n + 1;
		}
	}
	return mem_str("");
bad:
	err_set(err, ERR_INPUT, "expected a 64-bit ELF object");
	return NULL;
}

/* ---- the closure ---- */

/* The kernel would spend some 25 M instructions a module on checking a signature; without one it only notes that it has none.
 * Layout: the signature, its description of 12 bytes ending with the signature's size, the mark. */
static void cut_signature(struct buf *module)
{
	static const char mark[] = "~Module signature appended~\n";
	size_t tail = sizeof mark - 1 + 12;
	if (module->size < tail || memcmp(module->data + module->size - sizeof mark + 1, mark, sizeof mark - 1))
		return;
	const unsigned char *p = (const unsigned char *)module->data + module->size - (sizeof mark - 1) - 4;
	size_t size = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (size <= module->size - tail)
		module->size -= tail + size;
}

static bool read_module(const struct found *file, struct kmodule *m, struct err *err)
{
	size_t n = strlen(file->path);
	struct buf raw = {0};
	bool ok = file_read(file->path, MODULE_MAX, &raw, err);
	if (ok && (n < 3 || strcmp(file->path + n - 3, ".ko"))) {
		ok = archive_decompress(raw.data, raw.size, MODULE_MAX, file->path, &m->bytes, err);
		buf_free(&raw);
	} else {
		m->bytes = raw;
	}
	m->name = mem_str(file->name);
	if (ok)
		cut_signature(&m->bytes);
	if (ok && !(m->depends = kmodule_info(m->bytes.data, m->bytes.size, "depends", err)))
		ok = err_prefix(err, "%s", file->path);
	return ok;
}

static bool have(const struct kmodules *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->list[i].name, name))
			return true;
	return false;
}

static void module_finish(struct kmodule *m)
{
	free(m->name);
	free(m->depends);
	buf_free(&m->bytes);
}

static bool add(struct kmodules *out, const struct files *f, const char *name, bool needed, int depth, struct err *err)
{
	if (have(out, name) || built_in(f, name))
		return true;
	const struct found *file = lookup(f, name);
	if (!file && !needed)
		return true;
	if (!file || depth == 0)
		return err_set(
			err, ERR_INPUT, "kernel module %s is %s", name, file ? "part of a circle" : "missing, and not built in");
	struct kmodule m = {0};
	bool ok = read_module(file, &m, err);
	for (char *p = ok ? m.depends : NULL; p && *p;) {
		size_t n = strcspn(p, ",");
		char *other = kernel_name(p, n);
		ok = ok && add(out, f, other, true, depth - 1, err);
		free(other);
		p += n + (p[n] == ',');
	}
	if (ok)
		ARRAY_PUSH(out->list, out->count, out->room) = m;
	else
		module_finish(&m);
	return ok;
}

bool kmodules_resolve(struct kmodules *m, const char *dir, struct err *err)
{
	struct files f = {0};
	bool ok = scan(&f, dir, DIR_DEPTH, err);
	if (f.count)
		qsort(f.list, f.count, sizeof *f.list, by_name);
	for (size_t i = 0; ok && i < sizeof wanted / sizeof *wanted; i++)
		ok = add(m, &f, wanted[i].name, wanted[i].needed, 32, err);
	if (!ok)
		err_prefix(err, "%s", dir);
	for (size_t i = 0; i < f.count; i++) {
		free(f.list[i].name);
		free(f.list[i].path);
	}
	free(f.list);
	buf_free(&f.builtin);
	return ok;
}

void kmodules_finish(struct kmodules *m)
{
	for (size_t i = 0; i < m->count; i++)
		module_finish(&m->list[i]);
	free(m->list);
	*m = (struct kmodules){0};
}
