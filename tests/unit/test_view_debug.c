/* The debug view from a picture that no machine made: cells and roles at every size, folded and not, are those of
 * tests/unit/view_debug.screen. GENERATE=1 make unit ARGS=view_debug writes them anew; then read the diff. */
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/file.h"
#include "tui/debugger.h"
#include "tui/screen.h"
#include "unit.h"

#define GOLDEN "tests/unit/view_debug.screen"

static char source
	[] = "     36              pthread_mutex_lock(&c->lock);\n"
	     "=>   37          add_one(c);\n"
	     "     38          if (c->locked)\n",
  disassembly[] = "   0x00000000004012d6: mov rax, qword ptr [rbp - 8]\n"
		  "=> 0x00000000004012da: call 0x401280 <add_one>\n"
		  "   0x00000000004012df: nop\n",
  where[] = "#0   add_one (c=0x40a240 <counter>) at counter.c:29\n#1   add_all (data=0x40a240) at counter.c:37\n",
  regs[] = "  rax       0x00000000000a6ca0\n* rip       0x00000000004012da (was 0x4012d6)\n  rsp       0x00007fe60769deb0\n",
  none[] = "",
  processes[] =
	  "    pid s node     command\n*>   85 R counter  /counter 2 400000\n*      86 R thread counter\n      2 S -        "
	  "[kthreadd]\n";

static struct vartree_row rows[] = {{0, (char[]){"seen"}, (char[]){"seen"}, (char[]){"17"}, false, false},
	{0, (char[]){"next"}, (char[]){"next"}, (char[]){"18"}, false, false},
	{0, (char[]){"c"}, (char[]){"c"}, (char[]){"0x40a240 <counter>"}, true, true},
	{1, (char[]){"c->total"}, (char[]){"total"}, (char[]){"685048"}, false, false},
	{1, (char[]){"c->lock"}, (char[]){"lock"}, (char[]){"{__data = {__lock = 0}}"}, true, false}};
static char *was[] = {(char[]){"16"}, NULL, NULL, NULL, NULL};
static struct debug_owner owners[] = {{0, 0}, {85, 0}, {85, 86}, {2, 0}};

static struct debug_picture picture = {.icount = 1234567,
	.end = 2000000,
	.event = 4,
	.pc = 0x4012da,
	.place = (char[]){"at 1 234 567 (ev:5 + 33), t 0.103 s"},
	.pc_text = (char[]){"pc 0x00000000004012da add_all+0x31  in counter[85]"},
	.focus = (char[]){"counter[85]"},
	.on_processor = true,
	.focus_pid = 85,
	.focus_chosen = true,
	.frame = 1,
	.frame_chosen = true,
	.source_name = (char[]){"counter.c:37"},
	.source_file = (char[]){"counter.c"},
	.in_source = true,
	.text = {source, disassembly, where, regs, none, processes},
	.locals = {rows, 5, 5},
	.was = was,
	.owners = owners,
	.owner_count = 4,
	.breaks = {{1, 0x4012df, 38, false}, {2, 0x4012d6, 36, true}, {3, 0, 0, false}},
	.break_count = 3};

struct scene {
	struct screen screen;
	struct model model;
	struct keymap keys;
	struct buf out;
};

static bool open_scene(struct scene *s)
{
	struct err err = {0};
	setlocale(LC_CTYPE, "C.UTF-8");
	*s = (struct scene){0};
	keymap_init(&s->keys);
	screen_init(&s->screen, PAGE_RUN);
	screen_push(&s->screen, PAGE_DEBUG);
	struct timeline *t = timeline_open("tests/screens/runs/fail", &err);
	if (!t) {
		CU_FAIL(err.text);
		return false;
	}
	s->model.runs[0] = run_create(t);
	s->model.keys = &s->keys;
	s->model.utf8 = true;
	s->model.debug = (struct model_debug){.run = s->model.runs[0], .alive = true, .picture = &picture, .shown = 1};
	return true;
}

static void close_scene(struct scene *s)
{
	run_destroy(s->model.runs[0]);
	screen_finish(&s->screen);
	buf_free(&s->model.debug.output);
	buf_free(&s->out);
}

static void snap(struct scene *s, const char *name, int width, int height)
{
	struct canvas c;
	canvas_init(&c, true);
	canvas_resize(&c, width, height);
	screen_sync(&s->screen, &s->model);
	screen_draw(&s->screen, &s->model, NULL, &c);
	buf_printf(&s->out, "== %s (%dx%d)\n", name, width, height);
	canvas_dump(&c, &s->out);
	canvas_finish(&c);
}

