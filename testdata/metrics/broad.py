"""Compares the crate with sacreBLEU on many test sets and prints what differs, and the CPU time that both take.

    cargo build --release -p metaphrase-metrics --example jobs
    python broad.py SHARED TARGET/release/examples/jobs

SHARED has the folders `data` and `models`. Each set has at most 500 lines but for the last one, for speed, which is all that
runs with `speed` as a third argument. Times are seconds of CPU, ours with start and reading of files, theirs without; each is
the lesser of two in the set for speed. Exit status 1 if a single character differs.
"""

import gzip
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import jobs
from texts import broken

LIMIT = 500

BLEU = ["bleu tok=" + tok + case for tok in ("13a", "intl", "char", "zh", "none") for case in ("", " lc")]
ALL = [
    *BLEU,
    "bleu smooth=add-k order=5 / form=json",
    "chrf / width=4",
    "chrf word=2 lc / width=4",
    "chrf space eps / width=4",
    "ter / width=4",
    "ter norm asian nopunct / width=4",
    "bleu + chrf / width=4 ci=1000",
]
PAIRED = ["bleu + chrf word=2 / bs=1000", "bleu / ar=500"]
SPEED = ["bleu", "bleu tok=intl", "bleu tok=zh", "chrf", "chrf word=2", "ter", "bleu / ci=1000",
         "bleu + chrf / bs=1000", "bleu / ar=10000"]


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8", newline="\n") if path.suffix == ".gz" else open(path, encoding="utf-8", newline="\n")
    with opened as lines:
        return [line.rstrip() for line in lines]


def first_best(path):
    """The first hypothesis of each sentence of an n-best list."""
    best = {}
    for line in read(path):
        number, text, *_ = line.split(" ||| ")
        best.setdefault(int(number), text.strip())
    return [best.get(i, "") for i in range(max(best) + 1)]


def test_sets(shared):
    """(name, systems, references), systems and references as lists of texts."""
    news, data, models = shared / "data/wmt-news", shared / "data", shared / "models"
    text = lambda name: read(news / f"newstest2021.{name}.gz")  # noqa: E731
    yield "wmt21 en-de", [text("en2de.refC.de"), text("en2de.refD.de")], [text("en2de.de")]
    yield "wmt21 en-de 2 refs", [text("en2de.refC.de"), text("en2de.refD.de")], [text("en2de.de"), text("en2de.refD.de")]
    yield "wmt21 de-en", [text("de2en.refB.en"), text("de2en.de")], [text("de2en.en")]
    yield "wmt21 en-zh", [text("en2zh.refB.zh"), text("en2zh.en")], [text("en2zh.zh")]
    for model in ("en-de-tatoeba", "amun", "transformer-ssru"):
        folder = models / model
        yield f"{model}", [read(folder / "greedy.txt"), first_best(folder / "nbest.b6n1.txt")], [read(folder / "target.de")]
    moses = models / "moses-de-en"
    yield "moses de-en", [read(moses / "moses.s1000.out"), read(moses / "moses.s10.out")], [read(moses / "reference.en")]
    for name, path, spaced in [
        ("multi30k fr", "multi30k/test_2016_flickr.fr", True),
        ("tatoeba fr", "tatoeba-fr-en/test.fr", True),
        ("ntrex fr", "ntrex128/test.fr", True),
        ("ntrex ja", "ntrex128/test.ja", False),
        ("wmt21 en-ja", "wmt-news/newstest2021.en2ja.ja", False),
        ("tico19 zh", "tico19/test.zh", False),
        ("phpdoc de", "phpdoc-de-en/test.de", True),
        ("phpdoc tagged en", "phpdoc-de-en/tagged.en", True),
    ]:
        yield name, *perturbed(name, read(data / f"{path}.gz"), spaced)


def perturbed(name, reference, spaced):
    rng = random.Random(name)
    return [[broken(line, rng, spaced) for line in reference] for _ in range(2)], [reference]


def timed(function):
    """The CPU time of a call, of processes it waits for too, and its result."""

    def used():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    start = used()
    result = function()
    return used() - start, result


def answer(program, line):
    out = subprocess.run([program], input=line + "\n", capture_output=True, text=True, check=True, encoding="utf-8").stdout
    return out.rstrip("\n").replace("\\n", "\n")


def compare(program, cases):
    """Runs (name, job, systems, references) with both; prints a line for each name and metric, returns what differs."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = {}

        def store(lines):
            key = id(lines)
            if key not in paths:
                paths[key] = Path(folder) / f"{len(paths)}.txt"
                paths[key].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            return str(paths[key])

        for name, job, systems, references in cases:
            line = "\t".join([job, ",".join(map(store, systems)), ",".join(map(store, references))])
            runs = range(2 if len(systems[0]) > LIMIT else 1)
            theirs, expected = min(timed(lambda: jobs.run(job, systems, references)) for _ in runs)
            ours, found = min(timed(lambda: answer(program, line)) for _ in runs)
            same = found == expected
            wrong += not same
            print(f"{'same' if same else 'DIFFERS'}\t{name}\t{len(systems[0])}\t{job}\t{theirs:.3f} s\t{ours:.3f} s\t{theirs / ours:.0f}x", flush=True)
            if not same:
                print(f"  sacreBLEU {expected}\n  ours      {found}")
    return wrong


def main():
    shared, program = Path(sys.argv[1]), sys.argv[2]
    cases = []
    sets = [] if "speed" in sys.argv[3:] else test_sets(shared)
    for name, systems, references in sets:
        systems, references = ([lines[:LIMIT] for lines in texts] for texts in (systems, references))
        cases += [(name, job, systems[:1], references) for job in ALL]
        cases += [(name, job, systems, references) for job in PAIRED]
    systems, references = perturbed("speed", read(shared / "data/wmt-news/newstest2014.de-en.de.gz"), True)
    cases += [("newstest2014 de", job, systems if "bs=" in job or "ar=" in job else systems[:1], references) for job in SPEED]
    wrong = compare(program, cases)
    print(f"{len(cases)} jobs, {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
