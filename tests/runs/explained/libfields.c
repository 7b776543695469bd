// A list of fields; one of them has no value.
#include <string.h>
#include <stdlib.h>
struct field {
	const char *name;
	char *value;
	struct field *next;
};
static struct field *fields;
int fields_set(const char *name, const char *value)
{
	struct field *f = malloc(sizeof *f);
	f->name = name;
	f->value = value ? strdup(value) : NULL;
	f->next = fields;
	fields = f;
	return 0;
}
size_t fields_total(void)
{
	size_t n = 0;
	for (struct field *f = fields; f; f = f->next)
		n += strlen(f->name) + strlen(f->value);
	return n;
}
