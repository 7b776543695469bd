/* Debug commands that keep places to stop at, and go on or back to the nearest of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions.h"
#include "engine/text.h"
#include "engine/verb.h"

/* ---- the list ----------------------------------------------------------------------------------------------- */

void breaks_finish(struct breaks *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		free(b->text[i]);
		free(b->tests[i]);
	}
	b->count = 0;
}

static void say(const struct breaks *b, uint32_t i, struct buf *out)
{
	buf_printf(out, "%u: %s ", i + 1, b->list[i].kind == SCAN_EXEC ? "break" : "watch");
	text_put_safe(out, b->text[i], strlen(b->text[i]));
	if (b->list[i].process)
		buf_printf(out, "  in process %" PRIu64, b->list[i].process);
	buf_str(out, b->disabled[i] ? "  (disabled)\n" : "\n");
}

/* `test`: the expression behind "if", NULL: none. */
static bool keep_break(
	struct verbs *v, const struct scan_watch *watch, const char *text, const char *test, struct buf *out, struct err *err)
{
	struct breaks *b = v->breaks;
	struct scan_condition *c = NULL;
	if (b->count == SCAN_WATCHES)
		return err_set(err, ERR_USAGE, "there are %d breaks already", SCAN_WATCHES);
	if (test &&
		!(c = watch->kind == SCAN_EXEC ? verb_code_condition(v, test, watch->low, err)
					       : verb_write_condition(v, test, text, watch, err)))
		return false;
	uint32_t i = b->count++;
	b->list[i] = *watch;
	b->tests[i] = NULL;
	b->disabled[i] = false;
	if (c) {
		b->tests[i] = mem_alloc(c->count * sizeof *c->ops + 1);
		memcpy(b->tests[i], c->ops, c->count * sizeof *c->ops);
		b->list[i].test_count = c->count;
	}
	free(c);
	b->text[i] = test ? mem_printf("%s if %s", text, test) : mem_str(text);
	say(b, i, out);
	return true;
}

struct scan_watch verb_code_watch(struct verbs *v, uint64_t address)
{
	struct err ignored;
	const struct process *p = address >> 47 ? NULL : here_focus(session_here(v->session), &ignored);
	return (struct scan_watch){.kind = SCAN_EXEC, .low = address, .high = address + 1, .process = p ? p->pid : 0};
}

/* "prog.c:34" as the copies of that line. */
static bool places_of_line(const struct symbols *symbols, const char *text, struct lines *ret)
{
	const char *colon = strrchr(text, ':');
	struct err ignored;
	uint64_t line;
	int found;
	if (!colon || colon == text || colon[-1] == ':' || !verb_number(colon + 1, "the line", &line, &ignored) ||
		line > INT32_MAX)
		return false;
	char *file = mem_strn(text, (size_t)(colon - text));
	bool ok = lines_find(symbols, file, (int)line, ret, &found);
	free(file);
	return ok;
}

/* Where a place is: a line or the name of a function may be several. */
static bool places_of(struct verbs *v, const char *text, struct lines *ret, struct err *err)
{
	struct err ignored;
	struct program *program = here_program(session_here(v->session), 0, &ignored);
	const struct symbols *symbols = program ? program_symbols(program) : NULL;
	uint64_t address;
	if (symbols && (places_of_line(symbols, text, ret) || functions_find(symbols, text, ret)))
		return true;
	if (!verb_address(v, text, &address, NULL, err))
		return false;
	lines_add(ret, address);
	return true;
}

/* What a break is called: where it is too, when there are several of the name. */
static char *name_of_place(struct verbs *v, const char *text, uint64_t address, size_t count)
{
	struct err ignored;
	struct program *program = count > 1 ? here_program(session_here(v->session), 0, &ignored) : NULL;
	struct buf name = {0};
	buf_str(&name, text);
	if (program) {
		buf_str(&name, ", ");
		symbols_print_address(program_symbols(program), address, false, &name);
	}
	return buf_take(&name);
}

