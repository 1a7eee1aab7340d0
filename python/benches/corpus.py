"""The common part of the benches of Spark and Ray: lines, their translations by the command line, processes, and the report."""

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def arguments(parser):
    """The options of both."""
    parser.add_argument("text", help="a text; a name in .gz is decompressed")
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--most-words", type=int, default=1000, help="lines of more words are left out")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--task-cpus", type=int, default=1, help="cores of a task or an actor: its process has as many threads, which share a model")
    parser.add_argument("--kill", type=float, metavar="SECONDS", help="kill a process this long after the job began, and again after as long")
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--beam-size", type=int)
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--turns", type=int, default=1, help="run the command line and the job so often, in turns: the speed of a machine changes")


def read_lines(args):
    """The lines of the text, repeated until there are enough."""
    with gzip.open(args.text, "rt", encoding="utf-8") if args.text.endswith(".gz") else open(args.text, encoding="utf-8") as file:
        # As on the command line, only \n ends a line.
        found = [line.rstrip("\n") for line in file]
    found = [line for line in found if len(line.split()) <= args.most_words]
    return [found[number % len(found)] for number in range(args.lines)]


def options(args):
    """The options of the translator in each process."""
    found = {"precision": args.precision, "threads": args.task_cpus}
    if args.beam_size:
        found["beam_size"] = args.beam_size
    return found


def command_line(args, lines):
    """The command line's translations, and its seconds with as many threads as there are cores."""
    command = [sys.executable, "-m", "metaphrase", "translate", "-m", args.model, "--threads", str(args.cores)]
    command += ["--precision", args.precision, *(["--beam-size", str(args.beam_size)] if args.beam_size else [])]
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as source:
        source.writelines(f"{line}\n" for line in lines)
        source.seek(0)
        began = time.perf_counter()
        printed = subprocess.run(command, stdin=source, stdout=subprocess.PIPE, check=True).stdout
        seconds = time.perf_counter() - began
    return printed.decode("utf-8").split("\n")[:-1], seconds


def processes(of=None):
    """The processes under this one (or another), with their command lines."""
    parents, commands = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except (OSError, ValueError):
                continue
    root = os.getpid() if of is None else of
    ours, before = {root}, 0
    while len(ours) > before:
        before = len(ours)
        ours |= {process for process, parent in parents.items() if parent in ours}
    return {process: commands[process] for process in ours if process in commands and process != root}


def compare(args, name, lines, job, more=None):
    """Runs the command line and the job in turns, and prints the report. Ends the program: 0 if all is as it should be.

    `job` gets the number of the turn; it gives pairs of a line's number and its translation, its seconds, and how many processes were killed.
    What it puts into `more` is in the report.
    """
    program, jobs, killed, once, equal = [], [], 0, True, True
    for turn in range(args.turns):
        expected, seconds = command_line(args, lines)
        program.append(seconds)
        found, seconds, dead = job(turn)
        jobs.append(seconds)
        killed += dead
        by_number = dict(found)
        once &= len(found) == len(lines) == len(by_number)
        equal &= [by_number.get(number) for number in range(len(lines))] == expected
    result = {
        "engine": name,
        "lines": len(lines),
        "words": sum(len(line.split()) for line in lines),
        "model": os.path.basename(args.model),
        "beam size": args.beam_size or "the model's",
        "precision": args.precision,
        "cores": args.cores,
        "processes killed": killed,
        "each line once": once,
        "equal to the command line": equal,
        "seconds of the job": [round(one, 2) for one in jobs],
        "seconds of the command line": [round(one, 2) for one in program],
        "throughput beside the command line": round(statistics.median(mine / its for mine, its in zip(program, jobs)), 3),
        **(more or {}),
    }
    print(json.dumps(result, indent=2))
    sys.exit(not (once and equal))
