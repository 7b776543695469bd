#include "agent/net.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/sysfile.h"
#include "agent/netlink.h"

enum { PREFIX = 24, LINK_NAME_MAX = 32 };

static void mac_of(size_t node, uint8_t mac[6])
{
	const uint8_t fixed[6] = {0x02, 0x70, 0x6f, 0x6c, 0x65, (uint8_t)(node + 1)}; /* locally administered, "pole" */
	for (int i = 0; i < 6; i++)
		mac[i] = fixed[i];
}

static bool find_link(const char *name, int *ret_link, struct why *why)
{
	*ret_link = (int)if_nametoindex(name);
	return *ret_link > 0 || why_set(why, errno, "finding the link %s", name);
}

static bool up(int fd, const char *name, int master, struct why *why)
{
	int link;
	return find_link(name, &link, why) && netlink_up(fd, link, master, why);
}

static bool quiet_ipv6(struct why *why)
{
	return sysfile_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1", why);
}

/* In a new namespace: loopback, and what containers usually allow. */
static bool set_up_namespace(struct why *why)
{
	int fd;
	if (!quiet_ipv6(why) || !sysfile_write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0", why) ||
		!sysfile_write("/proc/sys/net/ipv4/ping_group_range", "0 2147483647", why) || !netlink_open(&fd, why))
		return false;
	bool ok = up(fd, "lo", 0, why);
	close(fd);
	return ok;
}

/* In the namespace of the node, when its end of the cable is there. */
static bool set_up_cable(const struct spec *spec, size_t node, struct why *why)
{
	int fd, link;
	if (!netlink_open(&fd, why))
		return false;
	bool ok = find_link("eth0", &link, why) && netlink_address(fd, link, spec->hosts[node].address, PREFIX, why) &&
		netlink_up(fd, link, 0, why);
	for (size_t other = 0; ok && other < spec->count; other++) {
		uint8_t mac[6];
		mac_of(other, mac);
		if (other != node)
			ok = netlink_neighbour(fd, link, spec->hosts[other].address, mac, why);
	}
	close(fd);
	return ok;
}

static bool enter(int netns, struct why *why)
{
	return setns(netns, CLONE_NEWNET) == 0 || why_set(why, errno, "entering a network namespace");
}

static bool make_node(
	const struct spec *spec, size_t node, int root, int root_netlink, int bridge, int *ret_netns, struct why *why)
{
	char name[LINK_NAME_MAX];
	uint8_t mac[6];
	if (unshare(CLONE_NEWNET) != 0)
		return why_set(why, errno, "making a network namespace");
	int netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (netns < 0)
		return why_set(why, errno, "opening a network namespace");
	*ret_netns = netns;
	snprintf(name, sizeof name, "node%zu", node);
	mac_of(node, mac);
	return set_up_namespace(why) && enter(root, why) && netlink_veth(root_netlink, name, "eth0", netns, mac, why) &&
		up(root_netlink, name, bridge, why) && enter(netns, why) && set_up_cable(spec, node, why) && enter(root, why);
}

bool net_boot(const struct spec *spec, int ret_netns[WIRE_NODES_MAX], struct why *why)
{
	int fd, bridge, root = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (root < 0)
		return why_set(why, errno, "opening the machine's network namespace");
	if (!quiet_ipv6(why) || !netlink_open(&fd, why)) {
		close(root);
		return false;
	}
	bool ok = up(fd, "lo", 0, why) && netlink_bridge(fd, "nodes", why) && up(fd, "nodes", 0, why) &&
		find_link("nodes", &bridge, why);
	for (size_t node = 0; ok && node < spec->count; node++)
		ok = make_node(spec, node, root, fd, bridge, &ret_netns[node], why);
	close(fd);
	close(root);
	return ok;
}
