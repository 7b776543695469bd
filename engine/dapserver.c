#include "engine/dapserver.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/dap.h"
#include "engine/file.h"
#include "engine/json.h"
#include "engine/sourcefile.h"
#include "engine/text.h"
#include "engine/tracee.h"

enum {
	READ_MAX = 4096,
	FRAMES = 1024 /* numbers of frames that a thread has */,
	REGISTERS = 1 << 30 /* the scope with the registers */
};

struct place { /* a breakpoint */
	char *source;
	uint64_t address;
};

struct server {
	struct verbs *verbs;
	struct tracee *tracee; /* from launch or attach on */
	struct dap stream;
	struct place places[TRACEE_POINTS_MAX];
	size_t count;
	uint64_t seq;
	int in, out;
	bool closed, leaving;
	/* Of the request that is answered: */
	const struct json *arguments;
	struct json *body;
	const char *stop; /* the event that follows the answer: why it stopped; NULL: it did not move */
};

/* ---- messages ------------------------------------------------------------------------------------------------ */

static void send_message(struct server *s, struct json *message)
{
	struct buf text = {0}, framed = {0};
	struct err ignored;
	json_put_u64(message, "seq", ++s->seq);
	json_write(message, &text);
	dap_put(&framed, &text);
	if (!s->closed && !file_write_fd(s->out, framed.data, framed.size, "the client", &ignored))
		s->closed = true;
	buf_free(&text);
	buf_free(&framed);
	json_destroy(message);
}

static void send_event(struct server *s, const char *name, struct json *body)
{
	struct json *j = json_new_object();
	json_put_str(j, "type", "event");
	json_put_str(j, "event", name);
	json_put(j, "body", body ? body : json_new_object());
	send_message(s, j);
}

static void send_stopped(struct server *s, const char *why)
{
	struct json *body = json_new_object();
	struct buf place = {0};
	session_print_place(s->verbs->session, &place);
	json_put_str(body, "reason", why);
	json_put_str(body, "description", place.data);
	json_put_u64(body, "threadId", tracee_thread(s->tracee));
	json_put_bool(body, "allThreadsStopped", true);
	send_event(s, "stopped", body);
	buf_free(&place);
}

static void hear(struct server *s)
{
	char bytes[READ_MAX];
	ssize_t n = read(s->in, bytes, sizeof bytes);
	if (n > 0)
		dap_feed(&s->stream, bytes, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		s->closed = true;
}

/* Is a request to stop, or the end, waiting behind the one that is being answered? The words are enough to look. */
static bool interrupted(void *data)
{
	struct server *s = data;
	struct pollfd fd = {.fd = s->in, .events = POLLIN};
	static const char *const words[] = {"\"pause\"", "\"disconnect\"", "\"terminate\""};
	while (!s->closed && poll(&fd, 1, 0) > 0)
		hear(s);
	for (size_t i = 0; s->stream.in.size && i < sizeof words / sizeof *words; i++)
		if (memmem(s->stream.in.data, s->stream.in.size, words[i], strlen(words[i])))
			return true;
	return s->closed;
}

static uint64_t number(const struct json *object, const char *key, uint64_t fallback)
{
	uint64_t value;
	return json_as_u64(json_member(object, key), key, &value, NULL) ? value : fallback;
}

static const char *string(const struct json *object, const char *key)
{
	const char *text;
	return json_as_str(json_member(object, key), key, &text, NULL, NULL) ? text : NULL;
}

/* ---- start and end ------------------------------------------------------------------------------------------- */

static bool initialize(struct server *s, struct err *err)
{
	static const char *const able[] = {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsStepBack",
		"supportsEvaluateForHovers", "supportsSteppingGranularity"};
	(void)err;
	for (size_t i = 0; i < sizeof able / sizeof *able; i++)
		json_put_bool(s->body, able[i], true);
	return true;
}

static bool go_to_start(struct server *s, struct err *err)
{
	const struct timeline *t = session_timeline(s->verbs->session);
	struct walk_trip trip;
	if (session_icount(s->verbs->session) != session_begin(s->verbs->session))
		return true; /* --at */
	for (size_t i = 0; i < timeline_count(t); i++)
		if (timeline_entries(t)[i].kind == EVENT_NODE_STARTED)
			return session_go(s->verbs->session, timeline_entries(t)[i].icount, &trip, err);
	return err_set(err, ERR_INPUT, "no node started in this run: expected \"at\" and \"pid\"");
}

static bool launch(struct server *s, struct err *err)
{
	const char *at = string(s->arguments, "at");
	uint64_t icount, pid = number(s->arguments, "pid", 0);
	struct walk_trip trip;
	bool ok = at ? verb_moment(s->verbs, at, &icount, err) && session_go(s->verbs->session, icount, &trip, err)
		     : go_to_start(s, err);
	tracee_destroy(s->tracee);
	s->tracee = ok && pid <= UINT32_MAX ? tracee_create(s->verbs->session, s->verbs->cancel, (uint32_t)pid, err) : NULL;
	if (s->tracee)
		send_event(s, "initialized", NULL);
	return s->tracee || (ok && pid > UINT32_MAX && err_set(err, ERR_INPUT, "\"pid\" is no process"));
}

static bool configuration_done(struct server *s, struct err *err)
{
	(void)err;
	s->stop = "entry";
	return true;
}

static bool leave(struct server *s, struct err *err)
{
	(void)err;
	s->leaving = true;
	return true;
}

/* ---- breakpoints --------------------------------------------------------------------------------------------- */

static void forget(struct server *s, const char *source)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->count; i++)
		if (source && strcmp(s->places[i].source, source) != 0)
			s->places[kept++] = s->places[i];
		else
			free(s->places[i].source);
	s->count = kept;
}

