#!/usr/bin/env python3
"""Translations do not depend on the batch, the number of threads, the order of lines or the instruction set, to the bit.

usage: cargo build --release && benches/invariance.py [--lines 1000] [--portable-lines N] [--text SOURCE REFERENCE] [--only NAME] [--json FILE]

Each row of the composition table translates the lines as JSON, with n-best lists, scores of all words and alignments, which print all
bits of the scores: one line at a time on one thread with the widest instruction set, and then with other instruction sets
(METAPHRASE_ISA), batches, threads and orders. The outputs have to be equal byte for byte. The exit status is 1 if any differs. Rows that FILE
has from an interrupted run with the same lines are kept. The portable code is slow: `--portable-lines` gives it the first lines alone. The
text is English with German references, by default the small corpus of the tests, repeated. Only the standard library is needed.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "testdata" / "phrase"
# Widest first, and the flags of /proc/cpuinfo that tell them; those with numbers of their own matter in that precision only.
SETS = {"avx512amx": "amx_int8", "avx512bf16": "avx512_bf16", "avx512vnni": "avx512_vnni", "avx512": "avx512bw", "avxvnni": "avx_vnni", "avx2": "avx2", "portable": ""}
PRECISE = ["avx512amx", "avx512bf16", "avx512vnni", "avxvnni"]

# The rows of docs/composition.md: a name, what the lines have beside their text, and options.
TERMS = ["--strategy", "beam", "-b", "6"]
ROWS = [
    ("beam", "", []),
    ("beam, required and avoided terms", "terms", TERMS),
    ("beam, prefix", "prefix", []),
    ("beam, terms and prefix", "terms prefix", TERMS),
    ("beam, beam width and prune threshold", "terms", ["--beam-width", "0.01", "--prune-threshold", "10"]),
    ("beam, stop fill and stop margin", "terms", ["--stop", "fill", "--stop-margin", "3"]),
    ("beam, raw scores", "terms", ["--raw-scores"]),
    ("beam, ensemble", "terms", ["-m", "en-de", "-m", "en-de", "--weights", "0.7", "0.3"]),
    ("beam, language model", "terms", ["--lm", "LM", "--lm-weight", "0.2"]),
    ("beam, ensemble and language model", "terms prefix", ["-m", "en-de", "-m", "en-de", "--lm", "LM", "--lm-weight", "0.2"]),
    ("grid, terms", "terms", ["--strategy", "grid"]),
    ("cube", "", ["--strategy", "cube"]),
    ("cube, terms and prefix", "terms prefix", ["--strategy", "cube"]),
    ("cube, ensemble and language model", "terms", ["--strategy", "cube", "-m", "en-de", "-m", "en-de", "--lm", "LM"]),
    ("fast-cube, terms", "terms", ["--strategy", "fast-cube"]),
    ("fast-cube, language model", "", ["--strategy", "fast-cube", "--lm", "LM"]),
    ("beam, bf16", "terms", ["--precision", "bf16"]),
    ("beam, int16", "terms", ["--precision", "int16"]),
    ("beam, int8", "terms prefix", ["--precision", "int8"]),
    ("beam, int8, ensemble and language model", "terms", ["--precision", "int8", "-m", "en-de", "-m", "en-de", "--lm", "LM"]),
    ("cube, int8", "terms", ["--strategy", "cube", "--precision", "int8"]),
    ("beam, shortlist", "terms", ["--shortlist", "LIST"]),
    ("beam, int8, shortlist", "", ["--precision", "int8", "--shortlist", "LIST"]),
    ("beam, evidence of the model's own list", "terms", ["--lmbr", "self"]),
    ("beam, evidence of its list, rescored", "", ["--lmbr", "self", "--lmbr-rescore"]),
    ("beam, a second model goes on", "terms", ["--then", "de-en"]),
    ("sampling", "prefix", ["--sampling", "nucleus:0.9", "--seed", "7"]),
]


def requests(sides: list[list[str]], count: int, what: str) -> list[str]:
    """JSON lines, with terms and starts of the references."""
    made = []
    for number in range(count):
        source, reference = (side[number % len(side)] for side in sides)
        words = [word for word in reference.split() if word.isalpha()]
        request = {"text": source}
        if "terms" in what and words:
            if number % 2:
                request["constraints"] = [max(words, key=len)]
            if number % 4 == 3:
                request["constraints"].append([words[0], "oder"])
            if number % 5 == 0:
                request["avoid"] = ["ist", "in der"]
        if "prefix" in what and words and number % 3 == 0:
            request["target_prefix"] = words[0]
        made.append(json.dumps(request, ensure_ascii=False))
    return made


def translate(program: Path, lines: list[str], options: list[str], instructions: str, batch: int, threads: int):
    args = ["translate", "--input-format", "json", "--output-format", "json", "--n-best", "2", "--word-scores", "--alignment", "soft",
            *options, "--batch-tokens", str(batch), "--threads", str(threads), "-q"]
    if "-b" not in options and "--sampling" not in options:
        args += ["-b", "4"]
    environment = {**os.environ, "METAPHRASE_ISA": instructions}
    begun = time.monotonic()
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run([program, *args], input=text, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(args)}: {done.stderr}")
    return [strip(line) for line in done.stdout.splitlines()], time.monotonic() - begun


def strip(line: str) -> str:
    """Without the number of the line, which another order changes."""
    answer = json.loads(line, parse_float=str)
    del answer["sentence_id"]
    return json.dumps(answer, ensure_ascii=False)


def variants(widest: str, sets: list[str], sampling: bool):
    """Instruction set, batch, threads, whether the order is another one."""
    yield widest, 256, 2, False
    yield widest, 4096, 1, False
    # Draws depend on the number of the line, so their order is fixed.
    yield widest, 64, 2, not sampling
    for other in sets:
        if other != widest:
            yield other, 256, 2, False


def language_model(program: Path, folder: Path) -> Path:
    text = gzip.open(DATA / "train.de.gz", "rt").read()
    pieces = subprocess.run([program, "tokenize", "--vocabulary", ROOT / "models/en-de/source.spm"], input=text, capture_output=True,
                            text=True, check=True).stdout
    path = folder / "pieces.arpa"
    options = ["--order", "3", "--skip-symbols", "--discount-fallback", "--output", path]
    subprocess.run([program, "lm", "estimate", *options], input=pieces, text=True, check=True)
    return path


def shortlist(program: Path, folder: Path) -> Path:
    path = folder / "lists"
    text = "".join(gzip.open(DATA / "train.en.gz", "rt").readlines()[:400])
    subprocess.run([program, "shortlist", "learn", "-b", "1", "--output", path, "-q"], input=text, text=True, check=True)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--portable-lines", type=int)
    parser.add_argument("--text", type=Path, nargs=2, default=[DATA / "train.en.gz", DATA / "train.de.gz"], metavar="FILE")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    available = [name for name, flag in SETS.items() if flag in flags]
    sides = [(gzip.open if path.suffix == ".gz" else open)(path, "rt").read().splitlines() for path in args.text]
    report = {"text": args.text[0].name, "lines": args.lines, "sets": available, "rows": []}
    if args.json and args.json.exists():
        before = json.loads(args.json.read_text())
        report["rows"] = before["rows"] if {**before, "rows": []} == report else []
    rows = report["rows"]
    with tempfile.TemporaryDirectory() as folder:
        files = {"LM": language_model(args.program, Path(folder)), "LIST": shortlist(args.program, Path(folder))}
        for name, what, options in ROWS:
            if args.only not in name or name in [row["row"] for row in rows]:
                continue
            options = [str(files.get(option, option)) for option in options]
            lines = requests(sides, args.lines, what)
            sets = [name for name in available if name not in PRECISE or "--precision" in options]
            expected, seconds = translate(args.program, lines, options, sets[0], 1, 1)
            row = {"row": name, "alone": {"set": sets[0], "seconds": round(seconds, 1)}, "variants": []}
            for instructions, batch, threads, shuffled in variants(sets[0], sets, name == "sampling"):
                stride = next(s for s in range(len(lines) // 2 + 1, 2 * len(lines) + 2) if coprime(s, len(lines)))
                order = [i * stride % len(lines) for i in range(len(lines))] if shuffled else range(len(lines))
                if instructions == "portable":
                    order = order[:args.portable_lines]
                found, seconds = translate(args.program, [lines[i] for i in order], options, instructions, batch, threads)
                different = sum(expected[i] != line for i, line in zip(order, found, strict=True))
                row["variants"].append({"set": instructions, "batch": batch, "threads": threads, "shuffled": shuffled,
                                        "lines": len(order), "different": different, "seconds": round(seconds, 1)})
            rows.append(row)
            different = sum(variant["different"] for variant in row["variants"])
            print(f"{name}: {len(row['variants'])} variants, {different} lines differ", flush=True)
            if args.json:
                args.json.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any(variant["different"] for row in rows for variant in row["variants"]) else 0


def coprime(a: int, b: int) -> bool:
    while b:
        a, b = b, a % b
    return a == 1


if __name__ == "__main__":
    sys.exit(main())
