"""Every file and input format, mutated."""

import gzip
import shutil
from pathlib import Path

import seeds as small
from attacks import mutate
from attacks.mutate import TOKENS

LINES = b"a b c\nd e\n\nf g h i j\n"
RECIPE = """[data]
train = [{ source = "train.x", target = "train.y" }]
dev = { source = "dev.x", target = "dev.y" }
[vocabulary.files]
source = "words.txt"
target = "words.txt"
[model.architecture.transformer]
dim-emb = 16
heads = 2
encoder-depth = 1
decoder-depth = 1
encoder-ffn = { dim = 32, depth = 2 }
decoder-ffn = { dim = 32, depth = 2 }
activation = "relu"
preprocess = ""
postprocess = "an"
postprocess-emb = ""
postprocess-top = ""
decoder-layer = "self-attention"
tied-embeddings = { source-target = true, target-output = true }
tied-layers = []
positions = "sinusoidal-marian"
scale-embeddings = true
alignment-layer = 1
attention-projection = true
layer-norm-epsilon = 1e-6
output-bias = true
[training]
updates = 4
batch = { size = { words = 60 }, window = 3 }
[training.update]
dropout = { layer = 0.1 }
loss = { label-smoothing = 0.1 }
[training.update.optimizer]
schedule = { rate = 0.003, warmup = 5 }
clip-norm = 1.0
[validation]
every = 2
beam-size = 2
keep = 3
"""


def training_text(folder: Path) -> None:
    words = [f"w{i}" for i in range(20)]
    line = lambda i: [words[(i * 7 + k * 3) % 20] for k in range(2 + i % 5)]
    for name, numbers in [("train", range(60)), ("dev", range(60, 70))]:
        (folder / f"{name}.x").write_text("".join(" ".join(line(i)) + "\n" for i in numbers))
        (folder / f"{name}.y").write_text("".join(" ".join(reversed(line(i))) + "\n" for i in numbers))
    (folder / "words.txt").write_text("\n".join(["</s>", "<unk>", *words]) + "\n")


def prepare(campaign, testdata: Path, models: Path, to: Path) -> None:
    """Sound files of every format."""
    def run(*args, text=b""):
        outcome = campaign.run(args, to, text)
        assert outcome.code == 0, (args, outcome.stderr)

    shutil.copytree(testdata / "models/marian-tiny", to / "npz")
    shutil.copytree(testdata / "models/hugging-face-tied", to / "hf")
    run("convert", "-m", "npz", "--to", "own")
    (to / "bin").mkdir()
    (to / "bin/model.bin").write_bytes(small.marian_bin((to / "npz/model.npz").read_bytes()))
    shutil.copy(to / "npz/vocab.yml", to / "bin/vocab.yml")
    shutil.copytree(to / "npz", to / "opus")
    options = "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - vocab.yml\n  - vocab.yml\nbeam-size: 6\nnormalize: 1\n"
    (to / "opus/decoder.yml").write_text(options)
    shutil.copytree(testdata / "text/sentencepiece", to / "spm", ignore=shutil.ignore_patterns("*.json", "*nfkc*"))
    for name in ["small.arpa", "small.bin", "small.q.bin"]:
        shutil.copy(testdata / "ngram" / name, to / name)
    shutil.copytree(testdata / "phrase/tiny", to / "phrase")
    shutil.copytree(to / "phrase", to / "compiled")
    run("phrase", "compile", "-m", "phrase", "-o", "compiled/tables.bin")
    ini = (to / "compiled/moses.ini").read_text().splitlines()
    plain = [line.replace("path=table", "path=tables.bin") for line in ini if not line.startswith("LexicalReordering ")]
    (to / "compiled/moses.ini").write_text("\n".join(plain) + "\n")
    (to / "recipe").mkdir()
    training_text(to / "recipe")
    (to / "recipe/recipe.toml").write_text(RECIPE)
    run("train", "-c", "recipe/recipe.toml", "-o", "recipe/run", "--threads", "1")


def copied(seeds: Path, folder: Path, name: str) -> Path:
    to = folder / name
    (shutil.copytree if (seeds / name).is_dir() else shutil.copy)(seeds / name, to)
    return to


