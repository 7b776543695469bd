/* How a client and its adapter begin and end with each other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_server.h"

void dap_options_finish(struct dap_options *o)
{
	while (o->dir_count)
		free(o->dirs[--o->dir_count]);
	while (o->map_count) {
		free(o->from[--o->map_count]);
		free(o->to[o->map_count]);
	}
	while (o->own_debug_dir_count)
		free(o->own_debug_dirs[--o->own_debug_dir_count]);
	*o = (struct dap_options){0};
}

static void put_filter(struct json *list, const char *name, const char *label, const char *about)
{
	struct json *j = json_new_object();
	json_put_str(j, "filter", name);
	json_put_str(j, "label", label);
	json_put_str(j, "description", about);
	json_put_bool(j, "default", false);
	json_push(list, j);
}

bool dap_initialize(struct dap_server *s, struct err *err)
{
	static const char *const able[] = {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
		"supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints", "supportsLogPoints", "supportsStepBack",
		"supportsEvaluateForHovers", "supportsGotoTargetsRequest", "supportsCompletionsRequest", "supportsModulesRequest",
		"supportsRestartRequest", "supportsExceptionInfoRequest", "supportsDelayedStackTraceLoading",
		"supportsLoadedSourcesRequest", "supportsTerminateRequest", "supportsDataBreakpoints",
		"supportsDataBreakpointBytes", "supportsReadMemoryRequest", "supportsDisassembleRequest", "supportsCancelRequest",
		"supportsBreakpointLocationsRequest", "supportsSteppingGranularity", "supportsInstructionBreakpoints",
		"supportsValueFormattingOptions", "supportsClipboardContext"};
	const char *path_format = dap_string(s->arguments, "pathFormat");
	const struct json *lines = json_member(s->arguments, "linesStartAt1");
	const struct json *columns = json_member(s->arguments, "columnsStartAt1");
	struct json *filters = json_new_array(), *characters = json_new_array();
	if (s->initialized) {
		json_destroy(filters);
		json_destroy(characters);
		return err_set(err, ERR_INPUT, "initialize: expected once");
	}
	if (path_format && strcmp(path_format, "path") != 0) {
		json_destroy(filters);
		json_destroy(characters);
		return err_set(err, ERR_INPUT, "pathFormat is '%.20s': expected path", path_format);
	}
	s->lines_from_0 = lines && !dap_bool(s->arguments, "linesStartAt1");
	s->columns_from_0 = columns && !dap_bool(s->arguments, "columnsStartAt1");
	s->client_has_progress = dap_bool(s->arguments, "supportsProgressReporting");
	s->initialized = true;
	for (size_t i = 0; i < sizeof able / sizeof *able; i++)
		json_put_bool(s->body, able[i], true);
	put_filter(filters, "signal", "Fatal signals", "Stop where a process is about to end by a signal.");
	put_filter(filters, "failure", "Failing exits", "Stop where a process is about to end with a status that is not 0.");
	put_filter(filters, "property", "Failed properties", "Stop where a property of the scenario has failed.");
	json_put(s->body, "exceptionBreakpointFilters", filters);
	json_push(characters, json_new_str("."));
	json_push(characters, json_new_str(">"));
	json_put(s->body, "completionTriggerCharacters", characters);
	return true;
}

/* ---- arguments of launch and attach ------------------------------------------------------------------------------ */

/* Strings of an array, or one string, into list (owned there). */
static bool take_dirs(const struct json *j, const char *key, char **list, size_t *count, struct err *err)
{
	bool one = json_kind(j) == JSON_STRING;
	if (!j)
		return true;
	if (!one && json_kind(j) != JSON_ARRAY)
		return err_set(err, ERR_INPUT, "\"%s\": expected a directory or a list of them, found %s", key,
			json_kind_name(json_kind(j)));
	for (size_t i = 0; i < (one ? 1 : json_count(j)); i++) {
		const char *text;
		if (!json_as_str(one ? j : json_at(j, i), key, &text, NULL, err))
			return false;
		if (*count == DAP_DIRS_MAX)
			return err_set(err, ERR_INPUT, "\"%s\": expected at most %d directories", key, DAP_DIRS_MAX);
		list[(*count)++] = mem_str(text);
	}
	return true;
}

/* {"/build": "/home/me/src"} */
static bool take_map(const struct json *j, struct dap_options *o, struct err *err)
{
	if (!j)
		return true;
	if (json_kind(j) != JSON_OBJECT)
		return err_set(err, ERR_INPUT, "\"sourceMap\": expected an object from compiled to local directories, found %s",
			json_kind_name(json_kind(j)));
	for (size_t i = 0; i < json_count(j); i++) {
		const char *from, *to;
		if (!json_as_str(json_member_at(j, i, &from), "sourceMap", &to, NULL, err))
			return false;
		if (o->map_count == DAP_DIRS_MAX)
			return err_set(err, ERR_INPUT, "\"sourceMap\": expected at most %d directories", DAP_DIRS_MAX);
		o->from[o->map_count] = mem_str(from);
		o->to[o->map_count++] = mem_str(to);
	}
	return true;
}

static bool take_bool(const struct json *arguments, const char *key, bool *ret, struct err *err)
{
	const struct json *j = json_member(arguments, key);
	return !j || json_as_bool(j, key, ret, err);
}

static bool take_events(struct dap_server *s, struct err *err)
{
	const struct json *j = json_member(s->arguments, "events");
	const char *text = "output";
	if (j && !json_as_str(j, "events", &text, NULL, err))
		return false;
	s->options.quiet = !strcmp(text, "none");
	s->options.all_events = !strcmp(text, "all");
	return s->options.quiet || s->options.all_events || !strcmp(text, "output") ||
		err_set(err, ERR_INPUT, "\"events\" is '%.40s': expected output, all or none", text);
}

