#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/dap_client.h"
#include "tests/unit/unit.h"

static const char hello[] = "{\"seq\":3,\"type\":\"request\",\"command\":\"threads\"}";

static bool wait_for(void *data, struct pollfd *fds, size_t count, struct err *err)
{
	(void)data;
	return poll(fds, count, -1) >= 0 || err_set(err, ERR_SYSTEM, "poll");
}

/* A client that has said this and left. */
static struct dap_client said(const char *text, size_t size)
{
	int fds[2];
	struct dap_client c = {.in = -1, .out = -1, .wait = wait_for};
	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	CU_ASSERT_EQUAL(write(fds[1], text, size), (ssize_t)size);
	close(fds[1]);
	c.in = fds[0];
	return c;
}

static void leave(struct dap_client *c)
{
	close(c->in);
	dap_client_finish(c);
}

static char *frame(const char *body)
{
	return mem_printf("Content-Length: %zu\r\n\r\n%s", strlen(body), body);
}

static void cut_anywhere_it_left(void)
{
	char *text = frame(hello);
	for (size_t cut = 0; cut <= strlen(text); cut++) {
		struct dap_client c = said(text, cut);
		struct json *request = NULL;
		struct err err = {0};
		CU_ASSERT_TRUE(dap_client_next(&c, NULL, &request, &err));
		CU_ASSERT_EQUAL(request != NULL, cut == strlen(text));
		json_destroy(request);
		leave(&c);
	}
	free(text);
}

static void what_is_no_request_ends_it(void)
{
	static const char *const rows[] = {"[]", "{}", "{", "\"x\"", "{\"type\":\"request\"}",
		"{\"type\":\"request\",\"command\":7}", "{\"type\":\"event\",\"command\":\"x\"}", "{\"command\":\"x\"}"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = frame(rows[i]);
		struct dap_client c = said(text, strlen(text));
		struct json *request = NULL;
		struct err err = {0};
		CU_ASSERT_FALSE(dap_client_next(&c, NULL, &request, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		CU_ASSERT_PTR_NULL(request);
		leave(&c);
		free(text);
	}
}

static void requests_come_in_order_and_can_be_taken(void)
{
	struct buf text = {0};
	for (int i = 0; i < DAP_QUEUE_MAX + 3; i++) {
		char *body = mem_printf("{\"seq\":%d,\"type\":\"request\",\"command\":\"pause\"}", i + 1), *framed = frame(body);
		buf_str(&text, framed);
		free(framed);
		free(body);
	}
	buf_str(&text, "Content-Length: 19\r\n\r\n{\"type\":\"response\"}");
	struct dap_client c = said(text.data, text.size);
	dap_client_hear(&c);
	CU_ASSERT_EQUAL(c.count, DAP_QUEUE_MAX);
	struct json *second = dap_client_take(&c, 1);
	CU_ASSERT_EQUAL(dap_number(second, "seq", 0), 2);
	json_destroy(second);
	uint64_t expected = 1;
	for (;;) {
		struct json *request = NULL;
		struct err err = {0};
		CU_ASSERT_TRUE_FATAL(dap_client_next(&c, NULL, &request, &err));
		if (!request)
			break;
		CU_ASSERT_EQUAL(dap_number(request, "seq", 0), expected);
		expected += expected == 1 ? 2 : 1;
		json_destroy(request);
	}
	CU_ASSERT_EQUAL(expected, DAP_QUEUE_MAX + 4);
	leave(&c);
	buf_free(&text);
}

static void answers_have_their_form(void)
{
	int fds[2];
	char bytes[1000] = {0};
	struct err err = {0};
	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	struct dap_client c = {.in = -1, .out = fds[1]};
	struct json *request = json_parse(hello, strlen(hello), "request", &err);
	dap_client_respond(&c, request, NULL, NULL);
	dap_client_respond(&c, request, "it cannot be", json_new_object());
	dap_client_event(&c, "stopped", NULL);
	close(fds[1]);
	CU_ASSERT(read(fds[0], bytes, sizeof bytes - 1) > 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(bytes,
		"{\"seq\":1,\"type\":\"response\",\"request_seq\":3,\"success\":true,\"command\":\"threads\",\"body\":{}}"));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		bytes, "\"success\":false,\"command\":\"threads\",\"message\":\"it cannot be\",\"body\":{\"error\":{\"id\":1,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(bytes, "{\"seq\":3,\"type\":\"event\",\"event\":\"stopped\",\"body\":{}}"));
	json_destroy(request);
	close(fds[0]);
	dap_client_finish(&c);
}

const struct test suite_dap_client[] = {
	{"cut anywhere, it left", cut_anywhere_it_left},
	{"what is no request ends it", what_is_no_request_ends_it},
	{"requests come in order and can be taken", requests_come_in_order_and_can_be_taken},
	{"answers have their form", answers_have_their_form},
	{0},
};
