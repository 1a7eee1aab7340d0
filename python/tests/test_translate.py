"""Translators, their options, results and errors."""

import asyncio
import gc
import itertools
import math
import multiprocessing
import os
import pickle
import threading
import time
from pathlib import Path

import pytest

import metaphrase
from metaphrase import Glossary, InputError, MetaphraseError, ModelError, OptionsError, PhraseTranslator, Request, Translator


def test_a_text_and_a_list(translator, lines):
    one = translator.translate("Good morning!")
    assert str(one) == one.text == "Guten Morgen!"
    assert one.error is None and one.notes == [] and one.log_prob < 0 and math.isfinite(one.score)
    found = translator.translate(lines)
    assert [translation.text for translation in found] == [translator.translate(line).text for line in lines]
    assert translator.translate([]) == []
    assert [found.text for found in translator.translate(line for line in ["Hello!", ""])] == ["Hallo!", ""]


def test_scores_are_the_same_in_every_batch(lines):
    alone = Translator("en-de", threads=1, batch_tokens=1)
    together = Translator("en-de", threads=2, batch_tokens=512)
    key = lambda found: [(h.text, h.score, h.log_prob, h.piece_log_probs) for h in found.hypotheses]
    options = {"n_best": 3, "beam_size": 5}
    assert list(map(key, alone.translate(lines, **options))) == list(map(key, together.translate(lines, **options)))


def test_required_terms(translator):
    source = "The house is old."
    with_term = translator.translate(source, constraints=["Gebäude"])
    assert "Gebäude" in with_term.text and with_term.missing == []
    [met] = with_term.met
    assert (met.term, met.alternatives) == (0, ["Gebäude"])
    assert "".join(with_term.pieces[met.first : met.first + met.pieces]).strip("▁") == "Gebäude"
    either = translator.translate(source, constraints=[["Bauwerk", "Haus"]])
    assert "Haus" in either.text
    found = translator.translate([source, source], constraints=[None, ["Gebäude"]], avoid=[["Haus"], None])
    assert "Haus" not in found[0].text.rstrip(".").split() and "Gebäude" in found[1].text
    impossible = translator.translate(source, constraints=[""])
    assert impossible.missing == [0] and impossible.notes and impossible.terms == [[""]]


def test_glossaries(translator, tmp_path):
    source = "The house is old."
    path = tmp_path / "terms.tsv"
    path.write_text("house\tGebäude\tBauwerk\n", encoding="utf-8")
    entries = {"house": ["Gebäude", "Bauwerk"]}
    for glossary in (path, str(path), entries, Glossary(entries), pickle.loads(pickle.dumps(Glossary(entries)))):
        found = translator.translate(source, glossary=glossary)
        assert found.met and found.terms == [["Gebäude", "Bauwerk"]], glossary
    assert "Haus" in translator.translate(source, glossary=None).text
    always = Translator("en-de", threads=1, glossary=entries)
    assert always.translate([source])[0].met and not always.translate(source, glossary=None).met
    assert Glossary({"Polish": "polnisch"}, respect_case=True).find("polish") == []
    with pytest.raises(InputError, match="line 1 of the glossary has no target term"):
        Glossary.parse("house\n")
    # Terms of a dictionary may contain any characters, unlike those of a file.
    hard = Glossary({"#house": "#Haus", "a\tb": ["c"]})
    assert hard.find("the #house is a b") == [["#Haus"], ["c"]] == pickle.loads(pickle.dumps(hard)).find("the #house is a b")
    with pytest.raises(InputError, match="the entry \"house\" of the glossary has no target term"):
        Glossary({"house": [" "]})
    with pytest.raises(InputError, match="cannot read .*nowhere"):
        translator.translate(source, glossary="nowhere.tsv")


