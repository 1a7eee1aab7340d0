"""Learns the plurals of German nouns from text, for the forms of required terms.

    cd crates/translate/text/src/german; python ../../../../../recipes/german_plurals.py DATA genders.txt plurals.txt

Reads the texts that german_genders.py reads and counts which words stand after a word that says "one" (`ein`, `jedes`, `im`)
and after one that says "several" in the nominative or accusative (`mehrere`, `alle`, `die`). Each noun that is one thing
somewhere is tried with each way to make a German plural (`e`: Tag, Tage; `ue`: Raum, Räume; `en:um`: Museum, Museen). The way
whose plural stands after "several" most often is the noun's, if it is clear enough. Nouns with the same end mostly have
the same way, above all compounds, so the table has ends of words: of the entries that a word ends in, the longest counts.
`^` begins an entry that is a whole word, `-` stands for a plural that is the same word, `?` for nouns whose plural is not clear.
With a tenth of the nouns held out (`--held-out`), it prints how often the table is right on these.
"""

import argparse
import collections
import glob
import gzip
import random
import re

from german_genders import LEFT_OUT, entry

# Not the genitive, which has an ending of its own.
ONE = r"((?:[km]|d|s)?ein(?:e|er|en)?|jed(?:er|e|en)|das|ins|zur)|(?:[km]|d|s)?einem|dem|zum|im|am|beim|vom"
SEVERAL = {"alle": "en", "die": "en", "diese": "en", "keine": "en", "beide": "en", "mehrere": "e", "viele": "e",
           "einige": "e", "wenige": "e", "zahlreiche": "e", "verschiedene": "e", "unsere": "en", "ihre": "en"}
NOUN = r"([A-ZÄÖÜ][a-zäöüß]{2,}(?:-[A-ZÄÖÜ][a-zäöüß]+)*)(?![\w-])"
AFTER_ONE = re.compile(rf"(?<![\w-])(?:{ONE})(?: [a-zäöüß]{{3,}}(?:e|er|es|en)){{0,2}} {NOUN}")
AFTER_SEVERAL = re.compile(rf"(?<![\w-])({'|'.join(SEVERAL)})((?: [a-zäöüß]{{3,}}en?){{0,2}}) {NOUN}")
UMLAUT = str.maketrans("aou", "äöü")
WAYS = ["-", "e", "en", "n", "er", "s", "nen", "se", "u", "ue", "uer", "en:a", "en:um", "en:us", "en:is", "en:o", "a:um", "ien"]


def count(folder):
    """How often each noun stands after "one" and after "several"; the first by whether it may be a dative, with its `-e`."""
    names = glob.glob(f"{folder}/train-de-en*/*.de.gz")
    names += [f"{folder}/tatoeba-de-en/train.de.gz", f"{folder}/phpdoc-de-en/train.de.gz"]
    one, several = collections.Counter(), collections.Counter()
    for name in sorted(names):
        if re.search(LEFT_OUT, name):
            continue
        with gzip.open(name, "rt", encoding="utf-8") as lines:
            for line in dict.fromkeys(lines):
                line = line[:1].lower() + line[1:]
                for word, noun in AFTER_ONE.findall(line):
                    one[noun.split("-")[-1].lower(), not word] += 1
                for word, adjectives, noun in AFTER_SEVERAL.findall(line):
                    if all(adjective.endswith("en") == (SEVERAL[word] == "en") for adjective in adjectives.split()):
                        # "die" and the like stand before one thing, too, if the noun is feminine.
                        several[noun.split("-")[-1].lower(), word in ("die", "diese", "keine", "unsere", "ihre")] += 1
    return one, several