static bool take_options(struct dap_server *s, struct err *err)
{
	struct dap_options *o = &s->options;
	dap_options_finish(o);
	o->stops_on_entry = true;
	if (!take_dirs(json_member(s->arguments, "sourceDirs"), "sourceDirs", o->dirs, &o->dir_count, err) ||
		!take_dirs(
			json_member(s->arguments, "debugDirs"), "debugDirs", o->own_debug_dirs, &o->own_debug_dir_count, err) ||
		!take_map(json_member(s->arguments, "sourceMap"), o, err) ||
		!take_bool(s->arguments, "kernelFrames", &o->kernel_frames, err) ||
		!take_bool(s->arguments, "stopOnEntry", &o->stops_on_entry, err) || !take_events(s, err))
		return false;
	for (size_t i = 0; i < s->verbs->debug_dir_count && o->debug_dir_count < DAP_DIRS_MAX; i++)
		o->debug_dirs[o->debug_dir_count++] = s->verbs->debug_dirs[i];
	for (size_t i = 0; i < o->own_debug_dir_count; i++)
		o->debug_dirs[o->debug_dir_count++] = o->own_debug_dirs[i];
	return true;
}

/* A moment as a person writes it, or a count. */
static bool take_moment(struct dap_server *s, uint64_t *ret, bool *has, struct err *err)
{
	const struct json *at = json_member(s->arguments, "moment");
	const char *text;
	at = at ? at : json_member(s->arguments, "at");
	*has = at != NULL;
	if (!at || (json_kind(at) == JSON_NUMBER && json_as_u64(at, "moment", ret, err)))
		return true;
	return json_as_str(at, "moment", &text, NULL, err) && verb_moment(s->verbs, text, ret, err);
}

/* Without a moment: where --at put the session, or where the first node starts, or the one that is meant. */
static bool go_to_moment(struct dap_server *s, struct err *err)
{
	struct session *session = s->verbs->session;
	const struct timeline *t = session_timeline(session);
	const char *node = dap_string(s->arguments, "node");
	int wanted = node ? timeline_node_find(t, node) : 0;
	uint64_t icount = s->began;
	struct walk_trip trip;
	bool has;
	if (!take_moment(s, &icount, &has, err))
		return false;
	for (size_t i = 0; !has && icount == session_begin(session) && i < timeline_count(t); i++)
		if (timeline_entries(t)[i].kind == EVENT_NODE_STARTED && (wanted <= 0 || timeline_entries(t)[i].node == wanted)) {
			icount = timeline_entries(t)[i].icount;
			has = true;
		}
	if (!session_go(session, icount, &trip, err))
		return false;
	s->options.start = session_icount(session);
	return true;
}

/* The processes that are debugged: all of all nodes, or those of one node, or one. */
static bool choose(struct dap_server *s, struct err *err)
{
	const struct json *pid = json_member(s->arguments, "pid"), *node = json_member(s->arguments, "node");
	const struct process *p;
	const char *name = NULL;
	uint64_t number = 0;
	int index = -1;
	if ((pid && !json_as_u64(pid, "pid", &number, err)) || (node && !json_as_str(node, "node", &name, NULL, err)))
		return false;
	if (name && (index = timeline_node_find(session_timeline(s->verbs->session), name)) <= 0)
		return err_set(err, ERR_INPUT, "\"node\": there is no node '%.60s' in this run", name);
	targets_choose(s->targets, number <= UINT32_MAX ? (uint32_t)number : 0, name ? index - 1 : -1);
	const struct process_list *list = targets_processes(s->targets, err);
	if (!list)
		return false;
	p = pid && number <= UINT32_MAX ? process_find(list, (uint32_t)number) : NULL;
	if (pid && (!p || !targets_has(s->targets, p)))
		return err_set(err, ERR_INPUT, "\"pid\": %" PRIu64 " is no process of a node at %" PRIu64, number,
			session_icount(s->verbs->session));
	return true;
}

static bool become_ready(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	(void)stop, (void)err;
	dap_client_event(&s->client, "initialized", NULL);
	return true;
}

bool dap_launch(struct dap_server *s, struct err *err)
{
	if (!s->initialized)
		return err_set(err, ERR_INPUT, "expected initialize first");
	targets_destroy(s->targets);
	s->targets = NULL;
	dap_points_finish(s);
	dap_forget_views(s);
	if (!take_options(s, err) || !go_to_moment(s, err))
		return false;
	s->targets = targets_create(s->verbs->session, s->options.debug_dirs, s->options.debug_dir_count);
	if (!choose(s, err)) {
		targets_destroy(s->targets);
		s->targets = NULL;
		return false;
	}
	s->events_told = session_icount(s->verbs->session);
	s->after = become_ready;
	return true;
}

bool dap_stop_at_entry(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	if (!s->options.stops_on_entry)
		return dap_hits_pursue(s, false, stop, err);
	stop->reason = "entry";
	return true;
}

bool dap_configuration_done(struct dap_server *s, struct err *err)
{
	(void)err;
	s->after = dap_stop_at_entry;
	return true;
}

bool dap_disconnect(struct dap_server *s, struct err *err)
{
	(void)err;
	s->leaving = true;
	return true;
}

static bool say_terminated(struct dap_server *s, struct dap_stop *stop, struct err *err)
{
	(void)stop, (void)err;
	dap_client_event(&s->client, "terminated", NULL);
	return true;
}

/* The client is told that it is over, and then disconnects. */
bool dap_terminate(struct dap_server *s, struct err *err)
{
	(void)err;
	s->after = say_terminated;
	return true;
}
