#!/usr/bin/env python3
"""Writes English-German sentence pairs with times, dates, amounts and other everyday text, from templates.

usage: make.py -o DIR [--direction en-de|de-en] [--pairs 120000] [--seed 1]
       make.py --check
       make.py --show 1 [--kind KIND] [--direction en-de|de-en]

Templates are `templates/*.tsv`, a line `kind<TAB>english<TAB>german[<TAB>direction]`. Slots stand in braces: `{name}` draws from the table
`fillers/name.tsv` (`english<TAB>german[<TAB>direction]`, or one column with the same text for both sides) or from a function in values.py.
The same slot on both sides is the same draw, `{name#2}` is a second draw with another result, and `{Name}` begins with a capital letter.
A filler may contain slots, too; each filler has draws of its own. A line that begins with `#` is a comment.

With `--direction` the source varies (8 PM, 8pm, 8:00 p.m.) and the target has one form (README.md lists the forms); a line that names the
other direction is left out. Without `--direction` both sides have that one form, and lines that name a direction are left out.

Every template has the same share of the pairs, until it has no new pair. No source sentence occurs twice.
Only the standard library is needed. Equal options make equal files.
"""

import argparse
import gzip
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import amounts  # noqa: F401  (offers its slots)
import values

HERE = Path(__file__).resolve().parent
DIRECTIONS = ("en-de", "de-en")
SLOT = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*(?:#[0-9]+)?)\}")
# Draws after which a template counts as having no new pair, and a second draw may equal the first one.
TRIES = 30
DEEPEST = 6
# "a" before a number that is spoken with a vowel: 8, 80, 800, 11, 18.
VOWEL = re.compile(r"\b([Aa]) (?=[$€£]?(?:8\d*|11|18)(?![\d])|(?:eight|eleven))")


@dataclass
class Entry:
    """A line of a template or filler file."""

    place: str
    english: str
    german: str
    direction: str | None
    kind: str = ""
    slots: set[str] = field(default_factory=set)

    def serves(self, direction: str | None) -> bool:
        return self.direction is None or self.direction == direction


class Faults(Exception):
    """All faults of the files, a line each."""


def slots_of(text: str) -> set[str]:
    return {slot.lower() for slot in SLOT.findall(text)}


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def rows(path: Path) -> list[tuple[str, list[str]]]:
    """The lines of a file that are not comments, as the place and the columns."""
    lines = path.read_text(encoding="utf-8").split("\n")
    numbered = ((f"{path.parent.name}/{path.name}:{number}", line) for number, line in enumerate(lines, 1))
    return [(place, line.split("\t")) for place, line in numbered if line.strip() and not line.startswith("#")]


def entry(place: str, columns: list[str], kind: str = "") -> Entry:
    """The entry of `english, german[, direction]`; raises `Faults` if a column is missing or wrong."""
    if not 2 <= len(columns) <= 3 or not all(columns):
        raise Faults(f"{place}: expected the columns English, German and perhaps a direction, found {len(columns)} of them; separate them with one tab")
    english, german, direction = columns[0], columns[1], columns[2] if len(columns) == 3 else None
    if direction not in (None, *DIRECTIONS):
        raise Faults(f"{place}: the direction {direction!r} is neither en-de nor de-en")
    for text in (english, german):
        if re.search(r"[{}]", SLOT.sub("", text)):
            raise Faults(f"{place}: a brace that is not part of a slot such as {{name}} or {{name#2}} in {text!r}")
        if text != text.strip() or "  " in text:
            raise Faults(f"{place}: white space at an end, or two spaces, in {text!r}")
    slots = slots_of(english)
    if slots != slots_of(german):
        raise Faults(f"{place}: these slots are on one side only: {', '.join(sorted(slots ^ slots_of(german)))}")
    return Entry(place, english, german, direction, kind, slots)


def read_templates(folder: Path) -> tuple[list[Entry], list[str]]:
    """All templates, and the faults that were found."""
    templates, faults = [], []
    for path in sorted(folder.glob("*.tsv")):
        for place, columns in rows(path):
            try:
                if len(columns) < 3 or not columns[0]:
                    raise Faults(f"{place}: expected kind, English and German with a tab between them, found {len(columns)} columns")
                templates.append(entry(place, columns[1:], columns[0]))
            except Faults as fault:
                faults.append(str(fault))
    return templates, faults


def read_fillers(folder: Path) -> tuple[dict[str, list[Entry]], list[str]]:
    """All tables by name, and the faults that were found."""
    fillers: dict[str, list[Entry]] = {}
    faults = []
    for path in sorted(folder.glob("*.tsv")):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", path.stem):
            faults.append(f"fillers/{path.name}: the name of a table has small letters, digits and _ only")
        if path.stem in values.GENERATORS:
            faults.append(f"fillers/{path.name}: values.py has a function with this name; give the table another name")
        fillers[path.stem] = []
        for place, columns in rows(path):
            try:
                fillers[path.stem].append(entry(place, columns * 2 if len(columns) == 1 else columns))
            except Faults as fault:
                faults.append(str(fault))
    return fillers, faults


class Maker:
    """Templates, fillers and the draws that make pairs of them."""

    def __init__(self, root: Path, direction: str | None, seed: int):
        self.direction = direction
        self.draw = random.Random(f"{seed} {direction}")
        self.templates, faults = read_templates(root / "templates")
        self.fillers, more = read_fillers(root / "fillers")
        faults += more
        for line in [*self.templates, *(line for table in self.fillers.values() for line in table)]:
            for slot in sorted(line.slots):
                if self.name(slot) not in self.fillers and self.name(slot) not in values.GENERATORS:
                    faults.append(f"{line.place}: no table fillers/{self.name(slot)}.tsv and no function {self.name(slot)} in values.py")
        if faults:
            raise Faults("\n".join(faults))
        self.serving = {name: [line for line in table if line.serves(direction)] for name, table in self.fillers.items()}

    @staticmethod
    def name(slot: str) -> str:
        return slot.partition("#")[0]

    def value(self, name: str, depth: int) -> tuple[str, str]:
        """One draw of a slot: English and German."""
        if name in values.GENERATORS:
            return values.GENERATORS[name](self.draw, self.direction)
        if not self.serving[name]:
            raise Faults(f"fillers/{name}.tsv: no line serves the direction {self.direction}")
        return self.filled(self.draw.choice(self.serving[name]), depth + 1)

    def filled(self, line: Entry, depth: int = 0) -> tuple[str, str]:
        """The line with a value in each slot."""
        if depth > DEEPEST:
            raise Faults(f"{line.place}: fillers contain each other more than {DEEPEST} levels deep")
        drawn: dict[str, tuple[str, str]] = {}
        for slot in sorted(line.slots):
            others = [value for other, value in drawn.items() if self.name(other) == self.name(slot)]
            for _ in range(TRIES):
                drawn[slot] = self.value(self.name(slot), depth)
                if drawn[slot] not in others:
                    break

        def side(text: str, number: int) -> str:
            def put(match: re.Match) -> str:
                value = drawn[match[1].lower()][number]
                return capitalised(value) if match[1][0].isupper() else value

            return SLOT.sub(put, text)

        return side(line.english, 0), side(line.german, 1)

    def pair(self, template: Entry) -> tuple[str, str]:
        english, german = self.filled(template)
        english = VOWEL.sub(r"\1n ", english)
        # "p.m." and "3." take the full stop of the sentence in.
        return tuple(re.sub(r"(?<!\.)\.\.(?!\.)", ".", text) for text in (english, german))

    def pairs(self, number: int, templates: list[Entry]) -> list[tuple[str, str, str]]:
        """This number of pairs with their kinds, or as many as there are; no source occurs twice."""
        made, seen = [], set()
        open_templates = [template for template in templates if template.serves(self.direction)]
        while open_templates and len(made) < number:
            still_open = []
            for template in open_templates:
                for _ in range(TRIES):
                    pair = self.pair(template)
                    source = pair[1 if self.direction == "de-en" else 0]
                    if source not in seen:
                        seen.add(source)
                        made.append((template.kind, *pair))
                        still_open.append(template)
                        break
            open_templates = still_open
        return made[:number]


def write(folder: Path, pairs: list[tuple[str, str, str]], draw: random.Random) -> None:
    draw.shuffle(pairs)
    folder.mkdir(parents=True, exist_ok=True)
    for language, column in (("en", 1), ("de", 2)):
        with open(folder / f"everyday.{language}.gz", "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            file.write("".join(pair[column] + "\n" for pair in pairs).encode())


def show(maker: Maker, number: int, kind: str | None) -> None:
    """Prints a number of pairs of each template."""
    for template in maker.templates:
        if template.serves(maker.direction) and kind in (None, template.kind):
            for _ in range(number):
                print(template.place, *maker.pair(template), sep="\t")


def check(root: Path) -> None:
    """Raises `Faults` if a file is wrong or a template can not be filled."""
    for direction in (*DIRECTIONS, None):
        maker = Maker(root, direction, 1)
        for template in maker.templates:
            if template.serves(direction):
                maker.pair(template)
    used = {maker.name(slot) for template in maker.templates for slot in template.slots}
    used |= {maker.name(slot) for table in maker.fillers.values() for line in table for slot in line.slots}
    seen: dict[tuple, str] = {}
    for template in maker.templates:
        place = seen.setdefault((template.english, template.german), template.place)
        if place != template.place:
            raise Faults(f"{template.place}: the same template as in {place}")
    print(f"{len(maker.templates)} templates of {len({t.kind for t in maker.templates})} kinds, {len(maker.fillers)} tables")
    for name in sorted(set(maker.fillers) - used):
        print(f"note: no template uses the table fillers/{name}.tsv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder for everyday.en.gz and everyday.de.gz")
    parser.add_argument("--direction", choices=DIRECTIONS)
    parser.add_argument("--pairs", type=int, default=120_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--check", action="store_true", help="only check templates and tables")
    parser.add_argument("--show", type=int, metavar="N", help="print N pairs of each template")
    parser.add_argument("--kind", help="of --show: templates of this kind only")
    parser.add_argument("--root", type=Path, default=HERE, metavar="DIR", help="folder with templates/ and fillers/ (default: the script's)")
    args = parser.parse_args()
    try:
        if args.check:
            return check(args.root)
        maker = Maker(args.root, args.direction, args.seed)
        if args.show:
            return show(maker, args.show, args.kind)
        if not args.output:
            parser.error("expected one of -o DIR, --check, --show N")
        pairs = maker.pairs(args.pairs, maker.templates)
    except Faults as faults:
        sys.exit(str(faults))
    write(args.output, pairs, maker.draw)
    kinds = Counter(kind for kind, _, _ in pairs)
    print(f"{len(pairs)} pairs of {len(kinds)} kinds: " + ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items())))


if __name__ == "__main__":
    main()
