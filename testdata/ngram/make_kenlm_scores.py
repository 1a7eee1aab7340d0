"""Renews kenlm-scores.tsv: what KenLM says of each word of sentences.en with the Moses model's language model.

    pip install kenlm==0.3.0
    python testdata/ngram/make_kenlm_scores.py ../shared/models/moses-de-en/lm.en.arpa.gz

Lines: one per sentence, `</s>` included; per word the log10 probability and the order of the n-gram that was found.
"""

import pathlib
import sys

import kenlm

folder = pathlib.Path(__file__).parent
model = kenlm.Model(sys.argv[1])
with open(folder / "kenlm-scores.tsv", "w") as output:
    for line in open(folder / "sentences.en"):
        words = model.full_scores(line.strip(), bos=True, eos=True)
        output.write("\t".join(f"{log10:.6f} {order}" for log10, order, _ in words) + "\n")