def test_lists_and_alignments(translator):
    found = translator.translate("Where is the station?", n_best=4, attention=True)
    assert len(found.hypotheses) == 4 and [h.text for h in found.hypotheses][0] == found.text
    scores = [hypothesis.score for hypothesis in found.hypotheses]
    assert scores == sorted(scores, reverse=True)
    rows, pieces = found.attention, found.pieces
    assert len(rows) == len(pieces) + 1 and len(rows[0]) == len(found.source_pieces) + 1
    assert all(abs(sum(row) - 1) < 1e-4 for row in rows)
    assert all(0 <= s < len(rows[0]) and 0 <= t < len(rows) for s, t in found.alignment())
    assert len(found.alignment("0.01")) > len(found.alignment("0.5"))
    assert translator.translate("Hello!").attention is None and translator.translate("Hello!").alignment() == []
    assert found.counts["steps"] > 0


def test_prefixes_requests_and_pieces(translator):
    assert translator.translate("Good morning!", prefix="Schönen").text.startswith("Schönen")
    asked = Request("The house is old.", constraints=["Gebäude"])
    assert translator.translate(asked).text == translator.translate("The house is old.", constraints=["Gebäude"]).text
    assert [bool(found.met) for found in translator.translate([asked, "Hello!"])] == [True, False]
    pieces = translator.segment("Good morning!")
    assert translator.translate(" ".join(pieces), pieces=True).text == "Guten Morgen!"
    assert "".join(translator.segment_target("Guten Morgen!")).replace("▁", " ").strip() == "Guten Morgen!"


def test_texts_are_put_together(translator):
    source = "<p>Good morning, ä!  <b>Where is {name}?</b></p>"
    found = translator.translate_text(source, format="html", beam_size=4)
    assert str(found) == found.text and found.text.startswith("<p>") and "{name}" in found.text and "!  <b>" in found.text
    first, second = found.sentences
    assert source[slice(*first.source)] == "Good morning, ä!" and source[slice(*second.source)] == "Where is {name}?"
    assert found.text[slice(*first.target)] == first.translation.text
    assert found.text[slice(*second.target)].removeprefix("<b>").startswith("Wo ist")
    with_terms = translator.translate_text("The house is old. It is small.", glossary={"house": "Gebäude"})
    assert "Gebäude" in with_terms.text and len(with_terms.sentences) == 2
    assert with_terms.sentences[0].translation.met[0].alternatives == ["Gebäude"]
    for options, sentence in [({"format": "pdf"}, "format is \"pdf\"; expected lines"), ({"beam": 3}, "no option beam")]:
        with pytest.raises(OptionsError, match=sentence):
            translator.translate_text("a", **options)
    with pytest.raises(InputError):
        translator.translate_text("<a><b></a>", format="xml")


def test_scores_of_given_translations(translator):
    good, bad = translator.score(["Good morning!"] * 2, ["Guten Morgen!", "Gute Nacht!"])
    assert good.log_prob > bad.log_prob and good.score == good.log_prob
    assert math.isclose(sum(good.piece_log_probs), good.log_prob, rel_tol=1e-5)
    assert translator.score("Good morning!", "Guten Morgen!").log_prob == good.log_prob
    assert translator.translate("Good morning!", normalize=0.0).log_prob == good.log_prob


def test_draws_repeat_with_their_seed(translator):
    draw = lambda seed: [h.text for h in translator.translate("I am tired.", sampling="full", n_best=3, seed=seed).hypotheses]
    assert draw(5) == draw(5)
    assert len({tuple(draw(seed)) for seed in range(6)}) > 1


