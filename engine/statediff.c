#include "engine/statediff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

#define WORDS_NAMED_MAX 64 /* words of a page whose names are looked up */
#define MOVES_MAX       256

/* A page that is not the same in both. */
struct page {
	const struct owner *owner;
	uint64_t moved;                /* its address in the first, when it is another one; else 0 */
	const uint8_t *before, *after; /* one is NULL when it is mapped in the other only */
	unsigned bytes;                /* that differ; 0 when it is in one only */
};

/* Mappings of a process lie so much higher (or lower) in the second. */
struct move {
	uint32_t pid;
	uint64_t by;
};

/* Pages that lie one behind the other in the list, and belong together. */
struct group {
	const struct page *list;
	size_t count, before, after; /* of count: in the first only, in the second only */
	uint64_t bytes;
};

struct groups {
	struct group *list;
	size_t count, room;
};

struct difference {
	const struct statediff_side *before, *after;
	struct page *list;
	size_t count, room, pages;
	bool apart;
	struct move *moves;
	size_t move_count, move_room, pointers; /* pointers: words that differ only because what they point to has moved */
	statediff_name *name;
	void *data;
	struct buf *out;
};

/* ---- what differs ----------------------------------------------------------------------------------------------- */

static void add(struct difference *d, const struct owner *owner, uint64_t moved, const uint8_t *before, const uint8_t *after)
{
	if (!before || !after || memcmp(before, after, RAM_PAGE))
		ARRAY_PUSH(d->list, d->count, d->room) =
			(struct page){.owner = owner, .moved = moved, .before = before, .after = after};
}

static bool is_known_move(const struct difference *d, uint32_t pid, uint64_t by)
{
	for (size_t i = 0; i < d->move_count; i++)
		if (d->moves[i].pid == pid && d->moves[i].by == by)
			return true;
	return false;
}

enum word { WORD_SAME, WORD_POINTER /* to the same place, which has moved */, WORD_OTHER };

/* The 8 bytes at `at` of a page that is in both. */
static enum word word_at(const struct difference *d, const struct page *page, unsigned at)
{
	uint64_t a, b;
	memcpy(&a, page->before + at, sizeof a);
	memcpy(&b, page->after + at, sizeof b);
	if (a == b)
		return WORD_SAME;
	bool is_pointer = d->move_count && page->owner->kind == OWNER_PROCESS && is_known_move(d, page->owner->pid, b - a);
	return is_pointer ? WORD_POINTER : WORD_OTHER;
}

/* How much of each page differs; pages with nothing but pointers to the same places are taken out. */
static void count_bytes(struct difference *d)
{
	size_t kept = 0;
	for (size_t i = 0; i < d->count; i++) {
		struct page page = d->list[i];
		for (unsigned at = 0; page.before && page.after && at < RAM_PAGE; at += 8) {
			enum word word = word_at(d, &page, at);
			d->pointers += word == WORD_POINTER;
			for (unsigned byte = at; word == WORD_OTHER && byte < at + 8; byte++)
				page.bytes += page.before[byte] != page.after[byte];
		}
		if (page.bytes || !page.before || !page.after)
			d->list[kept++] = page;
	}
	d->count = kept;
}

/* Pages that are no process's. */
static void add_place(void *data, uint32_t number, const uint8_t *before, const uint8_t *after)
{
	struct difference *d = data;
	const struct owner *then = owners_of(d->before->owners, number), *now = owners_of(d->after->owners, number);
	d->pages++;
	if (!then || !now || then->kind == OWNER_PROCESS || now->kind == OWNER_PROCESS)
		return;
	add(d, now->kind == OWNER_FREE ? then : now, 0, before, after);
}

static int order_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int order_process(const struct owner *a, const struct owner *b)
{
	int pids = order_number(a->pid, b->pid);
	return pids ? pids : memcmp(a->name, b->name, sizeof a->name);
}

