/* The parts of a scenario file, each read by a file of its own. All append to r->scenario, which its owner destroys. */
#ifndef ENGINE_SCENARIO_PARTS_H
#define ENGINE_SCENARIO_PARTS_H

#include <stdbool.h>

#include "engine/schema.h"
#include "engine/yaml.h"

/* The map `nodes`. */
bool scenario_read_nodes(const struct schema_reader *r, const struct yaml *nodes);
/* The list `faults`; after the nodes and limits. */
bool scenario_read_faults(const struct schema_reader *r, const struct yaml *faults);
/* The list `properties`; after nodes, faults and limits. */
bool scenario_read_properties(const struct schema_reader *r, const struct yaml *properties);
/* One matcher, into an empty struct; what names it in errors. A text is short for {line: text}. */
bool scenario_read_matcher(const struct schema_reader *r, const struct yaml *value, const char *what, struct matcher *ret);

#endif
