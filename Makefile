# polecat: GNU Make, no configure step. `make help` lists what can be made.

# ---- architecture: a module may include only modules to its left (checked by tests/layers.sh) ----------------
# agent/: the static PID 1 of the machine. wire and input are shared with the engine and include nothing.
AGENT := wire why sha256 sysfile port outbox spec mission netlink net cgroup boot rootfs command launch ready stream node trouble \
	trouble_process faults replan input visit_request visitor visit run main
# engine/: what QEMU itself loads to look for something in a run; a library of its own (polecat-scan.so) ...
PLUGIN := scan_test scan_hits scan_plugin
# ... a library without curses ...
ENGINE := err buf cancel text digest json file zst child rng verdict pattern event event_read fault property yaml \
	scenario schema scenario_keys scenario_parts scenario_matchers scenario_nodes scenario_faults scenario_properties scenario_read \
	check_result check_match check_keys check_set check_form check_sdk check plan plan_write plan_parse plan_validate plan_combine orders schema_mdoc \
	cache archive tree kmodule kernel image qmp gdb gdbpacket dap replaylog replaystate hostqemu ram qcow2 qemuargs monitor \
	machine machine_data machine_files machine_start machine_run machine_input checkpointfile checkpointfile_data checkpointfile_read checkpointfile_write checkpoint checkpointstore origin snapshot snapshot_data snapshot_cache snapshot_open \
	snapshot_build \
	observer listener play eventfile manifest rundir runlist recorded prepare lineage \
	regs memory types ksyms layout guestfile guestdir maps process kpages owners openfiles demangle named debugfile symbols lines functions expr tls unwind kcode fpu orc value value_builtin value_text container container_find value_scalar view value_print value_type value_parts variables vartree expression expression_value disas program sourcefile statediff \
	eventindex indexfile facts timeline timeline_data timeline_parts timeline_events timeline_open search moment describe scale lanes lanes_draw lanes_rows lanes_window align diff diff_story \
	marks checkpointset filler walk scan scan_condition words bookmarks moves here answers session record fork livecopy termfilter rawtty shell shell_data shell_terminal shell_live verb verb_condition verb_moves verb_machine verb_memory verb_frame verb_guest verb_files verb_print verb_source verb_diff verb_scan verb_until verb_breaks verb_register verb_lines verb_fork verbs \
	extract tracee tracee_inside tracee_events tracee_core tracee_look tracee_hunt tracee_step tracee_moves targets gdbtarget gdbfiles gdbstate gdbthreads gdbmoves gdbquery gdbanswer orcframe gdbserver gdbkernel gdbhost gdbverb dap_client dap_server dap_values dap_variables dap_evaluate dap_points dap_data dap_sources dap_breakpoints dap_chase dap_judge dap_watches dap_hits dap_moves dap_frames dap_memory dap_launch dapserver \
	replay verify report batch doctor args help
# ... and the polecat command line, which needs no terminal.
CLI := output common gdbfront commands cmd_run cmd_replay cmd_check cmd_ls show cmd_show cmd_diff cmd_debug cmd_gdb cmd_fork cmd_image cmd_doctor \
	cmd_ui cmd_manual main
# tui/: polecat-tui
TUI := fmt debugpast debugnames debugpicture debugcode debugger debugger_parts debugger_gdb debugger_thread debugger_core glyph keys layout theme canvas guard term action manual list doc job run runs runs_order runs_tree session state prompt model view source \
	eventrow finder rows view_timeline view_events view_faults view_properties view_detail view_console view_plan view_runs diffrows view_diff \
	view_debug_parts view_debug_text view_debug view_help screen screen_parts screen_bars screen_debug screen_draw app app_data errand background app_debug acts act_move act_runs act_debug act \
	preview app_session app_complete app_core script main

