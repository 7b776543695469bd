/* Reading a scenario: its nodes. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/scenario_keys.h"
#include "engine/scenario_parts.h"

/* Command, environment and the rest must fit one frame for the agent (agent/wire.h). */
enum { LAUNCH_BYTES_MAX = 48 * 1024, READY_TEXT_MAX = 1024 };

static char *resolve(const struct schema_reader *r, const char *path)
{
	bool as_it_is = path[0] == '/' || !r->base_dir[0];
	const char *slash = as_it_is || r->base_dir[strlen(r->base_dir) - 1] == '/' ? "" : "/";
	return mem_printf("%s%s%s", as_it_is ? "" : r->base_dir, slash, path);
}

static bool set_workload(
	const struct schema_reader *r, const struct yaml *value, const struct keys_workload *w, struct scenario_node *n)
{
	const struct yaml *oci = yaml_get(value, "oci");
	const char *path = w->binary ? w->binary : w->rootfs;

	n->workload_place = value->place;
	if (oci)
		return schema_fail(
			r, oci->key->place, "`oci` workloads cannot be read yet: unpack the image and name it as `rootfs`");
	if (!w->binary == !w->rootfs)
		return schema_fail(r, value->place, "`workload` needs exactly one of `binary` and `rootfs`");
	if (!path[0])
		return schema_fail(r, value->first->place, "the path of a workload is empty");
	n->workload = w->binary ? WORKLOAD_BINARY : WORKLOAD_ROOTFS;
	n->workload_path = resolve(r, path);
	n->workload_place = value->first->place;
	const char *last = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	if (n->workload == WORKLOAD_BINARY && (!last[0] || strcmp(last, ".") == 0 || strcmp(last, "..") == 0))
		return schema_fail(r, value->first->place, "`binary` is `%s`, which is not the path of a file", path);
	if (n->command.count)
		return n->command.items[0][0] || schema_fail(r, value->place, "the command's first word is empty");
	if (n->workload == WORKLOAD_ROOTFS)
		return schema_fail(r, value->place, "node `%s` needs `command`: what to run in its root file system", n->name);
	n->command.items = mem_array(1, sizeof *n->command.items);
	n->command.items[n->command.count++] = mem_printf("/%s", last);
	return true;
}

static bool read_workload(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	struct keys_workload w = {0};
	bool ok = schema_read(r, &keys_workload, NULL, value, &w) && set_workload(r, value, &w, n);
	free(w.binary);
	free(w.rootfs);
	return ok;
}

static bool read_env(const struct schema_reader *r, const struct yaml *value, struct scenario_words *env)
{
	if (value->kind != YAML_MAP)
		return schema_fail(r, value->place, "`env` must be a map from names to values");
	if (value->count > SCENARIO_WORDS_MAX)
		return schema_fail(r, value->place, "`env` has %zu variables; at most %d", value->count, SCENARIO_WORDS_MAX);
	env->items = mem_array(value->count, sizeof *env->items);
	for (const struct yaml *item = value->first; item; item = item->next) {
		if (item->key->size == 0 || strchr(item->key->text, '='))
			return schema_fail(
				r, item->key->place, "`%s` cannot be the name of an environment variable", item->key->text);
		if (!schema_scalar(r, item, "an environment variable"))
			return false;
		env->items[env->count++] = mem_printf("%s=%s", item->key->text, item->text);
	}
	return true;
}

static bool read_user(const struct schema_reader *r, const struct yaml *map, const char *text, struct scenario_node *n)
{
	char uid[16];
	uint64_t u, g;
	const char *colon = strchr(text, ':');
	size_t size = colon ? (size_t)(colon - text) : strlen(text);
	bool ok = size < sizeof uid;

	if (ok) {
		memcpy(uid, text, size);
		uid[size] = '\0';
		ok = text_parse_u64(uid, &u) && text_parse_u64(colon ? colon + 1 : uid, &g) && u < UINT32_MAX && g < UINT32_MAX;
	}
	if (!ok)
		return schema_fail(
			r, yaml_get(map, "user")->place, "`user` is `%s`; expected UID:GID as numbers, such as 1000:1000", text);
	n->uid = (uint32_t)u;
	n->gid = (uint32_t)g;
	return true;
}

