"""Metaphrase beside pymarian and CTranslate2: the same model, sentences and beam, one thread, f32, in one run.

    compare.py MODEL_DIR TEXT [--beam 4] [--runs 5] [--single] [--only marian,...] [--ctranslate2 CONVERTED_DIR]
               [--json docs/results/speed.json --name "model, text"]

Engines take turns (A B C A B C ...), so that a machine that slows down slows all of them. Of each run it takes processor
time (user + system) and peak memory of the whole process, model loading and segmentation included; the same for an empty input
is subtracted from the time. Prints minimum, median and maximum, and the median of the ratios to Metaphrase, as JSON.

--single: one sentence at a time. Otherwise each engine's own batching with its usual settings.
--json: puts the figures into this file, in place of older ones of the same name; `cargo run -p experiments -- tables`
writes the tables of the documentation from it. CTranslate2 runs with each instruction set that --isa names (on AMD's
processors it does not choose AVX-512 itself).
Needs, in the Python that runs it: pymarian, ctranslate2, sentencepiece.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def engines(args):
    model, vocab = args.model / "model.npz", args.model / "vocab.spm"
    binary = args.binary or ROOT / "target/release/metaphrase"
    ours = [str(binary), "translate", "-m", str(args.model), "--beam-size", str(args.beam), "--normalize", "1", "--threads", "1", "--quiet"]
    if args.single:
        ours += ["--batch-tokens", "1"]
    marian = [os.path.join(os.path.dirname(sys.executable), "pymarian"), "decode", "-m", str(model), "-v", str(vocab), str(vocab)]
    marian += ["--beam-size", str(args.beam), "--normalize", "1", "--cpu-threads", "1", "--quiet"]
    marian += ["--mini-batch", "1"] if args.single else "--mini-batch 64 --mini-batch-words 1024 --maxi-batch 1000 --maxi-batch-sort src -w 2500".split()
    result = {"metaphrase": ours, "marian": marian}
    if args.ctranslate2:
        batch = "0" if args.single else "1024"
        command = [sys.executable, str(HERE / "translate_ctranslate2.py"), str(args.ctranslate2), str(vocab), str(args.beam), batch]
        for isa in args.isa.split(","):
            result[f"ctranslate2 {isa}"] = ["env", f"CT2_FORCE_CPU_ISA={isa}", *command]
    only = args.only.split(",") if args.only else [name.split()[0] for name in result]
    return {name: command for name, command in result.items() if name == "metaphrase" or name.split()[0] in only}


def run(command, text):
    """Processor seconds and peak memory in MB of one run."""
    with open(text, "rb") as source, open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdin=source, stdout=nowhere, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--ctranslate2", type=pathlib.Path)
    parser.add_argument("--isa", default="AVX2,AVX512")
    parser.add_argument("--binary", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--name", default="")
    args = parser.parse_args()
    sentences = sum(1 for _ in open(args.text, "rb"))
    seconds, memory, idle = {}, {}, {}
    commands = engines(args)
    for name, command in commands.items():
        idle[name] = statistics.median(run(command, os.devnull)[0] for _ in range(3))
    for _ in range(args.runs):
        for name, command in commands.items():
            time, peak = run(command, args.text)
            seconds.setdefault(name, []).append(time - idle[name])
            memory.setdefault(name, []).append(peak)
    measured = {"name": args.name or f"{args.model.name}, {args.text.name}", "single": args.single, "beam": args.beam}
    measured |= {"sentences": sentences, "runs": args.runs, "engines": {}}
    for name in commands:
        ratio = statistics.median(theirs / ours for theirs, ours in zip(seconds[name], seconds["metaphrase"]))
        times = sorted(seconds[name])
        measured["engines"][name] = {
            "seconds": [round(t, 3) for t in (times[0], statistics.median(times), times[-1])],
            "times_metaphrase": round(ratio, 3),
            "peak_mb": round(statistics.median(memory[name])),
            "start_seconds": round(idle[name], 3),
        }
    print(json.dumps(measured, indent=1))
    if args.json:
        record(args.json, measured)


def record(path, measured):
    """Puts the figures in place of older ones of the same name and batching."""
    key = lambda m: (m["name"], m["single"])
    all = json.loads(path.read_text()) if path.exists() else []
    places = [i for i, m in enumerate(all) if key(m) == key(measured)]
    if places:
        all[places[0]] = measured
    else:
        all.append(measured)
    path.write_text(json.dumps(all, indent=1) + "\n")


main()
