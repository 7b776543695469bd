/* Whatever a guest writes: the first byte says where the rest is cut in two, and what passes is the same whole or in parts. What
 * has passed passes again as it is, and holds nothing but the few controls, characters, and sequences of the forms that do. */
#include <stdlib.h>
#include <string.h>

#include "engine/termfilter.h"
#include "engine/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void filter(const char *bytes, size_t size, size_t cut, struct buf *out)
{
	struct termfilter f = {0};
	cut = cut < size ? cut : size;
	termfilter_put(&f, bytes, cut, out);
	termfilter_put(&f, bytes + cut, size - cut, out);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = {0}, parts = {0}, again = {0};
	if (!size)
		return 0;
	filter((const char *)data + 1, size - 1, 0, &whole);
	filter((const char *)data + 1, size - 1, data[0], &parts);
	if (!same(&whole, &parts) || !text_is_utf8(whole.data ? whole.data : "", whole.size))
		abort();
	filter(whole.data ? whole.data : "", whole.size, 0, &again);
	if (!same(&whole, &again))
		abort();
	for (size_t i = 0; i < whole.size; i++) {
		unsigned char c = (unsigned char)whole.data[i];
		if ((c < 0x20 && !strchr("\a\b\t\n\r\033", c)) || c == 0x7f || !c)
			abort();
		if (c == 0x1b && (i + 1 == whole.size || !strchr("[78EDM=>(", whole.data[i + 1])))
			abort();
	}
	buf_free(&whole);
	buf_free(&parts);
	buf_free(&again);
	return 0;
}
