"""Translates stdin with fxtranslate, Firefox's engine: translate_fxtranslate.py MODEL.bin VOCAB.spm < text

The engine translates one sentence at a time, with beam 1. MODEL.bin is Marian's binary file, of f32 or with the alphas that
Firefox's models have.
"""

import pathlib
import sys

from fxtranslate import Translator

model, vocab = (pathlib.Path(path).read_bytes() for path in sys.argv[1:])
translator = Translator(model=model, src_vocab=vocab, trg_vocab=vocab)
for line in sys.stdin:
    print(translator.translate(line.rstrip("\n")), flush=True)
