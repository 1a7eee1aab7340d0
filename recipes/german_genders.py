"""Learns the genders of German nouns from text, for the agreement of articles with required terms.

    python recipes/german_genders.py ../shared/data crates/translate/text/src/german/genders.txt

Reads the German texts of train-de-en*, tatoeba-de-en and phpdoc-de-en (without dictionaries, text that a model made, and
sources whose licences are not settled) and counts which article stands before a noun, and with which ending of the adjectives between. "einen" stands before masculine
nouns only, "die" before feminine ones and plurals, "dem" before two genders: a mixture of four classes (three genders and the
plural), fitted by expectation and maximisation, starting from the tables of grammar, says how often a noun is in each.
Nouns with the same end mostly have the same gender, above all compounds, so the table has ends of words: of the entries that
a word ends in, the longest counts. `^` begins an entry that is a whole word, `?` stands for words of several genders, `p` for
plurals. Needs numpy. With a tenth of the nouns held out (`--held-out`), it prints how often the table is right on these.
"""

import argparse
import collections
import glob
import gzip
import re

import numpy

CLASSES = "mfnp"
CASES = {"n": 0.35, "a": 0.3, "d": 0.25, "g": 0.1}
STRONG = dict(zip(["nm", "nf", "nn", "np", "am", "af", "an", "ap", "dm", "df", "dn", "dp", "gm", "gf", "gn", "gp"],
                  "er e es e en e es e em er em en es er es er".split()))
DEFINITE = dict(STRONG, nm="der", nf="die", nn="das", np="die", am="den", af="die", an="das", ap="die", dm="dem", df="der",
                dn="dem", dp="den", gm="des", gf="der", gn="des", gp="der")
EIN = dict(STRONG, nm="", nn="", an="")
WEAK = {cell: "e" if cell in ("nm", "nf", "nn", "af", "an") else "en" for cell in STRONG}
MIXED = dict(WEAK, nm="er", nn="es", an="es")
CONTRACTED = {"zum": ["dm", "dn"], "im": ["dm", "dn"], "am": ["dm", "dn"], "beim": ["dm", "dn"], "vom": ["dm", "dn"],
              "zur": ["df"], "ins": ["an"], "ans": ["an"]}

ARTICLE = (r"der|die|das|den|dem|des|(?:[km]|d|s)?ein(?:e|er|es|en|em)?|dies(?:er|e|es|en|em)|jed(?:er|e|es|en|em)"
           r"|unser(?:e|er|es|en|em)?|ihr(?:e|er|es|en|em)?|zum|zur|vom|im|am|beim|ins|ans")
LEFT_OUT = r"-mt\.|ding-|debian-docs|debian-installation-guide|gimp-help|manpages-de|literature"
# An article after a comma may be a relative pronoun.
PHRASE = re.compile(rf"(?<![\w,-])(?<!, )({ARTICLE})((?: [a-zäöüß]{{3,}}(?:e|er|es|en|em)){{0,2}})"
                    r" ([A-ZÄÖÜ][a-zäöüß]{2,}(?:-[A-ZÄÖÜ][a-zäöüß]+)*)(?![\w-])")


def count(folder):
    """How often an article and an ending of adjectives stand before each noun."""
    names = glob.glob(f"{folder}/train-de-en*/*.de.gz")
    names += [f"{folder}/tatoeba-de-en/train.de.gz", f"{folder}/phpdoc-de-en/train.de.gz"]
    counts = collections.defaultdict(collections.Counter)
    for name in sorted(names):
        if re.search(LEFT_OUT, name):
            continue
        with gzip.open(name, "rt", encoding="utf-8") as lines:
            for line in dict.fromkeys(lines):
                for found in PHRASE.finditer(line[:1].lower() + line[1:]):
                    article, adjectives, noun = found.groups()
                    endings = {re.search(r"(er|es|en|em|e)$", word).group() for word in adjectives.split()}
                    if len(endings) > 1:
                        continue
                    possessive = re.match(r"(?:kein|mein|dein|sein|unser|ihr)", article)
                    article = "kein" + article[possessive.end():] if possessive else article
                    counts[noun.split("-")[-1].lower()][article, "".join(endings)] += 1
    return counts


def cells(article):
    """The cases and classes in which an article has this form."""
    if article in CONTRACTED:
        return CONTRACTED[article]
    for stem, table in (("kein", EIN), ("ein", EIN), ("dies", STRONG), ("jed", STRONG), ("", DEFINITE)):
        if article.startswith(stem):
            found = [cell for cell in table if stem + table[cell] == article]
            return [cell for cell in found if stem != "ein" or cell[1] != "p"]


