#!/usr/bin/env python3
"""Real files of many formats, from packages and repositories, written again with each sentence as its own translation.

usage: benches/real_files.py FOLDER           fetches the packages into FOLDER/packages and the files into FOLDER/files
       cargo run --release -p metaphrase-document --example round_trip -- FOLDER/files

The packages are those of npm, PyPI and crates.io. Formats that packages seldom have come from repositories of
GitHub: each is a bare clone in FOLDER/repositories, which the script makes unless it is there. The files belong to
their authors and are not part of this repository. `npm`, `pip`, `cargo` and `git` must be installed.
"""

import argparse
import os
import subprocess
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

NPM = """cordova-android@15.1.0 cordova-ios@8.1.1 cordova-plugin-camera@8.0.0 cordova-plugin-local-notification@1.2.3
docusaurus@1.14.7 element-plus@2.14.8 epub-gen@0.1.0 gettext-parser@10.0.0 i18next@26.7.2 node-webvtt@1.9.4
epub@1.3.0 mammoth@1.13.0 ngx-extended-pdf-viewer@30.0.0 ngx-i18nsupport-lib@1.10.2
phonegap-plugin-barcodescanner@8.1.0 pofile@1.1.4 properties-reader@3.0.1 react-intl@12.1.6
react-native-image-crop-picker@0.52.0 resx@2.0.4 subsrt@1.1.1 tmx@0.2.2 vega-datasets@3.2.1 vue-i18n@11.4.2
xlsx-populate@1.21.0 xlsx-template@1.4.7""".split()
PYPI = """Django==5.2.19 docutils==0.23 flask-babel==4.0.0 humanize==4.17.0 labelme==6.3.1 novelwriter==26.2.2 python-docx==1.2.0
python-pptx==1.0.2 ReText==8.1.0 sphinx==9.0.4 wtforms==3.3.2""".split()
CRATES = ["epub=2.1.6", "fluent-testing=0.0.5", "umya-spreadsheet=3.1.1"]
REPOSITORIES = """
0xC0000054/PSFilterPdn@9def7d1254ddd136e338582cab6fca69e324605a
0xC0000054/pdn-gmic@4f8a7571392b904735b04a1ef4f6bf89f313f76d
Aemi-Studio/Cami@ff483ed7d1ef62b24e0427d2dc8d789ae7e5c119
Anxcye/anx-reader@934a6f923be9008a49b6beba3da5c4855ed2881d
Cizzuk/Alare@6b15fdf1567e9ff3cf4a2d43d7fc8187dc8747e2
Cizzuk/CSE@964fc6f4c8a92b2ea8559ec65c2dfd6f3de4d55c
CodeAndWeb/angular-localize-xlf-example@cb0c7ca0f4e2ab368c0bf86e7a76e855da42d7b0
LinOTP/selfservice@6585e5da0973add5d5c67a18f5deb0d37bf61f76
MochiDiffusion/MochiDiffusion@e686551ee06cf0d9fc788d59f9282f9dea5e6dbd
NathanJang/MeowlWatch@59394358a9dc479d94fa9c372cea7c255212c1f5
0aps/flutter-todo@5ac2cd2ff462c49f779ce4f07a16101e8ac09c88
100xA/shoply@9a36b3d8affa341ee1dc3539914d7fbc6f85fb7b
jdum/odfdo@4d3c203e0d37cec7786efea77c36a417426fbfd9
kukushechkin/MightyTabRefresh@c9496747ebbe838c2f05e4509f5dfc602ab66bd5
""".split()
FORMATS = """po pot xlf xliff properties strings resx arb ftl docx pptx xlsx odt odp epub srt vtt ass ssa stringsdict
xcstrings csv tsv yml yaml html htm xhtml md markdown json xml ts txt rst ods tmx jsonl ndjson""".split()

# The most files of a format, in all and of a package, and the least and the most bytes of a file.
MOST, EACH, SMALLEST, LARGEST = 12, 5, 40, 400_000


def fetch(folder: Path) -> None:
    """Fetches the packages that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NPM:
        if not list(folder.glob(f"{name.replace('@', '-')}*.tgz")):
            subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=False)
    for name in PYPI:
        subprocess.run(["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", name], cwd=folder, check=False)


def fetch_crates(folder: Path) -> None:
    """Has cargo fetch the crates into a home of their own, and links their archives into the folder of packages."""
    project = folder / "crates"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src/lib.rs").touch()
    crates = "".join(f'{name} = "={version}"\n' for name, version in (crate.split("=") for crate in CRATES))
    manifest = f'[package]\nname = "crates"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\n{crates}'
    (project / "Cargo.toml").write_text(manifest)
    home = os.environ | {"CARGO_HOME": str(project / "home")}
    subprocess.run(["cargo", "fetch", "--quiet"], cwd=project, env=home, check=False)
    for crate in CRATES:
        for archive in project.glob(f"home/registry/cache/*/{crate.replace('=', '-')}.crate"):
            (folder / "packages" / archive.name).write_bytes(archive.read_bytes())


def fetch_repositories(folder: Path) -> None:
    """Clones the repositories that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in REPOSITORIES:
        address, clone = f"https://github.com/{name.split('@')[0]}", folder / name.split("@")[0].replace("/", "+")
        if not clone.exists():
            subprocess.run(["git", "clone", "-q", "--bare", address, str(clone)], check=False)


def contents(package: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a package or of a repository, with their names."""
    if package.is_dir():
        commit = next(name for name in REPOSITORIES if name.startswith(package.name.replace("+", "/") + "@")).split("@")[1]
        git = ["git", "-C", str(package)]
        names = subprocess.run([*git, "ls-tree", "-rz", "--name-only", commit], capture_output=True, check=True).stdout
        for name in names.decode().split("\0"):
            if name.rsplit(".", 1)[-1].lower() in FORMATS:
                yield name, subprocess.run([*git, "show", f"{commit}:{name}"], capture_output=True, check=False).stdout
        return
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
    largest = 5 * LARGEST if data.startswith(b"PK") else LARGEST
    return extension in FORMATS and SMALLEST <= len(data) <= largest


def main() -> None:
    """Fetches the packages, and takes some files of each format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    fetch(folder / "packages")
    fetch_crates(folder)
    fetch_repositories(folder / "repositories")
    files = folder / "files"
    files.mkdir(exist_ok=True)
    counts: Counter[str] = Counter()
    for package in sorted([*(folder / "packages").iterdir(), *(folder / "repositories").iterdir()]):
        own: Counter[str] = Counter()
        for name, data in contents(package):
            extension = name.rsplit(".", 1)[-1].lower()
            if is_wanted(name, data) and counts[extension] < MOST and own[extension] < EACH:
                counts[extension] += 1
                own[extension] += 1
                (files / f"{package.name[:12]}_{name.replace('/', '_')[-80:]}").write_bytes(data)
    print(dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
