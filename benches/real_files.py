#!/usr/bin/env python3
"""Real files of many formats, from packages of npm and PyPI, written again with each sentence as its own translation.

usage: benches/real_files.py FOLDER           fetches the packages into FOLDER/packages and the files into FOLDER/files
       cargo run --release -p metaphrase-document --example round_trip -- FOLDER/files

The files belong to their authors and are not part of this repository. `npm` and `pip` must be installed.
"""

import argparse
import subprocess
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

NPM = """cordova-android@15.1.0 cordova-ios@8.1.1 cordova-plugin-camera@8.0.0 cordova-plugin-local-notification@1.2.3
docusaurus@1.14.7 element-plus@2.14.8 epub-gen@0.1.0 gettext-parser@10.0.0 i18next@26.7.2 node-webvtt@1.9.4
phonegap-plugin-barcodescanner@8.1.0 pofile@1.1.4 properties-reader@3.0.1 react-intl@12.1.6 resx@2.0.4 subsrt@1.1.1
vue-i18n@11.4.2 xlsx-template@1.4.7""".split()
PYPI = """Django==5.2.19 docutils==0.23 flask-babel==4.0.0 humanize==4.17.0 novelwriter==26.2.2 python-docx==1.2.0
python-pptx==1.0.2 ReText==8.1.0 sphinx==9.0.4 wtforms==3.3.2""".split()
FORMATS = """po pot xlf xliff properties strings resx arb ftl docx pptx xlsx odt odp epub srt vtt ass ssa stringsdict
xcstrings csv tsv yml yaml html htm xhtml md markdown json xml ts txt rst ods tmx jsonl ndjson""".split()

# The most files of a format, and the least and the most bytes of a file.
MOST, SMALLEST, LARGEST = 12, 40, 400_000


def fetch(folder: Path) -> None:
    """Fetches the packages that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NPM:
        if not list(folder.glob(f"{name.replace('@', '-')}*.tgz")):
            subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=False)
    for name in PYPI:
        subprocess.run(["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", name], cwd=folder, check=False)


def contents(package: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a package, with their names."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            # The languages of a package are alike; some of them will do.
            names = archive.namelist()
            for name in names[:: 1 + len(names) // 400]:
                yield name, archive.read(name)
    else:
        with tarfile.open(package) as archive:
            for member in archive:
                if member.isfile():
                    yield member.name, archive.extractfile(member).read()


def is_wanted(name: str, data: bytes) -> bool:
    """Whether a file is of one of the formats: `ts` are files of Qt here, and XML are strings of Android."""
    extension = name.rsplit(".", 1)[-1].lower()
    if extension == "ts" and b"<TS" not in data[:300]:
        return False
    if extension == "xml" and not name.endswith("strings.xml"):
        return False
    return extension in FORMATS and SMALLEST <= len(data) <= LARGEST


def main() -> None:
    """Fetches the packages, and takes some files of each format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    fetch(folder / "packages")
    files = folder / "files"
    files.mkdir(exist_ok=True)
    counts: Counter[str] = Counter()
    for package in sorted((folder / "packages").iterdir()):
        for name, data in contents(package):
            extension = name.rsplit(".", 1)[-1].lower()
            if is_wanted(name, data) and counts[extension] < MOST:
                counts[extension] += 1
                (files / f"{package.name[:12]}_{name.replace('/', '_')[-80:]}").write_bytes(data)
    print(dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
