/* vmlinux CACHE: prints the path of the kernel that polecat's machines run, and those of its modules. */
#include <stdio.h>

#include "engine/kernel.h"

int main(int argc, char **argv)
{
	struct err err = {0};
	struct kernel *kernel = argc == 2 ? kernel_get(argv[1], NULL, NULL, &err) : NULL;
	if (!kernel) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	puts(kernel->vmlinux);
	for (size_t i = 0; i < kernel->module_count; i++)
		puts(kernel->modules[i].path);
	kernel_destroy(kernel);
	return 0;
}
