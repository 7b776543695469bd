/* Any bytes as a tar: a tree that keeps its promises, or an error with a sentence. */
#include <stdlib.h>
#include <string.h>
#include "engine/tree.h"
#include "tests/fuzz/fuzz.h"

static void check_path(const struct tree *t, const struct tree_entry *e)
{
	if (!*e->path || e->path[0] == '/' || strlen(e->path) > TREE_PATH_MAX || strstr(e->path, "//"))
		abort();
	for (const char *p = e->path; *p;) {
		size_t n = strcspn(p, "/");
		if ((n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			abort();
		p += n;
		if (!*p)
			break;
		char parent[TREE_PATH_MAX + 1];
		memcpy(parent, e->path, (size_t)(p - e->path));
		parent[p - e->path] = '\0';
		const struct tree_entry *up = tree_find(t, parent);
		if (!up || up->kind != TREE_DIR)
			abort();
		p++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct tree *t = tree_of_tar_bytes(data, size, "x.tar", &err);
	if (!t) {
		if ((err.code != ERR_INPUT && err.code != ERR_SYSTEM) || !err.text[0])
			abort();
		return 0;
	}
	uint64_t bytes = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct tree_entry *e = &t->entries[i];
		if (i && strcmp(t->entries[i - 1].path, e->path) >= 0)
			abort();
		if ((e->kind == TREE_LINK) != (e->target != NULL) || (e->kind != TREE_FILE && e->size) || e->mode > 07777)
			abort();
		check_path(t, e);
		bytes += e->size;
	}
	if (bytes != t->bytes || t->count > TREE_ENTRIES_MAX)
		abort();
	uint8_t digest[DIGEST_SIZE];
	tree_digest(t, digest);
	tree_destroy(t);
	return 0;
}
