#!/usr/bin/env python3
"""Quality of the bundled models beside others: BLEU and chrF on test sets, and how they bear input that is not clean.

usage: cargo build --release && benches/bundled.py -d de en -m new=models/de-en [-m old=path] [--data data] [--held-out DIR] --json FILE [--card FILE]

Test sets are those of the data folder, and `test.NAME.de.gz` with `test.NAME.en.gz` of `--held-out`: the parts of the training sources that
`metaphrase corpus` set aside. Each model translates with beam 6 and `--normalize 1`. Scores and signatures come from `metaphrase evaluate`.

Robustness is the BLEU of one test set with a typing error in every tenth word, without capital letters, and without punctuation. Hostile
input is text that there is nothing to translate in; of it the report has the length of the answer, and the share of the input's words in it.

Long lines are lines of NTREX joined with spaces: BLEU in parts, as the model recommends, and whole (`--longest-sentence 0`).

`--speed` measures the time and the memory of Tatoeba's test set, and nothing else: one thread, the model loaded each time, models in turns, and the
fastest of five counts.

If the JSON file exists, what it has of models and parts that are not measured now stays; it is written after each part. `--card` writes the numbers into the tables of a model's card, whose
last two columns are the models `new` and `old`.
Only the standard library is needed.
"""

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import measured

ROOT = Path(__file__).resolve().parent.parent
SETS = {
    "news of NTREX": "ntrex128/test",
    "newstest2013": "wmt-news/newstest2013",
    "newstest2014": "wmt-news/newstest2014.de-en",
    "newstest2018": "wmt-news/newstest2018.de-en",
    "newstest2019": "wmt-news/newstest2019.{source}2{target}",
    "Tatoeba": "tatoeba-de-en/test",
    "PHP manual": "phpdoc-de-en/test",
    "Multi30k 2016": "multi30k/test_2016_flickr",
    "Multi30k 2017": "multi30k/test_2017_flickr",
}
# Options of what is timed.
TIMED = {
    "beam 6": [],
    "beam 1": ["-b", "1"],
    "a line at a time": ["-b", "1", "--batch-tokens", "1"],
}
TURNS = 5
# Lines that become one.
JOINED = {"one line": 1, "two lines": 2, "four lines": 4, "eight lines": 8}
HOSTILE = {
    "nearly empty": [".", "?", "-", "…", "1", "a", "( )", "***", "\"\"", "–"],
    "another language": [
        "Je voudrais un café, s'il vous plaît.",
        "Dove si trova la stazione?",
        "El perro duerme debajo de la mesa.",
        "Jag har förlorat mina nycklar.",
        "今日はとても暑いです。",
    ],
    "code": [
        "for (int i = 0; i < n; ++i) sum += a[i];",
        "SELECT name, age FROM users WHERE id = 42;",
        "let x = foo.bar(&baz)?;",
        "rm -rf /tmp/build && make -j4",
        '{"key": [1, 2, 3], "ok": true}',
    ],
    "addresses": [
        "https://www.example.com/a/b?c=d&e=f",
        "info@example.org",
        "C:\\Windows\\System32\\drivers",
        "192.168.0.1:8080",
        "/usr/share/doc/README.md",
    ],
    "emoji": ["😀", "👍👍👍", "❤️ 😂 🎉", "🐶🐱🐭", "🇩🇪 🇬🇧"],
}


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


