#!/usr/bin/env python3
"""Compares models that Metaphrase trains with those of the C++ library (package sentencepiece 0.2.3).

    cargo build --release -p metaphrase-text --example train_pieces --example spm_ids
    python3 testdata/text/compare_training.py target/release/examples SIZE TRAIN… -- HELD-OUT…

TRAIN and HELD-OUT are text files, plain or .gz. Both train unigram and BPE models of SIZE pieces on all of TRAIN, with
Marian's ids. Printed are times, the share of common pieces, and, for each held-out file, pieces per word under both
models; of unigram models also the log-probability per character of the best segmentation under the model's own
probabilities. Every held-out line must have the same ids by the C++ library and by Metaphrase, under our model.
The exit status is 1 if one has not, or if pieces per word differ by more than 1 %.
"""

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import sentencepiece


def lines(name):
    opened = gzip.open(name) if name.endswith(".gz") else open(name, "rb")
    with opened:
        return opened.read().decode().split("\n")[:-1]


def children_time():
    times = os.times()
    return times.children_user + times.children_system


def train_both(examples, kind, size, text, folder):
    theirs, ours = f"{folder}/{kind}-theirs.model", f"{folder}/{kind}-ours.model"
    cpu, clock = time.process_time(), time.perf_counter()
    sentencepiece.SentencePieceTrainer.train(
        input=text, model_prefix=theirs.removesuffix(".model"), model_type=kind, vocab_size=size,
        bos_id=-1, eos_id=0, unk_id=1, num_threads=os.cpu_count(), minloglevel=2)  # fmt: skip
    print(f"{kind} reference: {time.process_time() - cpu:.1f} s CPU, {time.perf_counter() - clock:.1f} s")
    cpu, clock = children_time(), time.perf_counter()
    subprocess.run([f"{examples}/train_pieces", kind, str(size), ours, text], check=True, stderr=subprocess.DEVNULL)
    print(f"{kind} ours:      {children_time() - cpu:.1f} s CPU, {time.perf_counter() - clock:.1f} s")
    return theirs, ours


def pieces(model):
    return {model.id_to_piece(i) for i in range(len(model))}


def judge(model, kind, held_out):
    """Pieces per word and, for unigram models, log-probability per character."""
    ids = model.encode(held_out)
    per_word = sum(map(len, ids)) / sum(len(line.split()) for line in held_out)
    if kind != "unigram":
        return per_word, None
    # An unknown character costs 10 more than the least probable piece.
    scores = [model.get_score(i) for i in range(len(model))]
    scores[model.unk_id()] = min(scores) - 10
    return per_word, sum(scores[i] for line in ids for i in line) / sum(map(len, held_out))


def same_ids(examples, path, model, held_out):
    run = subprocess.run([f"{examples}/spm_ids", path], input="".join(line + "\n" for line in held_out).encode(), capture_output=True, check=True)
    rows = run.stdout.decode().split("\n")[:-1:2]
    expected = [" ".join(map(str, ids)) for ids in model.encode(held_out)]
    return sum(row != other for row, other in zip(rows, expected, strict=True))


def main():
    examples, size, *files = sys.argv[1:]
    train, held_out = files[: files.index("--")], files[files.index("--") + 1 :]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        text = f"{folder}/text"
        pathlib.Path(text).write_text("".join(line + "\n" for name in train for line in lines(name)))
        for kind in ["unigram", "bpe"]:
            paths = train_both(examples, kind, int(size), text, folder)
            theirs, ours = (sentencepiece.SentencePieceProcessor(model_file=path) for path in paths)
            common = len(pieces(theirs) & pieces(ours)) / len(theirs)
            print(f"{kind}: {len(theirs)} and {len(ours)} pieces, {common:.1%} common")
            for name in held_out:
                (a, a_log), (b, b_log) = (judge(model, kind, lines(name)) for model in [theirs, ours])
                differing = same_ids(examples, paths[1], ours, lines(name))
                log = f", log-probability per character {a_log:.4f} and {b_log:.4f}" if a_log else ""
                print(f"  {pathlib.Path(name).name}: pieces per word {a:.4f} and {b:.4f} ({b / a - 1:+.2%}){log}; {differing} lines with other ids")
                faults += differing + (abs(b / a - 1) > 0.01)
    sys.exit(faults != 0)


main()
