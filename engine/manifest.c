#include "engine/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/json.h"

/* The digest of the manifest itself is taken with zeros in its own place. */
static const char self_key[] = "\"self_sha256\": \"";
static const char self_zero[] = "0000000000000000000000000000000000000000000000000000000000000000";

void manifest_finish(struct manifest *m)
{
	char *strings[] = {m->polecat, m->scenario, m->created, m->kind, m->reproducible, m->parent, m->end, m->identity};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		free(strings[i]);
	for (size_t i = 0; i < m->file_count; i++)
		free(m->files[i].name);
	free(m->files);
	*m = (struct manifest){0};
}

void manifest_add_digest(struct manifest *m, const char *name, uint64_t size, const uint8_t sha256[32], bool packed)
{
	struct manifest_file f = {.name = mem_str(name), .size = size, .packed = packed};
	digest_hex(sha256, DIGEST_SIZE, f.sha256);
	ARRAY_PUSH(m->files, m->file_count, m->file_room) = f;
}

void manifest_add_file(struct manifest *m, const char *name, const void *bytes, size_t size)
{
	uint8_t sum[DIGEST_SIZE];
	digest_sha256(bytes, size, sum);
	manifest_add_digest(m, name, size, sum, false);
}

/* ---- writing ---------------------------------------------------------------------------------------------- */

static struct json *files_json(const struct manifest *m)
{
	struct json *files = json_new_object();
	for (size_t i = 0; i < m->file_count; i++) {
		struct json *file = json_new_object();
		json_put_u64(file, "size", m->files[i].size);
		json_put_str(file, "sha256", m->files[i].sha256);
		if (m->files[i].packed)
			json_put_bool(file, "packed", true);
		json_put(files, m->files[i].name, file);
	}
	return files;
}

static void sign(char *bytes, size_t size)
{
	char *at = strstr(bytes, self_key);
	for (char *next = at; next; next = strstr(next + 1, self_key))
		at = next; /* a scenario's name cannot hold a quote, but the last one is ours in any case */
	uint8_t sum[DIGEST_SIZE];
	char hex[2 * DIGEST_SIZE + 1];
	digest_sha256(bytes, size, sum);
	digest_hex(sum, sizeof sum, hex);
	memcpy(at + strlen(self_key), hex, strlen(hex));
}

bool manifest_is_open(const struct manifest *m)
{
	return !strcmp(m->kind, "open");
}

void manifest_write(const struct manifest *m, struct buf *out)
{
	struct json *j = json_new_object();
	json_put_u64(j, "polecat_run", MANIFEST_VERSION);
	json_put_u64(j, "polecat_events", 1);
	json_put_str(j, "polecat", m->polecat);
	json_put_str(j, "scenario", m->scenario);
	json_put_u64(j, "seed", m->seed);
	json_put_str(j, "created", m->created);
	json_put_str(j, "kind", m->kind);
	json_put_str(j, "reproducible", m->reproducible);
	json_put_str(j, "parent", m->parent);
	json_put_u64(j, "parent_icount", m->parent_icount);
	json_put_str(j, "end", m->end);
	json_put_str(j, "verdict", verdict_name(m->verdict));
	json_put_u64(j, "icount", m->icount);
	json_put_u64(j, "vtime_ns", m->vtime_ns);
	json_put_u64(j, "events", m->events);
	json_put_u64(j, "lines", m->lines);
	json_put_u64(j, "faults", m->faults);
	json_put_u64(j, "faults_applied", m->faults_applied);
	json_put_u64(j, "faults_rejected", m->faults_rejected);
	json_put_u64(j, "faults_unobserved", m->faults_unobserved);
	json_put_u64(j, "record_ms", m->record_ms);
	json_put_u64(j, "log_size", m->log_size);
	struct err err;
	json_put(j, "identity", json_parse(m->identity, strlen(m->identity), "identity", &err));
	json_put_str(j, "identity_sha256", m->identity_sha256);
	json_put(j, "files", files_json(m));
	json_put_str(j, "self_sha256", self_zero);
	size_t start = out->size;
	json_write_pretty(j, out);
	json_destroy(j);
	sign(out->data + start, out->size - start);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static bool check_self(const char *bytes, size_t size, const char *name, struct err *err)
{
	struct buf copy = {0};
	buf_add(&copy, bytes, size);
	char *at = strstr(copy.data, self_key);
	for (char *next = at; next; next = strstr(next + 1, self_key))
		at = next;
	bool ok = at && strlen(at) > strlen(self_key) + strlen(self_zero);
	if (ok) {
		char said[2 * DIGEST_SIZE + 1] = {0};
		memcpy(said, at + strlen(self_key), 2 * DIGEST_SIZE);
		memcpy(at + strlen(self_key), self_zero, strlen(self_zero));
		uint8_t sum[DIGEST_SIZE];
		char hex[2 * DIGEST_SIZE + 1];
		digest_sha256(copy.data, copy.size, sum);
		digest_hex(sum, sizeof sum, hex);
		ok = !strcmp(said, hex);
	}
	buf_free(&copy);
	return ok || err_set(err, ERR_INPUT, "%s: it was changed after it was written (its own digest does not match)", name);
}

static bool get_string(const struct json *j, const char *key, char **ret, struct err *err)
{
	const char *text;
	if (!json_get_str(j, key, &text, err))
		return false;
	*ret = mem_str(text);
	return true;
}

static bool get_digest(const struct json *j, const char *key, char ret[65], struct err *err)
{
	const char *text;
	if (!json_get_str(j, key, &text, err))
		return false;
	if (strlen(text) != 64 || strspn(text, "0123456789abcdef") != 64)
		return err_set(err, ERR_INPUT, "%s: expected 64 hex digits", key);
	memcpy(ret, text, 65);
	return true;
}

static bool get_files(struct manifest *m, const struct json *j, struct err *err)
{
	const struct json *files;
	if (!json_get(j, "files", JSON_OBJECT, &files, err))
		return false;
	size_t n = json_count(files);
	if (n > MANIFEST_FILES_MAX)
		return err_set(err, ERR_INPUT, "files: more than %d", MANIFEST_FILES_MAX);
	for (size_t i = 0; i < n; i++) {
		const char *name;
		const struct json *file = json_member_at(files, i, &name);
		struct manifest_file f = {0};
		if (!*name || *name == '.' || strchr(name, '/'))
			return err_set(err, ERR_INPUT, "files: '%s' is not a plain file name", name);
		if (!json_get_u64(file, "size", &f.size, err) || !get_digest(file, "sha256", f.sha256, err))
			return err_prefix(err, "files: %s", name);
		if (json_member(file, "packed") && !json_get_bool(file, "packed", &f.packed, err))
			return err_prefix(err, "files: %s", name);
		f.name = mem_str(name);
		ARRAY_PUSH(m->files, m->file_count, m->file_room) = f;
	}
	return true;
}

static bool get_strings(struct manifest *m, const struct json *j, struct err *err)
{
	const char *verdict;
	const struct json *parent = json_member(j, "parent");
	if (parent && json_kind(parent) != JSON_NULL && !get_string(j, "parent", &m->parent, err))
		return false;
	if (!get_string(j, "polecat", &m->polecat, err) || !get_string(j, "scenario", &m->scenario, err) ||
		!get_string(j, "created", &m->created, err) || !get_string(j, "kind", &m->kind, err) ||
		!get_string(j, "reproducible", &m->reproducible, err) || !get_string(j, "end", &m->end, err) ||
		!json_get_str(j, "verdict", &verdict, err) || !get_digest(j, "identity_sha256", m->identity_sha256, err))
		return false;
	if (strcmp(m->kind, "closed") && strcmp(m->kind, "open"))
		return err_set(err, ERR_INPUT, "kind: '%.40s' is neither closed nor open", m->kind);
	return verdict_find(verdict, &m->verdict) || err_set(err, ERR_INPUT, "verdict: '%s' is none", verdict);
}

static bool get_numbers(struct manifest *m, const struct json *j, struct err *err)
{
	const struct {
		const char *key;
		uint64_t *value;
	} numbers[] = {{"seed", &m->seed}, {"parent_icount", &m->parent_icount}, {"icount", &m->icount},
		{"vtime_ns", &m->vtime_ns}, {"events", &m->events}, {"lines", &m->lines}, {"faults", &m->faults},
		{"faults_applied", &m->faults_applied}, {"faults_rejected", &m->faults_rejected},
		{"faults_unobserved", &m->faults_unobserved}, {"record_ms", &m->record_ms}, {"log_size", &m->log_size}};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!json_get_u64(j, numbers[i].key, numbers[i].value, err))
			return false;
	return true;
}

