// An off-by-one write in one heap block changes its neighbour's header or data.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {
	struct node *next;
	int key;
	char text[12];
};
static struct node *head;
static char *names[16];
static void add(int key)
{
	struct node *n = malloc(sizeof *n);
	n->key = key;
	n->next = head;
	snprintf(n->text, sizeof n->text, "node %d", key);
	head = n;
}
static void rename_it(int i, const char *to)
{
	size_t size = strlen(to);
	names[i] = malloc(24);
	memset(names[i], ' ', 24);
	memcpy(names[i], to, size); /* the bug: size is not limited */
}
static long sum(void)
{
	long s = 0;
	for (struct node *n = head; n; n = n->next)
		s += n->key;
	return s;
}
int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	puts("ready");
	for (int i = 0; i < 16; i++) {
		char name[64];
		memset(name, 'A' + i, sizeof name);
		name[i == 11 ? 40 : 20] = 0;
		rename_it(i, name);
		add(i);
		if (i) {
			free(names[i - 1]);
			rename_it(i - 1, i == 12 ? "0123456789012345678901234567890123456789" : "x");
		}
	}
	printf("sum %ld\n", sum());
	return 0;
}
