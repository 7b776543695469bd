/*
 * A few types in the format of .BTF (Linux, Documentation/bpf/btf.rst), made by hand:
 *
 *	typedef int number;
 *	struct inner { int a; union { int b; const number c[4]; }; };
 *	struct orc_entry { int end; };
 *	struct outer { unsigned low : 3; unsigned high : 7; struct inner in[2]; struct outer *self; };
 */
#ifndef TESTS_UNIT_SAMPLE_BTF_H
#define TESTS_UNIT_SAMPLE_BTF_H

#include <stdint.h>
#include <string.h>

#include "engine/buf.h"

enum { BTF_INT = 1, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_TYPEDEF = 8, BTF_CONST = 10 };

struct sample_btf {
	struct buf types, strings;
};

static inline void sample_word(struct buf *b, uint32_t word)
{
	buf_add(b, &word, sizeof word);
}

static inline uint32_t sample_name(struct sample_btf *s, const char *name)
{
	uint32_t at = (uint32_t)s->strings.size;
	buf_add(&s->strings, name, strlen(name) + 1);
	return *name ? at : 0;
}

static inline void sample_type(
	struct sample_btf *s, const char *name, uint32_t kind, uint32_t count, uint32_t has_bits, uint32_t size)
{
	sample_word(&s->types, sample_name(s, name));
	sample_word(&s->types, has_bits << 31 | kind << 24 | count);
	sample_word(&s->types, size);
}

static inline void sample_member(struct sample_btf *s, const char *name, uint32_t type, uint32_t bits, uint32_t bit_size)
{
	sample_word(&s->types, sample_name(s, name));
	sample_word(&s->types, type);
	sample_word(&s->types, bit_size << 24 | bits);
}

/* The caller frees what is returned with buf_free. */
static inline struct buf sample_btf(void)
{
	struct sample_btf s = {0};
	struct buf all = {0};
	sample_name(&s, "");
	buf_clear(&s.strings);
	buf_char(&s.strings, 0);
	sample_type(&s, "int", BTF_INT, 0, 0, 4); /* 1 */
	sample_word(&s.types, 1u << 24 | 32);
	sample_type(&s, "number", BTF_TYPEDEF, 0, 0, 1); /* 2 */
	sample_type(&s, "", BTF_CONST, 0, 0, 2);         /* 3 */
	sample_type(&s, "", BTF_ARRAY, 0, 0, 0);         /* 4 */
	sample_word(&s.types, 3);
	sample_word(&s.types, 1);
	sample_word(&s.types, 4);
	sample_type(&s, "", BTF_UNION, 2, 0, 16); /* 5 */
	sample_member(&s, "b", 1, 0, 0);
	sample_member(&s, "c", 4, 0, 0);
	sample_type(&s, "inner", BTF_STRUCT, 2, 0, 20); /* 6 */
	sample_member(&s, "a", 1, 0, 0);
	sample_member(&s, "", 5, 32, 0);
	sample_type(&s, "", BTF_ARRAY, 0, 0, 0); /* 7 */
	sample_word(&s.types, 6);
	sample_word(&s.types, 1);
	sample_word(&s.types, 2);
	sample_type(&s, "", BTF_PTR, 0, 0, 9);          /* 8 */
	sample_type(&s, "outer", BTF_STRUCT, 4, 1, 56); /* 9 */
	sample_member(&s, "low", 1, 0, 3);
	sample_member(&s, "high", 1, 3, 7);
	sample_member(&s, "in", 7, 32, 0);
	sample_member(&s, "self", 8, 384, 0);
	sample_type(&s, "orc_entry", BTF_STRUCT, 1, 0, 8); /* 10 */
	sample_member(&s, "end", 1, 0, 0);
	const uint16_t magic = 0xeb9f;
	buf_add(&all, &magic, 2);
	buf_add(&all, "\1\0", 2);
	sample_word(&all, 24);
	sample_word(&all, 0);
	sample_word(&all, (uint32_t)s.types.size);
	sample_word(&all, (uint32_t)s.types.size);
	sample_word(&all, (uint32_t)s.strings.size);
	buf_add(&all, s.types.data, s.types.size);
	buf_add(&all, s.strings.data, s.strings.size);
	buf_free(&s.types);
	buf_free(&s.strings);
	return all;
}

#endif
