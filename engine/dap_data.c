/* Breakpoints of data that is written or read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_points.h"
#include "engine/text.h"

/* "75:0x404010:8": process, address, bytes. */
static bool parse_data_id(const char *text, struct dap_point *point, struct err *err)
{
	uint64_t numbers[3];
	const char *at = text ? text : "";
	size_t count = 0;
	while (count < 3 && *at >= '0' && *at <= '9') {
		char *end;
		numbers[count++] = strtoull(at, &end, 0);
		at = end + (*end == ':' && count < 3);
	}
	if (count != 3 || *at || !numbers[0] || numbers[0] > UINT32_MAX || !numbers[2])
		return err_set(err, ERR_INPUT, "dataId is '%.60s': expected one that dataBreakpointInfo gave", text ? text : "");
	point->pid = (uint32_t)numbers[0];
	point->address = numbers[1];
	point->size = numbers[2];
	return true;
}

bool dap_set_data_breakpoints(struct dap_server *s, struct err *err)
{
	const struct json *list = json_member(s->arguments, "breakpoints");
	struct dap_change *c = dap_take_out(s, DAP_DATA, NULL);
	size_t first = s->point_count;
	if (!dap_points_fit(s, c, json_count(list), err)) {
		free(c);
		return false;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		struct dap_point point = {.kind = DAP_DATA};
		const char *access = dap_string(json_at(list, i), "accessType");
		struct err wrong = {0};
		bool ok = parse_data_id(dap_string(json_at(list, i), "dataId"), &point, &wrong);
		point.access = !access || !strcmp(access, "write") ? SCAN_WRITE
			: !strcmp(access, "read")                  ? SCAN_READ
			: !strcmp(access, "readWrite")             ? SCAN_ACCESS
								   : 0;
		if (ok && !point.access)
			ok = err_set(&wrong, ERR_INPUT, "accessType is '%.30s': expected read, write or readWrite", access);
		dap_put_in(s, c, &point, json_at(list, i), ok ? NULL : wrong.text);
	}
	return dap_finish_change(s, c, first);
}

/* "counter.total, 8 bytes at 0x404010 of counter/counter[75]" */
static void describe_data(
	struct dap_server *s, const char *name, const struct process *p, uint64_t address, uint64_t size, struct buf *out)
{
	text_put_safe(out, name, strlen(name));
	buf_printf(out, ", %" PRIu64 " byte%s at 0x%" PRIx64 " of ", size, size == 1 ? "" : "s", address);
	targets_name(s->targets, p, NULL, out);
}

bool dap_data_breakpoint_info(struct dap_server *s, struct err *err)
{
	const char *name = dap_string(s->arguments, "name");
	uint64_t address = 0, size = 0, bytes = dap_number(s->arguments, "bytes", 0);
	uint32_t pid = 0;
	struct err wrong = {0};
	struct buf text = {0};
	if (!name)
		return err_set(err, ERR_INPUT, "dataBreakpointInfo: expected a name");
	bool ok;
	if (dap_bool(s->arguments, "asAddress")) {
		const struct process *p = dap_find_reference(s, name, &address, &wrong);
		ok = p != NULL;
		pid = p ? p->pid : 0;
		size = 8;
	} else
		ok = dap_locate(s, dap_number(s->arguments, "variablesReference", 0), name,
			dap_number(s->arguments, "frameId", 0), &pid, &address, &size, &wrong);
	size = bytes ? bytes : size;
	const struct process_list *list = ok ? targets_processes(s->targets, &wrong) : NULL;
	const struct process *p = list ? process_find(list, pid) : NULL;
	ok = p && (size || err_set(&wrong, ERR_INPUT, "%.100s has no size", name));
	json_put(s->body, "dataId", json_new_null());
	if (ok) {
		char *id = mem_printf("%u:0x%" PRIx64 ":%" PRIu64, pid, address, size);
		struct json *types = json_new_array();
		json_put_str(s->body, "dataId", id);
		describe_data(s, name, p, address, size, &text);
		json_push(types, json_new_str("write"));
		json_push(types, json_new_str("read"));
		json_push(types, json_new_str("readWrite"));
		json_put(s->body, "accessTypes", types);
		free(id);
	} else
		buf_str(&text, wrong.text);
	json_put_str(s->body, "description", text.data);
	json_put_bool(s->body, "canPersist", false);
	buf_free(&text);
	return true;
}
