/* What a guest says is in a directory: names that were in it, in order, and a path that stays one. */
#include <string.h>

#include "engine/livecopy.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer answer = {.first_asking = size ? data[0] : 0};
	struct guestdir_list list;
	struct buf out = {0};
	struct err err = {0};
	buf_add(&answer.out, data, size);
	livecopy_names(size & 1 ? "/proc" : "/", &answer, &list);
	for (size_t i = 0; i < list.count; i++) {
		size_t length = strlen(list.entries[i].name);
		require(length <= size && !strchr(list.entries[i].name, '\n'));
		require(!i || strcmp(list.entries[i - 1].name, list.entries[i].name) <= 0);
	}
	guestdir_list_print(&list, &out);
	buf_clear(&out);
	char *path = mem_strn((const char *)data, size);
	if (!livecopy_path(path, size & 2 ? 7 : 0, &out, &err))
		require(err.code == ERR_INPUT && *err.text);
	free(path);
	buf_free(&out);
	guestdir_list_finish(&list);
	answer_finish(&answer);
	return 0;
}
