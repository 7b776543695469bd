/* Work that takes longer than a key may wait: one function in a thread of its own, with a descriptor that becomes readable when
 * it is done and a flag that asks it to stop. Its data belongs to it until job_finish. */
#ifndef TUI_JOB_H
#define TUI_JOB_H

#include <stdbool.h>

#include "engine/err.h"

struct job;

/* work returns what job_finish returns. It asks job_cancelled(job) now and then. NULL: no thread could be made. */
struct job *job_start(bool (*work)(void *data, struct job *job, struct err *err), void *data, struct err *err);
int job_fd(const struct job *job);
bool job_done(const struct job *job);
void job_cancel(struct job *job);
bool job_cancelled(void *job); /* a struct job *; fits callbacks that ask */
/* Waits for the end (so call it when job_done, or after job_cancel) and frees job. NULL: true. */
bool job_finish(struct job *job, struct err *err);

#endif