static void add_place(struct server *s, const char *source, const char *text, struct json *list)
{
	struct json *j = json_new_object();
	struct program *program = NULL;
	struct err err = {0};
	uint64_t address = 0;
	bool ok = s->count < TRACEE_POINTS_MAX || err_set(&err, ERR_USAGE, "there are %d breakpoints already", TRACEE_POINTS_MAX);
	ok = ok && (program = tracee_program(s->tracee, &err)) != NULL &&
		program_address(program, NULL, text, &address, NULL, &err);
	if (ok)
		s->places[s->count++] = (struct place){mem_str(source), address};
	json_put_bool(j, "verified", ok);
	if (!ok)
		json_put_str(j, "message", err.text);
	json_push(list, j);
}

static void set_points(struct server *s)
{
	struct err ignored;
	tracee_clear_points(s->tracee);
	for (size_t i = 0; i < s->count; i++)
		tracee_add_point(s->tracee, false, s->places[i].address, 1, &ignored);
}

static bool set_breakpoints(struct server *s, struct err *err)
{
	const struct json *source = json_member(s->arguments, "source"), *lines = json_member(s->arguments, "breakpoints");
	const char *path = string(source, "path"), *name = path ? path : string(source, "name");
	struct json *list = json_new_array();
	json_put(s->body, "breakpoints", list);
	if (!name)
		return err_set(err, ERR_INPUT, "setBreakpoints: expected a source with a path");
	forget(s, name);
	/* Where it was compiled its folders may have had other names. */
	const char *slash = strrchr(name, '/');
	for (size_t i = 0; i < json_count(lines); i++) {
		char *text = mem_printf("%s:%" PRIu64, slash ? slash + 1 : name, number(json_at(lines, i), "line", 0));
		add_place(s, name, text, list);
		free(text);
	}
	set_points(s);
	return true;
}

static bool set_function_breakpoints(struct server *s, struct err *err)
{
	const struct json *functions = json_member(s->arguments, "breakpoints");
	struct json *list = json_new_array();
	(void)err;
	json_put(s->body, "breakpoints", list);
	forget(s, "");
	for (size_t i = 0; i < json_count(functions); i++) {
		const char *name = string(json_at(functions, i), "name");
		add_place(s, "", name ? name : "", list);
	}
	set_points(s);
	return true;
}

/* ---- questions ----------------------------------------------------------------------------------------------- */

static bool threads(struct server *s, struct err *err)
{
	struct json *list = json_new_array();
	struct err ignored;
	const struct process *p = tracee_process(s->tracee, &ignored);
	(void)err;
	for (size_t i = 0; p && i < p->thread_count; i++) {
		struct json *j = json_new_object();
		const struct thread *t = &p->threads[i];
		json_put_u64(j, "id", t->id);
		json_put(j, "name", json_new_strn(t->name, strnlen(t->name, sizeof t->name)));
		json_push(list, j);
	}
	json_put(s->body, "threads", list);
	return true;
}

