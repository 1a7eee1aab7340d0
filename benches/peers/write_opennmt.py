"""Writes a CTranslate2 directory as OpenNMT-py's converter does, with random weights: write_opennmt.py PIECES.spm VARIANT
QUANTIZATION OUT_DIR

The decoder starts from the vector of `<s>`, positions are stored, sources have no end. VARIANT: plain, untied, nobias,
bos (sources between `<s>` and `</s>`), eos (the decoder starts from `</s>`), gelu (post-norm, normalised embeddings),
sigmoid (gelu's approximation), rms, shaw (relative positions), sinusoids (no stored positions: OpenNMT-tf).
QUANTIZATION: float32, float16, int16, int8.
"""

import math
import pathlib
import shutil
import sys

import numpy
import sentencepiece
from ctranslate2.specs import common_spec, transformer_spec

WORDS, DIM, HEADS, INNER, LAYERS, POSITIONS = 904, 32, 4, 48, 2, 400
pieces, variant, quantization, out = sys.argv[1:5]
random = numpy.random.default_rng(len(variant))
activation = common_spec.Activation
options = {
    "gelu": {"pre_norm": False, "activation": activation.GELU, "layernorm_embedding": True},
    "sigmoid": {"activation": activation.GELUSigmoid},
    "rms": {"rms_norm": True, "activation": activation.SWISH},
    "shaw": {"with_relative_position": True},
}.get(variant, {})
spec = transformer_spec.TransformerSpec.from_config(LAYERS, HEADS, **options)


def matrix(*shape):
    return (random.standard_normal(shape) * 3 / math.sqrt(shape[-1])).astype(numpy.float32)


def vector(size, middle=0.0):
    return (middle + random.standard_normal(size) * 0.3).astype(numpy.float32)


def fill_linear(linear, outputs, inputs, bias=True):
    linear.weight = matrix(outputs, inputs)
    if bias:
        linear.bias = vector(outputs)


def fill_norm(norm):
    norm.gamma = vector(DIM, 1.0)
    if variant != "rms":
        norm.beta = vector(DIM)


def fill_attention(attention, parts):
    for linear, count in zip(attention.linear, parts):
        fill_linear(linear, count * DIM, DIM, variant != "nobias")
    fill_norm(attention.layer_norm)
    if variant == "shaw" and parts[0] == 3:
        attention.relative_position_keys = matrix(11, DIM // HEADS)
        attention.relative_position_values = matrix(11, DIM // HEADS)


def fill_feed_forward(ffn):
    fill_linear(ffn.linear_0, INNER, DIM)
    fill_linear(ffn.linear_1, DIM, INNER)
    fill_norm(ffn.layer_norm)


model = sentencepiece.SentencePieceProcessor(model_file=pieces)
plain = [model.id_to_piece(i) for i in range(model.get_piece_size())]
special = ["<unk>", "<blank>", "<s>", "</s>"]
words = special + [piece for piece in plain if piece not in special][: WORDS - 4]
table = matrix(WORDS, DIM)
spec.encoder.embeddings[0].weight = table
spec.decoder.embeddings.weight = table if variant != "untied" else matrix(WORDS, DIM)
spec.decoder.projection.weight = spec.decoder.embeddings.weight if variant != "untied" else matrix(WORDS, DIM)
spec.decoder.projection.bias = vector(WORDS)
angles = numpy.arange(POSITIONS)[:, None] / 10000 ** (numpy.arange(0, DIM, 2) / DIM)
positions = numpy.stack([numpy.sin(angles), numpy.cos(angles)], axis=2).reshape(POSITIONS, DIM).astype(numpy.float32)
for side in (spec.encoder, spec.decoder):
    if variant not in ("shaw", "sinusoids"):
        side.position_encodings.encodings = positions
    if variant == "gelu":
        fill_norm(side.layernorm_embedding)
    else:
        fill_norm(side.layer_norm)
    for layer in side.layer:
        fill_attention(layer.self_attention, [3, 1])
        if side is spec.decoder:
            fill_attention(layer.attention, [1, 2, 1])
        fill_feed_forward(layer.ffn)
spec.config.decoder_start_token = "</s>" if variant == "eos" else "<s>"
spec.config.add_source_bos = variant == "bos"
spec.config.add_source_eos = variant in ("bos", "eos")
spec.register_source_vocabulary(words)
spec.register_target_vocabulary(words if variant != "untied" else special + words[:3:-1])
spec.validate()
spec.optimize(quantization=quantization)
pathlib.Path(out).mkdir(parents=True, exist_ok=True)
spec.save(out)
shutil.copy(pieces, pathlib.Path(out) / "sentencepiece.model")