static bool get_identity(struct manifest *m, const struct json *j, struct err *err)
{
	const struct json *identity;
	if (!json_get(j, "identity", JSON_OBJECT, &identity, err))
		return false;
	struct buf text = {0};
	json_write_canonical(identity, &text);
	m->identity = buf_take(&text);
	return true;
}

bool manifest_parse(struct manifest *m, const char *bytes, size_t size, const char *name, struct err *err)
{
	uint64_t version;
	struct json *j = json_parse(bytes, size, name, err);
	if (!j)
		return false;
	bool ok = json_get_u64(j, "polecat_run", &version, err);
	if (ok && (version < 1 || version > MANIFEST_VERSION))
		ok = err_set(err, ERR_INPUT, "run format %llu: this polecat reads 1 to %d", (unsigned long long)version,
			MANIFEST_VERSION);
	ok = ok && get_strings(m, j, err) && get_numbers(m, j, err) && get_identity(m, j, err) && get_files(m, j, err);
	if (!ok)
		err_prefix(err, "%s", name);
	ok = ok && check_self(bytes, size, name, err);
	json_destroy(j);
	if (!ok)
		manifest_finish(m);
	return ok;
}

/* ---- identity --------------------------------------------------------------------------------------------- */

static bool same_member(const struct json *theirs, const struct json *mine, const char *key, struct err *err)
{
	struct buf a = {0}, b = {0};
	json_write_canonical(theirs, &a);
	json_write_canonical(mine, &b);
	bool same = a.size == b.size && !memcmp(a.data, b.data, a.size);
	if (!same)
		err_set(err, ERR_INPUT, "%s differs: the run has %.300s, here it is %.300s", key, a.data, b.data);
	buf_free(&a);
	buf_free(&b);
	return same;
}

bool manifest_same_identity(const char *theirs, const char *mine, struct err *err)
{
	struct json *a = json_parse(theirs, strlen(theirs), "identity of the run", err);
	struct json *b = a ? json_parse(mine, strlen(mine), "identity of this host", err) : NULL;
	bool ok = a && b;
	for (size_t i = 0; ok && i < json_count(a); i++) {
		const char *key;
		const struct json *value = json_member_at(a, i, &key);
		ok = same_member(value, json_member(b, key), key, err);
	}
	if (ok && json_count(a) != json_count(b))
		ok = err_set(
			err, ERR_INPUT, "the identity of the run has %zu members, here it has %zu", json_count(a), json_count(b));
	json_destroy(a);
	json_destroy(b);
	return ok;
}
