#!/usr/bin/env python3
"""Phrase-based training beside the pipeline of Moses: fast_align, lmplz, Moses' tables, its MERT and its decoder.

    compare_phrase_training.py --metaphrase target/release/metaphrase --moses mosesdecoder --fast-align fast_align/build \
        --kenlm kenlm/build/bin --text tatoeba-de-en/train --dev tatoeba-de-en/dev --test tatoeba-de-en/test \
        --languages de en [--dev-lines 600] [--threads 2] [--only ours] --work DIR --json figures.json

Texts are `PREFIX.LANGUAGE.gz`, raw. Both systems get the same tokens, cased: those of `metaphrase tokenize --escape`, which
are Moses' own. Moses is trained as its manual says: both directions of fast_align, grow-diag-final-and, phrases of up to 7
words, Good-Turing smoothing, msd-bidirectional-fe, a 5-gram model of lmplz, MERT on 100 distinct best translations. BLEU is
that of detokenised text (sacreBLEU's 13a); beside it wall and CPU seconds of each stage. Last, Moses translates with the
model that we have trained, and its scores are compared with ours.
"""

import argparse
import gzip
import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path


class Stages:
    """Runs commands and takes their time."""

    def __init__(self, folder):
        self.folder, self.seconds = folder, {}

    def run(self, stage, command, stdin=None, stdout=None):
        """Runs a shell command in the work folder; its messages go to a log."""
        begun, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(self.folder / f"{stage.replace(' ', '-')}.log", "ab") as log:
            source = open(self.folder / stdin, "rb") if stdin else subprocess.DEVNULL
            target = open(self.folder / stdout, "wb") if stdout else log
            command = " ".join(command.split())
            subprocess.run(["bash", "-c", command], cwd=self.folder, stdin=source, stdout=target, stderr=log, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        wall, cpu = self.seconds.get(stage, (0, 0))
        self.seconds[stage] = (wall + time.time() - begun, cpu + used)
        print(f"{stage}: {time.time() - begun:.1f} s, {used:.1f} CPU s", flush=True)

    def table(self):
        """Seconds of wall and CPU by stage."""
        return {stage: {"wall": round(wall, 1), "cpu": round(cpu, 1)} for stage, (wall, cpu) in self.seconds.items()}


def prepare(args, folder):
    """Writes the tokenised texts."""
    limits = {"dev": args.dev_lines}
    for name in ("text", "dev", "test"):
        for language in args.languages:
            with gzip.open(f"{getattr(args, name)}.{language}.gz", "rt", encoding="utf-8", newline="\n") as file:
                lines = file.read().split("\n")[:-1][: limits.get(name)]
            raw = "".join(line + "\n" for line in lines)
            (folder / f"{name}.raw.{language}").write_text(raw, encoding="utf-8")
            command = [args.metaphrase, "tokenize", "-l", language, "--escape"]
            tokens = subprocess.run(command, input=raw.encode(), stdout=subprocess.PIPE, check=True).stdout
            (folder / f"{name}.{language}").write_bytes(tokens)


def bleu(args, folder, output):
    """BLEU of tokenised translations, detokenised."""
    target = args.languages[1]
    with open(folder / output, "rb") as file:
        command = [args.metaphrase, "detokenize", "-l", target, "--escape"]
        text = subprocess.run(command, stdin=file, stdout=subprocess.PIPE, check=True).stdout
    command = [args.metaphrase, "evaluate", "--metric", "bleu", str(folder / f"test.raw.{target}")]
    result = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout.decode()
    return float(re.search(r"= ([\d.]+)", result).group(1))


def translate_ours(args, folder, stages, name, model):
    """Metaphrase's translation by one of its models: BLEU, and the seconds of all stages."""
    translated = f"{Path(model).stem}.out"
    stages.run(
        f"{name} translating", f"{args.metaphrase} phrase translate -m {model} --threads {args.threads}",
        stdin=f"test.{args.languages[0]}", stdout=translated,
    )  # fmt: skip
    return {"bleu": bleu(args, folder, translated), "seconds": stages.table()}


def train_ours(args, folder):
    """Metaphrase's training; the model is `ours`."""
    source, target = args.languages
    stages = Stages(folder)
    stages.run(
        "ours training",
        f"""{args.metaphrase} --log info phrase train text.{source} text.{target} --dev dev.{source} dev.{target}
        --method mert --threads {args.threads} -o ours""",
    )
    return translate_ours(args, folder, stages, "ours", "ours")


def tune_mira(args, folder):
    """MIRA instead of MERT on the tables of `ours`."""
    source, target = args.languages
    stages = Stages(folder)
    stages.run(
        "ours mira",
        f"""{args.metaphrase} --log info phrase tune -m ours/moses.untuned.ini dev.{source} dev.{target}
        --method mira --threads {args.threads} -o ours/mira.ini""",
    )
    return translate_ours(args, folder, stages, "ours mira", "ours/mira.ini")


def train_moses(args, folder):
    """The peers' training; the model is `mert/moses.ini`."""
    source, target = args.languages
    stages = Stages(folder)
    both = [" ||| ".join(pair) for pair in zip(*((folder / f"text.{l}").read_text().split("\n")[:-1] for l in args.languages))]
    (folder / "both").write_text("".join(line + "\n" for line in both))
    fast_align = f"{args.fast_align}/fast_align -i both -d -o -v"
    (folder / "model").mkdir(exist_ok=True)
    stages.run("align", fast_align, stdout="forward.align")
    stages.run("align", fast_align + " -r", stdout="backward.align")
    stages.run(
        "align", f"{args.fast_align}/atools -i forward.align -j backward.align -c grow-diag-final-and",
        stdout="model/aligned.grow-diag-final-and",
    )  # fmt: skip
    stages.run(
        "language model",
        f"{args.kenlm}/lmplz -o 5 --discount_fallback -S 1G -T . < text.{target} > lm.arpa && {args.kenlm}/build_binary lm.arpa lm.bin",
    )
    stages.run(
        "tables",
        f"""{args.moses}/scripts/training/train-model.perl -root-dir . -corpus text -f {source} -e {target}
        -alignment grow-diag-final-and -reordering msd-bidirectional-fe -lm 0:5:{folder}/lm.bin:8
        -score-options '--GoodTuring --MinScore 2:0.0001' -cores {args.threads} -first-step 4 -last-step 9
        -external-bin-dir {args.fast_align}""",
    )
    flags = f"-threads {args.threads} -s 100"
    stages.run(
        "tuning",
        f"""{args.moses}/scripts/training/mert-moses.pl dev.{source} dev.{target} {args.moses}/bin/moses model/moses.ini
        --mertdir {args.moses}/bin --working-dir {folder}/mert --decoder-flags '{flags}' --nbest 100 --threads {args.threads}""",
    )
    stages.run(
        "filtering",
        f"{args.moses}/scripts/training/filter-model-given-input.pl filtered mert/moses.ini test.{source}",
    )
    stages.run(
        "translating", f"{args.moses}/bin/moses -f filtered/moses.ini {flags}", stdin=f"test.{source}", stdout="moses.out"
    )
    return {"bleu": bleu(args, folder, "moses.out"), "seconds": stages.table()}


def same_scores(args, folder):
    """How far our feature values are from Moses' for what it finds with our model, and how the best scores compare."""
    source = args.languages[0]
    stages = Stages(folder)
    with open(folder / f"test.{source}") as file:
        (folder / "some").write_text("".join(line for line, _ in zip(file, range(args.compare_lines))))
    ours = f"cd ours && {args.moses}/bin/moses -f moses.text.ini -s 100 -threads {args.threads}"
    stages.run("moses on ours", f"{ours} -n-best-list ../theirs.nbest 1 distinct < ../some", stdout="theirs.out")
    stages.run(
        "ours on ours",
        f"{args.metaphrase} phrase translate -m ours --n-best 1000 --distinct --cardinality-beam 64 64 --options 0",
        stdin="some", stdout="ours.nbest",
    )  # fmt: skip
    def entries(name):
        lists = {}
        for line in (folder / name).read_text().splitlines():
            number, words, features, score = (field.strip() for field in line.split("|||")[:4])
            values = [float(word) for word in features.split() if not word.endswith("=")]
            lists.setdefault(int(number), {}).setdefault(words, []).append((float(score), values))
        return lists

    theirs, found = entries("theirs.nbest"), entries("ours.nbest")
    compared, worst, higher = 0, 0.0, 0
    for number, best in theirs.items():
        ((words, ((score, values),)),) = best.items()
        higher += max(s for same in found[number].values() for s, _ in same) >= score - 1e-3
        for _, same in found[number].get(words, []):
            difference = max(abs(a - b) for a, b in zip(same, values))
            if difference < 1e-2:
                compared, worst = compared + 1, max(worst, difference)
    return {"sentences": len(theirs), "same segmentation found": compared, "largest difference of a feature": round(worst, 6),
            "our best score at least theirs": higher}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("metaphrase", "text", "dev", "test", "work", "json"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("moses", "fast-align", "kenlm"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--languages", nargs=2, required=True)
    parser.add_argument("--dev-lines", type=int)
    parser.add_argument("--compare-lines", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=["ours", "mira", "moses", "same"])
    args = parser.parse_args()
    for name in ("metaphrase", "moses", "fast_align", "kenlm"):
        if getattr(args, name):
            setattr(args, name, os.path.abspath(getattr(args, name)))
    folder = Path(args.work).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    prepare(args, folder)
    path = Path(args.json)
    figures = json.loads(path.read_text()) if path.exists() else {}
    measures = (("ours", train_ours), ("mira", tune_mira), ("moses", train_moses), ("same", same_scores))
    for name, measure in measures:
        if args.only in (None, name):
            figures[name] = measure(args, folder)
            path.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


main()
