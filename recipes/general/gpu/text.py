"""The text of a stage as words: reads tab-separated files, makes SentencePiece's words of them on all cores, keeps them as arrays of numpy.

usage: text.py DATA EVERYDAY CACHE [PAIRS]

DATA has the files that README.md names, and source.spm. EVERYDAY is the folder of `make.py`, which makes PAIRS of all templates (200,000) and 20,000 of the
templates of NEW. Its folder `written` has whole pairs, English and German.
"""

import collections, glob, gzip, hashlib, multiprocessing, os, re, shutil, subprocess, sys, time
import numpy as np
import noise

LONGEST = 160
# Longer lines of text in one language take too long to translate.
LONGEST_MONO = 90
DIRECTIONS = ("en-de", "de-en")
# Templates whose lines a pass has more often.
NEW = ("fixed", "fixed2", "fixed3", "names_alone", "words", "phrases", "everyday2", "products")
SP = ID = BYTES = None


def start(model):
    """Reads the vocabulary; the processes that are forked later have it, too."""
    global SP, ID, BYTES
    import sentencepiece

    SP = sentencepiece.SentencePieceProcessor(model_file=model)
    ID = {SP.id_to_piece(i): i for i in range(SP.get_piece_size())}
    BYTES = np.array([SP.is_byte(i) or SP.is_unknown(i) for i in range(SP.get_piece_size())])


def pool():
    return multiprocessing.get_context("fork").Pool(max(2, min(15, os.cpu_count() - 1)))


def flat(rows):
    """Words of lines with the end of each, and their lengths."""
    return np.array([w for r in rows for w in r + [0]], np.uint16), np.array([len(r) + 1 for r in rows], np.int32)


def pairs(job):
    """Lines of (weight, source, target) -> words and lengths of the sources, of the targets, and the weights."""
    pieces, rows = job
    x = [[ID[p] for p in r[1].split(" ")] for r in rows] if pieces else SP.encode([r[1] for r in rows], num_threads=1)
    y = SP.encode([r[2] for r in rows], num_threads=1)
    k = [i for i in range(len(rows)) if 0 < len(x[i]) < LONGEST and 0 < len(y[i]) < LONGEST]
    return *flat([x[i] for i in k]), *flat([y[i] for i in k]), np.array([float(rows[i][0]) for i in k])


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return f.read().split("\n")[:-1]


def many(pool, function, rows, *first):
    """Calls the function for parts of the rows, and joins what it returns."""
    parts = pool.map(function, [(*first, rows[i : i + 10000]) for i in range(0, len(rows), 10000)], chunksize=1)
    return [np.concatenate(column) for column in zip(*parts)]


def mono(job):
    (rows,) = job
    return flat([r for r in SP.encode(rows, num_threads=1) if 2 < len(r) < LONGEST_MONO])


def likely(words, target):
    """Whether a translation back has no loop, no strange length and no letter that the vocabulary lacks."""
    if words is None or not 0 < len(words) < LONGEST:
        return False
    a, b = len(words) + 5, len(target) + 5
    if a > 1.6 * b or b > 1.6 * a or BYTES[words].any() or BYTES[target].any():
        return False
    seen = collections.Counter(zip(words.tolist(), words[1:].tolist(), words[2:].tolist()))
    return not seen or max(seen.values()) <= 2


def back(job):
    """(translation by a model, real line) -> pairs whose source begins with the piece `<0x04>`, in the words that SentencePiece makes of the text."""
    (rows,) = job
    rows = [(w, t) for w, t in rows if likely(w, t)]
    text = SP.decode([w.tolist() for w, _ in rows])
    again = SP.encode(text, num_threads=1)
    kept = [([ID["<0x04>"]] + w, t.tolist()) for w, (_, t) in zip(again, rows) if w and w != t.tolist()]
    return *flat([w for w, _ in kept]), *flat([t for _, t in kept]), np.ones(len(kept))


def split(words, lengths):
    """The lines of flat words, without their ends."""
    at = np.cumsum(lengths.astype(np.int64))
    return [words[b - n : b - 1] for b, n in zip(at.tolist(), lengths.tolist())]


