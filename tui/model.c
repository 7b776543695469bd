#include "tui/model.h"

const struct run *model_run(const struct model *m)
{
	return m->runs[m->side];
}

bool model_debug_source(const struct model_debug *m)
{
	const struct debug_picture *p = m->picture;
	if (m->code != DEBUG_CODE_AUTO)
		return m->code == DEBUG_CODE_SOURCE;
	return p && p->source_name && (p->in_source || p->in_kernel || !p->on_processor);
}
