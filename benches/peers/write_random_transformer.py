#!/usr/bin/env python3
"""Writes a Transformer of another size with random weights as a Marian model, and a text for it:

    write_random_transformer.py MODEL_DIR TEXT OUT_DIR [--dim 512] [--ffn 2048] [--depth 6] [--length 15] [--lines 400]

MODEL_DIR is a Marian Transformer (model.npz, vocab.spm) whose settings, names of tensors and vocabulary are taken over. No
translation ends by itself: the end of sentence has a bias that takes it out of the search. So that all engines do the same
work, the text OUT_DIR/text has those lines of TEXT that have LENGTH pieces (text in .gz is read), and each translation gets
the longest length: give `compare.py --max-length-factor 1`. The speed does not depend on the values of weights.
"""

import argparse
import gzip
import pathlib
import re
import shutil

import numpy
import sentencepiece

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model", type=pathlib.Path)
parser.add_argument("text", type=pathlib.Path)
parser.add_argument("out", type=pathlib.Path)
for name, value in [("dim", 512), ("ffn", 2048), ("depth", 6), ("length", 15), ("lines", 400)]:
    parser.add_argument(f"--{name}", type=int, default=value)
args = parser.parse_args()

template = dict(numpy.load(args.model / "model.npz"))
settings = template.pop("special:model.yml").tobytes().rstrip(b"\0").decode()
setting = lambda name: int(re.search(rf"^{name}: (\d+)$", settings, re.M)[1])
sizes = {setting("dim-emb"): args.dim, setting("transformer-dim-ffn"): args.ffn}
for name, value in [("dim-emb", args.dim), ("transformer-dim-ffn", args.ffn), ("enc-depth", args.depth), ("dec-depth", args.depth)]:
    settings = re.sub(rf"^{name}: \d+$", f"{name}: {value}", settings, flags=re.M)

random = numpy.random.default_rng(2017)
pieces = sentencepiece.SentencePieceProcessor(model_file=str(args.model / "vocab.spm"))
tensors = {}
for name, tensor in template.items():
    layer = re.match(r"(encoder|decoder)_l(\d+)_", name)
    if layer and layer[2] != "1":
        continue
    shape = tuple(sizes.get(size, size) for size in tensor.shape)
    for number in range(1, args.depth + 1) if layer else [1]:
        value = numpy.zeros(shape, numpy.float32)
        if name.endswith("_ln_scale"):
            value[:] = 1
        elif min(shape, default=0) > 1:
            value = random.uniform(-1, 1, shape).astype(numpy.float32) * numpy.float32((6 / sum(shape)) ** 0.5)
        if name == "decoder_ff_logit_out_b":
            value[0, pieces.eos_id()] = -1e3
        tensors[name.replace("_l1_", f"_l{number}_") if layer else name] = value
tensors["special:model.yml"] = numpy.frombuffer(settings.encode() + b"\0", dtype=numpy.int8)
args.out.mkdir(parents=True, exist_ok=True)
numpy.savez(args.out / "model.npz", **tensors)
shutil.copy(args.model / "vocab.spm", args.out / "vocab.spm")
opened = gzip.open if args.text.suffix == ".gz" else open
with opened(args.text, "rt", encoding="utf-8") as text:
    lines = [line for line in text if len(pieces.encode(line.rstrip("\n"))) == args.length]
(args.out / "text").write_text("".join(lines[: args.lines]), encoding="utf-8")
print(f"{sum(value.size for value in tensors.values()) / 1e6:.1f} million parameters, {min(len(lines), args.lines)} lines")
