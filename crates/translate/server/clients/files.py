"""Files that the usual libraries make are translated, and open again in these libraries: `files.py [PROGRAM]`.

The Python has python-docx, python-pptx, polib, translate-toolkit, odfpy and ebooklib. Where `soffice` (LibreOffice) is there, it opens the
office documents, too. Prints a line for each format; ends with an error if a file does not open or has other parts than before.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import docx
import polib
import pptx
from ebooklib import epub
from odf import teletype
from odf.opendocument import OpenDocumentText, load
from odf.text import H, P
from translate.storage import po, xliff


def make(folder):
    document = docx.Document()
    document.add_heading("The old house", 1)
    paragraph = document.add_paragraph("Good morning! Where is the ")
    paragraph.add_run("station").bold = True
    paragraph.add_run("? The house is old.")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "12", "I do not know."
    document.sections[0].header.paragraphs[0].text = "A small test"
    document.save(folder / "a.docx")

    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "The old house"
    slide.placeholders[1].text = "Good morning!\nWhere is the station?"
    slide.notes_slide.notes_text_frame.text = "Please ask me."
    slides.save(folder / "a.pptx")

    messages = polib.POFile()
    messages.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": "nplurals=2; plural=(n != 1);"}
    messages.append(polib.POEntry(msgid='Where is the "station", %s?', msgstr=""))
    messages.append(polib.POEntry(msgid="%d house", msgid_plural="%d houses", msgstr_plural={0: "", 1: ""}))
    messages.save(folder / "a.po")

    units = xliff.xlifffile()
    units.addsourceunit("Good morning!")
    (folder / "a.xliff").write_bytes(bytes(units))

    text = OpenDocumentText()
    text.text.addElement(H(outlinelevel=1, text="The old house"))
    text.text.addElement(P(text="Good morning! Where is the station?"))
    text.save(folder / "a.odt")

    book = epub.EpubBook()
    book.set_identifier("x")
    book.set_title("The old house")
    page = epub.EpubHtml(title="The first day", file_name="c1.xhtml", lang="en")
    page.content = "<h1>The first day</h1><p>Good <b>morning</b>!</p>"
    book.add_item(page)
    book.toc = (epub.Link("c1.xhtml", "The first day", "c1"),)
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    book.spine = ["nav", page]
    epub.write_epub(folder / "a.epub", book)


def docx_texts(path):
    document = docx.Document(path)
    bold = [run.text for run in document.paragraphs[1].runs if run.bold]
    cells = [cell.text for row in document.tables[0].rows for cell in row.cells]
    return [paragraph.text for paragraph in document.paragraphs] + bold + cells + [document.sections[0].header.paragraphs[0].text]


def pptx_texts(path):
    slide = pptx.Presentation(path).slides[0]
    return [shape.text_frame.text for shape in slide.shapes] + [slide.notes_slide.notes_text_frame.text]


def po_texts(path):
    messages = polib.pofile(path)
    assert messages.percent_translated() == 100
    assert len(po.pofile.parsefile(str(path)).units) == 3
    return [text for entry in messages for text in [entry.msgstr, *entry.msgstr_plural.values()] if text]


def xliff_texts(path):
    return [str(unit.target) for unit in xliff.xlifffile.parsefile(str(path)).units]


def odt_texts(path):
    text = load(path)
    return [teletype.extractText(part) for part in text.getElementsByType(H) + text.getElementsByType(P)]


def epub_texts(path):
    book = epub.read_epub(path)
    pages = [item.get_content().decode() for item in book.get_items() if item.file_name.endswith("c1.xhtml")]
    return [book.toc[0].title, *pages]


EXPECTED = {
    "docx": (docx_texts, ["Das alte Haus", "Bahnhof", "12"]),
    "pptx": (pptx_texts, ["Das alte Haus", "Guten Morgen!\nWo ist der Bahnhof?"]),
    "po": (po_texts, []),
    "xliff": (xliff_texts, ["Guten Morgen!"]),
    "odt": (odt_texts, ["Das alte Haus", "Guten Morgen! Wo ist der Bahnhof?"]),
    "epub": (epub_texts, ["Der erste Tag"]),
}


def main():
    root = Path(__file__).resolve().parents[4]
    program = sys.argv[1] if len(sys.argv) > 1 else root / "target/release/metaphrase"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        make(folder)
        for end, (texts, expected) in EXPECTED.items():
            output = folder / f"a.de.{end}"
            subprocess.run([program, "translate", "--input-format", "file", "-i", folder / f"a.{end}", "-o", output], stderr=subprocess.DEVNULL, check=True)
            found = texts(output)
            assert all(text in found for text in expected), f"{end}: {found}"
            opened = ""
            if end in ("docx", "pptx", "odt") and shutil.which("soffice"):
                subprocess.run(["soffice", "--headless", "--convert-to", "pdf", "--outdir", folder, output], capture_output=True, timeout=300, check=True)
                assert (folder / f"a.de.pdf").stat().st_size > 1000, f"{end} in LibreOffice"
                (folder / "a.de.pdf").unlink()
                opened = ", in LibreOffice, too"
            print(f"{end}: opens{opened}")


main()
