/* zstd compression of whole buffers. The only file that includes zstd. */
#ifndef ENGINE_ZST_H
#define ENGINE_ZST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/buf.h"
#include "engine/err.h"

/* Appends one zstd frame with content size and checksum to out. The same bytes give the same frame. */
bool zst_pack(const void *bytes, size_t size, struct buf *out, struct err *err);

/* Appends the content of a sequence of zstd frames to out. ERR_INPUT if they are damaged, cut short, or hold more than limit
 * bytes; then out is as it was. name is for the sentence ("replay.log.zst"). */
bool zst_unpack(const void *bytes, size_t size, size_t limit, const char *name, struct buf *out, struct err *err);

/* Is there a whole frame at the start of bytes? Fills in its size there and how many bytes it says that it unpacks to; false also
 * for one that does not say so. */
bool zst_frame(const void *bytes, size_t size, size_t *ret_packed, uint64_t *ret_content);
/* Unpacks one whole frame, which must give exactly content bytes, to where the caller has room for them. ERR_INPUT. */
bool zst_unpack_frame(const void *bytes, size_t size, void *to, size_t content, struct err *err);

#endif
