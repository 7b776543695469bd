/*
 * The frames of the Debug Adapter Protocol as bytes: "Content-Length: N", an empty line, N bytes of JSON. No descriptors, no
 * meaning.
 */
#ifndef ENGINE_DAP_H
#define ENGINE_DAP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"

#define DAP_HEADER_MAX 1024u      /* bytes before the empty line */
#define DAP_BODY_MAX   (1u << 20) /* bytes of one message */

/* Bytes received and not yet parsed. Zero is the start. */
struct dap {
	struct buf in;
};

enum dap_result { DAP_MORE, DAP_MESSAGE, DAP_BAD };

void dap_finish(struct dap *d);
void dap_feed(struct dap *d, const void *bytes, size_t size);
/* Takes the next message out of what was fed; its JSON replaces what is in body. After BAD (ERR_INPUT) the stream cannot be used.
 */
enum dap_result dap_next(struct dap *d, struct buf *body, struct err *err);
/* Appends a message with its header. */
void dap_put(struct buf *out, const struct buf *body);

#endif
