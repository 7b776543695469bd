/* A started machine: made to run and to stop, its memory, its monitor, its device state. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "engine/machine_data.h"

#define SAVE_TRIES 50
#define WAKE_MS    1

/* ---- running ---- */

static bool stopped(const struct machine *m, const char *what, struct err *err)
{
	if (m->state == MACHINE_RUNNING || m->state == MACHINE_DIED || m->log_taken)
		return err_set(
			err, ERR_QEMU, "%s: the machine %s", what, m->state == MACHINE_RUNNING ? "is running" : "has ended");
	return true;
}

static bool set_break(struct machine *m, uint64_t icount, struct err *err)
{
	struct json *arguments = json_new_object();
	json_put_u64(arguments, "icount", icount);
	if (!monitor_call(m->monitor, "replay-break", arguments, MACHINE_ANSWER_MS, NULL, err))
		return false;
	m->break_set = true;
	return true;
}

bool machine_cont(struct machine *m, struct err *err)
{
	if (!stopped(m, "continuing", err))
		return false;
	/* A replay that ran past the end of its log would wait for ever. */
	if (m->mode == MACHINE_REPLAY && !m->break_set && !set_break(m, m->end_icount, err))
		return false;
	m->panicked = false;
	if (!monitor_call(m->monitor, "cont", NULL, MACHINE_ANSWER_MS, NULL, err))
		return false;
	m->state = MACHINE_RUNNING;
	return true;
}

static void on_event(struct machine *m, const struct qmp_message *e)
{
	if (!strcmp(e->event, "GUEST_PANICKED"))
		m->panicked = true;
	else if (!strcmp(e->event, "SHUTDOWN"))
		m->shut = true;
	if (strcmp(e->event, "STOP") && !m->shut)
		return;
	if (m->shut)
		m->state = MACHINE_GUEST_DIED;
	else if (m->panicked)
		m->state = MACHINE_BARRIER;
	else if (m->break_set)
		m->state = MACHINE_AT_BREAK;
	else
		m->state = MACHINE_STOPPED;
	/* QEMU forgets a break that it stopped at. */
	if (m->state == MACHINE_AT_BREAK)
		m->break_set = false;
}

/* Where a recording waited for the host's clock, QEMU's main loop sleeps as long in the replay, although it will find the time in
 * its log: whenever something wakes it. */
static bool wake(struct machine *m, struct err *err)
{
	return monitor_call(m->monitor, "query-status", NULL, MACHINE_ANSWER_MS, NULL, err);
}

bool machine_poll(struct machine *m, int timeout_ms, enum machine_state *state, struct err *err)
{
	bool got = true, sleeps = m->open && m->mode == MACHINE_REPLAY;
	for (int left = timeout_ms; (got || (sleeps && left)) && m->state == MACHINE_RUNNING;) {
		struct qmp_message e;
		int wait = sleeps && (left < 0 || left > WAKE_MS) ? WAKE_MS : left;
		if (!monitor_event(m->monitor, wait, &got, &e, err))
			return false;
		if (got) {
			on_event(m, &e);
			qmp_message_finish(&e);
		} else if (monitor_closed(m->monitor)) {
			m->state = MACHINE_DIED;
		} else if (sleeps && left && !wake(m, err) && !monitor_closed(m->monitor)) {
			return false;
		}
		left -= left > 0 && !got ? wait : 0; /* events are few */
	}
	*state = m->state;
	return true;
}

bool machine_pause(struct machine *m, int timeout_ms, struct err *err)
{
	enum machine_state state = m->state;
	if (state != MACHINE_RUNNING)
		return true;
	m->log_spoilt = m->mode == MACHINE_RECORD;
	bool break_set = m->break_set;
	if (!monitor_call(m->monitor, "stop", NULL, timeout_ms, NULL, err) || !machine_poll(m, timeout_ms, &state, err))
		return false;
	/* Whether it stopped at the break or before it is not known: the break may be set still. */
	m->break_set = break_set;
	if (state == MACHINE_AT_BREAK)
		m->state = MACHINE_STOPPED;
	m->unstoppable = state == MACHINE_RUNNING;
	return !m->unstoppable || err_set(err, ERR_QEMU, "QEMU did not stop within %d ms", timeout_ms);
}

bool machine_lost(const struct machine *m)
{
	return m->unstoppable || monitor_lost(m->monitor);
}

bool machine_answers(struct machine *m, int timeout_ms)
{
	struct err ignored;
	return machine_is_alive(m) && monitor_call(m->monitor, "query-status", NULL, timeout_ms, NULL, &ignored);
}

bool machine_is_alive(const struct machine *m)
{
	struct pollfd monitor = {.fd = monitor_fd(m->monitor), .events = 0};
	return m->state != MACHINE_DIED && !machine_lost(m) && poll(&monitor, 1, 0) <= 0;
}

int machine_fd(const struct machine *m)
{
	return monitor_fd(m->monitor);
}

int machine_pid(const struct machine *m)
{
	return m->child.pid;
}

enum machine_state machine_state(const struct machine *m)
{
	return m->state;
}

enum machine_mode machine_mode(const struct machine *m)
{
	return m->mode;
}

