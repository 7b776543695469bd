/*
 * Other faults than those of the orders: somebody who took a copy of this machine (a fork) wants to know what would have happened
 * with the choices of another seed. The request lies where a visitor's does (agent/visit.h): a RUN frame, of which nothing is
 * read, and TROUBLE frames, each for the fault of its number. One of a number that there is takes the place of that fault;
 * numbers behind the last are new ones.
 */
#ifndef AGENT_REPLAN_H
#define AGENT_REPLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/faults.h"
#include "agent/mission.h"
#include "agent/why.h"

/* Is it one? A visitor's request is not. */
bool replan_is(const uint8_t *request, size_t size);

/* Changes the mission and lets faults_replace do the rest. Verified first: false (with the reason) has changed nothing. The
 * mission borrows from the request. fs has begun with this mission. */
bool replan_do(const uint8_t *request, size_t size, struct mission *mission, struct faults *fs, struct why *why);

#endif
