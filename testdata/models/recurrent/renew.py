#!/usr/bin/env python3
"""Makes the tiny recurrent models of this folder, and what Marian says of them.

Needs pymarian 1.12.42 (PyPI) and numpy. Usage:

  renew.py                 the models of this folder (KEPT)
  renew.py FOLDER [NAME…]  all models, or these, into another folder; the tests read it if the environment variable
                           METAPHRASE_RECURRENT_MODELS names it

Each model learns for a moment to reverse a sequence of invented words, with its own set of options, so that every
weight has left its initial value. For each model NAME:

  NAME.npz     the model, settings included; rewritten compressed
  NAME.scores  `pymarian score --word-scores`: log-probability of each word of target.txt, then of the whole line
  NAME.nbest   `pymarian decode --beam-size 3 --normalize 1 --n-best --alignment soft` of source.txt, one at a time

Word ids are in vocab.source.yml and vocab.target.yml: `</s>` 0, `<unk>` 1, then in order.
"""

import os
import random
import subprocess
import sys
import tempfile

import numpy

SOURCE_WORDS, TARGET_WORDS = 17, 20

AMUN = {"type": "amun", "dim-emb": 7, "dim-rnn": 9}
NEMATUS = {"type": "nematus", "enc-cell": "gru-nematus", "dec-cell": "gru-nematus", "dim-emb": 8, "dim-rnn": 8}
S2S = {"type": "s2s", "dim-emb": 8, "dim-rnn": 9}
EVEN = {"type": "s2s", "dim-emb": 8, "dim-rnn": 8}
DEEP = {"enc-depth": 3, "dec-depth": 2, "skip": True}


def cells(kind):
    return {"enc-cell": kind, "dec-cell": kind}


LN = {"layer-normalization": True}

# Models of this folder: each option that changes the arithmetic at least once.
KEPT = {
    "amun": AMUN,
    "amun-norm-tied-all": {**AMUN, **LN, "tied-embeddings-all": True},
    "nematus-norm-deep": {**NEMATUS, **LN, "enc-cell-depth": 3, "dec-cell-base-depth": 4},
    "s2s-gru-alternating": {
        **S2S, **DEEP, **LN, "enc-type": "alternating", "enc-cell-depth": 2, "dec-cell-base-depth": 3,
        "dec-cell-high-depth": 2, "tied-embeddings-src": True,
    },
    "s2s-lstm-uni-tied": {
        **S2S, **DEEP, **cells("lstm"), "enc-type": "bi-unidirectional", "enc-cell-depth": 2,
        "dec-cell-base-depth": 1, "dec-cell-high-depth": 2, "tied-embeddings": True, "output-omit-bias": True,
    },
    "s2s-mlstm-norm": {**S2S, **DEEP, **LN, **cells("mlstm")},
    "s2s-mgru": {**S2S, **cells("mgru"), "dec-depth": 2},
    "s2s-tanh-relu": {**S2S, "enc-cell": "tanh", "dec-cell": "relu", "enc-cell-depth": 2, "dec-cell-base-depth": 3},
    # Marian can not train encoders of sru and ssru.
    "s2s-sru-norm": {**EVEN, **LN, **DEEP, "enc-type": "bi-unidirectional", "dec-cell": "sru"},
    "s2s-ssru": {**EVEN, **DEEP, "dec-cell": "ssru", "dec-cell-base-depth": 1},
}

# More of the option space, to be tried now and then.
OTHERS = {
    "amun-norm": {**AMUN, **LN},
    "amun-tied": {**AMUN, "tied-embeddings": True},
    "amun-tied-src": {**AMUN, "tied-embeddings-src": True, "output-omit-bias": True},
    "amun-wide": {**AMUN, "dim-emb": 33, "dim-rnn": 70},
    "nematus": NEMATUS,
    "nematus-norm": {**NEMATUS, **LN},
    "nematus-deeper": {**NEMATUS, **LN, "dec-cell-base-depth": 8, "enc-cell-depth": 4},
    "nematus-deep": {**NEMATUS, "enc-cell-depth": 2, "dec-cell-base-depth": 4},
    "nematus-decoders": {**NEMATUS, **LN, "dec-depth": 3, "enc-depth": 2, "enc-cell-depth": 2},
    "s2s-gru": S2S,
    "s2s-gru-norm": {**S2S, **LN},
    "s2s-gru-base1": {**S2S, "dec-cell-base-depth": 1},
    "s2s-gru-norm-deep": {**S2S, **DEEP, **LN, "enc-cell-depth": 2, "dec-cell-base-depth": 4, "dec-cell-high-depth": 3},
    "s2s-gru-uni": {**S2S, **DEEP, "enc-type": "bi-unidirectional"},
    "s2s-gru-uni-norm": {**S2S, **DEEP, **LN, "enc-type": "bi-unidirectional", "enc-cell-depth": 2},
    "s2s-gru-alternating-plain": {**S2S, "enc-type": "alternating", "enc-depth": 4},
    "s2s-best-deep": {**S2S, "best-deep": True},
    "s2s-gru-nematus": {**S2S, **cells("gru-nematus")},
    "s2s-gru-nematus-norm": {**S2S, **LN, **cells("gru-nematus"), "enc-cell-depth": 2, "dec-cell-base-depth": 3},
    "s2s-gru-nematus-norm-deep": {**S2S, **LN, **DEEP, **cells("gru-nematus"), "enc-type": "alternating"},
    "s2s-mixed": {**S2S, **LN, "enc-cell": "lstm", "dec-cell": "gru", "dec-cell-base-depth": 3},
    "s2s-mixed-2": {**S2S, **LN, "enc-cell": "gru", "dec-cell": "lstm", "enc-type": "alternating", "enc-depth": 2},
    "s2s-lstm": {**S2S, **cells("lstm")},
    "s2s-lstm-norm-deep": {
        **S2S, **LN, **DEEP, **cells("lstm"), "enc-cell-depth": 2, "dec-cell-base-depth": 4, "dec-cell-high-depth": 2,
    },
    "s2s-mlstm": {**S2S, **cells("mlstm")},
    # Layer-normalised mgru is not here: its weights become NaN in Marian's training.
    "s2s-tanh": {**S2S, **cells("tanh"), "dec-depth": 2, "dec-cell-high-depth": 2},
    "s2s-tanh-norm": {**S2S, **LN, **cells("tanh")},
    "s2s-relu": {**S2S, **cells("relu")},
    "s2s-relu-norm": {**S2S, **LN, **cells("relu"), "dec-cell-base-depth": 3},
    "s2s-sru": {**EVEN, "dec-cell": "sru", "dec-cell-base-depth": 1, "enc-depth": 2},
    "s2s-ssru-norm": {**EVEN, **LN, **DEEP, "dec-cell": "ssru", "enc-type": "bi-unidirectional"},
    "s2s-no-skip": {**S2S, **LN, "enc-depth": 2, "dec-depth": 2},
    "s2s-wide": {**S2S, **LN, **DEEP, **cells("lstm"), "dim-emb": 40, "dim-rnn": 65},
}


