#include "tui/debugger_gdb.h"

#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "engine/gdbverb.h"

static void serve(struct debugger *d, bool serving)
{
	pthread_mutex_lock(&d->mutex);
	d->serving = serving;
	pthread_mutex_unlock(&d->mutex);
}

static bool run(struct verbs *v, const struct words *words, struct buf *out, struct err *err)
{
	struct debugger_gdb *g = v->gdb->data;
	serve(g->d, true);
	bool ok = gdbverb_run(v, words, out, err);
	serve(g->d, false);
	return ok;
}

static bool print(void *data, const char *line, struct err *err)
{
	struct debugger_gdb *g = data;
	(void)err;
	g->print(g->d, "gdb", line);
	return true;
}

static void say(void *data, const char *text)
{
	struct debugger_gdb *g = data;
	g->say(g->d, text);
}

static void moved(void *data)
{
	struct debugger_gdb *g = data;
	g->moved(g->d);
}

/* The thread of the screen starts it, since the terminal is its own. */
static bool start(void *data, char *const *argv, int *ret_fd, struct err *err)
{
	struct debugger *d = ((struct debugger_gdb *)data)->d;
	pthread_mutex_lock(&d->mutex);
	d->program = argv;
	d->program_fd = -1;
	debugger_tell(d);
	while (d->program && !d->ending)
		pthread_cond_wait(&d->wake, &d->mutex);
	d->program = NULL;
	*ret_fd = d->program_fd;
	pthread_mutex_unlock(&d->mutex);
	return *ret_fd >= 0 || err_set(err, ERR_SYSTEM, "gdb could not be started in this terminal");
}

static void end(void *data, bool kill)
{
	struct debugger *d = ((struct debugger_gdb *)data)->d;
	struct pollfd ended = {.fd = d->program_fd, .events = POLLIN};
	if (kill)
		pidfd_send_signal(d->program_fd, SIGKILL, NULL, 0);
	poll(&ended, 1, -1);
	close(d->program_fd);
	d->program_fd = -1;
}

void debugger_gdb_init(struct debugger_gdb *g, struct debugger *d)
{
	g->d = d;
	g->verb =
		(struct verb_gdb){.run = run, .print = print, .say = say, .start = start, .end = end, .moved = moved, .data = g};
	d->verbs.gdb = &g->verb;
}
