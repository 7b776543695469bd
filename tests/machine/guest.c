/* A tiny PID 1 for tests of the machine layer: says HELLO, stops at the barrier when it has no orders, then does what its orders
 * say, one letter and a number. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SERIAL = 0x3f8, BARRIER = 0x505, SELECT = 0x510, DATA = 0x511, DIRECTORY = 0x19 };

static uint8_t *region;
static size_t told;

static void say(const char *text)
{
	for (; *text; text++)
		outb((unsigned char)*text, SERIAL);
}

/* As the agent does: bytes into the region, then its size, then one byte on the port. */
static void tell(const char *text)
{
	size_t n = strlen(text);
	memcpy(region + 4096 + told, text, n);
	told += n;
	__asm__ volatile("" ::: "memory");
	*(volatile uint64_t *)(void *)(region + 8) = told;
	outb('.', SERIAL);
}

static uint32_t big_endian(int bytes)
{
	uint32_t value = 0;
	while (bytes--)
		value = value << 8 | inb(DATA);
	return value;
}

/* Gives their size; at most room - 1 bytes are read. */
static size_t read_orders(char *out, size_t room)
{
	outw(DIRECTORY, SELECT);
	for (uint32_t count = big_endian(4); count; count--) {
		uint32_t size = big_endian(4), key = big_endian(2);
		char name[57] = "";
		big_endian(2);
		for (int i = 0; i < 56; i++)
			name[i] = (char)inb(DATA);
		if (strcmp(name, "opt/polecat/orders"))
			continue;
		outw((unsigned short)key, SELECT);
		for (uint32_t i = 0; i < size && i + 1 < room; i++)
			out[i] = (char)inb(DATA);
		return size;
	}
	return 0;
}

static unsigned long work(unsigned long seed, int rounds)
{
	while (rounds--)
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed;
}

/* Sleeps, computes, starts processes: interrupts, page faults and idle time between the lines. */
static void live(long count)
{
	char line[80];
	for (long i = 0; i < count; i++) {
		unsigned long x = work((unsigned long)i, 20000);
		nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
		pid_t pid = fork();
		if (pid == 0)
			_exit((int)(work(x, 5000) & 127));
		int status;
		waitpid(pid, &status, 0);
		snprintf(line, sizeof line, "%ld %lx %d\n", i, x, status);
		i % 2 ? say(line) : tell(line);
	}
}

int main(void)
{
	char orders[64] = "";
	unsigned long base = 0, size = 0;
	const char *where = getenv("POLECAT_OUT");
	iopl(3);
	mknod("/dev/mem", S_IFCHR | 0600, makedev(1, 1));
	int fd = open("/dev/mem", O_RDWR);
	if (!where || sscanf(where, "0x%lx,0x%lx", &base, &size) != 2)
		return 1;
	region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)base);
	if (region == MAP_FAILED)
		return 2;
	memcpy(region, "polecat\1", 8);
	/* As the agent does: HELLO; one byte of orders says that the machine is only being made ready. */
	say("H");
	while (read_orders(orders, sizeof orders) < 2)
		outb(1, BARRIER);
	say("start\n");
	if (orders[0] == 'p')
		return 3; /* the kernel panics when PID 1 ends */
	if (orders[0] == 's')
		for (volatile long spin = 0;; spin++)
			;
	live(atol(orders + 1));
	say("end\n");
	outb(1, BARRIER);
	for (;;)
		pause();
}
