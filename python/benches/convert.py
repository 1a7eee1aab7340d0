"""Converts a Marian model for ctranslate2 without changing its numbers: `python benches/convert.py MODEL_DIR OUT_DIR`.

ctranslate2 4.8.5 gives converted Marian models the position encodings of Hugging Face, `position / 10000^(2i / dim)`. Marian's rates are
`10000^(-i / (dim / 2 - 1))`, and models are trained with those. With Marian's encodings the scores of CTranslate2 are Marian's.
"""

import runpy
from pathlib import Path

import numpy
from ctranslate2.converters import marian


def encodings(dim, num_positions=2048):
    """Marian's position encodings: sines, then cosines."""
    rates = numpy.exp(numpy.arange(dim // 2) * -(numpy.log(10000.0) / (dim // 2 - 1)))
    angles = numpy.arange(num_positions)[:, None] * rates[None]
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1)


if __name__ == "__main__":
    marian._make_sinusoidal_position_encodings = encodings
    runpy.run_path(str(Path(__file__).parents[2] / "benches/peers/convert_ctranslate2.py"), run_name="__main__")
