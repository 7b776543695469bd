/* Memory and machine code, as bytes and as instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_server.h"
#include "engine/disas.h"

static void put_base64(struct buf *out, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t word =
			(uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0u);
		buf_char(out, digits[word >> 18]);
		buf_char(out, digits[word >> 12 & 63]);
		buf_char(out, left > 1 ? digits[word >> 6 & 63] : '=');
		buf_char(out, left > 2 ? digits[word & 63] : '=');
	}
}

/* What a request is about: an address in a process. */
static struct program *program_of(struct dap_server *s, uint64_t *ret_address, struct err *err)
{
	const struct process *p = dap_find_reference(s, dap_string(s->arguments, "memoryReference"), ret_address, err);
	*ret_address += (uint64_t)dap_signed(s->arguments, "offset", 0);
	return p ? targets_program(s->targets, p, err) : NULL;
}

bool dap_read_memory(struct dap_server *s, struct err *err)
{
	uint64_t address = 0, count = dap_number(s->arguments, "count", 0);
	struct program *program = program_of(s, &address, err);
	if (!program)
		return false;
	if (count > DAP_MEMORY_MAX)
		return err_set(err, ERR_INPUT, "%" PRIu64 " bytes are too many: expected at most %u", count, DAP_MEMORY_MAX);
	unsigned char *bytes = mem_alloc(count);
	size_t got = program_read(program, address, bytes, count);
	struct buf data = {0};
	char *where = mem_printf("0x%" PRIx64, address);
	put_base64(&data, bytes, got);
	json_put_str(s->body, "address", where);
	json_put_u64(s->body, "unreadableBytes", count - got);
	json_put(s->body, "data", json_new_strn(data.data ? data.data : "", data.size));
	buf_free(&data);
	free(where);
	free(bytes);
	return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* The addresses of instructions in front of one, the last of them just before it. */
struct before {
	uint64_t list[DAP_DISASSEMBLY_MAX]; /* a ring */
	uint64_t until, reached;
	size_t count;
};

static bool note_address(void *data, const struct disas_instruction *one)
{
	struct before *b = data;
	if (one->address >= b->until)
		return false;
	b->list[b->count++ % DAP_DISASSEMBLY_MAX] = one->address;
	b->reached = one->address + one->size;
	return true;
}

/*
 * The address `wanted` instructions before another. Instructions cannot be read backward, so they are read from where one is
 * known to begin: the function's start, or, since code finds its way into step soon, some way before. *missing: how many there
 * are not.
 */
static uint64_t address_before(struct program *program, struct disas *disas, uint64_t address, size_t wanted, size_t *missing)
{
	struct before *b = mem_alloc(sizeof *b);
	uint64_t offset, start = address;
	struct err ignored;
	for (size_t way = 16 * (wanted + 1), tries = 0; tries < 16; tries++) {
		start = address > way + tries ? address - way - tries : 0;
		if (symbols_name(program_symbols(program), start, &offset))
			start -= offset;
		*b = (struct before){.until = address};
		disas_each(disas, start, DISAS_COUNT_MAX, note_address, b, &ignored);
		if (b->reached == address && b->count >= wanted)
			break;
	}
	size_t have = b->reached == address ? b->count < DAP_DISASSEMBLY_MAX ? b->count : DAP_DISASSEMBLY_MAX : 0;
	*missing = wanted > have ? wanted - have : 0;
	size_t back = wanted - *missing;
	uint64_t found = back ? b->list[(b->count - back) % DAP_DISASSEMBLY_MAX] : address;
	free(b);
	return found;
}

struct listing {
	struct dap_server *s;
	struct program *program;
	struct json *list;
	char *file; /* of the last instruction with a source; as the compiler has it */
	int line;
	bool names;
};

static void put_line(struct listing *l, uint64_t address, struct json *j)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	if (!symbols_at(program_symbols(l->program), address, false, places) || !places[0].file)
		return;
	bool same_file = l->file && !strcmp(l->file, places[0].file);
	if (same_file && places[0].line == l->line)
		return;
	if (!same_file) {
		char *path = dap_source_find(l->s, places[0].directory, places[0].file);
		if (!path)
			return;
		struct json *source = json_new_object();
		const char *slash = strrchr(path, '/');
		json_put_str(source, "name", slash ? slash + 1 : path);
		json_put_str(source, "path", path);
		json_put(j, "location", source);
		free(path);
		free(l->file);
		l->file = mem_str(places[0].file);
	}
	l->line = places[0].line;
	json_put_i64(j, "line", l->line - l->s->lines_from_0);
}

static bool push_instruction(void *data, const struct disas_instruction *one)
{
	struct listing *l = data;
	struct json *j = json_new_object();
	struct buf bytes = {0}, name = {0};
	char *address = mem_printf("0x%" PRIx64, one->address);
	for (size_t i = 0; i < one->size; i++)
		buf_printf(&bytes, "%s%02x", i ? " " : "", one->bytes[i]);
	json_put_str(j, "address", address);
	json_put_str(j, "instructionBytes", bytes.data);
	json_put_str(j, "instruction", one->text);
	if (one->bad)
		json_put_str(j, "presentationHint", "invalid");
	if (l->names)
		program_name(l->program, one->address, &name);
	if (name.size)
		json_put_str(j, "symbol", name.data);
	put_line(l, one->address, j);
	json_push(l->list, j);
	free(address);
	buf_free(&bytes);
	buf_free(&name);
	return true;
}

/* Clients count on as many as they asked for. */
static void push_missing(struct json *list, uint64_t address)
{
	struct json *j = json_new_object();
	char *text = mem_printf("0x%" PRIx64, address);
	json_put_str(j, "address", text);
	json_put_str(j, "instruction", "(not in memory)");
	json_put_str(j, "presentationHint", "invalid");
	json_push(list, j);
	free(text);
}

bool dap_disassemble(struct dap_server *s, struct err *err)
{
	uint64_t address = 0, count = dap_number(s->arguments, "instructionCount", 0);
	int64_t skip = dap_signed(s->arguments, "instructionOffset", 0);
	struct program *program = program_of(s, &address, err);
	struct err ignored;
	if (!program)
		return false;
	if (count > DAP_DISASSEMBLY_MAX || skip > DAP_DISASSEMBLY_MAX || skip < -DAP_DISASSEMBLY_MAX)
		return err_set(err, ERR_INPUT, "expected at most %d instructions, at most as far away", DAP_DISASSEMBLY_MAX);
	struct disas disas = {program_read, program_name, program, false};
	struct listing l = {
		.s = s, .program = program, .list = json_new_array(), .names = dap_bool(s->arguments, "resolveSymbols")};
	size_t missing = 0, ahead = skip > 0 ? (size_t)skip : 0;
	uint64_t from = skip < 0 ? address_before(program, &disas, address, (size_t)-skip, &missing) : address;
	for (size_t i = 0; i < missing && json_count(l.list) < count; i++)
		push_missing(l.list, from > missing - i ? from - (missing - i) : 0);
	struct before *skipped = mem_alloc(sizeof *skipped);
	*skipped = (struct before){.until = UINT64_MAX};
	if (ahead && disas_each(&disas, from, ahead, note_address, skipped, &ignored))
		from = skipped->reached;
	free(skipped);
	if (json_count(l.list) < count)
		disas_each(&disas, from, count - json_count(l.list), push_instruction, &l, &ignored);
	while (json_count(l.list) < count)
		push_missing(l.list, from + json_count(l.list));
	free(l.file);
	json_put(s->body, "instructions", l.list);
	return true;
}
