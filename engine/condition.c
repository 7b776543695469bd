#include "engine/condition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

struct number {
	uint64_t value;
	bool is_signed;
};

struct parser {
	const char *text, *at;
	condition_operand *operand;
	void *data;
	int nesting;
	bool idle; /* what is read does not matter: nothing is asked */
	struct err *err;
};

static bool wrong(struct parser *p, const char *what)
{
	return err_set(p->err, ERR_INPUT, "%s: column %zu: %s", p->text, (size_t)(p->at - p->text) + 1, what);
}

static const char *behind_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static void skip_blanks(struct parser *p)
{
	p->at = behind_blanks(p->at);
}

/* Longer ones first: "<=" is not "<". */
static const struct infix {
	char text[3];
	int precedence;
} infixes[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3}, {"^", 4},
	{"&", 5}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

static const struct infix *next_infix(struct parser *p)
{
	skip_blanks(p);
	for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
		if (!strncmp(p->at, infixes[i].text, strlen(infixes[i].text)))
			return &infixes[i];
	return NULL;
}

static bool compare(const char *name, struct number a, struct number b, bool is_signed, uint64_t *ret)
{
	bool less = is_signed ? (int64_t)a.value < (int64_t)b.value : a.value < b.value, equal = a.value == b.value;
	if (!strcmp(name, "=="))
		*ret = equal;
	else if (!strcmp(name, "!="))
		*ret = !equal;
	else if (*name == '<')
		*ret = less || (name[1] && equal);
	else
		*ret = !less && (name[1] || !equal);
	return true;
}

static bool divide(struct parser *p, char name, struct number a, struct number b, bool is_signed, uint64_t *ret)
{
	if (p->idle)
		return true;
	if (!b.value)
		return wrong(p, "this divides by zero");
	if (is_signed && b.value == UINT64_MAX) /* INT64_MIN / -1 */
		*ret = name == '/' ? 0 - a.value : 0;
	else if (is_signed)
		*ret = (uint64_t)(name == '/' ? (int64_t)a.value / (int64_t)b.value : (int64_t)a.value % (int64_t)b.value);
	else
		*ret = name == '/' ? a.value / b.value : a.value % b.value;
	return true;
}

static uint64_t shift(char name, struct number a, uint64_t by)
{
	bool negative = a.is_signed && a.value >> 63;
	if (by > 63)
		return name == '>' && negative ? UINT64_MAX : 0;
	if (name == '<')
		return a.value << by;
	return a.value >> by | (negative && by ? UINT64_MAX << (64 - by) : 0);
}

