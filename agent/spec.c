#include "agent/spec.h"

#include <string.h>

enum { ADDRESS_FIRST = 0x0a4d000a, IMAGES_MAX = 64 };

static bool good_name(struct wire_bytes name)
{
	if (name.size < 1 || name.size > SPEC_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.size; i++) {
		uint8_t c = name.data[i];
		bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (!alnum && c != '-' && c != '_')
			return false;
	}
	return true;
}

static bool read_machine(const struct wire_message *m, struct spec *spec, struct why *why)
{
	if (m->value != WIRE_VERSION)
		return why_set(why, 0, "spec: version %llu: expected %d", (unsigned long long)m->value, WIRE_VERSION);
	if (m->bytes.size > SPEC_TEXT_MAX)
		return why_set(why, 0, "spec: a machine text of %zu bytes: expected at most %d", m->bytes.size, SPEC_TEXT_MAX);
	memcpy(spec->machine, m->bytes.data, m->bytes.size);
	return true;
}

static bool read_host(const struct wire_message *m, struct spec *spec, struct why *why)
{
	size_t i = spec->count;
	if (i == WIRE_NODES_MAX)
		return why_set(why, 0, "spec: more than %d nodes", WIRE_NODES_MAX);
	if (m->node != i)
		return why_set(why, 0, "spec: node %llu: expected node %zu", (unsigned long long)m->node, i);
	if (!good_name(m->bytes))
		return why_set(
			why, 0, "spec: the name of node %zu: expected 1 to %d letters, digits, '-' or '_'", i, SPEC_NAME_MAX);
	if (m->address > UINT32_MAX)
		return why_set(why, 0, "spec: the address of node %zu is no IPv4 address", i);
	if (m->image >= IMAGES_MAX)
		return why_set(why, 0, "spec: image %llu of node %zu: expected less than %d", (unsigned long long)m->image, i,
			IMAGES_MAX);
	struct spec_host *host = &spec->hosts[i];
	memcpy(host->name, m->bytes.data, m->bytes.size);
	host->address = m->address ? (uint32_t)m->address : ADDRESS_FIRST + (uint32_t)i;
	host->disk_size = m->value;
	host->image = (unsigned)m->image;
	for (size_t k = 0; k < i; k++)
		if (spec->hosts[k].address == host->address || strcmp(spec->hosts[k].name, host->name) == 0)
			return why_set(why, 0, "spec: nodes %zu and %zu have one name or one address", k, i);
	spec->count++;
	return true;
}

bool spec_read(const uint8_t *data, size_t size, struct spec *ret, struct why *why)
{
	struct spec spec = {0};
	size_t used;
	if (size > SPEC_SIZE_MAX)
		return why_set(why, 0, "spec: %zu bytes: expected at most %d", size, SPEC_SIZE_MAX);
	for (size_t at = 0; at < size; at += used) {
		struct wire_message m;
		enum wire_result result = wire_decode(data + at, size - at, &m, &used);
		if (result != WIRE_OK)
			return why_set(why, 0, "spec: byte %zu: %s", at, wire_result_text(result));
		if (m.type != (at ? WIRE_HOST : WIRE_MACHINE))
			return why_set(why, 0, "spec: byte %zu: a frame %s: expected %s", at, wire_type_name(m.type),
				wire_type_name(at ? WIRE_HOST : WIRE_MACHINE));
		if (!(m.type == WIRE_MACHINE ? read_machine : read_host)(&m, &spec, why))
			return false;
	}
	if (!spec.count)
		return why_set(why, 0, "spec: no node");
	*ret = spec;
	return true;
}
