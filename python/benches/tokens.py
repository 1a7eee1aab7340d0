"""Tokens of metaphrase.compat.ctranslate2 compared with those of ctranslate2, for one model; prints JSON.

    python benches/tokens.py MODEL CONVERTED VOCABULARY TEXT [--lines 1000] [--golden FILE]

MODEL is a directory that Metaphrase reads, CONVERTED the same model for ctranslate2 (`python benches/convert.py`), VOCABULARY
its SentencePiece model. The environment has ctranslate2 4.8.5 and sentencepiece. `--golden` writes what ctranslate2 gives.
"""

import argparse
import json
import time

import sentencepiece

SETTINGS = {
    "default": {"return_scores": True},
    "argostranslate": {"beam_size": 4, "num_hypotheses": 4, "length_penalty": 0.2, "replace_unknowns": True, "return_scores": True},
    "greedy": {"beam_size": 1, "return_scores": True},
    "no normalisation": {"beam_size": 5, "length_penalty": 0, "return_scores": True},
    "no three tokens again": {"beam_size": 4, "no_repeat_ngram_size": 3, "max_decoding_length": 60, "return_scores": True},
    "short": {"beam_size": 3, "max_decoding_length": 6, "return_end_token": True, "return_scores": True},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("converted")
    parser.add_argument("vocabulary")
    parser.add_argument("text")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--golden")
    args = parser.parse_args()

    import ctranslate2 as theirs

    pieces = sentencepiece.SentencePieceProcessor(args.vocabulary)
    with open(args.text, encoding="utf-8") as text:
        source = [pieces.encode(line.rstrip("\n"), out_type=str) for line, _ in zip(text, range(args.lines))]
    reference = theirs.Translator(args.converted, device="cpu", compute_type="float32", intra_threads=1)
    if args.golden:
        found = {
            name: [[result.hypotheses, result.scores] for result in reference.translate_batch(source, **options)]
            for name, options in SETTINGS.items()
        }
        with open(args.golden, "w", encoding="utf-8") as file:
            json.dump({"source": source, "settings": SETTINGS, "found": found}, file, ensure_ascii=False, indent=0)
        return

    from metaphrase.compat import ctranslate2 as ours

    candidate = ours.Translator(args.model, intra_threads=1)
    report = {"lines": len(source)}
    for name, options in SETTINGS.items():
        began = time.process_time()
        expected = reference.translate_batch(source, max_batch_size=1024, batch_type="tokens", **options)
        between = time.process_time()
        found = candidate.translate_batch(source, max_batch_size=1024, batch_type="tokens", **options)
        ended = time.process_time()
        best = [number for number, (a, b) in enumerate(zip(expected, found)) if a.hypotheses[0] != b.hypotheses[0]]
        lists = sum(a.hypotheses != b.hypotheses for a, b in zip(expected, found))
        scores = (abs(x - y) for a, b in zip(expected, found) if a.hypotheses == b.hypotheses for x, y in zip(a.scores, b.scores))
        report[name] = {
            "lines with other tokens": len(best),
            "the first of them": best[:10],
            "lists with other tokens": lists,
            "largest difference of scores": max(scores, default=0.0),
            "ctranslate2, CPU seconds": round(between - began, 2),
            "metaphrase, CPU seconds": round(ended - between, 2),
        }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
