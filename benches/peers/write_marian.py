"""Writes a conditional GRU that Metaphrase has trained as a Marian model: write_marian.py RUN/best OUT_DIR

Both name and shape their tensors alike. The vocabulary is copied, so that `OUT_DIR` has `model.npz` and `vocab.spm`.
"""

import pathlib
import shutil
import sys
import tomllib

import numpy
from safetensors.numpy import load_file

MARIAN = """type: s2s
enc-type: bidirectional
enc-cell: gru
enc-cell-depth: 1
enc-depth: 1
dec-cell: gru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: 1
dim-emb: {emb}
dim-rnn: {rnn}
dim-vocabs:
  - {source}
  - {target}
input-types:
  []
layer-normalization: false
output-omit-bias: false
right-left: false
skip: false
tied-embeddings: true
tied-embeddings-all: false
tied-embeddings-src: false
version: v1.12.42
"""

source, target = map(pathlib.Path, sys.argv[1:])
model = tomllib.loads((source / "config.toml").read_text())["model"]
sizes = model["architecture"]["recurrent"]
assert sizes["decoder-cell"] == "gru" and sizes["layer-norm"] == "none" and sizes["tied-embeddings"]["target-output"]
settings = MARIAN.format(
    emb=sizes["dim-emb"], rnn=sizes["dim-rnn"], source=model["source-words"], target=model["target-words"]
)
tensors = dict(load_file(source / "model.safetensors"))
tensors["special:model.yml"] = numpy.frombuffer(settings.encode() + b"\0", dtype=numpy.int8)
tensors["decoder_c_tt"] = numpy.zeros((1, 0), dtype=numpy.float32)
target.mkdir(parents=True, exist_ok=True)
numpy.savez(target / "model.npz", **tensors)
shutil.copy(source / "source.spm", target / "vocab.spm")
