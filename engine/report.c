#include "engine/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/json.h"

void report_case_finish(struct report_case *c)
{
	for (size_t i = 0; i < c->property_count; i++) {
		free(c->properties[i].id);
		free(c->properties[i].verdict);
		free(c->properties[i].why);
	}
	free(c->properties);
	free(c->scenario);
	free(c->path);
	free(c->verdict);
	free(c->error);
	free(c->run);
	*c = (struct report_case){0};
}

struct tally {
	size_t pass, fail, unclear, error, skipped;
};

static struct tally tally_of(const struct report *r)
{
	struct tally t = {0};
	for (size_t i = 0; i < r->count; i++) {
		const struct report_case *c = &r->cases[i];
		if (!c->ran)
			t.skipped++;
		else if (c->status == 0)
			t.pass++;
		else if (c->status == 1)
			t.fail++;
		else if (c->status == 2)
			t.unclear++;
		else
			t.error++;
	}
	return t;
}

int report_status(const struct report *r)
{
	struct tally t = tally_of(r);
	if (t.error || r->cancelled)
		return 5;
	return t.fail ? 1 : t.unclear ? 2 : 0;
}

static const struct report_property *first_bad(const struct report_case *c)
{
	for (size_t i = 0; i < c->property_count; i++)
		if (strcmp(c->properties[i].verdict, "pass"))
			return &c->properties[i];
	return NULL;
}

void report_reproduce(const struct report_case *c, struct buf *out)
{
	buf_printf(out, "polecat run %s --seed %" PRIu64, c->path, c->seed);
}

/* ---- for people ------------------------------------------------------------------------------------------- */

void report_table(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct report_case *c = &r->cases[i];
		if (!c->ran || c->status == 0)
			continue;
		const struct report_property *p = first_bad(c);
		buf_printf(out, "%-12s %s seed %" PRIu64, c->verdict, c->scenario, c->seed);
		if (c->error)
			buf_printf(out, "  %s", c->error);
		else if (p)
			buf_printf(out, "  %s: %s", p->id, p->why);
		buf_str(out, "\n             reproduce: ");
		report_reproduce(c, out);
		if (c->run)
			buf_printf(out, "\n             kept:      %s", c->run);
		buf_char(out, '\n');
	}
	struct tally t = tally_of(r);
	buf_printf(out, "%zu runs: %zu pass, %zu fail, %zu unknown or unexercised, %zu errors", r->count - t.skipped, t.pass,
		t.fail, t.unclear, t.error);
	if (t.skipped)
		buf_printf(out, ", %zu not run", t.skipped);
	buf_char(out, '\n');
}

/* ---- JUnit ------------------------------------------------------------------------------------------------ */

/* XML 1.0 has no way to write most control characters, and wants valid UTF-8: anything else becomes '?'. */
static void xml(struct buf *out, const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		switch (*p) {
		case '<':
			buf_str(out, "&lt;");
			break;
		case '>':
			buf_str(out, "&gt;");
			break;
		case '&':
			buf_str(out, "&amp;");
			break;
		case '"':
			buf_str(out, "&quot;");
			break;
		default:
			buf_char(out, (*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f ? '?' : (char)*p);
		}
	}
}

static void junit_problem(const struct report_case *c, struct buf *out)
{
	const char *tag = c->status == 1 ? "failure" : c->status == 2 ? "failure" : "error";
	const struct report_property *p = first_bad(c);
	buf_printf(out, "      <%s type=\"%s\" message=\"", tag, c->verdict);
	xml(out, c->error ? c->error : p ? p->id : c->verdict);
	buf_str(out, "\">");
	for (size_t i = 0; i < c->property_count; i++) {
		xml(out, c->properties[i].verdict);
		buf_char(out, ' ');
		xml(out, c->properties[i].id);
		buf_str(out, ": ");
		xml(out, c->properties[i].why);
		buf_char(out, '\n');
	}
	buf_str(out, "reproduce: ");
	struct buf line = {0};
	report_reproduce(c, &line);
	xml(out, line.data);
	buf_free(&line);
	buf_printf(out, "</%s>\n", tag);
}

