/* JSON values: parse with the place of an error, getters that say what was expected, a canonical writer.
 * The only file that includes json-c. */
#ifndef ENGINE_JSON_H
#define ENGINE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/buf.h"
#include "engine/err.h"

#define JSON_DEPTH_MAX 64

/* A value is owned by the object or array it was put into; the root by its creator. Reading functions give borrowed
 * pointers, valid until the root is destroyed. */
struct json;

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* Parses exactly one object or array; only white space may follow. name says in errors what the bytes are ("manifest.json").
 * NULL with ERR_INPUT and "name:LINE:COLUMN: ..." on anything else: also invalid UTF-8, numbers that are not finite and text
 * deeper than JSON_DEPTH_MAX. Of doubled keys the last counts. */
struct json *json_parse(const char *bytes, size_t size, const char *name, struct err *err);
void json_destroy(struct json *j);

enum json_kind json_kind(const struct json *j); /* NULL is JSON_NULL */
const char *json_kind_name(enum json_kind type);

/* Member of an object, or NULL if it is absent (or j is no object). */
const struct json *json_member(const struct json *j, const char *key);
size_t json_count(const struct json *j); /* elements of an array, members of an object, else 0 */
const struct json *json_at(const struct json *array, size_t index);
/* The index-th member in the order it was written. Returns its value; *key is borrowed. */
const struct json *json_member_at(const struct json *object, size_t index, const char **key);

/* Values. False with ERR_INPUT if the type is another; `what` names the value in the sentence ("events[3].icount"). */
bool json_as_str(const struct json *j, const char *what, const char **out, size_t *size, struct err *err);
bool json_as_u64(const struct json *j, const char *what, uint64_t *out, struct err *err);
bool json_as_i64(const struct json *j, const char *what, int64_t *out, struct err *err);
bool json_as_real(const struct json *j, const char *what, double *out, struct err *err);
bool json_as_bool(const struct json *j, const char *what, bool *out, struct err *err);

/* Members that must be there, with the type. The string has no NUL byte inside. */
bool json_get_str(const struct json *object, const char *key, const char **out, struct err *err);
bool json_get_u64(const struct json *object, const char *key, uint64_t *out, struct err *err);
bool json_get_i64(const struct json *object, const char *key, int64_t *out, struct err *err);
bool json_get_bool(const struct json *object, const char *key, bool *out, struct err *err);
bool json_get(const struct json *object, const char *key, enum json_kind type, const struct json **out, struct err *err);
/* Fails, naming it, if object has a member that is not in the NULL-terminated list. */
bool json_only(const struct json *object, const char *const *keys, struct err *err);

/* Building. json_put_* replace a member of that name; a value given to json_put or json_push is owned by its new parent. */
struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_str(const char *text);
struct json *json_new_strn(const char *text, size_t size);
struct json *json_new_u64(uint64_t value);
struct json *json_new_i64(int64_t value);
struct json *json_new_real(double value);
struct json *json_new_bool(bool value);
struct json *json_new_null(void);
void json_put(struct json *object, const char *key, struct json *value);
void json_put_str(struct json *object, const char *key, const char *text); /* NULL puts null */
void json_put_u64(struct json *object, const char *key, uint64_t value);
void json_put_i64(struct json *object, const char *key, int64_t value);
void json_put_bool(struct json *object, const char *key, bool value);
void json_push(struct json *array, struct json *value);
struct json *json_copy(const struct json *j);

/* One line without white space, members in the order they were put, control characters escaped. The same value always
 * gives the same bytes. */
void json_write(const struct json *j, struct buf *out);
/* The same with two-space indentation and a final newline, for files that people read. */
void json_write_pretty(const struct json *j, struct buf *out);
/* Canonical: as json_write, with the members of each object in byte order of their names. */
void json_write_canonical(const struct json *j, struct buf *out);
/* Appends text as a JSON string with quotes; bytes that are not UTF-8 become U+FFFD. */
void json_quote(struct buf *out, const char *text, size_t size);

#endif
