/* What an expression comes to, in a scope. */
#include <string.h>

#include "engine/expression.h"
#include "engine/container.h"

struct evaluation {
	const struct expression *e;
	const struct scope *scope;
	struct err *err;
};

static bool node_value(const struct evaluation *v, unsigned number, struct value *ret);

static bool wrong(const struct evaluation *v, const struct expression_node *node, const char *what)
{
	return err_set(v->err, ERR_INPUT, "%s: column %zu: %s", v->e->text, node->at + 1, what);
}

/* What a reference refers to. */
static bool referred(const struct evaluation *v, struct value *value)
{
	struct value whole = *value;
	return !value_is_reference(value) || value_target(&v->scope->world, &whole, value, v->err);
}

static bool operand(const struct evaluation *v, unsigned number, struct value *ret)
{
	return node_value(v, number, ret) && referred(v, ret);
}

static bool integer(const struct evaluation *v, const struct expression_node *node, const struct value *value, uint64_t *ret)
{
	return value_number(&v->scope->world, value, ret) ||
		wrong(v, node, value->place == VALUE_GONE ? "it is optimized out" : "it is no number");
}

/* Is it true, as a condition? */
static bool truth(const struct evaluation *v, unsigned number, bool *ret)
{
	struct value value;
	double real;
	uint64_t n;
	const struct expression_node *node = &v->e->list[number];
	if (!operand(v, number, &value))
		return false;
	if (value_is_float(&value) && value_float(&v->scope->world, &value, &real)) {
		*ret = real < 0 || real > 0;
		return true;
	}
	if (!integer(v, node, &value, &n))
		return false;
	*ret = n != 0;
	return true;
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

static bool calculate_real(const struct evaluation *v, const struct expression_node *node, double a, double b, struct value *ret)
{
	switch (node->op) {
	case OP_MULTIPLY:
		*ret = value_of_float(a * b);
		return true;
	case OP_DIVIDE:
		*ret = value_of_float(a / b);
		return true;
	case OP_PLUS:
		*ret = value_of_float(a + b);
		return true;
	case OP_MINUS:
		*ret = value_of_float(a - b);
		return true;
	case OP_LESS:
		*ret = value_of_number(a < b, VALUE_BOOL);
		return true;
	case OP_MORE:
		*ret = value_of_number(a > b, VALUE_BOOL);
		return true;
	case OP_NOT_MORE:
		*ret = value_of_number(a <= b, VALUE_BOOL);
		return true;
	case OP_NOT_LESS:
		*ret = value_of_number(a >= b, VALUE_BOOL);
		return true;
	case OP_EQUAL:
		*ret = value_of_number(a <= b && a >= b, VALUE_BOOL);
		return true;
	case OP_UNEQUAL:
		*ret = value_of_number((uint64_t)(a < b || a > b), VALUE_BOOL);
		return true;
	default:
		return wrong(v, node, "this cannot be done with a floating-point number");
	}
}

static bool divide(
	const struct evaluation *v, const struct expression_node *node, uint64_t a, uint64_t b, bool has_sign, uint64_t *ret)
{
	bool rest = node->op == OP_REMAINDER;
	if (!b)
		return wrong(v, node, "a division by zero");
	if (!has_sign)
		*ret = rest ? a % b : a / b;
	else if (b == UINT64_MAX) /* -1: the smallest number has no negative */
		*ret = rest ? UINT64_C(0) : 0 - a;
	else
		*ret = (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	return true;
}

static int order(uint64_t a, uint64_t b, bool has_sign)
{
	if (has_sign)
		return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
	return a < b ? -1 : a > b;
}

static bool calculate(const struct evaluation *v, const struct expression_node *node, uint64_t a, uint64_t b,
	enum value_kind kind, struct value *ret)
{
	bool has_sign = kind == VALUE_SIGNED;
	uint64_t r = 0;
	bool yes = false;
	int compared = order(a, b, has_sign);
	switch (node->op) {
	case OP_MULTIPLY:
		r = a * b;
		break;
	case OP_DIVIDE:
	case OP_REMAINDER:
		if (!divide(v, node, a, b, has_sign, &r))
			return false;
		break;
	case OP_PLUS:
		r = a + b;
		break;
	case OP_MINUS:
		r = a - b;
		break;
	case OP_AND:
		r = a & b;
		break;
	case OP_OR:
		r = a | b;
		break;
	case OP_XOR:
		r = a ^ b;
		break;
	case OP_LEFT:
		r = b < 64 ? a << b : 0;
		break;
	case OP_RIGHT:
		r = has_sign ? (uint64_t)((int64_t)a >> (b < 63 ? b : 63)) : b < 64 ? a >> b : 0;
		break;
	case OP_LESS:
	case OP_MORE:
	case OP_NOT_MORE:
	case OP_NOT_LESS:
	case OP_EQUAL:
	case OP_UNEQUAL:
		yes = node->op == OP_LESS         ? compared < 0
			: node->op == OP_MORE     ? compared > 0
			: node->op == OP_NOT_MORE ? compared <= 0
			: node->op == OP_NOT_LESS ? compared >= 0
			: node->op == OP_EQUAL    ? !compared
						  : compared != 0;
		*ret = value_of_number(yes, VALUE_BOOL);
		return true;
	default:
		return wrong(v, node, "this operator is not known");
	}
	*ret = value_of_number(r, kind);
	return true;
}

/* p + 3, p - q: counted in what p points to. */
static bool move_pointer(const struct evaluation *v, const struct value *pointer, int64_t by, struct value *ret)
{
	struct value element;
	return value_element(&v->scope->world, pointer, by, &element, v->err) && value_address(&element, ret, v->err);
}

static bool between(const struct evaluation *v, const struct expression_node *node, const struct value *a, const struct value *b,
	struct value *ret)
{
	struct value element;
	uint64_t from, to;
	if (!value_target(&v->scope->world, a, &element, v->err) || !integer(v, node, a, &to) || !integer(v, node, b, &from))
		return false;
	uint64_t size = value_size(&element);
	*ret = value_of_number((uint64_t)((int64_t)(to - from) / (int64_t)(size ? size : 1)), VALUE_SIGNED);
	return true;
}

static enum value_kind kind_of(const struct value *value)
{
	if (value_is_signed(value))
		return VALUE_SIGNED;
	bool is_address =
		value_is_pointer(value) || (!value->has_type && value->builtin && value->builtin->kind == VALUE_ADDRESS);
	return is_address ? VALUE_ADDRESS : VALUE_UNSIGNED;
}

/* "a text" that was typed: what it is compared with is meant as a text too. */
static bool is_text(const struct evaluation *v, unsigned node)
{
	const struct value *value = &v->e->list[node].value;
	return v->e->list[node].kind == EXPRESSION_NUMBER && value->repeat;
}

static bool arithmetic(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	struct value a, b;
	double x = 0, y = 0;
	uint64_t m, n;
	const struct value_world *w = &v->scope->world;
	if (!operand(v, node->a, &a) || !operand(v, node->b, &b))
		return false;
	bool equal, compares = node->op == OP_EQUAL || node->op == OP_UNEQUAL;
	if (compares && (is_text(v, node->a) || is_text(v, node->b)) && container_same_text(w, &a, &b, &equal)) {
		*ret = value_of_number(equal == (node->op == OP_EQUAL), VALUE_BOOL);
		return true;
	}
	if (value_is_float(&a) || value_is_float(&b)) {
		bool left = value_is_float(&a) ? value_float(w, &a, &x) : integer(v, node, &a, &m);
		bool right = value_is_float(&b) ? value_float(w, &b, &y) : integer(v, node, &b, &n);
		if (!left || !right)
			return wrong(v, node, "it is no number");
		x = value_is_float(&a) ? x : value_is_signed(&a) ? (double)(int64_t)m : (double)m;
		y = value_is_float(&b) ? y : value_is_signed(&b) ? (double)(int64_t)n : (double)n;
		return calculate_real(v, node, x, y, ret);
	}
	bool adds = node->op == OP_PLUS || node->op == OP_MINUS;
	if (adds && value_is_pointer(&a) && value_is_integer(&b))
		return integer(v, node, &b, &n) && move_pointer(v, &a, (int64_t)(node->op == OP_PLUS ? n : 0 - n), ret);
	if (node->op == OP_PLUS && value_is_pointer(&b) && value_is_integer(&a))
		return integer(v, node, &a, &n) && move_pointer(v, &b, (int64_t)n, ret);
	if (node->op == OP_MINUS && value_is_pointer(&a) && value_is_pointer(&b))
		return between(v, node, &a, &b, ret);
	if (!integer(v, node, &a, &m) || !integer(v, node, &b, &n))
		return false;
	enum value_kind left = kind_of(&a), right = kind_of(&b);
	enum value_kind kind = left == VALUE_ADDRESS || right == VALUE_ADDRESS ? VALUE_ADDRESS
		: left == VALUE_SIGNED                                         ? right
									       : left;
	return calculate(v, node, m, n, kind, ret);
}

/* "x@4" */
static bool repeat(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	struct value count;
	uint64_t n;
	if (!operand(v, node->a, ret) || !operand(v, node->b, &count) || !integer(v, node, &count, &n))
		return false;
	if (ret->place != VALUE_MEMORY || ret->repeat || ret->bit_size || ret->dimension || !value_size(ret))
		return wrong(v, node, "what is before \"@\" is not in memory, or has no size");
	if (!n || n > EXPRESSION_REPEAT_MAX)
		return wrong(v, node, "expected 1 to 1000000 behind \"@\"");
	ret->repeat = n;
	return true;
}

static bool binary(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	bool a, b = false;
	if (node->op == OP_REPEAT)
		return repeat(v, node, ret);
	if (node->op != OP_BOTH && node->op != OP_EITHER)
		return arithmetic(v, node, ret);
	if (!truth(v, node->a, &a))
		return false;
	bool decided = node->op == OP_BOTH ? !a : a;
	if (!decided && !truth(v, node->b, &b))
		return false;
	*ret = value_of_number(decided ? a : b, VALUE_BOOL);
	return true;
}

static bool unary(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	struct value inner;
	uint64_t number;
	double real;
	bool yes;
	if (node->op == OP_NOT) {
		if (!truth(v, node->a, &yes))
			return false;
		*ret = value_of_number(!yes, VALUE_BOOL);
		return true;
	}
	if (!operand(v, node->a, &inner))
		return false;
	if (node->op == OP_MULTIPLY) {
		struct value pointer = inner;
		container_pointer(&v->scope->world, &inner, &pointer);
		return value_target(&v->scope->world, &pointer, ret, v->err);
	}
	if (node->op == OP_AND)
		return value_address(&inner, ret, v->err);
	if (value_is_float(&inner) && node->op != OP_COMPLEMENT && value_float(&v->scope->world, &inner, &real)) {
		*ret = value_of_float(node->op == OP_MINUS ? -real : real);
		return true;
	}
	if (!integer(v, node, &inner, &number))
		return false;
	number = node->op == OP_MINUS ? 0 - number : node->op == OP_COMPLEMENT ? ~number : number;
	enum value_kind kind = kind_of(&inner);
	*ret = value_of_number(number, node->op == OP_MINUS && kind == VALUE_UNSIGNED ? VALUE_SIGNED : kind);
	return true;
}

/* ---- casts, names, parts ---------------------------------------------------------------------------------------- */

static bool to_real(const struct evaluation *v, const struct expression_node *node, const struct value *inner, struct value *ret)
{
	double real = 0;
	uint64_t number;
	size_t size = value_size(ret);
	if (value_is_float(inner) ? !value_float(&v->scope->world, inner, &real) : !integer(v, node, inner, &number))
		return wrong(v, node, "it is no number");
	if (!value_is_float(inner))
		real = value_is_signed(inner) ? (double)(int64_t)number : (double)number;
	float single = (float)real;
	ret->place = VALUE_BYTES;
	ret->size = size == sizeof single ? sizeof single : sizeof real;
	if (size != ret->size)
		return wrong(v, node, "a long double cannot be made");
	memcpy(ret->bytes, size == sizeof single ? (const void *)&single : (const void *)&real, ret->size);
	return true;
}

static bool cast(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	struct value inner;
	uint64_t number;
	double real;
	if (!operand(v, node->a, &inner))
		return false;
	*ret = node->value;
	/* A symbol without debug information, and anything made a struct: the same memory, of another type. */
	bool untyped = !inner.has_type && !inner.builtin && !inner.pointers;
	bool is_number = value_is_integer(ret) || value_is_pointer(ret) || value_is_float(ret);
	if (inner.place == VALUE_MEMORY && (untyped || !is_number)) {
		ret->place = VALUE_MEMORY;
		ret->address = inner.address;
		return true;
	}
	if (!is_number)
		return wrong(v, node, "only what is in memory can be made a struct (`*(struct name *)ADDRESS`)");
	if (value_is_float(ret))
		return to_real(v, node, &inner, ret);
	if (value_is_float(&inner) && value_float(&v->scope->world, &inner, &real)) {
		bool fits = real > -9.2e18 && real < 9.2e18;
		number = fits ? (uint64_t)(int64_t)real : 0;
	} else if (!integer(v, node, &inner, &number))
		return false;
	ret->place = VALUE_BYTES;
	ret->size = value_size(ret) <= sizeof number ? value_size(ret) : sizeof number;
	memcpy(ret->bytes, &number, sizeof number);
	return true;
}

/* a[b], a[#b] */
static bool element(const struct evaluation *v, const struct expression_node *node, const struct value *whole,
	const struct value *index, struct value *ret)
{
	uint64_t number = 0;
	const struct value_world *w = &v->scope->world;
	bool is_number = value_number(w, index, &number);
	if (node->op == OP_ITEM && !is_number)
		return wrong(v, node, "the number of an item is no number");
	enum container_found found =
		node->op == OP_ITEM ? container_item(w, whole, number, ret) : container_element(w, whole, index, ret);
	if (found != CONTAINER_OTHER)
		return found == CONTAINER_FOUND || wrong(v, node, "it has no such element");
	if (!is_number)
		return wrong(v, node, "the index is no number");
	return value_element(w, whole, (int64_t)number, ret, v->err);
}

static bool part(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	struct value whole, index;
	if (!operand(v, node->a, &whole))
		return false;
	if (node->kind == EXPRESSION_INDEX)
		return operand(v, node->b, &index) && element(v, node, &whole, &index, ret);
	if (node->kind == EXPRESSION_ARROW) {
		struct value pointer = whole;
		container_pointer(&v->scope->world, &whole, &pointer);
		if (!value_target(&v->scope->world, &pointer, &whole, v->err) || !referred(v, &whole))
			return false;
	}
	return value_member(&v->scope->world, &whole, v->e->text + node->at, node->size, ret, v->err);
}

static bool name(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	const char *text = v->e->text + node->at;
	return variables_find(v->scope, text, node->size, ret) ||
		err_set(v->err, ERR_INPUT, "%s: column %zu: there is no variable \"%.*s\" here", v->e->text, node->at + 1,
			(int)node->size, text);
}

static bool register_value(const struct evaluation *v, const struct expression_node *node, struct value *ret)
{
	const struct frame *frame = v->scope->frame;
	const char *text = v->e->text + node->at;
	if (node->size == 4 && (!memcmp(text, "$old", 4) || !memcmp(text, "$new", 4)))
		return wrong(v, node,
			"$old and $new are numbers that conditions of writes compare, such as: runtil write counter if $new < "
			"$old");
	for (int i = 0; frame && i < EXPR_INTEGERS; i++) {
		const char *each = expr_register_name(i);
		if (strlen(each) != node->size - 1 || memcmp(each, text + 1, node->size - 1))
			continue;
		if (!(frame->registers.known >> i & 1))
			return wrong(v, node, "the register's value is not known in this frame");
		*ret = value_of_number(frame->registers.value[i], VALUE_ADDRESS);
		return true;
	}
	return wrong(v, node,
		frame ? "there is no such register: expected $rax to $r15 or $rip"
		      : "there is no frame, so there are no registers");
}

static bool node_value(const struct evaluation *v, unsigned number, struct value *ret)
{
	const struct expression_node *node = &v->e->list[number];
	struct value inner;
	bool yes;
	switch (node->kind) {
	case EXPRESSION_NUMBER:
		*ret = node->value;
		return true;
	case EXPRESSION_NAME:
		return name(v, node, ret);
	case EXPRESSION_REGISTER:
		return register_value(v, node, ret);
	case EXPRESSION_UNARY:
		return unary(v, node, ret);
	case EXPRESSION_BINARY:
		return binary(v, node, ret);
	case EXPRESSION_CHOICE:
		return truth(v, node->a, &yes) && node_value(v, yes ? node->b : node->c, ret);
	case EXPRESSION_INDEX:
	case EXPRESSION_MEMBER:
	case EXPRESSION_ARROW:
		return part(v, node, ret);
	case EXPRESSION_CAST:
		return cast(v, node, ret);
	case EXPRESSION_SIZE:
		if (!operand(v, node->a, &inner))
			return false;
		*ret = value_of_number(
			inner.has_type || inner.builtin || inner.pointers ? value_size(&inner) : inner.size, VALUE_UNSIGNED);
		return true;
	}
	return false;
}

bool expression_node_value(
	const struct expression *e, unsigned node, const struct scope *scope, struct value *ret, struct err *err)
{
	return node_value(&(struct evaluation){e, scope, err}, node, ret);
}
