#include "engine/align.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

#define ANCHORS_FROM 1024     /* stretches of fewer elements go straight to the edit script */
#define CONTEXT      16       /* elements that together are rare, where single ones are not; a power of two */
#define EDITS_MAX    1024     /* most edits that half an edit script may have */
#define WORK_MAX     20000000 /* diagonals that all edit scripts together may try */
#define DEPTH_MAX    40       /* how often a stretch is cut in pieces */

#define NOBODY UINT32_MAX
#define MANY   (UINT32_MAX - 1)

/* A stretch that is still to be aligned. */
struct stretch {
	uint32_t a, a_end, b, b_end;
	uint32_t depth;
	bool no_rare; /* has no elements that are rare in both: do not look again */
};

/* One different element of a stretch of a, by its hash and, for repeated ones, which repetition it is. */
struct slot {
	uint64_t hash;
	uint32_t a; /* 1 + position, 0 for a free slot */
	uint32_t b; /* position, once seen in b; NOBODY before, MANY when there is no one partner (any more) */
};

struct pair {
	uint32_t a, b;
};

struct work {
	uint64_t *a, *b; /* the hashes */
	uint64_t *key;   /* room for both again, with context */
	uint32_t *match; /* partner in b of each of a, or NOBODY */
	struct stretch *todo;
	size_t todo_count, todo_room;
	struct slot *slots;
	size_t slot_room;
	struct pair *pairs;
	size_t pair_count, pair_room;
	int64_t *forward, *backward; /* furthest x of each diagonal */
	size_t tried;
	bool limit;
	bool (*cancelled)(void *data);
	void *data;
};

static void add_stretch(struct work *w, struct stretch s)
{
	if (s.a < s.a_end && s.b < s.b_end)
		ARRAY_PUSH(w->todo, w->todo_count, w->todo_room) = s;
}

/* Pairs the equal elements at both ends of a stretch and takes them off. */
static void trim(struct work *w, struct stretch *s)
{
	while (s->a < s->a_end && s->b < s->b_end && w->a[s->a] == w->b[s->b])
		w->match[s->a++] = s->b++;
	while (s->a < s->a_end && s->b < s->b_end && w->a[s->a_end - 1] == w->b[s->b_end - 1])
		w->match[--s->a_end] = --s->b_end;
}

/* -- anchors -- */

static size_t slots_clear(struct work *w, size_t elements)
{
	size_t count = 16;
	while (count < elements * 2)
		count *= 2;
	if (count > w->slot_room) {
		free(w->slots);
		w->slots = mem_array(count, sizeof *w->slots);
		w->slot_room = count;
	} else {
		memset(w->slots, 0, count * sizeof *w->slots);
	}
	return count - 1;
}

/* The slot of a hash, or the free one where it belongs. */
static struct slot *slot_of(const struct work *w, size_t mask, uint64_t hash)
{
	size_t i = (size_t)(hash ^ hash >> 31) & mask;
	while (w->slots[i].a && w->slots[i].hash != hash)
		i = (i + 1) & mask;
	return &w->slots[i];
}

/*
 * Keeps of w->pairs, which are in order of a, the longest subsequence that is in order of b too (patience sorting): each pile's
 * top is the smallest b that ends an ordered subsequence of that length.
 */
