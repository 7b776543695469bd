/* Different values that a checker has seen, numbered from 0 in the order they were first seen, so that what is said about them
 * does not depend on how they are found again. */
#ifndef ENGINE_CHECK_KEYS_H
#define ENGINE_CHECK_KEYS_H

#include <stddef.h>
#include <stdint.h>

#define CHECK_VALUES_MAX 1000000 /* of one property; then it is unknown */
#define CHECK_VALUE_MAX  256     /* bytes of one */
#define CHECK_KEYS_NONE  SIZE_MAX

struct check_keys;

struct check_keys *check_keys_create(void);
void check_keys_destroy(struct check_keys *k); /* NULL is fine */

size_t check_keys_count(const struct check_keys *k);
/* The number of a value that is there; CHECK_KEYS_NONE if it is not. */
size_t check_keys_find(const struct check_keys *k, const char *data, size_t size);
/* The same; a new value is added. CHECK_KEYS_NONE if that meets a limit. */
size_t check_keys_add(struct check_keys *k, const char *data, size_t size);
const char *check_keys_text(const struct check_keys *k, size_t number, size_t *ret_size);

#endif
