#!/usr/bin/env python3
"""Alignment error rate, time and memory of `metaphrase align` beside fast_align and eflomal, on one text, in turns.

    compare_alignment.py --data ../shared/data --work DIR [--fast-align BUILD] [--eflomal venv/bin/eflomal-align]
        [--threads 2] [--json docs/results/align.json]

Makes DIR/corpus.de and .en of all German-English text below --data, tokenised and lower-cased, with the 100 sentence
pairs that were aligned by hand at its end; each program aligns all of it. Links of both directions become one by
`metaphrase` itself, and by fast_align's `atools` for the others. What is timed is one run of `metaphrase` with its default
options, both directions of fast_align, and one run of eflomal, which has both, each without making the two one. Prints
the table of docs/results/align.md. Needs fast_align's build folder.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))
import measured  # noqa: E402

METHODS = {"intersection": "intersect", "union": "union", "grow-diag": "grow-diag",
           "grow-diag-final": "grow-diag-final", "grow-diag-final-and": "grow-diag-final-and"}  # fmt: skip
SETS = {
    "tatoeba-de-en": ["train", "dev", "test"],
    "multi30k": ["train", "val", "test_2016_flickr", "test_2017_flickr"],
    "phpdoc-de-en": ["train", "dev", "test"],
    "ntrex128": ["test"],
}


def sets(data):
    """All files of German-English text, without their language."""
    for folder, names in SETS.items():
        yield from (data / folder / name for name in names)
    for german in sorted((data / "wmt-news").glob("newstest*.de.gz")):
        name = german.name.removesuffix(".de.gz")
        if (german.parent / f"{name}.en.gz").exists():
            yield german.parent / name


def make_corpus(arguments):
    for language in ["de", "en"]:
        path = arguments.work / f"corpus.{language}"
        if path.exists():
            continue
        files = [f"{name}.{language}.gz" for name in sets(arguments.data)]
        text = b"".join(gzip.open(file).read() for file in files)
        tokenize = [arguments.metaphrase, "tokenize", "-l", language]
        text = subprocess.run(tokenize, input=text, capture_output=True, check=True).stdout.decode().lower()
        by_hand = gzip.open(arguments.data / f"word-alignment-de-en/test.{language}.gz", "rt", encoding="utf-8").read()
        path.write_text(text + by_hand)
    with open(arguments.work / "corpus.de") as german, open(arguments.work / "corpus.en") as english:
        pairs = [f"{g.strip()} ||| {e.strip()}\n" for g, e in zip(german, english, strict=True)]
    (arguments.work / "corpus.de-en").write_text("".join(pairs))


def run(command, output=None, **environment):
    """CPU seconds, seconds and peak memory in MB of a program and all that it starts."""
    taken = measured.run(command, target=output or os.devnull, environment={**os.environ, **environment})
    return {"cpu_seconds": round(taken.cpu, 1), "seconds": round(taken.wall, 1), "peak_mb": round(taken.peak_mb)}


def add(first, second):
    """One program after the other."""
    total = {key: round(first[key] + second[key], 1) for key in ["cpu_seconds", "seconds"]}
    return total | {"peak_mb": max(first["peak_mb"], second["peak_mb"])}


def metaphrase(arguments, _forward, _backward):
    command = [arguments.metaphrase, "align", arguments.work / "corpus.de", arguments.work / "corpus.en"]
    command += ["--threads", arguments.threads]
    cost = run(command)
    for method in ["forward", "backward", *METHODS]:
        run([*command, "--symmetrize", method], arguments.work / f"metaphrase.{method}")
    return cost


def fast_align(arguments, forward, backward):
    command = [arguments.fast_align / "fast_align", "-i", arguments.work / "corpus.de-en", "-d", "-o", "-v"]
    threads = {"OMP_NUM_THREADS": str(arguments.threads)}
    return add(run(command, forward, **threads), run([*command, "-r"], backward, **threads))


def eflomal(arguments, forward, backward):
    command = [arguments.eflomal, "-i", arguments.work / "corpus.de-en", "--model", "3", "--overwrite"]
    return run([*command, "-f", forward, "-r", backward])


def error_rate(links, gold):
    """Alignment error rate, precision and recall in per cent; all links of the gold standard are sure."""
    found, expected = sum(map(len, links)), sum(map(len, gold))
    common = sum(len(a & b) for a, b in zip(links, gold, strict=True))
    rates = {"aer": 1 - 2 * common / (found + expected), "precision": common / found, "recall": common / expected}
    return {name: round(100 * rate, 2) for name, rate in rates.items()}


def quality(arguments, name, gold):
    """Error rate of each direction and of each way to make them one."""
    rates = {}
    for method in ["forward", "backward", *METHODS]:
        file = arguments.work / f"{name}.{method}"
        if not file.exists():
            forward, backward = (arguments.work / f"{name}.{direction}" for direction in ["forward", "backward"])
            atools = [arguments.fast_align / "atools", "-c", METHODS[method], "-i", forward, "-j", backward]
            with open(file, "wb") as output:
                subprocess.run(map(str, atools), stdout=output, check=True)
        links = [set(line.split()) for line in file.read_text().splitlines()[-len(gold) :]]
        rates[method] = error_rate(links, gold)
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metaphrase", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("--fast-align", type=Path, required=True, help="folder of fast_align and atools")
    parser.add_argument("--eflomal", type=Path, help="the program eflomal-align")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(exist_ok=True, parents=True)
    make_corpus(arguments)
    with gzip.open(arguments.data / "word-alignment-de-en/test.align.gz", "rt") as file:
        gold = [set(line.split()) for line in file]

    programs = {"metaphrase": metaphrase, "fast_align": fast_align} | ({"eflomal": eflomal} if arguments.eflomal else {})
    results = {"pairs": sum(1 for _ in open(arguments.work / "corpus.de")), "threads": arguments.threads, "programs": {}}
    for name, align in programs.items():
        cost = align(arguments, arguments.work / f"{name}.forward", arguments.work / f"{name}.backward")
        results["programs"][name] = cost | {"error_rates": quality(arguments, name, gold)}
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    print(f"| program | {' | '.join(['forward', 'backward', *METHODS])} | CPU s | s | peak MB |")
    print("|---" * (len(METHODS) + 6) + "|")
    for name, program in results["programs"].items():
        rates = [f"{rate['aer']:.1f}" for rate in program["error_rates"].values()]
        cost = [f"{program['cpu_seconds']:.0f}", f"{program['seconds']:.0f}", str(program["peak_mb"])]
        print(f"| {' | '.join([name, *rates, *cost])} |")


if __name__ == "__main__":
    main()
