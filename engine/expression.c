#include "engine/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	const struct scope *scope;
	struct expression *e;
	const char *at;
	int nesting;
	struct err *err;
};

static bool parse_choice(struct parser *p, unsigned *ret);
static bool parse_unary(struct parser *p, unsigned *ret);

/* ---- words ------------------------------------------------------------------------------------------------------ */

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static size_t identifier(const char *at)
{
	size_t size = 0;
	if (isdigit((unsigned char)*at))
		return 0;
	while (isalnum((unsigned char)at[size]) || at[size] == '_')
		size++;
	return size;
}

/* What stands behind `operator` in a name: "+=", "()", "[]"; 0 when it is an ordinary identifier. */
static size_t operator_sign(const char *at, size_t size)
{
	if (size != 8 || memcmp(at, "operator", 8))
		return 0;
	if (!strncmp(at + 8, "()", 2) || !strncmp(at + 8, "[]", 2))
		return 2;
	return strspn(at + 8, "+-*/%^&|~!=<>");
}

/* "shop::Shelf<int>::count", "Money::operator+" */
static size_t qualified(const char *at)
{
	size_t size = identifier(at), next, part;
	while (size) {
		next = size + strcspn(at + size, ">");
		next = at[size] == '<' && at[next] == '>' ? next + 1 : size;
		bool more = at[next] == ':' && at[next + 1] == ':';
		part = more ? identifier(at + next + 2) : 0;
		if (!part)
			break;
		size = next + 2 + part;
		size += operator_sign(at + size - part, part);
	}
	return size ? size + operator_sign(at, size) : 0;
}

/* "file.c::name", "src/file.cc::name": the length of the file, or 0. */
static size_t file_part(const char *at)
{
	size_t size = 0;
	bool dot = false;
	while (isalnum((unsigned char)at[size]) || (at[size] && strchr("_./-+", at[size])))
		dot |= at[size++] == '.';
	return dot && at[size] == ':' && at[size + 1] == ':' && identifier(at + size + 2) ? size : 0;
}

static bool wrong(struct parser *p, const char *what)
{
	return err_set(p->err, ERR_INPUT, "%s: column %zu: %s", p->e->text, (size_t)(p->at - p->e->text) + 1, what);
}

bool expression_wrong(const struct expression *e, unsigned node, struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT, "%s: column %zu: %s", e->text, e->list[node].at + 1, what);
}

static bool add(struct parser *p, const struct expression_node *node, unsigned *ret)
{
	struct expression *e = p->e;
	if (e->count == EXPRESSION_NODES_MAX)
		return wrong(p, "too many names and operators");
	*ret = (unsigned)e->count;
	ARRAY_PUSH(e->list, e->count, e->room) = *node;
	return true;
}