# ---- what is built with what ---------------------------------------------------------------------------------
# MODE=debug, release or asan; each has its own folder, so no mode needs a clean. (MODE=fuzz is used by `make fuzz`.)
MODE ?= release
B := build/$(MODE)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 10
PKGS := json-c libzstd libfyaml libarchive libcrypto libpcre2-8 libdw capstone libbpf
CFLAGS_debug := -O0 -g3
CFLAGS_release := -O2 -g
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_fuzz := -O1 -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wwrite-strings -Wformat=2 -Wvla
ifeq ($(WERROR),1)
WARN += -Werror
endif
ifeq ($(origin CFLAGS_$(MODE)),undefined)
$(error MODE=$(MODE) is unknown: expected debug, release or asan)
endif
CFLAGS ?=
BASE_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -I$(B)/gen $(WARN) -MMD -MP
POLECAT_CFLAGS := $(BASE_CFLAGS) -DNCURSES_WIDECHAR=1 $(CFLAGS_$(MODE)) $(CFLAGS)
# Asked once, and only when something is compiled: make must be able to start before set-up has installed pkg-config.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := -Wl,--as-needed $$(shell pkg-config --libs $(PKGS)) -liberty)$(PKG_LIBS)
TUI_LIBS = $(eval TUI_LIBS := -Wl,--as-needed $$(shell pkg-config --libs ncursesw readline))$(TUI_LIBS)
# The agent is PID 1 of the machine and part of its identity, so it is the same bytes in every MODE: static, small, stripped,
# never sanitised, without paths of this host, and at an address of its own (coverage counts the addresses of workloads).
MUSL := $(shell command -v musl-gcc)
STATIC_CC := $(if $(MUSL),$(MUSL) -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu,$(CC))
STATIC_CFLAGS := -Os -static -fno-pie -no-pie -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections \
	-ffile-prefix-map=$(CURDIR)=. -Wl,--gc-sections,--build-id=none
AGENT_CFLAGS := -s -Wl,-Ttext-segment=0x60000000

Q := $(if $(V),,@)
quiet := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V)$(quiet),,@printf '  %-6s %s\n' $(1) $(2))
have = $(foreach m,$(2),$(if $(wildcard $(1)/$(m).c),$(m)))
objects = $(patsubst %,$(B)/$(1)/%.o,$(call have,$(1),$(2)))

