"""Moses' speed and BLEU by stack size on a Moses model, for figure 1 and table 2 of Wuebker et al. 2012; then ours.

    compare_phrase.py MOSES MODEL_DIR EXPERIMENTS [--out docs/results] [--sizes 2,4,...]

MOSES is the program `moses`, built outside this repository; MODEL_DIR has moses.ini, source.de and reference.en (tokenised);
EXPERIMENTS is our program `experiments` (target/release/experiments), which is run behind Moses with `wuebker-fig1`.

Moses runs on one thread, with stack decoding and with cube pruning, whose pop limit is the stack size, both without
threshold. Times are processor seconds (user + system) of the whole process less those of a run without input; the fastest of
three, where one takes less than ten seconds. Writes OUT/wuebker-moses.json.
Needs sacrebleu in the Python that runs it.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import sacrebleu

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import measured  # noqa: E402

SETUPS = {
    "Moses": "-search-algorithm 0 -b 0 -s {0}",
    "Moses, cube pruning": "-search-algorithm 1 -b 0 -s {0} -cube-pruning-pop-limit {0}",
}


def run(moses, folder, options, source):
    """Processor seconds of a run, and its lines."""
    command = [moses, "-f", "moses.ini", "-threads", "1", "-v", "0", *options.split()]
    with tempfile.NamedTemporaryFile() as output:
        taken = measured.run(command, source, output.name, cwd=folder)
        lines = [line.strip() for line in output.read().decode().splitlines()]
    return taken.cpu, lines


def fastest(*arguments):
    """The fastest of three runs, or of one that takes long."""
    runs = [run(*arguments)]
    while len(runs) < 3 and runs[0][0] < 10:
        runs.append(run(*arguments))
    return min(runs, key=lambda found: found[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("moses", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("model", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("experiments", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("docs/results"))
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[2**i for i in range(1, 10)])
    args = parser.parse_args()
    source = args.model / "source.de"
    words = len(source.read_text().split())
    reference = [line.strip() for line in (args.model / "reference.en").read_text().splitlines()]
    rows = []
    for setup, options in SETUPS.items():
        for size in args.sizes:
            loading, _ = fastest(args.moses, args.model, options.format(size), os.devnull)
            total, lines = fastest(args.moses, args.model, options.format(size), source)
            seconds = total - loading
            bleu = sacrebleu.corpus_bleu(lines, [reference], tokenize="none", force=True).score
            rows.append({"setup": setup, "size": size, "bleu": round(bleu, 2), "words_per_second": round(words / seconds, 1), "seconds": round(seconds, 3), "loading": round(loading, 3)})
            print(json.dumps(rows[-1]), flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "wuebker-moses.json").write_text(json.dumps(rows, indent=2) + "\n")
    subprocess.run([args.experiments, "wuebker-fig1", "--model", args.model, "--out", args.out], check=True)


if __name__ == "__main__":
    main()
