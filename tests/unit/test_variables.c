/*
 * Symbols, unwinding and variables of a program that is always at hand: this one. It looks at its own stack and memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/lines.h"
#include "engine/vartree.h"
#include "engine/value_parts.h"
#include "engine/expression.h"
#include "unit.h"

enum shade { DARK, LIGHT = 7 };

struct variables_item {
	struct variables_item *next;
	int number;
	unsigned low : 3, high : 9;
	enum shade shade;
	char word[6];
	double ratio;
	float half;
	const char *text;
	int grid[2][3];
	union {
		short small;
		unsigned char raw[2];
	};
	bool truth;
};

extern struct variables_item variables_node;
extern struct variables_item **variables_self, *variables_nobody;
extern int (*variables_grid)[3];
extern long long variables_negative;
extern short variables_cube[2][3][4];
extern char variables_names[2][8];
extern __int128 variables_wide[3];
extern unsigned __int128 variables_wide_unsigned;
short variables_cube[2][3][4] = {
	{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}, {{12, 13, 14, 15}, {16, 17, 18, 19}, {20, 21, 22, 23}}};
char variables_names[2][8] = {"one", "two"};
__int128 variables_wide[3] = {(__int128)(~(unsigned __int128)0 >> 1), -(__int128)(~(unsigned __int128)0 >> 1) - 1, -1};
unsigned __int128 variables_wide_unsigned = ~(unsigned __int128)0;
struct variables_item variables_node = {.next = &variables_node,
	.number = -5,
	.low = 5,
	.high = 300,
	.shade = LIGHT,
	.word = "word",
	.ratio = 0.125,
	.half = 1.5f,
	.text = "a \"text\"\n",
	.grid = {{1, 2, 3}, {4, 5, 6}},
	.small = 258,
	.truth = true};
struct variables_item **variables_self = &variables_node.next, *variables_nobody;
int (*variables_grid)[3] = &variables_node.grid[0];
long long variables_negative = -1234567890123;
static volatile int file_static = 77;

struct look {
	struct symbols *symbols;
	struct frame_registers registers;
	struct buf where, locals;
	size_t frames;
};

/* Our own memory, but never address 0's page. */
static size_t read_self(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, out, size, (off_t)address);
	close(fd);
	return n < 0 ? 0 : (size_t)n;
}

static struct symbols *symbols_of_self(void)
{
	struct err err = {0};
	struct symbols *symbols = symbols_create(NULL, 0, &err);
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4200], path[4096];
	unsigned long long start, offset;
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_PTR_NOT_NULL_FATAL(maps);
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %4095s", &start, &offset, path) == 3 && *path == '/' && !offset) {
			int fd = open(path, O_RDONLY | O_CLOEXEC);
			if (fd >= 0)
				symbols_add(symbols, path, fd, start, NULL);
		}
	fclose(maps);
	symbols_ready(symbols);
	return symbols;
}

/* The registers as they are here, as far as unwinding needs them. */
static inline __attribute__((always_inline)) struct frame_registers here(void)
{
	struct frame_registers r = {.known = 1u << 3 | 1u << 6 | 1u << 7 | 0xfu << 12 | 1u << FRAME_PC};
	__asm__ volatile("movq %%rbx, %0\n\tmovq %%rbp, %1\n\tmovq %%rsp, %2\n\tleaq 0(%%rip), %3"
			 : "=m"(r.value[3]), "=m"(r.value[6]), "=m"(r.value[7]), "=r"(r.value[FRAME_PC]));
	__asm__ volatile("movq %%r12, %0\n\tmovq %%r13, %1\n\tmovq %%r14, %2\n\tmovq %%r15, %3"
			 : "=m"(r.value[12]), "=m"(r.value[13]), "=m"(r.value[14]), "=m"(r.value[15]));
	return r;
}

enum { NO_CODE_HERE = __LINE__ };
/* A sanitizer moves variables to where debug information does not follow. */
#define PLAIN __attribute__((noinline, no_sanitize_address, no_sanitize_undefined))

