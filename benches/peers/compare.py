"""Metaphrase beside pymarian, CTranslate2 and fxtranslate: the same model, sentences and beam, in one run.

    compare.py MODEL_DIR TEXT [--reference FILE] [--beam 4] [--runs 5] [--single] [--threads 1] [--precision f32,int8]
               [--only marian,...] [--ctranslate2 CONVERTED_DIR] [--fxtranslate MODEL.bin] [--shortlist LEX] [--json FILE --name "model, text"]

Each engine has variants: instruction sets (on AMD's processors CTranslate2 does not choose AVX-512 itself), sizes of batches,
Marian's kinds of products. Each variant runs once, and the fastest of each engine and precision takes part in the comparison
(`tried` in the JSON has the others). Then engines take turns (A B C A B C ...), so that a machine that slows down slows
all of them. Of each run it takes processor time (user + system), wall time and peak memory of the whole process; the
times that an empty input takes, model loading included, are subtracted. Prints JSON: minimum, median and maximum, and the
median of the ratios of processor times to those of Metaphrase in the same precision (else in its first) in the same turn. BLEU with --reference.

--single: one sentence at a time: the next one is written when the answer to the last one was read; p50, p95 and p99 of the
milliseconds between, of the fastest run of each sentence. --threads: words per second of wall time count; with --single all threads work on
the one sentence (Metaphrase's --latency; CTranslate2's intra_threads, or one thread if that is faster; Marian has no such option).
--shortlist: Marian's text format, for Metaphrase and Marian; for CTranslate2 convert the model with it.
--json: puts the figures into this file, in place of older ones of the same name and setting; `cargo run -p experiments --
tables` writes the tables of the documentation from it.
Needs, in the Python that runs it: pymarian, ctranslate2, sentencepiece, fxtranslate, where they take part.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import measured  # noqa: E402

# Marian's kinds of integer products that begin with "packed" leave an .npz model in f32: they took the time of float32.
GEMM = {"f32": ["float32"], "int8": ["intgemm8"], "int16": ["intgemm16"]}
COMPUTE = {"f32": "float32", "int8": "int8", "int16": "int16", "bf16": "bfloat16"}


def metaphrase(args, precision):
    """Commands of variants by name."""
    binary = args.binary or ROOT / "target/release/metaphrase"
    command = [binary, "translate", "-m", args.model, "--beam-size", args.beam, "--normalize", "1", "--threads", args.threads, "--quiet"]
    command += ["--max-length-factor", args.max_length_factor, "--precision", precision, *(["--shortlist", args.shortlist] if args.shortlist else [])]
    if args.single:
        return {"": [*command, *(["--latency"] if args.threads > 1 else ["--batch-tokens", "1"])]}
    return {f"batch {n}": [*command, "--batch-tokens", n] for n in args.batches} if args.batches else {"": command}


def marian(args, precision):
    model, vocab = args.model / "model.npz", args.model / "vocab.spm"
    command = [pathlib.Path(sys.executable).parent / "pymarian", "decode", "-m", model, "-v", vocab, vocab]
    command += ["--beam-size", args.beam, "--normalize", "1", "--cpu-threads", args.threads, "--quiet"]
    command += ["--max-length-factor", args.max_length_factor]
    command += ["--shortlist", args.shortlist, 100, 100, 0] if args.shortlist else []
    command += "--mini-batch 1 --maxi-batch 1".split() if args.single else "--mini-batch 64 --mini-batch-words 1024 --maxi-batch 1000 --maxi-batch-sort src -w 2500".split()
    return {kind: [*command, "--gemm-type", kind] for kind in GEMM.get(precision, [])}


def ctranslate2(args, precision):
    if not args.ctranslate2 or precision not in COMPUTE:
        return {}
    # By the name of the variant: the batch and the threads. One sentence on several threads can take longer than on one.
    if not args.single:
        kinds = {f" batch {batch}": (batch, args.threads) for batch in args.ctranslate2_batches.split(",")}
    elif args.threads > 1:
        kinds = {f" threads {threads}": ("0", threads) for threads in (1, args.threads)}
    else:
        kinds = {"": ("0", 1)}
    variants = {}
    for isa in args.isa.split(","):
        for kind, (batch, threads) in kinds.items():
            command = [sys.executable, HERE / "translate_ctranslate2.py", args.ctranslate2, args.model / "vocab.spm", args.beam, batch]
            command += [COMPUTE[precision], threads, args.max_length_factor, *(["vmap"] if args.shortlist else [])]
            force = [] if isa == "default" else [f"CT2_FORCE_CPU_ISA={isa}"]
            variants[isa + kind] = ["env", *force, *command]
    return variants


def fxtranslate(args, precision):
    """Firefox's engine has integers of 8 bits and beam 1."""
    if not args.fxtranslate or precision != "int8" or args.beam != 1 or args.threads != 1:
        return {}
    return {"": [sys.executable, HERE / "translate_fxtranslate.py", args.fxtranslate, args.model / "vocab.spm"]}


ENGINES = {"metaphrase": metaphrase, "marian": marian, "ctranslate2": ctranslate2, "fxtranslate": fxtranslate}


