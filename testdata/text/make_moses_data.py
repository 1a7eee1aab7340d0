#!/usr/bin/env python3
"""Writes the character classes and abbreviation lists of crates/translate/text/src/moses.

The reference is the behaviour of sacremoses 0.2.0: each class is found by asking its
compiled character class about every code point; each list holds the abbreviations for
which it keeps the full stop.

    python3 testdata/text/make_moses_data.py        (in the root of the repository)
"""
import pathlib
import re

from sacremoses import MosesDetokenizer, MosesTokenizer, MosesTruecaser
from sacremoses.corpus import Perluniprops

OUT = pathlib.Path("crates/translate/text/src/moses")
LANGUAGES = "cs de en es fi fr it nl pt zh".split()
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def members(characters):
    """The code points that a regular expression's class of these characters accepts."""
    accepts = re.compile(f"[{characters}]").match
    return {c for c in CODE_POINTS if accepts(chr(c))}


def property_of(*names):
    return members("".join("".join(Perluniprops().chars(name)) for name in names))


def ranges(points):
    starts = sorted(p for p in points if p - 1 not in points)
    ends = sorted(p for p in points if p + 1 not in points)
    return list(zip(starts, ends))


def write_classes():
    alpha = members(MosesDetokenizer.IsAlpha)
    marks = members(MosesTokenizer.IsAlpha) - alpha
    digits = members(MosesTokenizer.IsAlnum) - alpha - marks
    newline = {ord("\n")}  # a slip of the reference's data, which no rule can see
    classes = [
        ("letter", "Letters, as `IsAlpha`.", alpha),
        ("indic-mark", "Viramas and nuktas, which the tokeniser counts as letters.", marks),
        ("digit", "`IsAlnum` less letters and marks.", digits),
        ("number", "Numbers of any kind, as `IsN`.", property_of("IsN") - newline),
        ("lower", "Lower-case letters, as `IsLower`.", property_of("IsLower")),
        ("currency", "Currency symbols, as `IsSc`.", property_of("IsSc") - newline),
        ("cased", "Letters that the truecaser counts as cased.",
         members(MosesTruecaser.Lowercase_Letter + MosesTruecaser.Uppercase_Letter)),
        ("han", "Counted as letters for Chinese and Japanese.", property_of("Han")),
        ("hangul", "Counted as letters for Korean.", property_of("Hangul")),
        ("kana", "Counted as letters for Japanese.", property_of("Hiragana", "Katakana")),
    ]
    lines = [
        "# Character classes of the Moses tools: the class, then the first and last code points of ranges, in rising order.",
        "# These are properties of an older Unicode (about version 7), kept so that our output is that of the original.",
        "# Written by testdata/text/make_moses_data.py; do not edit.",
    ]
    for name, doc, points in classes:
        lines.append(f"# {doc}")
        row = ranges(points)
        for i in range(0, len(row), 10):
            lines.append(" ".join([name, *(f"{a:x}-{b:x}" for a, b in row[i : i + 10])]))
    (OUT / "char_classes.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_prefixes():
    (OUT / "prefixes").mkdir(exist_ok=True)
    for lang in LANGUAGES:
        tokenizer = MosesTokenizer(lang)
        numeric = set(tokenizer.NUMERIC_ONLY_PREFIXES)
        plain = {p for p in tokenizer.NONBREAKING_PREFIXES if not tokenizer.has_numeric_only(p)}
        # What holds a space can not equal a token.
        entries = {p for p in plain - numeric if " " not in p}
        entries |= {f"{p} #NUMERIC_ONLY#" for p in numeric}
        header = [
            f"# Abbreviations of '{lang}' that keep their full stop in the Moses tools: the facts that",
            "# an equal tokenisation needs, one per line. Written by testdata/text/make_moses_data.py.",
        ]
        text = "\n".join(header + sorted(entries)) + "\n"
        (OUT / "prefixes" / f"{lang}.txt").write_text(text, encoding="utf-8")


write_classes()
write_prefixes()
