# Programs and root file systems that scenarios run. They are the same for every MODE, so they live in build/workloads.
W := build/workloads
WORKLOAD_PROGRAMS := $(patsubst tests/workloads/%.c,$(W)/%,$(filter-out %/net.c,$(wildcard tests/workloads/*.c)))

.PHONY: workloads
workloads: $(WORKLOAD_PROGRAMS) $(W)/.httpd-made $(W)/.redis-made ## what scenarios/ run: programs, root file systems

# With line tables: a debugger can step through them.
$(W)/%: tests/workloads/%.c tests/workloads/net.c tests/workloads/net.h Makefile
	$(call say,CC,"$< (static)")
	$(Q)mkdir -p $(W) && $(STATIC_CC) $(filter-out -MMD -MP,$(BASE_CFLAGS)) $(STATIC_CFLAGS) -g -fno-omit-frame-pointer -o $@ $< tests/workloads/net.c

# A stamp lies beside its root file system, not in it: everything in it goes into the machine.
$(W)/.%-made: tests/workloads/%.sh tests/workloads/rootfs.sh
	$(call say,ROOTFS,$(W)/$*)
	$(Q)mkdir -p $(W) && tests/workloads/$*.sh $(W)/$* && touch $@
