"""Translates stdin with CTranslate2 on the CPU:
translate_ctranslate2.py MODEL_DIR VOCAB.spm BEAM BATCH_TOKENS [COMPUTE_TYPE [THREADS [LENGTH_FACTOR [vmap]]]] < text

Length normalisation 1 as in Marian's `--normalize 1`. BATCH_TOKENS 0: one sentence at a time, each answered before the next
is read, and all threads work on it. `vmap`: with the shortlist in the model's directory. Otherwise threads translate batches side by side and share the model.
"""

import sys

import ctranslate2
import sentencepiece

model, vocab, beam, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
compute, threads, factor, vmap = sys.argv[5:] + ["float32", "1", "3", ""][len(sys.argv[5:]) :]
pieces = sentencepiece.SentencePieceProcessor(model_file=vocab)
together, each = (int(threads), 1) if batch else (1, int(threads))
translator = ctranslate2.Translator(model, device="cpu", inter_threads=together, intra_threads=each, compute_type=compute)
options = dict(beam_size=beam, length_penalty=1.0, max_input_length=0, use_vmap=vmap == "vmap")
segmented = lambda line: pieces.encode(line.rstrip("\n"), out_type=str)
# As the others: so many times the source, its end of sentence included.
limit = lambda lines: int(factor) * (1 + max(map(len, lines), default=0))
if batch:
    lines = [segmented(line) for line in sys.stdin]
    results = translator.translate_batch(lines, max_batch_size=batch, batch_type="tokens", max_decoding_length=limit(lines), **options)
    for result in results:
        print(pieces.decode(result.hypotheses[0]))
else:
    for line in sys.stdin:
        line = segmented(line)
        result = translator.translate_batch([line], max_decoding_length=limit([line]), **options)[0]
        print(pieces.decode(result.hypotheses[0]), flush=True)