static struct json *source_of(struct server *s, const struct symbols_place *place)
{
	struct buf path = {0}, found = {0};
	struct err ignored;
	struct json *j = json_new_object();
	sourcefile_path(place->directory, place->file, &path);
	int fd = sourcefile_open(path.data ? path.data : "", s->verbs->source_dirs, s->verbs->source_dir_count, &found, &ignored);
	if (fd >= 0)
		close(fd);
	const struct buf *best = fd >= 0 && found.size ? &found : &path;
	char *full = best->size ? realpath(best->data, NULL) : NULL;
	const char *text = full ? full : best->size ? best->data : place->file, *slash = strrchr(text, '/');
	json_put_str(j, "name", slash ? slash + 1 : text);
	json_put_str(j, "path", text);
	free(full);
	buf_free(&path);
	buf_free(&found);
	return j;
}

static void push_frame(struct server *s, struct program *program, const struct frame *frame, uint64_t id, struct json *list)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct json *j = json_new_object();
	struct buf name = {0};
	size_t count = program_places(program, frame, places);
	if (count && places[0].function)
		text_put_safe(&name, places[0].function, strlen(places[0].function));
	else
		buf_printf(&name, "0x%" PRIx64, frame->pc);
	json_put_u64(j, "id", id);
	json_put_str(j, "name", name.data);
	json_put_u64(j, "line", count && places[0].file ? (uint64_t)places[0].line : 0);
	json_put_u64(j, "column", 0);
	if (count && places[0].file)
		json_put(j, "source", source_of(s, &places[0]));
	char *pc = mem_printf("0x%" PRIx64, frame->pc);
	json_put_str(j, "instructionPointerReference", pc);
	free(pc);
	buf_free(&name);
	json_push(list, j);
}

static const struct frames *frames_of(struct server *s, uint64_t thread, struct err *err)
{
	return here_frames(session_here(s->verbs->session), tracee_pid(s->tracee), (uint32_t)thread, err);
}

/* The number of a thread's first frame: they are numbered apart for each, since clients mix them. */
static uint64_t first_frame(struct server *s, uint64_t thread)
{
	struct err ignored;
	const struct process *p = tracee_process(s->tracee, &ignored);
	for (size_t i = 0; p && i < p->thread_count; i++)
		if (p->threads[i].id == thread)
			return i * FRAMES + 1;
	return 1;
}

static bool stack_trace(struct server *s, struct err *err)
{
	uint64_t thread = number(s->arguments, "threadId", tracee_thread(s->tracee));
	uint64_t start = number(s->arguments, "startFrame", 0), levels = number(s->arguments, "levels", 0);
	const struct frames *frames = frames_of(s, thread, err);
	struct program *program = frames ? tracee_program(s->tracee, err) : NULL;
	struct json *list = json_new_array();
	json_put(s->body, "stackFrames", list);
	if (!program)
		return false;
	size_t shown = 0;
	for (size_t i = 0; i < frames->count; i++) {
		if (frames->list[i].kernel)
			continue;
		if (shown >= start && (!levels || json_count(list) < levels))
			push_frame(s, program, &frames->list[i], first_frame(s, thread) + i, list);
		shown++;
	}
	json_put_u64(s->body, "totalFrames", shown);
	return true;
}

static bool scopes(struct server *s, struct err *err)
{
	static const char *const names[] = {"Locals", "Registers"};
	struct json *list = json_new_array();
	(void)err;
	for (size_t i = 0; i < 2; i++) {
		struct json *j = json_new_object();
		json_put_str(j, "name", names[i]);
		json_put_u64(j, "variablesReference", i ? REGISTERS : number(s->arguments, "frameId", 1));
		json_put_bool(j, "expensive", false);
		json_push(list, j);
	}
	json_put(s->body, "scopes", list);
	return true;
}

static void push_variable(struct json *list, const char *name, size_t name_size, const char *value, size_t size)
{
	struct json *j = json_new_object();
	json_put(j, "name", json_new_strn(name, name_size));
	json_put(j, "value", json_new_strn(value, size));
	json_put_u64(j, "variablesReference", 0);
	json_push(list, j);
}

/* A frame by the number it was shown with, and its program. */
static struct program *frame_of(struct server *s, uint64_t id, const struct frame **ret, struct err *err)
{
	const struct process *p = tracee_process(s->tracee, err);
	uint64_t thread = (id - 1) / FRAMES, number_of = (id - 1) % FRAMES;
	bool known = p && id && thread < p->thread_count;
	const struct frames *frames = known ? frames_of(s, p->threads[thread].id, err) : NULL;
	if (p && (!known || (frames && number_of >= frames->count)))
		err_set(err, ERR_INPUT, "there is no frame %" PRIu64 " here", id);
	*ret = frames && number_of < frames->count ? &frames->list[number_of] : NULL;
	return *ret ? tracee_program(s->tracee, err) : NULL;
}

