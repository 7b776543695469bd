#include <stdlib.h>
#include "engine/buf.h"
#include "engine/digest.h"
#include "engine/plan.h"
#include "unit.h"

#define HEAD \
	"polecat: 1\nname: demo\nnodes:\n" \
	"  server: {workload: {binary: s}, ready: {port: 70}, restart: {when: after-fault, delay: 1ms..9ms}, env: {A: b}}\n" \
	"  client: {workload: {binary: c}, stdin: [{text: a, delay: 0s..1s}, {text: bc, delay: 1s..2s}, {text: d}]}\n"
#define KILLS "  - {kill: server, times: 1..3, after: {lines: 20..150, of: client}, delay: 0s..1ms}\n"
#define STOPS "  - {stop: [server, client], for: 10ms..20ms, times: 0..4, after: {fault: kill, stage: healed}}\n"
#define MORE \
	"  - {restart: server, after: {fault: kill#2}}\n" \
	"  - {kill: client, at: 0s..2s, signal: SIGTERM}\n" \
	"  - {kill: client, times: 2, after: {started: server}}\n" \
	"  - {kill: client}\n"
#define TAIL "properties: [{id: p, never: x}]\n"

static struct scenario *scenario(const char *faults)
{
	struct err err = {0};
	char *text = mem_printf(HEAD "%s%s" TAIL, faults[0] ? "faults:\n" : "", faults);
	struct scenario *s = scenario_parse(text, strlen(text), "demo.yaml", "", &err);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	free(text);
	return s;
}

static struct plan *make(const struct scenario *s, uint64_t seed)
{
	struct err err = {0};
	struct plan *p = plan_make(s, seed, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static char *text_of(const struct plan *p)
{
	struct buf b = {0};
	plan_write(p, &b);
	return buf_take(&b);
}

static const struct plan_choice *choice(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->choice_count; i++)
		if (strcmp(p->choices[i].name, name) == 0)
			return &p->choices[i];
	return NULL;
}

static void one_seed_one_plan(void)
{
	struct scenario *s = scenario(KILLS STOPS MORE);
	unsigned different = 0;
	struct plan *zero = make(s, 0);
	char *first = text_of(zero);

	for (uint64_t seed = 0; seed < 50; seed++) {
		struct plan *a = make(s, seed), *b = make(s, seed);
		char *at = text_of(a), *bt = text_of(b);
		uint8_t ad[32], bd[32], sum[32];
		CU_ASSERT_STRING_EQUAL(at, bt);
		plan_digest(a, ad);
		plan_digest(b, bd);
		digest_sha256(at, strlen(at), sum);
		CU_ASSERT_TRUE(memcmp(ad, bd, 32) == 0 && memcmp(ad, sum, 32) == 0);
		different += strcmp(at, first) != 0;
		free(at);
		free(bt);
		plan_destroy(a);
		plan_destroy(b);
	}
	CU_ASSERT_EQUAL(different, 49);
	free(first);
	plan_destroy(zero);
	plan_destroy(NULL);
	scenario_destroy(s);
}

/* The bytes that a plan of format 1 has, once and for all: if this changes, every stored plan means something else. */
static void the_format(void)
{
	struct scenario *s = scenario("  - {kill: server, times: 1..3, after: {lines: 20..150, of: client}, delay: 0s..1ms}\n");
	struct plan *p = make(s, 42);
	char *text = text_of(p);
	static const char wanted[] = "{\"polecat_plan\":1,\"scenario\":\"demo\",\"scenario_sha256\":\"SHA\",\"seed\":42,"
				     "\"entropy\":\"46b115dda774a4f5aa9d55a7251cc8ab7e573cec8273fe32d7129aec68646fff\","
				     "\"limits\":{\"vtime_ns\":120000000000,\"instructions\":20000000000,\"events\":200000,"
				     "\"bytes\":67108864,\"wall_s\":300},"
				     "\"until\":[\"client\"],\"nodes\":["
				     "{\"name\":\"server\",\"argv\":[\"/s\"],\"env\":[\"A=b\"],\"cwd\":\"/\",\"uid\":0,\"gid\":0,"
				     "\"ready\":{\"kind\":\"port\",\"port\":70,\"text\":\"\"},\"restart\":\"after-fault\","
				     "\"delay_ns\":RESTART,\"after\":[],\"stdin\":[]},"
				     "{\"name\":\"client\",\"argv\":[\"/c\"],\"env\":[],\"cwd\":\"/\",\"uid\":0,\"gid\":0,"
				     "\"ready\":{\"kind\":\"start\",\"port\":0,\"text\":\"\"},\"restart\":\"never\",\"delay_ns\":"
				     "0,\"after\":[\"server\"],\"stdin\":["
				     "{\"inv\":0,\"offset\":0,\"delay_ns\":IN0,\"hex\":\"61\",\"eof\":false},"
				     "{\"inv\":0,\"offset\":1,\"delay_ns\":IN1,\"hex\":\"6263\",\"eof\":false},"
				     "{\"inv\":0,\"offset\":3,\"delay_ns\":IN1,\"hex\":\"64\",\"eof\":true}]}],";

	struct buf expected = {0};
	for (const char *c = wanted; *c;) {
		if (strncmp(c, "SHA", 3) == 0 && c[3] == '"') {
			buf_str(&expected, s->sha256);
			c += 3;
		} else if (strncmp(c, "RESTART", 7) == 0) {
			buf_printf(&expected, "%llu", (unsigned long long)p->nodes[0].delay_ns);
			c += 7;
		} else if (strncmp(c, "IN0", 3) == 0 || strncmp(c, "IN1", 3) == 0) {
			buf_printf(&expected, "%llu", (unsigned long long)p->nodes[1].input[c[2] - '0'].delay_ns);
			c += 3;
		} else {
			buf_char(&expected, *c++);
		}
	}
	CU_ASSERT_TRUE(strncmp(text, expected.data, expected.size) == 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"\"faults\":[{\"id\":\"kill#1\",\"type\":\"kill\",\"node\":\"server\","
		"\"params\":{\"signal\":\"SIGKILL\"},\"for_ns\":0,\"trigger\":{\"on\":\"lines\",\"node\":\"client\",\"line\":"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "},\"from\":{\"path\":\"faults[0]\",\"line\":7,\"column\":6}}"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "{\"name\":\"faults[0].times\",\"low\":1,\"high\":3,\"value\":"));
	CU_ASSERT_TRUE(text[strlen(text) - 1] == '\n' && !strchr(text, ' '));
	buf_free(&expected);
	free(text);
	plan_destroy(p);
	scenario_destroy(s);
}