static bool apply(struct parser *p, const struct infix *op, struct number a, struct number b, struct number *ret)
{
	const char *name = op->text;
	bool is_signed = a.is_signed && b.is_signed;
	*ret = (struct number){.is_signed = op->precedence == 6 || op->precedence == 7 || op->precedence < 3 || is_signed};
	if (op->precedence == 6 || op->precedence == 7)
		return compare(name, a, b, is_signed, &ret->value);
	switch (*name) {
	case '|':
		ret->value = name[1] ? a.value || b.value : a.value | b.value;
		return true;
	case '&':
		ret->value = name[1] ? a.value && b.value : a.value & b.value;
		return true;
	case '^':
		ret->value = a.value ^ b.value;
		return true;
	case '+':
		ret->value = a.value + b.value;
		return true;
	case '-':
		ret->value = a.value - b.value;
		return true;
	case '*':
		ret->value = a.value * b.value;
		return true;
	case '/':
	case '%':
		return divide(p, *name, a, b, is_signed, &ret->value);
	default:
		ret->is_signed = a.is_signed;
		ret->value = shift(*name, a, b.value);
		return true;
	}
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Behind the bracket that closes the one at `at`; NULL when none does. */
static const char *behind_bracket(const char *at)
{
	int depth = 0;
	for (; *at; at++) {
		depth += *at == '(' || *at == '[';
		depth -= *at == ')' || *at == ']';
		if (!depth)
			return at + 1;
	}
	return NULL;
}

/* Names with "::" in them, numbers and $registers. */
static const char *behind_word(const char *at)
{
	for (;;) {
		if (isalnum((unsigned char)*at) || *at == '_' || *at == '$')
			at++;
		else if (at[0] == ':' && at[1] == ':')
			at += 2;
		else
			return at;
	}
}

/* A word or parentheses, then any of [..], .name and ->name. NULL when it does not end. */
static const char *behind_operand(const char *at)
{
	at = *at == '(' ? behind_bracket(at) : behind_word(at);
	while (at) {
		const char *next = behind_blanks(at);
		if (*next == '[')
			at = behind_bracket(next);
		else if (*next == '.' || (next[0] == '-' && next[1] == '>'))
			at = behind_word(behind_blanks(next + (*next == '.' ? 1 : 2)));
		else
			break;
	}
	return at;
}

static bool parse(struct parser *p, int least, struct number *ret);

static bool ask(struct parser *p, const char *from, const char *to, struct number *ret)
{
	*ret = (struct number){.is_signed = true};
	p->at = to;
	if (p->idle)
		return true;
	char *text = mem_strn(from, (size_t)(to - from));
	bool ok = p->operand(p->data, text, &ret->value, &ret->is_signed, p->err);
	free(text);
	return ok;
}

/* "* & word": read by whoever understands words, as it stands. */
static bool operand(struct parser *p, struct number *ret)
{
	const char *start = p->at, *core = start;
	while (*core == '*' || *core == '&' || *core == ' ' || *core == '\t')
		core++;
	const char *end = behind_operand(core);
	if (!end)
		return wrong(p, "this bracket is not closed");
	if (end == core)
		return wrong(p, *core ? "expected a name, a number, a $register or \"(\"" : "expected something here");
	if (core != start || *core != '(' || end != behind_bracket(core))
		return ask(p, start, end, ret);
	p->at++;
	if (!parse(p, 1, ret))
		return false;
	skip_blanks(p);
	if (*p->at != ')')
		return wrong(p, "expected \")\" or an operator");
	p->at++;
	return true;
}

static bool prefixed(struct parser *p, struct number *ret)
{
	skip_blanks(p);
	char prefix = *p->at;
	if (++p->nesting > CONDITION_NESTING_MAX)
		return wrong(p, "too many parentheses and prefixes");
	bool ok;
	if (prefix == '!' || prefix == '~' || prefix == '-') {
		p->at++;
		ok = prefixed(p, ret);
		ret->value = prefix == '!' ? !ret->value : prefix == '~' ? ~ret->value : 0 - ret->value;
		ret->is_signed |= prefix == '!';
	} else
		ok = operand(p, ret);
	p->nesting--;
	return ok;
}

/* Everything that binds at least so tightly. */
static bool parse(struct parser *p, int least, struct number *ret)
{
	const struct infix *op;
	if (!prefixed(p, ret))
		return false;
	while ((op = next_infix(p)) != NULL && op->precedence >= least) {
		struct number left = *ret, right;
		bool was_idle = p->idle, is_or = op->precedence == 1, is_and = op->precedence == 2;
		p->at += strlen(op->text);
		p->idle = was_idle || (is_or && left.value) || (is_and && !left.value);
		bool ok = parse(p, op->precedence + 1, &right);
		p->idle = was_idle;
		if (!ok || !apply(p, op, left, right, ret))
			return false;
	}
	return true;
}

bool condition_evaluate(
	const char *text, condition_operand *ask_operand, void *data, uint64_t *ret, bool *ret_signed, struct err *err)
{
	struct parser p = {.text = text, .at = text, .operand = ask_operand, .data = data, .err = err};
	struct number number;
	if (strlen(text) > CONDITION_SIZE_MAX)
		return err_set(err, ERR_INPUT, "the condition has more than %d bytes", CONDITION_SIZE_MAX);
	if (!parse(&p, 1, &number))
		return false;
	skip_blanks(&p);
	if (*p.at)
		return wrong(&p, "expected an operator or the end");
	*ret = number.value;
	*ret_signed = number.is_signed;
	return true;
}
