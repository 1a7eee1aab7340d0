#!/usr/bin/env python3
"""Speed, memory and quality in every precision: CPU seconds, peak memory, BLEU and changed lines, beside f32.

usage: cargo build --release && benches/precision.py [-m MODEL ...] [--text SOURCE REFERENCE ...] [--rounds 5] [--json FILE]

Each model translates each text on one thread, in batches and one line at a time (--batch-tokens 1, the first lines), in all precisions,
and in int8 also from a directory that `convert --precision int8` wrote. The settings take turns, and the least CPU time (user and system)
of the rounds counts; the time of an empty input is subtracted. BLEU comes from `metaphrase evaluate`. The report says whether the
BLEU of int8 is within 0.1 of the BLEU of f32 on every text. Only the standard library is needed.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "testdata" / "phrase"
PRECISIONS = ["f32", "bf16", "int16", "int8"]


def run(program: Path, args: list[str], text: bytes):
    """Output, CPU seconds and peak memory in MB."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output:
        source.write(text)
        source.seek(0)
        process = subprocess.Popen([program, *args], stdin=source, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, args))}: exit status {process.returncode}")
        output.seek(0)
        return output.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def bleu(program: Path, reference: Path, translation: bytes) -> float:
    with tempfile.NamedTemporaryFile() as file:
        content = (gzip.open if reference.suffix == ".gz" else open)(reference, "rb").read()
        lines = content.splitlines(keepends=True)[: len(translation.splitlines())]
        file.write(b"".join(lines))
        file.flush()
        command = [program, "evaluate", "--score-only", "--width", "2", file.name]
        return float(subprocess.run(command, input=translation, capture_output=True, check=True).stdout)


def measure(args, settings: dict[str, list[str]], source: bytes, reference: Path, batch: list[str]) -> dict:
    """For each setting the best of some rounds in turns."""
    common = ["translate", "--threads", "1", "-b", str(args.beam), "--normalize", "1", "-q", *batch]
    rows: dict[str, dict] = {}
    for _ in range(args.rounds):
        for name, options in settings.items():
            output, seconds, megabytes = run(args.program, [*common, *options], source)
            _, start, _ = run(args.program, [*common, *options], b"")
            row = rows.setdefault(name, {"cpu_seconds": 1e9, "start_seconds": 1e9, "peak_mb": 0.0, "output": output})
            row["cpu_seconds"] = min(row["cpu_seconds"], seconds)
            row["start_seconds"] = min(row["start_seconds"], start)
            row["peak_mb"] = max(row["peak_mb"], megabytes)
    exact = rows["f32"]["output"].splitlines()
    words = len(source.split())
    for row in rows.values():
        output = row.pop("output")
        row["bleu"] = round(bleu(args.program, reference, output), 2)
        row["changed_lines"] = sum(a != b for a, b in zip(exact, output.splitlines(), strict=True))
        row["words_per_cpu_second"] = round(words / max(row["cpu_seconds"] - row["start_seconds"], 1e-3))
        for key in ("cpu_seconds", "start_seconds", "peak_mb"):
            row[key] = round(row[key], 3 if "seconds" in key else 1)
    return {"lines": len(exact), "words": words, "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("-m", "--model", action="append", help="a path, or the name of a bundled model [default: en-de]")
    parser.add_argument("--text", type=Path, nargs=2, action="append", metavar="FILE", help="source and reference")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--single", type=int, default=300, help="lines that are translated one at a time; 0: none")
    parser.add_argument("--precisions", nargs="+", default=PRECISIONS)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    texts = args.text or [[DATA / "train.en.gz", DATA / "train.de.gz"]]
    report = {"beam": args.beam, "rounds": args.rounds, "threads": 1, "models": {}}
    with tempfile.TemporaryDirectory() as folder:
        for number, model in enumerate(args.model or ["en-de"]):
            settings = {name: ["-m", model, "--precision", name] for name in args.precisions}
            if Path(model).exists() and "int8" in args.precisions:
                stored = Path(folder) / str(number)
                run(args.program, ["convert", "-m", model, "--to", str(stored), "--precision", "int8"], b"")
                settings["int8, stored"] = ["-m", str(stored), "--precision", "int8"]
            found = report["models"].setdefault(model, {})
            for source, reference in texts:
                content = (gzip.open if source.suffix == ".gz" else open)(source, "rb").read()
                first = b"".join(content.splitlines(keepends=True)[: args.single])
                of_text = found.setdefault(source.name, {})
                of_text["batched"] = measure(args, settings, content, reference, [])
                if first:
                    of_text["one line at a time"] = measure(args, settings, first, reference, ["--batch-tokens", "1"])
                for way, result in of_text.items():
                    for name, row in result["rows"].items():
                        print(f"{model}, {source.name}, {way}, {name}: {row}", flush=True)
    bleus = [
        (rows["f32"]["bleu"], rows["int8"]["bleu"])
        for of_model in report["models"].values()
        for of_text in of_model.values()
        for rows in [of_text["batched"]["rows"]]
        if "int8" in rows
    ]
    report["int8_within_0.1_bleu"] = all(int8 >= f32 - 0.1 for f32, int8 in bleus)
    print(f"int8 within 0.1 BLEU of f32: {report['int8_within_0.1_bleu']}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
