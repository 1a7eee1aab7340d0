"""What a process takes, for the scripts of this folder: processor time, wall time and memory.

Memory is the largest resident memory of the process. A process begins with the peak of the one that started it, so a
script that starts processes should be small itself.
"""

import os
import subprocess
import sys
import time
from typing import NamedTuple


class Taken(NamedTuple):
    """What a process took."""

    cpu: float
    """Seconds of processor time, user and system, of the process and all that it waited for."""
    wall: float
    """Seconds from its start to its end."""
    peak_mb: float
    """Largest resident memory in MB of 10⁶ bytes."""
    said: str
    """Its standard error."""


def run(command, source=os.devnull, target=os.devnull, cwd=None, environment=None) -> Taken:
    """Runs a command with the file `source` as its input and writes its output to `target`; ends the script if it fails."""
    command = [str(part) for part in command]
    with open(source, "rb") as stdin, open(target, "wb") as stdout:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, env=environment)
        return ended(process, command, start)


def converse(command, lines, environment=None) -> tuple[Taken, list[float], list[str]]:
    """Gives a command one line at a time and waits for the line that answers it: seconds of each, and the answers."""
    command = [str(part) for part in command]
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    seconds, answers = [], []
    for line in lines:
        begun = time.perf_counter()
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        seconds.append(time.perf_counter() - begun)
        answers.append(answer.decode().rstrip("\n"))
        if not answer:
            break
    process.stdin.close()
    return ended(process, command, start), seconds, answers


def ended(process, command, start) -> Taken:
    said = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    # For subprocess, which did not wait itself.
    process.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}: {said[-2000:]}")
    return Taken(usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * 1024 / 1e6, said)


def percentile(values, percent):
    """The least value that `percent` of the values do not exceed."""
    values = sorted(values)
    return values[max(-(-percent * len(values) // 100), 1) - 1]
