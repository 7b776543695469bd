/* A kernel symbol table as Linux's scripts/kallsyms.c would write it, with tokens for single characters and a few pairs. */
#ifndef TESTS_UNIT_SAMPLE_KALLSYMS_H
#define TESTS_UNIT_SAMPLE_KALLSYMS_H

#include <stdio.h>
#include <stdint.h>
#include <string.h>

#include "engine/buf.h"

#define SAMPLE_SYMBOLS 300
#ifndef SAMPLE_BASE
#define SAMPLE_BASE UINT64_C(0xffffffff81000000)
#endif
#ifndef SAMPLE_NAMED
#define SAMPLE_NAMED(i) NULL /* its type and name; NULL: as all are called */
#endif
#define SAMPLE_PAIR 128 /* token that stands for "fn" */

static inline void sample_align(struct buf *b)
{
	while (b->size % 8)
		buf_char(b, 0);
}

/* Symbol i: its type and name. The first two are per-CPU, the last two lie at one address. */
static inline void sample_symbol(uint32_t i, char name[40], int64_t *ret_offset)
{
	*ret_offset = i < 2 ? (int64_t)i * 64 : -1 - (int64_t)(i == SAMPLE_SYMBOLS - 1 ? i - 1 : i) * 16;
	const char *own = SAMPLE_NAMED(i);
	if (own)
		snprintf(name, 40, "%s", own);
	else
		snprintf(name, 40, i < 2 ? "Acpu%u" : i == SAMPLE_SYMBOLS - 1 ? "T_end" : "tfn_%u", i);
}

enum sample_order { SAMPLE_OLD, SAMPLE_SEQUENCES, SAMPLE_NEW };

static inline void sample_offsets(struct buf *b)
{
	char name[40];
	int64_t offset;
	uint64_t base = SAMPLE_BASE;
	for (uint32_t i = 0; i < SAMPLE_SYMBOLS; i++) {
		sample_symbol(i, name, &offset);
		int32_t word = (int32_t)offset;
		buf_add(b, &word, 4);
	}
	sample_align(b);
	buf_add(b, &base, 8);
}

static inline struct buf sample_kallsyms(enum sample_order order)
{
	struct buf b = {0}, tokens = {0};
	uint32_t markers[(SAMPLE_SYMBOLS + 255) / 256], count = SAMPLE_SYMBOLS, zero = 0;
	uint16_t index[256];
	char name[40];
	int64_t offset;
	buf_str(&b, "16 other bytes..");
	if (order != SAMPLE_NEW)
		sample_offsets(&b);
	buf_add(&b, &count, 4);
	buf_add(&b, &zero, 4);
	size_t start = b.size;
	for (uint32_t i = 0; i < count; i++) {
		if (i % 256 == 0)
			markers[i / 256] = (uint32_t)(b.size - start);
		sample_symbol(i, name, &offset);
		char *pair = strstr(name, "fn");
		if (pair) {
			*pair = (char)SAMPLE_PAIR;
			memmove(pair + 1, pair + 2, strlen(pair + 2) + 1);
		}
		buf_char(&b, (char)strlen(name));
		buf_str(&b, name);
	}
	sample_align(&b);
	buf_add(&b, markers, sizeof markers);
	sample_align(&b);
	for (uint32_t i = 0; order == SAMPLE_SEQUENCES && i < count * 3; i++)
		buf_char(&b, (char)i);
	sample_align(&b);
	for (int t = 0; t < 256; t++) {
		index[t] = (uint16_t)tokens.size;
		if (t == SAMPLE_PAIR)
			buf_str(&tokens, "fn");
		else if (t >= ' ' && t < 127)
			buf_char(&tokens, (char)t);
		else
			buf_str(&tokens, "??");
		buf_char(&tokens, 0);
	}
	buf_add(&b, tokens.data, tokens.size);
	sample_align(&b);
	buf_add(&b, index, sizeof index);
	if (order == SAMPLE_NEW)
		sample_offsets(&b);
	buf_str(&b, "the end");
	buf_free(&tokens);
	return b;
}

#endif