static void choices_keep_to_their_ranges(void)
{
	struct scenario *s = scenario(KILLS STOPS MORE);
	unsigned times[4] = {0}, targets[2] = {0};

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct plan *p = make(s, seed);
		uint64_t kills = choice(p, "faults[0].times")->value;
		times[kills]++;
		for (size_t i = 0; i < p->choice_count; i++)
			CU_ASSERT_TRUE(p->choices[i].low <= p->choices[i].value && p->choices[i].value <= p->choices[i].high);
		for (size_t i = 0; i < kills; i++) {
			const struct plan_fault *f = &p->faults[i];
			CU_ASSERT_TRUE(f->id[5] == (char)('1' + i) && f->trigger.value >= 20 && f->trigger.value <= 150);
			CU_ASSERT_TRUE(f->trigger.delay_ns <= 1000000);
			CU_ASSERT_TRUE(i == 0 || f->trigger.value > p->faults[i - 1].trigger.value); /* distinct and ascending */
		}
		/* A stop follows the kill of its number, and is not chosen without it. */
		size_t stops = 0;
		for (size_t i = 0; i < p->fault_count; i++)
			if (p->faults[i].kind == fault_find("stop")) {
				CU_ASSERT_EQUAL(p->faults[i].trigger.fault, stops);
				CU_ASSERT_TRUE(p->faults[i].for_ns >= 10000000 && p->faults[i].for_ns <= 20000000);
				targets[p->faults[i].node]++;
				stops++;
			}
		uint64_t wanted = choice(p, "faults[1].times")->value;
		CU_ASSERT_EQUAL(stops, wanted < kills ? wanted : kills);
		bool restarts = false;
		for (size_t i = 0; i < p->fault_count; i++)
			restarts = restarts || p->faults[i].kind == fault_find("restart");
		CU_ASSERT_EQUAL(restarts, kills >= 2);
		CU_ASSERT_TRUE(p->nodes[0].delay_ns >= 1000000 && p->nodes[0].delay_ns <= 9000000);
		CU_ASSERT_TRUE(p->nodes[1].input[1].delay_ns >= p->nodes[1].input[0].delay_ns + 1000000000);
		plan_destroy(p);
	}
	CU_ASSERT_TRUE(times[0] == 0 && times[1] > 60 && times[2] > 60 && times[3] > 60);
	CU_ASSERT_TRUE(targets[0] > 50 && targets[1] > 50);
	scenario_destroy(s);
}

