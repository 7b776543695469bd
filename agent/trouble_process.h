/*
 * Faults of processes:
 *   kill     signal=NAME|NUMBER (default SIGKILL). SIGKILL hits every process of the invocation at once, another signal the
 *            command's own process. Observed when the invocation has ended, healed when the next one is ready.
 *   stop     Freezes the node's processes for for_ns, 0 for ever. Observed when all are frozen, healed when they go on.
 *   restart  grace_ns=NUMBER (default 10 s). SIGTERM, after the grace SIGKILL; starts again whatever the restart policy is.
 *            Observed and healed as kill.
 */
#ifndef AGENT_TROUBLE_PROCESS_H
#define AGENT_TROUBLE_PROCESS_H

#include "agent/trouble.h"

extern const struct trouble_kind trouble_kill, trouble_stop, trouble_restart;

/* "SIGKILL", "KILL" or "9" -> 9; 0 if there is no such signal. */
int trouble_signal_number(const char *text);

#endif
