"""Every option of every command, with extreme values."""

import re

from attacks.formats import LINES, copied

VALUES = ["0", "1", "-1", "2", "255", "65536", "2147483648", "4294967296", "9223372036854775807", "18446744073709551615",
          "18446744073709551616", "1e38", "-1e38", "1e-46", "0.5", "nan", "inf", "-inf", "", " ", "x", "-", "/", "/dev/null", "/dev/full",
          "/nonexistent/file", "npz", "a\nb", "\u0130\u0301", "9" * 400, "1:2", "0-0", "true", "beam", "json", "nucleus:2", "topk:0"]

SEEDS = ["npz", "own", "phrase", "small.arpa", "small.bin", "recipe", "lex.s2t", "list", "posteriors", "openfst", "store"]

COMMANDS = {
    ("translate",): ["-m", "npz"],
    ("score",): ["-m", "npz", "text", "text"],
    ("evaluate",): ["text", "-i", "text"],
    ("convert",): ["-m", "npz", "--to", "converted"],
    ("inspect",): ["npz"],
    ("average",): ["-m", "own", "-m", "own", "--to", "mean"],
    ("tokenize",): ["-l", "en"],
    ("detokenize",): ["-l", "en"],
    ("align",): ["text", "text"],
    ("extract",): ["text", "text", "links", "-o", "tables"],
    ("lm", "estimate"): ["--order", "2", "--discount-fallback"],
    ("lm", "compile"): ["-m", "small.arpa", "-o", "new.bin"],
    ("lm", "query"): ["-m", "small.bin"],
    ("phrase", "translate"): ["-m", "phrase"],
    ("phrase", "lattice"): ["-m", "phrase"],
    ("phrase", "compile"): ["-m", "phrase", "-o", "new.bin"],
    ("phrase", "tune"): ["-m", "phrase", "text", "text", "--rounds", "1"],
    ("bench",): ["-m", "npz", "-i", "text", "--runs", "1", "--precisions", "f32"],
    ("corpus",): ["-c", "text", "-o", "new"],
    ("vocabulary", "train"): ["text", "-o", "new", "--size", "30"],
    ("shortlist", "learn"): ["-m", "npz", "-i", "text", "-o", "new"],
    ("shortlist", "convert"): ["-m", "npz", "lex.s2t", "-o", "new"],
    ("posteriors",): ["-m", "npz", "--format", "n-best", "-i", "list"],
    ("tune-evidence",): ["-m", "npz", "-b", "2", "--lmbr", "posteriors", "--rounds", "1", "text", "text"],
    ("mbr",): ["-i", "list"],
    ("draw",): ["--format", "openfst", "-i", "openfst", "-o", "new.svg"],
    ("curves",): ["recipe/run"],
    ("serve",): ["--list-keys", "--data", "store"],
    ("phrase", "train"): ["text", "text", "--dev", "text", "text", "-o", "new", "--rounds", "1"],
    ("train",): ["-c", "recipe/recipe.toml", "-o", "new"],
}


def attacks(campaign, seeds):
    found = []
    for command, args in COMMANDS.items():
        text = campaign.run([*command, "--help"], seeds).stdout.decode()
        options = sorted(set(re.findall(r"^\s+(?:-\w, )?(--[a-z][a-z0-9-]*)", text, re.MULTILINE)))
        found += [(" ".join(command), attack(seeds, command, args, option)) for option in options]
    return found


def attack(seeds, command, args, option):
    def run(campaign, source, folder):
        for name in SEEDS:
            if any(str(arg).split("/")[0] == name for arg in args):
                copied(seeds, folder, name)
        (folder / "text").write_bytes(LINES)
        (folder / "links").write_bytes(b"0-0 1-1\n0-0\n\n0-0\n")
        extra = [option] if source.random() < 0.2 else [option, source.choice(VALUES)]
        if source.random() < 0.1:
            extra += [source.choice(VALUES)]
        full = [*command, *args, *extra]
        outcome = campaign.run(full, folder, LINES)
        campaign.count("options", " ".join(command), outcome.kind(), full, folder, LINES, outcome.stderr)
    return run
