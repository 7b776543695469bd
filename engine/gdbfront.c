#include "engine/gdbfront.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/gdbverb.h"
#include "engine/output.h"

static bool print(void *data, const char *line, struct err *err)
{
	(void)data;
	output_print(OUTPUT_PLAIN, "%s\n", line);
	return output_flush(err);
}

static void say(void *data, const char *text)
{
	(void)data;
	fprintf(stderr, "polecat: %s\n", text);
}

static bool start(void *data, char *const *argv, int *ret_fd, struct err *err)
{
	struct gdbfront *f = data;
	struct child_spec spec = {.argv = (const char *const *)argv,
		.in_fd = dup(STDIN_FILENO),
		.out_fd = dup(STDOUT_FILENO),
		.err_fd = dup(STDERR_FILENO),
		.terminal = true};
	bool ok = output_flush(err) && child_start(&f->child, &spec, err);
	close(spec.in_fd);
	close(spec.out_fd);
	close(spec.err_fd);
	*ret_fd = ok ? f->child.pid_fd : -1;
	return ok;
}

static void end(void *data, bool kill)
{
	struct gdbfront *f = data;
	if (kill)
		child_kill(&f->child);
	else
		child_wait(&f->child, -1);
	f->failed = f->child.status != 0;
}

void gdbfront_init(struct gdbfront *f, struct verbs *verbs)
{
	*f = (struct gdbfront){.child = {.pid_fd = -1},
		.verb = {.run = gdbverb_run, .print = print, .say = say, .start = start, .end = end, .data = f}};
	verbs->gdb = &f->verb;
}
