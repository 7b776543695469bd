#include "engine/zst.h"

#include <stdlib.h>
#include <zstd.h>

#define LEVEL 3

bool zst_pack(const void *bytes, size_t size, struct buf *out, struct err *err)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	if (!c)
		return err_set(err, ERR_SYSTEM, "zstd has no memory");
	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	size_t room = ZSTD_compressBound(size);
	buf_reserve(out, room);
	size_t got = ZSTD_compress2(c, out->data + out->size, room, bytes, size);
	ZSTD_freeCCtx(c);
	if (ZSTD_isError(got))
		return err_set(err, ERR_SYSTEM, "compressing: %s", ZSTD_getErrorName(got));
	out->size += got;
	out->data[out->size] = '\0';
	return true;
}

bool zst_unpack(const void *bytes, size_t size, size_t limit, const char *name, struct buf *out, struct err *err)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();
	if (!d)
		return err_set(err, ERR_SYSTEM, "zstd has no memory");
	size_t start = out->size, need = 1;
	ZSTD_inBuffer in = {bytes, size, 0};
	bool ok = true;
	while (ok) {
		buf_reserve(out, ZSTD_DStreamOutSize());
		ZSTD_outBuffer to = {out->data + out->size, out->room - out->size - 1, 0};
		need = ZSTD_decompressStream(d, &to, &in);
		out->size += to.pos;
		if (ZSTD_isError(need))
			ok = err_set(err, ERR_INPUT, "%s: damaged at byte %zu: %s", name, in.pos, ZSTD_getErrorName(need));
		else if (out->size - start > limit)
			ok = err_set(err, ERR_INPUT, "%s: unpacks to more than %zu bytes, which is the limit", name, limit);
		else if (in.pos == in.size && to.pos < to.size)
			break; /* all input eaten and nothing held back */
	}
	if (ok && need != 0)
		ok = err_set(err, ERR_INPUT, "%s: cut short: %zu bytes are not a whole zstd stream", name, size);
	ZSTD_freeDCtx(d);
	if (!ok)
		out->size = start;
	if (out->data)
		out->data[out->size] = '\0';
	return ok;
}

bool zst_frame(const void *bytes, size_t size, size_t *ret_packed, uint64_t *ret_content)
{
	unsigned long long content = ZSTD_getFrameContentSize(bytes, size);
	size_t packed = ZSTD_findFrameCompressedSize(bytes, size);
	if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR || ZSTD_isError(packed))
		return false;
	*ret_packed = packed;
	*ret_content = content;
	return true;
}

bool zst_unpack_frame(const void *bytes, size_t size, void *to, size_t content, struct err *err)
{
	size_t got = ZSTD_decompress(to, content, bytes, size);
	if (ZSTD_isError(got))
		return err_set(err, ERR_INPUT, "damaged: %s", ZSTD_getErrorName(got));
	return got == content || err_set(err, ERR_INPUT, "damaged: it unpacks to %zu bytes, not %zu", got, content);
}