class Bench:
    def __init__(self, program: Path, models: dict[str, str]):
        self.program, self.models = program, models

    def translate(self, model: str, source: list[str], *options: str) -> list[str]:
        command = [self.program, "translate", "-q", "-m", model, "-b", "6", "--normalize", "1", *options]
        text = "".join(line + "\n" for line in source)
        run = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
        return run.stdout.decode().split("\n")[:-1]

    def speed(self, source: list[str]) -> dict:
        words, timed = sum(len(line.split()) for line in source), {}
        with tempfile.TemporaryDirectory() as folder:
            text, one = Path(folder) / "text", Path(folder) / "one"
            text.write_text("".join(line + "\n" for line in source), encoding="utf-8")
            one.write_text(source[0] + "\n", encoding="utf-8")
            for name, options in TIMED.items():
                timed[name] = {
                    model: {"words per CPU second": round(words / taken.cpu), "MB": round(taken.peak_mb)}
                    for model, taken in self.fastest(text, *options).items()
                }
            timed["one sentence"] = {
                model: {"CPU ms": round(1000 * taken.cpu), "MB": round(taken.peak_mb)} for model, taken in self.fastest(one).items()
            }
        return timed

    def fastest(self, text: Path, *options: str) -> dict[str, measured.Taken]:
        turns: dict[str, list[measured.Taken]] = {name: [] for name in self.models}
        for _ in range(TURNS):
            for name, path in self.models.items():
                command = [self.program, "translate", "-q", "-m", path, "--threads", "1", *options]
                turns[name].append(measured.run(command, source=text))
        return {name: min(of) for name, of in turns.items()}

    def evaluate(self, translations: list[str], reference: Path) -> dict:
        command = [self.program, "evaluate", "--metric", "bleu,chrf", "--width", "1", reference]
        text = "".join(line + "\n" for line in translations)
        run = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
        # A line of sacreBLEU: name|signature = score …
        scores = re.findall(r"^(\w+)\d?\|(\S+) = ([\d.]+)", run.stdout.decode(), re.M)
        (_, signature, bleu), (_, _, chrf) = scores
        return {"bleu": float(bleu), "chrf": float(chrf), "signature": signature}

    def test_set(self, source: Path, reference: Path) -> dict:
        text = lines(source)
        return {
            "lines": len(text),
            "models": {name: self.evaluate(self.translate(path, text), reference) for name, path in self.models.items()},
        }

    def robustness(self, source: Path, reference: Path) -> dict:
        clean = lines(source)
        draw = random.Random(1)
        texts = {
            "clean": clean,
            "typing errors": [with_errors(line, draw) for line in clean],
            "no capital letters": [line.lower() for line in clean],
            "no punctuation": [re.sub(r"[.,;:!?\"„“”()–-]", "", line) for line in clean],
        }
        return {
            kind: {name: self.evaluate(self.translate(path, text), reference)["bleu"] for name, path in self.models.items()}
            for kind, text in texts.items()
        }

    def long_lines(self, source: list[str], reference: list[str]) -> dict:
        scores = {}
        for name, number in JOINED.items():
            texts, references = joined(source, number), joined(reference, number)
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
                file.write("".join(line + "\n" for line in references))
                file.flush()
                of = {model: [self.translate(path, texts, *whole) for whole in ((), ("--longest-sentence", "0"))] for model, path in self.models.items()}
                scores[name] = {
                    model: dict(zip(("in parts", "whole"), (self.evaluate(text, Path(file.name))["bleu"] for text in both)))
                    for model, both in of.items()
                }
        return scores

    def hostile(self, source: list[str]) -> dict:
        texts = dict(HOSTILE)
        texts["capital letters"] = [line.upper() for line in source[:50]]
        texts["300 words"] = [" ".join(" ".join(source).split()[300 * i : 300 * (i + 1)]) for i in range(5)]
        return {
            kind: {name: self.answers(path, text) for name, path in self.models.items()} for kind, text in texts.items()
        }

    def answers(self, model: str, text: list[str]) -> dict:
        answers = self.translate(model, text)
        copied = [len(set(line.split()) & set(answer.split())) / len(set(line.split())) for line, answer in zip(text, answers)]
        ratio = sum(map(len, answers)) / sum(map(len, text))
        longest = max(len(answer) / len(line) for line, answer in zip(text, answers))
        return {"length ratio": round(ratio, 2), "longest": round(longest, 2), "copied": round(sum(copied) / len(copied), 2)}


def joined(lines: list[str], number: int) -> list[str]:
    """Each this number of lines as one."""
    return [" ".join(lines[at : at + number]) for at in range(0, len(lines), number)]


def with_errors(line: str, draw: random.Random) -> str:
    """A letter left out, doubled, or swapped with the next one, in every tenth word of more than three letters."""
    words = line.split(" ")
    for at, word in enumerate(words):
        if len(word) > 3 and draw.random() < 0.1:
            i = draw.randrange(len(word) - 1)
            words[at] = draw.choice(
                [word[:i] + word[i + 1 :], word[:i] + word[i] + word[i:], word[:i] + word[i + 1] + word[i] + word[i + 2 :]]
            )
    return " ".join(words)


def merged(before: dict, now: dict) -> dict:
    """`before` with all that is in `now`."""
    return before | {key: merged(before.get(key, {}), value) if isinstance(value, dict) else value for key, value in now.items()}


