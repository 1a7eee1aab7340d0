"""Language models beside KenLM: estimation, perplexity, size, queries per second; the same text and options.

    compare_lm.py DATA KENLM WORK [--rounds 3] [--json docs/results/ngram.json]

DATA: a folder with `*/*.en.gz`: the models' text is all of it but for newstest2013, Tatoeba's and Multi30k's test sets, which
are the text of the perplexities. KENLM: KenLM's build/bin, with `kenlm_queries` (see kenlm_queries.cc) beside the programs.
WORK: a folder for texts and models (2 GB). Needs `cargo build --release -p metaphrase-cli` and `cargo build --release
-p metaphrase-ngram --examples` before; only Python's standard library.

Programs take turns. Times are processor seconds (user + system) and wall seconds of the whole process; memory is the peak of
what is resident. Queries are measured by each side's own program: the same tokens in the same order, one thread, loading
excluded, the best of five rounds; of these the median over the rounds here.
"""

import argparse
import gzip
import json
import multiprocessing
import pathlib
import random
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))
from measured import run  # noqa: E402

TEST = ["wmt-news/newstest2013", "tatoeba-de-en/test", "multi30k/test_2017_flickr"]
ORDER = "5"


def texts(data, work, metaphrase):
    """Tokenised text: of the model, of the test, and 30,000 lines of the model's."""
    paths = sorted(data.glob("*/*.en.gz"))
    is_test = lambda path: any(str(path.relative_to(data)).startswith(name + ".en") for name in TEST)
    for name, chosen in [("train", [p for p in paths if not is_test(p)]), ("test", [p for p in paths if is_test(p)])]:
        raw = work / f"{name}.raw"
        with open(raw, "wb") as file:
            for path in chosen:
                file.write(gzip.open(path).read())
        run([metaphrase, "tokenize", "-l", "en"], raw, work / f"{name}.en")
    lines = (work / "train.en").read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    (work / "seen.en").write_bytes(b"".join(lines[:30000]))
    return [work / f"{name}.en" for name in ["train", "test", "seen"]]


def count(texts):
    read = {text.stem: text.read_bytes() for text in texts}
    return {name: {"lines": text.count(b"\n"), "words": len(text.split())} for name, text in read.items()}


def estimation(args, train):
    rows = {}
    for _ in range(args.rounds):
        for memory in ["1G", "200M"]:
            ours = [args.metaphrase, "lm", "estimate", "--order", ORDER, "-S", memory, "-T", args.work, "--quiet"]
            theirs = [args.kenlm / "lmplz", "-o", ORDER, "-S", memory, "-T", args.work]
            for name, command in [
                ("metaphrase, 1 thread", [*ours, "--threads", "1"]),
                ("metaphrase, 2 threads", [*ours, "--threads", "2"]),
                ("lmplz", theirs),
            ]:
                target = args.work / ("lmplz.arpa" if name == "lmplz" else "ours.arpa")
                cpu, wall, peak, _ = run(command, train, target)
                rows.setdefault((name, memory), []).append((cpu, wall, peak))
    median = lambda values: [round(statistics.median(column), 2) for column in zip(*values)]
    return [
        dict(zip(["program", "memory", "cpu_seconds", "wall_seconds", "peak_mb"], [*key, *median(values)]))
        for key, values in rows.items()
    ]


def perplexities(args, test):
    rows = []
    for model in ["ours.arpa", "lmplz.arpa"]:
        query = [args.metaphrase, "lm", "query", "-m", args.work / model, "--level", "summary"]
        ours = subprocess.run(query, stdin=open(test), capture_output=True, text=True, check=True).stdout
        query = [args.kenlm / "query", "-v", "summary", args.work / model]
        theirs = subprocess.run(query, stdin=open(test), capture_output=True, text=True, check=True).stdout
        with_unknown, without = re.findall(r"perplexity.*\t([\d.]+)", ours)
        kenlm_with, kenlm_without = re.findall(r"Perplexity.*:\s*([\d.]+)", theirs)
        rows.append({"model": model, "query": "metaphrase", "with_unknown": float(with_unknown), "without": float(without)})
        rows.append({"model": model, "query": "KenLM", "with_unknown": float(kenlm_with), "without": float(kenlm_without)})
    return rows


def models(args):
    """Compiles all forms; which program asks each."""
    build, compile = [args.kenlm / "build_binary", "-T", args.work / "tmp"], [args.metaphrase, "lm", "compile"]
    arpa, ours, theirs = args.work / "lmplz.arpa", ROOT / "target/release/examples/queries", args.kenlm / "kenlm_queries"
    ours = args.queries or ours
    forms = {
        "metaphrase": (ours, [*compile, "-m", arpa, "-o"]),
        "KenLM trie": (theirs, [*build, "trie", arpa]),
        "KenLM probing": (theirs, [*build, "probing", arpa]),
        "metaphrase, 8 bits": (ours, [*compile, "--quantise", "8", "8", "-m", arpa, "-o"]),
        "KenLM trie, 8 bits": (theirs, [*build, "-q", "8", "-b", "8", "trie", arpa]),
    }
    files = {}
    for name, (program, command) in forms.items():
        path = args.work / (name.replace(" ", "-").replace(",", "") + ".bin")
        run([*command, path])
        files[name] = (program, path)
    return files


def queries(args, files, ngrams, test, seen):
    rows = {name: {"form": name, "bytes_per_ngram": round(path.stat().st_size / ngrams, 2)} for name, (_, path) in files.items()}
    speeds = {}
    for _ in range(args.rounds):
        for text in [test, seen]:
            for name, (program, path) in files.items():
                said = subprocess.run([program, path, text], capture_output=True, text=True, check=True).stdout
                for kind, speed in re.findall(r"^(in order|random|states|contexts) +([\d.]+) M/s", said, re.M):
                    speeds.setdefault((name, f"{text.stem}, {kind}"), []).append(float(speed))
    for (name, kind), values in speeds.items():
        rows[name][kind] = round(statistics.median(values), 2)
    return list(rows.values())


def table(rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    print("\n| " + " | ".join(keys) + " |\n|" + "---|" * len(keys))
    for row in rows:
        print("| " + " | ".join(str(row.get(key, "")) for key in keys) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("kenlm", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--metaphrase", type=pathlib.Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("--queries", type=pathlib.Path)
    args = parser.parse_args()
    # In a process of its own: the memory of this one would count as its children's.
    with multiprocessing.Pool(1) as pool:
        train, test, seen = pool.apply(texts, [args.data, args.work, args.metaphrase])
        sizes = pool.apply(count, [[train, test, seen]])
    result = {"order": int(ORDER), "texts": sizes, "estimation": estimation(args, train)}
    table(result["estimation"])
    result["perplexity"] = perplexities(args, test)
    table(result["perplexity"])
    with open(args.work / "lmplz.arpa") as arpa:
        result["ngrams"] = [int(line.split("=")[1]) for line in (next(arpa) for _ in range(6)) if line.startswith("ngram")]
    result["queries"] = queries(args, models(args), sum(result["ngrams"]), test, seen)
    table(result["queries"])
    if args.json:
        args.json.write_text(json.dumps(result, indent=1) + "\n")


main()
