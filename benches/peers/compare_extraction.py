#!/usr/bin/env python3
"""The tables of `metaphrase extract` beside those of Moses' training steps 4 to 7, number by number; time and memory.

    compare_extraction.py --moses MOSES --source corpus.de --target corpus.en --links links --work DIR
        [--threads 2] [--smoothing none good-turing kneser-ney] [--json docs/results/extract.json]

MOSES has `scripts` and, in `bin`, extract, score, consolidate and lexical-reordering-score. Prints the tables of
docs/results/align.md.
"""

import argparse
import gzip
import itertools
import json
from pathlib import Path

from compare_alignment import ROOT, run

MOSES_OPTIONS = {"none": "", "good-turing": "--GoodTuring", "kneser-ney": "--KneserNey"}
TABLES = ["phrase-table.gz", "reordering-table.wbe-msd-bidirectional-fe.gz", "lex.s2t.gz", "lex.t2s.gz"]
# Both print six digits. Moses' lexical weights are less exact: it reads the word translation probabilities from a file
# with seven decimals.
TOLERANCE = 1e-5
SCORES = {"p(f|e)": TOLERANCE, "lex(f|e)": 1e-3, "p(e|f)": TOLERANCE, "lex(e|f)": 1e-3}


def moses(arguments, smoothing):
    folder = arguments.work / f"moses-{smoothing}"
    (folder / "model").mkdir(parents=True)
    files = [(arguments.source, "c.s"), (arguments.target, "c.t"), (arguments.links, "model/aligned.links")]
    for path, name in files:
        (folder / name).symlink_to(path.resolve())
    command = ["perl", arguments.moses / "scripts/training/train-model.perl", "--root-dir", folder]
    command += ["--corpus", folder / "c", "--f", "s", "--e", "t", "--alignment", "links", "--max-phrase-length", 7]
    command += ["--first-step", 4, "--last-step", 7, "--reordering", "msd-bidirectional-fe"]
    command += ["--cores", arguments.threads, f"--score-options={MOSES_OPTIONS[smoothing]} --MinScore 2:0.0001"]
    cost = run(command)
    model = folder / "model"
    # Moses calls the source f: lex.f2e has p(target|source) as `target source p`.
    for theirs, ours in [("lex.f2e", "lex.s2t.gz"), ("lex.e2f", "lex.t2s.gz")]:
        with gzip.open(model / ours, "wb") as file:
            file.write((model / theirs).read_bytes())
    return model, cost


def metaphrase(arguments, smoothing):
    folder = arguments.work / f"metaphrase-{smoothing}"
    command = [arguments.metaphrase, "extract", arguments.source, arguments.target, arguments.links, "-o", folder]
    return folder, run([*command, "--smoothing", smoothing, "--threads", arguments.threads])


def phrase_table(path):
    """Key and fields of each line of a phrase or reordering table, which are sorted by their bytes."""
    last = b""
    with gzip.open(path) as file:
        for line in file:
            source, target, *fields = [field.strip() for field in line.split(b"|||")]
            key = b"%s ||| %s |||" % (source, target)
            assert key > last, f"{path} is not sorted at {line!r}"
            last = key
            yield key, [field.decode().split() for field in fields]


def join(first, second):
    """Pairs of lines with the same key; None where one of two sorted tables lacks it."""
    first, second = iter(first), iter(second)
    a, b = next(first, None), next(second, None)
    while a or b:
        if b is None or (a and a[0] < b[0]):
            yield a[1], None
            a = next(first, None)
        elif a is None or b[0] < a[0]:
            yield None, b[1]
            b = next(second, None)
        else:
            yield a[1], b[1]
            a, b = next(first, None), next(second, None)


def difference(a, b):
    """Relative to the greater one."""
    a, b = float(a), float(b)
    return abs(a - b) / max(abs(a), abs(b), 1e-300)


def compare_phrases(ours, theirs):
    found = dict.fromkeys(["both", "only metaphrase", "only moses", "links", "counts", *SCORES], 0)
    for a, b in join(phrase_table(ours), phrase_table(theirs)):
        if a is None or b is None:
            found["only moses" if a is None else "only metaphrase"] += 1
            continue
        found["both"] += 1
        found["links"] += sorted(a[1]) == sorted(b[1])
        found["counts"] += list(map(float, a[2])) == list(map(float, b[2]))
        for (name, tolerance), score, other in zip(SCORES.items(), a[0], b[0], strict=True):
            found[name] += difference(score, other) <= tolerance
    return found


def compare_reordering(ours, theirs):
    found = dict.fromkeys(["both", "only metaphrase", "only moses", "orientations"], 0)
    for a, b in join(phrase_table(ours), phrase_table(theirs)):
        if a is None or b is None:
            found["only moses" if a is None else "only metaphrase"] += 1
            continue
        found["both"] += 1
        found["orientations"] += all(difference(p, q) <= TOLERANCE for p, q in zip(a[0], b[0], strict=True))
    return found


def compare_words(ours, theirs):
    """Moses has lines for words without links, too: with NULL, which no shortlist wants."""

    def lines(path):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            table = (line.rstrip("\n").split(" ") for line in file)
            return {(target, source): p for target, source, p in table if "NULL" not in (target, source)}

    ours, theirs = lines(ours), lines(theirs)
    both = ours.keys() & theirs.keys()
    # Moses prints seven decimals.
    same = sum(abs(float(ours[key]) - float(theirs[key])) <= 1e-6 for key in both)
    return {"both": len(both), "only metaphrase": len(ours) - len(both), "only moses": len(theirs) - len(both), "p": same}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metaphrase", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("--moses", type=Path, required=True)
    for name in ["source", "target", "links", "work"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--smoothing", nargs="+", choices=MOSES_OPTIONS, default=list(MOSES_OPTIONS))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(exist_ok=True, parents=True)

    results = {"threads": arguments.threads, "smoothing": {}}
    for smoothing in arguments.smoothing:
        ours, our_cost = metaphrase(arguments, smoothing)
        theirs, their_cost = moses(arguments, smoothing)
        pairs = [(ours / name, theirs / name) for name in TABLES]
        compare = [compare_phrases, compare_reordering, compare_words, compare_words]
        tables = {name: check(*files) for name, check, files in zip(TABLES, compare, pairs, strict=True)}
        results["smoothing"][smoothing] = {"metaphrase": our_cost, "moses": their_cost, "tables": tables}
        print(f"\n{smoothing}: {our_cost} metaphrase, {their_cost} moses")
        for name, found in tables.items():
            print(f"  {name}: {', '.join(itertools.starmap('{} {}'.format, found.items()))}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