void report_junit(const struct report *r, struct buf *out)
{
	struct tally t = tally_of(r);
	buf_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n  <testsuite name=\"polecat\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		r->count, t.fail + t.unclear, t.error, t.skipped);
	for (size_t i = 0; i < r->count; i++) {
		const struct report_case *c = &r->cases[i];
		buf_str(out, "    <testcase classname=\"");
		xml(out, c->scenario);
		buf_printf(out, "\" name=\"seed %" PRIu64 "\" time=\"%" PRIu64 ".%03" PRIu64 "\">\n", c->seed, c->wall_ms / 1000,
			c->wall_ms % 1000);
		if (!c->ran)
			buf_str(out, "      <skipped/>\n");
		else if (c->status)
			junit_problem(c, out);
		buf_str(out, "    </testcase>\n");
	}
	buf_str(out, "  </testsuite>\n</testsuites>\n");
}

/* ---- TAP -------------------------------------------------------------------------------------------------- */

/* A TAP line may not hold a newline, and '#' starts a directive. */
static void tap_text(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_char(out, *text == '\n' || *text == '#' ? ' ' : *text);
}

void report_tap(const struct report *r, struct buf *out)
{
	buf_printf(out, "TAP version 14\n1..%zu\n", r->count);
	for (size_t i = 0; i < r->count; i++) {
		const struct report_case *c = &r->cases[i];
		bool fine = c->ran && c->status == 0;
		buf_printf(out, "%s %zu - ", fine || !c->ran ? "ok" : "not ok", i + 1);
		tap_text(out, c->scenario);
		buf_printf(out, " seed %" PRIu64 "%s\n", c->seed, c->ran ? "" : " # SKIP not run");
		if (fine || !c->ran)
			continue;
		const struct report_property *p = first_bad(c);
		buf_printf(out, "  ---\n  verdict: %s\n  message: \"", c->verdict);
		for (const char *t = c->error ? c->error : p ? p->id : ""; *t; t++)
			buf_char(out, *t == '"' || *t == '\\' || *t == '\n' ? '\'' : *t);
		buf_str(out, "\"\n  reproduce: ");
		report_reproduce(c, out);
		buf_str(out, "\n  ...\n");
	}
	if (r->cancelled)
		buf_str(out, "Bail out! cancelled\n");
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static void json_text(struct buf *out, const char *text)
{
	if (text)
		json_quote(out, text, strlen(text));
	else
		buf_str(out, "null");
}

static void json_case(const struct report_case *c, struct buf *out)
{
	buf_str(out, "{\"scenario\":");
	json_text(out, c->scenario);
	buf_printf(out, ",\"seed\":%" PRIu64 ",\"ran\":%s,\"status\":%d,\"verdict\":", c->seed, c->ran ? "true" : "false",
		c->status);
	json_text(out, c->verdict);
	buf_str(out, ",\"error\":");
	json_text(out, c->error);
	buf_str(out, ",\"run\":");
	json_text(out, c->run);
	buf_printf(out,
		",\"events\":%" PRIu64 ",\"icount\":%" PRIu64 ",\"vtime_ns\":%" PRIu64 ",\"wall_ms\":%" PRIu64
		",\"faults_applied\":%" PRIu64 ",\"faults_unobserved\":%" PRIu64 ",\"properties\":[",
		c->events, c->icount, c->vtime_ns, c->wall_ms, c->faults_applied, c->faults_unobserved);
	for (size_t i = 0; i < c->property_count; i++) {
		buf_str(out, i ? ",{\"id\":" : "{\"id\":");
		json_text(out, c->properties[i].id);
		buf_str(out, ",\"verdict\":");
		json_text(out, c->properties[i].verdict);
		buf_str(out, ",\"why\":");
		json_text(out, c->properties[i].why);
		buf_char(out, '}');
	}
	buf_str(out, "],\"reproduce\":");
	struct buf line = {0};
	report_reproduce(c, &line);
	json_text(out, line.data);
	buf_free(&line);
	buf_char(out, '}');
}

void report_json(const struct report *r, struct buf *out)
{
	struct tally t = tally_of(r);
	buf_printf(out,
		"{\"polecat_check\":%d,\"status\":%d,\"cancelled\":%s,\"pass\":%zu,\"fail\":%zu,\"unclear\":%zu,\"errors\":%zu,"
		"\"not_run\":%zu,\"runs\":[",
		REPORT_JSON_VERSION, report_status(r), r->cancelled ? "true" : "false", t.pass, t.fail, t.unclear, t.error,
		t.skipped);
	for (size_t i = 0; i < r->count; i++) {
		buf_str(out, i ? ",\n" : "\n");
		json_case(&r->cases[i], out);
	}
	buf_str(out, "]}\n");
}
