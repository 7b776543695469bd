/*
 * The open files and sockets of a process in a stopped guest.
 */
#ifndef ENGINE_OPENFILES_H
#define ENGINE_OPENFILES_H

#include "engine/buf.h"
#include "engine/guestfile.h"
#include "engine/layout.h"

#define OPENFILES_MAX      65536 /* descriptors of one process */
#define OPENFILES_NAME_MAX 128   /* "[2001:db8::1]:65535", or the path of a unix socket */

enum openfile_family { OPENFILE_OTHER, OPENFILE_UNIX, OPENFILE_IPV4, OPENFILE_IPV6, OPENFILE_NETLINK, OPENFILE_PACKET };

struct openfile_socket {
	enum openfile_family family;
	uint16_t type;            /* 1 stream, 2 datagram, 3 raw */
	uint16_t protocol;        /* 6 tcp, 17 udp */
	uint8_t state;            /* tcp: as in openfile_state_name; unix: the same numbers */
	uint64_t sent_unacked;    /* tcp: bytes written that the other side has not acknowledged */
	uint64_t received_unread; /* tcp: bytes that were received and not read; of a listener: connections not accepted */
	char local[OPENFILES_NAME_MAX], remote[OPENFILES_NAME_MAX]; /* "" when there is none */
};

struct openfile {
	unsigned fd;
	uint64_t file; /* kernel address */
	uint64_t position;
	uint32_t flags; /* O_ flags as given to open() */
	bool can_read, can_write;
	struct guestfile inode;
	char *path; /* owned; guestfile_path */
	bool is_socket;
	struct openfile_socket socket;
};

struct openfiles {
	struct openfile *list; /* by descriptor */
	size_t count, room;
	bool damaged;
};

/* task: of any thread of the process. Empty for a zombie. Paths are as seen from root (NULL: from the top). */
void openfiles_read(const struct guest *guest, uint64_t task, const struct guest_place *root, struct openfiles *files);
void openfiles_finish(struct openfiles *files);

/* "ESTABLISHED", "LISTEN" ...; "?" when there is no such state. */
const char *openfile_state_name(unsigned state);

void openfiles_print(const struct openfiles *files, struct buf *out);
/* Only the sockets: family, state, addresses, bytes under way. */
void openfiles_print_sockets(const struct openfiles *files, struct buf *out);

#endif
