#include <stdlib.h>
#include "engine/align.h"
#include "engine/buf.h"
#include "unit.h"

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

static struct align_side side(const uint64_t *list, size_t count)
{
	return (struct align_side){list, sizeof *list, count};
}

/* The runs cover both sides in order, alternate, and the same ones are. Returns how many elements have partners. */
static size_t covered(const struct align *align, const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	size_t at_a = 0, at_b = 0, same = 0;
	bool good = true;
	for (size_t i = 0; i < align->count; i++) {
		const struct align_run *r = &align->runs[i];
		good &= r->a == at_a && r->b == at_b && r->a_count + r->b_count > 0;
		good &= i == 0 || r->same != align->runs[i - 1].same;
		good &= !r->same || r->a_count == r->b_count;
		for (size_t k = 0; r->same && k < r->a_count; k++)
			good &= a[r->a + k] == b[r->b + k];
		same += r->same ? r->a_count : 0;
		at_a += r->a_count;
		at_b += r->b_count;
	}
	CU_ASSERT_TRUE(good);
	CU_ASSERT_EQUAL(at_a, n);
	CU_ASSERT_EQUAL(at_b, m);
	CU_ASSERT_EQUAL(same, align->same);
	return same;
}

static size_t aligned(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	struct align_side x = side(a, n), y = side(b, m);
	struct align *align = align_create(&x, &y, NULL, NULL);
	size_t same = covered(align, a, n, b, m);
	align_destroy(align);
	return same;
}

/* Length of the longest common subsequence, the long way. */
static size_t longest(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	size_t *row = mem_array(m + 1, sizeof *row);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0, diagonal = 0; j < m; j++) {
			size_t up = row[j + 1];
			if (a[i] == b[j])
				row[j + 1] = diagonal + 1;
			else if (row[j] > up)
				row[j + 1] = row[j];
			diagonal = up;
		}
	size_t length = row[m];
	free(row);
	return length;
}

static void short_ones_are_shortest_edit_scripts(void)
{
	uint32_t state = 1;
	uint64_t a[24], b[24];
	for (int round = 0; round < 20000; round++) {
		size_t n = random_next(&state) % 25, m = random_next(&state) % 25;
		uint32_t letters = 1 + random_next(&state) % 6;
		for (size_t i = 0; i < n; i++)
			a[i] = random_next(&state) % letters;
		for (size_t i = 0; i < m; i++)
			b[i] = random_next(&state) % letters;
		if (aligned(a, n, b, m) != longest(a, n, b, m)) {
			CU_FAIL("not a longest common subsequence");
			return;
		}
	}
}

static void empty_and_equal_sides(void)
{
	uint64_t a[] = {1, 2, 3};
	CU_ASSERT_EQUAL(aligned(a, 0, a, 0), 0);
	CU_ASSERT_EQUAL(aligned(a, 3, a, 0), 0);
	CU_ASSERT_EQUAL(aligned(a, 0, a, 3), 0);
	struct align_side x = side(a, 3);
	struct align *align = align_create(&x, &x, NULL, NULL);
	CU_ASSERT_EQUAL(align->count, 1);
	CU_ASSERT_TRUE(align->runs[0].same);
	align_destroy(align);
}

/* a, with some elements left out and others put in. */
static size_t edited(const uint64_t *a, size_t n, uint64_t *b, uint32_t one_in, uint32_t seed, size_t *ret_kept)
{
	size_t m = 0;
	uint64_t fresh = 1u << 30;
	*ret_kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t dice = random_next(&seed) % one_in;
		if (dice == 0)
			continue;
		if (dice == 1)
			b[m++] = fresh++;
		b[m++] = a[i];
		++*ret_kept;
	}
	return m;
}

static void long_ones_with_rare_elements_keep_what_was_kept(void)
{
	enum { N = 60000 };
	uint64_t *a = mem_array(N, sizeof *a), *b = mem_array(2 * N, sizeof *b);
	for (size_t i = 0; i < N; i++)
		a[i] = i % 3 ? i : 7; /* a third of them is the same line again and again */
	size_t kept, m = edited(a, N, b, 50, 3, &kept);
	CU_ASSERT_TRUE(aligned(a, N, b, m) >= kept);
	free(a);
	free(b);
}

static void without_rare_elements_it_is_still_fair_and_quick(void)
{
	enum { N = 60000 };
	uint64_t *a = mem_array(N, sizeof *a), *b = mem_array(2 * N, sizeof *b);
	uint32_t state = 9;
	for (size_t i = 0; i < N; i++)
		a[i] = random_next(&state) % 4;
	size_t kept, m = edited(a, N, b, 20, 5, &kept);
	CU_ASSERT_TRUE(aligned(a, N, b, m) > kept / 2);
	/* Nothing in common, and the same elements backwards. */
	for (size_t i = 0; i < N; i++)
		b[i] = 1000 + i;
	CU_ASSERT_EQUAL(aligned(a, N, b, N), 0);
	for (size_t i = 0; i < N; i++)
		a[N - 1 - i] = 1000 + i;
	CU_ASSERT_EQUAL(aligned(a, N, b, N), 1);
	free(a);
	free(b);
}

static void stride_is_obeyed(void)
{
	struct record {
		uint64_t other, hash;
	} a[] = {{1, 10}, {2, 20}, {3, 30}}, b[] = {{9, 10}, {9, 30}};
	struct align_side x = {&a[0].hash, sizeof a[0], 3}, y = {&b[0].hash, sizeof b[0], 2};
	struct align *align = align_create(&x, &y, NULL, NULL);
	CU_ASSERT_EQUAL(align->same, 2);
	CU_ASSERT_EQUAL(align->count, 3);
	CU_ASSERT_EQUAL(align->runs[1].a_count, 1);
	CU_ASSERT_EQUAL(align->runs[1].b_count, 0);
	align_destroy(align);
}

static bool always(void *data)
{
	++*(int *)data;
	return true;
}

static void cancelled_gives_nothing(void)
{
	uint64_t a[] = {1, 2, 3}, b[] = {3, 2, 1};
	struct align_side x = side(a, 3), y = side(b, 3);
	int asked = 0;
	CU_ASSERT_PTR_NULL(align_create(&x, &y, always, &asked));
	CU_ASSERT_TRUE(asked > 0);
}

const struct test suite_align[] = {
	{"short ones are shortest edit scripts", short_ones_are_shortest_edit_scripts},
	{"empty and equal sides", empty_and_equal_sides},
	{"long ones with rare elements keep what was kept", long_ones_with_rare_elements_keep_what_was_kept},
	{"without rare elements it is still fair and quick", without_rare_elements_it_is_still_fair_and_quick},
	{"stride is obeyed", stride_is_obeyed},
	{"cancelled gives nothing", cancelled_gives_nothing},
	{0},
};