static void compare(const struct buf *got)
{
	struct buf golden = {0};
	struct err err = {0};
	if (getenv("GENERATE")) {
		FILE *f = fopen(GOLDEN, "w");
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		fwrite(got->data, 1, got->size, f);
		fclose(f);
	}
	if (!file_read(GOLDEN, 1 << 20, &golden, &err))
		CU_FAIL(err.text);
	size_t same = 0, line = 1;
	while (same < got->size && same < golden.size && got->data[same] == golden.data[same])
		line += got->data[same++] == '\n';
	if (same != got->size || same != golden.size)
		printf("\n%s:%zu: the screen is another one from here on\n", GOLDEN, line);
	CU_ASSERT(same == got->size && same == golden.size);
	buf_free(&golden);
}

static void looks(void)
{
	struct scene s;
	if (open_scene(&s)) {
		snap(&s, "nothing was printed", 80, 24);
		struct debug_picture kernel = picture;
		kernel.source_name = (char[]){"/home/somebody/src/a-project/with/deep/folders/src/counter.c:37"};
		kernel.in_source = false;
		kernel.in_kernel = true;
		s.model.debug.picture = &kernel;
		s.model.debug.shown++;
		snap(&s, "in the kernel, a long path", 120, 40);
		s.model.debug.picture = &picture;
		s.model.debug.shown++;
		buf_str(&s.model.debug.output, "> print seen\nseen = 17\n> ps\n    pid parent s threads\n");
		snap(&s, "source", 80, 24);
		snap(&s, "source", 200, 60);
		snap(&s, "source", 120, 40);
		snap(&s, "one pane", 40, 12);
		s.model.debug.code = DEBUG_CODE_DISASSEMBLY;
		s.model.debug.shown++;
		screen_debug_fold(&s.screen, "timeline");
		screen_debug_fold(&s.screen, "console");
		screen_debug_fold(&s.screen, "processes");
		snap(&s, "disassembly, three folded", 80, 24);
		screen_focus_next(&s.screen, -1);
		snap(&s, "output has the focus", 80, 24);
		s.screen.wide = true;
		snap(&s, "wide", 80, 24);
		s.screen.wide = false;
		s.model.debug.picture = NULL;
		s.model.debug.alive = false;
		s.model.debug.problem = (char[]){"identity: format 4, expected 5: recorded by another version of polecat"};
		s.model.debug.shown++;
		snap(&s, "no machine", 80, 24);
		compare(&s.out);
		close_scene(&s);
	}
}

/* Every size in every state: nothing is drawn outside (asan), the focused pane is always there. */
static void any_size(void)
{
	static const int sides[] = {1, 2, 3, 5, 9, 12, 20, 36, 64, 65, 80, 149, 150, 500};
	struct scene s;
	if (!open_scene(&s))
		return;
	struct canvas c;
	canvas_init(&c, true);
	for (size_t w = 0; w < sizeof sides / sizeof sides[0]; w++)
		for (size_t h = 0; h < sizeof sides / sizeof sides[0]; h++)
			for (unsigned state = 0; state < 4; state++) {
				canvas_resize(&c, sides[w], sides[h] < 200 ? sides[h] : 200);
				s.screen.wide = state & 1;
				screen_debug_fold(&s.screen, NULL);
				screen_focus_next(&s.screen, 1);
				screen_draw(&s.screen, &s.model, NULL, &c);
				CU_ASSERT(s.screen.shown[s.screen.debug_focus] || sides[h] < 2 ||
					s.screen.folded >> s.screen.debug_focus & 1);
			}
	canvas_finish(&c);
	close_scene(&s);
}

