#include "tui/model.h"

const struct run *model_run(const struct model *m)
{
	return m->runs[m->side];
}
