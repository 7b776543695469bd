/* rtnetlink: requests that the kernel acknowledges. One socket belongs to the network namespace it was opened in. */
#ifndef AGENT_NETLINK_H
#define AGENT_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/why.h"

bool netlink_open(int *ret_fd, struct why *why);

/* A bridge without spanning tree and without multicast snooping: nothing on it happens by itself. */
bool netlink_bridge(int fd, const char *name, struct why *why);

/* A pair of virtual cables: `name` here, `peer` in the namespace peer_netns (a descriptor) with the hardware address mac. */
bool netlink_veth(int fd, const char *name, const char *peer, int peer_netns, const uint8_t mac[6], struct why *why);

/* Sets a link up, and into the bridge `master` (an interface number) unless that is 0. */
bool netlink_up(int fd, int link, int master, struct why *why);

/* address and neighbour are IPv4 as numbers (host order). */
bool netlink_address(int fd, int link, uint32_t address, unsigned prefix, struct why *why);
bool netlink_neighbour(int fd, int link, uint32_t neighbour, const uint8_t mac[6], struct why *why);

#endif
