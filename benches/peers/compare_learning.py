#!/usr/bin/env python3
"""What training has learnt beside Marian's, after equally many updates on equal data.

    compare_learning.py --metaphrase target/release/metaphrase --pymarian venv/bin/pymarian \
        --text train.en train.de --test test.en test.de --vocabulary vocab.spm [--updates 1000] [--seeds 1 2]

Trains a small Transformer (2 + 1 layers of 128) and a small conditional GRU (128 / 256) with both programs: the same
settings, batch size and schedule. Both models are decoded with Metaphrase, which finds what Marian finds, and BLEU is
printed in a table.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MARIAN = {
    "Transformer": """--type transformer --dim-emb 128 --enc-depth 2 --dec-depth 1 --transformer-heads 4
--transformer-dim-ffn 512 --transformer-ffn-activation relu --transformer-postprocess dan --tied-embeddings-all
--transformer-dropout 0.1 --optimizer-params 0.9 0.98 1e-09""",
    "cGRU": """--type s2s --enc-cell gru --dec-cell gru --dim-emb 128 --dim-rnn 256 --enc-depth 1 --dec-depth 1
--dec-cell-base-depth 2 --tied-embeddings --dropout-rnn 0.1 --optimizer-params 0.9 0.999 1e-09""",
}
RECIPES = {"Transformer": "en-de.toml", "cGRU": "cgru.toml"}
SMALLER = {
    "Transformer": {
        "dim-emb = 256": "dim-emb = 128", "heads = 8": "heads = 4", "encoder-depth = 4": "encoder-depth = 2",
        "decoder-depth = 2": "decoder-depth = 1", "dim = 1024": "dim = 512",
        "alignment-layer = 2": "alignment-layer = 1",
    },
    "cGRU": {"dim-emb = 256": "dim-emb = 128", "dim-rnn = 512": "dim-rnn = 256"},
}  # fmt: skip
RECIPE = """
[data]
train = [{{ source = "{text[0]}", target = "{text[1]}" }}]
dev = {{ source = "{folder}/dev.txt", target = "{folder}/dev.txt" }}

[vocabulary.files]
source = "{vocabulary}"
target = "{vocabulary}"

{architecture}
[training]
seed = {seed}
updates = {updates}
batch = {{ size = {{ words = {words} }} }}

[training.update]
precision = "{precision}"
loss = {{ label-smoothing = 0.1 }}
dropout = {dropout}

[training.update.optimizer]
method = {{ adam = {{ beta1 = 0.9, beta2 = {beta2}, epsilon = 1e-9 }} }}
schedule = {{ rate = 1e-3, warmup = {warmup}, decay = {{ inverse-square-root = {{ from = {warmup} }} }} }}
clip-norm = 1.0

[validation]
every = {updates}
beam-size = 1
"""


def architecture(network):
    """The architecture of our recipe, made smaller."""
    recipe = (ROOT / "recipes" / RECIPES[network]).read_text()
    text = recipe[recipe.index("[model.architecture") : recipe.index("[training]")]
    for old, new in SMALLER[network].items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def run(command, **kwargs):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def marian(a, network, seed, folder):
    warmup = a.updates // 5
    command = [
        a.pymarian, "train", *MARIAN[network].split(), "-m", folder / "model.npz", "-t", *a.text,
        "-v", a.vocabulary, a.vocabulary, "--label-smoothing", 0.1, "--learn-rate", 0.001, "--clip-norm", 1,
        "--lr-warmup", warmup, "--lr-decay-inv-sqrt", warmup, "--cost-type", "ce-mean-words",
        "--mini-batch", 10000, "--mini-batch-words", a.words, "--mini-batch-fit", "false", "--maxi-batch", 100,
        "--cpu-threads", a.threads, "--workspace", 512, "--sync-sgd", "--seed", seed, "--after-batches", a.updates,
        "--disp-freq", 1000,
    ]  # fmt: skip
    run(command)
    return ["-m", folder / "model.npz", "--vocab", a.vocabulary]


def metaphrase(a, network, seed, folder, precision):
    (folder / "dev.txt").write_text("a\n")
    recipe = RECIPE.format(
        **vars(a), folder=folder, seed=seed, precision=precision, warmup=a.updates // 5,
        architecture=architecture(network), beta2={"Transformer": 0.98, "cGRU": 0.999}[network],
        dropout={"Transformer": "{ layer = 0.1 }", "cGRU": "{ recurrent = 0.1, output = 0.0 }"}[network],
    )  # fmt: skip
    (folder / "recipe.toml").write_text(recipe)
    run([a.metaphrase, "train", "-c", folder / "recipe.toml", "-o", folder / "run", "--threads", a.threads, "--quiet"])
    return ["-m", folder / "run" / "models" / f"update-{a.updates}"]


def bleu(a, model, folder):
    translated = folder / "out"
    run([a.metaphrase, "translate", *model, "-b", 4, "-n", 1, "--threads", a.threads, "-i", a.test[0], "-o", translated])
    report = run([a.metaphrase, "evaluate", a.test[1], "-i", translated])
    return float(re.search(r" = ([\d.]+)", report)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = lambda p: Path(p).resolve()
    parser.add_argument("--metaphrase", type=path, required=True)
    parser.add_argument("--pymarian", type=Path, required=True)
    parser.add_argument("--text", type=path, nargs=2, required=True)
    parser.add_argument("--test", type=path, nargs=2, required=True)
    parser.add_argument("--vocabulary", type=path, required=True)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--words", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--networks", nargs="+", choices=list(MARIAN), default=list(MARIAN))
    parser.add_argument("--precisions", nargs="+", choices=["f32", "bf16"], default=["f32", "bf16"])
    a = parser.parse_args()
    print("| network | seed | program | BLEU |\n|---|---|---|---|", flush=True)
    for network in a.networks:
        for seed in a.seeds:
            programs = {f"metaphrase {p}": lambda f, p=p: metaphrase(a, network, seed, f, p) for p in a.precisions}
            programs["pymarian f32"] = lambda f: marian(a, network, seed, f)
            for program, train in programs.items():
                with tempfile.TemporaryDirectory() as folder:
                    folder = Path(folder)
                    print(f"| {network} | {seed} | {program} | {bleu(a, train(folder), folder):.1f} |", flush=True)


if __name__ == "__main__":
    main()