bool machine_icount(struct machine *m, uint64_t *icount, struct err *err)
{
	struct qmp_message answer;
	if (!monitor_call(m->monitor, "query-replay", NULL, MACHINE_ANSWER_MS, &answer, err))
		return false;
	bool ok = json_get_u64(answer.data, "icount", icount, err);
	qmp_message_finish(&answer);
	return ok;
}

uint64_t machine_start_icount(const struct machine *m)
{
	return m->start_icount;
}

uint64_t machine_end_icount(const struct machine *m)
{
	return m->end_icount;
}

bool machine_break(struct machine *m, uint64_t icount, struct err *err)
{
	if (m->mode != MACHINE_REPLAY)
		return err_set(err, ERR_USAGE, "only a replay can stop at a chosen instruction");
	if (icount < m->start_icount || icount > m->end_icount)
		return err_set(err, ERR_USAGE, "no instruction %" PRIu64 " in this run: it has %" PRIu64 " to %" PRIu64, icount,
			m->start_icount, m->end_icount);
	return stopped(m, "setting a break", err) && machine_unbreak(m, err) && set_break(m, icount, err);
}

bool machine_unbreak(struct machine *m, struct err *err)
{
	if (!m->break_set)
		return true;
	m->break_set = false;
	return monitor_call(m->monitor, "replay-delete-break", NULL, MACHINE_ANSWER_MS, NULL, err);
}

bool machine_run_to(struct machine *m, uint64_t icount, enum machine_state *state, struct err *err)
{
	uint64_t now;
	if (!stopped(m, "running on", err) || !machine_icount(m, &now, err))
		return false;
	if (now == icount) {
		*state = m->state = MACHINE_AT_BREAK;
		return true;
	}
	if (!machine_break(m, icount, err) || !machine_cont(m, err) || !machine_poll(m, -1, state, err))
		return false;
	return *state == MACHINE_DIED || machine_unbreak(m, err);
}

/* ---- memory, monitor, device state ---- */

const uint8_t *machine_ram(const struct machine *m, size_t *size)
{
	*size = m->ram.size;
	return m->ram.map;
}

const uint8_t *machine_output(const struct machine *m, size_t *size)
{
	*size = (size_t)m->output_mib << 20;
	return m->ram.map + machine_output_address(m);
}

uint64_t machine_output_address(const struct machine *m)
{
	return (uint64_t)m->memory_mib << 20;
}

bool machine_ram_digest(const struct machine *m, uint8_t out[DIGEST_SIZE], struct err *err)
{
	return ram_digest(&m->ram, out, err);
}

bool machine_monitor(struct machine *m, const char *line, struct buf *out, struct err *err)
{
	return monitor_human(m->monitor, line, MACHINE_ANSWER_MS, out, err);
}

/* loadvm, savevm and delvm say nothing when they succeed. */
static bool snapshot_command(struct machine *m, const char *command, const char *name, struct buf *answer, struct err *err)
{
	char *line = mem_printf("%s %s", command, name);
	bool ok = stopped(m, command, err) && monitor_human(m->monitor, line, MACHINE_ANSWER_MS, answer, err);
	free(line);
	return ok;
}

static bool silent(const char *command, const struct buf *answer, struct err *err)
{
	return answer->size == 0 || err_set(err, ERR_QEMU, "%s: QEMU said: %.400s", command, answer->data);
}

bool machine_save(struct machine *m, const char *name, struct err *err)
{
	struct buf answer = {0};
	bool ok = true;
	/* "Try once more later": an event waits in the replay queue; QEMU's main loop takes it between two commands. */
	for (int i = 0; ok && i < SAVE_TRIES && (i == 0 || strstr(answer.data ? answer.data : "", "Try once more")); i++) {
		buf_clear(&answer);
		ok = snapshot_command(m, "savevm", name, &answer, err);
	}
	ok = ok && silent("savevm", &answer, err);
	buf_free(&answer);
	return ok;
}

bool machine_saved(struct machine *m, const char *name, struct buf *out, struct err *err)
{
	/* What QEMU holds back is written first. */
	return machine_monitor(m, "qemu-io snap \"flush\"", NULL, err) && qcow2_state(m->fds.device, name, out, err);
}

bool machine_load(struct machine *m, const char *name, struct err *err)
{
	struct buf answer = {0};
	/* A break left set would make QEMU abort at the next one. */
	bool ok = (m->mode == MACHINE_RECORD || machine_unbreak(m, err)) && snapshot_command(m, "loadvm", name, &answer, err) &&
		silent("loadvm", &answer, err);
	buf_free(&answer);
	return ok;
}

bool machine_drop(struct machine *m, const char *name, struct err *err)
{
	struct buf answer = {0};
	bool ok = snapshot_command(m, "delvm", name, &answer, err) && silent("delvm", &answer, err);
	buf_free(&answer);
	return ok;
}

void machine_heard(struct machine *m, const struct buf *serial)
{
	if (serial->size > m->seen.size)
		buf_add(&m->seen, serial->data + m->seen.size, serial->size - m->seen.size);
}

size_t machine_load_writes(const struct machine *m)
{
	return m->load_writes;
}

struct ram *machine_memory(struct machine *m)
{
	return &m->ram;
}

const struct ram *machine_ready_memory(const struct machine *m)
{
	return &m->ready;
}

bool machine_registers(struct machine *m, struct buf *text, struct err *err)
{
	return stopped(m, "reading registers", err) && machine_monitor(m, "info registers", text, err);
}
