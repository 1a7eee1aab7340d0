#!/usr/bin/env python3
"""Cases from public bug reports of translation tools: texts and documents. Does each come back whole?

    benches/field.py PROGRAM FOLDER [--out docs/results/field.json]

FOLDER has the inputs, `NNN-name.end`, which belong to the reports and are not part of this repository. A case is a number of
the review, an input, options, strings that the translation by the bundled English-German model must have, and strings that it must not have.
What only the choice of the model's words decides is not asked. A case without its input is left out, and counted.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SPLIT = ["--split=sentences"]
LINES = ["--input-format", "plain"]

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
    (23, "061", SPLIT, [], []),
    (23, "019", SPLIT, ["re:(?m)^1\\. ", "re:(?m)^2\\) ", "re:(?m)^- ", "re:(?m)^\\* ", "re:(?m)^• ", "re:(?m)^a\\) ", "re:(?m)^\\(b\\) ", "re:(?m)^– ",
                        "re:(?m)^>> ", "[x] ", "[ ] "], []),
    (24, "006", SPLIT, ["re:ÖFFNEN? (SIE )?DIE TÜR NICHT"], ["MACHINE"]),
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
]


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    results, outputs, missing = {}, {}, set()
    with tempfile.TemporaryDirectory() as folder:
        for number, start, options, wanted, unwanted in CASES:
            found = sorted(arguments.folder.glob(f"{start}-*"))
            if not found:
                missing.add(number)
                continue
            key = (start, *options)
            if key not in outputs:
                output = Path(folder) / f"{len(outputs)}{found[0].suffix}"
                form = ["--input-format", "xml"] if found[0].suffix == ".xml" and start != "042" else []
                command = [arguments.program, "translate", "--threads", "1", "-m", "en-de", *options, *form, "-i", str(found[0]), "-o", str(output)]
                done = subprocess.run(command, capture_output=True, text=True)
                outputs[key] = shown(output) if done.returncode == 0 else None
                if done.returncode:
                    print(f"{found[0].name}: {done.stderr.strip()}", file=sys.stderr)
            text = outputs[key]
            wrong = ["no output"] if text is None else [f"lacks {what}" for what in wanted if not has(text, what)]
            wrong += [f"has {what}" for what in unwanted if text is not None and has(text, what)]
            results.setdefault(number, []).extend(f"{found[0].name}: {what}" for what in wrong)
    for number, wrong in sorted(results.items()):
        if wrong:
            print(number, *wrong, sep="\n  ")
    right = [number for number, wrong in results.items() if not wrong]
    without = sorted(missing - set(results))
    print(f"{len(right)} of {len(results)} cases are right; without input: {without}")
    if arguments.out:
        cases = {"right": right, "wrong": {number: wrong for number, wrong in results.items() if wrong}, "without_input": without}
        Path(arguments.out).write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