def test_options_that_do_not_exist_are_named_with_those_that_do(translator):
    for call, name, meant, others in [
        (translator.translate, "beam_sise", "beam_size", ["n_best", "constraints"]),
        (translator.translate, "beam-size", "beam_size", ["n_best"]),
        (translator.translate, "constraint", "constraints", ["avoid"]),
        (translator.translate_text, "formats", "format", ["split", "beam_size"]),
        (lambda text, **options: translator.translate_bytes(text.encode(), "txt", **options), "spilt", "split", ["n_best"]),
        (lambda _, **options: Translator("en-de", **options), "thread", "threads", ["precision", "beam_size"]),
        (lambda text, **options: metaphrase.evaluate([text], [text], **options), "tokenise", "tokenize", ["smooth"]),
    ]:
        with pytest.raises(OptionsError) as raised:
            call("Hello!", **{name: 3})
        sentence = str(raised.value)
        assert sentence.startswith(f"there is no option {name} (did you mean {meant}?); the options are "), sentence
        listed = sentence.split("; the options are ")[1].split(", ")
        assert {meant, *others} <= set(listed) and listed == sorted(listed), sentence
    with pytest.raises(OptionsError, match="there is no option xyzzy; the options are"):
        translator.translate("Hello!", xyzzy=1)


def test_the_package_names_no_page_that_it_lacks():
    package = Path(metaphrase.__file__).parent
    sources = [path for path in package.rglob("*") if path.suffix in (".py", ".pyi")]
    assert len(sources) > 8
    for path in sources:
        assert "docs/" not in path.read_text(encoding="utf-8"), path


def test_options_are_checked(translator):
    for options, sentence in [
        ({"beam_sise": 3}, "there is no option beam_sise"),
        ({"precision": "int8"}, "precision is an option of the translator, not of a call"),
        ({"beam_size": "3"}, "beam_size is '3': "),
        ({"beam_size": -1}, "beam_size is -1: "),
        ({"beam_size": 0}, "beam_size is 0; it must be a whole number from 1 to 10000"),
        ({"n_best": 40}, "40 best hypotheses asked of a beam of 6"),
        ({"stop": "early"}, "stop is \"early\": .*shrink"),
        ({"ends_beside": True}, "ends_beside goes with stop fill"),
        ({"sampling": "many"}, "sampling is \"many\": .*topk"),
        ({"temperature": 0.5}, "temperature goes with sampling"),
        ({"excluded": ["no such piece"]}, "is not a word of the target vocabulary"),
        ({"evidence_order": 9}, "evidence_order is 9; it must be a whole number from 1 to 4"),
    ]:
        with pytest.raises(OptionsError, match=sentence):
            translator.translate("Hello!", **options)
    with pytest.raises(OptionsError, match="precision is \"f64\""):
        Translator("en-de", precision="f64")
    with pytest.raises(OptionsError, match="without a phrase-based model"):
        Translator("en-de", coverages=3)
    with pytest.raises(OptionsError, match="no model was given"):
        Translator(None)
    with pytest.raises(ModelError, match="nowhere"):
        Translator("nowhere")
    with pytest.raises(ModelError, match="can not form an ensemble"):
        Translator(["en-de", "de-en"])
    assert issubclass(OptionsError, ValueError) and issubclass(ModelError, MetaphraseError)


def test_lines_are_checked(translator):
    for source, beside, sentence in [
        (5, {}, "source is a int; expected str, or a list of str"),
        (b"Hello", {}, "source is a bytes object"),
        (["Hello", None], {}, "line 2: source is a NoneType"),
        (["a", "b"], {"prefix": ["c"]}, "prefix has 1 entries for 2 lines"),
        (["a"], {"prefix": "c"}, "prefix is a str"),
        ("a", {"constraints": "b"}, "constraints is a str"),
        ("a", {"avoid": [3]}, "avoid is a int"),
    ]:
        with pytest.raises(InputError, match=sentence):
            translator.translate(source, **beside)
    assert translator.translate("half a pair: \ud800").error is None
    long = translator.translate("word " * 30, max_source_length=5)
    assert "cut off after 5" in long.notes[0]


def test_precisions_threads_and_ensembles(lines):
    small = Translator("en-de", precision="int8", threads=1).translate(lines)
    assert sum(a.text == b.text for a, b in zip(small, Translator("en-de").translate(lines))) > len(lines) / 2
    twice = Translator(["en-de", "en-de"], weights=[0.5, 0.5], threads=1)
    assert twice.translate("Good morning!").text == "Guten Morgen!"
    narrow = Translator("en-de", threads=1, beam_size=1)
    assert narrow.translate("Hello!").counts["hypotheses"] < narrow.translate("Hello!", beam_size=6).counts["hypotheses"]


