#!/usr/bin/env python3
"""Writes what sacremoses 0.2.0 and subword-nmt 0.3.8 make of hard.txt and sample.*, for the tests
moses_golden.rs and subword_golden.rs of crates/translate/text.

    python3 testdata/text/make_golden.py
"""
import collections
import pathlib

from check_moses import reference
from sacremoses import MosesDetruecaser, MosesTruecaser
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

HERE = pathlib.Path(__file__).parent
LANGUAGES = ["en", "de", "fr"]
MERGES = 300
THRESHOLD = 3
GLOSSARIES = ["Tom", r"\d+", "&apos;s?"]


def read(name):
    return (HERE / name).read_text(encoding="utf-8").split("\n")[:-1]


def write(name, lines):
    text = "".join(line + "\n" for line in lines)
    (HERE / "golden" / name).write_text(text, encoding="utf-8", newline="\n")


def write_moses(lang, lines):
    tokenised = list(map(reference("tokenize", lang), lines))
    write(f"hard.{lang}.tokenize", tokenised)
    write(f"hard.{lang}.detokenize", map(reference("detokenize", lang), tokenised))
    for tool in ["tokenize-raw", "tokenize-dashes", "tokenize-basic", "tokenize-web", "normalize"]:
        write(f"hard.{lang}.{tool}", map(reference(tool, lang), lines))


def write_truecased(lang, lines):
    model = HERE / "golden" / f"sample.{lang}.truecase-model"
    truecaser, detruecaser = MosesTruecaser(), MosesDetruecaser()
    truecaser.train([line.split() for line in lines], save_to=str(model))
    truecaser = MosesTruecaser(load_from=str(model))
    truecased = [truecaser.truecase(line, return_str=True) for line in lines]
    write(f"sample.{lang}.truecase", truecased)
    write(f"sample.{lang}.truecase-known",
          [truecaser.truecase(line, return_str=True, use_known=True) for line in lines])
    write(f"sample.{lang}.detruecase", [detruecaser.detruecase(line, return_str=True) for line in truecased])


def write_subwords(lang, lines):
    codes = HERE / "golden" / f"sample.{lang}.codes"
    with open(codes, "w", encoding="utf-8") as out:
        learn_bpe(lines, out, MERGES)

    def segment(**options):
        bpe = BPE(open(codes, encoding="utf-8"), **options)
        return [bpe.process_line(line) for line in lines]

    plain = segment()
    counts = collections.Counter(piece for line in plain for piece in line.split())
    write(f"sample.{lang}.vocabulary", [f"{piece} {count}" for piece, count in counts.most_common()])
    write(f"sample.{lang}.bpe", plain)
    write(f"sample.{lang}.bpe-vocabulary",
          segment(vocab={piece for piece, count in counts.items() if count >= THRESHOLD}))
    write(f"sample.{lang}.bpe-glossaries", segment(glossaries=GLOSSARIES))


def main():
    (HERE / "golden").mkdir(exist_ok=True)
    for lang in LANGUAGES:
        write_moses(lang, read("hard.txt"))
        tokenised = list(map(reference("tokenize", lang), read(f"sample.{lang}")))
        write(f"sample.{lang}.tokenize", tokenised)
        write_truecased(lang, tokenised)
        write_subwords(lang, tokenised)


main()
