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
PKGS := json-c libzstd libfyaml libarchive libcrypto
CFLAGS_debug := -O0 -g3
CFLAGS_release := -O2 -g
CFLAGS_asan := -O1 -g3 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wwrite-strings -Wformat=2 -Wvla
ifeq ($(WERROR),1)
WARN += -Werror
endif
CFLAGS ?=
POLECAT_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -I$(B)/gen $(WARN) $(CFLAGS_$(MODE)) -MMD -MP $(CFLAGS)
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS = $(shell pkg-config --libs $(PKGS))
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

have = $(foreach m,$(2),$(if $(wildcard $(1)/$(m).c),$(m)))
ENGINE_OBJ := $(patsubst %,$(B)/engine/%.o,$(call have,engine,$(ENGINE))) $(B)/agent/wire.o
CLI_OBJ := $(patsubst %,$(B)/engine/%.o,$(call have,engine,$(CLI)))

.PHONY: all
all: $(B)/polecat ## build the programs (default)

$(B)/libengine.a: $(ENGINE_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/polecat: $(CLI_OBJ) $(B)/libengine.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(B)/%.o: %.c
	@mkdir -p $(dir $@)
	$(call say,CC,$<)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(PKG_CFLAGS) -c -o $@ $<

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16