bool verb_break(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct lines places = {0};
	const char *test;
	bool ok = verb_take_test(w, 2, &test, err) && places_of(v, w->list[1], &places, err);
	if (ok && places.count > SCAN_WATCHES - v->breaks->count)
		ok = err_set(err, ERR_USAGE, "%.60s is at %zu places: there is room for %u more breaks", w->list[1], places.count,
			SCAN_WATCHES - v->breaks->count);
	for (size_t i = 0; ok && i < places.count; i++) {
		struct scan_watch watch = verb_code_watch(v, places.list[i]);
		char *name = name_of_place(v, w->list[1], places.list[i], places.count);
		ok = keep_break(v, &watch, name, test, out, err);
		free(name);
	}
	lines_finish(&places);
	return ok;
}

bool verb_watch(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct scan_watch watch;
	uint64_t size = 0;
	const char *test;
	bool sized = w->count > 2 && strcmp(w->list[2], "if");
	return (!sized || verb_number(w->list[2], "the number of bytes", &size, err)) &&
		verb_take_test(w, sized ? 3 : 2, &test, err) && verb_memory_watch(v, w->list[1], size, &watch, err) &&
		keep_break(v, &watch, w->list[1], test, out, err);
}

bool verb_breaks(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w, (void)err;
	for (uint32_t i = 0; i < v->breaks->count; i++)
		say(v->breaks, i, out);
	if (!v->breaks->count)
		buf_str(out, "no breaks (`break PLACE` and `watch VARIABLE` make them)\n");
	return true;
}

/* The place in the list of the break that a word numbers. */
static bool numbered(const struct breaks *b, const char *word, uint32_t *ret, struct err *err)
{
	uint64_t n;
	if (!verb_number(word, "the break", &n, err))
		return false;
	*ret = (uint32_t)(n - 1);
	return (n && n <= b->count) || err_set(err, ERR_INPUT, "there is no break %" PRIu64 " (`breaks` lists them)", n);
}

bool verb_enable(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint32_t i;
	if (!numbered(v->breaks, w->list[1], &i, err))
		return false;
	v->breaks->disabled[i] = false;
	say(v->breaks, i, out);
	return true;
}

bool verb_disable(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint32_t i;
	if (!numbered(v->breaks, w->list[1], &i, err))
		return false;
	v->breaks->disabled[i] = true;
	say(v->breaks, i, out);
	return true;
}

bool verb_delete(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)out;
	struct breaks *b = v->breaks;
	uint32_t n;
	if (!numbered(b, w->list[1], &n, err))
		return false;
	free(b->text[n]);
	free(b->tests[n]);
	for (uint32_t i = n + 1; i < b->count; i++) {
		b->list[i - 1] = b->list[i];
		b->text[i - 1] = b->text[i];
		b->tests[i - 1] = b->tests[i];
		b->disabled[i - 1] = b->disabled[i];
	}
	b->count--;
	return true;
}

/* ---- going on ------------------------------------------------------------------------------------------------ */

/* All breaks as one request; disabled ones keep their numbers and look for nothing. */
static bool request_of(struct verbs *v, struct scan_request *r, struct err *err)
{
	const struct breaks *b = v->breaks;
	bool any = false;
	verb_prepare(v, r);
	for (uint32_t i = 0; i < b->count; i++) {
		struct scan_watch watch = b->list[i];
		any |= !b->disabled[i];
		if (b->disabled[i])
			watch = (struct scan_watch){.kind = SCAN_EXEC};
		else if (SCAN_TESTS - r->test_count < watch.test_count)
			return err_set(err, ERR_USAGE, "the conditions are too many: disable some of the breaks");
		else if (b->tests[i]) {
			memcpy(r->tests + r->test_count, b->tests[i], watch.test_count * sizeof *r->tests);
			watch.test = r->test_count;
			r->test_count += watch.test_count;
		}
		r->watches[r->count++] = watch;
	}
	return any ||
		err_set(err, ERR_INPUT, "there are no breaks to stop at (`goto end` and `goto begin` go to the ends of the run)");
}

static bool resume(struct verbs *v, bool backward, struct buf *out, struct err *err)
{
	struct scan_request *request = mem_alloc(sizeof *request);
	bool ok = request_of(v, request, err) && verb_go_to_hit(v, request, backward, true, out, err);
	free(request);
	return ok;
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