static void folds_by_name(void)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	for (size_t i = 0; screen_debug_pane(&s.screen, i); i++) {
		unsigned before = s.screen.folded;
		CU_ASSERT_TRUE(screen_debug_fold(&s.screen, screen_debug_pane(&s.screen, i)));
		CU_ASSERT_NOT_EQUAL(s.screen.folded, before);
	}
	CU_ASSERT_FALSE(screen_debug_fold(&s.screen, "no such pane"));
	CU_ASSERT_TRUE(screen_debug_focus_view(&s.screen, s.screen.views[SCREEN_CONSOLE]));
	CU_ASSERT_EQUAL(s.screen.debug_focus, SCREEN_CONSOLE);
	CU_ASSERT_FALSE(screen_debug_focus_view(&s.screen, s.screen.views[SCREEN_TIMELINE]));
	screen_drop(&s.screen, PAGE_RUN);
	CU_ASSERT_EQUAL(screen_page(&s.screen), PAGE_DEBUG);
	screen_drop(&s.screen, PAGE_DEBUG);
	CU_ASSERT_EQUAL(screen_page(&s.screen), PAGE_RUNS);
	close_scene(&s);
}

/* Source is shown of itself when the machine is in it, or when what is looked at only waits. */
static void which_code(void)
{
	struct debug_picture p = picture;
	struct model_debug m = {.picture = &p};
	CU_ASSERT_TRUE(model_debug_source(&m));
	p.in_source = false;
	CU_ASSERT_FALSE(model_debug_source(&m));
	p.in_kernel = true;
	CU_ASSERT_TRUE(model_debug_source(&m));
	p.in_kernel = false;
	p.on_processor = false;
	CU_ASSERT_TRUE(model_debug_source(&m));
	p.source_name = NULL;
	CU_ASSERT_FALSE(model_debug_source(&m));
	m.code = DEBUG_CODE_SOURCE;
	CU_ASSERT_TRUE(model_debug_source(&m));
}

static void progress(const struct debug_work *work, int64_t took_ms, const char *wanted)
{
	char *text = debugger_work_text(work, took_ms);
	CU_ASSERT_STRING_EQUAL(text, wanted);
	free(text);
}

static void how_far_it_is(void)
{
	struct debug_work work = {.what = (char[]){"goto end"}};
	progress(&work, 250, "goto end, 0.2 s; Esc stops");
	work.done = 1200000000;
	work.of = 5000000000;
	progress(&work, 3100, "goto end: 1.2 G of 5.0 G, 24%, 9 s left; Esc stops");
	work.done = 0;
	progress(&work, 3100, "goto end: 0 of 5.0 G, 0%, 3.1 s; Esc stops");
	work.done = work.of;
	progress(&work, 10000, "goto end: 5.0 G of 5.0 G, 100%, 0 s left; Esc stops");
	work.of = 1; /* what was counted changed meanwhile */
	progress(&work, 400, "goto end, 0.4 s; Esc stops");
	snprintf(work.stage, sizeof work.stage, "booting");
	work.of = 0;
	work.what = (char[]){"diff-state 1 another-run 123456789"};
	progress(&work, 400, "diff-state 1 another-run: booting, 0.4 s; Esc stops");
}

/* A session ends while the screen asks it things: that must wake the screen up once more, or it would wait for what is there. */
static void news_are_not_missed(void)
{
	struct debugger_options options = {.path = "/nowhere/at/all"};
	struct debugger *d = debugger_start(&options, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	struct pollfd news = {.fd = debugger_fd(d), .events = POLLIN};
	struct debug_work work;
	bool is_error = false;
	for (bool busy = true; busy;) {
		poll(&news, 1, 10);
		busy = debugger_busy(d, &work) || !debugger_ended(d);
		free(work.what);
	}
	CU_ASSERT_PTR_NULL(debugger_take_picture(d));
	CU_ASSERT_PTR_NULL(debugger_take_names(d));
	CU_ASSERT_PTR_NULL(debugger_take_answer(d));
	char *note = debugger_take_note(d, &is_error);
	CU_ASSERT_PTR_NOT_NULL(note);
	CU_ASSERT_TRUE(is_error);
	free(note);
	CU_ASSERT_EQUAL(poll(&news, 1, 0), 1);
	debugger_heard(d);
	CU_ASSERT_EQUAL(poll(&news, 1, 0), 0);
	/* What nobody will do is not waited for. */
	struct err err = {0};
	CU_ASSERT_FALSE(debugger_run(d, "stepi", false, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "there is no machine any more");
	CU_ASSERT_FALSE(debugger_pending(d));
	debugger_destroy(d);
}

const struct test suite_view_debug[] = {{"how far a move is", how_far_it_is},
	{"the panes at several sizes, folded and not", looks}, {"any size is drawn", any_size},
	{"panes fold by name; pages are dropped", folds_by_name}, {"source or disassembly", which_code},
	{"news are not missed", news_are_not_missed}, {0}};
