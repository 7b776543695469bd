#include "engine/statediff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

#define WORDS_NAMED_MAX 64 /* words of a page whose names are looked up */

struct page {
	uint32_t number;
	const struct owner *owner; /* NULL: nobody's */
	bool gone;                 /* the owner is one of the first stop */
	const uint8_t *before, *after;
};

struct difference {
	const struct statediff_side *before, *after;
	struct page *list;
	size_t count, room, nobodys;
};

static void add(void *data, uint32_t number, const uint8_t *before, const uint8_t *after)
{
	struct difference *d = data;
	const struct owner *now = owners_of(d->after->owners, number), *then = owners_of(d->before->owners, number);
	struct page page = {.number = number, .owner = now ? now : then, .gone = !now, .before = before, .after = after};
	if (page.owner)
		ARRAY_PUSH(d->list, d->count, d->room) = page;
	else
		d->nobodys++;
}

/* Processes by pid, the kernel last; then by address. */
static int order(const void *a, const void *b)
{
	const struct owner *x = ((const struct page *)a)->owner, *y = ((const struct page *)b)->owner;
	uint32_t p = x->pid - 1, q = y->pid - 1;
	if (p != q)
		return p < q ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void print_registers(const struct regs *a, const struct regs *b, struct buf *out)
{
	uint64_t x, y;
	const char *name;
	buf_printf(out, "registers: %zu differ\n", regs_differ(a, b));
	for (size_t i = 0; (name = regs_name(i, b, &y)) != NULL; i++)
		if (regs_get(a, name, &x) && x != y)
			buf_printf(out, "  %-8s 0x%016" PRIx64 " -> 0x%016" PRIx64 "\n", name, x, y);
}

/* Does a name say the same variable as the last one did? Their ends differ in "+0x12". */
static bool is_same(const char *a, const char *b)
{
	const char *plus_a = strstr(a, "+0x"), *plus_b = strstr(b, "+0x");
	size_t size_a = plus_a ? (size_t)(plus_a - a) : strlen(a), size_b = plus_b ? (size_t)(plus_b - b) : strlen(b);
	return size_a == size_b && !memcmp(a, b, size_a);
}

static void print_names(const struct page *page, statediff_name *name, void *data, struct buf *out)
{
	struct buf last = {0};
	size_t words = 0, names = 0;
	for (unsigned at = 0; at < RAM_PAGE; at += 8) {
		unsigned byte = at;
		while (byte < at + 8 && page->before[byte] == page->after[byte])
			byte++;
		if (byte == at + 8)
			continue;
		if (words++ == WORDS_NAMED_MAX || names == STATEDIFF_NAMES_MAX) {
			buf_str(out, names ? ", ..." : "");
			break;
		}
		struct buf one = {0};
		name(data, page->owner->pid, page->owner->address + byte, &one);
		if (one.size && !(last.size && is_same(one.data, last.data))) {
			buf_printf(out, "%s%s", names++ ? ", " : ": ", one.data);
			buf_free(&last);
			last = one;
		} else
			buf_free(&one);
	}
	buf_free(&last);
}

static void print_page(const struct page *page, statediff_name *name, void *data, struct buf *out)
{
	const struct owner *owner = page->owner;
	unsigned bytes = 0;
	for (unsigned i = 0; i < RAM_PAGE; i++)
		bytes += page->before[i] != page->after[i];
	buf_printf(out, "    0x%" PRIx64 " ", owner->address);
	text_put_safe(out, owner->map, strlen(owner->map));
	buf_printf(out, "%s%u byte%s%s%s", *owner->map ? ", " : "", bytes, bytes == 1 ? "" : "s", owner->shared ? ", shared" : "",
		page->gone ? ", not mapped any more" : "");
	if (!page->gone && strcmp(owner->map, "[heap]") && strcmp(owner->map, "[stack]"))
		print_names(page, name, data, out);
	buf_char(out, '\n');
}

bool statediff_print(const struct statediff_side *before, const struct statediff_side *after, statediff_name *name, void *data,
	struct buf *out, struct err *err)
{
	struct difference d = {.before = before, .after = after};
	if (!ram_compare(before->ram, after->ram, add, &d, err))
		return false;
	if (d.count)
		qsort(d.list, d.count, sizeof *d.list, order);
	print_registers(&before->regs, &after->regs, out);
	buf_printf(out, "pages: %zu of %zu differ\n", d.count + d.nobodys, after->ram->size / RAM_PAGE);
	for (size_t i = 0, end; i < d.count; i = end) {
		const struct owner *owner = d.list[i].owner;
		for (end = i; end < d.count && d.list[end].owner->pid == owner->pid; end++)
			;
		buf_str(out, "  ");
		if (owner->pid) {
			text_put_safe(out, owner->name, strnlen(owner->name, sizeof owner->name));
			buf_printf(out, "[%u]", owner->pid);
		} else
			buf_str(out, "the kernel's code and data");
		buf_printf(out, ": %zu page%s\n", end - i, end - i == 1 ? "" : "s");
		for (size_t k = i; k < end && k < i + STATEDIFF_PAGES_MAX; k++)
			print_page(&d.list[k], name, data, out);
		if (end - i > STATEDIFF_PAGES_MAX)
			buf_printf(out, "    (%zu more)\n", end - i - STATEDIFF_PAGES_MAX);
	}
	if (d.nobodys)
		buf_printf(out, "  not mapped by a process (kernel stacks and objects, page tables, cached files): %zu page%s\n",
			d.nobodys, d.nobodys == 1 ? "" : "s");
	free(d.list);
	return true;
}
