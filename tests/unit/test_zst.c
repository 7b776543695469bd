#include <stdlib.h>

#include "engine/zst.h"
#include "unit.h"

static void there_and_back(void)
{
	struct buf in = {0}, packed = {0}, again = {0}, out = {0};
	struct err err = {0};
	for (int i = 0; i < 100000; i++)
		buf_printf(&in, "%d,", i % 97);
	CU_ASSERT_TRUE(zst_pack(in.data, in.size, &packed, &err) && zst_pack(in.data, in.size, &again, &err));
	CU_ASSERT_TRUE(packed.size < in.size / 10 && packed.size == again.size && !memcmp(packed.data, again.data, packed.size));
	CU_ASSERT_TRUE(zst_unpack(packed.data, packed.size, in.size, "x", &out, &err));
	CU_ASSERT_TRUE(out.size == in.size && !memcmp(out.data, in.data, in.size));
	/* Two frames one after the other are their contents one after the other. */
	buf_add(&packed, again.data, again.size);
	buf_clear(&out);
	CU_ASSERT_TRUE(zst_unpack(packed.data, packed.size, 2 * in.size, "x", &out, &err));
	CU_ASSERT_EQUAL(out.size, 2 * in.size);
	buf_free(&in);
	buf_free(&packed);
	buf_free(&again);
	buf_free(&out);
}

static void limits_and_damage(void)
{
	struct buf packed = {0}, out = {0};
	struct err err = {0};
	char zeros[100000] = {0};
	buf_str(&out, "kept");
	CU_ASSERT_TRUE(zst_pack(zeros, sizeof zeros, &packed, &err));
	CU_ASSERT_FALSE(zst_unpack(packed.data, packed.size, sizeof zeros - 1, "log", &out, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "log: unpacks to more than 99999 bytes, which is the limit");
	for (size_t n = 0; n < packed.size; n++)
		CU_ASSERT_FALSE(n && zst_unpack(packed.data, n, sizeof zeros, "log", &out, &err));
	for (size_t i = 0; i < packed.size; i++) {
		packed.data[i] ^= 0x40;
		if (zst_unpack(packed.data, packed.size, sizeof zeros, "log", &out, &err)) {
			/* Bits that mean nothing to the content are the only ones that may be turned unseen. */
			CU_ASSERT_TRUE(out.size == 4 + sizeof zeros && !memcmp(out.data + 4, zeros, sizeof zeros));
			out.size = 4;
		}
		packed.data[i] ^= 0x40;
	}
	CU_ASSERT_FALSE(zst_unpack("garbage", 7, 100, "log", &out, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_TRUE(out.size == 4 && !memcmp(out.data, "kept", 4));
	buf_free(&packed);
	buf_free(&out);
}

const struct test suite_zst[] = {{"there and back", there_and_back}, {"limits and damage", limits_and_damage}, {0}};