class Mixture:
    """The classes of nouns: how probable each phrase is in each class."""

    def __init__(self, counts):
        totals = collections.Counter()
        for noun in counts.values():
            totals.update(noun)
        self.phrases = {phrase: number for number, phrase in enumerate(p for p, total in totals.items() if total > 50)}
        self.prior = numpy.full(len(CLASSES), 1 / len(CLASSES))
        self.emission = numpy.array([self.by_grammar(*phrase) * totals[phrase] for phrase in self.phrases])
        self.emission /= self.emission.sum(0)

    def by_grammar(self, article, ending):
        shares = numpy.full(len(CLASSES), 1e-3)
        adjectives = MIXED if "ein" in article else WEAK
        for case, kind in cells(article):
            if not ending or adjectives[case + kind] == ending:
                shares[CLASSES.index(kind)] += CASES[case]
        return shares / shares.sum()

    def vector(self, noun):
        vector = numpy.zeros(len(self.phrases))
        for phrase, number in noun.items():
            if phrase in self.phrases:
                vector[self.phrases[phrase]] += number
        return vector

    def fit(self, nouns):
        """Expectation and maximisation, a noun being of one class."""
        vectors = numpy.array([noun for noun in nouns if noun.sum() >= 5])
        weights = numpy.minimum(1, 50 / vectors.sum(1))
        for _ in range(12):
            logs = vectors @ numpy.log(self.emission) + numpy.log(self.prior)
            classes = numpy.exp(logs - logs.max(1, keepdims=True))
            classes /= classes.sum(1, keepdims=True)
            self.emission = vectors.T @ (classes * weights[:, None]) + 1e-2
            self.emission /= self.emission.sum(0)
            self.prior = classes.mean(0)

    def label(self, vector, tolerance):
        """The class of a noun whose phrases are nearly all explained by one gender, some of them by its plural.

        `tolerance`: how much likelihood each phrase may lose to a mixture of genders, a natural logarithm.
        """
        used = numpy.nonzero(vector)[0]
        emission, numbers = self.emission[used], vector[used]
        noise = 0.05 * emission @ self.prior

        def likelihood(shares):
            return numbers @ numpy.log(0.95 * emission @ shares + noise)

        shares = self.prior
        for _ in range(15):
            classes = emission * shares
            classes /= classes.sum(1, keepdims=True)
            shares = (classes * numbers[:, None]).sum(0) + 0.1 * self.prior
            shares = shares / shares.sum()
        of_class = {}
        for number, kind in enumerate(CLASSES):
            of_class[kind] = max(likelihood((1 - plural) * numpy.eye(4)[number] + plural * numpy.eye(4)[3])
                                 for plural in (0, 0.3, 0.6))
        order = sorted(CLASSES, key=lambda kind: (kind == "p", of_class[kind]))
        best, second = order[2], order[1]
        if of_class["p"] > of_class[best] - 1:
            return "p"
        is_clear = of_class[best] - of_class[second] > 3
        return best if is_clear and likelihood(shares) - of_class[best] < tolerance * numbers.sum() + 2 else "?"


def entry(table, word):
    """The longest entry that a word ends in."""
    if "^" + word in table:
        return table["^" + word]
    return next((table[word[at:]] for at in range(len(word)) if word[at:] in table), "?")


def table_of(nouns, mixture, tolerance=0.02):
    """The ends of words, each with a class that a shorter entry does not give."""
    ends = {}
    for noun, vector in nouns.items():
        vector = vector * min(1, 12 / vector.sum())
        for at in range(max(0, len(noun) - 14), len(noun) - 1):
            known = ends.setdefault(noun[at:], [0, 0])
            known[0], known[1] = known[0] + vector, known[1] + 1
    table = {}
    for end in sorted(ends, key=lambda end: (len(end), end)):
        vector, kinds = ends[end]
        is_head = len(end) >= 4 and end in nouns and nouns[end].sum() >= 15
        if is_head and kinds < 6:
            found = mixture.label(nouns[end], tolerance)
        elif kinds >= 3 and vector.sum() >= 12:
            found = mixture.label(vector, tolerance)
        else:
            continue
        if found != entry(table, end):
            table[end] = found
    for noun, vector in nouns.items():
        if vector.sum() >= 5:
            found = mixture.label(vector, 2 * tolerance)
            if found != entry(table, noun) and (found != "?" or vector.sum() >= 15):
                table["^" + noun] = found
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("output")
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    counts = count(options.data)
    mixture = Mixture(counts)
    nouns = {noun: mixture.vector(counts[noun]) for noun in sorted(counts) if noun.isalpha()}
    nouns = {noun: vector for noun, vector in nouns.items() if vector.sum() >= 2}
    mixture.fit(nouns.values())
    if options.held_out:
        names = list(nouns)
        test = set(numpy.random.default_rng(1).choice(names, len(names) // 10, replace=False))
        table = table_of({noun: nouns[noun] for noun in names if noun not in test}, mixture)
        known = {noun: mixture.label(nouns[noun], 0.02) for noun in sorted(test) if nouns[noun].sum() >= 15}
        answers = collections.Counter(
            "none" if entry(table, noun) in "?p" else "right" if entry(table, noun) == gender else "wrong"
            for noun, gender in known.items() if gender in "mfn")
        print(f"{len(nouns)} nouns; held out: {dict(answers)}")
    table = table_of(nouns, mixture)
    with open(options.output, "w", encoding="utf-8") as output:
        output.writelines(f"{end} {kind}\n" for end, kind in sorted(table.items()))
    print(f"{len(table)} entries")


if __name__ == "__main__":
    main()
