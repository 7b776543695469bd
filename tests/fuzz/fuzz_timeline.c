/*
 * A run directory of any bytes is refused with a sentence, or opens and then bears everything that views do with it. The input
 * is events.jsonl, plan.json and properties.json, one after the other, with a zero byte between them; an empty one is left out.
 */
/* smoke runs: 2000 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/describe.h"
#include "engine/diff.h"
#include "engine/file.h"
#include "engine/lanes.h"
#include "engine/moment.h"
#include "engine/moves.h"
#include "engine/search.h"
#include "tests/fuzz/fuzz.h"

static const char *const files[] = {"events.jsonl", "plan.json", "properties.json"};
#define FILES (sizeof files / sizeof *files)

static struct {
	char root[64], path[128];
	int dir;
} the;

static void clean_up(void)
{
	for (size_t i = 0; i < FILES; i++)
		unlinkat(the.dir, files[i], 0);
	rmdir(the.path);
	rmdir(the.root);
}

static void set_up(void)
{
	strcpy(the.root, "/tmp/polecat-fuzz-XXXXXX");
	require(mkdtemp(the.root));
	/* Incomplete: so that the last line may lack its end. */
	snprintf(the.path, sizeof the.path, "%s/.incomplete-run", the.root);
	require(file_mkdirs(the.path, NULL));
	the.dir = file_open_dir(the.path, NULL);
	atexit(clean_up);
}

static void write_files(const char *at, const char *end)
{
	for (size_t i = 0; i < FILES; i++) {
		const char *stop = at < end ? memchr(at, '\0', (size_t)(end - at)) : end;
		stop = stop && i + 1 < FILES ? stop : end;
		unlinkat(the.dir, files[i], 0);
		if (stop > at) {
			int fd = openat(the.dir, files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
			require(write(fd, at, (size_t)(stop - at)) == stop - at);
			close(fd);
		}
		at = stop < end ? stop + 1 : end;
	}
}

static void read_events(const struct timeline *t)
{
	struct timeline_event e = {0};
	struct buf text = {0};
	struct err err = {0};
	for (size_t i = 0; i < timeline_count(t); i++) {
		buf_clear(&text);
		if (timeline_event(t, i, &e, &err))
			describe_event(&e.event, &text);
		else
			require(err.text[0]);
		for (size_t k = 0; k < text.size; k++)
			require((unsigned char)text.data[k] >= ' ' && text.data[k] != 0x7f);
	}
	timeline_event_finish(&e);
	buf_free(&text);
}

static void draw(const struct timeline *t)
{
	for (int axis = 0; axis < 3; axis++)
		for (int width = 1; width < 140; width += 46) {
			struct lanes_options o = {.window = lanes_whole(t, (enum lanes_axis)axis), .width = width, .playhead = 0};
			struct lanes *l = lanes_create(t, &o);
			struct buf text = {0};
			lanes_text(l, &text);
			require(text.size > 0);
			buf_free(&text);
			lanes_destroy(l);
		}
}

static void search(const struct timeline *t)
{
	struct err err = {0};
	struct search *s = search_create(t, "a", TIMELINE_NONE, timeline_count(t) % 2, NULL, &err);
	size_t at, steps = 0;
	enum search_result result = SEARCH_MORE;
	while (result == SEARCH_MORE || result == SEARCH_FOUND) {
		result = search_step(s, 100, &at, &err);
		require(result != SEARCH_FOUND || at < timeline_count(t));
		require(++steps < 2 * timeline_count(t) + 3);
	}
	require(result != SEARCH_FAILED || err.text[0]);
	search_destroy(s);
}

static void understand(void *data, const char *text)
{
	struct moment m;
	struct moves_filter filter;
	require(moment_parse(data, text, &m, NULL));
	moves_parse(data, &text, 1, &filter, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	if (!the.path[0])
		set_up();
	write_files((const char *)data, (const char *)data + size);
	struct timeline *t = timeline_open(the.path, &err);
	if (!t) {
		require(err.code == ERR_INPUT && err.text[0]);
		return 0;
	}
	read_events(t);
	draw(t);
	search(t);
	moment_complete(t, "", understand, t);
	struct diff *d = diff_create(t, t, NULL, NULL, &err);
	require(d && d->identical);
	diff_destroy(d);
	timeline_close(t);
	return 0;
}
