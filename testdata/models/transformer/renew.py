#!/usr/bin/env python3
"""Makes the tiny Transformers of this folder, and what Marian says of them.

Needs pymarian 1.12.42 (PyPI) and numpy. Usage: renew.py [FOLDER]   (default: this folder)

Each model learns for a moment to reverse a sequence of invented words (`a0 a1 ...` to `b1 b0 ...`), with its own set
of options, so that every weight has left its initial value. For each model NAME:

  NAME.npz         the model, settings included; rewritten compressed
  NAME.scores      `pymarian score --word-scores`: log-probability of each word of target.txt, then of the whole line
  NAME.nbest       `pymarian decode --beam-size 4 --n-best --alignment soft` of source.txt, a sentence at a time

Word ids are in vocab.source.yml and vocab.target.yml: `</s>` 0, `<unk>` 1, then in order.
"""

import os
import random
import subprocess
import sys
import tempfile

import numpy

SOURCE_WORDS, TARGET_WORDS = 30, 36
TIED_WORDS = 36

BASE = {
    "type": "transformer",
    "dim-emb": 16,
    "enc-depth": 1,
    "dec-depth": 1,
    "transformer-heads": 2,
    "transformer-dim-ffn": 24,
}
SSRU = {"transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"}
AAN = {"transformer-decoder-autoreg": "average-attention", "transformer-dim-aan": 20}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}

VARIANTS = {
    "post-relu-tied-all": {"tied-embeddings-all": True, "transformer-ffn-activation": "relu", "dec-depth": 2},
    "pre-gelu-tied-src": {
        **PRE,
        "tied-embeddings-src": True,
        "transformer-ffn-activation": "gelu",
        "enc-depth": 2,
        "output-omit-bias": True,
    },
    "untied-swish-depths": {
        "transformer-heads": 1,
        "transformer-ffn-depth": 3,
        "transformer-decoder-ffn-depth": 1,
        "transformer-decoder-dim-ffn": 12,
        "transformer-postprocess-emb": "dn",
    },
    "highway-no-projection": {
        "tied-embeddings": True,
        "transformer-heads": 16,
        "transformer-no-projection": True,
        "transformer-preprocess": "d",
        "transformer-postprocess": "dhn",
        "transformer-postprocess-top": "dan",
    },
    "rms-tied-layers": {
        "tied-embeddings": True,
        "transformer-preprocess": "r",
        "transformer-postprocess": "da",
        "transformer-postprocess-top": "r",
        "transformer-postprocess-emb": "r",
        "dec-depth": 3,
        "transformer-tied-layers": [1, 2, 1],
        "transformer-guided-alignment-layer": 2,
    },
    "pre-and-post-norm": {
        "tied-embeddings-src": True,
        "tied-embeddings": True,
        "transformer-preprocess": "n",
        "transformer-postprocess": "ndan",
        "transformer-decoder-ffn-depth": 3,
    },
    "no-positions": {"transformer-disable-position-embeddings": True, "transformer-ffn-depth": 1},
    "ssru-pre-projection": {**SSRU, **PRE, "transformer-rnn-projection": True, "dec-depth": 2},
    "ssru-tied-all": {**SSRU, "tied-embeddings-all": True, "transformer-heads": 4, "transformer-ffn-activation": "relu"},
    "aan-gate": {**AAN, "transformer-aan-depth": 3, "dec-depth": 2},
    "aan-pre-no-gate": {**AAN, **PRE, "transformer-aan-depth": 2, "transformer-aan-nogate": True, "transformer-aan-activation": "relu"},
    "aan-plain": {**AAN, "transformer-aan-depth": 1, "transformer-dim-aan": 16},
}


def flags(options):
    for key, value in options.items():
        yield "--" + key
        if isinstance(value, list):
            yield from map(str, value)
        elif value is not True:
            yield str(value)


def marian(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "pymarian", *arguments], check=True, text=True, **options)


def write_vocabulary(path, words):
    with open(path, "w") as out:
        for index, word in enumerate(["</s>", "<unk>", *words]):
            out.write(f'"{word}": {index}\n')


def sequences(seed, count, words, target_words):
    """Pairs of lines: words of `w0 ..`, and the same reversed (and folded where the target has fewer)."""
    rng = random.Random(seed)
    for _ in range(count):
        ids = [rng.randrange(words) for _ in range(rng.randrange(1, 11))]
        yield " ".join(f"w{i}" for i in ids), " ".join(f"w{(i + 1) % target_words}" for i in reversed(ids))


def compress(source, target):
    """Marian writes and reads `stored` members only; what ships is compressed."""
    with numpy.load(source) as model:
        numpy.savez_compressed(target, **{name: model[name] for name in sorted(model.files)})


def train(folder, name, options, scratch):
    tied = any(options.get(key) for key in ("tied-embeddings-all", "tied-embeddings-src"))
    vocabularies = ["vocab.target.yml"] * 2 if tied else ["vocab.source.yml", "vocab.target.yml"]
    model = os.path.join(scratch, name + ".npz")
    marian(
        "train", "--quiet", "--cpu-threads", "1", "-w", "300", "--seed", "11", "--model", model,
        "--train-sets", os.path.join(scratch, "train.s"), os.path.join(scratch, "train.t"),
        "--vocabs", *(os.path.join(folder, v) for v in vocabularies),
        "--mini-batch", "32", "--maxi-batch", "1", "--after", "300u", "--learn-rate", "0.02", "--clip-norm", "0",
        "--transformer-dropout", "0", "--no-shuffle", *flags({**BASE, **options}),
        stdin=subprocess.DEVNULL,
    )
    return vocabularies


def record(folder, name, vocabularies, scratch):
    common = ["--quiet", "--cpu-threads", "1", "-w", "200", "--mini-batch", "1", "--vocabs", *(os.path.join(folder, v) for v in vocabularies)]
    model = os.path.join(scratch, name + ".npz")
    compress(model, os.path.join(folder, name + ".npz"))
    source, target = os.path.join(folder, "source.txt"), os.path.join(folder, "target.txt")
    with open(os.path.join(folder, name + ".scores"), "w") as out:
        marian("score", "--model", model, "--word-scores", "--train-sets", source, target, *common, stdout=out)
    with open(os.path.join(folder, name + ".nbest"), "w") as out, open(source) as lines:
        marian(
            "decode", "--models", model, "--beam-size", "4", "--n-best", "--alignment", "soft", "--maxi-batch", "1", "--max-length-factor", "2", *common,
            stdin=lines, stdout=out,
        )


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    only = set(sys.argv[2:])
    os.makedirs(folder, exist_ok=True)
    write_vocabulary(os.path.join(folder, "vocab.source.yml"), [f"w{i}" for i in range(SOURCE_WORDS)])
    write_vocabulary(os.path.join(folder, "vocab.target.yml"), [f"w{i}" for i in range(TARGET_WORDS)])
    with open(os.path.join(folder, "source.txt"), "w") as s, open(os.path.join(folder, "target.txt"), "w") as t:
        for a, b in sequences(2, 8, SOURCE_WORDS, TARGET_WORDS):
            s.write(a + "\n")
            t.write(b + "\n")
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "train.s"), "w") as s, open(os.path.join(scratch, "train.t"), "w") as t:
            for a, b in sequences(1, 2000, SOURCE_WORDS, TARGET_WORDS):
                s.write(a + "\n")
                t.write(b + "\n")
        for name, options in VARIANTS.items():
            if only and name not in only:
                continue
            print(name, file=sys.stderr)
            vocabularies = train(folder, name, options, scratch)
            record(folder, name, vocabularies, scratch)


if __name__ == "__main__":
    main()
