/* Debug commands that keep places to stop at, and go on or back to the nearest of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/scan.h"
#include "engine/verb.h"

static bool keep_break(struct verbs *v, const struct scan_watch *watch, const char *text, struct buf *out, struct err *err)
{
	struct breaks *b = v->breaks;
	if (b->count == SCAN_WATCHES)
		return err_set(err, ERR_USAGE, "there are %d breaks already", SCAN_WATCHES);
	b->text[b->count] = mem_str(text);
	b->list[b->count++] = *watch;
	buf_printf(out, "%u: %s %s\n", b->count, watch->kind == SCAN_EXEC ? "break" : "watch", text);
	return true;
}

bool verb_break(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t at;
	return verb_address(v, w->list[1], &at, NULL, err) &&
		keep_break(v, &(struct scan_watch){.kind = SCAN_EXEC, .low = at, .high = at + 1}, w->list[1], out, err);
}

bool verb_watch(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct scan_watch watch;
	uint64_t size = 0;
	return (w->count < 3 || verb_number(w->list[2], "the number of bytes", &size, err)) &&
		verb_memory_watch(v, w->list[1], size, &watch, err) && keep_break(v, &watch, w->list[1], out, err);
}

bool verb_breaks(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w, (void)err;
	for (uint32_t i = 0; i < v->breaks->count; i++)
		buf_printf(
			out, "%u: %s %s\n", i + 1, v->breaks->list[i].kind == SCAN_EXEC ? "break" : "watch", v->breaks->text[i]);
	if (!v->breaks->count)
		buf_str(out, "no breaks (`break ADDRESS` and `watch ADDRESS` make them)\n");
	return true;
}

bool verb_delete(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)out;
	struct breaks *b = v->breaks;
	uint64_t n;
	if (!verb_number(w->list[1], "the break", &n, err))
		return false;
	if (!n || n > b->count)
		return err_set(err, ERR_INPUT, "there is no break %" PRIu64 " (`breaks` lists them)", n);
	free(b->text[n - 1]);
	for (uint32_t i = (uint32_t)n; i < b->count; i++) {
		b->list[i - 1] = b->list[i];
		b->text[i - 1] = b->text[i];
	}
	b->count--;
	return true;
}

static bool resume(struct verbs *v, bool backward, struct buf *out, struct err *err)
{
	struct scan_request request;
	if (!v->breaks->count)
		return err_set(
			err, ERR_INPUT, "there are no breaks to stop at (`goto end` and `goto begin` go to the ends of the run)");
	verb_prepare(v, &request);
	memcpy(request.watches, v->breaks->list, sizeof request.watches);
	request.count = v->breaks->count;
	return verb_go_to_hit(v, &request, backward, out, err);
}

bool verb_continue(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	return resume(v, false, out, err);
}

bool verb_rcontinue(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	return resume(v, true, out, err);
}
