#!/usr/bin/env python3
"""The largest memory that hostile input makes each command take, as JSON.

    cargo build --release -p metaphrase-cli
    benches/memory.py target/release/metaphrase > docs/results/memory.json

Each row is one process: its command, the input, the peak of its resident memory and its seconds. `kind` is the same
command with a line of three words, so that the difference is what the input did.
"""

import gzip
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile

from measured import run

HERE = os.path.dirname(os.path.abspath(__file__))
SPM = os.path.join(HERE, "../models/en-de/source.spm")
ARPA = os.path.join(HERE, "../testdata/ngram/small.arpa")
LIGATURE = "\ufdfa"  # 18 letters under NFKC
HARD = "I have a dream that " * 60
END = "\nI am tired.\n"


def inputs(folder):
    """Files of hostile input, by name: each has some parts, so often each."""
    def write(name, *parts):
        path = os.path.join(folder, name)
        opened = gzip.open(path, "wb", 1) if name.endswith(".gz") else open(path, "wb")
        with opened as file:
            # This program stays small: a process begins with the peak of the one that started it.
            for count, part in parts:
                part = part.encode()
                for _ in range(count):
                    file.write(part)
        return path

    fields = ",".join(f'"{n:x}":1' for n in range(100_000))
    return {
        "three words": write("kind", (1, END)),
        "a line of 7,000,000 U+FDFA": write("ligatures", (7000, LIGATURE * 1000), (1, END)),
        "a line of 67 MB of words": write("words", (4200, "very long words " * 1000), (1, END)),
        "a line of 67 MB without blanks": write("letters", (67_000, "x" * 1000), (1, END)),
        "a gzip file of 1 GB of zeros": write("zeros.gz", (16_000, "\0" * (1 << 16))),
        "20,000,000 empty lines behind a hard one": write("empty", (1, HARD), (20_000, "\n" * 1000)),
        "40 lines of 1 MB behind a hard one": write("lines", (1, HARD), (40, "\n" + "a b c d " * 130_000)),
        "100 JSON lines of 100,000 keys behind a hard one": write(
            "keys.jsonl", (1, json.dumps({"text": HARD})), (100, '\n{"text":"",%s}' % fields)
        ),
    }


def peak(program, arguments, path):
    """Peak megabytes and seconds of a process that reads the file."""
    taken = run([program, *arguments], path)
    return round(taken.peak_mb), round(taken.wall, 1)


def commands(name, path):
    """Commands for an input: their names and arguments."""
    translate = ["translate", "--threads", "2"]
    if name.startswith("100 JSON"):
        return {"translate --input-format json": [*translate, "--input-format", "json"]}
    if path.endswith(".gz"):
        return {"translate": [*translate, "-i", path], "tokenize": ["tokenize", "-i", path]}
    if name.startswith("40 lines"):
        # Lines that wait are what counts here; searches for forty of them would take long.
        return {"translate -b 1": [*translate, "-b", "1", "--max-source-length", "100", "--longest-sentence", "0"]}
    if "behind" in name:
        return {"translate": translate}
    return {
        "translate": translate,
        "score": ["score", "--threads", "2", path, path],
        "tokenize": ["tokenize"],
        "tokenize --vocabulary": ["tokenize", "--vocabulary", SPM],
        "lm query": ["lm", "query", "-m", ARPA],
        "evaluate --metric bleu,chrf,ter": ["evaluate", "--metric", "bleu,chrf,ter", path],
        "align": ["align", "--threads", "2", path, path],
    }


def main():
    program = sys.argv[1]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in inputs(folder).items():
            for command, arguments in commands(name, path).items():
                megabytes, seconds = peak(program, arguments, path)
                rows.append({"command": command, "input": name, "peak_mb": megabytes, "seconds": seconds})
                print(f"{megabytes:5} MB {seconds:6} s {command}: {name}", file=sys.stderr)
    largest = {}
    for row in rows:
        largest[row["command"]] = max(largest.get(row["command"], 0), row["peak_mb"])
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(json.dumps({"program": version, "machine": platform.machine(), "largest_mb": largest, "rows": rows}, indent=1))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