static PLAIN void look_around(struct look *look)
{
	volatile int innermost = 41;
	struct frames frames = {0};
	look->registers = here();
	unwind_user(look->symbols, &look->registers, FRAME_FIRST, read_self, NULL, &frames);
	look->frames = frames.count;
	for (size_t i = 0; i < frames.count; i++) {
		symbols_print_address(look->symbols, frames.list[i].pc, frames.list[i].is_return, &look->where);
		buf_char(&look->where, '\n');
		struct scope scope = {.world = {.read = read_self, .symbols = look->symbols}, .frame = &frames.list[i]};
		if (i < 3)
			variables_print_locals(&scope, &look->locals);
	}
	CU_ASSERT_EQUAL(innermost, 41);
	unwind_finish(&frames);
}

static PLAIN int caller_of_look(struct look *look, int depth)
{
	volatile int callers_own = depth * 100;
	if (depth)
		return caller_of_look(look, depth - 1) + callers_own;
	look_around(look);
	return callers_own + file_static;
}

static void own_stack_is_walked(void)
{
	struct look look = {.symbols = symbols_of_self()};
	CU_ASSERT_EQUAL(caller_of_look(&look, 2), 377);
	const char *at = look.where.data;
	static const char *const order[] = {"here", "caller_of_look", "caller_of_look", "caller_of_look", "own_stack_is_walked"};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		CU_ASSERT_TRUE(!strncmp(at, order[i], strlen(order[i])));
		CU_ASSERT_PTR_NOT_NULL(strstr(at, "(test_variables.c:"));
		at += strcspn(at, "\n") + 1;
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(at, "main+"));
	CU_ASSERT_PTR_NOT_NULL(strstr(at, "_start+"));
	CU_ASSERT_PTR_NOT_NULL(strstr(look.locals.data, "innermost = 41\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(look.locals.data, "callers_own = 0\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(look.locals.data, "callers_own = 100\n"));
	buf_free(&look.where);
	buf_free(&look.locals);
	symbols_destroy(look.symbols);
}

/* ---- trees of them ---- */

static bool is_wanted(void *data, const char *expression)
{
	for (const char *const *each = data; *each; each++)
		if (!strcmp(*each, expression))
			return true;
	return false;
}

static void put_tree(const struct vartree *tree, struct buf *out)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct vartree_row *row = &tree->rows[i];
		buf_printf(out, "%*s%s%s|%s|%s\n", (int)row->depth, "",
			row->is_open             ? "-"
				: row->has_parts ? "+"
						 : "",
			row->name, row->expression ? row->expression : "", strstr(row->value, "0x") ? "*" : row->value);
	}
}

static PLAIN void open_some(struct symbols *symbols, struct buf *out)
{
	static const char *const opened[] = {"held", "held->grid", "held->grid[1]", "numbers", "nothing", NULL};
	struct variables_item *volatile held = &variables_node;
	struct variables_item *volatile nobody = NULL;
	volatile int numbers[2] = {7, 8};
	struct frame_registers registers = here();
	struct frames frames = {0};
	struct vartree tree = {0};
	unwind_user(symbols, &registers, FRAME_FIRST, read_self, NULL, &frames);
	struct scope scope = {.world = {.read = read_self, .symbols = symbols}, .frame = &frames.list[0]};
	vartree_read(&scope, is_wanted, (void *)opened, &tree);
	put_tree(&tree, out);
	vartree_finish(&tree);
	CU_ASSERT_EQUAL(tree.count, 0);
	CU_ASSERT_PTR_NOT_NULL(held);
	CU_ASSERT_PTR_NULL(nobody);
	CU_ASSERT_EQUAL(numbers[1], 8);
	unwind_finish(&frames);
}

static void variables_open(void)
{
	struct symbols *symbols = symbols_of_self();
	struct buf out = {0};
	static const char *const wanted[] = {"-held|held|*\n", " +next|held->next|*\n", " number|held->number|-5\n",
		" -grid|held->grid|{...}\n", "  +[0]|held->grid[0]|{1, 2, 3}\n", "  -[1]|held->grid[1]|{...}\n",
		"   [0]|held->grid[1][0]|4\n   [1]|held->grid[1][1]|5\n", "nobody|nobody|*\n",
		"-numbers|numbers|{...}\n [0]|numbers[0]|7\n [1]|numbers[1]|8\n"};
	open_some(symbols, &out);
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (!strstr(out.data, wanted[i])) {
			printf("\nmissing: %sin: %s", wanted[i], out.data);
			CU_FAIL("a row is missing");
		}
	buf_free(&out);
	symbols_destroy(symbols);
}

