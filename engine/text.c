#include "engine/text.h"

#include <string.h>

/* ---- quantities ------------------------------------------------------------------------------------------ */

struct suffix {
	const char *text;
	uint64_t factor;
};

#define NS_PER_S UINT64_C(1000000000)

/* Each list grows, and ends with a row of zeros. The first row is what a quantity is counted in. */
static const struct suffix number_suffixes[] = {{"", 1}, {0}};
static const struct suffix duration_suffixes[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", NS_PER_S}, {"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}, {0}};
static const struct suffix size_suffixes[] = {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {0}};
static const struct suffix count_suffixes[] = {
	{"", 1}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", UINT64_C(1000000000000)}, {0}};

static const struct {
	const struct suffix *suffixes;
	const char *expected;
	const char *largest_written; /* people read "90s" more easily than "1.5m" */
} units[] = {
	[TEXT_NUMBER] = {number_suffixes, "a whole number such as 3", ""},
	[TEXT_DURATION] = {duration_suffixes, "a duration such as 50ms, 1.5s or 2m", "s"},
	[TEXT_SIZE] = {size_suffixes, "a size such as 512KiB or 64MiB", "GiB"},
	[TEXT_COUNT] = {count_suffixes, "a count such as 200000 or 20G", "T"},
};

const char *text_unit_expected(enum text_unit unit)
{
	return units[unit].expected;
}

/* *value = *value * factor + more, or false. */
static bool grow(uint64_t *value, uint64_t factor, uint64_t more)
{
	if (factor && *value > UINT64_MAX / factor)
		return false;
	if (*value * factor > UINT64_MAX - more)
		return false;
	*value = *value * factor + more;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Digits after the point, as a part of factor: exact or not at all. */
static bool read_fraction(const char *digits, size_t count, uint64_t factor, uint64_t *ret)
{
	uint64_t numerator = 0, denominator = 1;

	if (count == 0 || count > 18)
		return false;
	for (size_t i = 0; i < count; i++) {
		numerator = 10 * numerator + (uint64_t)(digits[i] - '0');
		denominator *= 10;
	}
	uint64_t common = common_divisor(denominator, factor);
	if (numerator % (denominator / common) != 0)
		return false;
	*ret = numerator / (denominator / common) * (factor / common); /* less than factor, as the fraction is less than 1 */
	return true;
}

static const struct suffix *find_suffix(enum text_unit unit, const char *text)
{
	for (const struct suffix *s = units[unit].suffixes; s->text; s++)
		if (strcmp(s->text, text) == 0)
			return s;
	return NULL;
}

bool text_parse(const char *text, enum text_unit unit, uint64_t *ret)
{
	uint64_t value = 0, part = 0;
	const char *p = text;

	if (!is_digit(*p) || (p[0] == '0' && is_digit(p[1])))
		return false;
	for (; is_digit(*p); p++)
		if (!grow(&value, 10, (uint64_t)(*p - '0')))
			return false;
	const char *fraction = NULL;
	size_t fraction_size = 0;
	if (*p == '.') {
		fraction = ++p;
		while (is_digit(*p))
			p++;
		fraction_size = (size_t)(p - fraction);
	}
	const struct suffix *suffix = find_suffix(unit, p);
	if (!suffix && !fraction && value == 0 && *p == '\0')
		suffix = units[unit].suffixes; /* nothing is nothing in every unit */
	if (!suffix)
		return false;
	if (fraction && !read_fraction(fraction, fraction_size, suffix->factor, &part))
		return false;
	if (!grow(&value, suffix->factor, part))
		return false;
	*ret = value;
	return true;
}

bool text_parse_range(const char *text, enum text_unit unit, struct text_range *ret)
{
	struct text_range range;
	const char *dots = strstr(text, "..");

	if (!dots) {
		if (!text_parse(text, unit, &range.low))
			return false;
		*ret = (struct text_range){range.low, range.low};
		return true;
	}
	char low[32];
	if ((size_t)(dots - text) >= sizeof low)
		return false;
	memcpy(low, text, (size_t)(dots - text));
	low[dots - text] = '\0';
	if (!text_parse(low, unit, &range.low) || !text_parse(dots + 2, unit, &range.high) || range.high < range.low)
		return false;
	*ret = range;
	return true;
}

void text_put(struct buf *out, enum text_unit unit, uint64_t value)
{
	const struct suffix *best = units[unit].suffixes;
	for (const struct suffix *s = best; s->text && value; s++) {
		if (value % s->factor == 0)
			best = s;
		if (strcmp(s->text, units[unit].largest_written) == 0)
			break;
	}
	buf_printf(out, "%llu%s", (unsigned long long)(value / best->factor), value ? best->text : "");
}

void text_put_range(struct buf *out, enum text_unit unit, struct text_range range)
{
	text_put(out, unit, range.low);
	if (range.high == range.low)
		return;
	buf_str(out, "..");
	text_put(out, unit, range.high);
}

bool text_parse_u64(const char *text, uint64_t *ret)
{
	return text_parse(text, TEXT_NUMBER, ret) && !strchr(text, '.');
}

/* ---- characters ------------------------------------------------------------------------------------------ */

size_t text_utf8_next(const char *bytes, size_t size, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t length;
	uint32_t least;

	if (size == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		length = 2, least = 0x80, *ret = p[0] & 0x1f;
	} else if (p[0] >= 0xe0 && p[0] <= 0xef) {
		length = 3, least = 0x800, *ret = p[0] & 0x0f;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		length = 4, least = 0x10000, *ret = p[0] & 0x07;
	} else {
		return 0;
	}
	if (size < length)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*ret = *ret << 6 | (p[i] & 0x3f);
	}
	if (*ret < least || *ret > 0x10ffff || (*ret >= 0xd800 && *ret <= 0xdfff))
		return 0;
	return length;
}

bool text_is_utf8(const char *bytes, size_t size)
{
	uint32_t c;
	for (size_t i = 0; i < size;) {
		size_t length = text_utf8_next(bytes + i, size - i, &c);
		if (!length)
			return false;
		i += length;
	}
	return true;
}

/* Would a terminal obey it, or show the text around it in another order? */
static bool is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
		(c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb);
}

