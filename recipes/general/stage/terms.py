#!/usr/bin/env python3
"""Puts terms with their translations into the source of parallel text, so that a model learns to take them from there.

usage: terms.py SOURCE TARGET LINKS SHARE VOCABULARY OUT.SOURCE OUT.TARGET [--program metaphrase] [--seed 1]
       terms.py --words FILE

SOURCE and TARGET are plain text, a sentence a line. LINKS has the alignment of their words, as `metaphrase align` writes it; the words are those
that `--words` prints (in lower case). Of SHARE of the pairs one to three terms are chosen: one or two words that are linked to neighbouring
words of the target and to nothing else, preferably rare ones. Three of ten translations of one word are exchanged for another form of that word,
so that the model learns to inflect. OUT.SOURCE has pieces with spaces between them, for `source-words = true` of a training recipe:
`<0x01>` source term `<0x02>` translation `<0x03>`.
Only the standard library is needed.
"""

import argparse
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

WORD = re.compile(r"\w+|[^\w\s]")
ENDINGS = ("ern", "en", "em", "er", "es", "ed", "ing", "e", "n", "s", "d")
OPEN, BETWEEN, CLOSE = "<0x01>", "<0x02>", "<0x03>"


def lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").split("\n")[:-1]


def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


class Chooser:
    def __init__(self, source: list[str], target: list[str], seed: int):
        self.draw = random.Random(seed)
        self.counts = Counter(word.lower() for line in source for word in WORD.findall(line))
        of_target = Counter(word for line in target for word in WORD.findall(line))
        self.frequent = {word for word, _ in self.counts.most_common(180)}
        lower = Counter()
        self.forms = defaultdict(list)
        for word, count in of_target.most_common():
            lower[word.lower()] += count
            if len(word) >= 4 and count >= 3:
                self.forms[stem(word)].append(word)
        self.frequent_of_target = {word for word, _ in lower.most_common(180)}

    def candidates(self, source: str, target: str, links: str) -> list[tuple]:
        """Terms: first word, number of words, their place in the text, the translation, and how readily they are chosen."""
        spans, of_target = [m.span() for m in WORD.finditer(source)], [m.span() for m in WORD.finditer(target)]
        if not 2 <= len(spans) <= 60:
            return []
        forward, backward = defaultdict(set), defaultdict(set)
        for link in links.split():
            s, t = map(int, link.split("-"))
            forward[s].add(t)
            backward[t].add(s)
        found = []
        for first in range(len(spans)):
            for count in (1, 2):
                words = range(first, first + count)
                linked = set().union(*(forward[word] for word in words))
                if first + count > len(spans) or not all(forward[word] for word in words) or len(linked) > 3:
                    continue
                if max(linked) - min(linked) + 1 != len(linked) or not set().union(*(backward[t] for t in linked)) <= set(words):
                    continue
                begin, end = spans[first][0], spans[first + count - 1][1]
                text, translation = source[begin:end], target[of_target[min(linked)][0] : of_target[max(linked)][1]]
                lower = [word.lower() for word in WORD.findall(text)]
                if any(word in self.frequent for word in lower) or len(text) < 4 or not re.search(r"\w{3}", text) or not re.search(r"\w{3}", translation):
                    continue
                if all(word.lower() in self.frequent_of_target for word in WORD.findall(translation)):
                    continue
                found.append((first, count, begin, end, translation, (1 + min(self.counts[word] for word in lower)) ** -0.5))
        return found

    def terms(self, source: str, target: str, links: str) -> list[tuple[int, int, str]]:
        candidates, chosen, used = self.candidates(source, target, links), [], set()
        for _ in range(self.draw.choice((1, 1, 1, 2, 2, 3))):
            free = [c for c in candidates if not used & set(range(c[0] - 1, c[0] + c[1] + 1))]
            if not free:
                break
            first, count, begin, end, translation, _ = self.draw.choices(free, [c[-1] for c in free])[0]
            used |= set(range(first, first + count))
            if self.draw.random() < 0.3 and " " not in translation:
                translation = next((form for form in self.forms.get(stem(translation), [])[:4] if form != translation), translation)
            chosen.append((begin, end, translation))
        return sorted(chosen)


def pieces_of(program: str, vocabulary: str, text: list[str]) -> list[list[str]]:
    command = [program, "tokenize", "-q", "--vocabulary", vocabulary]
    run = subprocess.run(command, input="".join(line + "\n" for line in text).encode(), capture_output=True, check=True)
    return [line.split(" ") for line in run.stdout.decode().split("\n")[:-1]]


def with_terms(text: str, pieces: list[str], terms: list[tuple[int, int, list[str]]]) -> list[str] | None:
    """The pieces of a text with terms among them; nothing where a term is no sequence of whole pieces."""
    if "".join(pieces).replace("▁", " ") != " " + text:
        return None
    places, at = {}, -1
    for number, piece in enumerate(pieces):
        places[at] = number  # of the piece's first character, its mark of a space before it
        at += len(piece)
    places[at] = len(pieces)
    out, done = [], 0
    for begin, end, translation in terms:
        first = places.get(begin - 1 if begin == 0 or text[begin - 1] == " " else begin)
        last = places.get(end)
        if first is None or last is None or first < done:
            return None
        out += [*pieces[done:first], OPEN, *pieces[first:last], BETWEEN, *translation, CLOSE]
        done = last
    return out + pieces[done:]


def main() -> None:
    if sys.argv[1:2] == ["--words"]:
        for line in lines(sys.argv[2]):
            print(" ".join(WORD.findall(line.lower())))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("source", "target", "links"):
        parser.add_argument(name)
    parser.add_argument("share", type=float)
    for name in ("vocabulary", "out_source", "out_target"):
        parser.add_argument(name)
    parser.add_argument("--program", default="metaphrase")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    source, target, links = lines(args.source), lines(args.target), lines(args.links)
    chooser = Chooser(source, target, args.seed)
    rows = []
    for s, t, l in zip(source, target, links, strict=True):
        if chooser.draw.random() < args.share and (terms := chooser.terms(s, t, l)):
            rows.append((s, t, terms))
    pieces = pieces_of(args.program, args.vocabulary, [s for s, _, _ in rows])
    flat = iter(pieces_of(args.program, args.vocabulary, [term for _, _, terms in rows for _, _, term in terms]))
    written = 0
    with open(args.out_source, "w", encoding="utf-8") as out_source, open(args.out_target, "w", encoding="utf-8") as out_target:
        for (s, t, terms), of in zip(rows, pieces):
            if words := with_terms(s, of, [(begin, end, next(flat)) for begin, end, _ in terms]):
                out_source.write(" ".join(words) + "\n")
                out_target.write(t + "\n")
                written += 1
    print(f"{written} pairs with terms of {len(rows)} that have some, of {len(source)}")


if __name__ == "__main__":
    main()
