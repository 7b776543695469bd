#include "engine/orcframe.h"

/* DWARF 4, 7.7.1 and 7.23. */
enum {
	DW_CFA_nop = 0x00,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_advance_loc = 0x40,
	DW_OP_deref = 0x06,
	DW_OP_consts = 0x11,
	DW_OP_plus = 0x22,
	DW_OP_breg0 = 0x70
};
/* Rows of one piece: a debugger goes through them from its start. */
enum { ROWS_MAX = 128, RETURN = 16, RIP_OFFSET = 128, RSP_OFFSET = 152 };

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static void put_unsigned(struct buf *out, uint64_t value)
{
	do {
		unsigned char byte = value & 0x7f;
		value >>= 7;
		buf_char(out, (char)(byte | (value ? 0x80 : 0)));
	} while (value);
}

static void put_signed(struct buf *out, int64_t value)
{
	bool negative = value < 0;
	uint64_t rest = (uint64_t)value;
	for (bool more = true; more;) {
		unsigned char byte = rest & 0x7f;
		rest = rest >> 7 | (negative ? UINT64_C(0x7f) << 57 : 0);
		more = negative ? rest != UINT64_MAX || !(byte & 0x40) : rest != 0 || byte & 0x40;
		buf_char(out, (char)(byte | (more ? 0x80 : 0)));
	}
}

static void put_word(struct buf *out, uint64_t value, size_t size)
{
	buf_add(out, &value, size); /* of an x86 for an x86 */
}

/* ---- rules ----------------------------------------------------------------------------------------------------- */

static void put_saved(struct buf *out, unsigned reg, int64_t offset)
{
	buf_char(out, DW_CFA_offset_extended_sf);
	put_unsigned(out, reg);
	put_signed(out, offset);
}

static void put_expression(struct buf *out, const struct buf *expression)
{
	put_unsigned(out, expression->size);
	buf_add(out, expression->data, expression->size);
}

static void put_frame(struct buf *out, const struct orc_row *row, unsigned reg)
{
	struct buf expression = {0};
	bool plain = row->sp_reg != ORC_BP_INDIRECT && row->sp_reg != ORC_SP_INDIRECT;
	bool has_offset = row->sp_reg == ORC_BP || row->sp_reg == ORC_SP;
	if (plain) {
		buf_char(out, DW_CFA_def_cfa_sf);
		put_unsigned(out, reg);
		put_signed(out, has_offset ? row->sp_offset : 0);
		return;
	}
	buf_char(&expression, (char)(DW_OP_breg0 + reg));
	put_signed(&expression, row->sp_reg == ORC_BP_INDIRECT ? row->sp_offset : 0);
	buf_char(&expression, DW_OP_deref);
	if (row->sp_reg == ORC_SP_INDIRECT) {
		buf_char(&expression, DW_OP_consts);
		put_signed(&expression, row->sp_offset);
		buf_char(&expression, DW_OP_plus);
	}
	buf_char(out, DW_CFA_def_cfa_expression);
	put_expression(out, &expression);
	buf_free(&expression);
}

static void put_rbp(struct buf *out, const struct orc_row *row)
{
	struct buf expression = {0};
	if (row->bp_reg == ORC_PREV_SP) {
		put_saved(out, 6, row->bp_offset);
	} else if (row->bp_reg == ORC_BP) {
		buf_char(&expression, DW_OP_breg0 + 6);
		put_signed(&expression, row->bp_offset);
		buf_char(out, DW_CFA_expression);
		put_unsigned(out, 6);
		put_expression(out, &expression);
		buf_free(&expression);
	} else if (row->type != ORC_REGS) {
		buf_char(out, DW_CFA_same_value);
		put_unsigned(out, 6);
	}
}

/* ---- entries --------------------------------------------------------------------------------------------------- */

/* struct pt_regs, whose start is the frame's address. */
static void put_all_saved(struct buf *out)
{
	static const unsigned char order[15] = {15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5};
	for (int i = 0; i < 15; i++)
		put_saved(out, order[i], 8 * i);
	put_saved(out, RETURN, RIP_OFFSET);
	put_saved(out, 7, RSP_OFFSET);
}

