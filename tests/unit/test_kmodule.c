#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/file.h"
#include "engine/kernel.h"
#include "engine/kmodule.h"
#include "engine/zst.h"
#include "unit.h"

/* The least ELF object with a .modinfo section: header, names, modinfo, three section headers. */
static void make_module(struct buf *out, const char *depends)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	struct buf info = {0};
	buf_str(&info, "license=GPL");
	buf_char(&info, '\0');
	buf_printf(&info, "depends=%s", depends);
	buf_char(&info, '\0');
	Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_shoff = sizeof h,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2};
	Elf64_Shdr s[3] = {{0}, {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof h + sizeof s, .sh_size = info.size},
		{.sh_name = 10, .sh_type = SHT_STRTAB, .sh_offset = sizeof h + sizeof s + info.size, .sh_size = sizeof names}};
	buf_add(out, &h, sizeof h);
	buf_add(out, s, sizeof s);
	buf_add(out, info.data, info.size);
	buf_add(out, names, sizeof names);
	buf_free(&info);
}

static void modinfo(void)
{
	struct buf m = {0};
	struct err err = {0};
	make_module(&m, "libcrc32c,nfnetlink");
	char *value = kmodule_info(m.data, m.size, "depends", &err);
	CU_ASSERT_STRING_EQUAL(value, "libcrc32c,nfnetlink");
	free(value);
	value = kmodule_info(m.data, m.size, "depend", &err);
	CU_ASSERT_STRING_EQUAL(value, "");
	free(value);
	for (size_t n = 0; n < m.size; n++) {
		char *copy = mem_strn(m.data, n), *got = kmodule_info(copy, n, "depends", &err);
		CU_ASSERT_PTR_NULL(got);
		free(got);
		free(copy);
	}
	/* Any one byte changed: an answer or an error, never a crash. */
	for (size_t i = 0; i < m.size; i++) {
		m.data[i] = (char)~m.data[i];
		free(kmodule_info(m.data, m.size, "depends", &err));
		m.data[i] = (char)~m.data[i];
	}
	buf_free(&m);
}

static void put(int dir, const char *name, const char *depends)
{
	struct buf m = {0}, packed = {0};
	size_t n = strlen(name);
	make_module(&m, depends);
	if (!strcmp(name + n - 4, ".zst"))
		CU_ASSERT_TRUE(zst_pack(m.data, m.size, &packed, NULL));
	CU_ASSERT_TRUE(file_write_in(dir, name, packed.size ? packed.data : m.data, packed.size ? packed.size : m.size, NULL));
	buf_free(&m);
	buf_free(&packed);
}

static void load_order(void)
{
	char path[256];
	const char *base = getenv("TMPDIR");
	struct err err = {0};
	struct kmodules m = {0};
	snprintf(path, sizeof path, "%s/polecat-unit-XXXXXX", base ? base : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
	int up = file_open_dir(base ? base : "/tmp", &err), dir = file_open_dir(path, &err),
	    sub = file_mkdir_in(dir, "kernel", &err);
	put(sub, "overlay.ko", "");
	put(sub, "bridge.ko.zst", "stp,llc");
	put(sub, "stp.ko", "llc");
	put(sub, "llc.ko", "");
	put(sub, "dm-mod.ko", "");
	put(sub, "dm-delay.ko", "dm-mod");
	CU_ASSERT_FALSE(kmodules_resolve(&m, path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "kernel module veth is missing, and not built in"));
	kmodules_finish(&m);
	static const char builtin[] = "kernel/drivers/net/veth.ko\nkernel/drivers/block/loop.ko\n";
	CU_ASSERT_TRUE(file_write_in(dir, "modules.builtin", builtin, sizeof builtin - 1, &err));
	CU_ASSERT_TRUE(kmodules_resolve(&m, path, &err));
	struct buf order = {0};
	for (size_t i = 0; i < m.count; i++)
		buf_printf(&order, "%s ", m.list[i].name);
	CU_ASSERT_STRING_EQUAL(order.data, "overlay llc stp bridge dm_mod dm_delay ");
	kmodules_finish(&m);
	buf_free(&order);
	put(sub, "llc.ko", "stp");
	CU_ASSERT_FALSE(kmodules_resolve(&m, path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "circle"));
	kmodules_finish(&m);
	put(sub, "llc.ko", "gone");
	CU_ASSERT_FALSE(kmodules_resolve(&m, path, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "kernel module gone is missing"));
	kmodules_finish(&m);
	CU_ASSERT_TRUE(file_remove_in(up, strrchr(path, '/') + 1, &err));
	close(sub);
	close(dir);
	close(up);
}

static void kernel_images(void)
{
	struct buf out = {0}, packed = {0}, image = {0};
	struct err err = {0};
	static const char elf[] = "\177ELF and so on, and on, and on";
	CU_ASSERT_TRUE(kernel_unpack(elf, sizeof elf, &out, &err) && out.size == sizeof elf);
	CU_ASSERT_FALSE(kernel_unpack("MZ", 2, &out, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "expected an ELF vmlinux or a bzImage"));
	/* A bzImage: two sectors of header, then the payload and its unpacked size. */
	CU_ASSERT_TRUE(zst_pack(elf, sizeof elf, &packed, &err));
	char head[1024] = "";
	head[0x1f1] = 1;
	memcpy(head + 0x202, "HdrS", 4);
	head[0x24c] = (char)(packed.size + 4);
	buf_add(&image, head, sizeof head);
	buf_add(&image, packed.data, packed.size);
	buf_add(&image, "\x20\0\0\0", 4);
	buf_clear(&out);
	CU_ASSERT_TRUE(kernel_unpack(image.data, image.size, &out, &err));
	CU_ASSERT_TRUE(out.size == sizeof elf && !memcmp(out.data, elf, sizeof elf));
	for (size_t n = 0; n < image.size; n++)
		CU_ASSERT_FALSE(kernel_unpack(image.data, n, &out, &err));
	memset(image.data + 0x248, 0xff, 4);
	CU_ASSERT_FALSE(kernel_unpack(image.data, image.size, &out, &err));
	buf_free(&out);
	buf_free(&packed);
	buf_free(&image);
}

const struct test suite_kmodule[] = {
	{"the text inside a module", modinfo}, {"load order", load_order}, {"kernel images", kernel_images}, {0}};
