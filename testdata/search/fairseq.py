#!/usr/bin/env python3
"""Makes fairseq-constraints.json: toy models, constraints, and what fairseq's constrained search finds.

fairseq 0.12.2 (MIT) does not install on Python 3.11, so its three modules that search are loaded from the unpacked source
archive, with empty stand-ins for the rest of the package. Needs torch (any version).

usage: fairseq.py fairseq-0.12.2/fairseq > fairseq-constraints.json
"""

import importlib.util
import json
import random
import sys
import types

import torch

PAD, EOS, FIRST = 1, 2, 3  # Our word w > 0 is fairseq's FIRST + w; our word 0 is the end of sentence.
WORDS, LIMIT, BEAMS = 24, 12, [2, 4, 8, 12]
TERMS = [[[1]], [[1], [2]], [[3, 4]], [[5, 6], [7]], [[1], [1], [2]], [[2, 3], [3, 2], [4]], [[8, 8, 9]], [[1], [2], [3], [4]]]


def load(folder, name):
    spec = importlib.util.spec_from_file_location(f"fairseq.{name}", f"{folder}/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def stand_in(name, **members):
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__.update(members)
    module.__path__ = []
    return module


class Dictionary:
    def __len__(self):
        return FIRST + WORDS

    pad, unk, eos, bos = (lambda self, i=i: i for i in [PAD, 3, EOS, 0])


class Bigrams(torch.nn.Module):
    """Log-probabilities by the word before; row and column 0 are the sentence's begin and end."""

    def __init__(self, table):
        super().__init__()
        scores = torch.full((FIRST + WORDS, FIRST + WORDS), -1e9)
        place = lambda word: EOS if word == 0 else FIRST + word
        for before, row in enumerate(table):
            for word, score in enumerate(row):
                scores[place(before), place(word)] = score
        self.scores = scores

    def forward(self, tokens):
        return (self.scores[tokens[:, -1]].unsqueeze(1).clone(), None)

    def get_normalized_probs(self, output, log_probs, sample):
        return output[0]

    def max_decoder_positions(self):
        return 1000


def main():
    folder = sys.argv[1]
    package = stand_in("fairseq")
    package.utils = stand_in("fairseq.utils")
    package.utils.strip_pad = lambda tensor, pad: tensor[tensor.ne(pad)]
    package.data = stand_in("fairseq.data", data_utils=types.SimpleNamespace())
    stand_in("fairseq.models", FairseqIncrementalDecoder=type("Decoder", (), {}))
    stand_in("fairseq.ngram_repeat_block", NGramRepeatBlock=None)
    constraints = load(folder, "token_generation_constraints")
    package.search = load(folder, "search")
    generator = load(folder, "sequence_generator")

    random.seed(20)
    models, found = [], []
    for number in range(4):
        table = []
        for _ in range(WORDS):
            logits = torch.tensor([random.random() * 6 for _ in range(WORDS)])
            table.append([round(x, 3) for x in torch.log_softmax(logits, 0).tolist()])
        models.append(table)
        for terms in TERMS:
            packed = constraints.pack_constraints([[torch.tensor([FIRST + word for word in term]) for term in terms]])
            for beam in BEAMS:
                search = package.search.LexicallyConstrainedBeamSearch(Dictionary(), "unordered")
                options = dict(beam_size=beam, max_len_b=LIMIT - 1, normalize_scores=False, search_strategy=search)
                decoder = generator.SequenceGenerator([Bigrams(table)], Dictionary(), **options)
                sample = {"net_input": {"src_tokens": torch.tensor([[FIRST + 1, EOS]])}}
                try:
                    best = decoder.generate(None, sample, constraints=packed)[0][0]
                    words = [word - FIRST for word in best["tokens"].tolist()[:-1]]
                    score = round(float(best["score"]), 3)
                except (AssertionError, IndexError):
                    words, score = None, None  # The length limit came before all constraints were met.
                found.append(dict(model=number, terms=terms, beam=beam, words=words, score=score))
    print(json.dumps(dict(limit=LIMIT, models=models, found=found)).replace('{"model"', '\n{"model"'))


if __name__ == "__main__":
    main()
