"""Noise in the source of pairs, as `metaphrase corpus` adds it (docs/corpus.md), for text that is made where the training runs.

It has no changed names. A pair of the result is one more pair: the clean one stays in the text, too.
"""

import random, re

CLEAN = dict(lower=0.02, typos=0.02, stop=0.02, punctuation=0.03, space=0.01, upper=0.01, joined=0.05, copied=0.04, marks=0.5)
EVERYDAY = dict(lower=0.03, typos=0.03, stop=0.02, upper=0.01, joined=0.2)
MARKS = [("„", "“"), ("“", "”"), ("‘", "’"), ("»", "«"), ("«", "»"), ('"', '"'), ("'", "'")]
QUOTED = re.compile(r'["„“]([^"„“”]+)["“”]')
COPIES = ["🙂", "😂", "👍", "❤️", "🎉", "☀️", "北京", "東京", "Москва", "안녕", "ελληνικά", "5 €", "§ 12", "007", "#heute", "@lena", "v2.3.1", "A4", "☕"]


def typo(word, r):
    """The word with a letter left out, twice, exchanged with the next one, or another."""
    i = r.randrange(len(word) - 1)
    return r.choice((word[:i] + word[i + 1 :], word[: i + 1] + word[i:], word[:i] + word[i + 1] + word[i] + word[i + 2 :], word[:i] + r.choice("aeinrst") + word[i + 1 :]))


def typos(source, r):
    words = source.split(" ")
    long = [i for i, w in enumerate(words) if len(w) > 3 and w.isalpha()]
    for i in r.sample(long, min(len(long), 1 + len(words) // 12)):
        words[i] = typo(words[i], r)
    return " ".join(words)


def copy(source, target, r):
    """Both sides with the same sign, number or address at the end or at the beginning."""
    x = r.choice((*COPIES, str(r.randrange(10**5, 10**9)), f"https://www.{r.choice(('beispiel', 'example', 'test'))}.org/{r.randrange(999)}", f"info{r.randrange(99)}@example.org"))
    return (f"{source} {x}", f"{target} {x}") if r.random() < 0.7 else (f"{x} {source}", f"{x} {target}")


def changed(kind, source, target, following, r):
    """A pair with noise of a kind, or nothing."""
    if kind == "lower":
        return source.lower(), target
    if kind == "upper":
        return (source.upper(), target.upper()) if len(source) < 100 else None
    if kind == "typos":
        return typos(source, r), target
    if kind == "stop":
        return (source[:-1], target) if source.endswith(".") else None
    if kind == "punctuation":
        return (re.sub(r"[.,;:!?]+(?= |$)", "", source), target) if source.count(" ") > 3 else None
    if kind == "space":
        return r.choice((source.replace(" ", "  "), re.sub(r"([,:]) ", r"\1", source))), target
    if kind == "copied":
        return copy(source, target, r)
    if kind == "marks":
        a, b = r.choice(MARKS)
        return (QUOTED.sub(lambda m: a + m[1] + b, source), target) if QUOTED.search(source) else None
    return (f"{source} {following[0]}", f"{target} {following[1]}") if len(source) + len(following[0]) < 400 else None


def noisy(job):
    """(shares of the kinds, number for the draws, pairs of (weight, source, target)) -> the pairs with noise alone."""
    shares, seed, rows = job
    r, out = random.Random(seed), []
    for i, (w, s, t) in enumerate(rows):
        for kind, share in shares.items():
            pair = changed(kind, s, t, rows[(i + 1) % len(rows)][1:], r) if r.random() < share else None
            if pair and pair[0].strip() and pair != (s, t):
                out.append((w, *pair))
    return out