static void every_line_of_a_full_range_is_taken(void)
{
	struct scenario *s = scenario("  - {kill: server, times: 5, after: {lines: 3..7, of: client}}\n");
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct plan *p = make(s, seed);
		for (size_t i = 0; i < 5; i++)
			CU_ASSERT_EQUAL(p->faults[i].trigger.value, 3 + i);
		plan_destroy(p);
	}
	scenario_destroy(s);
}

static void default_triggers(void)
{
	struct scenario *s = scenario("  - {kill: server, times: 2}\n  - {kill: server, times: 2, after: {started: client}}\n");
	struct plan *p = make(s, 5);

	CU_ASSERT_EQUAL_FATAL(p->fault_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct plan_trigger *t = &p->faults[i].trigger;
		CU_ASSERT_TRUE(t->on == (i < 2 ? TRIGGER_READY : TRIGGER_STARTED) && t->node == i / 2 && t->value == 1 + i % 2);
		CU_ASSERT_TRUE(t->delay_ns <= (i < 2 ? 1000000000u : 0));
	}
	plan_destroy(p);
	scenario_destroy(s);
}

/* The part of a fault that the seed decided. */
static bool same_fault(const struct plan_fault *a, const struct plan_fault *b)
{
	return a->kind == b->kind && a->node == b->node && a->for_ns == b->for_ns && a->trigger.on == b->trigger.on &&
		a->trigger.value == b->trigger.value && a->trigger.delay_ns == b->trigger.delay_ns;
}

static void a_new_entry_changes_no_other_choice(void)
{
	struct scenario *few = scenario(KILLS), *more = scenario("  - {kill: client, times: 0..3, at: 0s..1s}\n" KILLS STOPS);

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct plan *a = make(few, seed), *b = make(more, seed);
		size_t skip = b->fault_count;
		for (size_t i = 0; i < b->fault_count && skip == b->fault_count; i++)
			if (strcmp(b->faults[i].path, "faults[1]") == 0)
				skip = i;
		for (size_t i = 0; i < a->fault_count; i++)
			CU_ASSERT_TRUE(skip + i < b->fault_count && same_fault(&a->faults[i], &b->faults[skip + i]));
		CU_ASSERT_TRUE(memcmp(a->entropy, b->entropy, sizeof a->entropy) == 0);
		CU_ASSERT_EQUAL(a->nodes[0].delay_ns, b->nodes[0].delay_ns);
		plan_destroy(a);
		plan_destroy(b);
	}
	scenario_destroy(few);
	scenario_destroy(more);
}

static void plans_are_read_back(void)
{
	struct scenario *s = scenario(KILLS STOPS MORE);
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct err err = {0};
		struct plan *a = make(s, seed == 30 ? UINT64_MAX : seed);
		char *text = text_of(a);
		struct plan *b = plan_parse(text, strlen(text), "plan.json", &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(b);
		char *again = text_of(b);
		CU_ASSERT_STRING_EQUAL(text, again);
		CU_ASSERT_TRUE(plan_validate(b, s, &err));
		CU_ASSERT_STRING_EQUAL(err.text, "");
		plan_destroy(a);
		plan_destroy(b);
		free(text);
		free(again);
	}
	scenario_destroy(s);
}

