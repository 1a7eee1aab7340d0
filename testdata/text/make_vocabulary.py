#!/usr/bin/env python3
"""Makes testdata/text/vocabulary/ with Marian 1.12.42 (package pymarian): a vocabulary of words that YAML has other
ideas about, and the same words in the order of their ids as JSON. (Not U+007F, which Marian writes as broken UTF-8.)

    python3 testdata/text/make_vocabulary.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent / "vocabulary"
WORDS = [
    "hello", "null", "~", "yes", "no", "true", "1", "1.5", "-", "--", "...", "---", "?", ":", "a:b", ":)", "#", "#tag", "a#b", '"',
    '"quoted"', "'", "''it''", "don't", "\\", "\\n", "{", "}", "[", "]", ",", "&", "&amp;", "*", "!", "|", "%", ">", "@", "`", "@-@",
    "\x84", "\x85", "\xa0x", "\u2028", "\ufeff", "é", "日本語", "👩‍👩‍👧", "𝔘", "null:", "\t", "a\tb", "\x01", ".inf", "0x1F",
    "1e5", "<<", "=", "y", "n", "?q", "|||", "\u202e", "\ufffd", 'a"b', "a'b", "a\\b", "<s>", "a:", ":a", "%YAML", "'", '"', "''", '""',
]  # fmt: skip


def main():
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temp:
        (Path(temp) / "text").write_text(" ".join(WORDS) + "\n")
        options = "--after-batches 1 --mini-batch 1 --dim-emb 8 --dim-rnn 8 --cpu-threads 1 --type s2s -w 200 --max-length 200"
        subprocess.run(
            [Path(sys.executable).parent / "pymarian", "train", "-t", "text", "text", "--vocabs", "v.yml", "v.yml", "-m", "m.npz", *options.split()], cwd=temp, check=True, capture_output=True
        )
        (HERE / "marian.yml").write_bytes((Path(temp) / "v.yml").read_bytes())
    counts = {word: WORDS.count(word) for word in WORDS}
    order = sorted(counts, key=lambda word: (-counts[word], word.encode()))
    (HERE / "marian.words.json").write_text(json.dumps(["</s>", "<unk>", *order], indent=0) + "\n")


main()
