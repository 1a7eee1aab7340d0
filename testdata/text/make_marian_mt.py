#!/usr/bin/env python3
"""Makes testdata/text/marian-mt/: a vocabulary as MarianMT models have it, and what MarianTokenizer (transformers
5.23.0) makes of lines and ids.

    python3 testdata/text/make_marian_mt.py

The pieces are those of two models in testdata/text/sentencepiece; some are left out of the vocabulary. Metaphrase
differs on purpose where a line has special words (`<pad>`), or arrows that are no language (`>> a << b`).
"""

import json
import random
import warnings
from pathlib import Path

import sentencepiece
from transformers import MarianTokenizer

warnings.simplefilter("ignore")
HERE = Path(__file__).parent / "marian-mt"
SOURCE, TARGET = (HERE.parent / "sentencepiece" / f"{name}.spm" for name in ["unigram-nmt_nfkc", "unigram-folded"])
LINES = [
    "", " ", "Hello world!", ">>deu<< Hello world!", ">>deu<<Hello", ">>xyz<< unknown language", ">>deu<<",
    " >>deu<< late", "☃ snow ☃☃ man", "<s> x", "Ｆｕｌｌ ｗｉｄｔｈ", "日本語", "a\u0301", "two  blanks ", "▁",
]  # fmt: skip


def main():
    HERE.mkdir(exist_ok=True)
    models = [sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in [SOURCE, TARGET]]
    pieces = sorted({model.id_to_piece(i) for model in models for i in range(len(model)) if not model.is_control(i) and not model.is_unknown(i)})
    pieces = [piece for i, piece in enumerate(pieces) if i % 11]
    words = ["</s>", "<unk>", *pieces, "☃", ">>deu<<", ">>fra<<", "<pad>"]
    (HERE / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}, ensure_ascii=False, indent=0) + "\n")

    tokenizer = MarianTokenizer(str(SOURCE), str(TARGET), str(HERE / "vocab.json"))
    source = [{"line": line, "ids": tokenizer(line)["input_ids"]} for line in LINES]
    target = [{"line": line, "ids": tokenizer(text_target=line)["input_ids"]} for line in LINES]
    chance = random.Random(1)
    decode = []
    for _ in range(60):
        ids = [chance.randrange(chance.choice([3, len(words)])) for _ in range(chance.randrange(1, 10))] + [0]
        text = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False, use_source_tokenizer=False)
        decode.append({"ids": ids, "line": text})
    rows = lambda table: "[\n" + ",\n".join(map(json.dumps, table)) + "\n]"
    text = f'{{"source": {rows(source)}, "target": {rows(target)}, "decode": {rows(decode)}}}\n'
    (HERE / "golden.json").write_text(text)


main()
