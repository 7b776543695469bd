/* A library. */
#include "box.h"

int box_open(int key)
{
	int inside = key * 3;
	return inside; /* the box is open */
}