static bool variables(struct server *s, struct err *err)
{
	uint64_t reference = number(s->arguments, "variablesReference", 0), value;
	struct json *list = json_new_array();
	const struct frame *frame;
	struct buf text = {0};
	json_put(s->body, "variables", list);
	if (reference == REGISTERS) {
		const struct stop *stop = here_stop(session_here(s->verbs->session), err);
		const char *name;
		for (size_t i = 0; stop && (name = regs_name(i, &stop->regs, &value)) != NULL; i++) {
			buf_clear(&text);
			buf_printf(&text, "0x%" PRIx64, value);
			push_variable(list, name, strlen(name), text.data, text.size);
		}
		buf_free(&text);
		return stop != NULL;
	}
	struct program *program = frame_of(s, reference, &frame, err);
	if (!program)
		return false;
	struct scope scope = program_scope(program, frame);
	variables_print_locals(&scope, &text);
	for (size_t at = 0; at < text.size;) {
		const char *line = text.data + at, *newline = memchr(line, '\n', text.size - at);
		size_t size = newline ? (size_t)(newline - line) : text.size - at;
		const char *equal = memmem(line, size, " = ", 3);
		if (equal)
			push_variable(list, line, (size_t)(equal - line), equal + 3, size - (size_t)(equal + 3 - line));
		at += size + 1;
	}
	buf_free(&text);
	return true;
}

/* The console takes commands, everything else asks for a variable. */
static bool evaluate(struct server *s, struct err *err)
{
	const char *text = string(s->arguments, "expression"), *context = string(s->arguments, "context");
	struct buf out = {0};
	uint64_t before = session_icount(s->verbs->session);
	const struct frame *frame = NULL;
	bool ok;
	if (!text)
		return err_set(err, ERR_INPUT, "evaluate: expected an expression");
	if (context && !strcmp(context, "repl")) {
		ok = verbs_run(s->verbs, text, strlen(text), &out, err);
		tracee_moved(s->tracee);
		if (session_icount(s->verbs->session) != before)
			s->stop = "goto";
	} else {
		struct program *program =
			frame_of(s, number(s->arguments, "frameId", first_frame(s, tracee_thread(s->tracee))), &frame, err);
		struct scope scope = program ? program_scope(program, frame) : (struct scope){0};
		ok = program && variables_print(&scope, text, &out, err);
	}
	size_t size = out.size && out.data[out.size - 1] == '\n' ? out.size - 1 : out.size;
	const char *result = out.data ? out.data : "", *equal = frame && size ? memmem(result, size, " = ", 3) : NULL;
	if (equal) {
		size -= (size_t)(equal + 3 - result);
		result = equal + 3;
	}
	json_put(s->body, "result", json_new_strn(result, size));
	json_put_u64(s->body, "variablesReference", 0);
	buf_free(&out);
	return ok;
}

/* ---- moves --------------------------------------------------------------------------------------------------- */

static bool resume(struct server *s, bool backward, struct err *err)
{
	struct tracee_stop stop;
	json_put_bool(s->body, "allThreadsContinued", true);
	if (!tracee_continue(s->tracee, backward, &stop, err))
		return false;
	s->stop = stop.why == TRACEE_BREAK ? "breakpoint" : stop.why == TRACEE_BEGIN ? "entry" : "exit";
	return true;
}

static bool go_on(struct server *s, struct err *err)
{
	return resume(s, false, err);
}

static bool go_back(struct server *s, struct err *err)
{
	return resume(s, true, err);
}

/* By a line as `polecat debug` does, or by one instruction of the thread. */
static bool step(struct server *s, const char *verb, bool backward, struct err *err)
{
	const char *granularity = string(s->arguments, "granularity");
	struct buf ignored = {0};
	struct tracee_stop stop;
	uint64_t thread = number(s->arguments, "threadId", tracee_thread(s->tracee));
	bool ok = granularity && !strcmp(granularity, "instruction")
		? tracee_step(s->tracee, (uint32_t)thread, backward, &stop, err)
		: verbs_run(s->verbs, verb, strlen(verb), &ignored, err);
	buf_free(&ignored);
	tracee_moved(s->tracee);
	s->stop = "step";
	return ok;
}

static bool step_over(struct server *s, struct err *err)
{
	return step(s, "over", false, err);
}

static bool step_in(struct server *s, struct err *err)
{
	return step(s, "step", false, err);
}

static bool step_out(struct server *s, struct err *err)
{
	return step(s, "finish", false, err);
}

