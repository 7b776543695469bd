/* Debug commands that ask the machine: registers, memory, instructions, digests. */
#include <inttypes.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/disas.h"
#include "engine/verb.h"

enum { DISAS_DEFAULT = 10 };

bool verb_regs(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	const struct stop *stop = here_stop(here, err);
	if (!stop)
		return false;
	if (verb_frame_is_meant(v))
		return verb_frame_registers(v, w->list[1], out, err);
	if (w->count > 1 && strcmp(w->list[1], "all")) {
		uint64_t value;
		if (!regs_get(&stop->regs, w->list[1], &value))
			return err_set(err, ERR_USAGE, "there is no register '%.60s' (`regs all` shows them)", w->list[1]);
		buf_printf(out, "%s 0x%016" PRIx64 "\n", w->list[1], value);
		return true;
	}
	regs_print(&stop->regs, here_regs_previous(here), w->count > 1, out);
	here_regs_shown(here);
	return true;
}

bool verb_address(struct verbs *v, const char *text, uint64_t *ret, uint64_t *ret_size, struct err *err)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	const struct stop *stop = here_stop(here, err);
	uint64_t size;
	if (!ret_size)
		ret_size = &size;
	*ret_size = 8;
	if (!stop)
		return false;
	if (text[0] == '$' && !verb_frame_is_meant(v) && regs_get(&stop->regs, text, ret))
		return true;
	if (text[0] >= '0' && text[0] <= '9')
		return verb_number(text, "the address", ret, err);
	struct program *program = here_program(here, 0, here_choice(here).kind == HERE_CURRENT ? &ignored : err);
	if (program)
		return program_address(program, here_frame(here, NULL, &ignored), text, ret, ret_size, err);
	if (here_choice(here).kind != HERE_CURRENT)
		return false;
	const struct guest *guest = here_guest(here, err);
	const struct ksym *symbol = guest ? ksyms_find(guest->layout->ksyms, text) : NULL;
	if (!symbol)
		return err_set(err, ERR_USAGE, "'%.100s' is no address: expected a number, $REGISTER or a symbol", text);
	*ret = symbol->address;
	return true;
}

static size_t read_current(void *data, uint64_t at, void *out, size_t size)
{
	struct space *space = data;
	return memory_read_some(space, at, out, size);
}

bool verb_disas(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	const struct stop *stop = here_stop(here, err);
	uint64_t at, count = DISAS_DEFAULT;
	if (!stop || (w->count > 2 && !verb_number(w->list[2], "the number of instructions", &count, err)))
		return false;
	if (!count || count > DISAS_COUNT_MAX)
		return err_set(err, ERR_USAGE, "%" PRIu64 " instructions: expected 1 to %d", count, DISAS_COUNT_MAX);
	at = stop->regs.rip;
	/* Without an address it is about the processor, whoever has it, unless something else was chosen. */
	bool elsewhere = verb_frame_is_meant(v);
	const struct frame *frame = elsewhere && w->count < 2 ? here_frame(here, NULL, err) : NULL;
	if (elsewhere && w->count < 2 && !frame)
		return false;
	at = frame ? frame->pc : at;
	if (w->count > 1 && !verb_address(v, w->list[1], &at, NULL, err))
		return false;
	const struct process *p = w->count > 1 || elsewhere ? here_focus(here, &ignored) : here_current(here, &ignored);
	struct program *program = p ? here_program(here, p->pid, &ignored) : NULL;
	if (program)
		return program_disas(program, at, 0, (size_t)count, frame ? frame->pc : stop->regs.rip, out, err);
	struct space space;
	if (!here_space(here, &space, err))
		return false;
	struct disas disas = {.read = read_current, .data = &space};
	return disas_print(&disas, at, 0, (size_t)count, stop->regs.rip, out, err);
}

bool verb_digest(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w;
	struct machine *m = walk_machine(session_walk(v->session));
	struct buf text = {0};
	uint8_t sum[DIGEST_SIZE];
	char registers[2 * DIGEST_SIZE + 1], memory[2 * DIGEST_SIZE + 1];
	bool ok = m ? machine_registers(m, &text, err) : err_set(err, ERR_QEMU, "there is no machine: the last move failed");
	if (ok) {
		digest_sha256(text.data, text.size, sum);
		digest_hex(sum, sizeof sum, registers);
		ok = machine_ram_digest(m, sum, err);
		digest_hex(sum, sizeof sum, memory);
	}
	if (ok)
		buf_printf(out, "registers %s\nmemory    %s\n", registers, memory);
	buf_free(&text);
	return ok;
}

bool verb_checkpoints(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	(void)w, (void)err;
	struct walk_checkpoints c;
	walk_checkpoints(session_walk(v->session), &c);
	buf_printf(out, "%zu checkpoint%s, %zu KiB in memory, %zu kept on disk\n", c.count, c.count == 1 ? "" : "s",
		c.bytes >> 10, c.stored);
	if (c.filling)
		buf_str(out, "more are being made\n");
	if (c.unfilled)
		buf_printf(out, "no more are made in the background: %s\n", c.unfilled);
	if (c.not_stored)
		buf_printf(out, "none are kept for the next session: %s\n", c.not_stored);
	return true;
}
