#!/usr/bin/env python3
"""Compares the SentencePiece reader with the C++ library (package sentencepiece 0.2.3) on whole corpora.

    cargo build --release -p metaphrase-text --example spm_ids
    python3 testdata/text/compare_sentencepiece.py target/release/examples/spm_ids MODEL FILE...

Each line of the files (plain or .gz) is encoded and decoded by both; ids and decoded text must be equal. Speeds are in CPU time.
"""

import gzip
import subprocess
import sys
import time

import sentencepiece


def main():
    program, model, *files = sys.argv[1:]
    text = b""
    for name in files:
        opened = gzip.open(name) if name.endswith(".gz") else open(name, "rb")
        data = opened.read()
        text += data if data.endswith(b"\n") or not data else data + b"\n"
    lines = text.decode().split("\n")[:-1]

    reference = sentencepiece.SentencePieceProcessor(model_file=model)
    start = time.process_time()
    ids = reference.encode(lines, num_threads=1)
    encode = time.process_time() - start
    start = time.process_time()
    decoded = reference.decode(ids, num_threads=1)
    decode = time.process_time() - start

    run = subprocess.run([program, model], input=text, capture_output=True, check=True)
    print("reader: ", run.stderr.decode().strip())
    speed = len(text) / 1e6
    print(f"library: encode {speed / encode:.1f} MB/s, decode {speed / decode:.1f} MB/s, lists made for Python included")
    rows = run.stdout.decode().split("\n")[:-1]
    assert len(rows) == 2 * len(lines), (len(rows), len(lines))
    wrong_ids = wrong_text = 0
    for i, line in enumerate(lines):
        row = " ".join(map(str, ids[i]))
        if row != rows[2 * i]:
            wrong_ids += 1
            if wrong_ids <= 5:
                print("ids", repr(line), row, rows[2 * i], sep="\n  ")
        if decoded[i] != rows[2 * i + 1]:
            wrong_text += 1
            if wrong_text <= 5:
                print("text", repr(line), repr(decoded[i]), repr(rows[2 * i + 1]), sep="\n  ")
    print(f"{model}: {len(lines)} lines, {len(text)} bytes, {wrong_ids} lines with other ids, {wrong_text} with other text")
    sys.exit(wrong_ids + wrong_text != 0)


main()