/* Replaces the first `from` of a plan's text, and gives the result. */
static char *edited(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	return mem_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void other_texts_are_refused(void)
{
	static const struct {
		const char *from, *to, *error;
	} edits[] = {
		{"\"polecat_plan\":1", "\"polecat_plan\":2", "p.json: polecat_plan: version 2 is unknown; this polecat knows 1"},
		{"\"polecat_plan\":1", "\"polecat_plan\":\"1\"", "p.json: polecat_plan: expected a whole number"},
		{"\"seed\":7,", "", "p.json: seed: is missing"},
		{"\"seed\":7,", "\"seed\":7,\"sneed\":8,", "p.json: sneed: is not a known member"},
		{"\"seed\":7,", "\"seed\":-7,", "p.json: seed: expected"},
		{"\"scenario\":\"demo\"", "\"scenario\":\"../x\"", "p.json: scenario: expected a name"},
		{"\"entropy\":\"", "\"entropy\":\"zz", "p.json: entropy: expected 64 hex digits"},
		{"\"until\":[\"client\"]", "\"until\":[\"nobody\"]", "p.json: until: `nobody` is no node"},
		{"\"name\":\"client\",\"argv\"", "\"name\":\"server\",\"argv\"",
			"p.json: nodes[1]: a node `server` is already there"},
		{"\"argv\":[\"/c\"]", "\"argv\":[]", "p.json: nodes[1]: argv: expected at least one word"},
		{"\"argv\":[\"/c\"]", "\"argv\":[7]", "p.json: nodes[1]: argv: expected a string"},
		{"\"cwd\":\"/\"", "\"cwd\":\"x\"", "p.json: nodes[0]: cwd: expected an absolute path"},
		{"\"port\":70", "\"port\":0", "p.json: nodes[0]: port: expected a port"},
		{"\"port\":70", "\"port\":70000", "p.json: nodes[0]: port: is 70000; at most 65535"},
		{"\"restart\":\"never\"", "\"restart\":\"maybe\"", "p.json: nodes[1]: restart: `maybe` is unknown"},
		{"\"hex\":\"61\"", "\"hex\":\"6\"", "p.json: nodes[1]: stdin[0]: hex: expected pairs"},
		{"\"eof\":false", "\"eof\":0", "p.json: nodes[1]: stdin[0]: eof: expected"},
		{"\"type\":\"kill\"", "\"type\":\"partition\"", "p.json: faults[0]: type: there is no fault `partition`"},
		{"\"id\":\"kill#1\"", "\"id\":\"kill\"", "p.json: faults[0]: id: expected the type and an ordinal"},
		{"\"id\":\"kill#2\"", "\"id\":\"kill#1\"", "p.json: faults[1]: id: `kill#1` is here twice"},
		{"\"signal\":\"SIGKILL\"", "\"signal\":\"KILL\"", "p.json: faults[0]: signal: is `KILL`; expected a signal"},
		{"\"signal\":\"SIGKILL\"", "\"signal\":\"SIGKILL\",\"x\":\"y\"", "p.json: faults[0]: params: expected only"},
		{"\"for_ns\":0", "\"for_ns\":1", "p.json: faults[0]: for_ns: expected 0"},
		{"\"on\":\"lines\",\"node\":\"client\"", "\"on\":\"lines\",\"node\":\"x\"",
			"p.json: faults[0]: trigger: node: there is no node `x`"},
		{"\"on\":\"lines\"", "\"on\":\"words\"", "p.json: faults[0]: trigger: on: `words` is unknown"},
		{"\"on\":\"lines\"", "\"on\":\"ready\"", "p.json: faults[0]: trigger: line: is not a known member"},
		{"\"path\":", "\"pth\":", "p.json: faults[0]: pth: is not a known member"},
		{"\"low\":", "\"low\":999999999999,\"lo\":", "p.json: choices[0]: lo: is not a known member"},
	};
	struct scenario *s = scenario(KILLS);
	struct plan *p = NULL;
	uint64_t seed = 7;
	for (; !p || p->fault_count < 2; seed++) { /* a seed with at least two kills, told as 7 */
		plan_destroy(p);
		p = make(s, seed);
	}
	p->seed = 7;
	char *text = text_of(p);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		struct err err = {0};
		char *bad = edited(text, edits[i].from, edits[i].to);
		struct plan *read = plan_parse(bad, strlen(bad), "p.json", &err);
		CU_ASSERT_PTR_NULL(read);
		if (strncmp(err.text, edits[i].error, strlen(edits[i].error)) != 0)
			CU_FAIL(mem_printf("%s -> %s: %s", edits[i].from, edits[i].to, err.text));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		plan_destroy(read);
		free(bad);
	}
	struct err err = {0};
	for (size_t size = 0; size + 1 < strlen(text); size++) /* no part of a plan is a plan; the newline is not missed */
		CU_ASSERT_PTR_NULL(plan_parse(text, size, "p.json", &err));
	free(text);
	plan_destroy(p);
	scenario_destroy(s);
}

