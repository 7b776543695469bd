#include "engine/eventindex.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define READ_CHUNK (1024 * 1024)

_Static_assert(READ_CHUNK > 2 * EVENT_LINE_MAX, "a chunk holds at least one whole line");

/* -- hashing: word-wise multiply and fold; fast, not meant to resist an adversary, whom only a diff's picture would fool -- */

#define HASH_FACTOR 0xd6e8feb86659fd93u

uint64_t eventindex_hash(uint64_t hash, const void *data, size_t size)
{
	const char *bytes = data;
	hash ^= size * HASH_FACTOR;
	for (; size >= 8; bytes += 8, size -= 8) {
		uint64_t word;
		memcpy(&word, bytes, 8);
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> 32;
	}
	uint64_t last = 0;
	memcpy(&last, bytes, size);
	hash = (hash ^ last) * HASH_FACTOR;
	hash ^= hash >> 29;
	hash *= EVENTINDEX_HASH;
	return hash ^ hash >> 32;
}

/* -- names -- */

static size_t names_slot(const struct names *names, const char *name, size_t size)
{
	size_t slot = (size_t)eventindex_hash(EVENTINDEX_HASH, name, size) & (names->slot_count - 1);
	while (names->slots[slot]) {
		const char *other = names->list[names->slots[slot] - 1];
		if (strncmp(other, name, size) == 0 && other[size] == '\0')
			break;
		slot = (slot + 1) & (names->slot_count - 1);
	}
	return slot;
}

static int names_find(const struct names *names, const char *name, size_t size)
{
	return names->slot_count ? (int)names->slots[names_slot(names, name, size)] - 1 : -1;
}

static void names_rehash(struct names *names)
{
	free(names->slots);
	names->slot_count = names->slot_count ? names->slot_count * 2 : 16;
	names->slots = mem_array(names->slot_count, sizeof *names->slots);
	for (size_t i = 0; i < names->count; i++)
		names->slots[names_slot(names, names->list[i], strlen(names->list[i]))] = (uint32_t)i + 1;
}

/* The number of a name, which is new if need be; -1 when there are too many. */
static int names_add(struct names *names, const char *name, size_t size)
{
	int known = names_find(names, name, size);
	if (known >= 0)
		return known;
	if (names->count == EVENTINDEX_NAMES_MAX)
		return -1;
	ARRAY_PUSH(names->list, names->count, names->room) = mem_strn(name, size);
	if (names->count * 2 > names->slot_count)
		names_rehash(names);
	else
		names->slots[names_slot(names, name, size)] = (uint32_t)names->count;
	return (int)names->count - 1;
}

static void names_finish(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	free(names->slots);
	*names = (struct names){0};
}

bool eventindex_init(
	struct eventindex *index, char *const *nodes, size_t node_count, char *const *faults, size_t fault_count, struct err *err)
{
	*index = (struct eventindex){0};
	bool ok = names_add(&index->nodes, "", 0) == 0;
	for (size_t i = 0; ok && i < node_count; i++)
		ok = names_add(&index->nodes, nodes[i], strlen(nodes[i])) == (int)i + 1;
	for (size_t i = 0; ok && i < fault_count; i++)
		ok = names_add(&index->faults, faults[i], strlen(faults[i])) == (int)i;
	if (ok)
		return true;
	eventindex_finish(index);
	return err_set(err, ERR_INPUT, "more than %d nodes or faults, or two of one name", EVENTINDEX_NAMES_MAX - 1);
}

void eventindex_finish(struct eventindex *index)
{
	names_finish(&index->nodes);
	names_finish(&index->faults);
	free(index->entries);
	*index = (struct eventindex){0};
}

int eventindex_node(const struct eventindex *index, const char *name)
{
	return names_find(&index->nodes, name, strlen(name));
}

int eventindex_fault(const struct eventindex *index, const char *id)
{
	return names_find(&index->faults, id, strlen(id));
}

/* -- one line -- */

/* A place in a line. error is what was expected at `at`, once something is wrong. */
struct scan {
	const char *start, *at, *end;
	const char *error;
};

static bool fail(struct scan *s, const char *expected)
{
	s->error = expected;
	return false;
}

#define TAKE(s, text) take(s, text, sizeof(text) - 1)

static bool take(struct scan *s, const char *text, size_t size)
{
	if ((size_t)(s->end - s->at) < size || memcmp(s->at, text, size) != 0)
		return fail(s, text);
	s->at += size;
	return true;
}

static bool take_number(struct scan *s, uint64_t *ret)
{
	uint64_t value = 0;
	const char *at = s->at;
	for (; at < s->end && *at >= '0' && *at <= '9'; at++) {
		unsigned digit = (unsigned)(*at - '0');
		if (value > (UINT64_MAX - digit) / 10)
			return fail(s, "a number below 2^64");
		value = value * 10 + digit;
	}
	if (at == s->at)
		return fail(s, "a number");
	s->at = at;
	*ret = value;
	return true;
}

#define EACH_BYTE(c) (0x0101010101010101u * (uint64_t)(c))

