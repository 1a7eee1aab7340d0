#!/usr/bin/env python3
"""Compares Metaphrase's Moses tools with sacremoses on every line of some files.

    cargo build --release -p metaphrase-text --example moses
    python3 testdata/text/check_moses.py target/release/examples/moses TOOL[,TOOL] FILE.LANG.gz …

The language is the suffix of the file's name; `detokenize` works on the file as `tokenize` splits it.
Prints, per tool and language, lines (equal ones once), differing lines and lines per second of CPU time of
both, and shows the first differences. Exit status 1 if there are any.
"""
import collections
import gzip
import pathlib
import resource
import subprocess
import sys
import time

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

SHOWN = 5


def reference(tool, lang):
    """sacremoses' function from line to line."""
    if tool == "detokenize":
        moses = MosesDetokenizer(lang)
        return lambda line: moses.detokenize(line.split())
    if tool == "normalize":
        return MosesPunctNormalizer(lang).normalize
    options = {
        "tokenize": {},
        "tokenize-raw": {"escape": False},
        "tokenize-dashes": {"aggressive_dash_splits": True},
        "tokenize-basic": {"protected_patterns": MosesTokenizer.BASIC_PROTECTED_PATTERNS},
        "tokenize-web": {"protected_patterns": MosesTokenizer.WEB_PROTECTED_PATTERNS},
    }[tool]
    moses = MosesTokenizer(lang)
    return lambda line: " ".join(moses.tokenize(line, **options))


def children_time():
    """CPU time: other work on the machine does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ours(program, arguments, lines):
    text = "".join(line + "\n" for line in lines)
    start = children_time()
    run = subprocess.run([program, *arguments], input=text.encode(), stdout=subprocess.PIPE, check=True)
    seconds = children_time() - start
    return run.stdout.decode().split("\n")[:-1], seconds


def by_language(files):
    """The lines of each file, by the language that its name ends with."""
    contents = collections.defaultdict(list)
    for file in files:
        lang = pathlib.Path(file).name.removesuffix(".gz").rsplit(".", 1)[1]
        opened = gzip.open if file.endswith(".gz") else open
        with opened(file, "rb") as lines:
            contents[lang].append(lines.read().decode().split("\n")[:-1])
    return dict(sorted(contents.items()))


def main(program, tools, files):
    differing = 0
    for lang, contents in by_language(files).items():
        raw = list(dict.fromkeys(line for lines in contents for line in lines))
        for tool in tools:
            lines = raw
            if tool == "detokenize":
                lines, _ = ours(program, ["tokenize", lang], raw)
            convert = reference(tool, lang)
            start = time.process_time()
            expected = [convert(line) for line in lines]
            seconds = time.process_time() - start
            found, our_seconds = ours(program, [tool, lang], lines)
            assert len(found) == len(lines), (len(found), len(lines))
            wrong = [i for i in range(len(lines)) if found[i] != expected[i]]
            differing += len(wrong)
            print(f"{tool} {lang}: {len(lines)} lines, {len(wrong)} differ; lines per CPU second: "
                  f"{len(lines) / seconds:.0f} sacremoses, {len(lines) / our_seconds:.0f} ours", flush=True)
            for i in wrong[:SHOWN]:
                print(f"  line     {lines[i][:200]!r}\n  expected {expected[i][:200]!r}\n  found    {found[i][:200]!r}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2].split(","), sys.argv[3:]))