static bool read_ready(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	struct keys_ready ready = {0};
	bool ok = schema_read(r, &keys_ready, NULL, value, &ready);
	n->ready_text = ready.line;
	if (!ok)
		return false;
	n->ready_port = (uint16_t)ready.port;
	n->ready = ready.line ? READY_LINE : READY_PORT;
	if (!ready.line == !ready.port)
		return schema_fail(r, value->place, "`ready` needs exactly one of `port` and `line`");
	if (ready.line && (!ready.line[0] || strlen(ready.line) > READY_TEXT_MAX || strchr(ready.line, '\n')))
		return schema_fail(r, value->first->place, "`line` must be a part of one line: 1 to %d bytes", READY_TEXT_MAX);
	return true;
}

static bool read_restart(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	struct keys_restart restart = {0};
	/* One word is short for a map with that word. */
	struct yaml key = {.text = "when", .size = 4, .place = value->place}, word = *value;
	struct yaml map = {.kind = YAML_MAP, .first = &word, .count = 1, .place = value->place};
	word.key = &key;
	word.next = NULL;
	if (!schema_read(r, &keys_restart, NULL, value->kind == YAML_SCALAR ? &map : value, &restart))
		return false;
	n->restart = (enum scenario_restart)restart.when;
	n->restart_delay_ns = restart.delay_ns;
	return true;
}

/* ---- standard input -------------------------------------------------------------------------------------- */

static bool add_input(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	struct scenario_stdin *in = &n->input[n->input_count];
	struct keys_stdin keys = {.eof = !value->next};

	if (!schema_read(r, &keys_stdin, NULL, value, &keys)) {
		free(keys.text);
		return false;
	}
	n->input_count++;
	*in = (struct scenario_stdin){
		.invocation = keys.invocation, .eof = keys.eof, .delay_ns = keys.delay_ns, .place = value->place};
	in->text = keys.text ? keys.text : mem_str("");
	in->size = strlen(in->text);
	if (in->size == 0 && !in->eof)
		return schema_fail(r, value->place, "this entry of `stdin` writes nothing");
	if (in > n->input && (in[-1].invocation == 0) != (in->invocation == 0))
		return schema_fail(r, value->place, "either all entries of `stdin` name an `invocation` or none");
	for (struct scenario_stdin *before = n->input; before < in; before++)
		if (before->eof && before->invocation == in->invocation && yaml_get(value, "text"))
			return schema_fail(
				r, value->place, "standard input has ended at the entry in line %u", before->place.line);
	return true;
}

static bool read_stdin(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	if (value->kind == YAML_SCALAR) {
		n->input = mem_array(1, sizeof *n->input);
		n->input_count = 1;
		n->input[0] = (struct scenario_stdin){.eof = true, .place = value->place};
		if (!schema_text(r, value, "`stdin`", &n->input[0].text))
			return false;
		n->input[0].size = strlen(n->input[0].text);
		return true;
	}
	if (value->kind != YAML_LIST)
		return schema_fail(r, value->place, "`stdin` must be a text or a list of maps");
	if (value->count > SCENARIO_STDIN_MAX)
		return schema_fail(r, value->place, "`stdin` has %zu entries; at most %d", value->count, SCENARIO_STDIN_MAX);
	n->input = mem_array(value->count, sizeof *n->input);
	for (const struct yaml *item = value->first; item; item = item->next)
		if (!add_input(r, item, n))
			return false;
	return true;
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

static bool fits_a_frame(const struct schema_reader *r, const struct scenario_node *n)
{
	size_t size = strlen(n->cwd);
	for (size_t i = 0; i < n->command.count; i++)
		size += strlen(n->command.items[i]) + 1;
	for (size_t i = 0; i < n->env.count; i++)
		size += strlen(n->env.items[i]) + 1;
	if (size > LAUNCH_BYTES_MAX)
		return schema_fail(r, n->place, "command and environment of `%s` have %zu bytes; at most %d", n->name, size,
			LAUNCH_BYTES_MAX);
	return true;
}

static bool read_disk(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	struct keys_disk disk = {0};
	if (!schema_read(r, &keys_disk, NULL, value, &disk))
		return false;
	n->disk_bytes = disk.size;
	return true;
}

static bool read_parts(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	static const struct {
		const char *key;
		bool (*read)(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n);
	} parts[] = {{"workload", read_workload}, {"ready", read_ready}, {"restart", read_restart}, {"stdin", read_stdin},
		{"disk", read_disk}};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct yaml *part = yaml_get(value, parts[i].key);
		if (part && !parts[i].read(r, part, n))
			return false;
	}
	const struct yaml *env = yaml_get(value, "env");
	return !env || read_env(r, env, &n->env);
}