static size_t here(const struct parser *p)
{
	return (size_t)(p->at - p->e->text);
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool word_is(const char *at, size_t size, const char *word)
{
	return strlen(word) == size && !memcmp(at, word, size);
}

/* "unsigned long int" and the like, as one of C's own types. */
static bool parse_builtin(const char **at, struct value *ret)
{
	int longs = 0, shorts = 0, chars = 0, signs = 0, unsigneds = 0, ints = 0, doubles = 0;
	const char *other = NULL, *c = *at;
	size_t other_size = 0;
	for (;;) {
		while (*c == ' ')
			c++;
		size_t size = identifier(c);
		int *which = word_is(c, size, "long")  ? &longs
			: word_is(c, size, "short")    ? &shorts
			: word_is(c, size, "char")     ? &chars
			: word_is(c, size, "signed")   ? &signs
			: word_is(c, size, "unsigned") ? &unsigneds
			: word_is(c, size, "int")      ? &ints
			: word_is(c, size, "double")   ? &doubles
						       : NULL;
		int any = longs + shorts + chars + signs + unsigneds + ints + doubles;
		if (which)
			++*which;
		else if (!any && !other && (word_is(c, size, "void") || value_builtin(c, size))) {
			other = c;
			other_size = size;
		} else if (!word_is(c, size, "const") && !word_is(c, size, "volatile"))
			break;
		c += size;
		*at = c;
	}
	if (other && word_is(other, other_size, "void"))
		return true;
	char name[32] = "";
	if (other)
		ret->builtin = value_builtin(other, other_size);
	else if (chars || shorts || longs || ints || signs || unsigneds || doubles) {
		const char *base = chars ? "char"
			: doubles        ? (longs ? "long double" : "double")
			: shorts         ? "short"
			: longs          ? "long"
					 : "int";
		bool marked = unsigneds || (signs && chars);
		strcpy(name, !marked ? "" : unsigneds ? "unsigned " : "signed ");
		strcat(name, base);
		ret->builtin = value_builtin(name, strlen(name));
	}
	return ret->builtin != NULL;
}

/* A type at p->at, its "*" included. False, and p->at where it was, when there is none. */
static bool parse_type(struct parser *p, struct value *ret)
{
	const char *start = p->at;
	*ret = (struct value){0};
	skip_blanks(p);
	if (!parse_builtin(&p->at, ret)) {
		size_t size = identifier(p->at);
		enum variables_type kind = word_is(p->at, size, "struct") || word_is(p->at, size, "class") ? VARIABLES_STRUCT
			: word_is(p->at, size, "union")                                                    ? VARIABLES_UNION
			: word_is(p->at, size, "enum")                                                     ? VARIABLES_ENUM
													   : VARIABLES_ANY;
		if (kind != VARIABLES_ANY)
			p->at += size;
		skip_blanks(p);
		size = qualified(p->at);
		size_t whole = size + strcspn(p->at + size, ">");
		whole = size && p->at[size] == '<' && p->at[whole] == '>' ? whole + 1 : size;
		struct value variable;
		bool is_variable = kind == VARIABLES_ANY && size && variables_find(p->scope, p->at, size, &variable);
		if (!size || is_variable || !variables_find_type(p->scope, kind, p->at, whole, &ret->type)) {
			p->at = start;
			return false;
		}
		ret->has_type = true;
		p->at += whole;
	}
	for (skip_blanks(p); *p->at == '*' || !strncmp(p->at, "const", 5); skip_blanks(p)) {
		ret->pointers += *p->at == '*';
		p->at += *p->at == '*' ? 1 : 5;
	}
	return true;
}

/* "(type)" before something that can be cast. */
static bool parse_cast(struct parser *p, struct value *ret)
{
	const char *start = p->at++;
	if (parse_type(p, ret) && *p->at == ')') {
		p->at++;
		skip_blanks(p);
		if (*p->at && !strchr(")]:?=,;|^%/<>", *p->at))
			return true;
	}
	p->at = start;
	return false;
}

/* ---- operands --------------------------------------------------------------------------------------------------- */

static bool parse_number(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_NUMBER, .at = here(p)};
	bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
	size_t digits = strspn(p->at, hex ? "0123456789abcdefABCDEFxX" : "0123456789");
	char *end;
	if (!hex && (p->at[digits] == '.' || ((p->at[digits] | 32) == 'e' && isdigit((unsigned char)p->at[digits + 1])))) {
		node.value = value_of_float(strtod(p->at, &end));
	} else {
		uint64_t number = strtoull(p->at, &end, 0);
		bool is_unsigned = number >> 63;
		const char *suffix = end;
		for (; *end && strchr("uUlL", *end); end++)
			is_unsigned |= (*end | 32) == 'u';
		if (end - suffix > 3)
			end = (char *)(uintptr_t)suffix;
		/* Addresses are typed in hexadecimal, and shown so. */
		node.value = value_of_number(number, hex ? VALUE_ADDRESS : is_unsigned ? VALUE_UNSIGNED : VALUE_SIGNED);
	}
	if (end == p->at || isalnum((unsigned char)*end) || *end == '_')
		return wrong(p, "this is no number");
	p->at = end;
	return add(p, &node, ret);
}

/* What stands for a character behind a backslash. */
static char escaped(char c)
{
	static const char names[] = "n\nt\tr\r0\0";
	const char *found = memchr(names, c, sizeof names - 1);
	return found && (found - names) % 2 == 0 ? found[1] : c;
}

/* "text" */
static bool parse_text(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_NUMBER, .at = here(p)};
	char text[VALUE_BYTES_MAX];
	size_t size = 0;
	const char *c;
	for (c = p->at + 1; *c && *c != '"' && size < sizeof text - 1; c++) {
		bool marked = *c == '\\' && c[1];
		c += marked;
		text[size++] = marked ? escaped(*c) : *c;
	}
	if (*c != '"')
		return wrong(p, "expected a text of at most 255 characters, and \" behind it");
	node.value = value_of_text(text, size);
	p->at = c + 1;
	return add(p, &node, ret);
}

/* 'a', '\n' */
static bool parse_character(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_NUMBER, .at = here(p)};
	char c = p->at[1];
	size_t size = 3;
	if (c == '\\' && p->at[2]) {
		c = escaped(p->at[2]);
		size = 4;
	}
	if (!p->at[1] || !p->at[size - 2] || p->at[size - 1] != '\'')
		return wrong(p, "expected a character such as 'a' or '\\n'");
	node.value = value_of_number((uint64_t)(int64_t)c, VALUE_SIGNED);
	p->at += size;
	return add(p, &node, ret);
}

