"""Writes a model in the format of another program with `metaphrase convert`, and counts the lines for which that program
says the same pieces with it as Metaphrase with the model itself:

    compare_exports.py METAPHRASE MODEL TEXT FORMAT[,FORMAT...] [--beams 1,4]

FORMAT is ctranslate2, marian (pymarian) or hugging-face (transformers). All compute in f32. The vocabulary has to be a
SentencePiece model. Pieces of unknown words have no text, and are left out.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LONGEST = 200


def ours(program, model, lines, beam, *options):
    options = ["--beam-size", str(beam), "--normalize", "1", "--precision", "f32", "--output-format", "json", *options]
    options += ["--word-scores", "--longest-sentence", "0"]
    run = [program, "translate", "-m", model, *options]
    text = subprocess.run(run, input="".join(line + "\n" for line in lines), text=True, stdout=-1, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def plain(pieces):
    return [piece for piece in pieces if piece not in ("<unk>", "<pad>", "</s>")]


def ctranslate2(program, model, folder, lines, beam):
    import ctranslate2
    import sentencepiece

    names = [folder / name for name in ("sentencepiece.model", "source.spm")]
    pieces = sentencepiece.SentencePieceProcessor(str(next(name for name in names if name.exists())))
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    found = translator.translate_batch(
        pieces.encode(lines, out_type=str), beam_size=beam, length_penalty=1, max_batch_size=32, max_decoding_length=LONGEST
    )
    options = ["--stop", "collect", "--allow-unk", "--allow-special", "--max-length-factor", "1000"]
    expected = ours(program, model, lines, beam, "--max-target-length", str(LONGEST), *options)
    return [plain(line["pieces"]) for line in expected], [plain(line.hypotheses[0]) for line in found]


def marian(program, model, folder, lines, beam):
    import pymarian

    names = [line[4:] for line in (folder / "decoder.yml").read_text().splitlines() if line.startswith("  - ")]
    translator = pymarian.Translator(
        models=[str(folder / names[0])], vocabs=[str(folder / name) for name in names[1:]], beam_size=beam, normalize=1,
        mini_batch=1, cpu_threads=1, quiet=True,
    )
    expected = ours(program, model, lines, beam)
    return [line["translation"] for line in expected], [translator.translate(line) for line in lines]


def hugging_face(program, model, folder, lines, beam):
    import torch
    import transformers

    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    network, facts = transformers.MarianMTModel.from_pretrained(folder, output_loading_info=True)
    print("  not in the file:", facts["missing_keys"], "not in the network:", facts["unexpected_keys"])
    network.eval()
    found = []
    for start in range(0, len(lines), 20):
        batch = tokenizer(lines[start : start + 20], return_tensors="pt", padding=True)
        with torch.no_grad():
            out = network.generate(
                **batch, num_beams=beam, max_new_tokens=LONGEST, early_stopping=True, length_penalty=1.0, do_sample=False
            )
        for ids in out.tolist():
            found.append(plain(tokenizer.decoder.get(i, "<unk>") for i in ids))
    options = ["--stop", "collect", "--allow-special", "--max-length-factor", "1000"]
    expected = ours(program, model, lines, beam, "--max-target-length", str(LONGEST), *options)
    return [plain(line["pieces"]) for line in expected], found


program, model, text, formats = sys.argv[1:5]
beams = sys.argv[sys.argv.index("--beams") + 1] if "--beams" in sys.argv else "1,4"
lines = pathlib.Path(text).read_text(encoding="utf-8").splitlines()
for name in formats.split(","):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / name
        run = [program, "convert", "-m", model, "--to", str(folder), "--format", name, "--precision", "f32"]
        subprocess.run(run, check=True)
        compare = {"ctranslate2": ctranslate2, "marian": marian, "hugging-face": hugging_face}[name]
        for beam in map(int, beams.split(",")):
            expected, found = compare(program, model, folder, lines, beam)
            same = [a == b for a, b in zip(expected, found, strict=True)]
            print(f"{model}, {name}, beam {beam}: {sum(same)} of {len(lines)} lines are equal", flush=True)
            if "--show" in sys.argv:
                for a, b, equal in zip(expected, found, same):
                    if not equal:
                        print("  ", a, "\n  ", b)
