"""Renews `golden.tsv` with sacreBLEU 2.6.0 (NumPy 2.4, Python 3.11):  python make.py

A line of `golden.tsv`: text, references (1, 2, or `some`: the second is missing on every third line), job (see `jobs.py`), and
what sacreBLEU prints, with `\\n` for a line end. The texts themselves come from `texts.py`.
"""

from itertools import product
from pathlib import Path

import jobs
import sacrebleu

HERE = Path(__file__).parent
LANGUAGES = ["de", "en", "fr", "zh", "ja", "nasty"]


def lines(name):
    return [line.rstrip() for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")]


def bleu_jobs():
    yield "bleu"
    for tok, case in product(["13a", "intl", "char", "zh", "none"], ["", " lc"]):
        yield f"bleu tok={tok}{case} / width=4"
    for smooth in ["none", "exp", "floor", "floor value=0.3", "add-k", "add-k value=0.37"]:
        yield f"bleu smooth={smooth} order=7"
        yield f"bleu smooth={smooth} eff / sentences width=3"
    for order in (1, 2, 6):
        yield f"bleu order={order} eff / short"
    yield "bleu / form=json"
    yield "bleu / form=json ci=100 width=3"


def chrf_jobs():
    yield "chrf"
    for word, case, space, eps in product([0, 2], ["", " lc"], ["", " space"], ["", " eps"]):
        yield f"chrf word={word}{case}{space}{eps} / width=4"
    yield "chrf char=9 word=1 beta=3 / short"
    yield "chrf char=0 word=3 beta=1"
    yield "chrf beta=0 / width=4"
    yield "chrf beta=0 eps space lc / width=4"
    yield "chrf word=2 / sentences width=4"
    yield "chrf eps / sentences width=4"
    yield "chrf / form=json ci=100 width=2"


def ter_jobs():
    yield "ter"
    for norm, nopunct, asian, case in product(["", " norm"], ["", " nopunct"], ["", " asian"], ["", " case"]):
        yield f"ter{norm}{nopunct}{asian}{case} / width=3"
    yield "ter / sentences width=2"
    yield "ter norm asian / form=json ci=100"


def several_jobs():
    yield "bleu + chrf + ter"
    yield "bleu + chrf word=2 + ter / short width=2 ci=100 seed=7"
    yield "ter + chrf / form=json"
    yield "bleu + chrf / only"
    yield "bleu + chrf + ter / bs=100"
    yield "bleu smooth=add-k value=0.3 + chrf eps + ter norm / bs=80 seed=99"
    yield "bleu + chrf word=2 + ter / ar=100"
    yield "bleu smooth=floor + chrf + ter / ar=60 ci=60 seed=3"
    yield "bleu / form=json bs=50"
    yield "bleu tok=char / form=json ar=50"


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    out = []
    for language in LANGUAGES:
        systems = [lines(f"{language}.hyp"), lines(f"{language}.hyp2")]
        first, second = lines(f"{language}.ref"), lines(f"{language}.ref2")
        some = [None if i % 3 == 2 else line for i, line in enumerate(second)]
        sets = {"1": [first], "2": [first, second], "some": [first, some]}
        for job in [*bleu_jobs(), *chrf_jobs(), *ter_jobs(), *several_jobs()]:
            if "sentences" in job and language not in ("de", "nasty"):
                continue
            for count in ["1", "2", "some"] if "sentences" not in job else ["2"]:
                expected = jobs.run(job, systems, sets[count]).replace("\n", "\\n")
                out.append("\t".join([language, count, job, expected]))
    (HERE / "golden.tsv").write_text("".join(line + "\n" for line in out), encoding="utf-8")


if __name__ == "__main__":
    main()
