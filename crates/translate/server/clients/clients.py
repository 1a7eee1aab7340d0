"""Clients in Python against the server at the address of the first argument; further arguments name some of the clients."""

import asyncio
import inspect
import io
import sys

import deepl
from deepl.api_data import MultilingualGlossaryDictionaryEntries

ADDRESS = sys.argv[1].rstrip("/")


def libretranslatepy():
    from libretranslatepy import LibreTranslateAPI

    client = LibreTranslateAPI(ADDRESS + "/")
    assert client.translate("Good morning!", "en", "de") == "Guten Morgen!"
    assert {"code": "en", "name": "English", "targets": ["de"]} in client.languages()
    assert client.detect("Where is the station?")[0]["language"] == "en"


def deep_translator():
    from deep_translator import LibreTranslator

    client = LibreTranslator(source="en", target="de", custom_url=ADDRESS + "/", api_key="none")
    assert client.translate("Good morning!") == "Guten Morgen!"
    assert client.translate_batch(["Good morning!", "How are you?"]) == ["Guten Morgen!", "Wie geht es dir?"]


def libretranslate_aio():
    from libretranslate_aio import AsyncLibreTranslate, BadRequestError

    async def run():
        async with AsyncLibreTranslate(ADDRESS) as client:
            assert await client.health()
            one = await client.translate("Good morning!", "auto", "de", alternatives=2)
            assert (one.translated_text, one.detected_language.language) == ("Guten Morgen!", "en")
            assert len(one.alternatives) == 2, one
            several = await client.translate(["Good morning!", "How are you?"], "en", "de")
            assert several.translated_text == ["Guten Morgen!", "Wie geht es dir?"], several
            assert (await client.detect("Where is the station?"))[0].language == "en"
            assert not (await client.frontend_settings()).suggestions
            try:
                await client.translate("a", "en", "zz")
            except BadRequestError as error:
                assert "zz is not supported" in str(error), error
            else:
                raise AssertionError("a language that is not there was accepted")

    asyncio.run(run())


def refused(*errors):
    def check(call):
        try:
            call()
        except errors:
            return
        raise AssertionError("a request that has to be refused was accepted")

    return check


def deepl_python():
    client = deepl.DeepLClient("none", server_url=ADDRESS)
    assert client.translate_text("Good morning!", target_lang="DE").text == "Guten Morgen!"
    several = client.translate_text(["Good morning!", "How are you?"], source_lang="EN", target_lang="DE")
    assert [one.text for one in several] == ["Guten Morgen!", "Wie geht es dir?"]
    assert (several[0].detected_source_lang, several[0].billed_characters) == ("EN", 13)
    assert client.translate_text("Guten Morgen!", source_lang="DE", target_lang="EN-US").text == "Good morning!"
    html = client.translate_text("<p>Good <b>morning</b>!</p>", source_lang="EN", target_lang="DE", tag_handling="html").text
    assert html.startswith("<p>") and html.endswith("</p>") and "<b>" in html, html
    assert [language.code for language in client.get_source_languages()] == ["EN", "DE"]
    assert "EN-GB" in [language.code for language in client.get_target_languages()]
    assert not client.get_usage().any_limit_reached
    assert client.get_glossary_languages()

    glossary = client.create_glossary("g", source_lang="EN", target_lang="DE", entries={"house": "Gebäude"})
    assert client.get_glossary_entries(glossary) == {"house": "Gebäude"}
    text = client.translate_text("The house is old.", source_lang="EN", target_lang="DE", glossary=glossary).text
    assert "Gebäude" in text, text
    assert glossary.glossary_id in [known.glossary_id for known in client.list_glossaries()]
    client.delete_glossary(glossary)

    part = MultilingualGlossaryDictionaryEntries("EN", "DE", {"house": "Bau"})
    several = client.create_multilingual_glossary("h", [part])
    text = client.translate_text("The house is old.", source_lang="EN", target_lang="DE", glossary=several).text
    assert "Bau" in text, text
    client.update_multilingual_glossary_name(several, "i")
    changed = MultilingualGlossaryDictionaryEntries("EN", "DE", {"old": "alt"})
    client.update_multilingual_glossary_dictionary(several, changed)
    entries = client.get_multilingual_glossary_entries(several, "EN", "DE").dictionaries[0].entries
    assert entries == "house\tBau\nold\talt", entries
    client.replace_multilingual_glossary_dictionary(several, changed)
    assert client.get_multilingual_glossary(several.glossary_id).name == "i"
    assert len(client.list_multilingual_glossaries()) == 1
    client.delete_multilingual_glossary_dictionary(several, source_lang="EN", target_lang="DE")
    client.delete_multilingual_glossary(several)

    if "glossary_ids" in inspect.signature(client.translate_text).parameters:
        parts = [client.create_glossary(entries, "EN", "DE", {"house": entries}) for entries in ["Gebäude", "Bau"]]
        parts.append(client.create_glossary("g", "EN", "DE", {"door": "Pforte"}))
        options = {"source_lang": "EN", "target_lang": "DE", "glossary_ids": parts}
        text = client.translate_text("The house has a door.", **options).text
        assert "Gebäude" in text and "Pforte" in text and "Bau" not in text, text
        output = io.BytesIO()
        client.translate_document(b"The house has a door.", output, filename="a.txt", **options)
        assert output.getvalue().decode() == text, output.getvalue()
        unknown = "00000000-0000-0000-0000-000000000000"
        refused(deepl.DocumentTranslationException, deepl.GlossaryNotFoundException, deepl.DeepLException)(
            lambda: client.translate_text("a", source_lang="EN", target_lang="DE", glossary_ids=[unknown])
        )
        for part in parts:
            client.delete_glossary(part)
    for options in [{"formality": "more"}, {"custom_instructions": ["Be kind"]}, {"style_rule": "a"}]:
        if set(options) <= set(inspect.signature(client.translate_text).parameters):
            refused(deepl.DeepLException)(lambda: client.translate_text("a", target_lang="DE", source_lang="EN", **options))

    output = io.BytesIO()
    client.translate_document(b"Good morning!", output, target_lang="DE", source_lang="EN", filename="a.txt")
    assert output.getvalue() == b"Guten Morgen!", output.getvalue()

    try:
        client.translate_text("a", target_lang="XX")
    except deepl.DeepLException as error:
        assert "target_lang" in str(error), error
    else:
        raise AssertionError("a language that is not there was accepted")


for client in [libretranslatepy, deep_translator, libretranslate_aio, deepl_python]:
    if sys.argv[2:] and client.__name__ not in sys.argv[2:]:
        continue
    client()
    print(f"ok: {client.__name__}")
