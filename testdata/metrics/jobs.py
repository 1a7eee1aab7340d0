"""Runs one evaluation job with sacreBLEU, in the same notation as `crates/measure/metrics/tests/spec/mod.rs`.

A job: METRIC key=value ..., joined by ` + ` for several metrics, as `bleu tok=intl lc + chrf word=2`. Keys that go with no
metric stand behind a `/`: `/ form=json width=2 ci=1000`.
"""

import os
from argparse import Namespace
from contextlib import redirect_stdout
from io import StringIO

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from sacrebleu.utils import Color, print_results_table, print_single_results

Color.ENABLE_COLORS = False

KEYS = {
    "bleu": (BLEU, {"tok": ("tokenize", str), "lc": ("lowercase", bool), "smooth": ("smooth_method", str), "value": ("smooth_value", float),
                    "order": ("max_ngram_order", int), "eff": ("effective_order", bool)}),
    "chrf": (CHRF, {"char": ("char_order", int), "word": ("word_order", int), "beta": ("beta", int), "space": ("whitespace", bool),
                    "lc": ("lowercase", bool), "eps": ("eps_smoothing", bool)}),
    "ter": (TER, {"norm": ("normalized", bool), "nopunct": ("no_punct", bool), "asian": ("asian_support", bool), "case": ("case_sensitive", bool)}),
}


def pairs(words):
    """`a=1 b` as {"a": "1", "b": ""}."""
    return dict(word.partition("=")[::2] for word in words)


def parse(job):
    metrics, _, form = job.partition("/")
    made = {}
    for metric in metrics.split(" + "):
        name, *options = metric.split()
        kind, keys = KEYS[name]
        arguments = {}
        for key, value in pairs(options).items():
            argument, convert = keys[key]
            arguments[argument] = True if convert is bool else convert(value)
        if name == "bleu":
            arguments["force"] = True
        made[name.upper()] = kind(**arguments)
    return made, pairs(form.split())


def run(job, systems, references):
    """What sacreBLEU's command line prints for the job, as text."""
    metrics, form = parse(job)
    width = int(form.get("width", "1"))
    os.environ["SACREBLEU_SEED"] = form.get("seed", "12345")
    if "bs" in form or "ar" in form:
        return paired(metrics, form, systems, references)
    if "sentences" in form:
        (metric,) = metrics.values()
        lines = []
        for hypothesis, *refs in zip(systems[0], *references):
            score = metric.sentence_score(hypothesis, refs)
            lines.append(score.format(width, False, metric.get_signature().format(False)))
        return "\n".join(lines)
    json = form.get("form") == "json"
    results = []
    for _, metric in sorted(metrics.items()):
        score = metric.corpus_score(systems[0], references, n_bootstrap=int(form.get("ci", "1")))
        signature = metric.get_signature().format("short" in form)
        results.append(score.format(width, "only" in form, signature, json))
    return printed(print_single_results, results, Namespace(format="json" if json else "text"))


def printed(function, *arguments):
    out = StringIO()
    with redirect_stdout(out):
        function(*arguments)
    return out.getvalue().rstrip("\n")


def paired(metrics, form, systems, references):
    """sacreBLEU's JSON, or a line for each metric and system: name, score, mean, interval, p, with all digits, and the signature."""
    kind = "bs" if "bs" in form else "ar"
    named = [(f"Baseline: {i}" if i == 0 else str(i), system) for i, system in enumerate(systems)]
    test = PairedTest(named, metrics, references, test_type=kind, n_samples=int(form[kind]), n_ar_confidence=int(form.get("ci", "-1")))
    signatures, scores = test()
    if form.get("form") == "json":
        return printed(print_results_table, scores, signatures, Namespace(format="json"))
    lines = []
    for name, signature in signatures.items():
        for result in scores[name]:
            numbers = [result.score, result.mean, result.ci, result.p_value]
            lines.append(" ".join([name, *("-" if x is None else f"{x:.20f}" for x in numbers), signature.format()]))
    return "\n".join(lines)
