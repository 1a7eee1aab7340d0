#!/usr/bin/env python3
"""Translations of the reference models beside the recorded output of Marian, counted.

    benches/exactness.py MODELS [--metaphrase target/release/metaphrase] [--json docs/results/exactness.json]

MODELS is a folder of model directories with Marian's output (`nbest.b6n1.txt`, `nbest.b4n0.txt`, `greedy.txt`,
`scores.txt`). For each file: how many entries have Marian's text, its alignment (of recurrent models), and the largest
difference of a score. Two entries whose scores tie may stand in either order, so an entry counts as equal if it is in
Marian's list with the same text.
"""

import argparse
import json
import subprocess
from pathlib import Path


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def entries(text):
    """Of each line number: (text, alignment or None, log-probability, score) in order."""
    lists = {}
    for line in text:
        number, text, *alignment, probability, score = line.split(" ||| ")
        entry = (text, alignment[0] if alignment else None, float(probability.removeprefix("F0=")), float(score))
        lists.setdefault(int(number), []).append(entry)
    return lists


class Program:
    def __init__(self, binary, model):
        self.binary, self.model = binary, model

    def run(self, command, *arguments):
        full = [self.binary, command, "--quiet", "-m", self.model, *arguments]
        done = subprocess.run([str(part) for part in full], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def translate(self, beam, normalize, *options):
        # Marian reads its unknown word for characters that the vocabulary lacks, and may write broken characters.
        as_marian = ["--unknown", "model", "--allow-special"]
        search = ["--beam-size", beam, "--normalize", normalize]
        return self.run("translate", "-i", self.model / "source.en", *as_marian, *search, *options)


def compare_lists(program, file, beam, normalize):
    expected = entries(lines(file))
    aligned = any(entry[1] is not None for entry in expected[0])
    options = ["--n-best", beam] + (["--alignment", "hard"] if aligned else [])
    ours = entries(program.translate(beam, normalize, *options))
    counts = {"entries": 0, "equal texts": 0, "in the same place": 0, "largest difference": 0.0}
    if aligned:
        counts["equal alignments"] = 0
    for number, list in expected.items():
        mine_all = ours.get(number, [])
        for place, (text, alignment, probability, score) in enumerate(list):
            counts["entries"] += 1
            # Two segmentations of one text are two entries.
            same = [entry for entry in mine_all if entry[0] == text]
            if not same:
                continue
            mine = min(same, key=lambda entry: abs(entry[2] - probability))
            counts["equal texts"] += 1
            counts["in the same place"] += place < len(mine_all) and mine_all[place][0] == text
            difference = max(abs(mine[2] - probability), abs(mine[3] - score))
            counts["largest difference"] = max(counts["largest difference"], round(difference, 6))
            if aligned:
                counts["equal alignments"] += mine[1] == alignment
    return counts


def compare(binary, model):
    program = Program(binary, model)
    result = {
        "beam 6, normalised": compare_lists(program, model / "nbest.b6n1.txt", 6, 1),
        "beam 4": compare_lists(program, model / "nbest.b4n0.txt", 4, 0),
    }
    greedy = lines(model / "greedy.txt")
    pairs = zip(greedy, program.translate(1, 0), strict=True)
    result["greedy"] = {"entries": len(greedy), "equal texts": sum(a == b for a, b in pairs)}
    scores = [float(score) for score in lines(model / "scores.txt")]
    ours = [float(line) for line in program.run("score", model / "source.en", model / "target.de")]
    differences = [abs(a - b) for a, b in zip(scores, ours, strict=True)]
    result["forced scores"] = {"entries": len(scores), "largest difference": round(max(differences), 6)}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("--metaphrase", type=Path, default=Path("target/release/metaphrase"))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    models = sorted(path.parent for path in arguments.models.glob("*/nbest.b6n1.txt"))
    result = {model.name: compare(arguments.metaphrase, model) for model in models}
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.json:
        arguments.json.write_text(text + "\n")


main()
