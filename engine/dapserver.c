#include "engine/dapserver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_server.h"

#define RECORDED "this is a recording: nothing can be changed in it (`fork` in the console lets a copy live on)"

static bool refuse_change(struct dap_server *s, struct err *err)
{
	(void)s;
	return err_set(err, ERR_INPUT, RECORDED);
}

static bool refuse_restart_frame(struct dap_server *s, struct err *err)
{
	(void)s;
	return err_set(err, ERR_INPUT,
		"a frame cannot be executed again: this is a recording (`rfinish` in the console goes back to its call)");
}

static const struct request {
	const char *name;
	dap_request *run;
	bool early; /* may come before launch and attach */
} requests[] = {
	{"initialize", dap_initialize, true},
	{"launch", dap_launch, true},
	{"attach", dap_launch, true},
	{"disconnect", dap_disconnect, true},
	{"terminate", dap_terminate, true},
	{"pause", dap_pause, true},
	{"setExceptionBreakpoints", dap_set_exception_breakpoints, true},
	{"configurationDone", dap_configuration_done, false},
	{"setBreakpoints", dap_set_breakpoints, false},
	{"setFunctionBreakpoints", dap_set_function_breakpoints, false},
	{"setInstructionBreakpoints", dap_set_instruction_breakpoints, false},
	{"dataBreakpointInfo", dap_data_breakpoint_info, false},
	{"setDataBreakpoints", dap_set_data_breakpoints, false},
	{"breakpointLocations", dap_breakpoint_locations, false},
	{"threads", dap_threads, false},
	{"stackTrace", dap_stack_trace, false},
	{"scopes", dap_scopes, false},
	{"variables", dap_variables, false},
	{"evaluate", dap_evaluate, false},
	{"completions", dap_completions, false},
	{"exceptionInfo", dap_exception_info, false},
	{"source", dap_source, false},
	{"loadedSources", dap_loaded_sources, false},
	{"modules", dap_modules, false},
	{"readMemory", dap_read_memory, false},
	{"disassemble", dap_disassemble, false},
	{"continue", dap_continue, false},
	{"reverseContinue", dap_reverse_continue, false},
	{"next", dap_step_over, false},
	{"stepIn", dap_step_in, false},
	{"stepOut", dap_step_out, false},
	{"stepBack", dap_step_back, false},
	{"gotoTargets", dap_goto_targets, false},
	{"goto", dap_goto, false},
	{"restart", dap_restart, false},
	{"restartFrame", refuse_restart_frame, false},
	{"writeMemory", refuse_change, false},
	{"setVariable", refuse_change, false},
	{"setExpression", refuse_change, false},
	{"terminateThreads", refuse_change, false},
};

static const struct request *find(const char *command)
{
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (!strcmp(requests[i].name, command))
			return &requests[i];
	return NULL;
}

static void not_wanted_any_more(struct dap_server *s)
{
	struct cancel *cancel = s->verbs->cancel;
	s->interrupted |= cancel && cancel->requested && !s->work.asked;
	if (cancel)
		cancel->requested = false;
	s->work.stopped = s->work.asked = false;
}

/* The second half of a request: a move. Whatever comes of it, it ends where the machine stands. */
static void make_move(struct dap_server *s)
{
	struct session *session = s->verbs->session;
	struct dap_stop *stop = mem_alloc(sizeof *stop);
	struct err err = {0};
	uint64_t left = session_icount(session);
	s->events_told = left;
	bool was_exception = s->exception.is_one;
	s->exception.is_one = false;
	if (!s->after(s, stop, &err)) {
		*stop = (struct dap_stop){.reason = err.code == ERR_CANCELLED ? "pause" : "step"};
		s->interrupted |= err.code == ERR_CANCELLED && !s->work.asked;
		if (err.code != ERR_CANCELLED) {
			char *text = mem_printf("%s\n", err.text);
			dap_send_output(s, "important", text, strlen(text));
			free(text);
			s->exception.is_one = was_exception && session_icount(session) == left;
		}
	}
	if (stop->reason) {
		if (session_icount(session) != left)
			session_came(session, left);
		dap_tell_events(s, session_icount(session));
		dap_work_end(s);
		dap_send_stopped(s, stop);
	}
	free(stop);
}

