#!/usr/bin/env python3
"""Compares Metaphrase's truecaser and BPE with sacremoses and subword-nmt on tokenised lines.

    cargo build --release -p metaphrase-text --example moses
    python3 testdata/text/check_subwords.py target/release/examples/moses FILE.LANG.gz …

Per language: trains both truecasers and learns 4000 BPE merges on the first file, then compares the
models, every distinct line truecased (and detruecased), and every line in sub-words, with and without
a vocabulary. `random` as the only argument after the program instead compares BPE on random codes
and words. Exit status 1 if anything differs.
"""
import collections
import io
import pathlib
import random
import re
import sys
import tempfile
import time

from check_moses import SHOWN, by_language, ours
from sacremoses import MosesDetruecaser, MosesTruecaser
from subword_nmt.apply_bpe import BPE, read_vocabulary
from subword_nmt.learn_bpe import learn_bpe

MERGES = 4000
THRESHOLD = 50


def compare(name, program, arguments, lines, convert):
    start = time.process_time()
    expected = [convert(line) for line in lines]
    return judge(name, program, arguments, lines, expected, time.process_time() - start)


def judge(name, program, arguments, lines, expected, seconds):
    found, our_seconds = ours(program, arguments, lines)
    assert len(found) == len(lines), (len(found), len(lines))
    wrong = [i for i in range(len(lines)) if found[i] != expected[i]]
    print(f"{name}: {len(lines)} lines, {len(wrong)} differ; lines per CPU second: "
          f"{len(lines) / seconds:.0f} reference, {len(lines) / our_seconds:.0f} ours", flush=True)
    for i in wrong[:SHOWN]:
        print(f"  line     {lines[i][:200]!r}\n  expected {expected[i][:200]!r}\n  found    {found[i][:200]!r}")
    return len(wrong)


def check_truecaser(lang, program, folder, train, lines):
    theirs, own = f"{folder}/sacremoses.{lang}", f"{folder}/own.{lang}"
    MosesTruecaser().train((line.split() for line in train), save_to=theirs)
    ours(program, ["train-truecaser", own], train)
    same = pathlib.Path(theirs).read_bytes() == pathlib.Path(own).read_bytes()
    print(f"truecasing models {lang}: {'equal' if same else 'DIFFERENT'}")
    truecaser, detruecaser = MosesTruecaser(load_from=theirs), MosesDetruecaser()

    def truecase(line, **options):
        return " ".join(truecaser.truecase(line, **options))

    def detruecase(line, **options):
        return " ".join(detruecaser.detruecase(line, **options))

    return (not same) + sum([
        compare(f"truecase {lang}", program, ["truecase", theirs], lines, truecase),
        compare(f"truecase-known {lang}", program, ["truecase-known", theirs], lines,
                lambda line: truecase(line, use_known=True)),
        compare(f"detruecase {lang}", program, ["detruecase", "text"], lines, detruecase),
        compare(f"detruecase headline {lang}", program, ["detruecase", "headline"], lines,
                lambda line: detruecase(line, is_headline=True)),
    ])


def check_bpe(lang, program, folder, train, lines):
    codes, vocabulary = f"{folder}/codes.{lang}", f"{folder}/vocabulary.{lang}"
    with open(codes, "w", encoding="utf-8") as out:
        learn_bpe(train, out, MERGES)
    bpe = BPE(open(codes, encoding="utf-8"))
    counts = collections.Counter(piece for line in train for piece in bpe.segment(line).split())
    with open(vocabulary, "w", encoding="utf-8") as out:
        out.writelines(f"{piece} {count}\n" for piece, count in counts.most_common())
    with open(vocabulary, encoding="utf-8") as entries:
        known = read_vocabulary(entries, THRESHOLD)
    filtered = BPE(open(codes, encoding="utf-8"), vocab=known)
    start = time.process_time()
    segmented = [bpe.process_line(line) for line in lines]
    seconds = time.process_time() - start
    return sum([
        judge(f"bpe {lang}", program, ["bpe", codes], lines, segmented, seconds),
        compare(f"bpe-vocab {lang}", program, ["bpe-vocab", codes, vocabulary, str(THRESHOLD)], lines,
                filtered.process_line),
        compare(f"bpe-join {lang}", program, ["bpe-join", codes], segmented,
                lambda line: re.sub("(@@ )|(@@ ?$)", "", line)),
    ])


def check_random(program, folder):
    """Small alphabets, many accidental equalities; codes of both versions in any order."""
    numbers = random.Random(1)
    wrong = 0
    for trial in range(200):
        version = numbers.choice(["0.1", "0.2"])
        end = {"0.1": "</w>", "0.2": ""}[version]
        symbols = ["a", "b", "c", "ä", "<", "/w>", end or "a</w>", "b</w>", "c</w>"]
        pairs = []
        for _ in range(numbers.randint(1, 40)):
            left = numbers.choice([s for s in symbols if not s.endswith("</w>")])
            pairs.append((left, numbers.choice(symbols)))
            symbols.append("".join(pairs[-1]))
        numbers.shuffle(pairs)
        text = f"#version: {version}\n" + "".join(f"{left} {right}\n" for left, right in pairs)
        codes = pathlib.Path(folder, "codes")
        codes.write_text(text, encoding="utf-8")
        lines = ["".join(numbers.choices("aaabbcä ", k=numbers.randint(0, 30))) for _ in range(200)]
        bpe = BPE(io.StringIO(text))
        arguments = ["bpe", str(codes)]
        if version == "0.2" and trial % 2:
            known = {s.removesuffix("</w>") if s.endswith("</w>") else s + "@@" for s in symbols if len(s) % 2}
            vocabulary = pathlib.Path(folder, "vocabulary")
            vocabulary.write_text("".join(f"{s} 1\n" for s in known if s), encoding="utf-8")
            bpe = BPE(io.StringIO(text), vocab=known)
            arguments = ["bpe-vocab", str(codes), str(vocabulary), "1"]
        expected = [bpe.process_line(line) for line in lines]
        found, _ = ours(program, arguments, lines)
        bad = [i for i in range(len(lines)) if expected[i] != found[i]]
        wrong += len(bad)
        for i in bad[:1]:
            print(f"{text}\n  line     {lines[i]!r}\n  expected {expected[i]!r}\n  found    {found[i]!r}")
    print(f"random BPE: {200 * 200} lines with 200 codes, {wrong} differ")
    return wrong


def main(program, files):
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        if files == ["random"]:
            return 1 if check_random(program, folder) else 0
        for lang, raw in by_language(files).items():
            lines, _ = ours(program, ["tokenize", lang], [line for lines in raw for line in lines])
            train, lines = lines[: len(raw[0])], list(dict.fromkeys(lines))
            differing += check_truecaser(lang, program, folder, train, lines)
            differing += check_bpe(lang, program, folder, train, lines)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
