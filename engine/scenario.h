/*
 * A scenario: what a person wrote, read from YAML, checked, and with its defaults filled in. Plain data that nobody changes
 * after loading. polecat-scenario(5) is the reference; its tables and the parser come from the same rows (engine/schema.c).
 */
#ifndef ENGINE_SCENARIO_H
#define ENGINE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/fault.h"
#include "engine/property.h"
#include "engine/text.h"

#define SCENARIO_BYTES_MAX   (1024 * 1024)
#define SCENARIO_MEMORY_MIN  (UINT64_C(96) << 20) /* what the machine can be; engine/prepare holds them together */
#define SCENARIO_MEMORY_MAX  (UINT64_C(2) << 30)
#define SCENARIO_NODES_MAX   16
#define SCENARIO_FAULTS_MAX  64   /* entries of `faults` */
#define SCENARIO_TIMES_MAX   64   /* `times` of one entry */
#define SCENARIO_PLANNED_MAX 256  /* sum of the `times` of all entries */
#define SCENARIO_WORDS_MAX   256  /* of a command or an environment */
#define SCENARIO_TEXT_MAX    4096 /* bytes of any one string, unless it says otherwise */
#define SCENARIO_NAME_MAX    48   /* of the scenario, a node, a property id */
#define SCENARIO_STDIN_MAX   64   /* writes to one node */
#define SCENARIO_NONE        ((size_t)-1)

enum workload_kind { WORKLOAD_BINARY /* one static program, at /NAME */, WORKLOAD_ROOTFS /* a directory or tar file */ };

enum scenario_ready { READY_START, READY_PORT, READY_LINE };                  /* as enum wire_ready */
enum scenario_restart { RESTART_NEVER, RESTART_AFTER_FAULT, RESTART_ALWAYS }; /* as enum wire_restart */

const char *scenario_ready_name(enum scenario_ready ready);
const char *scenario_restart_name(enum scenario_restart restart);

struct scenario_words {
	char **items;
	size_t count;
};

struct scenario_stdin {
	uint64_t invocation; /* 0: each */
	char *text;
	size_t size;
	bool eof;                   /* standard input ends after it */
	struct text_range delay_ns; /* after the start of the invocation */
	struct text_place place;
};

struct scenario_node {
	char *name;
	enum workload_kind workload;
	char *workload_path; /* resolved against the scenario's directory */
	struct text_place workload_place;
	struct scenario_words command; /* argv; at least one */
	struct scenario_words env;     /* "NAME=value", in the order of the file */
	char *cwd;
	uint32_t uid, gid;
	enum scenario_ready ready;
	uint16_t ready_port;
	char *ready_text; /* READY_LINE: a line of output that holds this */
	enum scenario_restart restart;
	struct text_range restart_delay_ns;
	uint32_t after; /* mask of nodes that must be ready before it starts */
	struct scenario_stdin *input;
	size_t input_count;
	uint64_t disk_bytes; /* 0: none */
	struct text_place place;
};

enum scenario_trigger_kind {
	TRIGGER_AT,
	TRIGGER_LINES,
	TRIGGER_FAULT,
	TRIGGER_STARTED,
	TRIGGER_READY,
	TRIGGER_EXITED
}; /* as enum wire_trigger */

const char *scenario_trigger_name(enum scenario_trigger_kind kind);

struct scenario_trigger {
	enum scenario_trigger_kind kind;
	struct text_range
		value; /* TRIGGER_AT: ns; TRIGGER_LINES: line; others: nth, {0,0} meaning "the k-th time for the k-th fault" */
	size_t node;   /* index; SCENARIO_NONE: the fault's own target */
	const struct fault_kind *fault; /* TRIGGER_FAULT */
	uint64_t fault_ordinal;         /* 0: the k-th for the k-th */
	enum fault_stage stage;
	struct text_range delay_ns;
	struct text_place place, value_place, delay_place;
};

struct scenario_param {
	const struct fault_param *param;
	char *value; /* as written, checked */
};

struct scenario_fault {
	const struct fault_kind *kind;
	size_t targets[SCENARIO_NODES_MAX]; /* node indexes */
	size_t target_count;
	struct text_range times;
	struct text_range for_ns; /* {0,0} unless the kind lasts */
	struct scenario_trigger trigger;
	struct scenario_param params[FAULT_PARAMS_MAX];
	size_t param_count;
	struct text_place place, times_place, for_place;
};

struct scenario_limits {
	uint64_t vtime_ns, instructions, events, bytes, wall_s;
};

struct scenario {
	char *file;  /* name for errors, as given */
	char *bytes; /* the file */
	size_t size;
	char sha256[65]; /* of the bytes, hex */
	char *name, *about;
	uint64_t memory_bytes;
	struct scenario_node *nodes;
	size_t node_count;
	struct scenario_fault *faults;
	size_t fault_count;
	struct property *properties;
	size_t property_count;
	struct scenario_limits limits;
	uint32_t until;   /* mask of nodes whose last exit ends the run; 0: the virtual time limit does */
	bool until_vtime; /* reaching limits.vtime_ns is the planned end, not a cut */
};

/* Reads and checks a file. NULL on failure: ERR_SYSTEM if it cannot be read, else ERR_INPUT with "file:line:column: sentence",
 * the line and a caret. */
struct scenario *scenario_load(const char *path, struct err *err);
/* The same from memory. Paths of workloads are taken relative to base_dir ("" for the current directory). */
struct scenario *scenario_parse(
	const char *bytes, size_t size, const char *name_for_errors, const char *base_dir, struct err *err);
void scenario_destroy(struct scenario *s);

/* Fails, pointing at its place in the file, if a workload does not exist or is not of its kind. (A copy of a scenario in a run
 * directory is loaded without this.) */
bool scenario_check_workloads(const struct scenario *s, struct err *err);

/* SCENARIO_NONE if there is no node of that name. */
size_t scenario_node_index(const struct scenario *s, const char *name);

/* Fails with "file:line:column: sentence", the line and a caret; for callers that find something wrong later. */
bool scenario_fail(const struct scenario *s, struct text_place place, struct err *err, const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
