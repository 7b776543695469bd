# The machine layer on a real QEMU, with a tiny guest of its own: tests/runs/machine.sh runs it.
build/machine-guest: tests/machine/guest.c Makefile
	$(call say,CC,"$< (static)")
	$(Q)mkdir -p build && $(STATIC_CC) $(filter-out -MMD -MP,$(BASE_CFLAGS)) $(STATIC_CFLAGS) -o $@ $<

$(B)/machine-check: $(B)/tests/machine/check.o $(B)/libengine.a
	$(call say,LD,$@)
	$(Q)$(CC) $(POLECAT_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

.PHONY: machine-check
machine-check: build/machine-guest $(B)/machine-check ## what tests/runs/machine.sh needs