def started(everyday, work, direction, pairs, names=None):
    """Starts `make.py`; only for some files of templates if `names` has any."""
    os.makedirs(work, exist_ok=True)
    root = everyday
    if names:
        root = f"{work}/root"
        os.makedirs(f"{root}/templates", exist_ok=True)
        shutil.copytree(f"{everyday}/fillers", f"{root}/fillers", dirs_exist_ok=True)
        for n in names:
            shutil.copy(f"{everyday}/templates/{n}.tsv", f"{root}/templates")
    command = [sys.executable, f"{everyday}/make.py", "-o", work, "--direction", direction, "--pairs", str(pairs), "--root", root]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def marked(text):
    """The German side with German quotation marks."""
    return re.sub(r'"([^"]*)"', "„\\1“", text)


def made(work, process, direction, unseen):
    """What `make.py` wrote, as (weight, source, target), without the lines of test sets."""
    assert process.wait() == 0, work
    sides = [gzip.open(f"{work}/everyday.{l}.gz", "rt", encoding="utf-8", newline="\n").read().split("\n")[:-1] for l in ("en", "de")]
    return seen(work, zip(*sides, strict=True), direction, unseen)


def written(everyday, direction, unseen):
    """The pairs that were written one by one, as (weight, source, target), without the lines of test sets."""
    rows = [line.split("\t") for path in sorted(glob.glob(f"{everyday}/written/*.tsv")) for line in lines(path) if not line.startswith("#")]
    return seen("written", rows, direction, unseen)


def seen(name, rows, direction, unseen):
    hidden = lambda line: hashlib.sha1(line.encode()).hexdigest() in unseen
    all = list(rows)
    kept = [(e, marked(g)) for e, g in all if not hidden(e) and not hidden(g)]
    print(f"{name}: {len(kept)} pairs, without {len(all) - len(kept)} of test sets", flush=True)
    return [(1.0, e, g) if direction == "en-de" else (1.0, g, e) for e, g in kept]


def with_noise(pool, shares, rows):
    return [row for part in pool.map(noise.noisy, [(shares, i, rows[i : i + 10000]) for i in range(0, len(rows), 10000)], chunksize=1) for row in part]


def make(data, everyday, cache, number=200000):
    begun = time.time()
    os.makedirs(cache, exist_ok=True)
    start(f"{data}/source.spm")
    running = {d: (started(everyday, f"{cache}/every.{d}", d, number), started(everyday, f"{cache}/new.{d}", d, min(20000, number), NEW)) for d in DIRECTIONS}
    unseen = set(lines(f"{data}/unseen"))
    with pool() as p:

        def put(name, arrays):
            np.savez(f"{cache}/{name}.npz", *arrays)
            print(f"[{time.time() - begun:.0f}] {name}: {len(arrays[1])} lines, {' and '.join(str(len(a)) for a in arrays[:4:2])} words", flush=True)

        clean = [l.split("\t") for l in lines(f"{data}/clean.tsv")]
        put("clean", many(p, pairs, clean, False))
        for l in ("en", "de"):
            put(f"mono.{l}", many(p, mono, lines(f"{data}/mono.{l}")))
        for n in ("news", "dev", "test"):
            put(n, many(p, pairs, [(1.0, *pair) for pair in zip(lines(f"{data}/{n}.en"), lines(f"{data}/{n}.de"), strict=True)], False))
        for d in DIRECTIONS:
            rows = clean if d == "en-de" else [(w, y, x) for w, x, y in clean]
            put(f"noise.{d}", many(p, pairs, with_noise(p, noise.CLEAN, [(1.0, *r[1:]) for r in rows]), False))
            terms = [(1.0, *pair) for pair in zip(lines(f"{data}/terms.{d}.src"), lines(f"{data}/terms.{d}.tgt"), strict=True)]
            put(f"terms.{d}", many(p, pairs, terms, True))
        for d, (every, new) in running.items():
            rows = made(f"{cache}/every.{d}", every, d, unseen)
            put(f"every.{d}", many(p, pairs, rows + with_noise(p, noise.EVERYDAY, rows), False))
            put(f"new.{d}", many(p, pairs, made(f"{cache}/new.{d}", new, d, unseen), False))
            rows = written(everyday, d, unseen)
            put(f"written.{d}", many(p, pairs, rows + with_noise(p, noise.EVERYDAY, rows), False))


if __name__ == "__main__":
    make(*sys.argv[1:4], *map(int, sys.argv[4:5]))
