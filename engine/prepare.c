#include "engine/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/orders.h"

_Static_assert(SCENARIO_MEMORY_MIN >> 20 == MACHINE_MEMORY_MIN_MIB && SCENARIO_MEMORY_MAX >> 20 == MACHINE_MEMORY_MAX_MIB,
	"a scenario may ask for the memory that a machine can have");

char *prepare_own_file(const char *name, struct err *err)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0) {
		err_sys(err, errno, "find polecat's own directory");
		return NULL;
	}
	self[n] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (int i = 0; i < 2; i++) {
		char *path = mem_printf("%s/%s%s", self, i ? "../lib/polecat/" : "", name);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	err_set(err, ERR_SYSTEM, "%s is not beside polecat (%s) nor in ../lib/polecat: build it with make, or install again",
		name, self);
	return NULL;
}

void prepare_finish(struct prepared *p)
{
	snapshot_destroy(p->snapshot);
	for (size_t i = 0; i < p->tree_count; i++)
		tree_destroy(p->trees[i]);
	kernel_destroy(p->kernel);
	hostqemu_finish(&p->qemu);
	free(p->cache);
	*p = (struct prepared){0};
}

/* ---- from a scenario -------------------------------------------------------------------------------------- */

/* Nodes with the same workload share one tree; images[i] is the number of node i's. */
static bool load_trees(struct prepared *p, const struct scenario *s, unsigned images[SCENARIO_NODES_MAX], struct err *err)
{
	for (size_t i = 0; i < s->node_count; i++) {
		const struct scenario_node *n = &s->nodes[i];
		bool shared = false;
		for (size_t j = 0; j < i && !shared; j++) {
			shared = s->nodes[j].workload == n->workload && !strcmp(s->nodes[j].workload_path, n->workload_path);
			images[i] = images[j];
		}
		if (shared)
			continue;
		const char *slash = strrchr(n->workload_path, '/');
		struct tree *tree = n->workload == WORKLOAD_BINARY
			? tree_of_binary(n->workload_path, slash ? slash + 1 : n->workload_path, err)
			: tree_of_rootfs(n->workload_path, err);
		if (!tree) {
			err_prefix(err, "workload of node %s", n->name);
			return scenario_fail(s, n->workload_place, err, "%.600s", err->text);
		}
		images[i] = (unsigned)p->tree_count;
		p->trees[p->tree_count++] = tree;
	}
	return true;
}

struct relay {
	struct progress progress;
};

static void relay_kernel(void *data, const char *words)
{
	struct relay *r = data;
	if (r->progress.say)
		r->progress.say(r->progress.data, "getting the guest kernel", words);
}

static void relay_boot(void *data, double fraction, const char *words)
{
	struct relay *r = data;
	char detail[80];
	snprintf(detail, sizeof detail, "%s %d %%", words, (int)(fraction * 100));
	if (r->progress.say)
		r->progress.say(r->progress.data, "booting the guest once, for all later runs", detail);
}

static bool take_snapshot(struct prepared *p, const struct scenario *s, const struct buf *spec, struct relay *relay,
	struct cancel *cancel, struct err *err)
{
	const char *given = getenv("POLECAT_AGENT");
	char *agent = given && *given ? mem_str(given) : prepare_own_file("polecat-agent", err);
	char *busybox = agent ? image_find_busybox(err) : NULL;
	if (busybox) {
		struct image_spec image = {.agent = agent,
			.busybox = busybox,
			.kernel = p->kernel,
			.spec = spec->data,
			.spec_size = spec->size,
			.trees = (const struct tree *const *)p->trees,
			.tree_count = p->tree_count};
		struct snapshot_spec want = {.cache = p->cache,
			.qemu = &p->qemu,
			.kernel = p->kernel,
			.image = &image,
			.memory_mib = (unsigned)(s->memory_bytes >> 20),
			.cancel_fd = cancel ? cancel->fd : -1};
		p->snapshot = snapshot_get(&want, relay_boot, relay, err);
	}
	free(agent);
	free(busybox);
	return p->snapshot != NULL;
}

static bool prepare_host(struct prepared *p, struct err *err)
{
	p->cache = file_cache_dir(err);
	return p->cache && hostqemu_find(&p->qemu, p->cache, err);
}

bool prepare_scenario(
	struct prepared *p, const struct scenario *s, struct progress progress, struct cancel *cancel, struct err *err)
{
	struct relay relay = {progress};
	struct buf spec = {0};
	unsigned images[SCENARIO_NODES_MAX];
	bool ok = prepare_host(p, err) && (p->kernel = kernel_get(p->cache, relay_kernel, &relay, err)) != NULL &&
		load_trees(p, s, images, err) && orders_spec(s, images, &spec, err) &&
		take_snapshot(p, s, &spec, &relay, cancel, err);
	buf_free(&spec);
	if (!ok)
		prepare_finish(p);
	return ok;
}

/* ---- from a recorded run ---------------------------------------------------------------------------------- */

bool prepare_recorded(struct prepared *p, const struct manifest *m, struct err *err)
{
	bool ok = prepare_host(p, err);
	if (ok) {
		p->snapshot = snapshot_open(p->cache, &p->qemu, m->identity, err);
		ok = p->snapshot != NULL;
	}
	if (!ok)
		prepare_finish(p);
	return ok;
}
