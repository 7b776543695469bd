#include "engine/bookmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/json.h"
#include "engine/text.h"

static size_t place(const struct bookmarks *b, const char *name)
{
	size_t i = 0;
	while (i < b->count && strcmp(b->list[i].name, name) < 0)
		i++;
	return i;
}

const struct bookmark *bookmarks_find(const struct bookmarks *b, const char *name)
{
	size_t i = place(b, name);
	return i < b->count && !strcmp(b->list[i].name, name) ? &b->list[i] : NULL;
}

static bool put(struct bookmarks *b, const char *name, uint64_t icount, struct err *err)
{
	size_t i = place(b, name);
	if (!text_is_name(name, BOOKMARKS_NAME_MAX))
		return err_set(err, ERR_USAGE,
			"'%.80s' is no name for a bookmark: expected lower-case letters, digits, - _ and .", name);
	if (bookmarks_find(b, name)) {
		b->list[i].icount = icount;
		return true;
	}
	if (b->count == BOOKMARKS_MAX)
		return err_set(err, ERR_USAGE, "there are %d bookmarks already", BOOKMARKS_MAX);
	(void)ARRAY_PUSH(b->list, b->count, b->room);
	memmove(b->list + i + 1, b->list + i, (b->count - 1 - i) * sizeof *b->list);
	b->list[i] = (struct bookmark){.icount = icount};
	memcpy(b->list[i].name, name, strlen(name) + 1);
	return true;
}

void bookmarks_write(const struct bookmarks *b, struct buf *out)
{
	struct json *j = json_new_object(), *list = json_new_object();
	json_put_u64(j, "polecat_bookmarks", 1);
	for (size_t i = 0; i < b->count; i++)
		json_put_u64(list, b->list[i].name, b->list[i].icount);
	json_put(j, "bookmarks", list);
	json_write_pretty(j, out);
	json_destroy(j);
}

bool bookmarks_parse(struct bookmarks *b, const char *bytes, size_t size, struct err *err)
{
	uint64_t version = 0;
	const struct json *list;
	b->count = 0;
	struct json *j = json_parse(bytes, size, "bookmarks", err);
	bool ok = j && json_get_u64(j, "polecat_bookmarks", &version, err) &&
		(version == 1 ||
			err_set(err, ERR_INPUT, "bookmarks: version %llu: this polecat knows 1", (unsigned long long)version)) &&
		json_get(j, "bookmarks", JSON_OBJECT, &list, err);
	for (size_t i = 0; ok && i < json_count(list); i++) {
		const char *name;
		uint64_t icount = 0;
		const struct json *value = json_member_at(list, i, &name);
		ok = json_as_u64(value, name, &icount, err) && put(b, name, icount, err);
	}
	json_destroy(j);
	if (!ok)
		b->count = 0;
	return ok;
}

bool bookmarks_load(struct bookmarks *b, const char *run, struct err *err)
{
	*b = (struct bookmarks){.dir = -1};
	char *state = file_state_dir(err);
	int top = state ? file_open_dir(state, err) : -1;
	free(state);
	if (top < 0)
		return false;
	b->dir = file_mkdir_in(top, "bookmarks", err);
	close(top);
	b->file = mem_printf("%s.json", run);
	struct buf text = {0};
	int fd = b->dir >= 0 ? file_open_in(b->dir, b->file, O_RDONLY, NULL) : -1;
	bool ok = b->dir >= 0;
	if (fd >= 0) {
		ok = file_read_fd(fd, b->file, BOOKMARKS_FILE_MAX, &text, err) && bookmarks_parse(b, text.data, text.size, err);
		close(fd);
	} else if (ok && errno != ENOENT) {
		ok = err_sys(err, errno, "opening the bookmarks %s", b->file);
	}
	buf_free(&text);
	return ok;
}

void bookmarks_finish(struct bookmarks *b)
{
	if (b->dir >= 0)
		close(b->dir);
	free(b->file);
	free(b->list);
	*b = (struct bookmarks){.dir = -1};
}

static bool save(const struct bookmarks *b, struct err *err)
{
	struct buf text = {0};
	if (b->dir < 0)
		return err_set(err, ERR_SYSTEM, "there is no directory to save bookmarks in");
	bookmarks_write(b, &text);
	bool ok = file_write_in(b->dir, b->file, text.data, text.size, err);
	buf_free(&text);
	return ok;
}

bool bookmarks_set(struct bookmarks *b, const char *name, uint64_t icount, struct err *err)
{
	return put(b, name, icount, err) && save(b, err);
}

bool bookmarks_remove(struct bookmarks *b, const char *name, struct err *err)
{
	size_t i = place(b, name);
	if (!bookmarks_find(b, name))
		return err_set(err, ERR_INPUT, "there is no bookmark '%.80s'", name);
	b->count--;
	memmove(b->list + i, b->list + i + 1, (b->count - i) * sizeof *b->list);
	return save(b, err);
}