/* A word whose lowest set bit is in the first byte of `word` that is c; 0 if none is. (Bits above it may be wrong.) */
static uint64_t find_byte(uint64_t word, unsigned char c)
{
	uint64_t x = word ^ EACH_BYTE(c);
	return (x - EACH_BYTE(1)) & ~x & EACH_BYTE(0x80);
}

/* The first quote or backslash from at on, or end; eight bytes at a time, since most of a run is text in strings. */
static const char *find_special(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t word, found;
		memcpy(&word, at, sizeof word);
		found = find_byte(le64toh(word), '"') | find_byte(le64toh(word), '\\');
		if (found)
			return at + __builtin_ctzll(found) / 8;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* The inside of a string, as written; its escapes are not decoded. */
static bool take_string(struct scan *s, struct event_bytes *ret)
{
	if (s->at == s->end || *s->at != '"')
		return fail(s, "a string");
	const char *at = find_special(s->at + 1, s->end);
	while (at < s->end && *at == '\\')
		at = s->end - at > 2 ? find_special(at + 2, s->end) : s->end;
	if (at >= s->end)
		return fail(s, "a string that ends");
	*ret = (struct event_bytes){s->at + 1, (size_t)(at - s->at - 1)};
	s->at = at + 1;
	return true;
}

static bool take_name(struct scan *s, struct event_bytes *ret)
{
	const char *start = s->at;
	if (!take_string(s, ret))
		return false;
	bool plain = ret->size <= EVENTINDEX_NAME_MAX;
	for (size_t i = 0; plain && i < ret->size; i++)
		plain = (unsigned char)ret->data[i] >= ' ' && ret->data[i] != '\\';
	if (plain)
		return true;
	s->at = start;
	return fail(s, "a name");
}

/* Any value of a field: events have strings, numbers and true. */
static bool take_value(struct scan *s, struct event_bytes *ret)
{
	uint64_t number;
	const char *start = s->at;
	bool ok = start < s->end && *start == '"' ? take_string(s, ret)
		: start < s->end && *start == 't' ? TAKE(s, "true")
						  : take_number(s, &number);
	*ret = (struct event_bytes){start, (size_t)(s->at - start)};
	return ok || fail(s, "a string, a number or true");
}

static bool same(struct event_bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

static bool take_kind(struct scan *s, uint8_t *ret)
{
	static const struct event_bytes names[] = {
#define KIND_NAME(id, name) [EVENT_##id] = {name, sizeof name - 1},
		EVENT_KINDS(KIND_NAME)
#undef KIND_NAME
	};
	struct event_bytes name;
	const char *start = s->at;
	if (!take_string(s, &name))
		return false;
	for (uint8_t i = 0; i < EVENT_KIND_COUNT; i++)
		if (names[i].size == name.size && memcmp(names[i].data, name.data, name.size) == 0) {
			*ret = i;
			return true;
		}
	s->at = start;
	return fail(s, "a kind of event that this version knows");
}

/* Counters say where in its own run an event stands, not what happened; alignment must see past them. */
static bool is_counter(uint8_t kind, struct event_bytes key)
{
	switch (kind) {
	case EVENT_RUN_START:
		return same(key, "plan");
	case EVENT_NODE_STARTED:
		return same(key, "pid");
	case EVENT_IO_LINE:
		return same(key, "inv") || same(key, "line");
	case EVENT_NODE_EXITED:
		return same(key, "out_bytes") || same(key, "err_bytes") || same(key, "out_sha256") || same(key, "err_sha256");
	case EVENT_PROC_OOM:
		return same(key, "kills");
	default:
		return same(key, "inv") && kind != EVENT_NODE_READY && kind != EVENT_NODE_CLEANED &&
			kind != EVENT_NODE_LAUNCH_FAILED;
	}
}

static uint8_t flags_of(uint8_t kind, struct event_bytes key, struct event_bytes value)
{
	if (kind == EVENT_IO_LINE)
		return same(key, "stream") && same(value, "\"err\"") ? ENTRY_STDERR : 0;
	if (kind != EVENT_NODE_EXITED)
		return 0;
	if (same(key, "signal"))
		return ENTRY_SIGNAL | ENTRY_BAD_END;
	return same(key, "exit") && !same(value, "0") ? ENTRY_BAD_END : 0;
}

static bool is_fault(uint8_t kind)
{
	return kind >= EVENT_FAULT_SELECTED && kind <= EVENT_FAULT_HEALED;
}

/* The fields after the kind. fault is left empty unless there is one. */
static bool scan_fields(struct scan *s, struct entry *e, struct event_bytes *fault)
{
	while (s->at < s->end && *s->at == ',') {
		const char *start = s->at++;
		struct event_bytes key, value;
		if (!take_string(s, &key) || !TAKE(s, ":"))
			return false;
		const char *value_start = s->at;
		if (is_fault(e->kind) && same(key, "fault")) {
			if (!take_name(s, fault))
				return false;
			value = (struct event_bytes){value_start, (size_t)(s->at - value_start)};
		} else if (!take_value(s, &value)) {
			return false;
		}
		e->flags |= flags_of(e->kind, key, value);
		/* content gathers the counters here, and what is not one when all is read. */
		uint64_t *hash = is_counter(e->kind, key) ? &e->content : &e->gist;
		*hash = eventindex_hash(*hash, start, (size_t)(s->at - start));
	}
	if (!TAKE(s, "}"))
		return false;
	return s->at == s->end || fail(s, "the end of the line");
}

static bool scan_line(struct scan *s, struct entry *e, uint64_t seq, struct event_bytes *node, struct event_bytes *fault)
{
	uint64_t number;
	if (!TAKE(s, "{\"seq\":"))
		return false;
	const char *number_start = s->at;
	if (!take_number(s, &number))
		return false;
	if (number != seq) {
		s->at = number_start;
		return fail(s, "the number of this line");
	}
	if (!TAKE(s, ",\"icount\":") || !take_number(s, &e->icount) || !TAKE(s, ",\"vtime_ns\":") ||
		!take_number(s, &e->vtime_ns))
		return false;
	const char *content = s->at + 1;
	if (!TAKE(s, ",\"node\":") || !take_name(s, node) || !TAKE(s, ",\"kind\":") || !take_kind(s, &e->kind))
		return false;
	e->gist = eventindex_hash(EVENTINDEX_HASH, content, (size_t)(s->at - content));
	e->content = EVENTINDEX_HASH;
	if (!scan_fields(s, e, fault))
		return false;
	/* The plans are compared themselves; their digest would make every two runs part at their first event. */
	if (e->kind == EVENT_RUN_START)
		e->content = EVENTINDEX_HASH;
	e->content = eventindex_hash(e->content, &e->gist, sizeof e->gist);
	return true;
}

/* -- many lines -- */

static bool line_error(const struct eventindex *index, const struct scan *s, struct err *err)
{
	return err_set(
		err, ERR_INPUT, "line %zu, column %zu: expected %s", index->count + 1, (size_t)(s->at - s->start) + 1, s->error);
}

static bool add_line(struct eventindex *index, const char *line, size_t size, struct err *err)
{
	struct scan s = {line, line, line + size, NULL};
	struct entry e = {.offset = index->end};
	struct event_bytes node, fault = {0};
	if (index->count == EVENTINDEX_EVENTS_MAX)
		return err_set(err, ERR_INPUT, "more than %u events", EVENTINDEX_EVENTS_MAX);
	if (!scan_line(&s, &e, index->count + 1, &node, &fault))
		return line_error(index, &s, err);

	const struct entry *before = index->count ? &index->entries[index->count - 1] : NULL;
	if (before && e.icount < before->icount)
		return err_set(err, ERR_INPUT, "line %zu: its icount is less than that of the line before", index->count + 1);
	if (before && e.vtime_ns < before->vtime_ns)
		e.vtime_ns = before->vtime_ns;
	int node_number = names_add(&index->nodes, node.data, node.size);
	int fault_number = fault.data ? names_add(&index->faults, fault.data, fault.size) : 0;
	if (node_number < 0 || fault_number < 0)
		return err_set(err, ERR_INPUT, "line %zu: more than %d nodes or faults", index->count + 1, EVENTINDEX_NAMES_MAX);
	e.node = (uint16_t)node_number;
	e.fault = fault.data ? (uint32_t)fault_number + 1 : 0;
	ARRAY_PUSH(index->entries, index->count, index->room) = e;
	return true;
}

bool eventindex_is(const struct eventindex *index, size_t event, const char *line, size_t size)
{
	struct scan s = {line, line, line + size, NULL};
	struct entry e = {0};
	struct event_bytes node, fault = {0};
	return scan_line(&s, &e, event + 1, &node, &fault) && e.content == index->entries[event].content;
}

bool eventindex_feed(struct eventindex *index, const char *bytes, size_t size, size_t *ret_used, struct err *err)
{
	const char *at = bytes, *end = bytes + size;
	bool ok = true;
	while (ok && at < end) {
		size_t left = (size_t)(end - at);
		size_t most = left < EVENT_LINE_MAX ? left : EVENT_LINE_MAX;
		const char *newline = memchr(at, '\n', most);
		if (!newline && left < EVENT_LINE_MAX)
			break;
		if (!newline) {
			ok = err_set(err, ERR_INPUT, "line %zu: longer than %d bytes", index->count + 1, EVENT_LINE_MAX);
			break;
		}
		ok = add_line(index, at, (size_t)(newline - at), err);
		if (ok) {
			index->end += (size_t)(newline + 1 - at);
			at = newline + 1;
		}
	}
	*ret_used = (size_t)(at - bytes);
	return ok;
}

bool eventindex_read(struct eventindex *index, const struct eventfile *file, struct err *err)
{
	char *chunk = mem_alloc(READ_CHUNK);
	bool ok = true;
	size_t got, used;
	do {
		used = 0;
		ok = eventfile_read(file, index->end, chunk, READ_CHUNK, &got, err) &&
			eventindex_feed(index, chunk, got, &used, err);
	} while (ok && used > 0);
	free(chunk);
	return ok;
}
