/* Debug commands that show the source lines of the program in focus. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/sourcefile.h"
#include "engine/text.h"
#include "engine/verb.h"

enum { LINES_DEFAULT = 11, LINES_MAX = 10000 };

static bool print_place(struct verbs *v, const struct symbols_place *place, int lines, struct buf *out, struct err *err)
{
	struct buf path = {0}, found = {0}, text = {0};
	sourcefile_path(place->directory, place->file, &path);
	int fd = sourcefile_open(path.data ? path.data : "", v->source_dirs, v->source_dir_count, &found, err);
	bool ok = fd >= 0 && file_read_fd(fd, found.data, SOURCEFILE_SIZE_MAX, &text, err);
	if (fd >= 0)
		close(fd);
	if (ok) {
		int first = place->line - lines / 2 > 1 ? place->line - lines / 2 : 1;
		const char *function = place->function ? place->function : "??";
		text_put_safe(out, function, strlen(function));
		buf_str(out, place->inlined ? " (inlined), " : ", ");
		text_put_safe(out, found.data, found.size);
		buf_printf(out, ":%d\n", place->line);
		if (!sourcefile_print(text.data ? text.data : "", text.size, first, first + lines - 1, place->line, out))
			ok = err_set(err, ERR_INPUT, "%s has no line %d: it is not the file that was compiled", found.data,
				place->line);
	}
	buf_free(&path);
	buf_free(&found);
	buf_free(&text);
	return ok;
}

bool verb_source_of(struct verbs *v, const struct frame *frame, int lines, struct buf *out, struct err *err)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct program *program = here_program(session_here(v->session), 0, err);
	if (!program)
		return false;
	if (!program_places(program, frame, places) || !places[0].file) {
		struct buf name = {0};
		program_name(program, frame->pc, &name);
		err_set(err, ERR_INPUT, "0x%" PRIx64 "%s%.100s has no source line: the program has no debug information for it",
			frame->pc, name.size ? " " : "", name.size ? name.data : "");
		buf_free(&name);
		return false;
	}
	return print_place(v, &places[0], lines, out, err);
}

bool verb_source(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	uint64_t lines = LINES_DEFAULT, at;
	if (w->count > 2 && !verb_number(w->list[2], "the number of lines", &lines, err))
		return false;
	if (lines > LINES_MAX)
		return err_set(err, ERR_USAGE, "%" PRIu64 " lines: expected at most %d", lines, LINES_MAX);
	if (w->count < 2) {
		const struct frame *frame = here_frame(session_here(v->session), NULL, err);
		return frame && verb_source_of(v, frame, (int)lines, out, err);
	}
	if (!verb_address(v, w->list[1], &at, NULL, err))
		return false;
	return verb_source_of(v, &(struct frame){.pc = at, .kernel = at >> 63}, (int)lines, out, err);
}