def test_iterables_are_bounded(translator, lines):
    read = itertools.count()
    last = 0

    def endless():
        nonlocal last
        for last in read:
            yield lines[last % len(lines)]

    stream = translator.translate_iterable(endless(), ahead=50)
    found = [next(stream).text for _ in range(120)]
    assert found == [translation.text for translation in translator.translate([lines[i % len(lines)] for i in range(120)])]
    assert last < 120 + 50
    stream.close()
    assert next(stream, None) is None
    assert [t.text for t in translator.translate_iterable(lines)] == [t.text for t in translator.translate(lines)]
    assert list(translator.translate_iterable([])) == []


def test_an_iterable_may_wait_for_its_translations(translator):
    seen = []

    def talk():
        for _ in range(3):
            yield f"Hello {len(seen)}!"
            assert len(seen) == _ + 1

    for found in translator.translate_iterable(talk(), ahead=1):
        seen.append(found.text)
    assert len(seen) == 3


def test_what_an_iterable_raises_comes_after_its_lines(translator):
    def broken():
        yield "Hello!"
        yield "Good morning!"
        raise KeyError("broken")

    stream = translator.translate_iterable(broken())
    assert [next(stream).text, next(stream).text] == ["Hallo!", "Guten Morgen!"]
    with pytest.raises(KeyError):
        next(stream)
    with pytest.raises(InputError, match="expected str"):
        list(translator.translate_iterable(["Hello!", 5]))


def test_progress_needs_no_tqdm(translator, lines):
    assert len(list(translator.translate_iterable(lines, progress=True))) == len(lines)


def test_asyncio(translator, lines):
    async def all_lines():
        calls = [translator.translate_async(line) for line in lines]
        return await asyncio.gather(*calls, translator.score_async("Hello!", "Hallo!"))

    *found, score = asyncio.run(all_lines())
    assert [one.text for one in found] == [one.text for one in translator.translate(lines)]
    assert score.log_prob < 0


def test_threads_share_a_translator(translator, lines):
    expected = [found.text for found in translator.translate(lines)]
    wrong = []

    def work():
        for line, text in zip(lines, expected):
            if translator.translate(line).text != text:
                wrong.append(line)

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert wrong == []


def test_other_threads_run_while_a_translator_works(translator, lines):
    """A call releases the interpreter's lock."""
    turns, done = 0, threading.Event()

    def work():
        translator.translate(lines * 10)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 10


def test_a_closed_translator_says_so():
    with Translator("en-de", threads=1) as translator:
        assert translator.translate("Hello!").text == "Hallo!"
        assert not translator.closed
    assert translator.closed and "closed" in repr(translator)
    for call in (lambda: translator.translate("Hello!"), lambda: translator.stream(["Hello!"]), lambda: translator.segment("a")):
        with pytest.raises(MetaphraseError, match="the translator is closed"):
            call()
    translator.close()


def test_pickles_hold_names(tmp_path, monkeypatch):
    terms = tmp_path / "terms.tsv"
    terms.write_text("house\tGebäude\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    translator = Translator("en-de", threads=1, beam_size=2, glossary="terms.tsv")
    text = pickle.dumps(translator)
    assert len(text) < 1000
    monkeypatch.chdir("/")
    again = pickle.loads(text)
    assert type(again) is Translator and again.translate("The house is old.").met


def _in_child(translator, queue):
    try:
        queue.put(translator.translate("Good morning!").text)
    except MetaphraseError as error:
        queue.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("used", [False, True])
def test_a_fork_before_the_first_call_is_safe_and_one_after_is_told(used):
    translator = Translator("en-de", threads=2)
    if used:
        translator.translate("Hello!")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(translator, queue))
    child.start()
    answer = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    if used:
        assert f"used in process {os.getpid()}" in answer and "after the fork" in answer
    else:
        assert answer == "Guten Morgen!"
    assert translator.translate("Good morning!").text == "Guten Morgen!"


