"""Faults while the program works: it is killed, the disk is full, its files are truncated."""

import os
import shutil
import signal
import time

from attacks.formats import LINES, copied

TEXT = b"the house is old and the book is new\nhe took a cab home today\n" * 400


def job_convert(folder):
    return ["convert", "-m", "npz", "--to", "out"], b"", ["inspect", "--check", "out"]


def job_estimate(folder):
    return ["lm", "estimate", "--order", "3", "--discount-fallback", "-o", "out"], TEXT, ["lm", "query", "-m", "out"]


def job_compile(folder):
    return ["lm", "compile", "-m", "small.arpa", "-o", "out"], b"", ["lm", "query", "-m", "out"]


def job_tables(folder):
    return ["phrase", "compile", "-m", "phrase", "-o", "out"], b"", None


def job_translate(folder):
    return ["translate", "-m", "npz", "-b", "2", "-o", "out.gz"], LINES * 300, ["tokenize", "-l", "en", "-i", "out.gz"]


def job_extract(folder):
    (folder / "de").write_bytes(TEXT)
    (folder / "en").write_bytes(TEXT)
    (folder / "links").write_bytes(b"0-0 1-1 2-2\n" * TEXT.count(b"\n"))
    return ["extract", "de", "en", "links", "-o", "out"], b"", None


def job_train(folder):
    return ["train", "-c", "recipe/recipe.toml", "-o", "out", "--threads", "1", "--set", "training.updates=30"], b"", None


JOBS = [job_convert, job_estimate, job_compile, job_tables, job_translate, job_extract, job_train]
SEEDS = ["npz", "phrase", "small.arpa", "recipe"]


def sound(campaign, folder, check):
    """Whether the output is whole, or absent."""
    out = next((path for path in [folder / "out", folder / "out.gz"] if path.exists()), None)
    if out is None or check is None:
        return True
    return campaign.run(check, folder, LINES).kind() == "accepted"


def again(campaign, folder, args, text, check):
    """Runs the command anew, as a user would: it works, or it resumes."""
    if args[0] == "train" and (folder / "out").exists():
        args = [*args, "--resume"]
    outcome = campaign.run(args, folder, text)
    # A directory that is whole is not written twice.
    fine = outcome.kind() == "accepted" or (outcome.kind() == "refused" and (folder / "out").is_dir() and args[0] != "train")
    return fine and sound(campaign, folder, check), outcome


def killed(job):
    def attack(campaign, source, folder):
        for name in SEEDS:
            copied(campaign.seeds, folder, name)
        args, text, check = job(folder)
        process = campaign.start(args, folder)
        by = source.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        delay = source.random() ** 2 * 0.3
        # The text goes into the pipe as far as it fits; the kill comes while the program reads or works.
        os.set_blocking(process.stdin.fileno(), False)
        try:
            process.stdin.write(text)
            process.stdin.close()
        except (BlockingIOError, BrokenPipeError):
            pass
        process.stdin = None
        time.sleep(delay)
        os.killpg(process.pid, by)
        process.communicate(timeout=30)
        kind = "whole or absent"
        if not sound(campaign, folder, check):
            kind = f"a broken output after {by.name}"
        else:
            fine, outcome = again(campaign, folder, args, text, check)
            if not fine:
                kind = f"no second run after {by.name}: {outcome.kind()} {outcome.stderr.strip()[-300:]}"
            elif left := [path.name for path in folder.iterdir() if path.name.endswith((".part", ".tmp"))]:
                kind = f"left behind after {by.name}: {' '.join(left)}"
        campaign.count("faults", f"kill: {args[0]} {args[1] if args[0] in ('lm', 'phrase') else ''}".strip(), kind, args, folder, text)
    return attack


def full_disk(job):
    def attack(campaign, source, folder):
        for name in SEEDS:
            copied(campaign.seeds, folder, name)
        args, text, check = job(folder)
        size = source.choice([512, 1024, 4096, 16384, 65536])
        outcome = campaign.run(args, folder, text, file_size=size)
        kind = outcome.kind()
        if kind in ("accepted", "refused"):
            whole = sound(campaign, folder, check)
            kind = "whole or absent" if whole else f"a broken output of a run that was {kind}"
        campaign.count("faults", f"full disk: {args[0]} {args[1] if args[0] in ('lm', 'phrase') else ''}".strip(), kind, args, folder, text,
                       outcome.stderr)
    return attack


def truncated(name, victim, args):
    """The file is truncated while lines are translated: an error, or an end that is as it should be."""
    def attack(campaign, source, folder):
        copy = copied(campaign.seeds, folder, name)
        path = copy / victim if victim else copy
        process = campaign.start(args, folder)
        os.set_blocking(process.stdin.fileno(), True)
        try:
            process.stdin.write(LINES)
            process.stdin.flush()
            time.sleep(source.random() * 0.05)
            os.truncate(path, source.choice([0, path.stat().st_size // 2]))
        except BrokenPipeError:
            pass
        outcome = campaign.finish(process, LINES * 50)
        campaign.count("faults", f"truncation: {victim or name}", outcome.kind(), args, folder, LINES, outcome.stderr)
    return attack


def attacks(campaign, seeds):
    campaign.seeds = seeds
    found = [("kill", killed(job)) for job in JOBS] + [("full disk", full_disk(job)) for job in JOBS]
    one = ["--threads", "1"]
    for name, victim, args in [
        ("small.bin", "", ["lm", "query", "-m", "small.bin"]),
        ("compiled", "tables.bin", ["phrase", "translate", "-m", "compiled", *one]),
        ("own", "model.safetensors", ["translate", "-m", "own", "-b", "2", *one]),
        ("npz", "model.npz", ["translate", "-m", "npz", "-b", "2", *one]),
    ]:
        found.append(("truncation", truncated(name, victim, args)))
    return found
