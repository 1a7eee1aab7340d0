#!/usr/bin/env python3
"""The largest memory of translations with evidence, by the number of lines, as JSON: a corpus streams in bounded memory.

    benches/evidence_memory.py target/release/metaphrase de-en smt-de-en test.de.gz > docs/results/evidence-memory.json

The phrase-based model has words as `metaphrase tokenize --escape -l de` makes them. Each row is one process; the first rows read the same
models for one line. A text of fewer lines is repeated.
"""

import gzip
import json
import os
import sys
import tempfile

from measured import run

COUNTS = [1, 100, 1000, 5000]


def main(program, nmt, smt, text):
    languages = ["--evidence-tokenize", "de", "en"]
    common = ["--threads", "1"]
    with gzip.open(text, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source, tokens, lattices, posteriors = (
            os.path.join(folder, name) for name in ["source", "tokens", "lattices", "posteriors.gz"]
        )
        for count in COUNTS:
            with open(source, "w", encoding="utf-8") as file:
                file.writelines(lines[number % len(lines)] + "\n" for number in range(count))
            run([program, "tokenize", "-l", "de", "--escape"], source, tokens)
            run([program, "phrase", "lattice", "-m", smt, "--format", "compact", *common], tokens, lattices)
            count_n_grams = ["posteriors", "-m", nmt, "--format", "compact", *languages, *common]
            commands = {
                "translate": ["translate", "-m", nmt, *common],
                "translate --evidence": ["translate", "-m", nmt, "--evidence", smt, *languages, *common],
                "posteriors": [*count_n_grams, "-i", lattices, "-o", posteriors],
                "translate --lmbr": ["translate", "-m", nmt, "--lmbr", posteriors, *common],
            }
            for name, arguments in commands.items():
                reads = [] if name == "posteriors" else ["-i", source, "-o", os.path.join(folder, "out")]
                taken = run([program, *arguments, *reads])
                megabytes = round(taken.peak_mb)
                rows.append({"command": name, "lines": count, "peak_mb": megabytes, "posteriors_mb": size(posteriors)})
    print(json.dumps(rows, indent=1))


def size(path):
    """Megabytes of a compressed file; none yet: 0."""
    return round(os.path.getsize(path) / 1e6, 1) if os.path.exists(path) else 0


main(*sys.argv[1:])