def test_pools_of_processes():
    translator = Translator("en-de", threads=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_text, (translator, "Good morning!")) == "Guten Morgen!"


def _text(translator, line):
    return translator.translate(line).text


def _fields(value):
    """The visible attributes of a result, and of the results in it."""
    if isinstance(value, (list, tuple)):
        return [_fields(one) for one in value]
    if not type(value).__module__.startswith("metaphrase"):
        return value
    names = [name for name in dir(value) if not name.startswith("_")]
    return {name: _fields(getattr(value, name)) for name in names if not callable(getattr(value, name))}


def test_results_pickle_by_value(translator, lines):
    glossary = {"house": "Gebäude"}
    found = translator.translate(lines, n_best=3, attention=True, glossary=glossary)
    for again, one in zip(pickle.loads(pickle.dumps(found)), found):
        assert _fields(again) == _fields(one) and again.alignment() == one.alignment() and str(again) == str(one)
    assert any(one.met for one in found)
    hypothesis = found[0].hypotheses[1]
    assert _fields(pickle.loads(pickle.dumps(hypothesis))) == _fields(hypothesis)
    broken = translator.translate("Hello!", constraints=[""])
    assert pickle.loads(pickle.dumps(broken)).missing == [0]
    page = translator.translate_text("<p>Good <b>morning</b>! The house is old.</p>", format="html", glossary=glossary)
    assert _fields(pickle.loads(pickle.dumps(page))) == _fields(page)
    [score] = metaphrase.evaluate(["a b c d"], ["a b c e"], ["bleu"], confidence=True, samples=5).values()
    assert _fields(pickle.loads(pickle.dumps(score))) == _fields(score) and score.interval
    for evidence in (None, [("Hallo", -1.0)], metaphrase.Lattice.of_translations([("Hallo Welt", 0.0)]), "0.5 Hallo\n"):
        request = Request("Hello!", constraints=[["Hallo", "Tag"]], avoid=["x"], prefix="H", evidence=evidence)
        assert pickle.loads(pickle.dumps(request)).__reduce__()[1] == request.__reduce__()[1]
    request = Request("Hello!", source_language="en", target_language="nl")
    assert pickle.loads(pickle.dumps(request)).__reduce__()[1] == request.__reduce__()[1]
    assert "source language" in (translator.translate(request).error or "")


def test_processes_give_their_results_back(translator, lines):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(_whole, (Translator("en-de", threads=1), lines))
    assert _fields(found) == _fields(translator.translate(lines, n_best=2))


def _whole(translator, lines):
    return translator.translate(lines, n_best=2)


def test_lattices(translator):
    source = "Where is the station?"
    found = translator.translate(source, search_graph="words")
    lattice = found.lattice
    assert lattice.n_best(1)[0][0].replace(" ?", "?") == found.text
    assert abs(sum(share for (start, *_), share in zip(lattice.arcs, lattice.posteriors()) if start == 0) - 1) < 1e-6
    assert lattice.svg().startswith("<svg") and found.search_svg().startswith("<svg") and "Bahnhof" in found.search_svg()
    pieces = translator.translate(source, search_graph="pieces").lattice
    assert pieces.n_best(1)[0][0].split() == found.pieces
    assert translator.translate(source).lattice is None and translator.translate(source).search_svg() is None
    for again in (
        pickle.loads(pickle.dumps(lattice)),
        metaphrase.Lattice.from_compact(lattice.to_compact()),
        metaphrase.Lattice.from_openfst(lattice.to_openfst()),
    ):
        assert again.n_best(3) == lattice.n_best(3)
    assert len(lattice.pruned(0.2).arcs) < len(lattice.arcs)
    with pytest.raises(InputError):
        metaphrase.Lattice.from_openfst("0 1 a\n")
    with pytest.raises(OptionsError, match="scale is 0"):
        lattice.svg(scale=0.0)
    with pytest.raises(OptionsError, match="search_graph is \"letters\""):
        translator.translate(source, search_graph="letters")


