/* The threads of all processes, and their frames. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_sources.h"
#include "engine/text.h"

bool dap_threads(struct dap_server *s, struct err *err)
{
	struct json *threads = json_new_array();
	const struct process_list *list = targets_processes(s->targets, err);
	for (size_t i = 0; list && i < list->count; i++) {
		const struct process *p = &list->list[i];
		for (size_t k = 0; k < p->thread_count && targets_has(s->targets, p) && json_count(threads) < DAP_LIST_MAX; k++) {
			struct json *j = json_new_object();
			struct buf name = {0};
			targets_name(s->targets, p, &p->threads[k], &name);
			json_put_u64(j, "id", p->threads[k].id);
			json_put_str(j, "name", name.data);
			json_push(threads, j);
			buf_free(&name);
		}
	}
	if (list && !json_count(threads)) {
		struct json *j = json_new_object();
		json_put_u64(j, "id", DAP_NOBODY);
		json_put_str(j, "name", "no process of a node lives here");
		json_push(threads, j);
	}
	json_put(s->body, "threads", threads);
	return list != NULL;
}

uint64_t dap_add_frame(struct dap_server *s, const struct dap_frame *frame)
{
	if (s->frame_count == DAP_FRAMES_MAX)
		return 0;
	ARRAY_PUSH(s->frames, s->frame_count, s->frame_room) = *frame;
	return s->frames_before + s->frame_count;
}

const struct dap_frame *dap_frame(struct dap_server *s, uint64_t id, struct err *err)
{
	if (id > s->frames_before && id - s->frames_before <= s->frame_count)
		return &s->frames[id - s->frames_before - 1];
	err_set(err, ERR_INPUT, "there is no frame %" PRIu64 " here: they are of one stop", id);
	return NULL;
}

bool dap_find_frame(struct dap_server *s, uint64_t id, struct scope *ret, struct err *err)
{
	const struct process *p;
	const struct dap_frame *f = dap_frame(s, id, err);
	if (!f)
		return false;
	const struct thread *thread = targets_thread(s->targets, f->thread, &p, err);
	const struct frames *frames = thread ? targets_frames(s->targets, p, thread, err) : NULL;
	if (frames && f->index >= frames->count)
		return err_set(err, ERR_INPUT, "there is no frame %" PRIu64 " here any more", id);
	if (!frames)
		return false;
	*ret = program_scope(targets_program(s->targets, p, err), &frames->list[f->index]);
	ret->call = f->call;
	return true;
}

/* The file and line of a place, or its function's instructions. */
static void put_source(struct dap_server *s, const struct process *p, struct program *program, const struct frame *frame,
	const struct symbols_place *place, bool has_listing, struct json *j)
{
	int line = place->line;
	char *path = place->file ? dap_source_find(s, place->directory, place->file) : NULL;
	struct json *source = NULL;
	if (path) {
		source = json_new_object();
		json_put_str(source, "name", dap_last_part(path));
		json_put_str(source, "path", path);
	} else if (has_listing)
		source = dap_listing_of(s, p, program, frame, place, &line);
	if (source)
		json_put(j, "source", source);
	else {
		line = 0;
		json_put_str(j, "presentationHint", "subtle");
	}
	json_put_i64(j, "line", line > 0 ? line - s->lines_from_0 : 0);
	json_put_i64(j, "column", path && place->column > 0 ? place->column - s->columns_from_0 : 0);
	free(path);
}

/* A frame is one entry for each call that was inlined at its place, and one for itself. */
static void push_frame(struct dap_server *s, const struct process *p, struct program *program, const struct dap_frame *place_of,
	const struct frame *frame, const struct symbols_place *place, struct json *list)
{
	struct json *j = json_new_object();
	struct buf name = {0};
	if (place->function)
		text_put_safe(&name, place->function, strlen(place->function));
	else
		buf_printf(&name, "0x%" PRIx64, frame->pc);
	if (place->inlined)
		buf_str(&name, " (inlined)");
	if (frame->kernel)
		buf_str(&name, " (kernel)");
	json_put_u64(j, "id", dap_add_frame(s, place_of));
	json_put_str(j, "name", name.data);
	put_source(s, p, program, frame, place, !frame->kernel, j);
	dap_put_reference(s, p, frame->pc, j, "instructionPointerReference");
	if (place->module && !frame->kernel) {
		const struct map *map = maps_at(program_maps(program), frame->pc);
		if (map) {
			const struct maps *maps = program_maps(program);
			while (map > maps->list && map[-1].inode == map->inode)
				map--;
			char *id = mem_printf("%u:0x%" PRIx64, p->pid, map->start);
			json_put_str(j, "moduleId", id);
			free(id);
		}
	}
	buf_free(&name);
	json_push(list, j);
}

bool dap_stack_trace(struct dap_server *s, struct err *err)
{
	uint64_t start = dap_number(s->arguments, "startFrame", 0), levels = dap_number(s->arguments, "levels", 0), shown = 0;
	uint64_t id = dap_number(s->arguments, "threadId", 0);
	const struct process *p;
	const struct thread *thread = id == DAP_NOBODY ? NULL : targets_thread(s->targets, id, &p, err);
	const struct frames *frames = thread ? targets_frames(s->targets, p, thread, err) : NULL;
	struct program *program = frames ? targets_program(s->targets, p, err) : NULL;
	struct json *list = json_new_array();
	json_put(s->body, "stackFrames", list);
	for (size_t i = 0; program && i < frames->count; i++) {
		struct symbols_place places[SYMBOLS_INLINE_MAX];
		const struct frame *frame = &frames->list[i];
		if (frame->kernel && !s->options.kernel_frames)
			continue;
		size_t count = program_places(program, frame, places);
		if (!count)
			places[count++] = (struct symbols_place){0};
		for (size_t k = 0; k < count; k++, shown++)
			if (shown >= start && (!levels || json_count(list) < levels) && s->frame_count < DAP_FRAMES_MAX)
				push_frame(s, p, program, &(struct dap_frame){p->pid, thread->id, i, (unsigned)k + 1}, frame,
					&places[k], list);
	}
	json_put_u64(s->body, "totalFrames", shown);
	return program != NULL || id == DAP_NOBODY;
}
