/*
 * time-timeline RUN RUN: how long a screen waits for the timeline of a large run, and for the diff of two. Prints lines of
 * "name: value unit".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "engine/diff.h"
#include "engine/indexfile.h"
#include "engine/lanes.h"
#include "engine/search.h"

#define FRAMES 25

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void say(const char *what, double *times, size_t count)
{
	qsort(times, count, sizeof *times, by_size);
	printf("%s: median %.2f ms, worst %.2f ms\n", what, times[count / 2], times[count - 1]);
}

static struct timeline *open_run(const char *path)
{
	struct err err = {0};
	struct timeline *t = timeline_open(path, &err);
	if (!t) {
		fprintf(stderr, "time-timeline: %s\n", err.text);
		exit(1);
	}
	return t;
}

static void time_open(const char *path)
{
	char *index = mem_printf("%s/" INDEXFILE_NAME, path);
	unlink(index);
	free(index);
	double start = now_ms();
	struct timeline *t = open_run(path);
	printf("open without an index: %.1f ms (%zu events)\n", now_ms() - start, timeline_count(t));
	timeline_close(t);
	start = now_ms();
	t = open_run(path);
	printf("open with an index: %.1f ms\n", now_ms() - start);
	timeline_close(t);
}

static void time_lanes(const struct timeline *t)
{
	static const char *const names[] = {
		"lanes by time, whole run", "lanes by icount, whole run", "lanes by event, whole run"};
	double times[FRAMES];
	for (int axis = 0; axis < 3; axis++) {
		for (size_t i = 0; i < FRAMES; i++) {
			struct lanes_options o = {.window = lanes_whole(t, (enum lanes_axis)axis), .width = 200, .playhead = i};
			double start = now_ms();
			lanes_destroy(lanes_create(t, &o));
			times[i] = now_ms() - start;
		}
		say(names[axis], times, FRAMES);
	}
}

/* A window of the run in events, which a list shows: 60 events read and parsed. */
static void time_list(const struct timeline *t)
{
	double times[FRAMES];
	struct timeline_event e = {0};
	for (size_t i = 0; i < FRAMES; i++) {
		size_t from = (timeline_count(t) - 60) / FRAMES * i;
		double start = now_ms();
		for (size_t k = 0; k < 60; k++)
			timeline_event(t, from + k, &e, NULL);
		times[i] = now_ms() - start;
	}
	timeline_event_finish(&e);
	say("a page of 60 events", times, FRAMES);
}

static void time_walk(const struct timeline *t)
{
	double times[FRAMES];
	struct timeline_filter none = {.kinds = 1ull << EVENT_PROC_OOM};
	for (size_t i = 0; i < FRAMES; i++) {
		double start = now_ms();
		timeline_next(t, TIMELINE_NONE, &none);
		times[i] = now_ms() - start;
	}
	say("next event of a kind that there is not", times, FRAMES);
}

static void time_search(const struct timeline *t, const char *text)
{
	double start = now_ms(), worst = 0;
	struct search *s = search_create(t, text, TIMELINE_NONE, false, NULL, NULL);
	enum search_result result;
	size_t at;
	do {
		double step = now_ms();
		result = search_step(s, 1024 * 1024, &at, NULL);
		step = now_ms() - step;
		worst = step > worst ? step : worst;
	} while (result == SEARCH_MORE);
	printf("search '%s' through all: %.1f ms, worst step of 1 MiB %.2f ms\n", text, now_ms() - start, worst);
	search_destroy(s);
}

static void say_memory(const char *when)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("memory %s: %ld MiB at most\n", when, usage.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: time-timeline RUN RUN\n", stderr);
		return 4;
	}
	time_open(argv[1]);
	struct timeline *a = open_run(argv[1]);
	time_lanes(a);
	time_list(a);
	time_walk(a);
	time_search(a, "not to be found");
	time_search(a, "Not to be found");
	say_memory("with one run");
	struct timeline *b = open_run(argv[2]);
	double start = now_ms();
	struct diff *d = diff_create(a, b, NULL, NULL, NULL);
	printf("diff, indexes read: %.1f ms (%zu hunks)\n", now_ms() - start, d->hunk_count);
	diff_destroy(d);
	say_memory("with two runs and their diff");
	timeline_close(a);
	timeline_close(b);
	return 0;
}
