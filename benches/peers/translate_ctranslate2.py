"""Translates stdin with CTranslate2 on the CPU: translate_ctranslate2.py MODEL_DIR VOCAB.spm BEAM BATCH_TOKENS [COMPUTE_TYPE] < text

One thread, length normalisation 1 as in Marian's `--normalize 1`; BATCH_TOKENS 0: one sentence at a time. Prints translations to
stdout, and seconds of the translation proper (model loading and segmentation left out) to stderr.
"""

import sys
import time

import ctranslate2
import sentencepiece

model, vocab, beam, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
compute = sys.argv[5] if len(sys.argv) > 5 else "float32"
pieces = sentencepiece.SentencePieceProcessor(model_file=vocab)
translator = ctranslate2.Translator(model, device="cpu", inter_threads=1, intra_threads=1, compute_type=compute)
lines = [pieces.encode(line.rstrip("\n"), out_type=str) for line in sys.stdin]
options = dict(beam_size=beam, length_penalty=1.0, max_input_length=0)
limit = lambda lines: 3 * (1 + max(map(len, lines), default=0))  # as the others: three times the source
start = time.perf_counter()
if batch:
    results = translator.translate_batch(lines, max_batch_size=batch, batch_type="tokens", max_decoding_length=limit(lines), **options)
else:
    results = [translator.translate_batch([line], max_decoding_length=limit([line]), **options)[0] for line in lines]
seconds = time.perf_counter() - start
for result in results:
    print(pieces.decode(result.hypotheses[0]))
print(f"{seconds:.3f} s, {len(lines) / seconds:.1f} sentences/s", file=sys.stderr)
