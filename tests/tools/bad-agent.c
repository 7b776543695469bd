/* A PID 1 that misbehaves after the barrier, in the way that MODE (a macro, one of the words below) says. For tests of what the
 * engine makes of it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/boot.h"
#include "agent/outbox.h"
#include "agent/port.h"

#define panic   1 /* ends, which the kernel does not forgive */
#define silent  2 /* stops without saying why */
#define garbage 3 /* rings for a frame that is none */
#define hang    4 /* spins for ever */
#define crash   5 /* says that it cannot go on */

static struct outbox outbox;

static void stop(void)
{
	port_barrier();
	for (;;)
		pause();
}

static void begin(void)
{
	static uint8_t digest[WIRE_DIGEST_SIZE];
	struct wire_message m = {.type = WIRE_BEGIN, .bytes = {digest, sizeof digest}};
	outbox_send(&outbox, &m);
}

int main(void)
{
	struct why why;
	void *region;
	uint64_t size;
	struct wire_message hello = {.type = WIRE_HELLO, .value = WIRE_VERSION};
	if (!boot_machine(&why) || !port_allow(true, &why) || !outbox_map(getenv("POLECAT_OUT"), &region, &size, &why) ||
		!outbox_init(&outbox, region, size, port_ring, stop, &why))
		return 1;
	outbox_send(&outbox, &hello);
	/* As the agent proper: a run starts right after HELLO and has orders; a boot has none, and ends here. */
	size_t orders;
	if (!port_fwcfg_open("opt/polecat/orders", &orders) || orders < 8)
		port_barrier();
	begin();
	switch (MODE) {
	case panic:
		return 3;
	case garbage:
		memset((uint8_t *)region + OUTBOX_HEADER + outbox.tail, 0x5a, 100);
		*(volatile uint64_t *)((uint8_t *)region + 8) = outbox.tail + 100;
		port_ring(2);
		break;
	case hang:
		for (;;)
			;
	case crash:
		outbox_fatal(&outbox, 0, "it has had enough");
	default:
		break;
	}
	stop();
}
