#include "engine/scan_condition.h"

#include <inttypes.h>
#include <string.h>

#include "engine/unwind.h"

/* Where a variable is depends on registers. Evaluated with registers that hold these, an address says which one, and how far. */
#define TAG(number) ((UINT64_C(0x5000) + (uint64_t)(number)) << 40)
#define TAG_REACH   (INT64_C(1) << 36)

struct compiler {
	const struct expression *e;
	struct scope scope;
	const struct space *space;   /* NULL: for code */
	const struct value *written; /* type of $old and $new; NULL: there are none */
	bool compares_writes;        /* one of them is in it */
	struct scan_condition *out;
	struct err *err;
};

/* Something in memory: at address, or that far from a register or from what is on the stack. */
struct place {
	enum { PLACE_ABSOLUTE, PLACE_REGISTER, PLACE_STACK } base;
	unsigned number; /* of the register */
	struct value value;
};

static bool rvalue(struct compiler *c, unsigned node, struct value *type);

static bool wrong(struct compiler *c, unsigned node, const char *what)
{
	return expression_wrong(c->e, node, c->err, what);
}

static bool emit(struct compiler *c, unsigned node, enum scan_op_kind kind, size_t size, bool is_signed, uint64_t value)
{
	if (c->out->count == SCAN_CONDITION_MAX)
		return wrong(c, node, "the condition is too long");
	c->out->ops[c->out->count++] =
		(struct scan_op){.kind = (uint16_t)kind, .size = (uint8_t)size, .is_signed = is_signed, .value = value};
	return true;
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

/* Which register a number is that far from; false: none. */
static bool tagged(uint64_t number, unsigned *ret_register, int64_t *ret_distance)
{
	for (unsigned i = 0; i <= SCAN_FS_BASE; i++) {
		int64_t distance = (int64_t)(number - TAG(i));
		if (distance < TAG_REACH && distance > -TAG_REACH) {
			*ret_register = i;
			*ret_distance = distance;
			return true;
		}
	}
	return false;
}

static bool place_of(struct compiler *c, unsigned node, const struct value *value, struct place *ret)
{
	int64_t distance;
	*ret = (struct place){.base = PLACE_ABSOLUTE, .value = *value};
	if (c->space || value->place != VALUE_MEMORY)
		return true;
	if (tagged(value->address, &ret->number, &distance)) {
		ret->base = PLACE_REGISTER;
		ret->value.address = (uint64_t)distance;
	} else if (value->address >> 47 && value->address >> 47 != 0x1ffff)
		return wrong(c, node, "where it is there depends on more than a register");
	return true;
}

/* The address of a place goes on the stack. */
static bool emit_address(struct compiler *c, unsigned node, const struct place *p)
{
	if (p->base == PLACE_ABSOLUTE)
		return emit(c, node, SCAN_PUSH, 0, false, p->value.address);
	if (p->base == PLACE_REGISTER && !emit(c, node, SCAN_REGISTER, 0, false, p->number))
		return false;
	return !p->value.address ||
		(emit(c, node, SCAN_PUSH, 0, false, p->value.address) && emit(c, node, SCAN_ADD, 0, false, 0));
}

/* What "*" and "->" lead to: a pointer goes on the stack. */
static bool target(struct compiler *c, unsigned node, unsigned pointer, struct place *ret)
{
	struct value type, fake;
	if (!rvalue(c, pointer, &type))
		return false;
	fake = type;
	fake.place = VALUE_BYTES;
	fake.size = sizeof fake.bytes;
	memset(fake.bytes, 0, sizeof fake.bytes);
	*ret = (struct place){.base = PLACE_STACK};
	if (!value_target(&c->scope.world, &fake, &ret->value, c->err))
		return wrong(c, node, "only a pointer can be followed");
	ret->value.address = 0;
	return true;
}

static bool place(struct compiler *c, unsigned number, struct place *ret);

static bool index_place(struct compiler *c, unsigned number, struct place *ret)
{
	const struct expression_node *node = &c->e->list[number];
	struct value whole, type, first, second;
	struct place array;
	/* Of an array: its own place; of a pointer: where it points to. */
	if (!place(c, node->a, &array))
		return false;
	whole = array.value;
	if (whole.pointers || !value_count(&whole)) {
		if (!emit_address(c, number, &array) || !emit(c, number, SCAN_LOAD, 8, false, 0))
			return false;
		whole.place = VALUE_BYTES;
		whole.size = sizeof whole.bytes;
		memset(whole.bytes, 0, sizeof whole.bytes);
	} else if (!emit_address(c, number, &array))
		return false;
	else {
		whole.place = VALUE_MEMORY;
		whole.address = 0;
	}
	if (!value_element(&c->scope.world, &whole, 0, &first, c->err) ||
		!value_element(&c->scope.world, &whole, 1, &second, c->err))
		return wrong(c, number, "what is before \"[\" is no array");
	if (!rvalue(c, node->b, &type) || !emit(c, number, SCAN_PUSH, 0, false, second.address - first.address) ||
		!emit(c, number, SCAN_MULTIPLY, 0, true, 0) || !emit(c, number, SCAN_ADD, 0, true, 0))
		return false;
	*ret = (struct place){.base = PLACE_STACK, .value = first};
	ret->value.place = VALUE_MEMORY;
	ret->value.address = 0;
	return true;
}

/* Looks through a reference: its target is at the address that it holds. */
static bool referred(struct compiler *c, unsigned number, struct place *p)
{
	struct value fake = p->value;
	if (!value_is_reference(&p->value))
		return true;
	if (!emit_address(c, number, p) || !emit(c, number, SCAN_LOAD, 8, false, 0))
		return false;
	fake.place = VALUE_BYTES;
	fake.size = sizeof fake.bytes;
	memset(fake.bytes, 0, sizeof fake.bytes);
	p->base = PLACE_STACK;
	return value_target(&c->scope.world, &fake, &p->value, c->err);
}

static bool place(struct compiler *c, unsigned number, struct place *ret)
{
	const struct expression_node *node = &c->e->list[number];
	struct value whole, part;
	if (c->space || node->kind == EXPRESSION_NAME)
		return expression_node_value(c->e, number, &c->scope, &whole, c->err) && place_of(c, number, &whole, ret);
	if (node->kind == EXPRESSION_UNARY && node->op == OP_MULTIPLY)
		return target(c, number, node->a, ret) && referred(c, number, ret);
	if (node->kind == EXPRESSION_INDEX)
		return index_place(c, number, ret);
	if (node->kind == EXPRESSION_ARROW ? !target(c, number, node->a, ret) : !place(c, node->a, ret))
		return false;
	if (!referred(c, number, ret))
		return false;
	whole = ret->value;
	if (!value_member(&c->scope.world, &whole, c->e->text + node->at, node->size, &part, c->err))
		return false;
	ret->value = part;
	return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* Does the type have a sign, before it is made an int? */
static bool has_sign(const struct compiler *c, const struct value *value)
{
	struct value ones = *value;
	uint64_t number;
	ones.place = VALUE_BYTES;
	ones.size = sizeof ones.bytes;
	memset(ones.bytes, 0xff, sizeof ones.bytes);
	return value_number(&c->scope.world, &ones, &number) && number >> 63;
}

static bool watch(struct compiler *c, unsigned node, uint64_t address, size_t size, uint64_t *ret_physical)
{
	struct memory_page page;
	if (!memory_walk(c->space, address, &page))
		return wrong(c, node, "it is not in memory here");
	if (page.left < size)
		return wrong(c, node, "it crosses a page");
	*ret_physical = page.physical;
	c->out->places[c->out->place_count++] = (struct scan_condition_place){page.physical, page.physical + size};
	return true;
}

/* Bytes that a number is made of in memory: of a bit field those that its bits are in. */
static bool number_size(struct compiler *c, unsigned node, const struct value *v, size_t *ret)
{
	size_t size = v->bit_size ? (v->bit_at + v->bit_size + 7) / 8 : value_size(v);
	*ret = v->bit_size ? (size > 4 ? 8 : size > 2 ? 4 : size) : size;
	if (value_is_float(v))
		return wrong(c, node, "conditions are about whole numbers");
	return *ret == 1 || *ret == 2 || *ret == 4 || *ret == 8 || wrong(c, node, "it is no number");
}

/* Those bytes are on the stack: of a bit field its bits are left. */
static bool emit_bits(struct compiler *c, unsigned node, const struct value *v)
{
	return !v->bit_size ||
		(emit(c, node, SCAN_PUSH, 0, false, v->bit_at) && emit(c, node, SCAN_RIGHT, 0, false, 0) &&
			emit(c, node, SCAN_EXTEND, v->bit_size, has_sign(c, v), 0));
}

static bool load(struct compiler *c, unsigned node, const struct place *p)
{
	const struct value *v = &p->value;
	size_t size;
	bool sign = has_sign(c, v);
	uint64_t physical = 0;
	if (!number_size(c, node, v, &size))
		return false;
	bool ok = c->space ? watch(c, node, v->address, size, &physical) && emit(c, node, SCAN_PHYSICAL, size, sign, physical)
			   : emit_address(c, node, p) && emit(c, node, SCAN_LOAD, size, sign, 0);
	return ok && emit_bits(c, node, v);
}

/* A variable that is in a register there, or a constant. */
static bool held(struct compiler *c, unsigned node, const struct value *value)
{
	uint64_t number;
	if (value->place == VALUE_GONE)
		return wrong(c, node, c->space ? "it is optimized out" : "it is optimized out there, or its place is not known");
	if (c->space && value->in_register)
		return wrong(c, node, "it is in a register here, which nobody can watch (`break FILE:LINE if ...` can)");
	if (value->in_register && value->in_register <= EXPR_INTEGERS) {
		size_t size = value_size(value);
		if (size > 8 || value_is_float(value))
			return wrong(c, node, "conditions are about whole numbers");
		return emit(c, node, SCAN_REGISTER, 0, false, value->in_register - 1) &&
			emit(c, node, SCAN_EXTEND, 8 * size, has_sign(c, value), 0);
	}
	return value_number(&c->scope.world, value, &number) ? emit(c, node, SCAN_PUSH, 0, false, number)
							     : wrong(c, node, "conditions are about whole numbers");
}

static bool memory_value(struct compiler *c, unsigned number, struct value *type)
{
	struct place p;
	if (!place(c, number, &p) || (!c->space && !referred(c, number, &p)))
		return false;
	struct value reference = p.value;
	if (c->space && value_is_reference(&reference) && !value_target(&c->scope.world, &reference, &p.value, c->err))
		return false;
	*type = p.value;
	if (p.value.place != VALUE_MEMORY)
		return held(c, number, &p.value);
	bool untyped = !p.value.has_type && !p.value.builtin && !p.value.pointers;
	if (untyped)
		return wrong(c, number, "it has no type: (int)name gives it one");
	return value_is_pointer(&p.value) && value_count(&p.value) ? emit_address(c, number, &p) : load(c, number, &p);
}

/* ---- operators ---------------------------------------------------------------------------------------------------- */

static bool truth(struct compiler *c, unsigned node)
{
	struct value type;
	return rvalue(c, node, &type) && emit(c, node, SCAN_TRUTH, 0, false, 0);
}

/* Reserves a jump; its distance is set when it is known. */
static bool jump(struct compiler *c, unsigned node, enum scan_op_kind kind, uint32_t *ret)
{
	*ret = c->out->count;
	return emit(c, node, kind, 0, false, 0);
}

static void land(struct compiler *c, uint32_t from)
{
	c->out->ops[from].value = c->out->count - from - 1;
}

static bool both_or_either(struct compiler *c, unsigned number)
{
	const struct expression_node *node = &c->e->list[number];
	uint32_t first, second;
	bool both = node->op == OP_BOTH;
	if (!truth(c, node->a) || !jump(c, number, SCAN_JUMP_IF_NOT, &first) || (both && !truth(c, node->b)) ||
		(!both && !emit(c, number, SCAN_PUSH, 0, false, 1)) || !jump(c, number, SCAN_JUMP, &second))
		return false;
	land(c, first);
	if (both ? !emit(c, number, SCAN_PUSH, 0, false, 0) : !truth(c, node->b))
		return false;
	land(c, second);
	return true;
}

static bool choice(struct compiler *c, unsigned number, struct value *type)
{
	const struct expression_node *node = &c->e->list[number];
	uint32_t first, second;
	if (!truth(c, node->a) || !jump(c, number, SCAN_JUMP_IF_NOT, &first) || !rvalue(c, node->b, type) ||
		!jump(c, number, SCAN_JUMP, &second))
		return false;
	land(c, first);
	if (!rvalue(c, node->c, type))
		return false;
	land(c, second);
	return true;
}

static bool binary(struct compiler *c, unsigned number, struct value *type)
{
	static const struct {
		enum expression_op op;
		enum scan_op_kind kind;
		bool negated, compares;
	} ops[] = {{OP_MULTIPLY, SCAN_MULTIPLY, false, false}, {OP_DIVIDE, SCAN_DIVIDE, false, false},
		{OP_REMAINDER, SCAN_REMAINDER, false, false}, {OP_PLUS, SCAN_ADD, false, false},
		{OP_MINUS, SCAN_SUBTRACT, false, false}, {OP_AND, SCAN_AND, false, false}, {OP_OR, SCAN_OR, false, false},
		{OP_XOR, SCAN_XOR, false, false}, {OP_LEFT, SCAN_LEFT, false, false}, {OP_RIGHT, SCAN_RIGHT, false, false},
		{OP_EQUAL, SCAN_EQUAL, false, true}, {OP_UNEQUAL, SCAN_UNEQUAL, false, true}, {OP_LESS, SCAN_LESS, false, true},
		{OP_NOT_MORE, SCAN_NOT_MORE, false, true}, {OP_MORE, SCAN_NOT_MORE, true, true},
		{OP_NOT_LESS, SCAN_LESS, true, true}};
	const struct expression_node *node = &c->e->list[number];
	struct value a, b;
	size_t i = 0;
	if (node->op == OP_BOTH || node->op == OP_EITHER) {
		*type = value_of_number(0, VALUE_BOOL);
		return both_or_either(c, number);
	}
	while (i < sizeof ops / sizeof *ops && ops[i].op != node->op)
		i++;
	if (i == sizeof ops / sizeof *ops)
		return wrong(c, number, "this cannot be a part of a condition");
	if (!rvalue(c, node->a, &a) || !rvalue(c, node->b, &b))
		return false;
	if (!ops[i].compares && (value_is_pointer(&a) || value_is_pointer(&b)))
		return wrong(c, number, "conditions do not calculate with pointers (p[1] is possible)");
	bool sign = (value_is_signed(&a) || (node->op == OP_RIGHT && value_is_signed(&a))) &&
		(node->op == OP_RIGHT || value_is_signed(&b));
	*type = value_of_number(0, ops[i].compares ? VALUE_BOOL : sign ? VALUE_SIGNED : VALUE_UNSIGNED);
	return emit(c, number, ops[i].kind, 0, sign, 0) && (!ops[i].negated || emit(c, number, SCAN_NOT, 0, false, 0));
}

static bool unary(struct compiler *c, unsigned number, struct value *type)
{
	const struct expression_node *node = &c->e->list[number];
	struct place p;
	if (node->op == OP_MULTIPLY)
		return memory_value(c, number, type);
	if (node->op == OP_AND) {
		*type = value_of_number(0, VALUE_UNSIGNED);
		return place(c, node->a, &p) && (p.value.place == VALUE_MEMORY || wrong(c, number, "it has no address")) &&
			emit_address(c, number, &p);
	}
	if (!rvalue(c, node->a, type))
		return false;
	if (node->op == OP_PLUS)
		return true;
	if (node->op == OP_NOT)
		*type = value_of_number(0, VALUE_BOOL);
	return emit(c, number, node->op == OP_NOT ? SCAN_NOT : node->op == OP_MINUS ? SCAN_NEGATE : SCAN_COMPLEMENT, 0, false, 0);
}

static bool cast(struct compiler *c, unsigned number, struct value *type)
{
	const struct expression_node *node = &c->e->list[number];
	const struct expression_node *inner = &c->e->list[node->a];
	struct value from;
	struct place p;
	/* A symbol without debug information gets a type. */
	if (inner->kind == EXPRESSION_NAME && place(c, node->a, &p) && p.value.place == VALUE_MEMORY && !p.value.has_type &&
		!p.value.builtin) {
		uint64_t address = p.value.address;
		p.value = *type = node->value;
		p.value.place = VALUE_MEMORY;
		p.value.address = address;
		return load(c, number, &p);
	}
	if (!rvalue(c, node->a, &from))
		return false;
	*type = node->value;
	if (!value_is_integer(type) && !value_is_pointer(type))
		return wrong(c, number, "conditions are about whole numbers");
	return emit(c, number, SCAN_EXTEND, 8 * value_size(type), has_sign(c, type), 0);
}

/* Is it "$old" or "$new"? */
static bool is_written(const struct compiler *c, const struct expression_node *node, enum scan_op_kind *ret)
{
	const char *name = c->e->text + node->at;
	*ret = node->size == 4 && !memcmp(name, "$old", 4) ? SCAN_OLD : SCAN_NEW;
	return *ret == SCAN_OLD || (node->size == 4 && !memcmp(name, "$new", 4));
}

static bool written_value(struct compiler *c, unsigned number, enum scan_op_kind kind, struct value *type)
{
	size_t size;
	*type = *c->written;
	c->compares_writes = true;
	if (value_is_pointer(type) && value_count(type))
		return wrong(c, number, "what is written there is an array: watch one of its elements");
	return number_size(c, number, type, &size) && emit(c, number, kind, size, has_sign(c, type), 0) &&
		emit_bits(c, number, type);
}

static bool register_value(struct compiler *c, unsigned number, struct value *type)
{
	enum scan_op_kind kind;
	if (c->written && is_written(c, &c->e->list[number], &kind))
		return written_value(c, number, kind, type);
	struct value value;
	unsigned which;
	int64_t distance;
	uint64_t bits;
	if (!expression_node_value(c->e, number, &c->scope, &value, c->err))
		return false;
	memcpy(&bits, value.bytes, sizeof bits);
	*type = value_of_number(0, VALUE_UNSIGNED);
	if (c->space || !tagged(bits, &which, &distance))
		return emit(c, number, SCAN_PUSH, 0, false, bits);
	return emit(c, number, SCAN_REGISTER, 0, false, which);
}

static bool rvalue(struct compiler *c, unsigned number, struct value *type)
{
	const struct expression_node *node = &c->e->list[number];
	uint64_t n;
	switch (node->kind) {
	case EXPRESSION_NUMBER:
		*type = node->value;
		return value_number(&c->scope.world, type, &n) ? emit(c, number, SCAN_PUSH, 0, false, n)
							       : wrong(c, number, "conditions are about whole numbers");
	case EXPRESSION_REGISTER:
		return register_value(c, number, type);
	case EXPRESSION_UNARY:
		return unary(c, number, type);
	case EXPRESSION_BINARY:
		return binary(c, number, type);
	case EXPRESSION_CHOICE:
		return choice(c, number, type);
	case EXPRESSION_CAST:
		return cast(c, number, type);
	case EXPRESSION_SIZE:
		return expression_node_value(c->e, number, &c->scope, type, c->err) && value_number(&c->scope.world, type, &n) &&
			emit(c, number, SCAN_PUSH, 0, false, n);
	case EXPRESSION_NAME:
	case EXPRESSION_INDEX:
	case EXPRESSION_MEMBER:
	case EXPRESSION_ARROW:
		return memory_value(c, number, type);
	}
	return false;
}

bool scan_condition_here(const struct expression *e, const struct scope *scope, const struct space *space,
	const struct value *written, struct scan_condition *ret, struct err *err)
{
	struct compiler c = {.e = e, .scope = *scope, .space = space, .written = written, .out = ret, .err = err};
	struct value type;
	ret->count = ret->place_count = 0;
	if (!rvalue(&c, e->root, &type))
		return false;
	return ret->place_count || c.compares_writes ||
		err_set(err, ERR_INPUT, "%s: nothing in it is in memory, so it never changes", e->text);
}

bool scan_condition_at(
	const struct expression *e, const struct scope *scope, uint64_t pc, struct scan_condition *ret, struct err *err)
{
	struct frame frame = {.pc = pc, .how = FRAME_FIRST};
	struct compiler c = {.e = e, .scope = *scope, .out = ret, .err = err};
	struct value type;
	for (unsigned i = 0; i < EXPR_INTEGERS; i++) {
		frame.registers.value[i] = TAG(i);
		frame.registers.known |= UINT64_C(1) << i;
	}
	frame.registers.value[FRAME_PC] = pc;
	frame.registers.fs_base = TAG(SCAN_FS_BASE);
	unwind_cfa(scope->world.symbols, scope->world.read, scope->world.data, &frame);
	c.scope.frame = &frame;
	ret->count = ret->place_count = 0;
	return rvalue(&c, e->root, &type);
}

bool scan_condition_add(const struct scan_condition *c, struct scan_request *r, struct scan_watch *w, struct err *err)
{
	if (SCAN_TESTS - r->test_count < c->count)
		return err_set(
			err, ERR_USAGE, "the conditions are too many: together they have more than %d operations", SCAN_TESTS);
	memcpy(r->tests + r->test_count, c->ops, c->count * sizeof *c->ops);
	w->test = r->test_count;
	w->test_count = c->count;
	r->test_count += c->count;
	return true;
}