static void keep_ordered(struct work *w)
{
	size_t count = w->pair_count, piles = 0;
	uint32_t *top = mem_array(count, sizeof *top), *before = mem_array(count, sizeof *before);
	for (size_t i = 0; i < count; i++) {
		size_t low = 0, high = piles;
		if (piles > 0 && w->pairs[top[piles - 1]].b < w->pairs[i].b)
			low = piles;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (w->pairs[top[middle]].b < w->pairs[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low > 0 ? top[low - 1] : NOBODY;
		top[low] = (uint32_t)i;
		piles += low == piles;
	}
	/* top is read before it is overwritten from its end: it becomes the chain in order. */
	uint32_t at = piles > 0 ? top[piles - 1] : NOBODY;
	for (size_t i = piles; i-- > 0; at = before[at])
		top[i] = at;
	for (size_t i = 0; i < piles; i++)
		w->pairs[i] = w->pairs[top[i]];
	w->pair_count = piles;
	free(top);
	free(before);
}

/* list[0 .. count): each element's hash becomes that of itself and those after it, CONTEXT in all where there are so many. */
static void add_context(uint64_t *list, size_t count)
{
	for (size_t width = 1; width < CONTEXT; width *= 2)
		for (size_t i = 0; i + width < count; i++)
			list[i] = (list[i] ^ list[i] >> 29) * 0xbf58476d1ce4e5b9u + list[i + width];
}

/* Elements (with_context: sequences of them) that stand once in a and once in b. */
static void find_rare(struct work *w, const struct stretch *s, bool with_context)
{
	size_t n = s->a_end - s->a, m = s->b_end - s->b, mask = slots_clear(w, n);
	memcpy(w->key, w->a + s->a, n * sizeof *w->key);
	memcpy(w->key + n, w->b + s->b, m * sizeof *w->key);
	if (with_context) {
		add_context(w->key, n);
		add_context(w->key + n, m);
	}
	w->pair_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct slot *slot = slot_of(w, mask, w->key[i]);
		if (slot->a)
			slot->b = MANY;
		else
			*slot = (struct slot){.hash = w->key[i], .a = i + 1, .b = NOBODY};
	}
	for (uint32_t i = 0; i < m; i++) {
		struct slot *slot = slot_of(w, mask, w->key[n + i]);
		if (!slot->a)
			continue;
		slot->b = slot->b == NOBODY ? s->b + i : MANY;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct slot *slot = slot_of(w, mask, w->key[i]);
		if (slot->b < MANY && w->a[s->a + i] == w->b[slot->b])
			ARRAY_PUSH(w->pairs, w->pair_count, w->pair_room) = (struct pair){s->a + i, slot->b};
	}
}

/* Every element again, the n-th of its hash in a with the n-th in b: coarse, but never much work. */
static void find_nth(struct work *w, const struct stretch *s)
{
	uint32_t size = s->a_end - s->a;
	size_t mask = slots_clear(w, size);
	uint32_t *next = mem_array(size, sizeof *next); /* position of the next of the same hash in a, or NOBODY */
	w->pair_count = 0;
	/* From the end, so that a slot holds the first and the chain goes up. */
	for (uint32_t i = s->a_end; i-- > s->a;) {
		struct slot *slot = slot_of(w, mask, w->a[i]);
		next[i - s->a] = slot->a ? slot->a - 1 : NOBODY;
		slot->hash = w->a[i];
		slot->a = i + 1;
	}
	for (uint32_t i = s->a; i < s->a_end; i++)
		slot_of(w, mask, w->a[i])->b = NOBODY;
	uint32_t *partner = mem_array(size, sizeof *partner);
	memset(partner, 0xff, size * sizeof *partner);
	for (uint32_t i = s->b; i < s->b_end; i++) {
		struct slot *slot = slot_of(w, mask, w->b[i]);
		if (!slot->a || slot->b == MANY)
			continue;
		uint32_t here = slot->b == NOBODY ? slot->a - 1 : slot->b;
		partner[here - s->a] = i;
		slot->b = next[here - s->a] == NOBODY ? MANY : next[here - s->a]; /* used up, or the next */
	}
	for (uint32_t i = 0; i < size; i++)
		if (partner[i] != NOBODY)
			ARRAY_PUSH(w->pairs, w->pair_count, w->pair_room) = (struct pair){s->a + i, partner[i]};
	free(next);
	free(partner);
}

/* Pairs the anchors and leaves what is between them to do. False if there are none. */
static bool cut_at_anchors(struct work *w, const struct stretch *s)
{
	if (w->pair_count == 0)
		return false;
	keep_ordered(w);
	struct stretch gap = {.a = s->a, .b = s->b, .depth = s->depth + 1};
	for (size_t i = 0; i < w->pair_count; i++) {
		gap.a_end = w->pairs[i].a;
		gap.b_end = w->pairs[i].b;
		add_stretch(w, gap);
		w->match[gap.a_end] = gap.b_end;
		gap.a = gap.a_end + 1;
		gap.b = gap.b_end + 1;
	}
	gap.a_end = s->a_end;
	gap.b_end = s->b_end;
	add_stretch(w, gap);
	return true;
}

/* -- edit scripts (Myers, "An O(ND) Difference Algorithm", 1986, section 4b) -- */

/* Diagonals x - y that a search may reach without leaving the rectangle. */
struct diagonals {
	int64_t low, high;   /* those reached so far */
	int64_t least, most; /* those there are */
};

/* One more edit: the range grows at each end, or shrinks where the rectangle ends. outside marks a diagonal not reached. */
static void widen(struct diagonals *d, int64_t *reach, int64_t outside)
{
	if (d->low > d->least)
		reach[--d->low - 1] = outside;
	else
		d->low++;
	if (d->high < d->most)
		reach[++d->high + 1] = outside;
	else
		d->high--;
}

/*
 * A point on a shortest edit script of the stretch, about in its middle, where searches from both ends meet. False when they
 * have not met within EDITS_MAX edits each. Diagonals are counted from that of the start (forward) or the end (backward).
 */
static bool find_middle(struct work *w, const struct stretch *s, uint32_t *ret_a, uint32_t *ret_b)
{
	const uint64_t *a = w->a + s->a, *b = w->b + s->b;
	int64_t n = s->a_end - s->a, m = s->b_end - s->b, delta = n - m;
	int64_t *forward = w->forward + EDITS_MAX + 2, *backward = w->backward + EDITS_MAX + 2;
	struct diagonals f = {0, 0, -m, n}, r = {0, 0, -m - delta, n - delta};
	bool odd = delta & 1;
	forward[0] = 0;
	backward[0] = n;
	/* The ends differ (trim), so without an edit neither search gets anywhere. */
	for (int64_t edits = 1; edits <= EDITS_MAX; edits++) {
		widen(&f, forward, -1);
		for (int64_t k = f.high; k >= f.low; k -= 2) {
			int64_t x = forward[k - 1] >= forward[k + 1] ? forward[k - 1] + 1 : forward[k + 1];
			for (; x < n && x - k < m && a[x] == b[x - k]; x++)
				continue;
			forward[k] = x;
			if (odd && k - delta >= r.low && k - delta <= r.high && backward[k - delta] <= x)
				return *ret_a = s->a + (uint32_t)x, *ret_b = s->b + (uint32_t)(x - k), true;
		}
		widen(&r, backward, INT64_MAX);
		for (int64_t k = r.high; k >= r.low; k -= 2) {
			int64_t x = backward[k - 1] < backward[k + 1] ? backward[k - 1] : backward[k + 1] - 1;
			int64_t diagonal = k + delta;
			for (; x > 0 && x - diagonal > 0 && a[x - 1] == b[x - diagonal - 1]; x--)
				continue;
			backward[k] = x;
			if (!odd && diagonal >= f.low && diagonal <= f.high && x <= forward[diagonal])
				return *ret_a = s->a + (uint32_t)x, *ret_b = s->b + (uint32_t)(x - diagonal), true;
		}
		w->tried += (size_t)(f.high - f.low + r.high - r.low) + 1;
		if (w->tried > WORK_MAX)
			return false;
	}
	return false;
}

static bool cut_in_middle(struct work *w, const struct stretch *s)
{
	uint32_t a, b;
	if (w->tried > WORK_MAX || !find_middle(w, s, &a, &b))
		return false;
	add_stretch(w, (struct stretch){s->a, a, s->b, b, s->depth + 1, s->no_rare});
	add_stretch(w, (struct stretch){a, s->a_end, b, s->b_end, s->depth + 1, s->no_rare});
	return true;
}

/* -- all together -- */

static void align_stretch(struct work *w, struct stretch s)
{
	trim(w, &s);
	if (s.a == s.a_end || s.b == s.b_end)
		return;
	if (s.depth >= DEPTH_MAX) {
		w->limit = true;
		return;
	}
	if (!s.no_rare && (s.a_end - s.a) + (s.b_end - s.b) >= ANCHORS_FROM) {
		find_rare(w, &s, false);
		if (cut_at_anchors(w, &s))
			return;
		find_rare(w, &s, true);
		if (cut_at_anchors(w, &s))
			return;
		s.no_rare = true;
	}
	if (cut_in_middle(w, &s))
		return;
	w->limit = true; /* the best alignment of this stretch is not known any more, only a fair one */
	find_nth(w, &s);
	cut_at_anchors(w, &s);
}

static void make_runs(const struct work *w, uint32_t a_count, uint32_t b_count, struct align *ret)
{
	size_t room = 0;
	uint32_t a = 0, b = 0;
	while (a < a_count || b < b_count) {
		struct align_run run = {.a = a, .b = b};
		run.same = a < a_count && w->match[a] == b;
		if (run.same) {
			while (a < a_count && w->match[a] == b)
				a++, b++;
			ret->same += a - run.a;
		} else {
			while (a < a_count && w->match[a] == NOBODY)
				a++;
			b = a < a_count ? w->match[a] : b_count;
		}
		run.a_count = a - run.a;
		run.b_count = b - run.b;
		ARRAY_PUSH(ret->runs, ret->count, room) = run;
	}
}

static uint64_t *hashes(const struct align_side *side)
{
	uint64_t *list = mem_array(side->count, sizeof *list);
	const char *at = side->first;
	for (size_t i = 0; i < side->count; i++, at += side->stride)
		memcpy(&list[i], at, sizeof *list);
	return list;
}

struct align *align_create(const struct align_side *a, const struct align_side *b, bool (*cancelled)(void *data), void *data)
{
	struct work w = {.cancelled = cancelled, .data = data, .a = hashes(a), .b = hashes(b)};
	w.key = mem_array(a->count + b->count, sizeof *w.key);
	w.match = mem_array(a->count, sizeof *w.match);
	memset(w.match, 0xff, a->count * sizeof *w.match);
	w.forward = mem_array(2 * EDITS_MAX + 5, sizeof *w.forward);
	w.backward = mem_array(2 * EDITS_MAX + 5, sizeof *w.backward);
	struct stretch whole = {.a_end = (uint32_t)a->count, .b_end = (uint32_t)b->count};
	add_stretch(&w, whole);
	bool stopped = false;
	for (size_t i = 0; w.todo_count > 0 && !stopped; i++) {
		align_stretch(&w, w.todo[--w.todo_count]);
		stopped = i % 64 == 0 && cancelled && cancelled(data);
	}
	struct align *ret = NULL;
	if (!stopped) {
		ret = mem_alloc(sizeof *ret);
		ret->work_limit = w.limit;
		make_runs(&w, (uint32_t)a->count, (uint32_t)b->count, ret);
	}
	free(w.a);
	free(w.b);
	free(w.key);
	free(w.match);
	free(w.todo);
	free(w.slots);
	free(w.pairs);
	free(w.forward);
	free(w.backward);
	return ret;
}

void align_destroy(struct align *align)
{
	if (!align)
		return;
	free(align->runs);
	free(align);
}
