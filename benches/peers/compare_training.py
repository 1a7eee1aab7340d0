#!/usr/bin/env python3
"""Speed and memory of training beside Marian's, in one run on one machine.

    compare_training.py --metaphrase target/release/metaphrase --pymarian venv/bin/pymarian \
        --text train.en train.de --vocabulary vocab.spm [--updates 30] [--words 2000 4000] [--threads 1 2]
        [--json docs/results/training-speed.json]

Trains the Transformer of recipes/en-de.toml and the conditional GRU of recipes/cgru.toml with both programs on the same
text with batches of the same number of target words, in turns, and prints a table: target words per second (end of
sentence counted, median of the reports but the first), CPU seconds per 1,000 of them, and peak memory. Marian runs
f32, Metaphrase f32 and bf16.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))
import measured  # noqa: E402

REPORTS = 3

TRANSFORMER = """--type transformer --dim-emb 256 --enc-depth 4 --dec-depth 2 --transformer-heads 8
--transformer-dim-ffn 1024 --transformer-ffn-activation relu --transformer-postprocess dan --tied-embeddings-all
--transformer-dropout 0.1 --label-smoothing 0.1 --optimizer-params 0.9 0.98 1e-09"""
CGRU = """--type s2s --enc-cell gru --dec-cell gru --dim-emb 256 --dim-rnn 512 --enc-depth 1 --dec-depth 1
--dec-cell-base-depth 2 --tied-embeddings --label-smoothing 0.1 --dropout-rnn 0.1"""
NETWORKS = {"Transformer 4+2 of 256": (TRANSFORMER, "en-de.toml"), "cGRU 256/512": (CGRU, "cgru.toml")}


def run(command):
    """Output, CPU seconds and peak memory in MB of a program."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        taken = measured.run(command, target=output.name)
        return output.read() + taken.said, taken.cpu, taken.peak_mb


def marian(arguments, network, words, threads, folder):
    every = max(1, arguments.updates // REPORTS)
    command = [
        arguments.pymarian, "train", *network.split(), "-m", folder / "model.npz", "-t", *arguments.text,
        "-v", arguments.vocabulary, arguments.vocabulary, "--learn-rate", 0.0003, "--clip-norm", 1,
        "--mini-batch", 10000, "--mini-batch-words", words, "--mini-batch-fit", "false", "--maxi-batch", 100,
        "--cpu-threads", threads, "--workspace", arguments.workspace, "--sync-sgd", "--seed", 1,
        "--disp-freq", every, "--after-batches", arguments.updates, "--cost-type", "ce-mean-words",
    ]  # fmt: skip
    text, seconds, memory = run(command)
    # Target words since the last report.
    speeds = [float(s.replace(",", "")) for s in re.findall(r"([\d.,]+) words/s", text)]
    return statistics.median(speeds[1:]), seconds, memory


def metaphrase(arguments, recipe, precision, words, threads, folder):
    every = max(1, arguments.updates // REPORTS)
    source, target = arguments.text
    (folder / "dev.txt").write_text("a\n")
    settings = {
        "data.train": f'[{{ source = "{source}", target = "{target}" }}]',
        "data.dev": f'{{ source = "{folder}/dev.txt", target = "{folder}/dev.txt" }}',
        "vocabulary": f'{{ files = {{ source = "{arguments.vocabulary}", target = "{arguments.vocabulary}" }} }}',
        "training.updates": arguments.updates,
        "training.batch.size.words": words,
        "training.update.precision": f'"{precision}"',
        "validation.every": 10**9,
    }
    command = [arguments.metaphrase, "train", "-c", ROOT / "recipes" / recipe, "-o", folder / "run"]
    command += ["--threads", threads, "--report-every", every]
    for key, value in settings.items():
        command += ["--set", f"{key} = {value}"]
    text, seconds, memory = run(command)
    speeds = [float(s) for s in re.findall(r"update [1-9]\d*/.* (\d+) words/s", text)]
    return statistics.median(speeds[2:]), seconds, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metaphrase", type=Path, required=True)
    parser.add_argument("--pymarian", type=Path, required=True)
    parser.add_argument("--text", type=lambda p: Path(p).resolve(), nargs=2, required=True)
    parser.add_argument("--vocabulary", type=lambda p: Path(p).resolve(), required=True)
    parser.add_argument("--updates", type=int, default=30)
    parser.add_argument("--words", type=int, nargs="+", default=[2000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--workspace", type=int, default=512, help="Marian's, in MB")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    measured = []
    print("| network | batch | threads | program | words/s | CPU s | peak MB |\n|---|---|---|---|---|---|---|", flush=True)
    for name, (options, recipe) in NETWORKS.items():
        for words in arguments.words:
            for threads in arguments.threads:
                programs = {"pymarian f32": lambda f: marian(arguments, options, words, threads, f)}
                for precision in ["f32", "bf16"]:
                    programs[f"metaphrase {precision}"] = lambda f, p=precision: metaphrase(
                        arguments, recipe, p, words, threads, f
                    )
                for program, train in programs.items():
                    with tempfile.TemporaryDirectory() as folder:
                        speed, seconds, memory = train(Path(folder))
                    print(f"| {name} | {words} | {threads} | {program} | {speed:.0f} | {seconds:.0f} | {memory:.0f} |", flush=True)
                    row = {"network": name, "program": program, "words_per_batch": words, "threads": threads}
                    row |= {"words_per_second": round(speed), "cpu_seconds": round(seconds), "peak_mb": round(memory)}
                    measured.append(row)
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