static void put_escaped(struct buf *out, uint32_t c)
{
	static const char named[] = "n\nt\tr\re\033\\\\";
	for (const char *p = named; *p; p += 2)
		if (c == (unsigned char)p[1]) {
			buf_printf(out, "\\%c", p[0]);
			return;
		}
	buf_printf(out, c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
}

void text_put_safe(struct buf *out, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t c;
		size_t length = text_utf8_next(bytes + i, size - i, &c);
		if (!length) {
			buf_printf(out, "\\x%02x", (unsigned char)bytes[i++]);
			continue;
		}
		if (is_harmful(c) || c == '\\')
			put_escaped(out, c);
		else
			buf_add(out, bytes + i, length);
		i += length;
	}
}

void text_put_masked(struct buf *out, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t c;
		size_t length = text_utf8_next(bytes + i, size - i, &c);
		if (!length || is_harmful(c))
			buf_char(out, bytes[i] == '\t' ? ' ' : '?');
		else
			buf_add(out, bytes + i, length);
		i += length ? length : 1;
	}
}

/* ---- words ----------------------------------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t text_distance(const char *a, const char *b)
{
	size_t rows[3][TEXT_DISTANCE_MAX + 1];
	size_t a_size = strlen(a), b_size = strlen(b);

	if (a_size > TEXT_DISTANCE_MAX || b_size > TEXT_DISTANCE_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b_size; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			now[j] = smaller(up[j] + 1, now[j - 1] + 1);
			now[j] = smaller(now[j], up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = smaller(now[j], up2[j - 2] + 1);
		}
	}
	return rows[a_size % 3][b_size];
}

const char *text_nearest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX, limit = strlen(word) / 3 + 1;

	for (size_t i = 0; i < count; i++) {
		size_t distance = text_distance(word, words[i]);
		if (distance < best_distance && distance <= limit && distance < strlen(words[i])) {
			best = words[i];
			best_distance = distance;
		}
	}
	return best;
}

bool text_is_name(const char *text, size_t max)
{
	size_t size = strlen(text);
	if (size == 0 || size > max)
		return false;
	for (const char *p = text; *p; p++) {
		bool alnum = is_digit(*p) || (*p >= 'a' && *p <= 'z');
		if (!alnum && (p == text || !strchr("-_.", *p)))
			return false;
	}
	return true;
}

int text_hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool text_parse_hex(const char *text, void *bytes, size_t size)
{
	uint8_t *out = bytes;
	if (strlen(text) != 2 * size)
		return false;
	for (size_t i = 0; i < size; i++) {
		int high = text_hex_digit(text[2 * i]), low = text_hex_digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool text_next_line(struct text_lines *l)
{
	if (l->at >= l->size)
		return false;
	const char *newline = memchr(l->bytes + l->at, '\n', l->size - l->at);
	l->line = l->bytes + l->at;
	l->length = newline ? (size_t)(newline - l->line) : l->size - l->at;
	l->at += l->length + (newline ? 1 : 0);
	l->number++;
	return true;
}
