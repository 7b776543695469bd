/* Reading a scenario: the file and its top level. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/digest.h"
#include "engine/file.h"
#include "engine/scenario.h"
#include "engine/scenario_keys.h"
#include "engine/scenario_parts.h"
#include "engine/schema.h"
#include "engine/yaml.h"

#define NS_PER_S UINT64_C(1000000000)

static const struct yaml nothing = {.kind = YAML_MAP};

/* Absent sections are read as empty ones, which gives the defaults of their tables. */
static const struct yaml *part(const struct yaml *top, const char *key)
{
	const struct yaml *value = yaml_get(top, key);
	return value ? value : &nothing;
}

static bool read_machine(const struct schema_reader *r, const struct yaml *value)
{
	struct keys_machine m = {0};
	if (!schema_read(r, &keys_machine, NULL, value, &m))
		return false;
	if (m.memory % (1 << 20) != 0)
		return schema_fail(r, yaml_get(value, "memory")->place, "`memory` must be a whole number of MiB");
	r->scenario->memory_bytes = m.memory;
	return true;
}

static bool read_limits(const struct schema_reader *r, const struct yaml *value)
{
	struct scenario_limits *limits = &r->scenario->limits;
	if (!schema_read(r, &keys_limits, NULL, value, limits))
		return false;
	if (limits->wall_s % NS_PER_S != 0)
		return schema_fail(r, yaml_get(value, "wall")->place, "`wall` must be a whole number of seconds");
	limits->wall_s /= NS_PER_S;
	return true;
}

static uint32_t all_nodes(const struct scenario *s)
{
	return (uint32_t)((UINT64_C(1) << s->node_count) - 1);
}

/* Services are ready or restart; the others are what the run is about. */
static uint32_t default_until(const struct scenario *s)
{
	uint32_t mask = 0;
	for (size_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].ready == READY_START && s->nodes[i].restart == RESTART_NEVER)
			mask |= UINT32_C(1) << i;
	return mask ? mask : all_nodes(s);
}

static bool read_until(const struct schema_reader *r, const struct yaml *value)
{
	struct scenario *s = r->scenario;
	struct keys_until until = {0};
	size_t nodes[SCENARIO_NODES_MAX], count;

	if (!value) {
		s->until = default_until(s);
		return true;
	}
	if (!schema_read(r, &keys_until, NULL, value, &until))
		return false;
	const struct yaml *exited = yaml_get(value, "exited");
	if (!exited == !until.vtime_ns)
		return schema_fail(r, value->place, "`until` needs exactly one of `exited` and `vtime`");
	if (exited)
		return schema_nodes(r, exited, "`exited`", nodes, &count, &s->until);
	if (until.vtime_ns > s->limits.vtime_ns)
		return schema_fail(
			r, yaml_get(value, "vtime")->place, "`until` is later than `limits.vtime`: the run would be cut before");
	s->limits.vtime_ns = until.vtime_ns;
	s->until_vtime = true;
	return true;
}

static bool read_top(const struct schema_reader *r, const struct yaml *top)
{
	struct scenario *s = r->scenario;
	struct keys_top keys = {0};
	bool ok = schema_read(r, &keys_top, NULL, top, &keys);

	s->name = keys.name;
	s->about = keys.about;
	const struct yaml *faults = ok ? yaml_get(top, "faults") : NULL;
	return ok && read_machine(r, part(top, "machine")) && read_limits(r, part(top, "limits")) &&
		scenario_read_nodes(r, yaml_get(top, "nodes")) && read_until(r, yaml_get(top, "until")) &&
		(!faults || scenario_read_faults(r, faults)) && scenario_read_properties(r, yaml_get(top, "properties"));
}

struct scenario *scenario_parse(
	const char *bytes, size_t size, const char *name_for_errors, const char *base_dir, struct err *err)
{
	uint8_t sum[DIGEST_SIZE];

	if (size > SCENARIO_BYTES_MAX) {
		err_set(err, ERR_INPUT, "%s: more than %d bytes", name_for_errors, SCENARIO_BYTES_MAX);
		return NULL;
	}
	struct yaml_document *document = yaml_parse(bytes, size, name_for_errors, err);
	if (!document)
		return NULL;
	struct scenario *s = mem_alloc(sizeof *s);
	s->file = mem_str(name_for_errors);
	s->bytes = mem_strn(bytes, size);
	s->size = size;
	digest_sha256(bytes, size, sum);
	digest_hex(sum, sizeof sum, s->sha256);
	struct schema_reader reader = {.scenario = s, .base_dir = base_dir, .err = err};
	bool ok = read_top(&reader, yaml_root(document));
	yaml_destroy(document);
	if (ok)
		return s;
	scenario_destroy(s);
	return NULL;
}

struct scenario *scenario_load(const char *path, struct err *err)
{
	struct buf bytes = {0};
	struct scenario *s = NULL;
	const char *slash = strrchr(path, '/');
	char *base_dir = mem_strn(path, slash ? (size_t)(slash - path) + 1 : 0);

	if (file_read(path, SCENARIO_BYTES_MAX, &bytes, err))
		s = scenario_parse(bytes.data ? bytes.data : "", bytes.size, path, base_dir, err);
	buf_free(&bytes);
	free(base_dir);
	return s;
}
