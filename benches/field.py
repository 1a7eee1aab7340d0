#!/usr/bin/env python3
"""Cases from public bug reports of translation tools. Is each right?

    benches/field.py PROGRAM FOLDER [--firefox MODEL] [--out docs/results/field.json] [--table docs/results/field.md]

FOLDER has the inputs, `NNN-name.end`, which belong to the reports and are not part of this repository. A case is a number of
the review, an input, options, strings that the translation by the bundled English-German model must have, and strings that it must not have.
What only the choice of the model's words decides is not asked. A case without its input is left out, and counted. An input
of our own is the end of its name and its text. `field_programs.py` has the cases of servers, models, metrics and command lines; MODEL is
Firefox's student for Portuguese, and `sacrebleu` must be installed for the metrics.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import field_programs

SPLIT = ["--split=sentences"]
LINES = ["--input-format", "plain"]

# What all texts of OpenDocument begin and end with; a document of our own has this body.
ODT_BEGIN = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2"><office:body><office:text>'
)
ODT_END = "</office:text></office:body></office:document-content>"


def odt(body):
    """The parts of a document of OpenDocument."""
    kind = "application/vnd.oasis.opendocument.text"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    return {"mimetype": kind, "content.xml": ODT_BEGIN + body + ODT_END, "META-INF/manifest.xml": manifest}


# Number, input, options, strings to have, strings not to have. A string that begins with "re:" is a regular expression.
CASES = [
    (1, "001", SPLIT, ["😆", "re:. 😆 .+"], []),
    (2, "002", SPLIT, ["re:\\w 🐶!", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "re:❤️ \\w", "⏰", "⚠️"], ["re:\\w🐶"]),
    (3, "002", SPLIT, ["🌷🌷🌷 🌷", "🎉🎉🎉"], []),
    (4, "002", SPLIT, ["re:(?m)^1️⃣ \\w"], []),
    (5, "057", SPLIT, ["⌘ + C", "⏰", "✓", "→"], []),
    (6, "057", SPLIT, ["Yeşilgöz", "Łukasz", "Nguyễn", "Đà Nẵng"], []),
    (7, "057", SPLIT, ["{ \"a\": 1 }"], ["1 } \"a\""]),
    (8, "057", SPLIT, ["東京", "мир", "re:₹ ?500|500 ₹"], []),
    (10, "004", SPLIT, ["re:^([^\\n]+)\\n\\1\\n$"], ["\u00ad"]),
    (11, "014", SPLIT, ["re:&lt;\\w+&gt;", "&gt; 3 &amp;&amp; 2 &lt; 4", "&copy; ", "2021", "&nbsp;"], ["&kopie", "&amp;copy"]),
    (12, "011", SPLIT, ["%1$s", "%2$d", "{{name}}", "{count}", "%@", "%ld", "%{name}", "%.2f%%", "%s", "$firstName$", "<0>", "</1>", "[[user]]",
                        "#{user.name}", "${date}", ":name", ":count", "{1:N2}", "%(country)s", "%(start_date)s", "@name", "%user"], []),
    (13, "011", SPLIT, ["re: %%name%% "], ["%%name%%%"]),
    (14, "011", SPLIT, ["re: __NAME__(\n|!)"], []),
    (14, "010", SPLIT, ["MAX_CONNECTIONS=100"], []),
    (15, "011", SPLIT, ["{{Ctrl}}+{{C}}"], []),
    (16, "011", SPLIT, ["re:\\{% if user %\\}.+\\{% endif %\\}"], ["Welcome back"]),
    (17, "012", SPLIT, ["\\n", "\\t", "\\u00a9", "C:\\\\temp\\\\new"], ["Second line", "First line"]),
    (18, "060", SPLIT, ["`git commit -m \"message\"`", "``code``", "re::ref:`[^`<]+<house>`", "`user_name`", "re:`[^`]+ <https://example.org>`_", "|version|"], []),
    (19, "010", SPLIT, ["C:\\Program Files\\App\\readme.txt", "/etc/nginx/nginx.conf", "--force", "printf(\"%d\\n\", x)", "user_name", "foo.bar(x)"], []),
    (20, "013", SPLIT, ["re:\\{count, plural, one \\{# ", "{gender, select, male {", "re:=0 \\{\\w+.*\\} =1 \\{\\w+.*\\} other \\{# ", "{count, number}"], ["was deleted"]),
    (22, "040", [], ["re:\\{VAR_PLURAL, plural, =0 \\{.+\\} =1 \\{.+\\} (one \\{.+\\} )?other \\{.*<x id=\"INTERPOLATION\"/>.+\\}\\}</target>"], []),
    (23, "019", SPLIT, ["re:(?m)^1\\. ", "re:(?m)^2\\) ", "re:(?m)^- ", "re:(?m)^\\* ", "re:(?m)^• ", "re:(?m)^a\\) ", "re:(?m)^\\(b\\) ", "re:(?m)^– ",
                        "re:(?m)^>> ", "[x] ", "[ ] "], []),
    (24, "006", SPLIT, ["re:TÜR NICHT", "re:^[^a-z]+$"], ["MACHINE"]),
    (25, "020", SPLIT, ["re:^    \\w", "re:\\n\t\\w", "re:   \n", "re:\n  $|\n  \n"], []),
    (27, "009", SPLIT, ["re:^„\\w.*“|„hallo“|»|\""], []),
    (28, "018", SPLIT, ["\r\n"], []),
    (29, "015", SPLIT, ["https://"], []),
    (30, "037", [], ["re:Figure 1</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t[^>]*> \\w|Figure 1</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t[^>]*>[.]"], []),
    (31, "037", [], ["re:<w:t[^>]*>[^<]+ </w:t></w:r><m:oMath>", "re:</m:oMath><w:r><w:t[^>]*> (</w:t></w:r><w:r><w:t[^>]*>)?\\w"], []),
    (33, "062", [], ["re:\\w,? 😀,? ", "re:\\w ?,? ?!\\[\\]\\(x\\.png\\)"], ["😀weil", ")meine"]),
    (35, "058", [], ["re:<a epub:type=\"noteref\" href=\"notes.xhtml#n1\"><sup>1</sup></a>"], []),
    (37, "037", [], ["re:<w:vertAlign w:val=\"superscript\"/></w:rPr><w:t[^>]*>1</w:t>"], []),
    (37, "039", [], ["re:<a:rPr baseline=\"30000\"/><a:t>1</a:t>"], []),
    (38, "058", [], ["<span class=\"dropcap\">D</span>as"], []),
    (40, "037", [], ["re:<w:b/></w:rPr><w:t[^>]*>(ist|heiße)</w:t>"], []),
    (41, "037", [], ["<w:delText>old</w:delText>", "re:<w:ins [^>]*><w:r><w:t[^>]*>neu</w:t>"], []),
    (43, "037", [], [], ["-Trennung", "‑Trennung", "softHyphen"]),
    (44, "037", [], [], [">Text in a box.<", ">Choose a house<", ">Hidden words.<", "displayText=\"Choose a house\""]),
    (46, "037", [], [], ["descr=\"A red house\"", "title=\"Red house\""]),
    (48, "058", [], ["re:<dc:language>de</dc:language>", "xml:lang=\"de\""], ["xml:lang=\"en\""]),
    (49, "058", [], [], [">Contents<", "<text>The old house"]),
    (50, "021", [], ["<p>&lt;</p>", "<p>&nbsp;</p>"], []),
    (51, "022", [], ["value=\"Do not touch\""], ["alt=\"A red house\"", "placeholder=\"Your name\"", "value=\"Send message\"", "Close the window"]),
    (52, "022", [], [], [">Red<", ">Green<", "Big colours", "House icon", "Open door", "label=\"English subtitles\"", "List of houses"]),
    (53, "023", [], ["re:<span>Erst\\w*</span> ?<span>Zweit\\w*</span>"], []),
    (55, "024", [], ["https://example.social/tags/rust"], []),
    (58, "028", [], ["re:caf|Caf", "charset=iso-8859-1"], ["\ufffd"]),
    (59, "030", ["--encoding", "windows-1252"], ["-->"], ["\ufffd"]),
    (59, "031", [], ["-->"], ["\ufffd"]),
    (61, "029", [], ["X1:100 X2:200 Y1:10 Y2:20", "{\\an8}<i>", "re:♪ .+ ♪", "re:<font color=\"#ffff00\">.+</font>"], []),
    (62, "034", [], ["NOTE\nThis is a comment\nThe house is old.", "<v Mary>", "<v.loud John Smith>", "re:<b>\\w+</b>", "X-TIMESTAMP-MAP=LOCAL"], []),
    (63, "062", [], ["> [!NOTE]\n> "], ["\\[!NOTE"]),
    (64, "062", [], ["re:(?m)^:::note$", "re:(?m)^:::$", "re:!!! note \"[^\"]+\"\n    \\w"], []),
    (65, "062", [], ["re:\\| \\w+ \\| \\w+ \\\\\\| \\w+ \\|"], []),
    (66, "062", [], ["$x^2$"], []),
    (66, "035", [], ["$x^2 + y$", "$$E = mc^2$$"], []),
    (68, "062", [], ["re:\\[\\[House\\|[^\\]]+\\]\\]", "![[a.png]]", "re:==[^=]+==", "*[HTML]:", "{% note %}\n", "\n{% endnote %}", "re:\n: \\w"], []),
    (69, "062", [], ["re:\\\\\n\\w"], []),
    (69, "035", [], ["re:\\w\\.?  \n\\w"], []),
    (70, "035", [], ["tags: [house, garden]"], ["title: \"Our house\"", "description: The house is old."]),
    (71, "035", [], [], ["\"A red house\"", "\"The red house\""]),
    (72, "036", [], ["#, fuzzy", "#| msgid \"Close the window\"", "re:msgstr\\[1\\] \".*%d.*\""], []),
    (73, "036", [], ["re:msgstr \"(&D|D&)atei\"", "re:msgid \"_Open the file\"\nmsgstr \"[^\"]*_", "re:msgid \"Save &as...\"\nmsgstr \"[^\"]*&"], []),
    (74, "036", [], ["msgid \"100%\"\nmsgstr \"100%\"", "re:hello[^\n]*\\\\t|left.\"\nmsgstr \"[^\n]*\\\\t"], []),
    (75, "040", [], ["re:<ph id=\"0\" equiv-text=\"\\{\\{count\\}\\}\">\\{\\{count\\}\\}</ph>[^<]*</target>"], ["<target state=\"needs-translation\">Save"]),
    (76, "040", [], ["re:<target><mrk mtype=\"seg\" mid=\"1\">\\w[^<]+</mrk>\\s?<mrk mtype=\"seg\" mid=\"2\">\\w"], []),
    (78, "040", [], ["<target state=\"final\">Guten Morgen</target>", "re:id=\"6\" translate=\"no\"><source>Do not touch</source></trans"], []),
    (79, "042", [], ["re:name=\"apos\">[^<]*\\\\n", "<bool name=\"on\">true</bool>", "BigHouse", "@string/hello", "<color name=\"red\">#ff0000</color>", "<![CDATA["], []),
    (80, "043", [], ["re:<translation>\\w"], []),
    (80, "044", [], ["<resheader"], []),
    (81, "046", ["--input-format", "json-file"], [], []),
    (81, "047", [], [], []),
    (81, "048", [], [], []),
    (81, "049", [], [], []),
    (81, "050", [], [], []),
    (81, "051", [], ["Dialogue:"], []),
    (81, "052", [], [], []),
    # Inputs of our own.
    (21, ("txt", "{n, plural, one {# file} other {# files}} are here.\n"), SPLIT, ["re:\\{n, plural, one \\{# \\w+\\} other \\{# \\w+\\}\\}"], ["files"]),
    (26, ("txt", "The flat has 85.5 square metres and costs $1,250.50 on 3 May 2024.\n"), SPLIT, ["85,5", "1.250,50", "2024"], []),
    (34, ("po", 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "I am happy 😀 because the picture <img src=\\"a.png\\"/> is small."\nmsgstr ""\n'), [], ["re:\\w,? 😀,? \\w", "re:msgstr \".*<img src=\\\\\"a.png\\\\\"/> \\w"], []),
    (36, ("html", "<p>The house was rebuilt.<sup>3</sup> It has a garden<sup>a</sup> and a door<a href=\"#n\">[2]</a>.</p>"), [], ["<sup>3</sup>", "<sup>a</sup>", "<a href=\"#n\">[2]</a>"], []),
    (54, ("html", "<p><b>The <i>old</i> house</b><br>is<br/>red.</p>"), [], ["re:<b>.*<i>\\w+</i>.*</b><br>"], []),
    (56, ("html", "<p>Good morning<br>my friend</p>"), [], ["re:<p>[^<]+<br>[^<]+</p>"], ["</br>", "<br/>"]),
    (32, ("odt", odt('<text:p>See <text:bookmark-ref text:reference-format="text" text:ref-name="f">Figure 1</text:bookmark-ref> for the house.</text:p>'
                     '<text:p>Page <text:page-number text:select-page="current">1</text:page-number> of the book</text:p>')), [],
     ["re:Figure 1</text:bookmark-ref>( \\w|[.,])", "re:Seite <text:page-number[^>]*>1</text:page-number> \\w"], []),
    (32, "039", [], ["re:type=\"slidenum\"><a:rPr[^>]*/><a:t>2</a:t></a:fld><a:r><a:rPr[^>]*/><a:t> \\w"], []),
    (39, "037", [], ["re:<w:hdr .*>Das alte Haus</w:t>", "re:<w:ftr .*>Seite </w:t>", "re:<w:footnote .*<w:t[^>]*> \\w[^<]*\\.</w:t>"],
     [">The old house</w:t>", ">Page </w:t>", "This is a small note."]),
    (42, ("odt", odt('<text:tracked-changes><text:changed-region text:id="c"><text:deletion><office:change-info><dc:creator>A</dc:creator></office:change-info>'
                     '<text:p>The old door</text:p></text:deletion></text:changed-region></text:tracked-changes>'
                     '<text:p>The house<text:change text:change-id="c"/> is red.<office:annotation><text:p>Is this right?</text:p></office:annotation></text:p>')), [],
     ["<text:p>The old door</text:p>", "<text:p>Is this right?</text:p>", "re:<text:p>Das Haus ?<text:change text:change-id=\"c\"/>"], ["is red"]),
    (45, "037", [], ["re:<c:title>.*<a:t>\\w", "re:<c:v>Rote H", "re:<dgm:t>.*<a:t>\\w"], ["Houses in the city", "Red houses", ">Open the door<"]),
    (45, "039", [], [], ["Houses by colour"]),
    (47, "037", [], ["<dc:title>Das alte Haus</dc:title>", "<dc:language>de</dc:language>"], ["w:lang w:val=\"en"]),
    (57, ("html", '<p>Click <a href="x">here</a> now.</p>\n'), [], ['<a href="x">hier</a>'], []),
    (60, ("srt", "1\n00:00:01,000 --> 00:00:03,000\nThe old house at the end of the street was built by\n\n2\n00:00:03,100 --> 00:00:05,000\nmy grandfather, who came from a small town by the sea.\n"), [], ["re:(?s)^(?:(?:\\d+|.{0,42})\n)*$"], ["street"]),
    (67, ("md", "+++\ntitle = \"The house\"\ndate = 2024-01-31\n+++\n\nThe house is old.\n"), [], ["re:^\\+\\+\\+\ntitle = \"[^\"]+\"\ndate = 2024-01-31\n\\+\\+\\+\n"], ["The house"]),
    (77, ("xlf", '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u"><segment state="initial"><source>Open the door</source></segment></unit></file></xliff>'), [], ['state="translated"', "re:<target>\\w"], ['state="initial"']),
]

KINDS = [(29, "texts"), (81, "documents"), (99, "server"), (110, "models"), (117, "metrics and tools"), (124, "command line")]


def shown(path):
    """The text of an output: of an archive that of all its parts."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
    data = path.read_bytes()
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "windows-1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def has(text, what):
    return re.search(what[3:], text) is not None if what.startswith("re:") else what in text


