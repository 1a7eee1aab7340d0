"""Overhead of a call, throughput beside the command line, and memory over many calls; prints JSON.

    python python/benches/overhead.py [--calls 1000000] [--text FILE] [--threads 1] [--runs 3]

A call for an empty line does everything but search: its time is the overhead of a call. Throughput is CPU seconds (user and
system) of `translate`, of `translate_iterable` and of `metaphrase translate` on the same text and threads, in turns; the
loading of the model is in all of them. The least of the runs counts.
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
translator = Translator("en-de", threads={threads})
lines = sys.stdin.read().splitlines()
sys.stdout.write("".join(found.text + "\\n" for found in translator.translate(lines)))
""",
    "translate_iterable": """
import sys
from metaphrase import Translator
translator = Translator("en-de", threads={threads})
for found in translator.translate_iterable(line.rstrip("\\n") for line in sys.stdin):
    sys.stdout.write(found.text + "\\n")
""",
    "translate_arrow": """
import sys
import pyarrow as pa
from metaphrase import Translator
translator = Translator("en-de", threads={threads})
lines = pa.array(sys.stdin.read().splitlines())
sys.stdout.write("".join(text + "\\n" for text in pa.array(translator.translate_arrow(lines)).to_pylist()))
""",
}


def throughput(text, threads, runs):
    """CPU and wall seconds of each program, and whether all outputs are the same."""
    least, outputs = {}, set()
    for _ in range(runs):
        for name, program in PROGRAMS.items():
            if isinstance(program, str):
                command = [sys.executable, "-c", program.format(threads=threads)]
            else:
                command = [*program, "--threads", str(threads)]
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            with open(text, "rb") as source:
                outputs.add(subprocess.run(command, stdin=source, stdout=subprocess.PIPE, check=True).stdout)
            after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = least.get(name, (float("inf"), float("inf")))
            least[name] = (min(best[0], cpu), min(best[1], ended - began))
    report = {name: {"CPU seconds": round(cpu, 3), "seconds": round(wall, 3)} for name, (cpu, wall) in least.items()}
    report["all outputs the same"] = len(outputs) == 1
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--text")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    from metaphrase import Translator

    translator = Translator("en-de", threads=1)
    report = {"calls": args.calls}
    for name, options in {"no options": {}, "five options": {"beam_size": 4, "n_best": 2, "normalize": 0.6, "seed": 3, "stop": "fill"}}.items():
        times = []
        for _ in range(20):
            began = time.perf_counter()
            for _ in range(500):
                translator.translate("", **options)
            times.append((time.perf_counter() - began) / 500)
        report[f"overhead of a call, microseconds, {name}"] = round(1e6 * min(times), 2)
    for _ in range(1000):
        translator.translate("")
    before = resident()
    for _ in range(args.calls):
        translator.translate("")
    report["growth of memory over the calls, bytes"] = resident() - before
    if args.text:
        report["throughput"] = throughput(args.text, args.threads, args.runs)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
