#include "engine/dap_server.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/describe.h"
#include "engine/text.h"

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- where the machine is ---------------------------------------------------------------------------------------- */

void dap_moved(struct dap_server *s)
{
	session_moved(s->verbs->session);
	if (s->targets)
		targets_moved(s->targets);
}

bool dap_go(struct dap_server *s, uint64_t absolute, struct err *err)
{
	struct walk_trip trip;
	struct session *session = s->verbs->session;
	bool ok = walk_to(session_walk(session), absolute, &trip, err);
	dap_moved(s);
	if (ok && trip.reached != absolute)
		return err_set(err, ERR_QEMU, "the guest stopped itself at %" PRIu64, trip.reached - session_zero(session));
	return ok;
}

void dap_forget_views(struct dap_server *s)
{
	for (size_t i = 0; i < s->reference_count; i++)
		free(s->references[i].expression);
	/* What was a number at one stop is none at the next: a client that comes too late with one is told so. */
	s->references_before += s->reference_count;
	s->frames_before += s->frame_count;
	if (s->references_before > INT32_MAX - DAP_REFERENCES_MAX)
		s->references_before = 0;
	if (s->frames_before > INT32_MAX - DAP_FRAMES_MAX)
		s->frames_before = 0;
	s->reference_count = s->frame_count = 0;
}

