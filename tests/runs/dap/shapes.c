/* Values of every shape, a function that is called again and again, a child, and an end by a signal. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum colour { RED, GREEN = 5 };

union either {
	int number;
	char bytes[4];
};

struct point {
	int x, y;
};

struct shape {
	const char *name;
	struct point corner[3];
	unsigned visible : 1, layer : 5;
	enum colour colour;
	union either either;
	struct {
		short hidden;
	};
	struct shape *next, *nobody;
	double size;
	int grid[2][3], many[300];
	int (*visit)(int by);
};

long total;
int *cause;

static int twice(int by)
{
	return 2 * by;
}

static struct shape last = {.name = "last", .visible = 1, .layer = 17, .colour = GREEN, .size = 0.25, .visit = twice};
static struct shape first = {.name = "first",
	.corner = {{1, 2}, {3, 4}, {5, 6}},
	.either = {.number = 65},
	.hidden = -3,
	.next = &last,
	.grid = {{1, 2, 3}, {4, 5, 6}},
	.visit = twice};

static __attribute__((noinline)) long add(struct shape *shape, int by)
{
	long before = total;
	shape->many[by] = by; /* the count so far is before */
	total += shape->visit(by);
	return before;
}

static void child(void)
{
	add(&last, 7); /* in the child */
	_exit(3);
}

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (int i = 1; i <= 20; i++)
		add(&first, i);
	pid_t pid = fork();
	if (!pid)
		child();
	waitpid(pid, NULL, 0);
	printf("total %ld\n", total);
	fflush(stdout);
	*cause = 1; /* here it ends */
	return 0;
}
