"""Counts the lines for which Metaphrase and CTranslate2 say the same pieces with the same directory:
compare_ctranslate2.py METAPHRASE TEXT MODEL_DIR... [--int8]

Each MODEL_DIR has a `sentencepiece.model`. Pieces for the unknown word and for padding have no text, and are left out.
"""

import pathlib
import re
import subprocess
import sys

import ctranslate2
import sentencepiece

int8 = "--int8" in sys.argv
program, text, *models = [argument for argument in sys.argv[1:] if argument != "--int8"]
lines = pathlib.Path(text).read_text(encoding="utf-8").splitlines()
LONGEST = 256


def written(pieces):
    spelled = b""
    for piece in pieces:
        byte = re.fullmatch("<0x(..)>", piece)
        if piece not in ("<s>", "<blank>", "<pad>", "<unk>"):
            spelled += bytes([int(byte[1], 16)]) if byte else piece.replace("\u2581", " ").encode()
    return plain(spelled.decode("utf-8", "replace"))


def plain(line):
    return "".join(re.sub("<unk>|\u2047|\ufffd", "", line).split())


for model in models:
    pieces = sentencepiece.SentencePieceProcessor(model_file=model + "/sentencepiece.model").encode(lines, out_type=str)
    translator = ctranslate2.Translator(model, compute_type="int8" if int8 else "float32", intra_threads=1)
    for beam in (1, 4):
        theirs = translator.translate_batch(
            pieces, beam_size=beam, length_penalty=1, max_batch_size=64, max_decoding_length=LONGEST
        )
        options = f"--pieces --stop collect --allow-unk --allow-special --max-target-length {LONGEST} --normalize 1"
        options += f" --max-length-factor 1000 --beam-size {beam} --precision {'int8' if int8 else 'f32'}"
        source = "".join(" ".join(line) + "\n" for line in pieces)
        ours = subprocess.run(
            [program, "translate", "-m", model, *options.split()], input=source, text=True, stdout=-1, check=True
        ).stdout.splitlines()
        same = sum(written(one.hypotheses[0]) == plain(other) for one, other in zip(theirs, ours, strict=True))
        print(f"{model}: beam {beam}: {same} of {len(lines)} lines are equal")
