"""Makes the small texts of this folder: references from free corpora, and hypotheses by breaking them.

    python texts.py DATA      (the folder with tatoeba-*, tico19 and phpdoc-de-en)

Sources: Tatoeba (CC BY 2.0 FR; tatoeba.org contributors, via manythings.org/anki), TICO-19 (CC0), the PHP manual (CC BY 3.0,
the PHP Documentation Group). `nasty.*` is written here.
"""

import gzip
import random
import sys
from itertools import islice
from pathlib import Path

SKIPPED = 300  # the first lines of tico19 are all very short
HERE = Path(__file__).parent
SOURCES = {
    "de": [("tatoeba-de-en/test.de", 25), ("phpdoc-de-en/test.de", 15)],
    "en": [("tatoeba-de-en/test.en", 25), ("tico19/test.en", 15)],
    "fr": [("tatoeba-fr-en/test.fr", 40)],
    "zh": [("tatoeba-zh-en/test.zh", 25), ("tico19/test.zh", 15)],
    "ja": [("tatoeba-ja-en/test.ja", 40)],
}

NASTY = [  # hypothesis, reference, second reference
    ("", "", ""),
    ("", "An empty hypothesis.", ""),
    ("An empty reference.", "", ""),
    ("   ", "white space", " "),
    ("word", "word", "word"),
    ("word", "other", "another one"),
    ("a b", "a b", "b a"),
    ("the the the the the the the", "The cat is on the mat.", "There is a cat on the mat."),
    ("&quot;Tom &amp;amp; Jerry&quot; &lt;b&gt; <skipped> x", '"Tom & Jerry" <b> x', "Tom&Jerry"),
    ("1,000.50 -5 5-6 3. .5 ... ,,, --", "1,000.50 - 5 5 - 6 3 . 5", "1 000,50"),
    ("It's Tom's 'quoted' don't.", "It 's Tom's \"quoted\" do n't .", "its toms"),
    ("ΟΔΥΣΣΕΥΣ İSTANBUL STRASSE ẞ", "οδυσσευς i̇stanbul straße ß", "ΣΑΣ"),
    ("a\u00a0b\u2009c\u200bd\u3000e\x1ff", "a b c d e f", "abcdef"),
    ("\u201eZitat\u201c \u2013 \u2026 \u20ac5 50% #1 @x *y* a_b ^ ~ |", "\"Zitat\" - ... 5 EUR 50 % # 1", "Zitat"),
    ("中文，English混排（测试）“引号”…3.5％", "中文, English 混排(测试) \"引号\"... 3.5%", "中文"),
    ("\U00020000\U0002f81a \u2f80\u2f81\u2fa1\u2fa2 \u2000\u2001\u2a6d\u2a6e", "\U00020000 \U0002f81a", "\u2f80"),
    ("カタカナ・ひらがな、漢字。ｶﾅ「」", "カタカナひらがな漢字", "ㇰ㈱㍿"),
    (" ".join("abcdefghij" * 4), " ".join("jihgfedcba" * 4), " ".join("abcde" * 3)),
    (" ".join(f"w{i}" for i in range(80)), " ".join(f"w{(i + 55) % 80}" for i in range(80)), "w1 w0"),
    ("x", " ".join(f"w{i}" for i in range(120)) + " x", "x y"),
    (" ".join(f"w{i % 7}" for i in range(130)), "w3 w4 w5", "w5 w4"),
    ("ends with tokenised punctuation .", "ends with tokenised punctuation.", "ends ."),
    ("👍🏽 émoji é combining", "👍 emoji é combining", "é"),
]


def broken(line, rng, spaced):
    """The line with some of its units dropped, doubled, changed or moved."""
    units = line.split(" ") if spaced else list(line)
    for _ in range(1 + len(units) // (6 if spaced else 12)):
        if not units:
            break
        at = rng.randrange(len(units))
        length = rng.randint(1, 4)
        change = rng.randrange(6)
        if change == 0:
            del units[at : at + length // 2 + 1]
        elif change == 1:
            units.insert(at, units[at])
        elif change == 2:
            units[at] = units[at].upper() if rng.random() < 0.5 else units[at].lower()
        elif change == 3:
            units[at] = rng.choice(["x", ",", "(3.5)", "-", "«", "的", "5"])
        else:
            span = units[at : at + length]
            del units[at : at + length]
            to = rng.randint(0, len(units))
            units[to:to] = span
    return (" " if spaced else "").join(units).strip()


def write(name, lines):
    (HERE / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def main():
    data = Path(sys.argv[1])
    for language, sources in SOURCES.items():
        rng = random.Random(f"metrics {language}")
        reference = []
        for source, count in sources:
            with gzip.open(data / f"{source}.gz", "rt", encoding="utf-8", newline="\n") as lines:
                reference += [line.rstrip("\n") for line in islice(lines, SKIPPED, SKIPPED + count)]
        spaced = language not in ("zh", "ja")
        write(f"{language}.ref.txt", reference)
        write(f"{language}.ref2.txt", [broken(line, rng, spaced) for line in reference])
        write(f"{language}.hyp.txt", [broken(line, rng, spaced) for line in reference])
        write(f"{language}.hyp2.txt", [broken(line, rng, spaced) for line in reference])
    write("nasty.hyp.txt", [hypothesis for hypothesis, _, _ in NASTY])
    write("nasty.ref.txt", [reference for _, reference, _ in NASTY])
    write("nasty.ref2.txt", [reference for _, _, reference in NASTY])
    write("nasty.hyp2.txt", [reference[::-1] for _, reference, _ in NASTY])


if __name__ == "__main__":
    main()
