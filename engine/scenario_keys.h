/* Every map a scenario is made of, as a table (engine/schema.h). */
#ifndef ENGINE_SCENARIO_KEYS_H
#define ENGINE_SCENARIO_KEYS_H

#include "engine/schema.h"

/* What schema_read fills in where struct scenario has another shape. */
struct keys_top {
	uint64_t version;
	char *name, *about;
};

struct keys_stdin {
	char *text;
	struct text_range delay_ns;
	uint64_t invocation;
	bool eof;
};

struct keys_workload {
	char *binary, *rootfs;
};

struct keys_ready {
	uint64_t port;
	char *line;
};

struct keys_restart {
	int when;
	struct text_range delay_ns;
};

struct keys_node {
	struct scenario_words command;
	char *cwd, *user;
};

struct keys_disk {
	uint64_t size;
};

struct keys_machine {
	uint64_t memory;
};

struct keys_fault {
	struct text_range times;
	struct text_range for_ns, delay_ns, at_ns;
};

struct keys_trigger {
	struct text_range lines, nth;
	int stage;
};

struct keys_property {
	char *id, *about, *each;
	uint64_t within_ns;
};

struct keys_matcher {
	int stream, stage;
	uint64_t nth;
};

struct keys_until {
	uint64_t vtime_ns;
};

extern const struct schema_section keys_top, keys_machine, keys_node, keys_workload, keys_ready, keys_restart, keys_stdin,
	keys_disk, keys_fault, keys_trigger, keys_property, keys_matcher, keys_checker, keys_set, keys_limits, keys_until;

/* All of them in the order of the man page. */
extern const struct schema_section *const keys_sections[];
extern const size_t keys_section_count;

#endif