def file(seeds, name, victim, args, text=LINES, change=mutate.mutate, sums=None, sound=None):
    """Changes the file `victim` of a copy of `name`, and runs the program on it. `sums` repairs checksums. With `sound`, the
    file has a checksum that is not repaired, so that any change has to be refused."""
    def attack(campaign, source, folder):
        copy = copied(seeds, folder, name)
        path = copy / victim if victim else copy
        before = path.read_bytes()
        changed = change(source, before)
        path.write_bytes(changed)
        if sums:
            sums(copy)
        outcome = campaign.run(args, folder, text)
        kind = outcome.kind()
        if sound and kind == "accepted" and changed != before:
            kind = "a changed file was accepted"
        campaign.count("formats", f"{name.split('/')[0]} {victim}".strip() + (" (as it is)" if sound else ""), kind, args, folder, text,
                       outcome.stderr)
    return (name, attack)


def lines(name, args, text, files=(), tokens=TOKENS, seeds=None, count=True):
    """Changes the input of a command; as many lines have to come out."""
    def attack(campaign, source, folder):
        for other in files:
            copied(seeds, folder, other)
        changed = mutate.mutate(source, text, tokens)
        packed = source.random() < 0.1
        given = gzip.compress(changed) if packed else changed
        if packed and source.random() < 0.5:
            given = mutate.mutate(source, given)
        (folder / ("input.gz" if packed else "input")).write_bytes(given)
        full = [*args, "-i", "input.gz"] if packed else args
        outcome = campaign.run(full, folder, b"" if packed else changed)
        kind = outcome.kind()
        expected = changed.count(b"\n") + (not changed.endswith(b"\n") and changed != b"")
        if count and not packed and kind == "accepted" and outcome.stdout.count(b"\n") != expected:
            kind = f"{outcome.stdout.count(bytes([10]))} lines for {expected}"
        campaign.count("formats", name, kind, full, folder, changed, outcome.stderr)
    return (name, attack)


def given(name, args, files, text=LINES):
    """Changes one of several small files that are given on the command line."""
    def attack(campaign, source, folder):
        for path, content in files.items():
            (folder / path).write_bytes(content)
        victim = source.choice(sorted(files))
        (folder / victim).write_bytes(mutate.mutate(source, files[victim]))
        outcome = campaign.run(args, folder, text)
        campaign.count("formats", name, outcome.kind(), args, folder, text, outcome.stderr)
    return (name, attack)


