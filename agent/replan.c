#include "agent/replan.h"

#include "agent/wire.h"

/* Reads the next frame of the request, which is for a fault that can be set: an open one, or the next behind the last. */
static bool next(const uint8_t *request, size_t size, size_t *at, size_t *count, const struct mission *mission,
	const struct faults *fs, bool *given, struct wire_message *m, struct why *why)
{
	size_t used;
	enum wire_result result = wire_decode(request + *at, size - *at, m, &used);
	if (result != WIRE_OK || m->type != WIRE_TROUBLE)
		return why_set(why, 0, "byte %zu of the request: %s, expected a fault", *at,
			result == WIRE_OK ? wire_type_name(m->type) : wire_result_text(result));
	if (m->fault > *count || m->fault == WIRE_FAULTS_MAX || given[m->fault])
		return why_set(why, 0, "fault %llu of the request: expected a number up to %zu, each once",
			(unsigned long long)m->fault, *count);
	if (m->fault < mission->trouble_count && !faults_is_open(fs, (size_t)m->fault))
		return why_set(why, 0, "fault %llu was applied or rejected before it could be changed: fork one event earlier",
			(unsigned long long)m->fault);
	if (m->fault == *count)
		++*count;
	given[m->fault] = true;
	*at += used;
	return true;
}

static size_t first_frame(const uint8_t *request, size_t size)
{
	struct wire_message m;
	size_t used;
	return wire_decode(request, size, &m, &used) == WIRE_OK && m.type == WIRE_RUN ? used : 0;
}

bool replan_is(const uint8_t *request, size_t size)
{
	return first_frame(request, size) > 0;
}

static bool verify(const uint8_t *request, size_t size, const struct mission *mission, const struct faults *fs, bool *given,
	size_t *count, struct why *why)
{
	static struct mission_trouble scratch;
	struct wire_message m;
	*count = mission->trouble_count;
	for (size_t at = first_frame(request, size); at < size;)
		if (!next(request, size, &at, count, mission, fs, given, &m, why) ||
			!mission_read_trouble(&m, mission->node_count, &scratch, why))
			return false;
	/* What triggers what can only be told when it is known how many there are. */
	size_t used;
	for (size_t at = first_frame(request, size); at < size; at += used) {
		wire_decode(request + at, size - at, &m, &used);
		mission_read_trouble(&m, mission->node_count, &scratch, why);
		if (!mission_check_trigger(&scratch, (size_t)m.fault, *count, mission->node_count, why))
			return false;
	}
	return true;
}

bool replan_do(const uint8_t *request, size_t size, struct mission *mission, struct faults *fs, struct why *why)
{
	bool given[WIRE_FAULTS_MAX] = {false};
	struct wire_message m;
	size_t count, used;
	if (!verify(request, size, mission, fs, given, &count, why))
		return false;
	for (size_t at = first_frame(request, size); at < size; at += used) {
		wire_decode(request + at, size - at, &m, &used);
		mission_read_trouble(&m, mission->node_count, &mission->troubles[m.fault], why);
	}
	mission->trouble_count = count;
	faults_replace(fs, given);
	return true;
}
