/*
 * The program of a process and its libraries, copied out of the guest's memory into a directory of the host as they are in the
 * guest's tree: what another debugger takes for its files.
 */
#ifndef ENGINE_EXTRACT_H
#define ENGINE_EXTRACT_H

#include "engine/buf.h"
#include "engine/guestfile.h"
#include "engine/maps.h"
#include "engine/process.h"

#define EXTRACT_FILE_MAX  (UINT64_C(1) << 30) /* bytes of one file */
#define EXTRACT_FILES_MAX 1024

/* The mapping of the program itself, with its start; NULL when it is not known. Borrowed from maps. */
const struct map *extract_main(const struct guest *guest, const struct process *process, const struct maps *maps);

/* How many files extract_files is about: it is to be asked again when that has changed. */
size_t extract_count(const struct maps *maps);

/*
 * Copies all mapped files with code that are not there yet below dir (a descriptor). Those that are not whole in the guest's
 * memory are left out: missing (appended) says which, one a line. False when the directory cannot be written to.
 */
bool extract_files(const struct guest *guest, const struct maps *maps, int dir, struct buf *missing, struct err *err);

#endif