def attacks(campaign, seeds: Path):
    one = ["--threads", "1"]
    translate = lambda model, *more: ["translate", "-m", model, "-b", "2", *one, *more]
    own = lambda folder: mutate.checksums(folder, ["model.safetensors", "source.vocab.yml", "source.spm"])
    phrase = ["phrase", "translate", *one, "-m"]
    resume = ["train", "-c", "recipe/recipe.toml", "-o", "recipe/run", "--resume", "--set", "training.updates=5", *one]
    checkpoint = "run/checkpoint-4/"
    sums = lambda folder: mutate.checksums(folder / "run/checkpoint-4", ["tensors.safetensors", "state.json"])
    spm = sorted(path.name for path in (seeds / "spm").iterdir())
    tiny = translate("npz", "--batch-tokens", "64")
    bundled = ["translate", "-b", "2", *one]
    text = b"The house is old.\nHe took a cab home.\n\nGood morning!\n"
    german, english = b"das haus\ndas buch\nein Haus\n", b"the house\nthe book\na house\n"
    request = b'{"text": "The house is old.", "constraints": ["Haus", ["alt", "\xc3\xa4lter"]], "avoid": ["ist"], "target_prefix": "Das", "id": 7}\n'
    return [
        file(seeds, "npz", "model.npz", translate("npz"), change=mutate.archive),
        file(seeds, "npz", "model.npz", translate("npz")),
        file(seeds, "npz", "vocab.yml", translate("npz")),
        file(seeds, "bin", "model.bin", translate("bin")),
        file(seeds, "own", "model.safetensors", translate("own"), change=mutate.tensors, sums=own),
        file(seeds, "own", "model.safetensors", translate("own"), sound=True),
        file(seeds, "own", "source.vocab.yml", translate("own"), sums=own),
        file(seeds, "own", "source.vocab.yml", translate("own"), sound=True),
        file(seeds, "own", "config.toml", translate("own")),
        file(seeds, "own", "checksums", ["inspect", "--check", "own"]),
        file(seeds, "hf", "model.safetensors", ["inspect", "hf"], change=mutate.tensors),
        file(seeds, "hf", "config.json", ["inspect", "hf"]),
        file(seeds, "hf", "generation_config.json", ["inspect", "hf"]),
        file(seeds, "opus", "decoder.yml", translate("opus")),
        *(file(seeds, "spm", name, ["tokenize", "--vocabulary", f"spm/{name}"], text) for name in spm),
        file(seeds, "small.arpa", "", ["lm", "query", "-m", "small.arpa"]),
        file(seeds, "small.bin", "", ["lm", "query", "-m", "small.bin"], change=mutate.compiled),
        file(seeds, "small.bin", "", ["lm", "query", "-m", "small.bin"], sound=True),
        file(seeds, "small.q.bin", "", ["lm", "compile", "-m", "small.q.bin", "--arpa"], change=mutate.compiled),
        file(seeds, "phrase", "table", [*phrase, "phrase"]),
        file(seeds, "phrase", "moses.ini", [*phrase, "phrase"]),
        file(seeds, "phrase", "lm.arpa", [*phrase, "phrase"]),
        file(seeds, "compiled", "tables.bin", [*phrase, "compiled"], change=mutate.compiled),
        file(seeds, "compiled", "tables.bin", [*phrase, "compiled"], sound=True),
        file(seeds, "recipe", "recipe.toml", ["train", "-c", "recipe/recipe.toml", "-o", "new", *one]),
        file(seeds, "recipe", "train.x", ["train", "-c", "recipe/recipe.toml", "-o", "new", *one]),
        file(seeds, "recipe", checkpoint + "tensors.safetensors", resume, change=mutate.tensors, sums=sums),
        file(seeds, "recipe", checkpoint + "state.json", resume, sums=sums),
        file(seeds, "recipe", checkpoint + "tensors.safetensors", resume, sound=True),
        lines("lines to translate", tiny, LINES, ["npz"], seeds=seeds),
        lines("lines to translate, bundled model", bundled, text),
        lines("JSON lines", [*bundled, "--input-format", "json", "--output-format", "json"], request * 2),
        lines("TSV lines", [*bundled, "--input-format", "tsv"], b"The house.\tHaus\tGeb\xc3\xa4ude\nHe took a cab.\tTaxi\n"),
        lines("tokenised lines", ["tokenize", "-l", "de", "--escape"], text),
        lines("detokenised lines", ["detokenize", "-l", "en"], text),
        lines("lines of marked text", [*phrase, "phrase", "--xml-input", "exclusive"], b'das <n translation="house">Haus</n> ist\n',
              ["phrase"], seeds=seeds),
        lines("lines to query", ["lm", "query", "-m", "small.bin", "--level", "sentence"], LINES, ["small.bin"], seeds=seeds),
        lines("text of a language model", ["lm", "estimate", "--order", "2", "--discount-fallback"], LINES * 4, count=False),
        given("glossary", [*bundled, "--glossary", "terms.tsv"], {"terms.tsv": "house\tHaus\tGebäude\n# x\ncab\tTaxi\n".encode()}, text),
        given("prefixes", [*bundled, "--prefix", "starts"], {"starts": b"Das\n\n\nGuten\n"}, text),
        given("pairs to score", ["score", "source", "target", *one], {"source": text, "target": "Das Haus.\nEr.\n\nMorgen!\n".encode()}, b""),
        given("n-best list to score", ["score", "--n-best", "list", "--source", "source", *one],
              {"source": text, "list": b"0 ||| Das Haus ||| F0= -1 ||| -1\n3 ||| Guten Morgen ||| F0= -2 ||| -2\n"}, b""),
        given("texts to evaluate", ["evaluate", "--metric", "bleu,chrf,ter", "reference", "-i", "hypothesis"],
              {"reference": english * 3, "hypothesis": english + german + english}, b""),
        given("texts to align", ["align", "de", "en", *one], {"de": german * 4, "en": english * 4}, b""),
        given("alignment to extract from", ["extract", "de", "en", "links", "-o", "tables"],
              {"de": german, "en": english, "links": b"0-0 1-1\n0-0 1-1\n0-0 1-1\n"}, b""),
    ]
