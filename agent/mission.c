#include "agent/mission.h"

#include <string.h>

/* Splits strings that each end with a NUL byte. list holds at least MISSION_STRINGS_MAX + 1 pointers. */
static bool split(struct wire_bytes b, const char **list, size_t *ret_count)
{
	size_t count = 0;
	if (b.size && b.data[b.size - 1] != 0)
		return false;
	for (size_t at = 0; at < b.size; at += strlen((const char *)b.data + at) + 1) {
		if (count == MISSION_STRINGS_MAX)
			return false;
		list[count++] = (const char *)b.data + at;
	}
	list[count] = NULL;
	*ret_count = count;
	return true;
}

static bool copy_text(struct wire_bytes b, char *out, size_t room)
{
	if (b.size >= room || (b.size && memchr(b.data, 0, b.size)))
		return false;
	memcpy(out, b.data, b.size);
	out[b.size] = 0;
	return true;
}

static bool read_run(const struct wire_message *m, struct mission *o, struct why *why)
{
	if (m->value != WIRE_VERSION)
		return why_set(why, 0, "version %llu: expected %d", (unsigned long long)m->value, WIRE_VERSION);
	if (m->bytes.size != WIRE_DIGEST_SIZE)
		return why_set(why, 0, "a digest of %zu bytes: expected %d", m->bytes.size, WIRE_DIGEST_SIZE);
	if (m->entropy.size > MISSION_ENTROPY_MAX)
		return why_set(why, 0, "%zu bytes of entropy: expected at most %d", m->entropy.size, MISSION_ENTROPY_MAX);
	memcpy(o->digest, m->bytes.data, WIRE_DIGEST_SIZE);
	o->entropy = m->entropy;
	o->limit_ns = m->limit_ns;
	o->wait = m->wait;
	return true;
}

static bool read_ready(const struct wire_message *m, struct mission_node *n, struct why *why)
{
	if (m->ready > WIRE_READY_LINE)
		return why_set(
			why, 0, "ready %llu of node %llu is unknown", (unsigned long long)m->ready, (unsigned long long)m->node);
	n->ready = (enum wire_ready)m->ready;
	if (n->ready == WIRE_READY_PORT && (m->ready_value < 1 || m->ready_value > UINT16_MAX))
		return why_set(why, 0, "the ready port of node %llu: expected 1 to 65535", (unsigned long long)m->node);
	n->port = (uint16_t)m->ready_value;
	if (n->ready == WIRE_READY_LINE && (m->ready_text.size < 1 || m->ready_text.size > MISSION_TEXT_MAX))
		return why_set(why, 0, "the ready text of node %llu: expected 1 to %d bytes", (unsigned long long)m->node,
			MISSION_TEXT_MAX);
	n->ready_text = m->ready_text;
	return true;
}

static bool read_node(const struct wire_message *m, struct mission *o, struct why *why)
{
	size_t i = o->node_count, argc, envc;
	if (m->node != i || i == WIRE_NODES_MAX)
		return why_set(why, 0, "node %llu: expected node %zu", (unsigned long long)m->node, i);
	struct mission_node *n = &o->nodes[i];
	if (!split(m->argv, n->argv, &argc) || argc < 1 || !n->argv[0][0])
		return why_set(why, 0, "the command of node %zu: expected 1 to %d strings", i, MISSION_STRINGS_MAX);
	if (!split(m->env, n->env, &envc))
		return why_set(why, 0, "the environment of node %zu: expected at most %d strings", i, MISSION_STRINGS_MAX);
	if (!copy_text(m->cwd, n->cwd, sizeof n->cwd) || n->cwd[0] != '/')
		return why_set(why, 0, "the working directory of node %zu: expected an absolute path", i);
	if (m->uid >= UINT32_MAX || m->gid >= UINT32_MAX)
		return why_set(why, 0, "user or group of node %zu: expected less than 4294967295", i);
	if (m->restart > WIRE_RESTART_ALWAYS)
		return why_set(why, 0, "restart %llu of node %zu is unknown", (unsigned long long)m->restart, i);
	n->uid = (uint32_t)m->uid;
	n->gid = (uint32_t)m->gid;
	n->restart = (enum wire_restart)m->restart;
	n->delay_ns = m->delay_ns;
	n->wait = m->wait;
	o->node_count++;
	return read_ready(m, n, why);
}

static bool read_stdin(const struct wire_message *m, struct mission *o, struct why *why)
{
	if (o->stdin_count == MISSION_STDIN_MAX)
		return why_set(why, 0, "more than %d pieces of input", MISSION_STDIN_MAX);
	if (m->node >= o->node_count)
		return why_set(why, 0, "input for node %llu: there are %zu", (unsigned long long)m->node, o->node_count);
	o->stdins[o->stdin_count++] = (struct mission_stdin){.node = (size_t)m->node,
		.invocation = m->invocation,
		.offset = m->offset,
		.end = m->code != 0,
		.bytes = m->bytes,
		.delay_ns = m->delay_ns};
	return true;
}

