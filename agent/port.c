#include "agent/port.h"

#include <errno.h>
#include <string.h>
#include <sys/io.h>

enum {
	SERIAL_DATA = 0x3f8,
	PVPANIC = 0x505,
	PVPANIC_PANICKED = 1,
	FWCFG_SELECT = 0x510,
	FWCFG_DATA = 0x511,
	FWCFG_DIRECTORY = 0x19,
	FWCFG_NAME_SIZE = 56,
	FWCFG_FILES_MAX = 1024,
};

bool port_allow(bool allowed, struct why *why)
{
	return iopl(allowed ? 3 : 0) == 0 || why_set(why, errno, "setting the I/O privilege level");
}

void port_ring(uint8_t byte)
{
	outb(byte, SERIAL_DATA);
}

void port_barrier(void)
{
	outb(PVPANIC_PANICKED, PVPANIC);
}

void port_fwcfg_read(void *data, size_t size)
{
	__asm__ volatile("rep insb" : "+D"(data), "+c"(size) : "d"(FWCFG_DATA) : "memory");
}

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool port_fwcfg_open(const char *name, size_t *ret_size)
{
	uint8_t count[4];
	outw(FWCFG_DIRECTORY, FWCFG_SELECT);
	port_fwcfg_read(count, sizeof count);
	for (uint32_t i = 0; i < big_endian(count) && i < FWCFG_FILES_MAX; i++) {
		uint8_t entry[8 + FWCFG_NAME_SIZE]; /* u32 size, u16 selector, u16 reserved, name; all big endian */
		port_fwcfg_read(entry, sizeof entry);
		if (strncmp((const char *)entry + 8, name, FWCFG_NAME_SIZE) != 0)
			continue;
		*ret_size = big_endian(entry);
		outw((unsigned short)(entry[4] << 8 | entry[5]), FWCFG_SELECT);
		return true;
	}
	return false;
}
