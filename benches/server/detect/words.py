"""Makes the lists of frequent words of English, German and French that the server's detection has:

    python3 words.py ../../../../shared/data ../../../crates/translate/server/src/detect

Each line of a list is a word, the most frequent one first, in the letters in which it mostly stands inside a sentence. The lists are
counted in the training texts whose licences allow that; no line of a development or test set is read. The lists of other languages,
`others.txt`, are written by hand: function words, greetings, words of everyday life and of interfaces.
"""

import collections
import gzip
import pathlib
import re
import sys

# Groups of sources, each with its weight: a word's frequency is the weighted mean of those in the groups.
GROUPS = [
    (1.0, ["tatoeba-{}/train"]),
    (1.0, ["train-de-en/desktop-apps", "train-de-en/mozilla-www", "train-de-en/games", "train-de-en-more/mediawiki",
           "train-de-en-more/freecol", "train-de-en-more/gcompris", "train-de-en-general/thunderbird-app",
           "train-de-en-general/deltachat", "train-de-en-general/antennapod", "train-de-en-general/osm-website",
           "train-de-en-general/scratch", "train-de-en-general/civic-apps", "train-de-en-general/home-commands.mono",
           "train-de-en-general/service-dialogues.mono", "train-de-en-general/foodsoft"]),
    (1.0, ["train-de-en/ding-phrases", "train-de-en-general/common-voice.mono", "train-de-en-general/covost",
           "train-de-en-general/ud-gsd.mono", "train-de-en-general/gum.mono", "train-de-en-general/pud",
           "train-de-en-general/bundestag.mono", "train-de-en-general/europarl-sample",
           "train-de-en-more/wikipedia-long.mono", "train-de-en-more/openstax-more.mono"]),
    (0.3, ["train-de-en/microsoft-docs-ht", "train-de-en/libreoffice-help", "train-de-en/debian-website",
           "train-de-en/gnome-user-docs", "train-de-en/hetzner-tutorials"]),
]
# English and German are told apart by single words, which need long lists; French only from other languages.
SIZES = {"en": 10_000, "de": 14_000, "fr": 5_000}
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# A word that is this much more frequent in the other language stands in quotations and in names of programs.
FOREIGN = 25


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from file


def count(folder, code):
    """Relative frequencies of words in small letters, and how often each stands in which letters inside a sentence."""
    frequencies, forms = collections.Counter(), collections.defaultdict(collections.Counter)
    pair = {"fr": "fr-en"}.get(code, "de-en")
    for weight, names in GROUPS:
        words = collections.Counter()
        for name in names:
            path = pathlib.Path(folder, f"{name.format(pair)}.{code}.gz")
            for line in lines(path) if path.exists() else []:
                found = WORD.findall(line.replace("’", "'"))
                words.update(word.lower() for word in found)
                # The first word is a capital's; in titles and shouts all are.
                inside = [word for word in found[1:] if not (len(word) > 1 and word.isupper())]
                capitals = sum(word[0].isupper() for word in inside)
                if inside and capitals <= 0.6 * len(inside):
                    for word in inside:
                        forms[word.lower()][word] += 1
        total = sum(words.values())
        for word, number in words.items():
            # A word of one source alone, such as a name of a program, is no word of the language.
            if number >= 2:
                frequencies[word] += weight * number / total
    return frequencies, forms


def main():
    folder, target = sys.argv[1:]
    counted = {code: count(folder, code) for code in SIZES}
    for code, size in SIZES.items():
        frequencies, forms = counted[code]
        others = [counted[other][0] for other in SIZES if other != code]
        chosen = []
        for word, frequency in frequencies.most_common():
            if any(other[word] > FOREIGN * frequency for other in others) or (len(word) == 1 and word not in "aiàyo"):
                continue
            form = forms[word].most_common(1)
            chosen.append(form[0][0] if form else word)
            if len(chosen) == size:
                break
        pathlib.Path(target, f"{code}.txt").write_text("\n".join(chosen) + "\n", encoding="utf-8")


main()
