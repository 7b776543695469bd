/*
 * A debug adapter for editors: the requests of the Debug Adapter Protocol, answered about one process of a recorded run, with
 * steps back. The console of the editor takes the commands of `polecat debug`.
 */
#ifndef ENGINE_DAPSERVER_H
#define ENGINE_DAPSERVER_H

#include "engine/verbs.h"

/* Talks on the two descriptors until the client leaves. verbs is borrowed. False when the client does not speak DAP. */
bool dapserver_serve(struct verbs *verbs, int in, int out, struct err *err);

/* When there is nothing to serve: the client's first request is answered with the reason, which is all that an editor shows. */
void dapserver_refuse(int in, int out, const struct err *why);

#endif
