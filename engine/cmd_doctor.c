/* polecat doctor: what works on this host. */
#include <stdio.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/doctor.h"
#include "engine/json.h"
#include "engine/output.h"

static void say(void *data, const struct doctor_check *c)
{
	static const enum output_style styles[] = {OUTPUT_GOOD, OUTPUT_WARN, OUTPUT_BAD, OUTPUT_DIM};
	struct common_progress *p = data;
	output_progress_clear(&p->line);
	output_print(styles[c->status], "%-8s", doctor_status_name(c->status));
	output_print(OUTPUT_PLAIN, "%-8s  %s", c->name, c->text);
	if (c->status != DOCTOR_SKIPPED && c->seconds >= 0.05)
		output_print(OUTPUT_DIM, "  (%.1f s)", c->seconds);
	output_print(OUTPUT_PLAIN, "\n");
	output_flush(NULL);
}

static void print_json(const struct doctor_report *report)
{
	struct json *top = json_new_object(), *checks = json_new_array();
	for (size_t i = 0; i < DOCTOR_CHECKS; i++) {
		const struct doctor_check *c = &report->checks[i];
		struct json *one = json_new_object();
		json_put_str(one, "check", c->name);
		json_put_str(one, "status", doctor_status_name(c->status));
		json_put_str(one, "text", c->text);
		json_put(one, "seconds", json_new_real(c->seconds));
		json_push(checks, one);
	}
	json_put_u64(top, "polecat_doctor", 1);
	json_put(top, "checks", checks);
	struct buf text = {0};
	json_write_pretty(top, &text);
	json_destroy(top);
	output_bytes(text.data, text.size);
	buf_free(&text);
}

static bool doctor(const struct args *args, int *status, struct err *err)
{
	struct doctor_report report;
	struct cancel cancel;
	struct common_progress p;
	bool json = args_has(args, "json");
	if (!cancel_init(&cancel, err))
		return false;
	struct progress progress = common_progress_start(&p);
	bool ok = doctor_run(&report, progress, &cancel, json ? NULL : say, &p, err);
	common_progress_end(&p);
	cancel_finish(&cancel);
	if (!ok)
		return false;
	if (json)
		print_json(&report);
	else if (report.bad)
		output_print(OUTPUT_BAD, "%zu of %d checks are bad: polecat will not work here before they are mended\n",
			report.bad, DOCTOR_CHECKS);
	else
		output_print(OUTPUT_GOOD, "polecat works on this host%s\n", report.warnings ? ", with the warnings above" : "");
	*status = report.bad ? err_exit_status(ERR_SYSTEM) : 0;
	return true;
}

static const struct args_option options[] = {COMMON_OPTION_JSON, {0}};

const struct command command_doctor = {
	.name = "doctor",
	.operands = "",
	.least = 0,
	.most = 0,
	.about = "Say what works on this host, by trying it.",
	.more = "A small run of polecat's own is recorded twice, replayed, stopped at chosen instructions and taken back to a\n"
		"checkpoint; each time instruction counts, registers and memory must be equal. The first time a guest is booted "
		"for it.\n"
		"Exit status 0: all is well; 5: something is bad.",
	.options = options,
	.run = doctor,
};
