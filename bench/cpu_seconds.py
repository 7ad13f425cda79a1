"""Runs a command and prints the CPU seconds of it and of all that it started, also of what outlived its parent (a compiler's server).

    python3 bench/cpu_seconds.py COMMAND...    output to standard error; the last line of standard output: CPU and wall seconds
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
SECONDS_TO_END_BY_ITSELF = 30

# What loses its parent becomes a child of this process, which is then told what it took.
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
before = resource.getrusage(resource.RUSAGE_CHILDREN)  # Of what started this one, where that was a script.
began = time.monotonic()
command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=sys.stderr)
pid = 0
while pid != command.pid:  # What was left to this one must not stay behind as a zombie: who waits for its end would wait in vain.
    pid, status = os.wait()
wall = time.monotonic() - began


def children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


limit = time.monotonic() + SECONDS_TO_END_BY_ITSELF
while (left := children()):
    pid, _ = os.waitpid(-1, os.WNOHANG)
    if pid == 0:
        time.sleep(0.1)
        if time.monotonic() > limit:
            for child in left:
                os.kill(child, signal.SIGTERM)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime
print(f"{seconds:.1f} {wall:.1f}")
sys.exit(os.waitstatus_to_exitcode(status))