const struct thread *dap_focus(struct dap_server *s, const struct process **ret_process, struct err *err)
{
	struct err ignored;
	const struct thread *thread = targets_thread(s->targets, s->thread, ret_process, &ignored);
	if (!thread)
		thread = targets_current(s->targets, s->thread, ret_process);
	if (!thread)
		err_set(err, ERR_INPUT, "no process of a node lives at %" PRIu64, session_icount(s->verbs->session));
	return thread;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

void dap_send_output(struct dap_server *s, const char *category, const char *text, size_t size)
{
	struct json *body = json_new_object();
	json_put_str(body, "category", category);
	json_put(body, "output", json_new_strn(text, size));
	dap_client_event(&s->client, "output", body);
}

void dap_send_stopped(struct dap_server *s, const struct dap_stop *stop)
{
	struct json *body = json_new_object(), *ids = json_new_array();
	struct buf place = {0};
	const struct process *p;
	/* After a wish to stop it is not, before the next request. */
	bool known = walk_machine(session_walk(s->verbs->session)) != NULL;
	const struct thread *thread = known ? targets_current(s->targets, s->thread, &p) : NULL;
	/* Where nobody lives there is a thread all the same: clients go back from a thread. */
	if (known || !s->thread)
		s->thread = thread ? thread->id : DAP_NOBODY;
	dap_forget_views(s);
	buf_printf(&place, "%s%s", stop->text, *stop->text ? ": " : "");
	session_print_place(s->verbs->session, &place);
	json_put_str(body, "reason", stop->reason);
	json_put_str(body, "description", place.data);
	if (*stop->text)
		json_put_str(body, "text", stop->text);
	json_put_u64(body, "threadId", s->thread);
	json_put_bool(body, "allThreadsStopped", true);
	for (size_t i = 0; i < stop->count; i++)
		json_push(ids, json_new_u64(stop->ids[i]));
	json_put(body, "hitBreakpointIds", ids);
	dap_client_event(&s->client, "stopped", body);
	buf_free(&place);
}

static void tell_event(struct dap_server *s, const struct timeline *t, size_t index, struct timeline_event *e)
{
	struct buf text = {0};
	if (!timeline_event(t, index, e, NULL))
		return;
	const char *node = timeline_node(t, timeline_entries(t)[index].node);
	if (e->event.kind == EVENT_IO_LINE) {
		text_put_safe(&text, e->event.text.data, e->event.text.size);
		buf_char(&text, '\n');
		dap_send_output(s, e->event.is_stderr ? "stderr" : "stdout", text.data, text.size);
	} else if (s->options.all_events) {
		buf_printf(&text, "ev:%zu %s %s ", index + 1, *node ? node : "-", event_kind_name(e->event.kind));
		describe_event(&e->event, &text);
		buf_char(&text, '\n');
		dap_send_output(s, "console", text.data, text.size);
	}
	buf_free(&text);
}

void dap_tell_events(struct dap_server *s, uint64_t icount)
{
	const struct timeline *t = session_timeline(s->verbs->session);
	struct timeline_event e = {0};
	size_t told = timeline_at_icount(t, s->events_told), first = told == TIMELINE_NONE ? 0 : told + 1, count = 0;
	for (size_t i = first; !s->options.quiet && i < timeline_count(t) && timeline_entries(t)[i].icount <= icount; i++) {
		if (++count > DAP_OUTPUT_MAX) {
			static const char more[] = "(more events than are told after one move: `polecat show` has them all)\n";
			dap_send_output(s, "console", more, sizeof more - 1);
			break;
		}
		tell_event(s, t, i, &e);
	}
	s->events_told = icount > s->events_told ? icount : s->events_told;
	timeline_event_finish(&e);
}

/* ---- work that takes long ---------------------------------------------------------------------------------------- */

static char *progress_id(const struct dap_server *s)
{
	return mem_printf("move-%" PRIu64, s->work.id);
}

static void send_progress(struct dap_server *s, const char *event)
{
	struct json *body = json_new_object();
	char *id = progress_id(s),
	     *message =
		     mem_printf("%" PRIu64 " of %" PRIu64 " million instructions", s->work.done / 1000000, s->work.of / 1000000);
	json_put_str(body, "progressId", id);
	if (!strcmp(event, "progressStart")) {
		json_put_str(body, "title", "polecat moves");
		json_put_u64(body, "requestId", s->work.request);
		json_put_bool(body, "cancellable", true);
	}
	if (s->work.of && strcmp(event, "progressEnd") != 0) {
		json_put_str(body, "message", message);
		json_put_u64(body, "percentage", s->work.done < s->work.of ? s->work.done * 100 / s->work.of : 100);
	}
	dap_client_event(&s->client, event, body);
	free(message);
	free(id);
}

static void show_progress(struct dap_server *s)
{
	double now = now_ms();
	if (!s->client_has_progress || now - s->work.began_ms < DAP_PROGRESS_MS)
		return;
	if (!s->work.shown) {
		s->work.shown = true;
		send_progress(s, "progressStart");
	} else if (now - s->work.said_ms >= DAP_PROGRESS_EACH_MS)
		send_progress(s, "progressUpdate");
	else
		return;
	s->work.said_ms = now;
}

void dap_progress(void *server, uint64_t done, uint64_t of)
{
	struct dap_server *s = server;
	s->work.done = done;
	s->work.of = of;
	if (s->work.active)
		show_progress(s);
}

void dap_work_begin(struct dap_server *s, uint64_t request)
{
	s->work = (struct dap_work){.active = true, .request = request, .id = s->work.id + 1, .began_ms = now_ms()};
}

void dap_work_end(struct dap_server *s)
{
	if (s->work.shown)
		send_progress(s, "progressEnd");
	s->work.active = s->work.shown = false;
}

static const char *find_waiting(const struct dap_client *c, uint64_t seq, size_t *ret)
{
	for (*ret = 0; *ret < c->count; ++*ret)
		if (dap_number(c->queue[*ret], "seq", 0) == seq)
			return dap_string(c->queue[*ret], "command");
	return NULL;
}

/* What goes on, or a request that waits behind it. */
void dap_cancel(struct dap_server *s, const struct json *request)
{
	const struct json *arguments = json_member(request, "arguments");
	const char *progress = dap_string(arguments, "progressId");
	uint64_t seq = dap_number(arguments, "requestId", 0);
	char *own = progress_id(s);
	size_t index;
	bool found = s->work.active && ((seq && seq == s->work.request) || (progress && !strcmp(progress, own)));
	if (found)
		s->work.stopped = true;
	else if (seq && find_waiting(&s->client, seq, &index)) {
		struct json *waiting = dap_client_take(&s->client, index);
		dap_client_respond(&s->client, waiting, "cancelled", NULL);
		json_destroy(waiting);
		found = true;
	}
	dap_client_respond(&s->client, request, found ? NULL : "there is nothing of that number to cancel: it has ended", NULL);
	free(own);
}

/* Answers what stops a move; others wait. */
static bool hear_client(struct dap_server *s)
{
	struct dap_client *c = &s->client;
	dap_client_hear(c);
	for (size_t i = 0; i < c->count;) {
		const char *command = dap_string(c->queue[i], "command");
		if (!strcmp(command, "disconnect") || !strcmp(command, "terminate"))
			return true;
		if (strcmp(command, "pause") != 0 && strcmp(command, "cancel") != 0) {
			i++;
			continue;
		}
		struct json *request = dap_client_take(c, i);
		if (*command == 'p') {
			dap_client_respond(c, request, NULL, NULL);
			s->work.stopped = true;
		} else
			dap_cancel(s, request);
		json_destroy(request);
		i = 0; /* a cancel may have taken another one out of the list */
	}
	return s->work.stopped || c->closed || c->is_bad;
}

bool dap_interrupted(void *data)
{
	struct dap_server *s = data;
	if (s->work.active)
		show_progress(s);
	bool asked = hear_client(s);
	s->work.asked |= asked;
	return asked;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

void dap_put_reference(struct dap_server *s, const struct process *p, uint64_t address, struct json *object, const char *key)
{
	const struct process *focus = NULL;
	struct err ignored;
	dap_focus(s, &focus, &ignored);
	char *text = p == focus ? mem_printf("0x%" PRIx64, address) : mem_printf("0x%" PRIx64 "@%u", address, p->pid);
	json_put_str(object, key, text);
	free(text);
}

const struct process *dap_find_reference(struct dap_server *s, const char *text, uint64_t *ret_address, struct err *err)
{
	const struct process *p = NULL;
	const char *at = text ? strchr(text, '@') : NULL;
	char *number = text ? mem_strn(text, at ? (size_t)(at - text) : strlen(text)) : NULL;
	bool ok = number && verb_number(number, "the address", ret_address, err);
	free(number);
	if (!text)
		err_set(err, ERR_INPUT, "expected an address such as 0x401136");
	if (!ok)
		return NULL;
	if (!at)
		return dap_focus(s, &p, err) ? p : NULL;
	uint64_t pid;
	const struct process_list *list =
		verb_number(at + 1, "the process", &pid, err) ? targets_processes(s->targets, err) : NULL;
	p = list && pid <= UINT32_MAX ? process_find(list, (uint32_t)pid) : NULL;
	if (list && !p)
		err_set(err, ERR_INPUT, "process %" PRIu64 " does not live here", pid);
	return p;
}
