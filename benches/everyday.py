#!/usr/bin/env python3
"""Share of right translations of everyday lines: times, dates, amounts, numbers, letters, signs.

usage: cargo build --release && benches/everyday.py -m en-de=models/en-de -m de-en=models/de-en [--json FILE] [--show]
       benches/everyday.py --check [--against DIR]

A line of a file of `testdata/everyday` is `direction<TAB>kind<TAB>source<TAB>must[<TAB>must-not]`: the translation is right if the regular
expression `must` is found in it and `must-not`, if there is one, is not. Several right forms are alternatives of `must`.

`--against` takes a folder with gzipped text for training (`*.en.gz`, `*.de.gz`; several times) and fails if a source line is in it.
Only the standard library is needed.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIRECTIONS = ("en-de", "de-en")


@dataclass
class Line:
    """A source line and what its translation must have and must not have."""

    place: str
    direction: str
    kind: str
    source: str
    must: re.Pattern
    must_not: re.Pattern | None

    def right(self, translation: str) -> bool:
        return bool(self.must.search(translation)) and not (self.must_not and self.must_not.search(translation))


def read_line(place: str, columns: list[str]) -> Line:
    """The line of these columns; raises `ValueError` with the reason if it is not one."""
    if len(columns) not in (4, 5) or not all(columns[:4]):
        raise ValueError(f"{place}: expected direction, kind, source, must and perhaps must-not with a tab between them, found {len(columns)} columns")
    direction, kind, source, must = columns[:4]
    if direction not in DIRECTIONS:
        raise ValueError(f"{place}: the direction {direction!r} is neither en-de nor de-en")
    try:
        return Line(place, direction, kind, source, re.compile(must), re.compile(columns[4]) if columns[4:] and columns[4] else None)
    except re.error as error:
        raise ValueError(f"{place}: the regular expression {error.pattern!r} does not compile: {error}") from error


def read(files: list[Path]) -> list[Line]:
    """All lines of the files; ends the program if a line is wrong or is there twice."""
    lines, faults, seen = [], [], set()
    for path in files:
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not text.strip() or text.startswith("#"):
                continue
            try:
                line = read_line(f"{path.name}:{number}", text.split("\t"))
            except ValueError as fault:
                faults.append(str(fault))
                continue
            if (line.direction, line.source) in seen:
                faults.append(f"{line.place}: this source line is there twice")
            seen.add((line.direction, line.source))
            lines.append(line)
    if faults:
        sys.exit("\n".join(faults))
    return lines


def normal(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def check_unseen(lines: list[Line], folders: list[Path]) -> None:
    """Ends the program if a source line is in the text of the folders; case and punctuation do not count."""
    places: dict[tuple[str, str], str] = {(line.direction[:2], normal(line.source)): line.place for line in lines}
    found = []
    for folder in folders:
        paths = sorted(folder.glob("*.en.gz")) + sorted(folder.glob("*.de.gz"))
        if not paths:
            sys.exit(f"{folder}: expected files *.en.gz or *.de.gz")
        for path in paths:
            language = path.name.split(".")[-2]
            with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
                for number, text in enumerate(file, 1):
                    place = places.get((language, normal(text)))
                    if place:
                        found.append(f"{place}: this line is in the text for training, {path}:{number}")
    if found:
        sys.exit("\n".join(found))


def translate(program: Path, model: str, sources: list[str]) -> list[str]:
    command = [program, "translate", "-q", "-m", model, "-b", "6", "--normalize", "1"]
    run = subprocess.run(command, input="".join(source + "\n" for source in sources).encode(), capture_output=True)
    if run.returncode:
        sys.exit(run.stderr.decode())
    return run.stdout.decode().split("\n")[:-1]


def shares(outcomes: list[tuple[Line, bool]]) -> dict[str, dict]:
    """Right lines and all lines by kind, in the order of the kinds' first lines, and of all kinds together."""
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for line, right in outcomes:
        by_kind[line.kind].append(right)
    by_kind["all"] = [right for _, right in outcomes]
    return {kind: {"right": sum(rights), "lines": len(rights)} for kind, rights in by_kind.items()}


def report(direction: str, kinds: dict[str, dict]) -> None:
    print(direction)
    for kind, share in kinds.items():
        print(f"  {kind:24} {share['right']:4} of {share['lines']:4} {share['right'] / share['lines']:7.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("-m", "--model", action="append", default=[], metavar="DIRECTION=PATH")
    parser.add_argument("--test", action="append", type=Path, metavar="FILE", help="lines to translate (default: all of testdata/everyday)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--show", action="store_true", help="print the lines that are wrong, with their translations")
    parser.add_argument("--check", action="store_true", help="check the lines only")
    parser.add_argument("--against", action="append", type=Path, default=[], metavar="DIR")
    args = parser.parse_args()
    models = dict(model.partition("=")[::2] for model in args.model)
    if not set(models) <= set(DIRECTIONS) or not all(models.values()) or not (models or args.check):
        parser.error("expected -m en-de=PATH or -m de-en=PATH, or --check")
    lines = read(args.test or sorted((ROOT / "testdata/everyday").glob("*.tsv")))
    check_unseen(lines, args.against)
    print(f"{len(lines)} lines are well-formed" + (", none is in the text for training" if args.against else ""))
    results = {}
    for direction, model in () if args.check else models.items():
        chosen = [line for line in lines if line.direction == direction]
        translations = translate(args.program, model, [line.source for line in chosen])
        outcomes = [(line, line.right(translation)) for line, translation in zip(chosen, translations, strict=True)]
        results[direction] = {"kinds": shares(outcomes), "wrong": []}
        for (line, right), translation in zip(outcomes, translations):
            if not right:
                results[direction]["wrong"].append({"place": line.place, "kind": line.kind, "source": line.source, "translation": translation})
        report(direction, results[direction]["kinds"])
        for wrong in results[direction]["wrong"] if args.show else ():
            print(f"{wrong['place']}\t{wrong['kind']}\n  {wrong['source']}\n  {wrong['translation']}")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
