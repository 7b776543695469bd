#!/bin/bash
# A debug session at a terminal whose moves and scans are stopped, and whose QEMU is killed or does not answer: while it moves,
# while it scans, while nothing goes on, and while checkpoints are made in the background. It says so, goes on, and is where it was.
# limit: 600
# takes: 30
. tests/lib.sh
cat >"$WORK/burn.yaml" <<END
polecat: 1
name: burn
nodes:
  one: {workload: {binary: $PWD/build/workloads/burner}, command: [/burner, "150", --every, "5"]}
properties: [{id: ends, eventually: {node: one, exited: 0}}]
END
expect 0 "$POLECAT" run "$WORK/burn.yaml" --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)

cat >"$WORK/session.py" <<'END'
import os, pty, re, select, signal, sys, time

polecat, run = sys.argv[1:]
LIMIT = 120


def fail(why, text=b""):
    sys.exit(f"{why}: {text.decode(errors='replace')}")


class Session:
    """polecat debug at a terminal of its own."""

    def __init__(self, *options):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(polecat, [polecat, "debug", *options, run])
        self.text = b""
        self.answer()

    def answer(self):
        """What came up to the next prompt."""
        end = time.monotonic() + LIMIT
        while not self.text.endswith(b"polecat> "):
            if time.monotonic() > end:
                fail("no prompt", self.text)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 65536)
                except OSError:
                    fail("it ended", self.text)
        text, self.text = self.text, b""
        return text

    def send(self, line):
        os.write(self.fd, line.encode() + b"\n")

    def ask(self, line):
        self.send(line)
        return self.answer()

    def machines(self, background):
        """Process ids of its QEMUs: the session's own, or the one that others go before."""
        found = []
        for pid in os.popen(f"ps -o pid= --ppid {self.pid}").read().split():
            try:
                with open(f"/proc/{pid}/stat") as f:
                    fields = f.read().rsplit(") ", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z" and (fields[16] == "10") == background:
                found.append(int(pid))
        return found

    def machine(self, background=False):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            pids = self.machines(background)
            if pids:
                return pids[0]
            self.pause()
        fail("no QEMU")

    def pause(self):
        select.select([], [], [], 0.01)

    def ticks(self, pid):
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def begin(self, line):
        """Sends a line and waits until QEMU works on it. Gives QEMU's process id."""
        pid = self.machine()
        before = self.ticks(pid)
        self.send(line)
        end = time.monotonic() + LIMIT
        while self.ticks(pid) < before + 3:
            if time.monotonic() > end:
                fail(f"{line}: QEMU does nothing", self.text)
            self.pause()
        return pid

    def interrupt(self):
        os.kill(self.pid, signal.SIGINT)
        return self.answer()

    def end(self):
        self.send("quit")
        _, status = os.waitpid(self.pid, 0)
        if status:
            fail(f"status {status}")


def expect(pattern, text):
    if not re.search(pattern.encode(), text):
        fail(f"nothing says {pattern}", text)


def refuse(pattern, text):
    if re.search(pattern.encode(), text):
        fail(f"something says {pattern}", text)


def digest(text):
    found = re.findall(rb"^(?:registers|memory +) ?([0-9a-f]{64})", text, re.M)
    if len(found) != 2:
        fail("no digest", text)
    return found


def writes(text):
    found = re.findall(rb"(\d+) writes", text)
    if len(found) != 1:
        fail("no count", text)
    return int(found[0])


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


def gone(pid):
    end = time.monotonic() + LIMIT
    while lives(pid):
        if time.monotonic() > end:
            fail(f"QEMU {pid} is still there")
        select.select([], [], [], 0.01)


HUNG, ENDED = "QEMU did not answer and was started again", "QEMU had ended and was started again"
s = Session("--keep", "0", "--checkpoints", "1")  # no room for checkpoints: every move is long
s.ask("goto ev:20")
wanted = digest(s.ask("digest"))
count = writes(s.ask("count jiffies"))


def same_place():
    s.ask("goto ev:20")
    if digest(s.ask("digest")) != wanted:
        fail("it is not what it was")


# A move and a scan that are stopped: QEMU stays, and a scan is where it was.
own = s.begin("goto end")
expect("cancelled on the way", s.interrupt())
refuse("started again", s.ask("goto ev:20"))
s.begin("count jiffies")
s.interrupt()
if digest(s.ask("digest")) != wanted:
    fail("a scan that was stopped does not return")
if s.machine() != own:
    fail("QEMU was replaced")

# The same with a QEMU that does nothing any more.
for line in "goto end", "count jiffies":
    s.ask("goto ev:20")
    own = s.begin(line)
    os.kill(own, signal.SIGSTOP)
    refuse("started again", s.interrupt())
    expect(HUNG, s.ask("goto ev:20" if line == "goto end" else "here"))
    gone(own)
    if digest(s.ask("digest")) != wanted:
        fail(f"{line}: it is not what it was")

# Killed while it moves, while it scans, while nothing goes on.
own = s.begin("goto end")
os.kill(own, signal.SIGKILL)
text = s.answer()
expect(ENDED, text)
expect("the end", text)
same_place()
own = s.begin("count jiffies")
os.kill(own, signal.SIGKILL)
text = s.answer()
expect(ENDED, text)
if writes(text) != count:
    fail(f"another count than {count}", text)
if digest(s.ask("digest")) != wanted:
    fail("a scan whose QEMU was killed does not return")
own = s.machine()
os.kill(own, signal.SIGKILL)
gone(own)
text = s.ask("digest")
expect(ENDED, text)
if digest(text) != wanted:
    fail("a QEMU that was killed while nothing went on")
s.end()

# The one in the background, killed and hanging: nothing is said, and the rest goes on.
s = Session("--keep", "0")
second = s.machine(background=True)
os.kill(second, signal.SIGKILL)
gone(second)
third = s.machine(background=True)
os.kill(third, signal.SIGSTOP)
text = s.ask("goto ev:20")
refuse("again", text)
if digest(s.ask("digest")) != wanted:
    fail("with another QEMU in the background it is not what it was")
try:
    os.kill(third, signal.SIGCONT)
except ProcessLookupError:
    pass  # it was found to be hanging
end = time.monotonic() + 3 * LIMIT
while b"being made" in (text := s.ask("checkpoints")) or s.machines(background=True):
    if time.monotonic() > end:
        fail("checkpoints are not made", text)
    select.select([], [], [], 0.4)
if int(text.split(b"checkpoints\r\n")[1].split()[0]) < 8:
    fail("few checkpoints", text)
s.end()
print("as it was")
END
expect 0 python3 "$WORK/session.py" "$POLECAT" "$run"
says '^as it was$'
expect 0 "$POLECAT" replay "$run"
says '^identical'
