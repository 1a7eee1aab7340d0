"""The same request gives the same bytes from Python, from the command line and from the server."""

import json
import subprocess
import sys
import urllib.request

import pytest

from metaphrase import Server

LONG = " ".join(
    [
        "The house at the end of the street is old, but its garden is large and full of flowers.",
        "Our neighbours want to buy the house, because they need more room for their three children.",
        "The owner has not decided yet, and nobody knows what will become of the old house.",
        "We hope that it will stay as it is.",
    ]
)
# Each request may have: text, glossary (source term to target terms), constraints, avoid, target_prefix.
REQUESTS = {
    "plain": {"text": "The house is old."},
    "a term twice": {"text": "The house is next to a house.", "glossary": {"house": ["Gebäude"]}},
    "terms that overlap": {"text": "The old house is large.", "glossary": {"old house": ["Altbau"], "house": ["Haus"]}},
    "a term of the glossary and of the line": {
        "text": "The house is old.",
        "glossary": {"house": ["Haus"]},
        "constraints": ["Haus"],
    },
    "alternatives": {"text": "I take a cab.", "glossary": {"cab": ["Droschke", "Taxi"]}, "constraints": [["Taxi", "Bus"]]},
    "a term with a number sign": {"text": "The house is old.", "constraints": ["#Haus"]},
    "a term with a tab": {"text": "The house is old.", "constraints": ["altes\tHaus"]},
    "a phrase to avoid": {"text": "The house is old.", "avoid": ["Haus", "alt"]},
    "a prefix": {"text": "The house is old.", "target_prefix": "Das Gebäude"},
    "a long line": {"text": LONG},
    "a long line with terms": {"text": LONG, "glossary": {"house": ["Gebäude"], "garden": ["Park"]}},
    "an empty line": {"text": ""},
}
HTML = "<p>The <b>house</b> is old. It stands in the <i>garden</i>.</p>\n"
PROGRAM = [sys.executable, "-m", "metaphrase"]


def from_python(translator, request):
    own = {key: request.get(key) for key in ("constraints", "avoid")}
    prefix, glossary = request.get("target_prefix"), request.get("glossary")
    return translator.translate(request["text"], prefix=prefix, glossary=glossary, **own).text


def from_command_line(request, folder):
    own = {key: value for key, value in request.items() if key != "glossary"}
    arguments = ["translate", "-q", "--threads", "1", "--input-format", "json"]
    if "glossary" in request:
        path = folder / "glossary.tsv"
        lines = ("\t".join([source, *targets]) for source, targets in request["glossary"].items())
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        arguments += ["--glossary", str(path)]
    done = subprocess.run(
        [*PROGRAM, *arguments], input=json.dumps(own) + "\n", capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.removesuffix("\n")


def ask(server, body):
    data = json.dumps({"source": "en", "target": "de", **body}).encode()
    request = urllib.request.Request(f"{server.url}/api/v1/translate", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["translations"][0]


def from_server(server, request):
    terms = [{"source": source, "target": targets} for source, targets in request.get("glossary", {}).items()]
    body = {"text": request["text"], "format": "lines", "terms": terms, "require": request.get("constraints", [])}
    body |= {"avoid": request.get("avoid", []), "target_prefix": request.get("target_prefix", "")}
    return ask(server, body)["text"]


@pytest.fixture(scope="module")
def server():
    with Server(port=0, threads=1) as server:
        yield server


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_has_one_answer(name, translator, server, tmp_path):
    request = REQUESTS[name]
    expected = from_python(translator, request)
    assert from_command_line(request, tmp_path) == expected
    assert from_server(server, request) == expected


def test_a_document_has_one_answer(translator, server, tmp_path):
    glossary = {"garden": ["Park"]}
    expected = translator.translate_text(HTML, format="html", glossary=glossary, language="en").text
    assert "Park" in expected
    (tmp_path / "glossary.tsv").write_text("garden\tPark\n", encoding="utf-8")
    arguments = ["translate", "-q", "--input-format", "html", "--glossary", str(tmp_path / "glossary.tsv")]
    done = subprocess.run([*PROGRAM, *arguments], input=HTML, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == expected
    body = {"text": HTML, "format": "html", "terms": [{"source": "garden", "target": "Park"}]}
    assert ask(server, body)["text"] == expected
