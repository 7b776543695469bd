/* Where one looks: windows of the timeline zoomed, moved and taken to another axis. */
#include "engine/lanes.h"

static uint64_t last_value(const struct timeline *t, enum lanes_axis axis)
{
	size_t count = timeline_count(t);
	return count ? scale_value(t, axis, count - 1) : 0;
}

struct lanes_window lanes_whole(const struct timeline *t, enum lanes_axis axis)
{
	return (struct lanes_window){axis, 0, last_value(t, axis)};
}

/* A window of this length, which starts at or near from, inside the run. */
static struct lanes_window placed(const struct timeline *t, enum lanes_axis axis, double from, uint64_t length)
{
	uint64_t last = last_value(t, axis);
	if (length > last)
		return lanes_whole(t, axis);
	uint64_t most = last - length;
	uint64_t start = from <= 0 ? 0 : from >= (double)most ? most : (uint64_t)from;
	return (struct lanes_window){axis, start, start + length};
}

struct lanes_window lanes_zoom(const struct timeline *t, struct lanes_window w, size_t around, double factor)
{
	uint64_t length = w.to - w.from;
	double wanted = (double)length * factor, last = (double)last_value(t, w.axis);
	/* From a single value there is no way back by multiplying; and a length that does not change is a key that does nothing.
	 */
	if (factor > 1 && wanted < (double)length + 2)
		wanted = (double)length + 2;
	uint64_t next = wanted >= last ? (uint64_t)last : (uint64_t)wanted;
	double centre = (double)w.from + (double)length / 2, share = 0.5;
	if (around < timeline_count(t)) {
		centre = (double)scale_value(t, w.axis, around);
		bool inside = centre >= (double)w.from && centre <= (double)w.to && length > 0;
		share = inside ? (centre - (double)w.from) / (double)length : 0.5;
	}
	return placed(t, w.axis, centre - share * (double)next, next);
}

struct lanes_window lanes_move(const struct timeline *t, struct lanes_window w, double share)
{
	uint64_t length = w.to - w.from;
	return placed(t, w.axis, (double)w.from + share * ((double)length + 1), length);
}

struct lanes_window lanes_reveal(const struct timeline *t, struct lanes_window w, size_t event)
{
	if (event >= timeline_count(t))
		return w;
	uint64_t value = scale_value(t, w.axis, event), length = w.to - w.from;
	if (value < w.from)
		return (struct lanes_window){w.axis, value, value + length};
	if (value > w.to)
		return (struct lanes_window){w.axis, value - length, value};
	return w;
}

struct lanes_window lanes_convert(const struct timeline *t, struct lanes_window w, enum lanes_axis axis)
{
	struct lanes_window whole = lanes_whole(t, w.axis);
	if (axis == w.axis)
		return w;
	if (timeline_count(t) == 0 || (w.from <= whole.from && w.to >= whole.to))
		return lanes_whole(t, axis);
	struct scale scale;
	scale_init(&scale, t, w, 1, false);
	size_t first = scale.first[0], end = scale.first[1];
	scale_finish(&scale);
	/* A window between two events becomes one that shows the event before it. */
	if (first == end)
		first = first > 0 ? first - 1 : 0;
	size_t last = end > first ? end - 1 : first;
	return (struct lanes_window){axis, scale_value(t, axis, first), scale_value(t, axis, last)};
}
