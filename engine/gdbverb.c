#include "engine/gdbverb.h"

#include <stdlib.h>
#include <string.h>

#include "engine/gdbhost.h"

static void say(void *data, const char *text)
{
	struct verbs *v = data;
	v->gdb->say(v->gdb->data, text);
}

static void moved(void *data)
{
	struct verbs *v = data;
	if (v->gdb->moved)
		v->gdb->moved(v->gdb->data);
}

static bool serve_printed(struct verbs *v, struct gdbhost *h, struct err *err)
{
	return v->gdb->print(v->gdb->data, gdbhost_line(h), err) && gdbhost_serve(h, -1, err);
}

static bool serve_child(struct verbs *v, struct gdbhost *h, struct err *err)
{
	int fd;
	if (!v->gdb->start)
		return err_set(err, ERR_USAGE, "there is no terminal for gdb here: expected --print or --listen PATH");
	if (!v->gdb->start(v->gdb->data, gdbhost_argv(h), &fd, err))
		return err_prefix(err, "gdb is needed for this (it is a Debian package; --print does without it)");
	bool ok = gdbhost_serve(h, fd, err);
	v->gdb->end(v->gdb->data, !ok);
	return ok;
}

bool gdbverb_serve(struct verbs *v, const struct gdbverb_options *o, struct err *err)
{
	uint64_t left = session_icount(v->session);
	struct gdbhost_options options = {.verbs = v,
		.pid = o->pid,
		.machine = o->machine,
		.listen = o->listen,
		.rest = o->rest,
		.rest_count = o->rest_count,
		.say = say,
		.moved = moved,
		.data = v};
	struct gdbhost *h = gdbhost_open(&options, err);
	bool ok = h && (o->print || o->listen ? serve_printed(v, h, err) : serve_child(v, h, err));
	gdbhost_close(h);
	session_came(v->session, left);
	return ok;
}

static bool wants(const struct words *w, size_t i, const char *option, const char **ret, struct err *err)
{
	*ret = i + 1 < w->count ? w->list[i + 1] : NULL;
	return *ret || err_set(err, ERR_USAGE, "%s: expected a value", option);
}

static bool read_options(const struct words *w, struct gdbverb_options *o, struct err *err)
{
	const char *value;
	uint64_t pid;
	for (size_t i = 1; i < w->count; i++) {
		const char *word = w->list[i];
		if (!strcmp(word, "--kernel")) {
			o->machine = true;
		} else if (!strcmp(word, "--print")) {
			o->print = true;
		} else if (!strcmp(word, "--listen")) {
			if (!wants(w, i++, word, &o->listen, err))
				return false;
		} else if (!strcmp(word, "--pid")) {
			if (!wants(w, i++, word, &value, err) || !verb_number(value, "the process", &pid, err))
				return false;
			o->pid = pid <= UINT32_MAX ? (uint32_t)pid : UINT32_MAX;
		} else if (!strcmp(word, "--")) {
			o->rest = (const char *const *)w->list + i + 1;
			o->rest_count = w->count - i - 1;
			break;
		} else {
			return err_set(err, ERR_USAGE,
				"'%.60s': expected --pid P, --kernel, --print, --listen PATH, or -- and words for gdb", word);
		}
	}
	if (o->pid && o->machine)
		return err_set(err, ERR_USAGE, "--pid and --kernel: expected one of them");
	return true;
}

bool gdbverb_run(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct gdbverb_options options = {0};
	if (!read_options(w, &options, err) || !gdbverb_serve(v, &options, err))
		return false;
	v->moved = true;
	verb_say_place(v, out);
	return true;
}
