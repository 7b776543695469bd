# polecat: GNU Make, no configure step. `make help` lists what can be made.

# ---- architecture: a module may include only modules to its left (checked by tests/layers.sh) ----------------
# agent/: the static PID 1 of the machine. wire is shared with the engine and includes nothing.
AGENT := wire sha256 netlink spec node proc fault ready report run main
# engine/: a library without curses ...
ENGINE := err buf text digest json file zst child rng event scenario fault property check plan orders cache tree archive \
	kernel image qmp gdb replaylog hostqemu machine snapshot observer rundir session timeline diff record replay verify batch doctor
# ... and the polecat command line, which needs no terminal.
CLI := options output cmd_run cmd_replay cmd_verify cmd_check cmd_runs cmd_show cmd_diff cmd_debug cmd_image cmd_doctor main
# tui/: polecat-tui
TUI := term theme action layout lanes view prompt app main

# ---- build modes ---------------------------------------------------------------------------------------------
MODE ?= release
B := build/$(MODE)
PKGS := json-c libzstd libfyaml libarchive libcrypto libdw capstone libbpf
CFLAGS_debug := -O0 -g3
CFLAGS_release := -O2 -g
CFLAGS_asan := -O1 -g3 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wwrite-strings -Wformat=2 -Wvla
ifeq ($(WERROR),1)
WARN += -Werror
endif
CFLAGS ?=
POLECAT_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -I$(B)/gen $(WARN) $(CFLAGS_$(MODE)) -MMD -MP $(CFLAGS)
# Asked once, and only when something is compiled: make must be able to start before set-up has installed pkg-config.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)))$(PKG_LIBS)
TUI_LIBS = $(if $(TUI_OBJ),$(eval TUI_LIBS := $$(shell pkg-config --libs ncursesw readline))$(TUI_LIBS))
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

have = $(foreach m,$(2),$(if $(wildcard $(1)/$(m).c),$(m)))
ENGINE_OBJ := $(patsubst %,$(B)/engine/%.o,$(call have,engine,$(ENGINE))) $(patsubst %,$(B)/agent/%.o,$(call have,agent,wire))
CLI_OBJ := $(patsubst %,$(B)/engine/%.o,$(call have,engine,$(CLI)))
TUI_OBJ := $(patsubst %,$(B)/tui/%.o,$(call have,tui,$(filter-out main,$(TUI))))
# The agent's modules once more, compiled for the host, so that unit tests can call them.
AGENT_OBJ := $(patsubst %,$(B)/agent/%.o,$(call have,agent,$(filter-out wire main,$(AGENT))))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_OBJ := $(UNIT_SRC:%.c=$(B)/%.o) $(B)/tests/unit/main.o

.PHONY: all
all: $(B)/libengine.a $(if $(wildcard engine/main.c),$(B)/polecat) ## build the programs (default)

$(B)/libengine.a: $(ENGINE_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/polecat: $(CLI_OBJ) $(B)/libengine.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

.PHONY: unit
unit: $(B)/unit ## unit tests; ARGS="err buf" runs these suites only
	$(Q)$(B)/unit $(ARGS)

$(B)/unit: $(UNIT_OBJ) $(B)/libtui.a $(B)/libengine.a $(B)/libagent.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(TUI_LIBS) $(PKG_LIBS) -lcunit -lm

$(B)/libtui.a: $(TUI_OBJ)
$(B)/libagent.a: $(AGENT_OBJ)
$(B)/libtui.a $(B)/libagent.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(B) && rm -f $@ && ar rcs $@ $^

# The list of suites is the list of files. Rewritten only when it changes.
$(B)/tests/unit/main.o: $(B)/gen/suites.inc
$(B)/gen/suites.inc: always
	@mkdir -p $(B)/gen
	@printf 'SUITE(%s)\n' $(patsubst tests/unit/test_%.c,%,$(UNIT_SRC)) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: always
always:

$(B)/%.o: %.c
	@mkdir -p $(dir $@)
	$(call say,CC,$<)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(PKG_CFLAGS) -c -o $@ $<

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16
