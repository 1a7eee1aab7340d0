#!/usr/bin/env python3
"""BLEU and speed of models and ensembles on one text: the last columns of Devlin's table 2, the table of ensembles.

    benches/quality_and_speed.py SOURCE REFERENCE NAME=MODEL[+MODEL...] ... [--beam 6] [--runs 3] [--json FILE]

A system is a name and its model directory; several directories joined by `+` are an ensemble. One thread, length
normalisation 1. Systems take turns (A B A B ...). Speed is words of the translation per second of processor time, of
the fastest run, without the time that an empty input takes.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from measured import run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("systems", nargs="+", metavar="NAME=MODEL")
    parser.add_argument("--beam", type=int, default=6)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--metaphrase", default="target/release/metaphrase")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    common = ["translate", "--quiet", "--threads", "1", "--beam-size", str(arguments.beam), "--normalize", "1"]
    commands = {}
    for system in arguments.systems:
        name, _, models = system.partition("=")
        commands[name] = [arguments.metaphrase, *common, *(part for model in models.split("+") for part in ("-m", model))]
    with tempfile.TemporaryDirectory() as folder:
        texts = {name: Path(folder) / str(i) for i, name in enumerate(commands)}
        idle = {name: run(command).cpu for name, command in commands.items()}
        seconds = {name: [] for name in commands}
        for _ in range(arguments.runs):
            for name, command in commands.items():
                seconds[name].append(run(command, arguments.source, texts[name]).cpu - idle[name])
        rows = []
        for name, text in texts.items():
            evaluate = [arguments.metaphrase, "evaluate", "--metric", "bleu", "--json", str(arguments.reference), "-i", str(text)]
            bleu = json.loads(subprocess.run(evaluate, capture_output=True, text=True, check=True).stdout)["score"]
            words = len(text.read_text(encoding="utf-8").split())
            row = {"system": name, "bleu": bleu, "words_per_second": round(words / min(seconds[name]))}
            rows.append(row | {"cpu_seconds": [round(s, 3) for s in seconds[name]]})
    print(json.dumps(rows, indent=1))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


main()
