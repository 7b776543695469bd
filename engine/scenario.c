#include "engine/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/buf.h"
#include "engine/yaml.h"

const char *scenario_ready_name(enum scenario_ready ready)
{
	static const char *const names[] = {"start", "port", "line"};
	return names[ready];
}

const char *scenario_restart_name(enum scenario_restart restart)
{
	static const char *const names[] = {"never", "after-fault", "always"};
	return names[restart];
}

const char *scenario_trigger_name(enum scenario_trigger_kind kind)
{
	static const char *const names[] = {"at", "lines", "fault", "started", "ready", "exited"};
	return names[kind];
}

size_t scenario_node_index(const struct scenario *s, const char *name)
{
	for (size_t i = 0; i < s->node_count; i++)
		if (strcmp(s->nodes[i].name, name) == 0)
			return i;
	return SCENARIO_NONE;
}

bool scenario_fail(const struct scenario *s, struct text_place place, struct err *err, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	yaml_vfail(s->bytes, s->size, s->file, place, err, fmt, args);
	va_end(args);
	return false;
}

static bool is_elf(const char *path)
{
	char magic[4] = {0};
	FILE *f = fopen(path, "rbe");
	if (!f)
		return false;
	bool whole = fread(magic, 1, sizeof magic, f) == sizeof magic;
	fclose(f);
	return whole && memcmp(magic, "\177ELF", sizeof magic) == 0;
}

bool scenario_check_workloads(const struct scenario *s, struct err *err)
{
	for (size_t i = 0; i < s->node_count; i++) {
		const struct scenario_node *n = &s->nodes[i];
		struct stat st;
		if (stat(n->workload_path, &st) != 0)
			return scenario_fail(
				s, n->workload_place, err, "node `%s`: %s: %s", n->name, n->workload_path, strerror(errno));
		if (n->workload == WORKLOAD_BINARY && (!S_ISREG(st.st_mode) || !is_elf(n->workload_path)))
			return scenario_fail(s, n->workload_place, err,
				"node `%s`: %s is not a program (expected a static ELF file)", n->name, n->workload_path);
		if (n->workload == WORKLOAD_ROOTFS && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
			return scenario_fail(s, n->workload_place, err, "node `%s`: %s is neither a directory nor a tar file",
				n->name, n->workload_path);
	}
	return true;
}

/* ---- the end --------------------------------------------------------------------------------------------- */

static void words_finish(struct scenario_words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->items[i]);
	free(w->items);
}

static void node_finish(struct scenario_node *n)
{
	free(n->name);
	free(n->workload_path);
	words_finish(&n->command);
	words_finish(&n->env);
	free(n->cwd);
	free(n->ready_text);
	for (size_t i = 0; i < n->input_count; i++)
		free(n->input[i].text);
	free(n->input);
}

static void fault_finish(struct scenario_fault *f)
{
	for (size_t i = 0; i < f->param_count; i++)
		free(f->params[i].value);
}

void scenario_destroy(struct scenario *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->node_count; i++)
		node_finish(&s->nodes[i]);
	for (size_t i = 0; i < s->fault_count; i++)
		fault_finish(&s->faults[i]);
	for (size_t i = 0; i < s->property_count; i++)
		property_finish(&s->properties[i]);
	free(s->nodes);
	free(s->faults);
	free(s->properties);
	free(s->file);
	free(s->bytes);
	free(s->name);
	free(s->about);
	free(s);
}
