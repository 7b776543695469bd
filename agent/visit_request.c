#include "agent/visit_request.h"

#include <string.h>

#include "agent/input.h"

static bool split(struct wire_bytes b, const char **list)
{
	size_t count = 0;
	if (b.size && b.data[b.size - 1] != 0)
		return false;
	for (size_t at = 0; at < b.size; at += strlen((const char *)b.data + at) + 1) {
		if (count == VISIT_STRINGS_MAX)
			return false;
		list[count++] = (const char *)b.data + at;
	}
	list[count] = NULL;
	return true;
}

bool visit_size(const uint8_t *header, size_t *ret, struct why *why)
{
	const uint8_t *p = header + VISIT_REQUEST;
	uint32_t size = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	*ret = size;
	return size <= VISIT_REQUEST_MAX ||
		why_set(why, 0, "a request of %u bytes: expected at most %d", size, VISIT_REQUEST_MAX);
}

bool visit_read(const uint8_t *header, size_t node_count, struct visit_request *ret, struct why *why)
{
	const uint8_t *p = header + VISIT_REQUEST;
	struct wire_message m;
	size_t size, used;
	if (!visit_size(header, &size, why))
		return false;
	enum wire_result result = wire_decode(p + 4, size, &m, &used);
	if (result != WIRE_OK || used != size)
		return why_set(why, 0, "the request is not one frame: %s", wire_result_text(result));
	if (m.type != WIRE_VISIT || m.node > node_count)
		return why_set(why, 0, "the request is %s for node %llu", wire_type_name(m.type), (unsigned long long)m.node);
	if (!split(m.argv, ret->argv) || !ret->argv[0] || !split(m.env, ret->env))
		return why_set(why, 0, "the request's command: expected at least one and at most %d strings", VISIT_STRINGS_MAX);
	if (m.cwd.size >= sizeof ret->cwd || (m.cwd.size && memchr(m.cwd.data, 0, m.cwd.size)))
		return why_set(why, 0, "the request's directory: expected fewer than %zu bytes", sizeof ret->cwd);
	uint64_t rows = m.value & 0xffff, columns = m.value >> 16, reads = m.code & ~(uint64_t)WIRE_VISIT_HOLD;
	if (reads > WIRE_VISIT_TERMINAL)
		return why_set(why, 0, "the request's input is of kind %llu: expected at most %d", (unsigned long long)reads,
			WIRE_VISIT_TERMINAL);
	if (reads == WIRE_VISIT_TERMINAL && (!rows || rows > INPUT_SIZE_MAX || !columns || columns > INPUT_SIZE_MAX))
		return why_set(why, 0, "the request's terminal has %llu columns and %llu rows: expected 1 to %d each",
			(unsigned long long)columns, (unsigned long long)rows, INPUT_SIZE_MAX);
	memcpy(ret->cwd, m.cwd.data, m.cwd.size);
	ret->cwd[m.cwd.size] = 0;
	ret->node = (size_t)m.node;
	ret->reads = (enum wire_visit)reads;
	ret->hold = m.code & WIRE_VISIT_HOLD;
	ret->rows = (uint16_t)rows;
	ret->columns = (uint16_t)columns;
	return true;
}
