/* What a PID 1 does first: file systems, kernel modules, and a root that can be pivoted away from. */
#ifndef AGENT_BOOT_H
#define AGENT_BOOT_H

#include <stdbool.h>

#include "agent/why.h"

/* Mounts /proc, /sys, /dev, /run and /tmp; opens /dev/null as 0, 1 and 2; loads /modules/NN-name.ko in the order of their names.
 */
bool boot_machine(struct why *why);

#endif
