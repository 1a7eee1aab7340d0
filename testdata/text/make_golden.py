#!/usr/bin/env python3
"""Writes what sacremoses 0.2.0 makes of hard.txt, for crates/text/tests/moses_golden.rs.

    python3 testdata/text/make_golden.py
"""
import pathlib

from check_moses import reference

HERE = pathlib.Path(__file__).parent


def main():
    lines = (HERE / "hard.txt").read_text(encoding="utf-8").split("\n")[:-1]
    for lang in ["en", "de", "fr"]:
        tokenised = list(map(reference("tokenize", lang), lines))
        golden = {"tokenize": tokenised, "detokenize": map(reference("detokenize", lang), tokenised)}
        for tool in ["tokenize-raw", "tokenize-dashes", "tokenize-web", "normalize"]:
            golden[tool] = map(reference(tool, lang), lines)
        for tool, expected in golden.items():
            text = "".join(line + "\n" for line in expected)
            (HERE / "golden" / f"hard.{lang}.{tool}").write_text(text, encoding="utf-8", newline="\n")


main()