static bool read_node(const struct schema_reader *r, const struct yaml *value, struct scenario_node *n)
{
	struct keys_node keys = {0};
	bool ok = schema_read(r, &keys_node, NULL, value, &keys);

	n->command = keys.command;
	n->cwd = keys.cwd;
	if (ok && n->cwd[0] != '/')
		ok = schema_fail(r, yaml_get(value, "cwd")->place, "`cwd` is `%s`; expected an absolute path", n->cwd);
	ok = ok && read_user(r, value, keys.user, n) && read_parts(r, value, n) && fits_a_frame(r, n);
	free(keys.user);
	return ok;
}

/* `after` is read when all names are known: it may name a node further down. */
static bool read_after(const struct schema_reader *r, const struct yaml *value, size_t index)
{
	struct scenario_node *n = &r->scenario->nodes[index];
	const struct yaml *after = yaml_get(value, "after");
	size_t nodes[SCENARIO_NODES_MAX], count;

	if (!after) {
		for (size_t i = 0; i < index; i++)
			if (r->scenario->nodes[i].ready != READY_START)
				n->after |= UINT32_C(1) << i;
		return true;
	}
	if (after->kind == YAML_LIST && after->count == 0)
		return true;
	return schema_nodes(r, after, "`after`", nodes, &count, &n->after);
}

/* Takes away nodes that wait for none of the rest, again and again: what stays waits for itself. */
static bool no_circle(const struct schema_reader *r)
{
	const struct scenario *s = r->scenario;
	uint32_t rest = (uint32_t)((UINT64_C(1) << s->node_count) - 1);
	for (size_t round = 0; round < s->node_count; round++)
		for (size_t i = 0; i < s->node_count; i++)
			if (!(s->nodes[i].after & rest))
				rest &= ~(UINT32_C(1) << i);
	for (size_t i = 0; i < s->node_count; i++)
		if (rest >> i & 1)
			return schema_fail(r, s->nodes[i].place,
				"node `%s` waits, over `after`, for itself: it could never start", s->nodes[i].name);
	return true;
}

bool scenario_read_nodes(const struct schema_reader *r, const struct yaml *nodes)
{
	struct scenario *s = r->scenario;
	size_t index = 0;

	if (nodes->kind != YAML_MAP || nodes->count == 0)
		return schema_fail(r, nodes->place, "`nodes` must be a map from names to nodes, with at least one node");
	if (nodes->count > SCENARIO_NODES_MAX)
		return schema_fail(r, nodes->place, "`nodes` has %zu nodes; at most %d", nodes->count, SCENARIO_NODES_MAX);
	s->nodes = mem_array(nodes->count, sizeof *s->nodes);
	for (const struct yaml *value = nodes->first; value; value = value->next) {
		struct scenario_node *n = &s->nodes[s->node_count];
		if (!text_is_name(value->key->text, SCENARIO_NAME_MAX))
			return schema_fail(r, value->key->place,
				"`%s` cannot be the name of a node: lower case letters, digits, `-`, `_` and `.`, at "
				"most %d, the first a letter or a digit",
				value->key->text, SCENARIO_NAME_MAX);
		if (strcmp(value->key->text, "localhost") == 0)
			return schema_fail(
				r, value->key->place, "`localhost` cannot be the name of a node: each node has one of its own");
		s->node_count++;
		n->name = mem_str(value->key->text);
		n->place = value->key->place;
		if (!read_node(r, value, n))
			return false;
	}
	for (const struct yaml *value = nodes->first; value; value = value->next)
		if (!read_after(r, value, index++))
			return false;
	return no_circle(r);
}
