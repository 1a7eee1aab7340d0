#!/usr/bin/env python3
"""Makes testdata/text/sentencepiece/trained-*.json: what the package sentencepiece 0.2.3 makes of our trained models.

    cargo build -p metaphrase-text --example train_pieces
    python3 testdata/text/make_training.py target/debug/examples/train_pieces

Metaphrase trains small models on sample.de and sample.en; the C++ library reads them and splits the lines of
sample.fr, hard.txt and sentencepiece/lines.json into pieces. The test sentencepiece_training.rs trains the same models
again and expects the same pieces. Each character of Unicode is normalised, too: what does not come out as with the
library's own table is printed, with the number of such characters.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import sentencepiece

HERE = Path(__file__).parent

MODELS = {
    "trained-unigram": ["unigram", "300"],
    "trained-bpe": ["bpe", "300"],
    "trained-unigram-bytes": ["unigram", "600", "--byte-fallback", "--symbols=Tom,@@,TeX,<mask>"],
    "trained-bpe-bytes": ["bpe", "600", "--byte-fallback", "--symbols=Tom,@@,TeX,<mask>"],
    "trained-unigram-identity": ["unigram", "280", "--identity"],
}


def compare_normalization(ours):
    theirs = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc", add_dummy_prefix=True, remove_extra_whitespaces=True, escape_whitespaces=True)
    chars = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    texts = [f"a{char}b" for char in chars] + [f"a{char}\u0301\u0327b" for char in chars]
    differing = [text for text in texts if theirs.normalize(text) != ours.normalize(text)]
    print(f"nmt_nfkc: {len(texts)} texts, {len(differing)} differ:", " ".join(f"{ord(text[1]):X}" for text in differing if len(text) == 3))


def main():
    program = sys.argv[1]
    lines = (HERE / "sample.fr").read_text().split("\n") + (HERE / "hard.txt").read_text().split("\n")
    lines += json.loads((HERE / "sentencepiece/lines.json").read_text())
    # Zero bytes end a string for some of the library.
    lines = [line for line in lines if "\0" not in line]
    for name, (kind, size, *flags) in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model"
            subprocess.run([program, kind, size, path, *flags, HERE / "sample.de", HERE / "sample.en"], check=True, stderr=subprocess.DEVNULL)
            model = sentencepiece.SentencePieceProcessor(model_file=path)
            if name == "trained-unigram":
                compare_normalization(sentencepiece.SentencePieceNormalizer(model_file=path))
        rows = [json.dumps([line, model.encode(line, out_type=str)]) for line in lines]
        (HERE / f"sentencepiece/{name}.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")


main()
