#include "engine/property.h"

#include <stdlib.h>

const char *property_form_name(enum property_form form)
{
	static const char *const names[PROPERTY_FORMS] = {"always", "never", "sometimes", "eventually", "ordered", "checker"};
	return names[form];
}

void matcher_finish(struct matcher *m)
{
	free(m->node);
	pattern_destroy(m->pattern);
	for (size_t i = 0; i < m->json_count; i++) {
		free(m->json[i].path);
		free(m->json[i].value);
	}
	free(m->json);
	free(m->where);
	*m = (struct matcher){0};
}

void property_finish(struct property *p)
{
	for (size_t i = 0; i < p->matcher_count; i++)
		matcher_finish(&p->matchers[i]);
	free(p->matchers);
	if (p->after)
		matcher_finish(p->after);
	free(p->after);
	free(p->each);
	free(p->id);
	free(p->about);
	*p = (struct property){0};
}
