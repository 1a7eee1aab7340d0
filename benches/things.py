#!/usr/bin/env python3
"""Lines with things of programs (placeholders, code, addresses): does their translation keep each of them?

    benches/things.py PROGRAM MODEL... [--out docs/results/things.json]

A line of testdata/things.tsv is right if its translation has each of its things as often as the line, and as many
brackets, quotation marks, percent signs and question marks of each kind. `„` and `“` count as `"`.
"""

import argparse
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def signs(text):
    return sorted(re.findall(r'[%{}\[\]<>()"?]', re.sub("[„“”]", '"', text)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+", metavar="model")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    lines = (ROOT / "testdata/things.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("# ")]
    results = []
    for model in arguments.models:
        command = [arguments.program, "translate", "-q", "--split", "--threads", "1", "-m", model]
        text = "".join(f"{row[0]}\n" for row in rows)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        found = done.stdout.splitlines()
        assert len(found) == len(rows), "a line is missing"
        wrong = [
            {"line": line, "translation": translation}
            for (line, *things), translation in zip(rows, found)
            if signs(line) != signs(translation) or any(line.count(thing) != translation.count(thing) for thing in things)
        ]
        results.append({"model": Path(model).name, "lines": len(rows), "right": len(rows) - len(wrong), "wrong": wrong})
        print(f"{model}: {len(rows) - len(wrong)} of {len(rows)} lines are right")
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
