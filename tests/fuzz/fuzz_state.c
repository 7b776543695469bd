/*
 * What the screen kept about a run and about the last session, of any bytes: refused with a line and what was expected, or
 * taken; what was taken up to then holds together, and written it reads the same again.
 */
/* smoke runs: 1500 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/file.h"
#include "tui/session.h"
#include "tui/state.h"
#include "tests/fuzz/fuzz.h"

static const char events[] = "{\"seq\":1,\"icount\":5,\"vtime_ns\":6,\"node\":\"\",\"kind\":\"run.start\",\"plan\":\"00\"}\n"
			     "{\"seq\":2,\"icount\":9,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"io.line\",\"inv\":1,\"stream\":"
			     "\"out\",\"line\":1,\"text\":\"x\"}\n"
			     "{\"seq\":3,\"icount\":12,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"node.ready\",\"inv\":1}\n";

static char root[64], path[128];

static void clean_up(void)
{
	int dir = file_open_dir("/tmp", NULL);
	file_remove_in(dir, root + strlen("/tmp/"), NULL);
	close(dir);
}

static void set_up(void)
{
	strcpy(root, "/tmp/polecat-fuzz-XXXXXX");
	require(mkdtemp(root));
	snprintf(path, sizeof path, "%s/.incomplete-run", root);
	require(file_mkdirs(path, NULL));
	atexit(clean_up);
	int dir = file_open_dir(path, NULL);
	require(file_write_in(dir, "events.jsonl", events, sizeof events - 1, NULL));
	close(dir);
}

static struct run *fresh(void)
{
	struct timeline *timeline = timeline_open(path, NULL);
	require(timeline);
	return run_create(timeline);
}

static void check_run(const struct run *run)
{
	size_t count = timeline_count(run->timeline);
	require(run->playhead == TIMELINE_NONE || run->playhead < count);
	require(run->bookmark_count <= RUN_BOOKMARKS_MAX && strlen(run->search) <= SEARCH_TEXT_MAX);
	for (size_t i = 0; i < run->bookmark_count; i++) {
		require(run->bookmarks[i].event < count && strlen(run->bookmarks[i].name) <= RUN_NAME_MAX);
		require(i == 0 || run->bookmarks[i - 1].event < run->bookmarks[i].event);
	}
}

static void fuzz_run(const char *bytes, size_t size)
{
	struct err err = {0};
	struct run *run = fresh(), *again = fresh();
	if (!state_parse(run, bytes, size, &err))
		require(err.code == ERR_INPUT && strncmp(err.text, "line ", 5) == 0);
	check_run(run);
	struct buf first = {0}, second = {0};
	state_write(run, &first);
	require(state_parse(again, first.data, first.size, &err));
	state_write(again, &second);
	require(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
	buf_free(&first);
	buf_free(&second);
	run_destroy(run);
	run_destroy(again);
}

static void fuzz_session(const char *bytes, size_t size)
{
	struct err err = {0};
	struct session session = {0}, again = {0};
	if (!session_parse(&session, bytes, size, &err))
		require(err.code == ERR_INPUT && err.text[0]);
	struct buf first = {0}, second = {0};
	session_write(&session, &first);
	err = (struct err){0};
	require(session_parse(&again, first.data ? first.data : "", first.size, &err));
	session_write(&again, &second);
	require(first.size == second.size && (first.size == 0 || memcmp(first.data, second.data, first.size) == 0));
	buf_free(&first);
	buf_free(&second);
	session_finish(&session);
	session_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!root[0])
		set_up();
	fuzz_run((const char *)data, size);
	fuzz_session((const char *)data, size);
	return 0;
}