static void a_plan_must_fit_its_scenario(void)
{
	static const struct {
		const char *from, *to, *error;
	} edits[] = {
		{"\"scenario\":\"demo\"", "\"scenario\":\"other\"", "other: the scenario has another name"},
		{"\"events\":200000", "\"events\":300000", "demo: limits"},
		{"\"argv\":[\"/c\"]", "\"argv\":[\"/d\"]", "client: command"},
		{"\"env\":[\"A=b\"]", "\"env\":[]", "server: env"},
		{"\"until\":[\"client\"]", "\"until\":[]", "demo: until"},
		{"\"hex\":\"61\"", "\"hex\":\"62\"", "client: stdin"},
		{"\"path\":\"faults[0]\"", "\"path\":\"faults[9]\"", "kill#1: the entry that it comes from"},
		{"\"path\":\"faults[0]\"", "\"path\":\"faults[0]x\"", "kill#1: the entry that it comes from"},
		{"\"id\":\"kill#1\"", "\"id\":\"kill#9\"", "kill#9: its ordinal"},
		{"\"node\":\"server\",\"params\"", "\"node\":\"client\",\"params\"", "kill#1: its type or its node"},
		{"\"signal\":\"SIGKILL\"", "\"signal\":\"SIGTERM\"", "kill#1: signal"},
		{"\"on\":\"lines\",\"node\":\"client\",\"line\":", "\"on\":\"lines\",\"node\":\"client\",\"line\":1000",
			"kill#1: its trigger is 1000"},
		{"\"on\":\"lines\",\"node\":\"client\",\"line\":", "\"on\":\"lines\",\"node\":\"server\",\"line\":",
			"kill#1: the node that it waits for"},
		{"\"faults\":[{", "\"faults\":[],\"choices\":[]}",
			"faults[0]: the number of its faults is 0, the scenario allows 1..3"},
	};
	struct scenario *s = scenario(KILLS);
	struct plan *p = make(s, 42);
	char *text = text_of(p);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		struct err err = {0};
		char *bad = edited(text, edits[i].from, edits[i].to);
		if (strstr(edits[i].to, "choices"))
			strstr(bad, "\"choices\":[]}")[13] = '\0';
		struct plan *read = plan_parse(bad, strlen(bad), "p.json", &err);
		CU_ASSERT_STRING_EQUAL(err.text, "");
		CU_ASSERT_PTR_NOT_NULL_FATAL(read);
		CU_ASSERT_FALSE(plan_validate(read, s, &err));
		const char *said = strstr(err.text, "scenario: ");
		if (!said || strncmp(said + 10, edits[i].error, strlen(edits[i].error)) != 0)
			CU_FAIL(mem_printf("%s -> %s: %s", edits[i].from, edits[i].to, err.text));
		plan_destroy(read);
		free(bad);
	}
	struct err err = {0};
	p->scenario_sha256[0] = p->scenario_sha256[0] == '0' ? '1' : '0';
	CU_ASSERT_FALSE(plan_validate(p, s, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "the scenario file has changed since"));
	free(text);
	plan_destroy(p);
	scenario_destroy(s);
}

/* The first seed whose plan has as many faults as wanted. */
static uint64_t seed_with(const struct scenario *s, size_t faults, uint64_t from)
{
	for (uint64_t seed = from;; seed++) {
		struct plan *p = make(s, seed);
		bool found = p->fault_count == faults;
		plan_destroy(p);
		if (found)
			return seed;
	}
}