static void put_aligned(struct buf *section, const struct buf *body)
{
	size_t padding = (8 - (body->size + 4) % 8) % 8;
	put_word(section, body->size + padding, 4);
	buf_add(section, body->data, body->size);
	for (size_t i = 0; i < padding; i++)
		buf_char(section, DW_CFA_nop);
}

/* What entries of a type have in common. */
static void describe(struct orcframe *f, unsigned type)
{
	struct buf body = {0};
	f->entry[type] = f->section.size;
	put_word(&body, UINT32_MAX, 4);
	buf_char(&body, 1); /* version */
	buf_add(&body, type == ORC_CALL ? "" : "S", type == ORC_CALL ? 1 : 2);
	put_unsigned(&body, 1); /* addresses and offsets are not scaled */
	put_signed(&body, 1);
	buf_char(&body, RETURN);
	if (type == ORC_REGS) {
		put_all_saved(&body);
	} else if (type == ORC_REGS_PARTIAL) {
		put_saved(&body, RETURN, 0);
		put_saved(&body, 7, RSP_OFFSET - RIP_OFFSET);
	} else {
		put_saved(&body, RETURN, -8);
	}
	put_aligned(&f->section, &body);
	buf_free(&body);
}

static void end_piece(struct orcframe *f, uint64_t end)
{
	struct buf body = {0};
	if (f->has_piece && end > f->begin) {
		put_word(&body, f->entry[f->type], 4);
		put_word(&body, f->begin, 8);
		put_word(&body, end - f->begin, 8);
		buf_add(&body, f->program.data, f->program.size);
		put_aligned(&f->section, &body);
	}
	buf_free(&body);
	buf_clear(&f->program);
	f->has_piece = false;
}

static void advance(struct orcframe *f, uint64_t to)
{
	uint64_t by = to - f->at;
	f->at = to;
	if (!by)
		return;
	if (by < 0x40) {
		buf_char(&f->program, (char)(DW_CFA_advance_loc | by));
	} else {
		buf_char(&f->program, DW_CFA_advance_loc4);
		put_word(&f->program, by, 4);
	}
}

/* The row that waited holds up to `end`. */
static void put_row(struct orcframe *f, uint64_t end)
{
	const struct orc_row *row = &f->row;
	unsigned reg, type = row->type <= ORC_REGS_PARTIAL ? row->type : ORC_CALL;
	bool known = !row->end && orc_dwarf_number(row->sp_reg, &reg);
	if (!f->has_row || end <= row->address)
		return;
	if (f->has_piece && (f->type != type || f->rows == ROWS_MAX || row->address - f->begin > UINT32_MAX))
		end_piece(f, row->address);
	if (!f->has_piece) {
		f->has_piece = true;
		f->begin = f->at = row->address;
		f->type = type;
		f->rows = 0;
	}
	advance(f, row->address);
	f->rows++;
	if (known) {
		put_frame(&f->program, row, reg);
		put_rbp(&f->program, row);
	}
	if (known && type == ORC_CALL) {
		put_saved(&f->program, RETURN, -8);
	} else if (!known) { /* the outermost frame */
		buf_char(&f->program, DW_CFA_def_cfa_sf);
		put_unsigned(&f->program, 7);
		put_signed(&f->program, 8);
		buf_char(&f->program, DW_CFA_undefined);
		put_unsigned(&f->program, RETURN);
	}
}

void orcframe_add(struct orcframe *f, const struct orc_row *row)
{
	if (!f->section.size)
		for (unsigned type = ORC_CALL; type <= ORC_REGS_PARTIAL; type++)
			describe(f, type);
	put_row(f, row->address);
	f->row = *row;
	f->has_row = true;
}

void orcframe_end(struct orcframe *f, uint64_t end)
{
	put_row(f, end);
	end_piece(f, end);
	f->has_row = false;
}

void orcframe_finish(struct orcframe *f)
{
	buf_free(&f->section);
	buf_free(&f->program);
}
