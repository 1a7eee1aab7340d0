"""Converts a Marian model directory (model.npz, vocab.spm) for CTranslate2:
convert_ctranslate2.py MODEL_DIR OUT_DIR [SHORTLIST]

CTranslate2's converter reads the settings that Marian embeds up to the first NUL only, and wants vocabularies as YAML.
SHORTLIST is Marian's text format (`target source probability` on each line); the 100 best words of each source word become
CTranslate2's vocabulary map, with the 100 most frequent pieces for every sentence, as Marian's `--shortlist FILE 100 100 0`.
"""

import collections
import json
import pathlib
import sys
import tempfile

import ctranslate2
import numpy
import sentencepiece

source, target = map(pathlib.Path, sys.argv[1:3])
shortlist = sys.argv[3] if len(sys.argv) > 3 else None
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

if shortlist:
    # A line for each source word: the word, a tab, its target words; the empty word's are in every sentence.
    best = collections.defaultdict(list)
    for line in open(shortlist, encoding="utf-8"):
        word, of, probability = line.split()
        best[of].append((float(probability), word))
    # The first pieces of a SentencePiece vocabulary are the most frequent ones, behind the special ones.
    lists = {"": [pieces.id_to_piece(i) for i in range(min(100, pieces.get_piece_size()))]}
    lists |= {of: [word for _, word in sorted(words, reverse=True)[:100]] for of, words in best.items()}
    text = "".join(f"{of}\t{' '.join(words)}\n" for of, words in lists.items())
    (target / "vmap.txt").write_text(text, encoding="utf-8")
