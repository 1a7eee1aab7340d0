#!/usr/bin/env python3
"""Attacks the program from outside for some minutes and counts the outcomes. Only the standard library is needed.

usage: cargo build --release && fuzz/campaign.py [--seconds 600] [--seed N] [--program FILE] [--json FILE] [--only NAME...] [--patience 20]

Three parts share the time:
  formats   every file and input format, mutated, with and without its checksums repaired
  options   every option of every command with extreme values
  faults    kill, a full disk, inputs that are truncated while they are in use

A run is `accepted` (status 0) or `refused` (status 1 or 2 and one error message); `slow` if it takes longer than `--patience` seconds. All
else is a failure: a signal, a panic, a message that is missing, lost lines, a changed file with a checksum that is accepted, an
output that is neither whole nor absent. Failures are kept in fuzz/artifacts/campaign/ with their command; the exit status is then 1.
"""

import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from attacks import faults, formats, options, others, published  # noqa: E402

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
MEMORY = 4 << 20  # KiB of address space


class Outcome:
    """What became of a run of the program."""

    def __init__(self, code, stdout: bytes, stderr: bytes):
        self.code, self.stdout, self.stderr = code, stdout, stderr.decode(errors="replace")

    def kind(self) -> str:
        errors = [line for line in self.stderr.splitlines() if line.startswith("metaphrase: error: ")]
        if self.code is None:
            return "slow"
        if "panicked" in self.stderr:
            return "a panic"
        if self.code == 0:
            return "accepted" if not errors else "an error with status 0"
        if self.code in (1, 2):
            # One message, or one for each fault of a recipe.
            faults = len(set(errors)) == len(errors) and all("recipe" in error for error in errors)
            told = len(errors) == 1 or (errors and faults)
            return "refused" if told else f"status {self.code} with {len(errors)} error messages"
        return f"status {self.code}"


class Campaign:
    def __init__(self, program: Path, seed: int, work: Path, patience: float):
        self.program, self.work, self.patience = program, work, patience
        self.random = random.Random(seed)
        self.counts = collections.defaultdict(collections.Counter)
        self.failures, self.lock = [], threading.Lock()

    def start(self, args, cwd: Path, file_size=None) -> subprocess.Popen:
        """Starts the program in a folder, with bounded memory and, for a full disk, a bounded size of files in bytes."""
        limit = f"ulimit -v {MEMORY}; ulimit -c 0; "
        if file_size is not None:
            limit += f"trap '' XFSZ; ulimit -f {max(1, file_size // 512)}; "
        # A shell counts blocks of 512 bytes, as POSIX says; bash does so in its POSIX mode.
        command = ["bash", "--posix", "-c", limit + 'exec "$@"', "sh", str(self.program), *map(str, args)]
        pipe = subprocess.PIPE
        environment = {**os.environ, "NO_COLOR": "1"}
        return subprocess.Popen(command, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True)

    def finish(self, process: subprocess.Popen, text: bytes = b"") -> Outcome:
        try:
            stdout, stderr = process.communicate(text, timeout=self.patience)
            return Outcome(process.returncode, stdout, stderr)
        except subprocess.TimeoutExpired:
            # Its children too.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Outcome(None, b"", b"")

    def run(self, args, cwd: Path, text: bytes = b"", file_size=None) -> Outcome:
        return self.finish(self.start(args, cwd, file_size), text)

    def count(self, part: str, what: str, kind: str, args=(), cwd: Path = None, text: bytes = b"", stderr: str = "") -> None:
        """Counts an outcome; keeps the files of a failure, and of the slow."""
        fine = kind in ("accepted", "refused", "whole or absent")
        with self.lock:
            self.counts[f"{part}: {what}"][kind if fine or kind == "slow" else "failed"] += 1
            if fine:
                return
            number = len(self.failures)
            command = " ".join(map(str, args))
            self.failures.append({"what": f"{part}: {what}", "kind": kind, "command": command, "stderr": stderr[-600:]})
        if cwd is not None and number < 50:
            kept = FUZZ / "artifacts" / "campaign" / str(number)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(cwd, kept, ignore_dangling_symlinks=True)
            (kept / "command").write_text(f"{command}\n{kind}\n{stderr}")
            (kept / "stdin").write_bytes(text)

    def attack(self, part: str, attacks, seconds: float, jobs: int) -> None:
        """Takes attacks at random until the time is up. An attack is (name, function of this, its random source and a folder)."""
        end = time.monotonic() + seconds

        def worker(seed: int) -> None:
            source = random.Random(seed)
            while time.monotonic() < end:
                name, attack = source.choice(attacks)
                folder = Path(tempfile.mkdtemp(dir=self.work))
                try:
                    attack(self, source, folder)
                except Exception as error:  # A fault of the campaign itself is to be seen, not to end it.
                    self.count(part, name, f"the campaign failed: {error!r}")
                shutil.rmtree(folder, ignore_errors=True)

        threads = [threading.Thread(target=worker, args=(self.random.getrandbits(64),)) for _ in range(jobs)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    parser.add_argument("--patience", type=float, default=20, help="seconds of a run (20); more on a machine with other jobs")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="the formats with these names alone, such as nllb or ct2")
    args = parser.parse_args()
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as work:
        campaign = Campaign(args.program.resolve(), args.seed, Path(work), args.patience)
        seeds = Path(tempfile.mkdtemp(dir=work))
        formats.prepare(campaign, ROOT / "testdata", ROOT / "models", seeds)
        others.prepare(campaign, seeds)
        published.prepare(campaign, ROOT / "testdata", seeds)
        begun = time.monotonic()
        files = [*formats.attacks(campaign, seeds), *others.attacks(campaign, seeds), *published.attacks(campaign, seeds)]
        if args.only:
            chosen = [attack for attack in files if attack[0] in args.only]
            campaign.attack("formats", chosen, args.seconds, args.jobs)
        else:
            campaign.attack("formats", files, args.seconds * 0.6, args.jobs)
            for module in [options, faults]:
                campaign.attack(module.__name__.split(".")[-1], module.attacks(campaign, seeds), args.seconds * 0.2, args.jobs)
        seconds = time.monotonic() - begun
    version = subprocess.run([args.program, "--version"], capture_output=True, text=True).stdout.strip()
    kinds = ["accepted", "refused", "whole or absent", "slow", "failed"]
    total = sum(campaign.counts.values(), collections.Counter())
    print(f"| attack | runs | {' | '.join(kinds)} |\n|---|{'---|' * (len(kinds) + 1)}")
    for what, counts in [*sorted(campaign.counts.items()), ("all", total)]:
        print(f"| {what} | {sum(counts.values())} | {' | '.join(str(counts[kind]) for kind in kinds)} |")
    for failure in campaign.failures:
        print(f"\n{failure['what']}: {failure['kind']}\n  metaphrase {failure['command']}\n  {failure['stderr'].strip()}")
    if args.json:
        report = {"program": version, "seconds": round(seconds), "seed": args.seed, "jobs": args.jobs,
                  "counts": {what: dict(counts) for what, counts in sorted(campaign.counts.items())}, "all": dict(total),
                  "failures": campaign.failures}
        args.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
