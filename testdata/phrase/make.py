"""Makes the small parallel text of the tests of phrase-based training from a larger one.

python3 make.py tatoeba-de-en/train

Takes short sentence pairs of frequent words, so that little text is enough to learn from; 200 to train on, 50 to tune on,
50 to translate. Sentences of Tatoeba, CC BY 2.0 FR, tatoeba.org, by way of manythings.org/anki.
"""

import gzip
import re
import sys
from collections import Counter

TRAIN, DEV, TEST = 200, 50, 50
WORDS = 110


def words(line):
    return re.findall(r"\w+", line.lower())


def main(prefix):
    pairs = [
        tuple(line.rstrip("\n") for line in pair)
        for pair in zip(*(gzip.open(f"{prefix}.{language}.gz", "rt", encoding="utf-8") for language in ("de", "en")))
    ]
    counts = [Counter(word for pair in pairs for word in words(pair[side])) for side in range(2)]
    frequent = [{word for word, _ in count.most_common(WORDS)} for count in counts]
    chosen, seen = [], (set(), set())
    for pair in pairs:
        split = [words(line) for line in pair]
        known = all(3 <= len(w) <= 7 and set(w) <= frequent[side] for side, w in enumerate(split))
        if known and not any(" ".join(w) in seen[side] for side, w in enumerate(split)):
            chosen.append(pair)
            for side, w in enumerate(split):
                seen[side].add(" ".join(w))
    assert len(chosen) >= TRAIN + DEV + TEST, len(chosen)
    start = 0
    for name, size in (("train", TRAIN), ("dev", DEV), ("test", TEST)):
        for side, language in enumerate(("de", "en")):
            with gzip.GzipFile(f"{name}.{language}.gz", "wb", mtime=0) as file:
                file.write("".join(pair[side] + "\n" for pair in chosen[start : start + size]).encode())
        start += size


main(sys.argv[1])