def test_a_lattice_is_evidence(translator):
    source = "Where is the station?"
    lattice = metaphrase.Lattice.of_translations([("Wo ist die Station?", 0.0), ("Wo ist der Bahnhof?", -3.0)])
    given = translator.translate(source, evidence=lattice, evidence_weight=50.0)
    assert given.text == "Wo ist die Station?"
    assert [found.text for found in translator.translate([source] * 2, evidence=[lattice, None], evidence_weight=50.0)] == [
        given.text,
        translator.translate(source).text,
    ]
    rescored = translator.translate(source, evidence=lattice, evidence_rescore=True)
    assert rescored.text == "Wo ist der Bahnhof?"
    text = translator.posteriors(lattice, evidence_order=2)
    assert translator.translate(source, evidence=text, evidence_order=2, evidence_weight=50.0).text == given.text


def test_files(translator, tmp_path):
    subtitles = b"1\n00:00:01,000 --> 00:00:02,000\nGood morning!\n"
    expected = subtitles.replace(b"Good morning!", b"Guten Morgen!")
    found = translator.translate_file(subtitles, format="srt")
    assert found.content == expected and [one.text for one in found.translations] == ["Guten Morgen!"]
    source, target = tmp_path / "a.srt", tmp_path / "b.srt"
    source.write_bytes(subtitles)
    assert translator.translate_file(source, target, beam_size=4).notes == [] and target.read_bytes() == expected
    # An output that is the source is refused, also through a link; with overwrite it is replaced atomically.
    (tmp_path / "link.srt").symlink_to(source)
    for same in (source, tmp_path / "link.srt"):
        with pytest.raises(OptionsError, match="which is also the source"):
            translator.translate_file(source, same)
    assert source.read_bytes() == subtitles
    translator.translate_file(source, tmp_path / "link.srt", beam_size=4, overwrite=True)
    assert source.read_bytes() == expected and (tmp_path / "link.srt").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.srt", "b.srt", "link.srt"]
    page = translator.translate_file(b"<p>The house is <b>old</b>.</p>", format="html", glossary={"house": "Gebäude"})
    assert "Gebäude" in page.content.decode() and b"<b>" in page.content and page.translations[0].met
    with pytest.raises(OptionsError, match="give format"):
        translator.translate_file(subtitles)
    with pytest.raises(OptionsError, match="format is \"rtf\"; expected txt, html"):
        translator.translate_file(subtitles, format="rtf")
    with pytest.raises(InputError, match="cannot read .*nowhere"):
        translator.translate_file(tmp_path / "nowhere.srt")
    with pytest.raises(InputError):
        translator.translate_file(b"\xff", format="srt")


def test_own_evidence_and_lists_of_others(translator):
    source = "Where is the station?"
    own = translator.translate(source, evidence_own=6)
    assert own.text
    given = translator.translate(source, evidence=[("Wo ist die Station?", 0.0)], evidence_weight=50.0)
    assert given.text == "Wo ist die Station?"
    assert translator.translate([source], evidence=[None])[0].text == translator.translate(source).text


def test_unknown_words_and_vocabularies(shared_model):
    model = Translator(shared_model / "model.npz", vocabularies=[shared_model / "vocab.spm"], threads=1)
    text = (shared_model / "source.en").read_text(encoding="utf-8").splitlines()[:20]
    expected = [line.split(" ||| ")[1] for line in (shared_model / "nbest.b6n1.txt").read_text(encoding="utf-8").splitlines() if line]
    first = {}
    for line in (shared_model / "nbest.b6n1.txt").read_text(encoding="utf-8").splitlines():
        number, translation, *_ = line.split(" ||| ")
        first.setdefault(int(number), translation)
    found = model.translate(text, beam_size=6, normalize=1.0)
    assert [one.text for one in found] == [first[number] for number in range(20)] and expected