static bool step_back(struct server *s, struct err *err)
{
	return step(s, "rover", true, err);
}

/* What was going on has stopped when this is read. */
static bool pause_all(struct server *s, struct err *err)
{
	(void)s, (void)err;
	return true;
}

/* ---- requests ------------------------------------------------------------------------------------------------ */

static const struct request {
	const char *name;
	bool (*run)(struct server *s, struct err *err);
	bool early; /* may come before launch and attach */
} requests[] = {
	{"initialize", initialize, true},
	{"launch", launch, true},
	{"attach", launch, true},
	{"disconnect", leave, true},
	{"terminate", leave, true},
	{"setBreakpoints", set_breakpoints, false},
	{"setFunctionBreakpoints", set_function_breakpoints, false},
	{"setExceptionBreakpoints", pause_all, true},
	{"configurationDone", configuration_done, false},
	{"threads", threads, false},
	{"stackTrace", stack_trace, false},
	{"scopes", scopes, false},
	{"variables", variables, false},
	{"evaluate", evaluate, false},
	{"continue", go_on, false},
	{"reverseContinue", go_back, false},
	{"next", step_over, false},
	{"stepIn", step_in, false},
	{"stepOut", step_out, false},
	{"stepBack", step_back, false},
	{"pause", pause_all, false},
};

static void answer(struct server *s, const struct json *message, const char *command)
{
	const struct request *found = NULL;
	struct err err = {0};
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (!strcmp(requests[i].name, command))
			found = &requests[i];
	s->arguments = json_member(message, "arguments");
	s->body = json_new_object();
	s->stop = NULL;
	bool ok = found ? found->early || s->tracee || err_set(&err, ERR_INPUT, "%s: expected launch or attach first", command)
			: err_set(&err, ERR_INPUT, "there is no request '%.60s'", command);
	ok = ok && found->run(s, &err);
	/* A move that was stopped on request is no mistake. */
	if (!ok && err.code == ERR_CANCELLED && s->tracee) {
		ok = true;
		s->stop = "pause";
	}
	struct json *j = json_new_object();
	json_put_str(j, "type", "response");
	json_put_u64(j, "request_seq", number(message, "seq", 0));
	json_put_str(j, "command", command);
	json_put_bool(j, "success", ok);
	if (!ok)
		json_put_str(j, "message", err.text);
	json_put(j, "body", s->body);
	send_message(s, j);
	if (ok && s->stop)
		send_stopped(s, s->stop);
	if (s->verbs->cancel)
		s->verbs->cancel->requested = false;
}

static bool handle(struct server *s, const struct buf *body, struct err *err)
{
	struct json *message = json_parse(body->data ? body->data : "", body->size, "the client's message", err);
	const char *type = string(message, "type"), *command = string(message, "command");
	bool ok = message != NULL;
	if (ok && type && !strcmp(type, "request") && command)
		answer(s, message, command);
	else if (ok && (!type || strcmp(type, "response") != 0))
		ok = err_set(err, ERR_INPUT, "not DAP: expected a request with a command");
	json_destroy(message);
	return ok;
}

/* Waits for the client, or for Ctrl-C. */
static bool wait_for(struct server *s, struct err *err)
{
	struct cancel *c = s->verbs->cancel;
	struct pollfd fds[] = {{.fd = s->in, .events = POLLIN}, {.fd = c ? c->fd : -1, .events = POLLIN}};
	if (poll(fds, 2, -1) < 0 && errno != EINTR)
		return err_sys(err, errno, "waiting for the client");
	if (fds[1].revents)
		return cancel_check(c, err);
	if (fds[0].revents)
		hear(s);
	return true;
}

bool dapserver_serve(struct verbs *verbs, int in, int out, struct err *err)
{
	struct server s = {.verbs = verbs, .in = in, .out = out};
	struct buf body = {0};
	bool ok = true;
	if (verbs->cancel) {
		verbs->cancel->also = interrupted;
		verbs->cancel->data = &s;
	}
	while (ok && !s.leaving) {
		enum dap_result what = dap_next(&s.stream, &body, err);
		if (what == DAP_MESSAGE)
			ok = handle(&s, &body, err);
		else if (what == DAP_MORE && s.closed)
			break;
		else
			ok = what == DAP_MORE && wait_for(&s, err);
	}
	if (verbs->cancel)
		verbs->cancel->also = NULL;
	forget(&s, NULL);
	tracee_destroy(s.tracee);
	dap_finish(&s.stream);
	buf_free(&body);
	return ok;
}
