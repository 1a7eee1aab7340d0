"""More files that the program reads: shortlists, integer models, lattices, lists and posteriors, documents, a server's store, corpora."""

import io
import struct
import zipfile
from pathlib import Path

from attacks import mutate
from attacks.formats import LINES, copied, file, given

# Small files of each format of documents; of archives the part with the text.
DOCUMENTS = {
    "txt": b"Good morning, {name}! How are you?\n\n Fine.\n",
    "html": b"<p title='a b'>Good <b>morning</b> &amp; <code>x</code><br>you</p><script>x</script><ul><li>One<li>Two</ul>",
    "xml": b"<?xml version='1.0'?><a><b>One <i>two</i></b><![CDATA[three]]><!-- c --></a>",
    "md": b"---\nx: y\n---\n# a *b* `c`\n- [f](g \"h\")\n\n| n | o |\n|--|--|\n| p | q |\n",
    "srt": b"1\n00:00:01,000 --> 00:00:02,000\n<i>One</i>\ntwo\n",
    "vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>One</v>\n",
    "po": b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a\\n"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n',
    "xliff": b'<xliff version="1.2"><file><body><trans-unit><source>One <g>two</g></source><target/></trans-unit></body></file></xliff>',
}
CONTAINER = b'<container><rootfiles><rootfile full-path="o.opf"/></rootfiles></container>'
BOOK = b'<package><manifest><item id="a" href="a.html" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
ARCHIVES = {
    "docx": {"word/document.xml": b"<w:document><w:body><w:p><w:r><w:t>One two.</w:t></w:r></w:p></w:body></w:document>"},
    "pptx": {"ppt/slides/slide1.xml": b"<p:sld><a:p><a:r><a:t>One two</a:t></a:r></a:p></p:sld>"},
    "odt": {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<text:p>One <text:span>two</text:span></text:p>"},
    "odp": {"content.xml": b"<text:h>One</text:h>"},
    "epub": {"mimetype": b"application/epub+zip", "META-INF/container.xml": CONTAINER, "o.opf": BOOK, "a.html": b"<html><p>One</p></html>"},
}
CORPUS = """[languages]
source = "de"
target = "en"
[[source]]
name = "small"
source = "s.de"
target = "s.en"
"""


def zipped(parts) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def prepare(campaign, to: Path) -> None:
    def run(*args, text=b""):
        outcome = campaign.run(args, to, text)
        assert outcome.code == 0, (args, outcome.stderr)
        return outcome.stdout

    run("convert", "-m", "npz", "--to", "int8", "--precision", "int8")
    run("shortlist", "learn", "-m", "npz", "-b", "2", "-o", "lists", text=LINES * 20)
    (to / "lex.s2t").write_bytes(b"b a 0.5\nc b 0.25\nc a 0.125\nNULL d 1\n" * 3)
    (to / "list").write_bytes(run("translate", "-m", "npz", "-b", "3", "--n-best", "3", text=LINES))
    (to / "json").write_bytes(run("translate", "-m", "npz", "-b", "3", "--n-best", "3", "--output-format", "json", text=LINES))
    run("posteriors", "-m", "npz", "--format", "n-best", "-i", "list", "-o", "posteriors")
    for form in ["compact", "openfst", "moses"]:
        run("phrase", "lattice", "-m", "phrase", "--format", form, "-o", form, text=b"das haus\nein Haus\n")
    for name, content in [*DOCUMENTS.items(), *((name, zipped(parts)) for name, parts in ARCHIVES.items())]:
        (to / f"document.{name}").write_bytes(content)
    run("serve", "--data", "store", "--add-key", "somebody")


def lists(source, content: bytes) -> bytes:
    """A shortlist of our own form, mutated; its length and its checksum, of all bytes but itself, are true."""
    changed = bytearray(content[:20] + mutate.mutate(source, content[20:]))
    if len(changed) > 40:
        changed[24:32] = struct.pack("<Q", len(changed))
        changed[32:40] = struct.pack("<Q", mutate.checksum(bytes(changed[:32] + changed[40:])))
    return bytes(changed)


def with_model(seeds, attack):
    """Puts the model beside the files of the attack."""
    name, inner = attack

    def run(campaign, source, folder):
        copied(seeds, folder, "npz")
        (folder / "text").write_bytes(LINES)
        inner(campaign, source, folder)
    return (name, run)


def attacks(campaign, seeds: Path):
    one = ["--threads", "1"]
    tiny = ["translate", "-m", "npz", "-b", "2", *one]
    sums = lambda folder: mutate.checksums(folder, ["model.safetensors", "source.vocab.yml"])
    found = [
        file(seeds, "int8", "model.safetensors", ["translate", "-m", "int8", "-b", "2", *one], change=mutate.tensors, sums=sums),
        file(seeds, "int8", "model.safetensors", ["translate", "-m", "int8", "-b", "2", *one], sound=True),
        file(seeds, "int8", "config.toml", ["translate", "-m", "int8", "-b", "2", *one]),
        with_model(seeds, file(seeds, "lists", "", [*tiny, "--shortlist", "lists"], change=lists)),
        with_model(seeds, file(seeds, "lists", "", [*tiny, "--shortlist", "lists"], sound=True)),
        with_model(seeds, file(seeds, "lex.s2t", "", [*tiny, "--shortlist", "lex.s2t"])),
        with_model(seeds, file(seeds, "posteriors", "", [*tiny, "--lmbr", "posteriors"])),
        with_model(seeds, file(seeds, "posteriors", "", ["tune-evidence", "-m", "npz", "-b", "2", *one, "--lmbr", "posteriors", "--rounds", "1",
                                                         "--grid-weights", "1", "--grid-precisions", "0.5", "--grid-ratios", "0.5", "text", "text"])),
        with_model(seeds, file(seeds, "small.arpa", "", [*tiny, "--lm", "small.arpa"])),
        file(seeds, "list", "", ["mbr", *one, "-i", "list"]),
        file(seeds, "json", "", ["mbr", *one, "--format", "json", "-i", "json"]),
        file(seeds, "store", "", ["serve", "--data", "store", "--list-keys"]),
        file(seeds, "recipe", "run/log.jsonl", ["curves", "recipe/run", "-o", "new.svg"]),
        given("lines to segment", ["tokenize", "-l", "zh", "-i", "text"], {"text": "中文 text ไทย\n".encode() * 3}, b""),
        given("text for a vocabulary", ["vocabulary", "train", "text", "-o", "v.spm", "--size", "40", *one],
              {"text": b"the house is old\nhe took a cab home\n" * 8}, b""),
        given("a dictionary for unknown words", [*tiny[:1], "-b", "2", *one, "--allow-unk", "--replace-unk", "words"],
              {"words": b"house Haus\ncab\tTaxi\n"}, b"The house is \xe2\x98\x83.\n"),
        given("a corpus", ["corpus", "-c", "corpus.toml", "-o", "corpus", *one],
              {"corpus.toml": CORPUS.encode(), "s.de": b"das alte Haus\nein Buch\n" * 5, "s.en": b"the old house\na book\n" * 5}, b""),
    ]
    for form in ["compact", "openfst", "moses"]:
        found.append(file(seeds, form, "", ["posteriors", *one, "--format", form, "-i", form]))
        found.append(file(seeds, form, "", ["draw", "--format", form, "-i", form, "-o", "picture.%d.svg"]))
    for name, content in DOCUMENTS.items():
        found.append(given(f"document, {name}", ["translate", "-b", "1", *one, "--input-format", name if name != "txt" else "text", "-i", "in"],
                           {"in": content}, b""))
    for name in ARCHIVES:
        for change in [mutate.archive, mutate.mutate]:
            found.append(file(seeds, f"document.{name}", "", ["translate", "-b", "1", *one, "--input-format", name, "-i", f"document.{name}",
                                                              "-o", f"out.{name}"], change=change))
    return found