static int order_address(const void *a, const void *b)
{
	const struct owner *x = *(const struct owner *const *)a, *y = *(const struct owner *const *)b;
	int process = order_process(x, y);
	return process ? process : order_number(x->address, y->address);
}

/* Where in the mapping of which name. */
static int order_place(const void *a, const void *b)
{
	const struct owner *x = *(const struct owner *const *)a, *y = *(const struct owner *const *)b;
	int order = order_process(x, y);
	order = order ? order : strcmp(x->map, y->map);
	order = order ? order : order_number(x->part, y->part);
	return order ? order : order_number(x->offset, y->offset);
}

/* All pages of processes, or those of a list that are left over. It ends with NULL. */
struct mapped {
	const struct owner **list; /* owned */
	size_t count;
};

static struct mapped mapped(const struct owners *owners)
{
	size_t count;
	const struct owner *list = owners_list(owners, &count);
	struct mapped ret = {.list = mem_array(count + 1, sizeof *ret.list)};
	for (size_t i = 0; i < count; i++)
		if (list[i].kind == OWNER_PROCESS)
			ret.list[ret.count++] = &list[i];
	return ret;
}

static const uint8_t *bytes_of(const struct statediff_side *side, const struct owner *owner)
{
	return side->ram->map + (size_t)owner->page * RAM_PAGE;
}

/* Pairs of the same place in both; what has no partner stays in the lists. */
static void pair(struct difference *d, struct mapped *then, struct mapped *now, int (*order)(const void *a, const void *b))
{
	size_t i = 0, k = 0, kept_then = 0, kept_now = 0;
	qsort(then->list, then->count, sizeof *then->list, order);
	qsort(now->list, now->count, sizeof *now->list, order);
	while (i < then->count || k < now->count) {
		int which = i == then->count ? 1 : k == now->count ? -1 : order(&then->list[i], &now->list[k]);
		if (which < 0)
			then->list[kept_then++] = then->list[i++];
		else if (which > 0)
			now->list[kept_now++] = now->list[k++];
		else {
			const struct owner *a = then->list[i++], *b = now->list[k++];
			uint64_t moved = a->address == b->address ? 0 : a->address;
			if (moved && d->move_count < MOVES_MAX && !is_known_move(d, b->pid, b->address - moved))
				ARRAY_PUSH(d->moves, d->move_count, d->move_room) = (struct move){b->pid, b->address - moved};
			add(d, b, moved, bytes_of(d->before, a), bytes_of(d->after, b));
		}
	}
	then->count = kept_then;
	now->count = kept_now;
}

/* Mapped in one only: of interest when the memory that is there is not the same anyway. */
static void add_singles(struct difference *d, const struct mapped *list, bool is_before)
{
	for (size_t i = 0; i < list->count; i++) {
		const uint8_t *before = bytes_of(d->before, list->list[i]), *after = bytes_of(d->after, list->list[i]);
		if (memcmp(before, after, RAM_PAGE))
			add(d, list->list[i], 0, is_before ? before : NULL, is_before ? NULL : after);
	}
}

static void add_processes(struct difference *d)
{
	struct mapped then = mapped(d->before->owners), now = mapped(d->after->owners);
	if (d->apart)
		pair(d, &then, &now, order_place);
	pair(d, &then, &now, order_address);
	add_singles(d, &then, true);
	add_singles(d, &now, false);
	free(then.list);
	free(now.list);
}

/* ---- what belongs together -------------------------------------------------------------------------------------- */

static int order_owner(const struct owner *a, const struct owner *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind != OWNER_PROCESS)
		return 0;
	return order_process(a, b);
}

static int order_part(const struct owner *a, const struct owner *b)
{
	int whole = order_owner(a, b);
	if (whole)
		return whole;
	int process = order_process(a, b);
	return process ? process : strcmp(a->map, b->map);
}

static int order_page(const void *a, const void *b)
{
	const struct page *x = a, *y = b;
	int part = order_part(x->owner, y->owner);
	if (part)
		return part;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	int address = order_number(x->owner->address, y->owner->address);
	return address ? address : order_number(x->owner->page, y->owner->page);
}