static void plans_are_combined(void)
{
	struct scenario *s = scenario(KILLS);
	struct err err = {0};
	struct plan *one = make(s, seed_with(s, 2, 0));
	uint64_t seed = seed_with(s, 3, 1), few = seed_with(s, 1, 1);
	struct plan *three = make(s, seed);
	bool kept[SCENARIO_PLANNED_MAX] = {true}, given[SCENARIO_PLANNED_MAX];
	struct plan *p = plan_combine(one, kept, make(s, seed), given, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	/* kill#1 stays; the other's is kill#3, because its kill#3 comes later and then is kill#4. */
	CU_ASSERT_EQUAL_FATAL(p->fault_count, 4);
	const char *const ids[] = {"kill#1", "kill#2", "kill#3", "kill#4"};
	const struct plan_fault *from[] = {&one->faults[0], &three->faults[1], &three->faults[0], &three->faults[2]};
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_STRING_EQUAL(p->faults[i].id, ids[i]);
		CU_ASSERT_EQUAL(p->faults[i].trigger.value, from[i]->trigger.value);
		CU_ASSERT_EQUAL(given[i], i > 0);
		char *name = mem_printf("%s.after.lines", ids[i]);
		CU_ASSERT_EQUAL(choice(p, name)->value, from[i]->trigger.value);
		free(name);
	}
	CU_ASSERT_EQUAL(p->seed, seed);
	CU_ASSERT_EQUAL(memcmp(p->entropy, one->entropy, sizeof p->entropy), 0);
	/* It is written, read and fits, though an entry has more faults than a seed may choose. */
	char *text = text_of(p);
	struct plan *again = plan_parse(text, strlen(text), "plan.json", &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	CU_ASSERT(plan_validate_combined(again, s, &err));
	CU_ASSERT_FALSE(plan_validate(again, s, &err));
	again->faults[3].trigger.value = 1000;
	CU_ASSERT_FALSE(plan_validate_combined(again, s, &err));
	plan_destroy(again);
	plan_destroy(p);
	free(text);
	/* One that the other has not got stays in its place. */
	p = plan_combine(one, kept, make(s, few), given, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL_FATAL(p->fault_count, 3);
	CU_ASSERT_EQUAL(p->faults[1].trigger.value, one->faults[1].trigger.value);
	CU_ASSERT_FALSE(given[1]);
	CU_ASSERT_TRUE(given[2]);
	plan_destroy(p);
	plan_destroy(one);
	plan_destroy(three);
	scenario_destroy(s);
}

static void a_chain_keeps_its_order(void)
{
	struct scenario *s = scenario(KILLS "  - {stop: server, for: 10ms, times: 1, after: {fault: kill}}\n");
	struct err err = {0};
	bool kept[SCENARIO_PLANNED_MAX] = {false}, given[SCENARIO_PLANNED_MAX];
	uint64_t seed = seed_with(s, 2, 0);
	struct plan *one = make(s, seed), *p = plan_combine(one, kept, make(s, seed), given, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT(plan_validate(p, s, &err));
	CU_ASSERT_EQUAL_FATAL(p->fault_count, 2); /* a kill and its stop */
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_STRING_EQUAL(p->faults[i].id, one->faults[i].id);
		CU_ASSERT_EQUAL(p->faults[i].trigger.value, one->faults[i].trigger.value);
		CU_ASSERT_EQUAL(p->faults[i].trigger.fault, one->faults[i].trigger.fault);
		CU_ASSERT_TRUE(given[i]);
	}
	plan_destroy(p);
	/* The kill has happened: the other's comes after the stop that follows it. */
	kept[0] = true;
	p = plan_combine(one, kept, make(s, seed), given, &err);
	CU_ASSERT_PTR_NULL(p);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "stop#1 of the other seed would stand before kill#2, which it follows"));
	plan_destroy(one);
	scenario_destroy(s);
}

const struct test suite_plan[] = {
	{"plans are combined", plans_are_combined},
	{"a chain keeps its order", a_chain_keeps_its_order},
	{"one seed, one plan", one_seed_one_plan},
	{"the format", the_format},
	{"choices keep to their ranges", choices_keep_to_their_ranges},
	{"every line of a full range is taken", every_line_of_a_full_range_is_taken},
	{"default triggers", default_triggers},
	{"a new entry changes no other choice", a_new_entry_changes_no_other_choice},
	{"plans are read back", plans_are_read_back},
	{"other texts are refused", other_texts_are_refused},
	{"a plan must fit its scenario", a_plan_must_fit_its_scenario},
	{0},
};
