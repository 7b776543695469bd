#include <stdlib.h>
#include <string.h>

#include "engine/dap.h"
#include "unit.h"

static const char talk[] =
	"Content-Length: 2\r\n\r\n{}content-length:7\r\nContent-Type: x\r\n\r\n{\"a\":1}Content-Length: 0\r\n\r\n";

static void gather(struct dap *d, struct buf *out)
{
	struct buf body = {0};
	struct err err = {0};
	enum dap_result r;
	while ((r = dap_next(d, &body, &err)) == DAP_MESSAGE) {
		buf_add(out, body.data, body.size);
		buf_char(out, ';');
	}
	if (r == DAP_BAD)
		buf_str(out, err.text);
	buf_free(&body);
}

static void split_at_every_byte(void)
{
	for (size_t cut = 0; cut < sizeof talk; cut++) {
		struct dap d = {0};
		struct buf out = {0};
		dap_feed(&d, talk, cut);
		gather(&d, &out);
		dap_feed(&d, talk + cut, sizeof talk - 1 - cut);
		gather(&d, &out);
		CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", "{};{\"a\":1};;");
		buf_free(&out);
		dap_finish(&d);
	}
}

static void what_is_not_dap(void)
{
	static const char *const rows[] = {"\r\n\r\n", "Hello: 1\r\n\r\n", "Content-Length: x\r\n\r\n",
		"Content-Length: 1x\r\n\r\n", "Content-Length: 1048577\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
		"Content-Length: -1\r\n\r\n"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct dap d = {0};
		struct buf body = {0};
		struct err err = {0};
		dap_feed(&d, rows[i], strlen(rows[i]));
		CU_ASSERT_EQUAL(dap_next(&d, &body, &err), DAP_BAD);
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "not DAP"));
		buf_free(&body);
		dap_finish(&d);
	}
}

static void endless_headers_are_refused(void)
{
	struct dap d = {0};
	struct buf body = {0};
	struct err err = {0};
	for (size_t i = 0; i < DAP_HEADER_MAX + 3; i++)
		dap_feed(&d, "x", 1);
	CU_ASSERT_EQUAL(dap_next(&d, &body, &err), DAP_MORE);
	dap_feed(&d, "x", 1);
	CU_ASSERT_EQUAL(dap_next(&d, &body, &err), DAP_BAD);
	buf_free(&body);
	dap_finish(&d);
}

static void what_is_put_is_read_back(void)
{
	struct dap d = {0};
	struct buf body = {0}, out = {0}, back = {0};
	struct err err = {0};
	buf_str(&body, "{\"seq\":1}");
	dap_put(&out, &body);
	CU_ASSERT_STRING_EQUAL(out.data, "Content-Length: 9\r\n\r\n{\"seq\":1}");
	dap_feed(&d, out.data, out.size);
	CU_ASSERT_EQUAL(dap_next(&d, &back, &err), DAP_MESSAGE);
	CU_ASSERT_STRING_EQUAL(back.data, body.data);
	buf_free(&body);
	buf_free(&out);
	buf_free(&back);
	dap_finish(&d);
}

const struct test suite_dap[] = {
	{"split at every byte", split_at_every_byte},
	{"what is not DAP", what_is_not_dap},
	{"endless headers are refused", endless_headers_are_refused},
	{"what is put is read back", what_is_put_is_read_back},
	{0},
};
