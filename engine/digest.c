#include "engine/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <openssl/evp.h>

#include "engine/buf.h"

struct digest {
	EVP_MD_CTX *context;
};

/* libcrypto fails at SHA-256 only for want of memory, or when it was built without: neither can be mended here. */
static void must(int ok)
{
	if (ok == 1)
		return;
	fputs("polecat: libcrypto cannot do SHA-256\n", stderr);
	abort();
}

void digest_sha256(const void *bytes, size_t size, uint8_t out[DIGEST_SIZE])
{
	must(EVP_Digest(bytes, size, out, NULL, EVP_sha256(), NULL));
}

struct digest *digest_create(void)
{
	struct digest *d = mem_alloc(sizeof *d);
	d->context = EVP_MD_CTX_new();
	must(d->context != NULL);
	must(EVP_DigestInit_ex(d->context, EVP_sha256(), NULL));
	return d;
}

void digest_destroy(struct digest *d)
{
	if (!d)
		return;
	EVP_MD_CTX_free(d->context);
	free(d);
}

void digest_add(struct digest *d, const void *bytes, size_t size)
{
	must(EVP_DigestUpdate(d->context, bytes, size));
}

void digest_end(struct digest *d, uint8_t out[DIGEST_SIZE])
{
	must(EVP_DigestFinal_ex(d->context, out, NULL));
	must(EVP_DigestInit_ex(d->context, EVP_sha256(), NULL));
}

void digest_hex(const void *bytes, size_t size, char *out)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < size; i++) {
		*out++ = "0123456789abcdef"[p[i] >> 4];
		*out++ = "0123456789abcdef"[p[i] & 15];
	}
	*out = '\0';
}

void digest_field(struct digest *d, const void *bytes, size_t size)
{
	uint8_t length[8];
	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)((uint64_t)size >> (8 * i));
	digest_add(d, length, sizeof length);
	digest_add(d, bytes, size);
}

bool digest_fd(int fd, uint8_t out[DIGEST_SIZE], struct err *err)
{
	const size_t room = 256 * 1024;
	char *block = mem_alloc(room);
	struct digest *d = digest_create();
	off_t at = 0;
	ssize_t got;
	while ((got = pread(fd, block, room, at)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		digest_add(d, block, (size_t)got);
		at += got;
	}
	int why = errno;
	digest_end(d, out);
	digest_destroy(d);
	free(block);
	return got == 0 || err_sys(err, why, "reading a file for its digest");
}

bool digest_parse(const char *text, uint8_t out[DIGEST_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < 2 * DIGEST_SIZE; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
		if (!digit)
			return false;
		unsigned value = (unsigned)(digit - digits);
		out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] | value : value << 4);
	}
	return text[2 * DIGEST_SIZE] == '\0';
}
