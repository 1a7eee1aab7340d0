#!/usr/bin/env python3
"""Processor seconds and peak memory of reading an ARPA file, beside KenLM's: a query of an empty text, the programs in turns.

usage: cargo build --release && benches/peers/arpa_reading.py MODEL.arpa KENLM_BIN [--rounds 3] [--program FILE] [--json docs/results/ngram.json]

`--json` sets the key `reading` of the file. Only the standard library is needed.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run(command) -> tuple[float, float]:
    """Processor seconds (user and system) and peak memory in MB."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("kenlm", type=Path, help="the folder of KenLM's programs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    trie = Path(tempfile.mkdtemp()) / "trie"
    commands = {
        "metaphrase lm query": [args.program, "lm", "query", "-m", args.model],
        "KenLM's query (probing)": [args.kenlm / "query", args.model],
        "KenLM's build_binary trie": [args.kenlm / "build_binary", "trie", args.model, trie],
    }
    seen = {name: [] for name in commands}
    for _ in range(args.rounds):
        for name, command in commands.items():
            try:
                seen[name].append(run(command))
            except SystemExit as error:
                print(error)
    trie.unlink(missing_ok=True)
    rows = [
        {"program": name, "cpu_seconds": round(statistics.median(s for s, _ in runs), 2), "all": [round(s, 2) for s, _ in runs],
         "peak_mb": round(max(m for _, m in runs))}
        for name, runs in seen.items() if runs
    ]
    for row in rows:
        print(row)
    if args.json:
        report = json.loads(args.json.read_text()) if args.json.exists() else {}
        report["reading"] = rows
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