class Engine:
    """An engine with a precision: its command, and what its runs took."""

    def __init__(self, args, command, target):
        self.args, self.command, self.target = args, command, target
        self.lines = args.text.read_text(encoding="utf-8").splitlines()
        idle = [measured.run(command) for _ in range(3)]
        self.idle_cpu, self.idle_wall = (statistics.median(getattr(run, what) for run in idle) for what in ("cpu", "wall"))
        self.cpu, self.wall, self.peaks = [], [], []
        self.latencies = None

    def run(self):
        if self.args.single:
            taken, seconds, answers = measured.converse(self.command, self.lines)
            # The first line waits for the model.
            best = self.latencies or seconds[1:]
            self.latencies = [min(pair) for pair in zip(best, seconds[1:], strict=True)]
            self.target.write_text("".join(f"{answer}\n" for answer in answers), encoding="utf-8")
        else:
            taken = measured.run(self.command, self.args.text, self.target)
        self.cpu.append(taken.cpu - self.idle_cpu)
        self.wall.append(taken.wall - self.idle_wall)
        self.peaks.append(taken.peak_mb)

    def seconds(self):
        return min(self.wall if self.args.threads > 1 else self.cpu)


def choose(args, name, precision, folder):
    """The fastest variant of an engine, and the seconds of all."""
    tried = {}
    for number, (variant, command) in enumerate(ENGINES[name](args, precision).items()):
        try:
            engine = Engine(args, command, folder / f"{name}-{precision}-{number}")
            engine.run()
        except SystemExit as failed:
            print(f"{name} {precision} {variant}: {str(failed)[-300:]}", file=sys.stderr)
            continue
        tried[variant] = engine
        print(f"{name} {precision} {variant}: {engine.seconds():.3f} s", file=sys.stderr)
    best = min(tried, key=lambda variant: tried[variant].seconds(), default=None)
    return best, tried


def bleu(args, target):
    command = [args.binary or ROOT / "target/release/metaphrase", "evaluate", "--metric", "bleu", "--json", args.reference, "-i", target]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["score"]


def figures(args, engine, first, words):
    """What is written of an engine."""
    three = lambda values: [round(v, 3) for v in (min(values), statistics.median(values), max(values))]
    row = {
        "seconds": three(engine.cpu),
        "wall_seconds": three(engine.wall),
        "words_per_cpu_second": round(words / min(engine.cpu)),
        "words_per_second": round(words / min(engine.wall)),
        "times_metaphrase": round(statistics.median(a / b for a, b in zip(engine.cpu, first.cpu)), 3),
        "wall_times_metaphrase": round(statistics.median(a / b for a, b in zip(engine.wall, first.wall)), 3),
        "peak_mb": round(statistics.median(engine.peaks)),
        "start_seconds": round(engine.idle_cpu, 3),
    }
    if engine.latencies:
        row |= {f"p{p}_ms": round(measured.percentile(engine.latencies, p) * 1e3, 2) for p in (50, 95, 99)}
    if args.reference:
        row["bleu"] = bleu(args, engine.target)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--only", default="marian,ctranslate2,fxtranslate")
    parser.add_argument("--shortlist", type=pathlib.Path)
    parser.add_argument("--max-length-factor", type=int, default=3)
    parser.add_argument("--batches", type=lambda text: text.split(","), default=[], help="of Metaphrase, in pieces [default: its own]")
    parser.add_argument("--ctranslate2", type=pathlib.Path)
    parser.add_argument("--fxtranslate", type=pathlib.Path, help="the model as Marian's .bin")
    parser.add_argument("--ctranslate2-batches", default="512,1024,2048,4096")
    parser.add_argument("--isa", default="default,AVX2,AVX512")
    parser.add_argument("--binary", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--name", default="")
    args = parser.parse_args()
    names = ["metaphrase", *(name for name in args.only.split(",") if name)]
    with tempfile.TemporaryDirectory() as folder:
        engines, tried = {}, {}
        for precision in args.precision.split(","):
            for name in names:
                best, all = choose(args, name, precision, pathlib.Path(folder))
                if best is not None:
                    full = " ".join(part for part in (name, precision, best) if part)
                    engines[full] = all[best]
                    tried[f"{name} {precision}"] = {variant: round(engine.seconds(), 3) for variant, engine in all.items()}
        for engine in engines.values():
            engine.cpu, engine.wall, engine.peaks, engine.latencies = [], [], [], None
        for _ in range(args.runs):
            for engine in engines.values():
                engine.run()
        words = len(args.text.read_text(encoding="utf-8").split())
        found = {"name": args.name or f"{args.model.name}, {args.text.name}", "single": args.single, "beam": args.beam}
        found |= {"threads": args.threads, "shortlist": bool(args.shortlist), "precision": args.precision}
        found |= {"sentences": sum(1 for _ in open(args.text, "rb")), "words": words, "runs": args.runs, "tried": tried}
        ours = {name.split(" ")[1]: engine for name, engine in engines.items() if name.startswith("metaphrase ")}
        first = next(iter(engines.values()))
        of_same = lambda name: ours.get(name.split(" ")[1], first)
        found["engines"] = {name: figures(args, engine, of_same(name), words) for name, engine in engines.items()}
    print(json.dumps(found, indent=1))
    if args.json:
        record(args.json, found)


def record(path, found):
    """Puts the figures in place of older ones of the same name and setting."""
    setting = {"name": "", "single": False, "beam": 4, "threads": 1, "shortlist": False, "precision": "f32"}
    key = lambda m: [m.get(field, default) for field, default in setting.items()]
    all = json.loads(path.read_text()) if path.exists() else []
    places = [i for i, m in enumerate(all) if key(m) == key(found)]
    if places:
        all[places[0]] = found
    else:
        all.append(found)
    path.write_text(json.dumps(all, indent=1) + "\n")


if __name__ == "__main__":
    main()