bool mission_read_trouble(const struct wire_message *m, size_t node_count, struct mission_trouble *t, struct why *why)
{
	size_t i = (size_t)m->fault, count;
	if (!copy_text(m->bytes, t->kind, sizeof t->kind) || !t->kind[0])
		return why_set(why, 0, "the kind of fault %zu: expected a name", i);
	if (!split(m->params, t->params, &count))
		return why_set(why, 0, "the parameters of fault %zu: expected at most %d strings", i, MISSION_STRINGS_MAX);
	if (m->node >= node_count)
		return why_set(why, 0, "fault %zu is for node %llu: there are %zu", i, (unsigned long long)m->node, node_count);
	if (m->trigger > WIRE_ON_EXIT)
		return why_set(why, 0, "trigger %llu of fault %zu is unknown", (unsigned long long)m->trigger, i);
	t->node = (size_t)m->node;
	t->for_ns = m->for_ns;
	t->trigger = (enum wire_trigger)m->trigger;
	t->trigger_value = m->trigger_value;
	t->trigger_of = m->trigger_of;
	t->trigger_nth = m->trigger_nth;
	t->delay_ns = m->delay_ns;
	return true;
}

static bool read_trouble(const struct wire_message *m, struct mission *o, struct why *why)
{
	size_t i = o->trouble_count;
	if (m->fault != i || i == WIRE_FAULTS_MAX)
		return why_set(why, 0, "fault %llu: expected fault %zu", (unsigned long long)m->fault, i);
	if (!mission_read_trouble(m, o->node_count, &o->troubles[i], why))
		return false;
	o->trouble_count++;
	return true;
}

static bool read_frame(const struct wire_message *m, bool first, struct mission *o, struct why *why)
{
	if (first != (m->type == WIRE_RUN))
		return why_set(why, 0, "a frame %s: expected run first and once", wire_type_name(m->type));
	switch (m->type) {
	case WIRE_RUN:
		return read_run(m, o, why);
	case WIRE_NODE:
		return read_node(m, o, why);
	case WIRE_STDIN:
		return read_stdin(m, o, why);
	case WIRE_TROUBLE:
		return read_trouble(m, o, why);
	default:
		return why_set(why, 0, "a frame %s: expected node, stdin or trouble", wire_type_name(m->type));
	}
}

bool mission_check_trigger(
	const struct mission_trouble *t, size_t index, size_t trouble_count, size_t node_count, struct why *why)
{
	size_t end = t->trigger == WIRE_AT ? SIZE_MAX : t->trigger == WIRE_AFTER ? trouble_count : node_count;
	return t->trigger_of < end ||
		why_set(why, 0, "fault %zu is triggered by number %llu of %zu", index, (unsigned long long)t->trigger_of, end);
}

static bool check_whole(const struct mission *o, const struct spec *spec, struct why *why)
{
	if (o->node_count != spec->count)
		return why_set(why, 0, "orders: %zu nodes: the machine has %zu", o->node_count, spec->count);
	uint64_t all = ((uint64_t)1 << o->node_count) - 1;
	if (o->wait & ~all)
		return why_set(why, 0, "orders: the run waits for a node that there is not");
	for (size_t i = 0; i < o->node_count; i++)
		if (o->nodes[i].wait & ~all || o->nodes[i].wait & (uint64_t)1 << i)
			return why_set(why, 0, "orders: node %zu waits for itself or for a node that there is not", i);
	for (size_t i = 0; i < o->trouble_count; i++) {
		struct why inner;
		if (!mission_check_trigger(&o->troubles[i], i, o->trouble_count, o->node_count, &inner))
			return why_set(why, 0, "orders: %s", inner.text);
	}
	return true;
}

bool mission_read(const uint8_t *data, size_t size, const struct spec *spec, struct mission *ret, struct why *why)
{
	size_t used;
	if (size > MISSION_SIZE_MAX)
		return why_set(why, 0, "orders: %zu bytes: expected at most %d", size, MISSION_SIZE_MAX);
	ret->node_count = ret->stdin_count = ret->trouble_count = 0;
	for (size_t at = 0; at < size; at += used) {
		struct wire_message m;
		struct why inner;
		enum wire_result result = wire_decode(data + at, size - at, &m, &used);
		if (result != WIRE_OK)
			return why_set(why, 0, "orders: byte %zu: %s", at, wire_result_text(result));
		if (!read_frame(&m, at == 0, ret, &inner))
			return why_set(why, 0, "orders: byte %zu: %s", at, inner.text);
	}
	if (!size)
		return why_set(why, 0, "orders: empty");
	return check_whole(ret, spec, why);
}

const char *mission_param(const struct mission_trouble *t, const char *name)
{
	size_t size = strlen(name);
	for (const char *const *p = t->params; *p; p++)
		if (strncmp(*p, name, size) == 0 && (*p)[size] == '=')
			return *p + size + 1;
	return NULL;
}

bool mission_has_stdin(const struct mission *o, size_t node, uint64_t invocation)
{
	for (size_t i = 0; i < o->stdin_count; i++)
		if (o->stdins[i].node == node && (!o->stdins[i].invocation || o->stdins[i].invocation == invocation))
			return true;
	return false;
}
