#include "tui/layout.h"

#include "unit.h"

/* Parts lie inside, in order, and do not overlap, whatever the size. */
static void always_inside(void)
{
	static const struct layout_part parts[4] = {{1, 1, 0, 2}, {4, 9, 3, 1}, {3, 0, 2, 0}, {1, 1, 0, 3}};
	for (int size = 0; size < 220; size++)
		for (int gap = 0; gap < 2; gap++) {
			struct rect r[4];
			int end = 7, used = 0, shown = 0;
			layout_columns((struct rect){7, 3, size, 5}, gap, parts, 4, r);
			for (int i = 0; i < 4; i++) {
				CU_ASSERT_TRUE(r[i].w >= 0 && r[i].h == 5 && r[i].y == 3);
				if (r[i].w == 0)
					continue;
				CU_ASSERT_TRUE(r[i].x >= end);
				CU_ASSERT_TRUE(parts[i].max == 0 || r[i].w <= parts[i].max);
				end = r[i].x + r[i].w;
				used += r[i].w;
				shown++;
			}
			CU_ASSERT_TRUE(end <= 7 + size || shown == 0);
			if (size > 0) /* the third part has no limit: nothing is left over */
				CU_ASSERT_EQUAL(used + (shown > 1 ? (shown - 1) * gap : 0), size);
		}
}

static void gives_way_in_order(void)
{
	static const struct layout_part parts[3] = {{10, 0, 1, 0}, {10, 0, 1, 2}, {10, 0, 1, 1}};
	struct rect r[3];
	layout_rows((struct rect){0, 0, 1, 30}, 0, parts, 3, r);
	CU_ASSERT_TRUE(r[0].h == 10 && r[1].h == 10 && r[2].h == 10);
	layout_rows((struct rect){0, 0, 1, 29}, 0, parts, 3, r);
	CU_ASSERT_TRUE(r[0].h > 0 && r[1].h == 0 && r[2].h > 0);
	layout_rows((struct rect){0, 0, 1, 19}, 0, parts, 3, r);
	CU_ASSERT_TRUE(r[0].h == 19 && r[1].h == 0 && r[2].h == 0);
	layout_rows((struct rect){0, 0, 1, 3}, 0, parts, 3, r);
	CU_ASSERT_EQUAL(r[0].h, 3);
}

static void cuts(void)
{
	struct rect r = {0, 0, 10, 4};
	struct rect top = rect_cut_top(&r, 9);
	CU_ASSERT_TRUE(top.h == 4 && r.h == 0);
	r = (struct rect){2, 2, 3, 3};
	struct rect bottom = rect_cut_bottom(&r, 1);
	CU_ASSERT_TRUE(bottom.y == 4 && r.h == 2);
	CU_ASSERT_EQUAL(rect_both((struct rect){0, 0, 2, 2}, (struct rect){5, 5, 2, 2}).w, 0);
	CU_ASSERT_EQUAL(rect_row(r, 7).w, 0);
}

const struct test suite_tui_layout[] = {
	{"parts lie inside, in order, and fill the room, from 0 to 219 cells", always_inside},
	{"parts give way in the stated order", gives_way_in_order},
	{"cutting never goes outside", cuts},
	{0},
};