static bool parse_size(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_SIZE, .at = here(p)};
	struct value type;
	p->at += 6;
	skip_blanks(p);
	const char *start = p->at;
	if (*p->at == '(') {
		p->at++;
		if (parse_type(p, &type) && *p->at == ')') {
			p->at++;
			node.kind = EXPRESSION_NUMBER;
			node.value = value_of_number(value_size(&type), VALUE_UNSIGNED);
			return add(p, &node, ret);
		}
		p->at = start;
	}
	return parse_unary(p, &node.a) && add(p, &node, ret);
}

static bool parse_primary(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_NAME};
	skip_blanks(p);
	node.at = here(p);
	if (identifier(p->at) && (!strncmp(p->at, "struct ", 7) || !strncmp(p->at, "union ", 6) || !strncmp(p->at, "enum ", 5)))
		return wrong(p, "there is no such type, or nothing that can be cast to it behind it");
	size_t file = file_part(p->at), size = file ? file + 2 + identifier(p->at + file + 2) : qualified(p->at);
	if (size) {
		node.size = size;
		p->at += size;
		return add(p, &node, ret);
	}
	if (*p->at == '$') {
		node.kind = EXPRESSION_REGISTER;
		node.size = 1 + identifier(p->at + 1);
		p->at += node.size;
		return add(p, &node, ret);
	}
	if (isdigit((unsigned char)*p->at))
		return parse_number(p, ret);
	if (*p->at == '\'')
		return parse_character(p, ret);
	if (*p->at == '"')
		return parse_text(p, ret);
	if (*p->at != '(')
		return wrong(p, "expected a name, a $register, a number or \"(\"");
	p->at++;
	if (!parse_choice(p, ret))
		return false;
	skip_blanks(p);
	if (*p->at != ')')
		return wrong(p, "expected \")\"");
	p->at++;
	return true;
}

static bool parse_postfix(struct parser *p, unsigned *ret)
{
	if (!parse_primary(p, ret))
		return false;
	for (;;) {
		skip_blanks(p);
		struct expression_node node = {.kind = EXPRESSION_INDEX, .a = *ret, .at = here(p)};
		bool arrow = p->at[0] == '-' && p->at[1] == '>';
		if (*p->at == '[') {
			p->at++;
			skip_blanks(p);
			node.op = *p->at == '#' ? OP_ITEM : OP_NONE;
			p->at += *p->at == '#';
			if (!parse_choice(p, &node.b))
				return false;
			skip_blanks(p);
			if (*p->at != ']')
				return wrong(p, "expected \"]\"");
			p->at++;
		} else if (*p->at == '.' || arrow) {
			p->at += arrow ? 2 : 1;
			skip_blanks(p);
			node.kind = arrow ? EXPRESSION_ARROW : EXPRESSION_MEMBER;
			node.at = here(p);
			node.size = identifier(p->at);
			if (!node.size)
				return wrong(p, "expected the name of a member");
			p->at += node.size;
		} else
			return true;
		if (!add(p, &node, ret))
			return false;
	}
}

static bool parse_unary(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_UNARY};
	if (++p->nesting > EXPRESSION_NESTING_MAX)
		return wrong(p, "too many parentheses and prefixes");
	skip_blanks(p);
	bool ok;
	node.at = here(p);
	if (*p->at == '(' && parse_cast(p, &node.value)) {
		node.kind = EXPRESSION_CAST;
		ok = parse_unary(p, &node.a) && add(p, &node, ret);
	} else if (*p->at && strchr("*&-+!~", *p->at)) {
		node.op = (enum expression_op) * p->at++;
		ok = parse_unary(p, &node.a) && add(p, &node, ret);
	} else if (identifier(p->at) == 6 && !memcmp(p->at, "sizeof", 6))
		ok = parse_size(p, ret);
	else
		ok = parse_postfix(p, ret);
	p->nesting--;
	return ok;
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

/* From the loosest to the tightest; the longer sign of two that begin alike comes first. */
static const struct {
	const char *sign;
	enum expression_op op;
	int level;
} operators[] = {{"||", OP_EITHER, 1}, {"&&", OP_BOTH, 2}, {"|", OP_OR, 3}, {"^", OP_XOR, 4}, {"&", OP_AND, 5},
	{"==", OP_EQUAL, 6}, {"!=", OP_UNEQUAL, 6}, {"<<", OP_LEFT, 8}, {">>", OP_RIGHT, 8}, {"<=", OP_NOT_MORE, 7},
	{">=", OP_NOT_LESS, 7}, {"<", OP_LESS, 7}, {">", OP_MORE, 7}, {"@", OP_REPEAT, 9}, {"+", OP_PLUS, 10},
	{"-", OP_MINUS, 10}, {"*", OP_MULTIPLY, 11}, {"/", OP_DIVIDE, 11}, {"%", OP_REMAINDER, 11}};