def test_phrase_based_models():
    import conftest

    model = conftest.SHARED / "models/moses-de-en"
    if not model.exists():
        pytest.skip("needs models/moses-de-en of the shared folder")
    ini = next(iter(sorted(model.rglob("moses.ini"))), None) or next(iter(sorted(model.rglob("*.ini"))))
    translator = PhraseTranslator(ini, threads=1, coverages=4)
    found = translator.translate("das ist ein haus", n_best=3)
    assert found.text and len(found.hypotheses) == 3 and found.alignment()
    with pytest.raises(OptionsError, match="phrase-based translator"):
        translator.translate("das", beam_size=3)
    assert pickle.loads(pickle.dumps(translator)).translate("das ist ein haus").text == found.text


def test_evaluation():
    hypotheses, reference = ["the cat sat on the mat", "hello there"], ["the cat sat on a mat", "hello there"]
    scores = metaphrase.evaluate(hypotheses, reference)
    assert list(scores) == ["bleu", "chrf", "ter"]
    assert scores["bleu"].signature == "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    assert float(scores["ter"]) == pytest.approx(12.5)
    assert str(scores["bleu"]).startswith("BLEU|nrefs:1|")
    two = metaphrase.evaluate(hypotheses, [reference, hypotheses], ["bleu", "chrf++"], lowercase=True, confidence=True, samples=20)
    assert two["bleu"].value == pytest.approx(100) and "nrefs:2" in two["bleu"].signature and two["bleu"].interval
    with pytest.raises(InputError, match="lines"):
        metaphrase.evaluate(hypotheses, ["one"])
    with pytest.raises(OptionsError, match="metrics is \"comet\""):
        metaphrase.evaluate(hypotheses, reference, ["comet"])
    with pytest.raises(OptionsError, match="there is no option tokenise"):
        metaphrase.evaluate(hypotheses, reference, tokenise="zh")


def test_models_are_inspected_and_converted(tmp_path):
    from conftest import ROOT

    text, problems = metaphrase.inspect(ROOT / "models/en-de")
    assert problems == [] and "transformer" in text.lower()
    metaphrase.convert(ROOT / "models/en-de", tmp_path / "copy", "f16")
    assert Translator(tmp_path / "copy", threads=1).translate("Hello!").text == "Hallo!"
    with pytest.raises(ModelError):
        metaphrase.convert(ROOT / "models/en-de", tmp_path / "copy")
    lost = metaphrase.convert(ROOT / "models/en-de", tmp_path / "ctranslate2", "int8", format="ctranslate2")
    assert any("term" in part for part in lost), lost
    assert Translator(tmp_path / "ctranslate2", threads=1).translate("Hello!").text == "Hallo!"
    with pytest.raises(OptionsError, match="format"):
        metaphrase.convert(ROOT / "models/en-de", tmp_path / "onnx", format="onnx")


def _resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_calls_leak_nothing():
    """benches/overhead.py makes a million calls."""
    translator = Translator("en-de", threads=1, beam_size=1)
    options = {"glossary": Glossary({"hi": "hallo"}), "constraints": ["hallo"]}

    def calls(count):
        for _ in range(count):
            found = translator.translate("", **options)
            found.hypotheses[0].met, found.notes, repr(found)
            next(iter(translator.stream([""])))

    calls(500)
    gc.collect()
    before = _resident()
    calls(3000)
    gc.collect()
    assert _resident() - before < 2 << 20


def test_numbers_that_a_translation_lacks(translator):
    request = Request("The room has 77 chairs.", avoid=["77"])
    found = translator.translate(request, check_numbers=True)
    assert found.missing_numbers == pickle.loads(pickle.dumps(found)).missing_numbers == ["77"]
    assert translator.translate(request).missing_numbers == []
