"""argostranslate 1.11.0 on the same text, with the original `ctranslate2` and with ours; prints JSON.

    python benches/argos.py MODEL CONVERTED VOCABULARY TEXT [--lines 1000]

MODEL, CONVERTED and VOCABULARY are those of benches/tokens.py. A package of argostranslate is made of each of the two models; a line is a
sentence. The program runs once for each, as `ctranslate2` is replaced before argostranslate is imported. `stanza`, which argostranslate
imports for splitting text, is an empty module here if it is not installed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path


def package(folder, model, vocabulary):
    """A package of argostranslate."""
    folder.mkdir()
    meta = {"package_version": "1.0", "argos_version": "1.9", "from_code": "en", "to_code": "de", "from_name": "English", "to_name": "German"}
    (folder / "metadata.json").write_text(json.dumps(meta))
    shutil.copy(vocabulary, folder / "sentencepiece.model")
    os.symlink(os.path.abspath(model), folder / "model")
    return folder


class Lines:
    """A sentence on each line."""

    def split_sentences(self, text):
        return [text]


def work(args):
    """Translates with one of the two, and prints the hypotheses."""
    if args.engine == "metaphrase":
        from metaphrase.compat import ctranslate2

        sys.modules["ctranslate2"] = ctranslate2
    try:
        import stanza  # noqa: F401
    except ImportError:
        sys.modules["stanza"] = types.ModuleType("stanza")
    from argostranslate import translate
    from argostranslate.package import Package

    translation = translate.PackageTranslation(None, None, Package(Path(args.model)))
    translation.sentencizer = Lines()
    with open(args.text, encoding="utf-8") as text:
        lines = [line.rstrip("\n") for line, _ in zip(text, range(args.lines))]
    found, began = [], time.process_time()
    for line in lines:
        hypotheses = translation.hypotheses(line, num_hypotheses=4)
        found.append([[hypothesis.value, hypothesis.score] for hypothesis in hypotheses])
    print(json.dumps({"found": found, "seconds": time.process_time() - began}))


def main():
    parser = argparse.ArgumentParser()
    for name in ("model", "converted", "vocabulary", "text"):
        parser.add_argument(name)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--engine", choices=["ctranslate2", "metaphrase"])
    args = parser.parse_args()
    if args.engine:
        return work(args)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine, model in (("ctranslate2", args.converted), ("metaphrase", args.model)):
            place = package(Path(folder) / engine, model, args.vocabulary)
            command = [sys.executable, __file__, str(place), args.converted, args.vocabulary, args.text]
            environment = {**os.environ, "ARGOS_INTRA_THREADS": "1", "ARGOS_COMPUTE_TYPE": "float32", "ARGOS_PACKAGES_DIR": folder}
            command += ["--lines", str(args.lines), "--engine", engine]
            found[engine] = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    pairs = list(zip(found["ctranslate2"]["found"], found["metaphrase"]["found"]))
    texts = lambda hypotheses: [text for text, _ in hypotheses]
    report = {
        "lines": len(pairs),
        "lines with another best translation": sum(texts(a)[0] != texts(b)[0] for a, b in pairs),
        "lines with another list of four": sum(texts(a) != texts(b) for a, b in pairs),
        "CPU seconds": {engine: round(result["seconds"], 2) for engine, result in found.items()},
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
