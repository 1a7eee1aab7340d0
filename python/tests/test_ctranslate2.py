"""The class of CTranslate2. The golden file is ctranslate2 4.8.5's, on 40 lines of Tatoeba (CC BY 2.0 FR); it is made again by

    python benches/convert.py MODEL CONVERTED
    python benches/tokens.py - CONVERTED VOCABULARY TEXT --lines 40 --golden tests/data/ctranslate2.json
"""

import inspect
import json
from pathlib import Path

import pytest

from metaphrase import ModelError, OptionsError
from metaphrase.compat import ctranslate2

GOLDEN = json.loads((Path(__file__).parent / "data/ctranslate2.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model(shared_model):
    return ctranslate2.Translator(str(shared_model), intra_threads=1)


@pytest.fixture(scope="module")
def bundled():
    return ctranslate2.Translator("en-de", inter_threads=1, intra_threads=1)


HELLO = ["▁Hello", "!"]


@pytest.mark.parametrize("name", GOLDEN["settings"])
def test_tokens_are_those_of_ctranslate2(model, name):
    results = model.translate_batch(GOLDEN["source"], **GOLDEN["settings"][name])
    for result, (hypotheses, scores) in zip(results, GOLDEN["found"][name]):
        assert result.hypotheses == hypotheses
        assert result.scores == pytest.approx(scores, abs=1e-4)


def test_iterables_files_and_batches_agree(bundled, tmp_path):
    source = [HELLO, [], ["▁Good", "▁morning", "!"], ["▁What", "zzz", "?"]] * 3
    batch = bundled.translate_batch(source, beam_size=3, return_scores=True)
    assert list(bundled.translate_iterable(iter(source), beam_size=3, return_scores=True)) == batch
    later = bundled.translate_batch(source, beam_size=3, return_scores=True, asynchronous=True)
    assert [result.result() for result in later] == batch and all(result.done() for result in later)
    (tmp_path / "in").write_text("".join(" ".join(tokens) + "\n" for tokens in source), encoding="utf-8")
    stats = bundled.translate_file(str(tmp_path / "in"), str(tmp_path / "out"), beam_size=3, with_scores=True)
    before = (tmp_path / "in").read_bytes()
    with pytest.raises(OptionsError, match="which is also an input"):
        bundled.translate_file(str(tmp_path / "in"), str(tmp_path / "in"))
    assert (tmp_path / "in").read_bytes() == before
    lines = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert [line.split(" ||| ")[1].split() for line in lines] == [result.hypotheses[0] for result in batch]
    assert stats.num_examples == len(source) and stats.num_tokens == sum(len(result.hypotheses[0]) for result in batch)


def test_results_have_what_was_asked_for(bundled):
    [plain] = bundled.translate_batch([HELLO])
    assert plain.scores == [] and plain.attention == [] and plain.logits == [] and len(plain) == 1
    [full] = bundled.translate_batch([HELLO], return_scores=True, return_attention=True, return_end_token=True)
    assert full.hypotheses[0] == [*plain.hypotheses[0], "</s>"] and len(full.scores) == 1
    assert len(full.attention[0][0]) == len(HELLO)
    with pytest.deprecated_call():
        assert full[0]["tokens"] == full.hypotheses[0]
    [empty] = bundled.translate_batch([[]], num_hypotheses=2, return_scores=True)
    assert (empty.hypotheses, empty.scores) == ([[], []], [0.0, 0.0])
    assert bundled.translate_batch([]) == []


def test_prefixes(bundled):
    [good] = bundled.translate_batch([["▁Good", "▁morning", "!"]])
    first = good.hypotheses[0][:1]
    found = bundled.translate_batch([HELLO, HELLO], target_prefix=[first, None])
    assert found[0].hypotheses[0][:1] == first and found[1].hypotheses == bundled.translate_batch([HELLO])[0].hypotheses
    with pytest.raises(ValueError, match="Batch size mismatch"):
        bundled.translate_batch([HELLO], target_prefix=[[], []])


def test_scores_of_given_tokens(bundled, tmp_path):
    source = ["▁Good", "▁morning", "!"]
    target = bundled.translate_batch([source])[0].hypotheses[0]
    [scored, empty] = bundled.score_batch([source, source], [target, []])
    assert scored.tokens == [*target, "</s>"] and len(scored.log_probs) == len(scored.tokens)
    assert empty.tokens == ["</s>"] and empty.log_probs[0] < sum(scored.log_probs)
    assert bundled.score_batch([source], [target], offset=1)[0].tokens == scored.tokens[1:]
    assert list(bundled.score_iterable([source], [target])) == [scored]
    for name, tokens in (("source", source), ("target", target)):
        (tmp_path / name).write_text(" ".join(tokens) + "\n", encoding="utf-8")
    paths = (str(tmp_path / name) for name in ("source", "target", "scores"))
    bundled.score_file(*paths, with_tokens_score=True)
    score, text, tokens = (tmp_path / "scores").read_text(encoding="utf-8").strip().split(" ||| ")
    assert text.split() == target and len(tokens.split()) == len(target) + 1 and float(score) < 0


def test_unknown_tokens_are_replaced(bundled):
    source = ["▁Mr", "▁qqqqq", "▁is", "▁here", "."]
    [found] = bundled.translate_batch([source], replace_unknowns=True)
    assert "<unk>" not in found.hypotheses[0]


def test_no_pair_of_tokens_comes_twice(bundled):
    source = [["▁very"] * 20, ["▁yes"] * 12]
    for no_repeat_ngram_size in (0, 2):
        results = bundled.translate_batch(source, no_repeat_ngram_size=no_repeat_ngram_size)
        pairs = [list(zip(result.hypotheses[0], result.hypotheses[0][1:])) for result in results]
        assert all(len(set(of)) < len(of) for of in pairs) == (no_repeat_ngram_size == 0)
        assert all(len(set(of)) == len(of) for of in pairs) == (no_repeat_ngram_size == 2)


def test_no_option_is_ignored(bundled):
    parameters = inspect.signature(ctranslate2._call_settings).parameters
    for name, value in {
        "patience": 2,
        "coverage_penalty": 0.1,
        "repetition_penalty": 1.2,
        "suppress_sequences": [["a", "b"]],
        "end_token": "!",
        "prefix_bias_beta": 0.5,
        "min_decoding_length": 3,
        "use_vmap": True,
        "return_logits_vocab": True,
        "return_alternatives": True,
        "min_alternative_expansion_prob": 0.1,
        "callback": print,
    }.items():
        with pytest.raises(OptionsError, match=name):
            bundled.translate_batch([HELLO], **{name: value})
        bundled.translate_batch([HELLO], **{name: parameters[name].default})
    suppressed = bundled.translate_batch([HELLO], suppress_sequences=[[bundled.translate_batch([HELLO])[0].hypotheses[0][0]]])
    assert suppressed[0].hypotheses != bundled.translate_batch([HELLO])[0].hypotheses
    with pytest.raises(TypeError):
        bundled.translate_batch([HELLO], beam=3)
    with pytest.raises(ValueError, match="beam size must be > 0"):
        bundled.translate_batch([HELLO], beam_size=0)
    with pytest.raises(ValueError, match="number of hypotheses"):
        bundled.translate_batch([HELLO], num_hypotheses=3)
    with pytest.raises(OptionsError, match="generate_tokens"):
        bundled.generate_tokens(HELLO)
    with pytest.raises(OptionsError, match="device"):
        ctranslate2.Translator("en-de", device="cuda")
    with pytest.raises(OptionsError, match="compute_type"):
        ctranslate2.Translator("en-de", compute_type="float16")
    with pytest.raises(OptionsError, match="flash_attention"):
        ctranslate2.Translator("en-de", flash_attention=True)


def test_signatures_are_those_of_ctranslate2():
    """Reads the keywords of `translate_batch` from the documentation of an installed ctranslate2."""
    theirs = pytest.importorskip("ctranslate2")
    text = theirs.Translator.translate_batch.__doc__.splitlines()[0]
    ours = {**inspect.signature(ctranslate2._wanted).parameters, **inspect.signature(ctranslate2.Translator.translate_batch).parameters}
    for name in (part.split(":")[0].strip() for part in text.split("(", 1)[1].split(",") if ":" in part):
        if name.isidentifier():
            assert name in ours, name


def test_draws(bundled):
    ctranslate2.set_random_seed(3)
    draw = {"beam_size": 1, "sampling_topk": 10, "num_hypotheses": 3}
    assert bundled.translate_batch([HELLO], **draw) == bundled.translate_batch([HELLO], **draw)
    with pytest.raises(ValueError, match="beam_size=1"):
        bundled.translate_batch([HELLO], beam_size=2, sampling_topk=10)


def test_what_a_translator_tells(bundled):
    assert (bundled.device, bundled.device_index, bundled.compute_type, bundled.num_translators) == ("cpu", [0], "float32", 1)
    before = bundled.translate_batch([HELLO])
    bundled.unload_model()
    assert not bundled.model_is_loaded
    bundled.load_model()
    assert bundled.model_is_loaded and bundled.translate_batch([HELLO]) == before


def test_models_of_ctranslate2_are_told(tmp_path):
    for name in ("model.bin", "config.json"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(ModelError, match="seems to be a model of CTranslate2; convert the original model"):
        ctranslate2.Translator(str(tmp_path))
