"""Converts a Marian model directory (model.npz, vocab.spm) for CTranslate2: convert_ctranslate2.py MODEL_DIR OUT_DIR

CTranslate2's converter reads the settings that Marian embeds up to the first NUL only, and wants vocabularies as YAML.
"""

import json
import pathlib
import sys
import tempfile

import ctranslate2
import numpy
import sentencepiece

source, target = map(pathlib.Path, sys.argv[1:])
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    tensors = dict(numpy.load(source / "model.npz"))
    settings = tensors["special:model.yml"].tobytes().rstrip(b"\0") + b"\0"
    tensors["special:model.yml"] = numpy.frombuffer(settings, dtype=numpy.int8)
    numpy.savez(folder / "model.npz", **tensors)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(source / "vocab.spm"))
    with open(folder / "vocab.yml", "w", encoding="utf-8") as out:
        for i in range(pieces.get_piece_size()):
            out.write(f"{json.dumps(pieces.id_to_piece(i), ensure_ascii=False)}: {i}\n")
    vocab = str(folder / "vocab.yml")
    ctranslate2.converters.MarianConverter(str(folder / "model.npz"), [vocab, vocab]).convert(str(target), force=True)