def write_input(path, content):
    """An input of our own: a text, or the parts of an archive."""
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
        return
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)


def of_texts(program, inputs):
    """What is wrong with texts and documents, by case, and the cases without input."""
    results, outputs, missing = {}, {}, set()
    with tempfile.TemporaryDirectory() as folder:
        for number, start, options, wanted, unwanted in CASES:
            if isinstance(start, tuple):
                found = [Path(folder) / f"own-{number}.{start[0]}"]
                write_input(found[0], start[1])
            else:
                found = sorted(inputs.glob(f"{start}-*"))
            if not found:
                missing.add(number)
                continue
            key = (str(found[0]), *options)
            if key not in outputs:
                output = Path(folder) / f"{len(outputs)}{found[0].suffix}"
                form = ["--input-format", "xml"] if found[0].suffix == ".xml" and start != "042" else []
                command = [program, "translate", "--threads", "1", "-m", "en-de", *options, *form, "-i", str(found[0]), "-o", str(output)]
                done = subprocess.run(command, capture_output=True, text=True)
                outputs[key] = shown(output) if done.returncode == 0 else None
                if done.returncode:
                    print(f"{found[0].name}: {done.stderr.strip()}", file=sys.stderr)
            text = outputs[key]
            wrong = ["no output"] if text is None else [f"lacks {what}" for what in wanted if not has(text, what)]
            wrong += [f"has {what}" for what in unwanted if text is not None and has(text, what)]
            results.setdefault(number, []).extend(f"{found[0].name}: {what}" for what in wrong)
    return results, sorted(missing - set(results))


