#include "tui/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/text.h"
#include "tui/glyph.h"

#define SETTLE_MS 30000 /* longest wait for the work in the background */

struct player {
	struct app *app;
	struct canvas *canvas;
	struct script_times *times;
	bool stuck; /* something in the background was not waited for to its end */
};

static void settle(struct player *player)
{
	struct app *app = player->app;
	for (bool given_up = false; !given_up;) {
		while (app_step(app))
			;
		if (!app_busy(app))
			break;
		struct pollfd fds[APP_FDS_MAX];
		size_t count = app_poll(app, fds, APP_FDS_MAX);
		given_up = count == 0 || poll(fds, (nfds_t)count, SETTLE_MS) == 0;
		player->stuck |= given_up;
	}
	app_draw(app, player->canvas);
}

static double clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void press_key(struct player *player, uint32_t key)
{
	struct input in = {.kind = INPUT_KEY, .key = key};
	double start = clock_ms();
	app_input(player->app, &in);
	app_step(player->app);
	app_draw(player->app, player->canvas);
	struct script_times *times = player->times;
	if (times)
		ARRAY_PUSH(times->ms, times->count, times->room) = clock_ms() - start;
	settle(player);
}

static void resize(struct player *player, int width, int height)
{
	struct input in = {.kind = INPUT_RESIZE, .width = width, .height = height};
	canvas_resize(player->canvas, width, height);
	app_input(player->app, &in);
	settle(player);
}

static bool run_keys(struct player *player, const char *names, struct err *err)
{
	for (const char *at = names + strspn(names, " "); *at && !app_ended(player->app);) {
		size_t size = strcspn(at, " ");
		uint32_t key;
		if (!keys_parse(at, size, &key, err))
			return false;
		press_key(player, key);
		at += size + strspn(at + size, " ");
	}
	return true;
}

static void type_text(struct player *player, const char *text)
{
	for (size_t i = 0, size = strlen(text); i < size && !app_ended(player->app);) {
		uint32_t code;
		i += glyph_decode(text + i, size - i, &code);
		press_key(player, code);
	}
}

static void click(struct player *player, int x, int y)
{
	struct input in = {.kind = INPUT_MOUSE, .mouse = MOUSE_PRESS, .x = x, .y = y};
	app_input(player->app, &in);
	in.mouse = MOUSE_RELEASE;
	app_input(player->app, &in);
	settle(player);
}

/* A press at one cell, and the button held down to another. */
static void drag(struct player *player, int x, int y, int to_x, int to_y)
{
	struct input in = {.kind = INPUT_MOUSE, .mouse = MOUSE_PRESS, .x = x, .y = y};
	app_input(player->app, &in);
	in.mouse = MOUSE_DRAG;
	while (in.x != to_x || in.y != to_y) {
		in.x += (to_x > in.x) - (to_x < in.x);
		in.y += (to_y > in.y) - (to_y < in.y);
		app_input(player->app, &in);
		settle(player);
	}
	in.mouse = MOUSE_RELEASE;
	app_input(player->app, &in);
	settle(player);
}

static void snap(const struct canvas *canvas, const char *words, struct buf *out)
{
	buf_printf(out, "== %s (%dx%d)\n", words, canvas->width, canvas->height);
	canvas_dump(canvas, out);
}

static bool run_line(struct player *player, char *line, struct buf *out, struct err *err)
{
	char *rest = line + strcspn(line, " ");
	if (*rest)
		*rest++ = '\0';
	int a, b, c, d;
	if (!line[0] || line[0] == '#')
		return true;
	if (strcmp(line, "key") == 0)
		return run_keys(player, rest, err);
	if (strcmp(line, "type") == 0)
		type_text(player, rest);
	else if (strcmp(line, "snap") == 0)
		snap(player->canvas, rest, out);
	else if (strcmp(line, "size") == 0 && sscanf(rest, "%dx%d", &a, &b) == 2)
		resize(player, a, b);
	else if (strcmp(line, "click") == 0 && sscanf(rest, "%d %d", &a, &b) == 2)
		click(player, a, b);
	else if (strcmp(line, "drag") == 0 && sscanf(rest, "%d %d %d %d", &a, &b, &c, &d) == 4)
		drag(player, a, b, c, d);
	else
		return err_set(err, ERR_INPUT,
			"'%.40s' is no step: expected key, type, size WxH, click X Y, drag X Y X Y, snap or #", line);
	return true;
}

