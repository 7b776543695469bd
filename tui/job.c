#include "tui/job.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/buf.h"

struct job {
	pthread_t thread;
	bool (*work)(void *data, struct job *job, struct err *err);
	void *data;
	int done_fd;
	atomic_bool done, cancelled;
	bool result;
	struct err err;
};

static void *run(void *argument)
{
	struct job *job = argument;
	job->result = job->work(job->data, job, &job->err);
	atomic_store(&job->done, true);
	uint64_t one = 1;
	ssize_t ignored = write(job->done_fd, &one, sizeof one);
	(void)ignored;
	return NULL;
}

struct job *job_start(bool (*work)(void *data, struct job *job, struct err *err), void *data, struct err *err)
{
	struct job *job = mem_alloc(sizeof *job);
	job->work = work;
	job->data = data;
	job->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* Signals are for the main thread: only its poll wakes up by them. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = job->done_fd < 0 ? errno : pthread_create(&job->thread, NULL, run, job);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		err_sys(err, failed, "no thread for work in the background");
		if (job->done_fd >= 0)
			close(job->done_fd);
		free(job);
		return NULL;
	}
	return job;
}

int job_fd(const struct job *job)
{
	return job->done_fd;
}

bool job_done(const struct job *job)
{
	return atomic_load(&((struct job *)job)->done);
}

void job_cancel(struct job *job)
{
	atomic_store(&job->cancelled, true);
}

bool job_cancelled(void *job)
{
	return atomic_load(&((struct job *)job)->cancelled);
}

bool job_finish(struct job *job, struct err *err)
{
	if (!job)
		return true;
	pthread_join(job->thread, NULL);
	bool result = job->result;
	if (!result && err)
		*err = job->err;
	close(job->done_fd);
	free(job);
	return result;
}