def table(results):
    """A row for each case."""
    yield "| case | about | result |"
    yield "|---|---|---|"
    for number in range(1, 125):
        kind = next(name for last, name in KINDS if number <= last)
        if number in results:
            wrong = "; ".join(results[number]).replace("|", "\\|").replace("\n", " ")
            yield f"| {number} | {kind} | {f'wrong: `{wrong}`' if wrong else 'right'} |"
        else:
            yield f"| {number} | {kind} | not asked: its input or a program is not there |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--firefox", type=Path)
    parser.add_argument("--out")
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    results, without = of_texts(arguments.program, arguments.folder)
    for number, wrong in field_programs.results(arguments.program, arguments.folder, arguments.firefox).items():
        results.setdefault(number, []).extend(wrong)
    for number, wrong in sorted(results.items()):
        if wrong:
            print(number, *wrong, sep="\n  ")
    right = sorted(number for number, wrong in results.items() if not wrong)
    print(f"{len(right)} of {len(results)} cases are right; without input: {without}")
    if arguments.out:
        wrong = {number: wrong for number, wrong in sorted(results.items()) if wrong}
        cases = {"right": right, "wrong": wrong, "without_input": without}
        Path(arguments.out).write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if arguments.table:
        head, _, _ = arguments.table.read_text(encoding="utf-8").partition("| case | about |")
        arguments.table.write_text(head + "\n".join(table(results)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