bool script_run(struct app *app, struct canvas *canvas, const char *bytes, size_t size, const char *file, struct buf *out,
	struct script_times *times, struct err *err)
{
	struct player player = {.app = app, .canvas = canvas, .times = times};
	double start = clock_ms();
	struct text_lines l = {.bytes = bytes, .size = size};
	bool ok = true;
	settle(&player);
	if (times)
		times->first_ms = clock_ms() - start;
	while (ok && !app_ended(app) && text_next_line(&l)) {
		char *line = mem_strn(l.line, l.length);
		ok = run_line(&player, line, out, err) || err_prefix(err, "%s:%zu", file, l.number);
		free(line);
	}
	return ok;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

void script_times_report(struct script_times *times, struct buf *out)
{
	if (times->count)
		qsort(times->ms, times->count, sizeof *times->ms, by_size);
	double median = times->count ? times->ms[times->count / 2] : 0, worst = times->count ? times->ms[times->count - 1] : 0;
	buf_printf(out, "open %.1f ms, keys %zu, median %.2f ms, worst %.2f ms\n", times->first_ms, times->count, median, worst);
}

void script_times_finish(struct script_times *times)
{
	free(times->ms);
	*times = (struct script_times){0};
}

/* ---- random ---- */

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Keys that would end the program, stop it, or start others are not pressed. */
static bool is_harmless(uint32_t key)
{
	return key != 'q' && key != 'Q' && key != 3 && key != 26 && key != 'R' && key != 'r' && key != 'x' && key != KEYS_DELETE;
}

static const int sizes[][2] = {
	{80, 24}, {1, 1}, {500, 200}, {40, 12}, {120, 40}, {20, 5}, {2, 60}, {300, 1}, {7, 3}, {79, 23}, {200, 60}};

/* Its key deletes elsewhere. Escape: so that it is no text of a line that is open. */
static void press_debug(struct player *player)
{
	press_key(player, KEYS_ESCAPE);
	type_text(player, ":debug");
	press_key(player, KEYS_ENTER);
}

bool script_random(struct app *app, struct canvas *canvas, uint64_t seed, size_t count, struct err *err)
{
	static const char text[] = "acked fail kill#1 ev:17 node:client t:1s end \\/:%'\"";
	struct player player = {.app = app, .canvas = canvas};
	uint64_t state = seed;
	settle(&player);
	press_debug(&player); /* a run that cannot be replayed says so */
	for (size_t i = 0; i < count && !app_ended(app); i++) {
		uint64_t r = next_random(&state), kind = r % 100, value = r >> 8;
		if (kind < 4) {
			size_t n = value % (sizeof sizes / sizeof sizes[0]);
			resize(&player, sizes[n][0], sizes[n][1]);
		} else if (kind < 6) {
			click(&player, (int)(value % 200), (int)(value / 200 % 60));
		} else if (kind < 8) {
			press_debug(&player);
		} else {
			uint32_t key = kind < 50 ? (uint32_t)(0x20 + value % 0x5f)
				: kind < 85      ? (uint32_t)(KEYS_UP + value % (KEYS_AFTER - KEYS_UP))
				: kind < 97      ? (uint32_t)text[value % (sizeof text - 1)]
						 : (uint32_t)(1 + value % 26);
			if (is_harmless(key))
				press_key(&player, key);
		}
		if (player.stuck)
			return err_set(err, ERR_SYSTEM, "seed %llu: what key %zu began is not done after %d s",
				(unsigned long long)seed, i + 1, SETTLE_MS / 1000);
	}
	return true;
}
