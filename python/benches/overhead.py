"""Overhead of a call, memory over many calls, and throughput compared with the command line; prints JSON.

    python python/benches/overhead.py [--model MODEL] [--calls 1000000] [--text FILE] [--text-model MODEL] [--program FILE] [--threads 1] [--runs 3]

The overhead of a call is the time of calls for a line each, less the time of one call for the list of these lines: in both the model has one line at
a time (`batch_tokens=1`). MODEL is a small one, so that calls are many; a million of them for short lines show whether memory grows. Throughput is CPU
seconds (user and system) of `translate`, of `translate_iterable`, of `translate_arrow` and of `metaphrase translate` on the same text and
threads, in turns. A run of a text of no line tells the start-up of each program: the interpreter, the imports (pyarrow's among them) and the loading of the
model. Speeds are compared with the start-up and without it, as it does not grow with the text. The least of the runs counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


PROGRAMS = {
    "metaphrase translate": [sys.executable, "-m", "metaphrase", "translate"],
    "translate": """
import sys
from metaphrase import Translator
translator = Translator({model!r}, threads={threads})
lines = sys.stdin.read().splitlines()
sys.stdout.write("".join(found.text + "\\n" for found in translator.translate(lines)))
""",
    "translate_iterable": """
import sys
from metaphrase import Translator
translator = Translator({model!r}, threads={threads})
for found in translator.translate_iterable(line.rstrip("\\n") for line in sys.stdin):
    sys.stdout.write(found.text + "\\n")
""",
    "translate_arrow": """
import sys
import pyarrow as pa
from metaphrase import Translator
translator = Translator({model!r}, threads={threads})
lines = pa.array(sys.stdin.read().splitlines())
sys.stdout.write("".join(text + "\\n" for text in pa.array(translator.translate_arrow(lines)).to_pylist()))
""",
}


def cpu_seconds(command, text):
    """CPU and wall seconds of a program that reads the text, and its output."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with open(text, "rb") as source:
        output = subprocess.run(command, stdin=source, stdout=subprocess.PIPE, check=True).stdout
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended - began, output


def throughput(text, model, threads, runs):
    """CPU and wall seconds of each program, and whether all outputs are the same."""
    infinite = (float("inf"), float("inf"), float("inf"))
    least, outputs = {}, set()
    for _ in range(runs):
        for name, program in PROGRAMS.items():
            if isinstance(program, str):
                command = [sys.executable, "-c", program.format(model=model, threads=threads)]
            else:
                command = [*program, "-m", model, "--threads", str(threads)]
            start_up = min(cpu_seconds(command, os.devnull)[0] for _ in range(3))
            cpu, wall, output = cpu_seconds(command, text)
            outputs.add(output)
            least[name] = tuple(map(min, least.get(name, infinite), (cpu, wall, start_up)))
    program, _, program_start = least["metaphrase translate"]
    report = {
        name: {
            "CPU seconds": round(cpu, 3),
            "seconds": round(wall, 3),
            "of them start-up, CPU seconds": round(start_up, 3),
            "speed beside the command line": round(program / cpu, 4),
            "the same without start-up": round((program - program_start) / (cpu - start_up), 4),
        }
        for name, (cpu, wall, start_up) in least.items()
    }
    report["lines"], report["threads"] = sum(1 for _ in open(text, "rb")), threads
    report["model"] = os.path.basename(model)
    report["all outputs the same"] = len(outputs) == 1
    return report


#: Short lines, so that the overhead dominates a call.
LINES = ["Hi!", "Good morning!", "Yes.", "Where?", "I am tired.", "No, thank you.", "Help!"]
#: Options of a call: their number is part of its overhead.
OPTIONS = {"no options": {}, "five options": {"beam_size": 1, "n_best": 1, "normalize": 0.6, "seed": 3, "stop": "fill"}}


def overhead(translator, options):
    """Microseconds per line of a call for each line, and of one call for all lines; the minimum of 30 rounds."""
    lines = LINES * 30
    alone, together = [], []
    for _ in range(30):
        began = time.perf_counter()
        for line in lines:
            translator.translate(line, **options)
        between = time.perf_counter()
        translator.translate(lines, **options)
        ended = time.perf_counter()
        alone.append((between - began) / len(lines))
        together.append((ended - between) / len(lines))
    return {
        "a call for a line": round(1e6 * min(alone), 1),
        "a line of a call for a list": round(1e6 * min(together), 1),
        "overhead of a call": round(1e6 * (min(alone) - min(together)), 1),
    }


def growth(translator, calls):
    """Resident bytes before the calls, and after each tenth of them."""
    for number in range(20_000):
        translator.translate(LINES[number % len(LINES)])
    sizes, began = [resident()], time.perf_counter()
    for _ in range(10):
        for number in range(calls // 10):
            translator.translate(LINES[number % len(LINES)])
        sizes.append(resident())
    return {
        "calls": calls // 10 * 10,
        "seconds": round(time.perf_counter() - began, 1),
        "resident bytes before, and after each tenth": sizes,
        "growth, bytes": sizes[-1] - sizes[0],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--text")
    parser.add_argument("--text-model", default="en-de", help="the model that translates the text")
    parser.add_argument("--program", help="the program `metaphrase` of a release build [default: that of the package]")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    from metaphrase import Translator

    translator = Translator(args.model, threads=1, batch_tokens=1, beam_size=1)
    report = {"model": os.path.basename(args.model), "beam size": 1, "lines": LINES}
    report["microseconds"] = {name: overhead(translator, options) for name, options in OPTIONS.items()}
    empty = []
    for _ in range(20):
        began = time.perf_counter()
        for _ in range(500):
            translator.translate("")
        empty.append((time.perf_counter() - began) / 500)
    report["microseconds"]["a call for an empty line"] = round(1e6 * min(empty), 2)
    report["memory over many calls"] = growth(translator, args.calls)
    translator.close()
    if args.program:
        PROGRAMS["metaphrase translate"] = [args.program, "translate"]
    if args.text:
        report["throughput"] = throughput(args.text, args.text_model, args.threads, args.runs)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