static void answer(struct dap_server *s, const struct json *message)
{
	const char *command = dap_string(message, "command");
	const struct request *found = find(command);
	struct err err = {0};
	s->arguments = json_member(message, "arguments");
	s->body = json_new_object();
	s->hex = dap_bool(json_member(s->arguments, "format"), "hex");
	s->whole = false;
	s->after = NULL;
	s->repl_moved = false;
	s->events_told = session_icount(s->verbs->session);
	dap_work_begin(s, dap_number(message, "seq", 0));
	bool ok = found ? found->early || s->targets || err_set(&err, ERR_INPUT, "%s: expected launch or attach first", command)
			: err_set(&err, ERR_INPUT, "there is no request '%.60s'", command);
	ok = ok && found->run(s, &err);
	bool was_cancelled = !ok && err.code == ERR_CANCELLED;
	s->interrupted |= was_cancelled && !s->work.asked;
	struct json *body = s->body;
	s->body = NULL;
	dap_client_respond(&s->client, message, ok ? NULL : was_cancelled ? "cancelled" : err.text, body);
	not_wanted_any_more(s);
	if (ok && s->after)
		make_move(s);
	else if (s->repl_moved) {
		dap_tell_events(s, session_icount(s->verbs->session));
		dap_work_end(s);
		dap_send_stopped(s, &(struct dap_stop){.reason = was_cancelled ? "pause" : "goto"});
	}
	dap_work_end(s);
	not_wanted_any_more(s);
}

/* After a wish to stop, or when the client leaves, nobody waits for a machine. */
static bool needs_none(const char *command)
{
	static const char *const list[] = {"pause", "cancel", "terminate", "disconnect"};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(list[i], command))
			return true;
	return false;
}

static void on_request(struct dap_server *s, const struct json *message)
{
	struct err ignored;
	bool was_here = walk_machine(session_walk(s->verbs->session)) != NULL;
	/* What cannot be answered without a machine says so. */
	if (!needs_none(dap_string(message, "command")) && session_ensure(s->verbs->session, &ignored) && !was_here)
		dap_moved(s);
	if (!strcmp(dap_string(message, "command"), "cancel"))
		dap_cancel(s, message);
	else
		answer(s, message);
}

static void finish(struct dap_server *s)
{
	dap_points_finish(s);
	dap_forget_views(s);
	free(s->frames);
	free(s->references);
	free(s->listings);
	targets_destroy(s->targets);
	dap_options_finish(&s->options);
	dap_client_finish(&s->client);
	free(s);
}

static bool wait_meanwhile(void *data, struct pollfd *fds, size_t count, struct err *err)
{
	return session_wait(data, fds, count, err);
}

bool dapserver_serve(struct verbs *verbs, int in, int out, struct err *err)
{
	struct dap_server *s = mem_alloc(sizeof *s);
	struct json *message = NULL;
	bool ok = true;
	s->verbs = verbs;
	s->began = session_icount(verbs->session);
	s->client = (struct dap_client){.in = in, .out = out, .wait = wait_meanwhile, .data = verbs->session};
	if (verbs->cancel) {
		verbs->cancel->also = dap_interrupted;
		verbs->cancel->data = s;
	}
	while (ok && !s->leaving && !s->interrupted) {
		ok = dap_client_next(&s->client, verbs->cancel, &message, err);
		if (!message)
			break;
		on_request(s, message);
		json_destroy(message);
	}
	if (verbs->cancel)
		verbs->cancel->also = NULL;
	ok = ok && (!s->interrupted || err_set(err, ERR_CANCELLED, "stopped on request"));
	finish(s);
	return ok;
}

static bool wait_only(void *data, struct pollfd *fds, size_t count, struct err *err)
{
	(void)data;
	return poll(fds, count, -1) >= 0 || errno == EINTR || err_sys(err, errno, "the client");
}

void dapserver_refuse(int in, int out, const struct err *why)
{
	struct dap_client client = {.in = in, .out = out, .wait = wait_only};
	struct json *message;
	struct err ignored;
	if (dap_client_next(&client, NULL, &message, &ignored) && message) {
		dap_client_respond(&client, message, why->text, NULL);
		json_destroy(message);
	}
	dap_client_finish(&client);
}