ENGINE_OBJ := $(call objects,engine,$(ENGINE)) $(call objects,agent,wire input)
CLI_OBJ := $(call objects,engine,$(CLI))
TUI_OBJ := $(call objects,tui,$(filter-out main,$(TUI)))
# The agent's modules once more, compiled for the host, so that unit tests and fuzzers can call them.
AGENT_OBJ := $(call objects,agent,$(filter-out wire input main,$(AGENT)))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
# Files compiled into the programs: themes/NAME.theme becomes the C string literal NAME.theme.inc.
EMBED := $(wildcard themes/*.theme)
GEN := $(patsubst %,$(B)/gen/%.inc,$(notdir $(EMBED)))

# A program is made as soon as its main.c exists.
PROGRAMS := $(if $(wildcard agent/main.c),$(B)/polecat-agent) $(if $(wildcard engine/main.c),$(B)/polecat) \
	$(if $(wildcard tui/main.c),$(B)/polecat-tui)

.PHONY: all programs agent polecat polecat-tui
all: programs workloads tools compile_commands.json ## the programs and the workloads of scenarios/ (default)
programs: $(B)/libengine.a $(B)/polecat-scan.so $(PROGRAMS) ## the programs only: needs no network
agent: $(B)/polecat-agent ## the static PID 1 of the machine
polecat: $(B)/polecat ## the command line
polecat-tui: $(B)/polecat-tui ## the terminal UI

# ---- rules ---------------------------------------------------------------------------------------------------
$(B)/libengine.a: $(ENGINE_OBJ)
$(B)/libtui.a: $(TUI_OBJ)
$(B)/libagent.a: $(AGENT_OBJ)
$(B)/%.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(B) && rm -f $@ && ar rcs $@ $^

$(B)/polecat: $(CLI_OBJ) $(B)/libengine.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(B)/polecat-tui: $(B)/tui/main.o $(B)/libtui.a $(B)/libengine.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(TUI_LIBS) $(PKG_LIBS) -lm

# polecat looks for its agent beside itself, then in ../lib/polecat (where `make install` puts it).
$(B)/polecat-agent: build/agent/polecat-agent
	@mkdir -p $(B) && cp $< $@
build/agent/polecat-agent: $(patsubst %,build/agent/%.o,$(call have,agent,$(AGENT)))
	$(call say,LD,$@)
	$(Q)$(STATIC_CC) $(STATIC_CFLAGS) $(AGENT_CFLAGS) -o $@ $^
# These see every byte that a program writes.
build/agent/sha256.o build/agent/wire.o build/agent/stream.o: STATIC_CFLAGS += -O2
build/agent/%.o: agent/%.c Makefile
	$(call say,CC,"$< (agent)")
	$(Q)mkdir -p build/agent && $(STATIC_CC) $(BASE_CFLAGS) $(STATIC_CFLAGS) -c -o $@ $<

# QEMU loads it into itself when somebody looks for who wrote or executed something.
$(B)/polecat-scan.so: engine/scan_plugin.c engine/scan_hits.h
	$(call say,CC,$@)
	$(Q)mkdir -p $(B) && $(CC) $(BASE_CFLAGS) -O2 -g -shared -fPIC -fvisibility=hidden -MF $(B)/polecat-scan.d -o $@ $<

$(B)/%.o: %.c | $(B)/.libraries $(GEN)
	@mkdir -p $(dir $@)
	$(call say,CC,$<)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(PKG_CFLAGS) -c -o $@ $<

$(B)/.libraries: Makefile
	@for p in $(PKGS) ncursesw readline; do pkg-config --exists $$p || { echo "make: $$p is not installed; .ci/setup installs" \
		"everything that polecat needs" >&2; exit 1; }; done
	@echo '#include <libiberty/demangle.h>' | $(CC) -E - >/dev/null 2>&1 || { echo "make: libiberty is not installed; .ci/setup installs" \
		"everything that polecat needs" >&2; exit 1; }
	@mkdir -p $(B) && touch $@

vpath %.theme themes
$(B)/gen/%.inc: %
	@mkdir -p $(B)/gen
	@sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $< >$@

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d build/agent/*.d)

# The list of suites is the list of files. Rewritten only when it changes.
$(B)/tests/unit/main.o: $(B)/gen/suites.inc
$(B)/gen/suites.inc: always
	@mkdir -p $(B)/gen
	@printf 'SUITE(%s)\n' $(patsubst tests/unit/test_%.c,%,$(UNIT_SRC)) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/unit: $(UNIT_SRC:%.c=$(B)/%.o) $(B)/tests/unit/main.o $(B)/libtui.a $(B)/libengine.a $(B)/libagent.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(TUI_LIBS) $(PKG_LIBS) -lcunit -lm

$(B)/fuzz/%: $(B)/tests/fuzz/fuzz_%.o $(B)/libtui.a $(B)/libengine.a $(B)/libagent.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(B)/fuzz && $(CC) $(POLECAT_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(B)/libengine.a $(TUI_LIBS) $(PKG_LIBS) -lm

# Programs for tests: runs made up without a machine, and the waits of a screen over large ones.
.PHONY: tools
tools: $(B)/make-run $(B)/time-timeline ## what makes and measures runs of any size for tests
.PHONY: fixtures
fixtures: $(B)/make-run ## makes the stored runs of tests/screens/runs anew
	@MAKE_RUN=$(B)/make-run tests/screens/runs/make tests/screens/runs
$(B)/make-run: $(B)/tests/tools/make-run.o $(B)/tests/tools/simulate.o $(B)/libengine.a
$(B)/time-timeline: $(B)/tests/tools/time-timeline.o $(B)/libengine.a
$(B)/icounts: $(B)/tests/tools/icounts.o $(B)/libengine.a
$(B)/seeks: $(B)/tests/tools/seeks.o $(B)/libengine.a
$(B)/make-run $(B)/time-timeline $(B)/icounts $(B)/seeks:
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

SOURCES := $(wildcard agent/*.c engine/*.c tui/*.c tests/unit/*.c tests/fuzz/*.c tests/workloads/*.c tests/machine/*.c tests/tools/*.c)
HEADERS := $(wildcard agent/*.h engine/*.h tui/*.h tests/unit/*.h tests/fuzz/*.h tests/tools/*.h)
compile_commands.json: always
	@mkdir -p $(B) && { echo '['; for f in $(SOURCES); do printf '%s{"directory": "%s", "file": "%s", "command": "cc %s -c %s"}\n' "$$comma" \
		'$(CURDIR)' $$f '$(filter-out -MMD -MP,$(POLECAT_CFLAGS)) $(PKG_CFLAGS)' $$f; comma=,; done; echo ']'; } >$(B)/commands.new
	@cmp -s $(B)/commands.new $@ && rm $(B)/commands.new || mv $(B)/commands.new $@

include tests/workloads/workloads.mk
include tests/machine/machine.mk

# ---- tests ---------------------------------------------------------------------------------------------------
# For what is one command to the person: all processors, unless -j says otherwise.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: check check-fast unit asan screens runs fuzz fuzz-smoke fuzzers bench demo always
check: setup ## everything: lint, unit, asan, fuzz smoke, screens, runs in QEMU; last line "N passed, N failed"
	@$(MAKE) --no-print-directory $(PARALLEL) all $(B)/unit $(B)/seeks $(B)/icounts machine-check
	@tests/runner all
check-fast: all ## what needs no QEMU
	@tests/runner fast
unit: $(B)/unit ## unit tests; ARGS="err buf" runs these suites only
	$(Q)$(B)/unit $(ARGS)
asan: ## unit tests under AddressSanitizer and UBSan, and the programs that other tests run under them
	@$(MAKE) --no-print-directory $(PARALLEL) MODE=asan programs build/asan/unit
	@$(MAKE) --no-print-directory MODE=asan unit
screens: all ## the terminal UI, without a terminal
	@tests/runner screens
runs: all ## whole recordings and replays in QEMU
	@tests/runner runs
tests/screens/%.sh tests/runs/%.sh tests/build/%.sh: all always
	@tests/runner $@
fuzz: fuzzers ## each parser for FUZZ_SECONDS=10; ARGS="wire" fuzzes this one only
	@tests/fuzz/run long $(FUZZ_SECONDS) $(or $(ARGS),$(FUZZERS))
fuzz-smoke: fuzzers ## each parser over its corpus and some thousand seeded inputs
	@tests/fuzz/run smoke 0 $(or $(ARGS),$(FUZZERS))
fuzzers:
	@$(if $(FUZZERS),$(MAKE) --no-print-directory $(PARALLEL) MODE=fuzz CC=clang $(FUZZERS:%=build/fuzz/fuzz/%))
.SECONDARY: $(FUZZERS:%=$(B)/tests/fuzz/fuzz_%.o) $(GEN)
bench: all ## measures the figures and rewrites the table of docs/BENCH.md
	@tests/bench/bench
demo: setup ## finds a lost write in redis, replays it: about two minutes, the first time
	@$(MAKE) --no-print-directory $(PARALLEL) programs $(W)/.redis-made $(W)/kvclient
	@tests/demo

# ---- keeping house -------------------------------------------------------------------------------------------
.PHONY: setup format lint install uninstall clean help
setup: ## installs the Debian packages that are missing (asks first; YES=1 does not)
	@.ci/setup
format: ## clang-format over everything
	clang-format -i $(SOURCES) $(HEADERS)
# What cppcheck takes for a mistake too often; compilers and sanitizers see the real ones.
CPPCHECK_WRONG := autoVariables uninitvar duplicateAssignExpression arrayIndexThenCheck
lint: ## include order, size limits, the list of parsers, cppcheck, format
	@AGENT='$(AGENT)' PLUGIN='$(PLUGIN)' ENGINE='$(ENGINE)' CLI='$(CLI)' TUI='$(TUI)' tests/layers.sh .
	@tests/limits.sh $(SOURCES) $(HEADERS)
	@tests/parsers.sh .
	@cppcheck -q -j2 --std=c11 --language=c --enable=warning,portability --inline-suppr --error-exitcode=1 -I. \
		--template='{file}:{line}: {id}: {message}' $(CPPCHECK_WRONG:%=--suppress=%) $(SOURCES)
	@clang-format --dry-run -Werror $(SOURCES) $(HEADERS)

.PHONY: docs docs-new
docs: ## copies the headers' first comments into docs/ARCHITECTURE.md
	@$(MAKE) -s docs-new OUT=docs/ARCHITECTURE.new && mv docs/ARCHITECTURE.new docs/ARCHITECTURE.md
docs-new:
	@AGENT='$(AGENT)' PLUGIN='$(PLUGIN)' ENGINE='$(ENGINE)' CLI='$(CLI)' TUI='$(TUI)' docs/modules.sh <docs/ARCHITECTURE.md >$(OUT)

bin := $(DESTDIR)$(PREFIX)/bin
lib := $(DESTDIR)$(PREFIX)/lib/polecat
share := $(DESTDIR)$(PREFIX)/share
install: all ## into PREFIX=/usr/local, below DESTDIR
	install -d $(bin) $(lib) $(share)/polecat/themes $(share)/polecat/scenarios
	install -m 755 $(filter-out %-agent,$(PROGRAMS)) $(bin)
	install -m 755 $(filter %-agent,$(PROGRAMS)) $(B)/polecat-scan.so $(lib)
	install -m 644 $(wildcard themes/*) $(share)/polecat/themes
	for s in $(wildcard scenarios/*.yaml); do \
		sed 's,\.\./build/workloads/,../workloads/,' $$s >$(share)/polecat/$$s && chmod 644 $(share)/polecat/$$s || exit; done
	rm -rf $(share)/polecat/workloads && cp -r $(W) $(share)/polecat/workloads && rm -f $(share)/polecat/workloads/.*-made
	$(B)/polecat manual >$(B)/polecat.1 && install -D -m 644 $(B)/polecat.1 $(share)/man/man1/polecat.1
	$(B)/polecat-tui --manual >$(B)/polecat-ui.1 && install -D -m 644 $(B)/polecat-ui.1 $(share)/man/man1/polecat-ui.1
	$(B)/polecat completion bash >$(B)/completion && install -D -m 644 $(B)/completion $(share)/bash-completion/completions/polecat
	$(B)/polecat completion zsh >$(B)/completion && install -D -m 644 $(B)/completion $(share)/zsh/site-functions/_polecat
	$(B)/polecat completion fish >$(B)/completion && install -D -m 644 $(B)/completion $(share)/fish/vendor_completions.d/polecat.fish
	for page in $(wildcard docs/*.[1-8]); do install -D -m 644 $$page $(share)/man/man$${page##*.}/$${page#docs/} || exit; done
uninstall: ## removes what install put there
	rm -f $(bin)/polecat $(bin)/polecat-tui $(share)/man/man?/polecat*.[1-8] \
		$(share)/bash-completion/completions/polecat $(share)/zsh/site-functions/_polecat $(share)/fish/vendor_completions.d/polecat.fish
	rm -rf $(lib) $(share)/polecat
clean: ## removes build/
	rm -rf build compile_commands.json
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^=].*## /\1\t/p' Makefile tests/workloads/workloads.mk | expand -t 16