static bool parse_binary(struct parser *p, int level, unsigned *ret)
{
	if (!parse_unary(p, ret))
		return false;
	for (;;) {
		skip_blanks(p);
		size_t i = 0, count = sizeof operators / sizeof *operators;
		while (i < count && strncmp(operators[i].sign, p->at, strlen(operators[i].sign)))
			i++;
		if (i == count || operators[i].level < level)
			return true;
		struct expression_node node = {.kind = EXPRESSION_BINARY, .op = operators[i].op, .a = *ret, .at = here(p)};
		p->at += strlen(operators[i].sign);
		if (*p->at == '=')
			return wrong(p, "nothing can be assigned: it is the past");
		if (!parse_binary(p, operators[i].level + 1, &node.b) || !add(p, &node, ret))
			return false;
	}
}

static bool parse_choice(struct parser *p, unsigned *ret)
{
	struct expression_node node = {.kind = EXPRESSION_CHOICE};
	if (++p->nesting > EXPRESSION_NESTING_MAX)
		return wrong(p, "too many parentheses and prefixes");
	if (!parse_binary(p, 1, ret))
		return false;
	skip_blanks(p);
	if (*p->at == '?') {
		node.a = *ret;
		node.at = here(p);
		p->at++;
		if (!parse_choice(p, &node.b))
			return false;
		skip_blanks(p);
		if (*p->at++ != ':')
			return p->at--, wrong(p, "expected \":\"");
		if (!parse_choice(p, &node.c) || !add(p, &node, ret))
			return false;
	}
	p->nesting--;
	return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

struct expression *expression_parse(const struct scope *scope, const char *text, struct err *err)
{
	if (strlen(text) > EXPRESSION_MAX) {
		err_set(err, ERR_INPUT, "the expression has more than %d bytes", EXPRESSION_MAX);
		return NULL;
	}
	struct expression *e = mem_alloc(sizeof *e);
	e->text = mem_str(text);
	struct parser p = {.scope = scope, .e = e, .at = e->text, .err = err};
	bool ok = parse_choice(&p, &e->root);
	skip_blanks(&p);
	if (ok && *p.at == '=')
		ok = wrong(&p, "nothing can be assigned: it is the past (== compares)");
	else if (ok && *p.at == '(')
		ok = wrong(&p, "nothing can be called: it is the past");
	else if (ok && *p.at)
		ok = wrong(&p, "expected the end");
	if (ok)
		return e;
	expression_destroy(e);
	return NULL;
}

void expression_destroy(struct expression *e)
{
	if (!e)
		return;
	free(e->list);
	free(e->text);
	free(e);
}

bool expression_evaluate(const struct expression *e, const struct scope *scope, struct value *ret, struct err *err)
{
	return expression_node_value(e, e->root, scope, ret, err);
}

bool expression_value(const struct scope *scope, const char *text, struct value *ret, struct err *err)
{
	struct expression *e = expression_parse(scope, text, err);
	bool ok = e && expression_evaluate(e, scope, ret, err);
	expression_destroy(e);
	return ok;
}

bool expression_number(const struct scope *scope, const char *text, uint64_t *ret, struct err *err)
{
	struct value value, target;
	if (!expression_value(scope, text, &value, err))
		return false;
	if (value.place == VALUE_GONE)
		return err_set(err, ERR_INPUT, "%.100s has no value here: it is optimized out", text);
	if (value_is_reference(&value) && !value_target(&scope->world, &value, &target, err))
		return false;
	return value_number(&scope->world, value_is_reference(&value) ? &target : &value, ret) ||
		err_set(err, ERR_INPUT, "%.100s is no whole number", text);
}

bool expression_print(const struct scope *scope, const char *text, enum value_form form, struct buf *out, struct err *err)
{
	struct value value;
	if (!expression_value(scope, text, &value, err))
		return false;
	buf_printf(out, "%s = ", text);
	variables_print_value_as(scope, &value, form, out);
	buf_char(out, '\n');
	return true;
}

bool expression_print_type(const struct scope *scope, const char *text, bool whole, struct buf *out, struct err *err)
{
	struct value value;
	struct expression e = {.text = mem_str(text)};
	struct parser p = {.scope = scope, .e = &e, .at = e.text};
	bool ok = strlen(text) <= EXPRESSION_MAX && parse_type(&p, &value) && (skip_blanks(&p), !*p.at);
	free(e.text);
	if (!ok && !expression_value(scope, text, &value, err))
		return false;
	if (whole)
		value_print_definition(&value, out);
	else
		value_print_type(&value, out);
	buf_char(out, '\n');
	return true;
}
