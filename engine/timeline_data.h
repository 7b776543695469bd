/* The inside of struct timeline, for the files that make it up (timeline_parts, timeline_events, timeline_open) and no others. */
#ifndef ENGINE_TIMELINE_DATA_H
#define ENGINE_TIMELINE_DATA_H

#include "engine/timeline.h"

struct timeline {
	char *path, *name;
	int dir;
	struct eventfile *events; /* NULL while there are none */
	bool incomplete, abandoned;
	struct facts facts;
	struct eventindex index;
	struct timeline_fault *faults;      /* index.faults.count of them */
	char **fault_types;                 /* owned; of faults */
	size_t faults_made, faults_scanned; /* faults filled in; events looked at for them */
	struct timeline_property *properties;
};

/* Fills in the faults of what the index has taken since the last time. */
void timeline_update_faults(struct timeline *t);
void timeline_drop_faults(struct timeline *t);
/* ERR_INPUT when a verdict names an event that there is not. */
bool timeline_make_properties(struct timeline *t, struct err *err);
void timeline_drop_properties(struct timeline *t);

#endif