def plural(noun, way):
    """The plural of a noun by a way to make one; None if the noun has none of that kind."""
    way, _, lost = way.partition(":")
    if lost:
        return noun[: -len(lost)] + way if noun.endswith(lost) and len(noun) > len(lost) + 2 else None
    if way == "-":
        return noun
    if way in ("e", "en", "er") and noun.endswith("e") or way == "nen" and not noun.endswith("in"):
        return None
    if way == "se" and not noun.endswith(("s", "nis")):
        return None
    if way.startswith("u"):
        light = re.search(r"(?:el|er|en)$", noun) if way == "u" else None
        stem = noun[: light.start()] if light else noun
        found = re.search(r"(a(?=u)|[aou])([^aeiouäöüy]*|u[^aeiouäöüy]*)$", stem)
        if not found or (way == "u") != bool(light):
            return None
        at = found.start()
        return stem[:at] + stem[at].translate(UMLAUT) + stem[at + 1 :] + (light.group() if light else way[1:])
    return noun + way


def ways_of(noun, one, several, genders):
    """How often each way makes a word that stands after "several"."""
    found = {}
    for way in WAYS:
        word = plural(noun, way)
        if word is None:
            continue
        number = several[word, False]
        if word != noun:
            number += several[word, True]
        # "Arbeiter" is no plural of "Arbeit": it is one thing, too.
        if way in ("er", "e", "s", "n") and one[word, False] > 0.2 * number and not noun.endswith("e"):
            continue
        if way in ("-", "e", "er", "uer") and entry(genders, noun) == "f":
            continue
        if number:
            found[way] = number
    return found


def label(ways, least=3):
    """The way of a noun, if it is clear."""
    order = sorted(ways, key=ways.get, reverse=True)
    if not order or sum(ways.values()) < least:
        return None
    return order[0] if ways[order[0]] >= 0.75 * sum(ways.values()) else "?"


def table_of(nouns):
    """The ends of words, each with a way that a shorter entry does not give."""
    ends = {}
    for noun, ways in nouns.items():
        total = sum(ways.values())
        for at in range(max(0, len(noun) - 14), len(noun) - 1):
            sums, kinds = ends.setdefault(noun[at:], (collections.Counter(), set()))
            for way, number in ways.items():
                sums[way] += number / total
            kinds.add(noun)
    table = {}
    for end in sorted(ends, key=lambda end: (len(end), end)):
        sums, kinds = ends[end]
        is_head = len(end) >= 3 and end in nouns and sum(nouns[end].values()) >= 8
        if is_head and len(kinds) < 6:
            found = label(nouns[end])
        elif len(kinds) >= 3:
            found = label(sums, 2)
        else:
            continue
        if found and found != entry(table, end):
            table[end] = found
    for noun, ways in nouns.items():
        found = label(ways)
        if found and found != entry(table, noun) and (found != "?" or sum(ways.values()) >= 6):
            table["^" + noun] = found
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("genders")
    parser.add_argument("output")
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    with open(options.genders, encoding="utf-8") as lines:
        genders = dict(line.split() for line in lines)
    one, several = count(options.data)
    nouns = {noun: ways_of(noun, one, several, genders) for noun in sorted({noun for noun, _ in one})
             if one[noun, False] + one[noun, True] >= 2 and noun.isalpha()}
    # "Fische" is several things, and one thing in "zum Fische" alone.
    nouns = {noun: ways for noun, ways in nouns.items()
             if ways and (label(ways) != "-" or one[noun, False] > 0.2 * several[noun, True] or noun.endswith(("er", "el", "en")))}
    if options.held_out:
        names = list(nouns)
        test = set(random.Random(1).sample(names, len(names) // 10))
        table = table_of({noun: nouns[noun] for noun in names if noun not in test})
        answers, wrong = collections.Counter(), []
        for noun in sorted(test):
            known, found = label(nouns[noun], 8), entry(table, noun)
            if known and known != "?":
                kind = "none" if found == "?" else "right" if found == known else "wrong"
                answers[kind] += 1
                if kind == "wrong":
                    wrong.append((noun, plural(noun, known), found))
        print(f"{len(nouns)} nouns; held out: {dict(answers)}", *wrong[:40], sep="\n")
    table = table_of(nouns)
    with open(options.output, "w", encoding="utf-8") as output:
        output.writelines(f"{end} {way}\n" for end, way in sorted(table.items()))
    print(f"{len(table)} entries")


if __name__ == "__main__":
    main()
