#include "engine/openfiles.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "engine/text.h"

#define MODE_READ    1u /* the kernel's FMODE_READ, FMODE_WRITE */
#define MODE_WRITE   2u
#define BAD_MAX      100 /* entries that are no files: then the table is none */
#define STATE_LISTEN 10u
#define PROTOCOL_TCP 6u

static void put_address(const struct guest *g, uint64_t sk, bool six, bool remote, char out[OPENFILES_NAME_MAX])
{
	unsigned char bytes[16];
	char text[INET6_ADDRSTRLEN];
	enum layout_member four = remote ? LAYOUT_SOCK_REMOTE : LAYOUT_SOCK_LOCAL,
			   long_one = remote ? LAYOUT_SOCK_REMOTE6 : LAYOUT_SOCK_LOCAL6;
	uint64_t at = sk + guest_offset(g, six ? long_one : four);
	unsigned port = (unsigned)guest_value(g, remote ? LAYOUT_SOCK_REMOTE_PORT : LAYOUT_SOCK_LOCAL_PORT, sk);
	size_t size = six ? 16 : 4;
	if (remote)
		port = ntohs((uint16_t)port); /* the local one is kept in host order */
	if (memory_read_some(&g->kernel, at, bytes, size) != size ||
		!inet_ntop(six ? AF_INET6 : AF_INET, bytes, text, sizeof text))
		return;
	snprintf(out, OPENFILES_NAME_MAX, six ? "[%s]:%u" : "%s:%u", text, port);
}

/* "@name" for an abstract one. */
static void put_unix_name(const struct guest *g, uint64_t sk, char out[OPENFILES_NAME_MAX])
{
	uint64_t address = guest_value(g, LAYOUT_UNIX_ADDR, sk), size = guest_value(g, LAYOUT_UNIX_ADDR_SIZE, address);
	size_t skip = offsetof(struct sockaddr_un, sun_path);
	if (!address || size <= skip || size > skip + OPENFILES_NAME_MAX - 2)
		return;
	size -= skip;
	if (memory_read_some(&g->kernel, address + guest_offset(g, LAYOUT_UNIX_ADDR_NAME) + skip, out, size) != size)
		return;
	out[size] = 0;
	if (!*out)
		*out = '@';
}

static void read_socket(const struct guest *g, uint64_t file, struct openfile_socket *s)
{
	uint64_t socket = guest_value(g, LAYOUT_FILE_PRIVATE, file), sk = guest_value(g, LAYOUT_SOCKET_SK, socket);
	if (!sk)
		return;
	uint64_t family = guest_value(g, LAYOUT_SOCK_FAMILY, sk);
	s->type = (uint16_t)guest_value(g, LAYOUT_SOCKET_TYPE, socket);
	s->protocol = (uint16_t)guest_value(g, LAYOUT_SOCK_PROTOCOL, sk);
	s->state = (uint8_t)guest_value(g, LAYOUT_SOCK_STATE, sk);
	if (family == AF_INET || family == AF_INET6) {
		s->family = family == AF_INET ? OPENFILE_IPV4 : OPENFILE_IPV6;
		put_address(g, sk, family == AF_INET6, false, s->local);
		put_address(g, sk, family == AF_INET6, true, s->remote);
		if (s->protocol == PROTOCOL_TCP && s->state == STATE_LISTEN)
			s->received_unread = guest_value(g, LAYOUT_SOCK_BACKLOG, sk);
		else if (s->protocol == PROTOCOL_TCP) {
			s->sent_unacked =
				(uint32_t)(guest_value(g, LAYOUT_TCP_WRITE_SEQ, sk) - guest_value(g, LAYOUT_TCP_SND_UNA, sk));
			s->received_unread =
				(uint32_t)(guest_value(g, LAYOUT_TCP_RCV_NXT, sk) - guest_value(g, LAYOUT_TCP_COPIED_SEQ, sk));
		}
	} else if (family == AF_UNIX) {
		s->family = OPENFILE_UNIX;
		put_unix_name(g, sk, s->local);
		uint64_t peer = guest_value(g, LAYOUT_UNIX_PEER, sk);
		if (peer)
			put_unix_name(g, peer, s->remote);
	} else
		s->family = family == AF_NETLINK ? OPENFILE_NETLINK : family == AF_PACKET ? OPENFILE_PACKET : OPENFILE_OTHER;
}