static void values_are_printed(void)
{
	struct symbols *symbols = symbols_of_self();
	struct scope scope = {.world = {.read = read_self, .symbols = symbols}};
	static const char *const rows[][2] = {{"variables_node.number", "-5"}, {"variables_node.low", "5"},
		{"variables_node.high", "300"}, {"variables_node.shade", "LIGHT"}, {"variables_node.word", "\"word\""},
		{"variables_node.word[1]", "111 'o'"}, {"variables_node.ratio", "0.125"}, {"variables_node.half", "1.5"},
		{"variables_node.grid", "{{1, 2, 3}, {4, 5, 6}}"}, {"variables_node.small", "258"},
		{"variables_node.grid[1]", "{4, 5, 6}"}, {"variables_node.grid[1][2]", "6"},
		{"*variables_node.grid", "{1, 2, 3}"}, {"**variables_node.grid", "1"},
		{"variables_cube[1]", "{{12, 13, 14, 15}, {16, 17, 18, 19}, {20, 21, 22, 23}}"},
		{"variables_cube[1][2][3]", "23"}, {"variables_cube[0][1]", "{4, 5, 6, 7}"}, {"variables_names[1]", "\"two\""},
		{"variables_names[1][0]", "116 't'"}, {"variables_wide[0]", "170141183460469231731687303715884105727"},
		{"variables_wide[1]", "-170141183460469231731687303715884105728"}, {"variables_wide[2]", "-1"},
		{"variables_wide_unsigned", "340282366920938463463374607431768211455"}, {"variables_node.raw[0]", "2 '\\x02'"},
		{"variables_node.truth", "true"}, {"variables_negative", "-1234567890123"},
		{"variables_node.next->next->number", "-5"}, {"(*variables_node.next).number", "-5"},
		{" variables_node . number ", "-5"}, {"-1", "-1"}, {"0x10", "0x10"}, {"file_static", "77"},
		{"1 + 2 * 3 - 4 / 2", "5"}, {"(1 + 2) * 3 % 4", "1"}, {"-7 / 2", "-3"}, {"7u - 8u", "18446744073709551615"},
		{"1 << 4 | 3 & ~1 ^ 1", "19"}, {"-16 >> 2", "-4"}, {"2 < 3 && 3 <= 3 && !(4 > 5)", "true"},
		{"1 == 2 || 1 != 1", "false"}, {"0 && *variables_node", "false"}, {"1 || nobody.x", "true"},
		{"5 > 3 ? 7 : nobody", "7"}, {"1.5 * 2", "3"}, {"1.5 < 2", "true"}, {"'a' + 1", "98"}, {"'\\n'", "10"},
		{"variables_node.number * 2 + variables_node.ratio", "-9.875"},
		{"variables_node.low + variables_node.high", "305"}, {"variables_node.number < 0", "true"},
		{"variables_node.number == -5 && variables_node.shade == 7", "true"}, {"(char)321", "65 'A'"},
		{"(unsigned char)-1", "255 '\\xff'"}, {"(short)70000", "4464"}, {"(unsigned)-1", "4294967295"}, {"(int)3.9", "3"},
		{"(double)7 / 2", "3.5"}, {"(float)0.1", "0.100000001"}, {"(enum shade)7", "LIGHT"},
		{"(long)&variables_node == (long)variables_node.next", "true"},
		{"&variables_node == variables_node.next", "true"},
		{"((struct variables_item *)variables_node.next)->number", "-5"}, {"*(int *)&variables_node.number", "-5"},
		{"((int *)variables_node.grid)[4]", "5"}, {"variables_node.grid[0][0]@4", "{1, 2, 3, 4}"},
		{"*variables_node.grid[1]@2", "{4, 5}"}, {"variables_node.word[0]@3", "\"wor\""},
		{"variables_node.text[2]@4 ", "\"\"tex\""}, {"*(variables_node.grid[0] + 2)", "3"},
		{"&variables_node.grid[1][2] - &variables_node.grid[0][1]", "4"}, {"sizeof variables_node.grid", "24"},
		{"sizeof(int)", "4"}, {"sizeof(struct variables_item *)", "8"}, {"sizeof (variables_node.word)", "6"},
		{"*&variables_node.number", "-5"}, {"test_variables.c::file_static", "77"},
		{"tests/unit/test_variables.c::file_static + 1", "78"}, {"0x10 + 1", "0x11"},
		{"0x7fffffffffffffff + 0", "0x7fffffffffffffff"}, {"010", "8"}, {"1 ? 2 : 3 ? 4 : 5", "2"},
		{"!variables_node.next", "false"}, {"variables_node.next && 1", "true"}, {"+3", "3"}, {"~0", "-1"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = {0};
		struct err err = {0};
		char expected[200];
		CU_ASSERT_TRUE(expression_print(&scope, rows[i][0], VALUE_NATURAL, &out, &err));
		snprintf(expected, sizeof expected, "%s = %s\n", rows[i][0], rows[i][1]);
		CU_ASSERT_STRING_EQUAL(out.data ? out.data : err.text, expected);
		buf_free(&out);
	}
	struct buf out = {0};
	CU_ASSERT_TRUE(expression_print(&scope, "variables_node.text", VALUE_NATURAL, &out, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, " \"a \"text\"\\n\"\n")); /* nothing that a terminal would obey */
	buf_clear(&out);
	CU_ASSERT_TRUE(expression_print(&scope, "*variables_node.next", VALUE_NATURAL, &out, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "{next = 0x"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data,
		"<variables_node>, number = -5, low = 5, high = 300, shade = LIGHT, word = \"word\", ratio = 0.125, half = "
		"1.5, "));
	buf_free(&out);
	symbols_destroy(symbols);
}

/* Names, suffixes and values of the parts of an expression, a line each. */
static void put_parts(const struct scope *scope, const char *expression, struct buf *out)
{
	struct value value, part;
	struct value_parts parts;
	struct err err = {0};
	CU_ASSERT_TRUE_FATAL(expression_value(scope, expression, &value, &err));
	value_parts(&scope->world, &value, &parts);
	for (uint64_t i = 0; i < parts.count; i++) {
		struct buf name = {0}, suffix = {0};
		CU_ASSERT_TRUE_FATAL(value_part(&scope->world, &value, i, &part, &name, &suffix));
		buf_printf(out, "%s|%s|", name.data ? name.data : "", suffix.data ? suffix.data : "");
		if (!strstr("next text", name.data ? name.data : "-"))
			value_print(&scope->world, &part, out);
		buf_char(out, '\n');
		buf_free(&name);
		buf_free(&suffix);
	}
	struct buf name = {0};
	CU_ASSERT_FALSE(value_part(&scope->world, &value, parts.count, &part, &name, &name));
	buf_printf(out, "%s\n", parts.indexed ? "indexed" : "named");
	buf_free(&name);
}

static void values_have_parts(void)
{
	struct symbols *symbols = symbols_of_self();
	struct scope scope = {.world = {.read = read_self, .symbols = symbols}};
	static const char *const rows[][2] = {
		{"variables_node",
			"next|.next|\nnumber|.number|-5\nlow|.low|5\nhigh|.high|300\nshade|.shade|LIGHT\nword|.word|\"word\"\n"
			"ratio|.ratio|0.125\nhalf|.half|1.5\ntext|.text|\ngrid|.grid|{{1, 2, 3}, {4, 5, 6}}\n"
			"||{small = 258, raw = \"\\x02\\x01\"}\ntruth|.truth|true\nnamed\n"},
		{"variables_node.grid", "[0]|[0]|{1, 2, 3}\n[1]|[1]|{4, 5, 6}\nindexed\n"},
		{"variables_node.grid[1]", "[0]|[0]|4\n[1]|[1]|5\n[2]|[2]|6\nindexed\n"}, {"variables_node.number", "named\n"},
		{"variables_node.text", "named\n"}, {"variables_node.high", "named\n"}, {"variables_self", "*|*|0x"},
		{"variables_nobody", "named\n"}, {"variables_grid", "*|*|{1, 2, 3}\nnamed\n"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = {0};
		put_parts(&scope, rows[i][0], &out);
		if (strncmp(out.data, rows[i][1], strlen(rows[i][1])) != 0)
			printf("%s\n", out.data);
		CU_ASSERT_EQUAL(strncmp(out.data, rows[i][1], strlen(rows[i][1])), 0);
		buf_free(&out);
	}
	/* A pointer to a struct has its members. */
	struct buf out = {0};
	put_parts(&scope, "variables_node.next", &out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "number|->number|-5\n"));
	buf_clear(&out);
	scope.world.room = 30;
	CU_ASSERT_TRUE(expression_print(&scope, "variables_cube", VALUE_NATURAL, &out, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "..."));
	CU_ASSERT(out.size < 80);
	buf_free(&out);
	symbols_destroy(symbols);
}

static void lines_have_addresses(void)
{
	struct symbols *symbols = symbols_of_self();
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct lines lines, numbers = {0};
	uint64_t body = 0, function = (uintptr_t)&caller_of_look;
	int line = 0;
	CU_ASSERT_TRUE_FATAL(symbols_at(symbols, function, false, places) > 0);
	int first = places[0].line;
	CU_ASSERT_TRUE(lines_find(symbols, "elsewhere/tests/unit/test_variables.c", first, &lines, &line));
	CU_ASSERT_EQUAL(line, first);
	CU_ASSERT_EQUAL(lines.list[0], function);
	lines_finish(&lines);
	/* What comes next is meant. */
	CU_ASSERT_TRUE(lines_find(symbols, "test_variables.c", NO_CODE_HERE, &lines, &line));
	CU_ASSERT(line > NO_CODE_HERE && line < NO_CODE_HERE + 10);
	lines_finish(&lines);
	CU_ASSERT_FALSE(lines_find(symbols, "test_variables.c", 1000000, &lines, &line));
	CU_ASSERT_FALSE(lines_find(symbols, "test_variables.c", -1, &lines, &line));
	CU_ASSERT_FALSE(lines_find(symbols, "nowhere.c", first, &lines, &line));
	CU_ASSERT_TRUE_FATAL(lines_body(symbols, function, &body));
	CU_ASSERT(body >= function && body < function + 200);
	lines_with_code(symbols, "test_variables.c", NO_CODE_HERE, first, &numbers);
	CU_ASSERT_FATAL(numbers.count > 2);
	CU_ASSERT_EQUAL(numbers.list[0], line);
	CU_ASSERT_EQUAL(numbers.list[numbers.count - 1], first);
	lines_finish(&numbers);
	symbols_destroy(symbols);
}

static void wrong_expressions_are_explained(void)
{
	struct symbols *symbols = symbols_of_self();
	struct scope scope = {.world = {.read = read_self, .symbols = symbols}};
	static const char *const rows[][2] = {{"", ": column 1: expected a name, a $register, a number or \"(\""},
		{"nobody", "there is no variable \"nobody\" here"},
		{"variables_node.", "column 16: expected the name of a member"},
		{"variables_node.zz", "struct variables_item has no member zz"},
		{"variables_node.number.x", "what is before \".x\" is no struct"},
		{"*variables_node", "only a pointer can be followed"},
		{"variables_node.grid[0][1][2]", "what is before \"[\" is no array"}, {"variables_node.word[", "expected a name"},
		{"variables_node.word[1", "expected \"]\""}, {"(variables_node", "expected \")\""},
		{"variables_node x", "column 16: expected the end"}, {"$rax", "there is no frame"},
		{"&variables_node.low", "it has no address"}, {"-variables_node", "it is no number"}, {"&1", "it has no address"},
		{"********************************************************************1", "too many parentheses and prefixes"},
		{"1 / 0", "column 3: a division by zero"}, {"1 % (2 - 2)", "a division by zero"}, {"1 +", "expected a name"},
		{"1 ? 2", "expected \":\""}, {"variables_node.number = 3", "nothing can be assigned: it is the past"},
		{"variables_node.number += 3", "nothing can be assigned"},
		{"look_around(1)", "nothing can be called: it is the past"},
		{"1.5 % 2", "cannot be done with a floating-point number"}, {"~1.5", "it is no number"},
		{"1@3", "what is before \"@\" is not in memory"}, {"variables_node.number@0", "expected 1 to 1000000"},
		{"(struct variables_item)1", "only what is in memory"}, {"*(void *)1", "a void pointer does not say"},
		{"12abc", "this is no number"}, {"'ab'", "expected a character"},
		{"(struct nobody *)1", "column 2: there is no such type"}, {"nowhere.c::file_static", "there is no variable"},
		{"variables_node.number[2]", "what is before \"[\" is no array"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = {0};
		struct err err = {0};
		CU_ASSERT_FALSE(expression_print(&scope, rows[i][0], VALUE_NATURAL, &out, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		if (!strstr(err.text, rows[i][1])) {
			printf("%s: %s\n", rows[i][0], err.text);
			CU_FAIL("the error does not say what is wrong");
		}
		buf_free(&out);
	}
	symbols_destroy(symbols);
}

static void symbols_are_found_both_ways(void)
{
	struct symbols *symbols = symbols_of_self();
	uint64_t address = 0, size = 0, offset = 9;
	CU_ASSERT_TRUE(symbols_find(symbols, "variables_node", &address, &size));
	CU_ASSERT_EQUAL(address, (uintptr_t)&variables_node);
	CU_ASSERT_EQUAL(size, sizeof variables_node);
	CU_ASSERT_STRING_EQUAL(symbols_name(symbols, address + 3, &offset), "variables_node");
	CU_ASSERT_EQUAL(offset, 3);
	CU_ASSERT_FALSE(symbols_find(symbols, "no_such_symbol_anywhere", &address, &size));
	CU_ASSERT_PTR_NULL(symbols_name(symbols, 16, &offset));
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	CU_ASSERT_EQUAL(symbols_at(symbols, 16, true, places), 0);
	CU_ASSERT_TRUE(symbols_at(symbols, (uintptr_t)&caller_of_look, false, places) > 0);
	CU_ASSERT_STRING_EQUAL(places[0].function, "caller_of_look");
	CU_ASSERT_TRUE(symbols_find_line(symbols, "test_variables.c", places[0].line, &address));
	CU_ASSERT_FALSE(symbols_find_line(symbols, "test_variables.c", 1, &address));
	CU_ASSERT_FALSE(symbols_find_line(symbols, "nowhere.c", 1, &address));
	symbols_destroy(symbols);
	symbols_destroy(NULL);
}

static void symbols_live_with_their_last_owner(void)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct symbols *symbols = symbols_of_self(), *share = symbols_share(symbols);
	CU_ASSERT_FATAL(symbols_at(symbols, (uintptr_t)&caller_of_look, false, places) > 0);
	symbols_destroy(symbols);
	CU_ASSERT_STRING_EQUAL(places[0].function, "caller_of_look"); /* borrowed before, from both */
	CU_ASSERT_TRUE(symbols_at(share, (uintptr_t)&own_stack_is_walked, false, places) > 0);
	symbols_destroy(share);
}

static void other_files_have_no_symbols(void)
{
	struct err err = {0};
	struct symbols *symbols = symbols_create(NULL, 0, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_FALSE(symbols_add(symbols, "null", open("/dev/null", O_RDONLY | O_CLOEXEC), 0x1000, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "null: no symbols can be read from it"));
	symbols_ready(symbols);
	struct frame_registers registers = {.known = 1u << FRAME_PC, .value = {[FRAME_PC] = 0x1234}};
	struct frames frames = {0};
	unwind_user(symbols, &registers, FRAME_FIRST, read_self, NULL, &frames);
	CU_ASSERT_EQUAL(frames.count, 1);
	CU_ASSERT_STRING_EQUAL(frames.end, "no frame information");
	unwind_finish(&frames);
	symbols_destroy(symbols);
}

const struct test suite_variables[] = {{"the own stack is walked", own_stack_is_walked},
	{"variables open as trees", variables_open}, {"values are printed", values_are_printed},
	{"values have parts", values_have_parts}, {"lines have addresses", lines_have_addresses},
	{"wrong expressions are explained", wrong_expressions_are_explained},
	{"symbols are found both ways", symbols_are_found_both_ways},
	{"symbols live with their last owner", symbols_live_with_their_last_owner},
	{"other files have no symbols", other_files_have_no_symbols}, {0}};