def rows(results: dict) -> dict[str, list[str]]:
    """What the rows of a card say of the models `new` and `old`, by the names of the rows."""
    def scores(of: dict) -> list[str]:
        return [f"{of['models'][model]['bleu']} / {of['models'][model]['chrf']}" for model in ("new", "old")]

    def answers(of: dict) -> list[str]:
        return [f"{of[model]['length ratio']}, {of[model]['longest']:g}, {of[model]['copied']:.0%}".replace("%", " %") for model in ("new", "old")]

    def time(of: dict) -> list[str]:
        return [", ".join(f"{number:,} {unit}" for unit, number in of[model].items()) for model in ("new", "old")]

    timed = {name: time(of) for name, of in results.get("speed", {}).items()}
    tests = {name.removeprefix("held out: "): scores(of) for name, of in results.get("sets", {}).items()}
    errors = {name: [str(of["new"]), str(of["old"])] for name, of in results.get("robustness, Tatoeba", {}).items()}
    long = {name: [str(of["new"][how]) for how in ("in parts", "whole")] for name, of in results.get("long lines, NTREX", {}).items()}
    return timed | tests | errors | long | {name: answers(of) for name, of in results.get("hostile input", {}).items()}


def write_card(card: Path, results: dict) -> None:
    """The card with the numbers of `results`. A row's name is its first cell up to a comma."""
    known, lines = rows(results), card.read_text(encoding="utf-8").split("\n")
    for at, line in enumerate(lines):
        cells = line.split(" | ")
        if line.startswith("| ") and (numbers := known.get(cells[0][2:].split(",")[0])) and cells[-1][:1].isdigit():
            lines[at] = " | ".join([*cells[:-2], *numbers]) + " |"
    card.write_text("\n".join(lines), encoding="utf-8")


def write(results: dict, args: argparse.Namespace) -> None:
    """The JSON file, and the card if there is one, with `results` in them."""
    if args.json.exists():
        results = merged(json.loads(args.json.read_text(encoding="utf-8")), results)
    args.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if args.card:
        write_card(args.card, results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/metaphrase")
    parser.add_argument("-d", "--direction", nargs=2, required=True, metavar="LANGUAGE")
    parser.add_argument("-m", "--model", action="append", required=True, metavar="NAME=PATH")
    parser.add_argument("--data", type=Path, default=ROOT / "../shared/data")
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--speed", action="store_true", help="measure time and memory, not quality")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="a test set or another part of the report (several times)")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--card", type=Path)
    args = parser.parse_args()
    source, target = args.direction
    bench = Bench(args.program, dict(model.split("=", 1) for model in args.model))

    paths = {name: args.data / path.format(source=source, target=target) for name, path in SETS.items()}
    files = {name: (Path(f"{path}.{source}.gz"), Path(f"{path}.{target}.gz")) for name, path in paths.items()}
    held_out = sorted(args.held_out.glob(f"test.*.{source}.gz")) if args.held_out else []
    for path in held_out:
        name = path.name.removeprefix("test.").removesuffix(f".{source}.gz")
        files.setdefault(f"held out: {name}", (path, path.with_name(f"test.{name}.{target}.gz")))
    if args.speed:
        return write({"speed": bench.speed(lines(files["Tatoeba"][0]))}, args)
    others = {
        "robustness, Tatoeba": lambda: bench.robustness(*files["Tatoeba"]),
        "hostile input": lambda: bench.hostile(lines(files["news of NTREX"][0])),
        "long lines, NTREX": lambda: bench.long_lines(*map(lines, files["news of NTREX"])),
    }
    known = [*files, *others]
    if unknown := [name for name in args.only if name not in known]:
        sys.exit(f"--only {unknown[0]}: there is no such part, but {', '.join(known)}")
    for name in args.only or known:
        results: dict = {"direction": f"{source}-{target}", "options": "beam 6, --normalize 1"}
        if name in others:
            results[name] = others[name]()
            print(name, json.dumps(results[name], indent=1, ensure_ascii=False), flush=True)
        else:
            text, reference = files[name]
            if not text.exists() or not reference.exists():
                sys.exit(f"{text} or {reference} is missing")
            results["sets"] = {name: bench.test_set(text, reference)}
            print(name, {m: (s["bleu"], s["chrf"]) for m, s in results["sets"][name]["models"].items()}, flush=True)
        write(results, args)


if __name__ == "__main__":
    main()