def flags(options):
    for key, value in options.items():
        yield "--" + key
        if value is not True:
            yield str(value)


def marian(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "pymarian", *arguments], check=True, text=True, **options)


def write_vocabulary(path, words):
    with open(path, "w") as out:
        for index, word in enumerate(["</s>", "<unk>", *words]):
            out.write(f'"{word}": {index}\n')


def sequences(seed, count):
    """Pairs of lines: words `w0 …`, and the next ones in reverse."""
    rng = random.Random(seed)
    for _ in range(count):
        ids = [rng.randrange(SOURCE_WORDS) for _ in range(rng.randrange(1, 11))]
        yield " ".join(f"w{i}" for i in ids), " ".join(f"w{i + 1}" for i in reversed(ids))


def write_pairs(source, target, pairs):
    with open(source, "w") as s, open(target, "w") as t:
        for a, b in pairs:
            s.write(a + "\n")
            t.write(b + "\n")


def compress(source, target):
    """Marian writes and reads `stored` members only; what ships is compressed."""
    with numpy.load(source) as model:
        numpy.savez_compressed(target, **{name: model[name] for name in sorted(model.files)})


def train(folder, model, options, scratch):
    tied = any(options.get(key) for key in ("tied-embeddings-all", "tied-embeddings-src"))
    names = ["vocab.target.yml"] * 2 if tied else ["vocab.source.yml", "vocab.target.yml"]
    vocabularies = [os.path.join(folder, name) for name in names]
    marian(
        "train", "--quiet", "--cpu-threads", "1", "-w", "300", "--seed", "11", "--model", model,
        "--train-sets", os.path.join(scratch, "train.s"), os.path.join(scratch, "train.t"),
        "--vocabs", *vocabularies, "--mini-batch", "32", "--maxi-batch", "1", "--after", "200u",
        "--learn-rate", "0.02", "--clip-norm", "1", "--no-shuffle", *flags(options), stdin=subprocess.DEVNULL,
    )
    return vocabularies


def record(folder, name, model, vocabularies):
    common = ["--quiet", "--cpu-threads", "1", "-w", "200", "--mini-batch", "1", "--vocabs", *vocabularies]
    compress(model, os.path.join(folder, name + ".npz"))
    source, target = os.path.join(folder, "source.txt"), os.path.join(folder, "target.txt")
    with open(os.path.join(folder, name + ".scores"), "w") as out:
        marian("score", "--model", model, "--word-scores", "--train-sets", source, target, *common, stdout=out)
    with open(os.path.join(folder, name + ".nbest"), "w") as out, open(source) as lines:
        marian(
            "decode", "--models", model, "--beam-size", "3", "--normalize", "1", "--n-best", "--alignment", "soft",
            "--maxi-batch", "1", "--max-length-factor", "2", *common, stdin=lines, stdout=out,
        )


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else here
    models = KEPT if len(sys.argv) == 1 else {**KEPT, **OTHERS}
    names = sys.argv[2:] or models
    os.makedirs(folder, exist_ok=True)
    write_vocabulary(os.path.join(folder, "vocab.source.yml"), [f"w{i}" for i in range(SOURCE_WORDS)])
    write_vocabulary(os.path.join(folder, "vocab.target.yml"), [f"w{i}" for i in range(TARGET_WORDS)])
    write_pairs(*(os.path.join(folder, name) for name in ("source.txt", "target.txt")), sequences(2, 6))
    with tempfile.TemporaryDirectory() as scratch:
        write_pairs(*(os.path.join(scratch, name) for name in ("train.s", "train.t")), sequences(1, 2000))
        for name in names:
            print(name, file=sys.stderr)
            model = os.path.join(scratch, name + ".npz")
            try:
                record(folder, name, model, train(folder, model, models[name], scratch))
            except subprocess.CalledProcessError as error:
                if name in KEPT:
                    raise
                print(f"Marian refuses {name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
