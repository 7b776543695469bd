#include "agent/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MAX = 1024, NESTS_MAX = 6, FAMILY_INET = 2 };

/* One request under construction. */
struct request {
	union {
		struct nlmsghdr header;
		uint8_t bytes[REQUEST_MAX];
	};
	struct rtattr *nests[NESTS_MAX];
	unsigned depth;
};

static void *extend(struct request *r, size_t size)
{
	/* Requests are made of constants and short names: REQUEST_MAX is never reached. */
	void *at = r->bytes + NLMSG_ALIGN(r->header.nlmsg_len);
	r->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(r->header.nlmsg_len) + size);
	return at;
}

static void *begin(struct request *r, unsigned type, unsigned flags, size_t size)
{
	*r = (struct request){.header = {.nlmsg_len = NLMSG_HDRLEN,
				      .nlmsg_type = (uint16_t)type,
				      .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags)}};
	return extend(r, size);
}

static struct rtattr *put(struct request *r, unsigned type, const void *data, size_t size)
{
	struct rtattr *a = extend(r, RTA_LENGTH(size));
	a->rta_type = (uint16_t)type;
	a->rta_len = (uint16_t)RTA_LENGTH(size);
	if (size)
		memcpy(RTA_DATA(a), data, size);
	return a;
}

static void put_text(struct request *r, unsigned type, const char *text)
{
	put(r, type, text, strlen(text) + 1);
}

static void put_u32(struct request *r, unsigned type, uint32_t n)
{
	put(r, type, &n, sizeof n);
}

static void nest(struct request *r, unsigned type)
{
	r->nests[r->depth++] = put(r, type, NULL, 0);
}

static void unnest(struct request *r)
{
	struct rtattr *a = r->nests[--r->depth];
	a->rta_len = (uint16_t)(r->bytes + NLMSG_ALIGN(r->header.nlmsg_len) - (uint8_t *)a);
}

static bool talk(int fd, struct request *r, struct why *why, const char *doing)
{
	union {
		struct nlmsghdr header;
		uint8_t bytes[4096];
	} answer;
	if (send(fd, r, r->header.nlmsg_len, 0) < 0)
		return why_set(why, errno, "netlink: %s", doing);
	ssize_t size = recv(fd, &answer, sizeof answer, 0);
	if (size < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)) || answer.header.nlmsg_type != NLMSG_ERROR)
		return why_set(why, size < 0 ? errno : EPROTO, "netlink: answer to %s", doing);
	int error = ((struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
	return error == 0 || why_set(why, -error, "netlink: %s", doing);
}

bool netlink_open(int *ret_fd, struct why *why)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return why_set(why, errno, "opening a netlink socket");
	*ret_fd = fd;
	return true;
}

bool netlink_bridge(int fd, const char *name, struct why *why)
{
	struct request r;
	begin(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	put_text(&r, IFLA_IFNAME, name);
	nest(&r, IFLA_LINKINFO);
	put_text(&r, IFLA_INFO_KIND, "bridge");
	nest(&r, IFLA_INFO_DATA);
	uint8_t off = 0;
	put(&r, IFLA_BR_MCAST_SNOOPING, &off, sizeof off);
	put_u32(&r, IFLA_BR_STP_STATE, 0);
	put_u32(&r, IFLA_BR_FORWARD_DELAY, 0);
	unnest(&r);
	unnest(&r);
	return talk(fd, &r, why, "making the bridge");
}

bool netlink_veth(int fd, const char *name, const char *peer, int peer_netns, const uint8_t mac[6], struct why *why)
{
	struct request r;
	begin(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	put_text(&r, IFLA_IFNAME, name);
	nest(&r, IFLA_LINKINFO);
	put_text(&r, IFLA_INFO_KIND, "veth");
	nest(&r, IFLA_INFO_DATA);
	nest(&r, VETH_INFO_PEER);
	memset(extend(&r, sizeof(struct ifinfomsg)), 0, sizeof(struct ifinfomsg));
	put_text(&r, IFLA_IFNAME, peer);
	put(&r, IFLA_ADDRESS, mac, 6);
	put_u32(&r, IFLA_NET_NS_FD, (uint32_t)peer_netns);
	unnest(&r);
	unnest(&r);
	unnest(&r);
	return talk(fd, &r, why, "making a pair of cables");
}

bool netlink_up(int fd, int link, int master, struct why *why)
{
	struct request r;
	struct ifinfomsg *info = begin(&r, RTM_NEWLINK, 0, sizeof *info);
	*info = (struct ifinfomsg){.ifi_index = link, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	if (master)
		put_u32(&r, IFLA_MASTER, (uint32_t)master);
	return talk(fd, &r, why, "setting a link up");
}

bool netlink_address(int fd, int link, uint32_t address, unsigned prefix, struct why *why)
{
	struct request r;
	struct ifaddrmsg *head = begin(&r, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof *head);
	*head = (struct ifaddrmsg){.ifa_family = FAMILY_INET, .ifa_prefixlen = (uint8_t)prefix, .ifa_index = (uint32_t)link};
	put_u32(&r, IFA_LOCAL, htonl(address));
	put_u32(&r, IFA_ADDRESS, htonl(address));
	put_u32(&r, IFA_BROADCAST, htonl(address | (uint32_t)((uint64_t)0xffffffff >> prefix)));
	return talk(fd, &r, why, "adding an address");
}

bool netlink_neighbour(int fd, int link, uint32_t neighbour, const uint8_t mac[6], struct why *why)
{
	struct request r;
	struct ndmsg *head = begin(&r, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, sizeof *head);
	*head = (struct ndmsg){.ndm_family = FAMILY_INET, .ndm_ifindex = link, .ndm_state = NUD_PERMANENT};
	put_u32(&r, NDA_DST, htonl(neighbour));
	put(&r, NDA_LLADDR, mac, 6);
	return talk(fd, &r, why, "adding a neighbour");
}