/* Processes, then the rest; the largest first, and what is free last. */
static int order_group(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	const struct owner *p = x->list->owner, *q = y->list->owner;
	int first = p->kind == OWNER_PROCESS ? 0 : p->kind == OWNER_FREE ? 2 : 1;
	int second = q->kind == OWNER_PROCESS ? 0 : q->kind == OWNER_FREE ? 2 : 1;
	if (first != second)
		return first - second;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->list < y->list ? -1 : x->list > y->list;
}

static struct groups groups_of(const struct page *list, size_t count, int (*order)(const struct owner *a, const struct owner *b))
{
	struct groups ret = {0};
	for (size_t i = 0, end; i < count; i = end) {
		struct group group = {.list = list + i};
		for (end = i; end < count && !order(list[i].owner, list[end].owner); end++) {
			group.before += !list[end].after;
			group.after += !list[end].before;
			group.bytes += list[end].bytes;
		}
		group.count = end - i;
		ARRAY_PUSH(ret.list, ret.count, ret.room) = group;
	}
	if (ret.count)
		qsort(ret.list, ret.count, sizeof *ret.list, order_group);
	return ret;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

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

static void print_names(const struct difference *d, const struct page *page)
{
	struct buf last = {0};
	size_t words = 0, names = 0;
	for (unsigned at = 0; at < RAM_PAGE; at += 8) {
		unsigned byte = at;
		if (word_at(d, page, at) != WORD_OTHER)
			continue;
		while (page->before[byte] == page->after[byte])
			byte++;
		if (words++ == WORDS_NAMED_MAX || names == STATEDIFF_NAMES_MAX) {
			buf_str(d->out, names ? ", ..." : "");
			break;
		}
		struct buf one = {0};
		d->name(d->data, page->owner->pid, page->owner->address + byte, &one);
		if (one.size && !(last.size && is_same(one.data, last.data))) {
			buf_printf(d->out, "%s%s", names++ ? ", " : ": ", one.data);
			buf_free(&last);
			last = one;
		} else
			buf_free(&one);
	}
	buf_free(&last);
}

static void print_page(const struct difference *d, const struct page *page, const char *indent)
{
	const struct owner *owner = page->owner;
	buf_str(d->out, indent);
	if (page->moved)
		buf_printf(d->out, "0x%" PRIx64 " -> ", page->moved);
	buf_printf(d->out, "0x%" PRIx64 " %u byte%s%s", owner->address, page->bytes, page->bytes == 1 ? "" : "s",
		owner->shared ? ", shared" : "");
	if (strcmp(owner->map, "[heap]") && strcmp(owner->map, "[stack]"))
		print_names(d, page);
	buf_char(d->out, '\n');
}

static void print_more(const struct difference *d, size_t count, size_t shown, const char *indent)
{
	if (count > shown)
		buf_printf(d->out, "%s(%zu more)\n", indent, count - shown);
}

static void print_pages(const struct difference *d, const struct group *group, const char *indent)
{
	size_t both = group->count - group->before - group->after; /* they come first: bytes of them differ */
	for (size_t i = 0; i < both && i < STATEDIFF_PAGES_MAX; i++)
		print_page(d, &group->list[i], indent);
	print_more(d, both, STATEDIFF_PAGES_MAX, indent);
}

/* ": 3 pages, 41 bytes; 1 mapped only in the first" */
static void print_size(const struct difference *d, const struct group *group)
{
	size_t both = group->count - group->before - group->after;
	const char *between = ": ";
	if (both || !group->count)
		buf_printf(d->out, "%s%zu page%s, %" PRIu64 " byte%s", between, both, both == 1 ? "" : "s", group->bytes,
			group->bytes == 1 ? "" : "s");
	between = both ? "; " : between;
	if (group->before)
		buf_printf(d->out, "%s%zu mapped only in the first", between, group->before);
	between = group->before ? ", " : between;
	if (group->after)
		buf_printf(d->out, "%s%zu mapped only in the second", between, group->after);
	buf_char(d->out, '\n');
}

static void print_process(const struct owner *owner, struct buf *out)
{
	text_put_safe(out, owner->name, strnlen(owner->name, sizeof owner->name));
	buf_printf(out, "[%u]", owner->pid);
}

static void print_part(const struct difference *d, const struct group *part)
{
	const struct owner *owner = part->list->owner;
	buf_str(d->out, "    ");
	if (owner->kind == OWNER_STACK)
		print_process(owner, d->out);
	else if (*owner->map)
		text_put_safe(d->out, owner->map, strlen(owner->map));
	else
		buf_str(d->out, owner->kind == OWNER_FILE ? "(without a name)" : "(anonymous)");
	print_size(d, part);
	if (owner->kind == OWNER_PROCESS)
		print_pages(d, part, "      ");
}

static void print_owner(const struct difference *d, const struct group *group)
{
	static const char *const titles[] = {[OWNER_KERNEL] = "the kernel's code and data",
		[OWNER_STACK] = "stacks of processes in the kernel",
		[OWNER_SLAB] = "objects of the kernel",
		[OWNER_FILE] = "files in memory",
		[OWNER_TABLES] = "page tables",
		[OWNER_OTHER] = "other memory of the kernel",
		[OWNER_FREE] = "free memory"};
	const struct owner *owner = group->list->owner;
	buf_str(d->out, "  ");
	if (owner->kind == OWNER_PROCESS)
		print_process(owner, d->out);
	else
		buf_str(d->out, titles[owner->kind]);
	print_size(d, group);
	if (owner->kind == OWNER_KERNEL)
		print_pages(d, group, "    ");
	if (owner->kind == OWNER_KERNEL || owner->kind >= OWNER_TABLES)
		return;
	struct groups parts = groups_of(group->list, group->count, order_part);
	for (size_t i = 0; i < parts.count && i < STATEDIFF_PARTS_MAX; i++)
		print_part(d, &parts.list[i]);
	print_more(d, parts.count, STATEDIFF_PARTS_MAX, "    ");
	free(parts.list);
}

static void print_memory(const struct difference *d)
{
	struct groups groups = groups_of(d->list, d->count, order_owner);
	size_t processes = 0;
	for (size_t i = 0; i < groups.count; i++) {
		bool is_process = groups.list[i].list->owner->kind == OWNER_PROCESS;
		processes += is_process;
		if (!is_process || processes <= STATEDIFF_OWNERS_MAX)
			print_owner(d, &groups.list[i]);
	}
	if (processes > STATEDIFF_OWNERS_MAX)
		buf_printf(d->out, "  (%zu more processes)\n", processes - STATEDIFF_OWNERS_MAX);
	free(groups.list);
}

bool statediff_print(const struct statediff_side *before, const struct statediff_side *after, bool apart, statediff_name *name,
	void *data, struct buf *out, struct err *err)
{
	struct difference d = {.before = before, .after = after, .apart = apart, .name = name, .data = data, .out = out};
	if (!ram_compare(before->ram, after->ram, add_place, &d, err))
		return false;
	if (d.pages)
		add_processes(&d);
	count_bytes(&d);
	if (d.count)
		qsort(d.list, d.count, sizeof *d.list, order_page);
	print_registers(&before->regs, &after->regs, out);
	buf_printf(out, "pages: %zu of %zu differ\n", d.pages, after->ram->size / RAM_PAGE);
	print_memory(&d);
	if (d.pointers)
		buf_printf(out, "  (%zu pointers to what has moved, at the same place of it, are not counted)\n", d.pointers);
	if (!d.pages && !regs_differ(&before->regs, &after->regs))
		buf_str(out, "the two are equal: the same registers, the same memory\n");
	free(d.moves);
	free(d.list);
	return true;
}