/* False when there is no struct file. */
static bool read_file(const struct guest *g, uint64_t file, const struct guest_place *root, struct openfile *f)
{
	uint64_t mode;
	struct buf path = {0};
	if (!guest_get(g, LAYOUT_FILE_MODE, file, &mode))
		return false;
	f->file = file;
	f->can_read = mode & MODE_READ;
	f->can_write = mode & MODE_WRITE;
	f->position = guest_value(g, LAYOUT_FILE_POS, file);
	f->flags = (uint32_t)guest_value(g, LAYOUT_FILE_FLAGS, file);
	f->inode = guestfile_inode(g, guest_value(g, LAYOUT_FILE_INODE, file));
	if (f->inode.kind == GUESTFILE_NONE)
		return false;
	struct guest_place at = {guest_value(g, LAYOUT_FILE_MNT, file), guest_value(g, LAYOUT_FILE_DENTRY, file)};
	if (!guestfile_path(g, at, root, &path))
		buf_str(&path, " (damaged)");
	f->path = buf_take(&path);
	f->is_socket = f->inode.kind == GUESTFILE_SOCKET && !strncmp(f->path, "socket:", 7);
	if (f->is_socket)
		read_socket(g, file, &f->socket);
	return true;
}

void openfiles_read(const struct guest *g, uint64_t task, const struct guest_place *root, struct openfiles *files)
{
	uint64_t table = guest_value(g, LAYOUT_FILES_FDT, guest_value(g, LAYOUT_TASK_FILES, task));
	uint64_t count = guest_value(g, LAYOUT_FDT_MAX, table), fds = guest_value(g, LAYOUT_FDT_FD, table);
	*files = (struct openfiles){0};
	if (!table)
		return;
	if (count > OPENFILES_MAX) {
		files->damaged = true;
		count = OPENFILES_MAX;
	}
	for (unsigned fd = 0, bad = 0; fd < count && bad < BAD_MAX; fd++) {
		uint64_t file;
		if (memory_read_some(&g->kernel, fds + fd * 8, &file, 8) != 8) {
			files->damaged = true;
			break;
		}
		if (!file)
			continue;
		struct openfile open = {.fd = fd};
		if (read_file(g, file, root, &open))
			ARRAY_PUSH(files->list, files->count, files->room) = open;
		else {
			files->damaged = true;
			bad++;
		}
	}
}

void openfiles_finish(struct openfiles *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->list[i].path);
	free(files->list);
	*files = (struct openfiles){0};
}

const char *openfile_state_name(unsigned state)
{
	static const char *const names[] = {"?", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT",
		"CLOSE", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV"};
	return state < sizeof names / sizeof *names ? names[state] : "?";
}

static void print_socket(const struct openfile_socket *s, struct buf *out)
{
	static const char *const families[] = {"other", "unix", "ip", "ip6", "netlink", "packet"};
	bool ip = s->family == OPENFILE_IPV4 || s->family == OPENFILE_IPV6;
	if (ip && (s->protocol == PROTOCOL_TCP || s->protocol == 17))
		buf_printf(out, "%s%s", s->protocol == PROTOCOL_TCP ? "tcp" : "udp", s->family == OPENFILE_IPV6 ? "6" : "");
	else
		buf_printf(out, "%s %s", families[s->family],
			s->type == SOCK_STREAM          ? "stream"
				: s->type == SOCK_DGRAM ? "datagram"
							: "raw");
	if (s->protocol == PROTOCOL_TCP || s->family == OPENFILE_UNIX)
		buf_printf(out, " %s", openfile_state_name(s->state));
	if (*s->local) {
		buf_char(out, ' ');
		text_put_safe(out, s->local, strlen(s->local));
	}
	if (*s->remote && s->state != STATE_LISTEN) {
		buf_str(out, " -> ");
		text_put_safe(out, s->remote, strlen(s->remote));
	}
	if (s->sent_unacked)
		buf_printf(out, " unacked %llu", (unsigned long long)s->sent_unacked);
	if (s->received_unread)
		buf_printf(
			out, s->state == STATE_LISTEN ? " waiting %llu" : " unread %llu", (unsigned long long)s->received_unread);
}

void openfiles_print(const struct openfiles *files, struct buf *out)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct openfile *f = &files->list[i];
		buf_printf(out, "%5u %c%c %10llu  ", f->fd, f->can_read ? 'r' : '-', f->can_write ? 'w' : '-',
			(unsigned long long)f->position);
		text_put_safe(out, f->path, strlen(f->path));
		if (f->is_socket) {
			buf_char(out, ' ');
			print_socket(&f->socket, out);
		}
		buf_char(out, '\n');
	}
	if (files->damaged)
		buf_str(out, "(the table was being changed or is damaged: some may be missing)\n");
}

void openfiles_print_sockets(const struct openfiles *files, struct buf *out)
{
	for (size_t i = 0; i < files->count; i++) {
		if (!files->list[i].is_socket)
			continue;
		buf_printf(out, "%5u ", files->list[i].fd);
		print_socket(&files->list[i].socket, out);
		buf_char(out, '\n');
	}
}
