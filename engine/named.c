#include "engine/named.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/demangle.h"

/* "Money::operator+": where "operator" stands when the name is that of one; else NULL. */
static const char *operator_in(const char *name)
{
	const char *at = strstr(name, "operator");
	bool begins = at && (at == name || at[-1] == ':');
	return begins && !isalnum((unsigned char)at[8]) && at[8] != '_' ? at : NULL;
}

/* What the sign of an operator ends before: the types of its parameters, or the end. */
static const char *behind_sign(const char *sign)
{
	const char *at = sign + 8 + strspn(sign + 8, " ");
	if (!strncmp(at, "()", 2))
		return at + 2;
	return *at == '<' || *at == '-' || *at == '>' ? at + strspn(at, "<>=-*") : at;
}

/* Where the types of parameters begin, or the end. */
static const char *parameters_in(const char *name)
{
	static const char nameless[] = "(anonymous namespace)";
	size_t depth = 0;
	while (*name && (*name != '(' || depth || !strncmp(name, nameless, sizeof nameless - 1))) {
		name += *name == '(' && !depth ? sizeof nameless - 2 : 0;
		depth += *name == '<';
		depth -= *name == '>' && depth;
		name++;
	}
	return name;
}

static char *last_part(const char *name)
{
	/* Operators are mangled to two letters: their class is what is spelled out. */
	const char *sign = operator_in(name), *class_end = sign && sign > name + 2 ? sign - 2 : name;
	if (sign) {
		const char *class_at = class_end;
		while (class_at > name && (isalnum((unsigned char)class_at[-1]) || class_at[-1] == '_'))
			class_at--;
		return mem_strn(class_at, (size_t)(class_end - class_at));
	}
	const char *at = name, *end = parameters_in(name);
	size_t depth = 0;
	for (const char *c = name; c < end; c++) {
		depth += *c == '<';
		depth -= *c == '>' && depth;
		at = *c == ':' && !depth ? c + 1 : at;
	}
	size_t size = strcspn(at, "(<");
	return mem_strn(at, size < (size_t)(end - at) ? size : (size_t)(end - at));
}

struct named named_of(const char *name)
{
	const char *sign = operator_in(name), *behind = sign ? behind_sign(sign) : name;
	size_t before = sign ? (size_t)(sign - name) : 0;
	return (struct named){.name = name,
		.last = last_part(name),
		.types = *parameters_in(behind) == '(',
		.templates = memchr(name, '<', before) != NULL || strchr(behind, '<') != NULL};
}

void named_finish(struct named *n)
{
	free(n->last);
	*n = (struct named){0};
}

/* "Box<int>::get<char>" without what is in angle brackets; an operator keeps its sign. Owned by the caller. */
static char *without_templates(const char *name)
{
	const char *sign = operator_in(name), *behind = sign ? behind_sign(sign) : NULL;
	struct buf out = {0};
	size_t depth = 0;
	for (const char *at = name; *at; at++) {
		if (sign && !depth && at >= sign && at < behind) {
			buf_char(&out, *at);
			continue;
		}
		depth += *at == '<';
		if (!depth)
			buf_char(&out, *at);
		depth -= *at == '>' && depth;
	}
	return buf_take(&out);
}

static enum named_fit compare(const char *name, const char *wanted)
{
	size_t size = strlen(name), end = strlen(wanted);
	if (!strcmp(name, wanted))
		return NAMED_WHOLE;
	bool ends = end && size > end + 2 && !memcmp(name + size - end - 2, "::", 2) && !strcmp(name + size - end, wanted);
	return ends ? NAMED_END : NAMED_NOT;
}

enum named_fit named_fit_shown(const struct named *n, const char *shown)
{
	enum named_fit fit = compare(shown, n->name);
	if (fit || n->templates || n->types || !strchr(shown, '<'))
		return fit;
	char *bare = without_templates(shown);
	fit = bare ? compare(bare, n->name) : NAMED_NOT;
	free(bare);
	return fit;
}

enum named_fit named_fit(const struct named *n, const char *symbol)
{
	if (!strcmp(symbol, n->name))
		return NAMED_WHOLE;
	/* Names are spelled out in what they are mangled to, which saves demangling all of a program's. */
	if (strncmp(symbol, "_Z", 2) || !strstr(symbol, n->last))
		return NAMED_NOT;
	char *name = demangle(symbol, n->types);
	enum named_fit fit = name ? named_fit_shown(n, name) : NAMED_NOT;
	free(name);
	return fit;
}
