#!/usr/bin/env python3
"""Fills fuzz/corpus/ with small seeds from the repository's files. Only the standard library is needed.

usage: fuzz/seeds.py    (again at any time: what fuzzing has found stays)
"""

import gzip
import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
DATA = FUZZ.parent / "testdata"
LARGEST = 30_000


def seed(target: str, name: str, content: bytes) -> None:
    if len(content) <= LARGEST:
        corpus = FUZZ / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        (corpus / f"seed-{name}").write_bytes(content)


def arrays(npz: bytes):
    """Name, header and content of each array."""
    with zipfile.ZipFile(io.BytesIO(npz)) as archive:
        for name in archive.namelist():
            npy = archive.read(name)
            start = 10 + struct.unpack_from("<H", npy, 8)[0]
            header = eval(npy[10:start])  # Our own test data.
            yield name.removesuffix(".npy"), header, npy[start:]


def marian_bin(npz: bytes) -> bytes:
    kinds = {"<f4": 0x404, "|i1": 0x101}
    tensors = [(n.encode() + b"\0", header, data) for n, header, data in arrays(npz) if header["descr"] in kinds]
    file = struct.pack("<QQ", 1, len(tensors))
    for name, header, data in tensors:
        file += struct.pack("<QQQQ", len(name), kinds[header["descr"]], len(header["shape"]), len(data))
    file += b"".join(name for name, _, _ in tensors)
    file += b"".join(struct.pack("<i", size) for _, header, _ in tensors for size in header["shape"])
    return file + struct.pack("<Q", 0) + b"".join(data for _, _, data in tensors)


def safetensors(npz: bytes, only: str = "") -> bytes:
    header, content = {}, b""
    for name, array, data in arrays(npz):
        if array["descr"] == "<f4" and name.startswith(only):
            offsets = [len(content), len(content) + len(data)]
            header[name] = {"dtype": "F32", "shape": array["shape"], "data_offsets": offsets}
            content += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def models() -> None:
    manifest = next((FUZZ.parent / "models").glob("*/config.toml")).read_bytes()
    for path in sorted(DATA.glob("models/**/*.npz")):
        name, npz = f"{path.parent.name}-{path.stem}", path.read_bytes()
        seed("marian_npz", name, npz)
        seed("marian_bin", name, marian_bin(npz))
        seed("model_directory", name, manifest + b"\0" + safetensors(npz))
        seed("model_directory", f"{name}-few", manifest + b"\0" + safetensors(npz, "Wemb"))
    for path in sorted(DATA.glob("models/hugging-face-*")):
        config, tensors = (path / "config.json").read_bytes(), (path / "model.safetensors").read_bytes()
        length = struct.unpack_from("<Q", tensors)[0]
        seed("hugging_face", path.name, config + b"\0" + tensors[: 8 + length])
        tiny = next(DATA.glob("models/marian-tiny/*.npz")).read_bytes()
        seed("hugging_face", f"{path.name}-other", config + b"\0" + safetensors(tiny, "Wemb"))
        seed("small_files", f"{path.name}-generation", b"\1" + (path / "generation_config.json").read_bytes())
    index = {"weight_map": {"model.shared.weight": "shard.safetensors", "final_logits_bias": "shard.safetensors"}}
    seed("small_files", "index", b"\2" + json.dumps(index).encode())
    seed("small_files", "manifest", b"\3" + manifest)
    words = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "decoder_start_token": "</s>", "add_source_eos": True}
    settings = json.dumps(words | {"layer_norm_epsilon": 1e-6}).encode()
    seed("ctranslate2", "sound", settings + b"\0!")
    seed("ctranslate2", "changed", settings + b"\0!\0\0\5\x40\1\2")
    madlad = (DATA / "models/hub-ctranslate2/madlad/config.json").read_bytes()
    seed("ctranslate2", "madlad", madlad + b"\0?")
    seed("ctranslate2", "madlad-changed", madlad + b"\0?\0\0\5\x40\1\2")
    for path in sorted(DATA.glob("models/hub/*/tokenizer_config.json")):
        seed("small_files", f"{path.parent.name}-tokenizer-config", b"\4" + path.read_bytes())
    seed("small_files", "added-tokens", b'\5{"__de__": 7, "__fr__": 8}')
    seed("small_files", "argos", b'\7{"from_code": "en", "to_code": "de", "type": "translate", "target_prefix": "w1"}')
    seed("small_files", "words-json", b'\x08["</s>", "<unk>", "<s>", "a", "b"]')
    seed("small_files", "words-text", b"\x09</s>\n<unk>\n<s>\na\nb\n")
    seed("small_files", "bpe-model", b"\x0a#version: 0.2\na b</w>\nc d\n")
    decoder = "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - vocab.yml\n  - vocab.yml\n"
    decoder += "beam-size: 6\nnormalize: 1\nword-penalty: 0\nshortlist:\n  - vocab.yml\n  - 100\n  - false\n"
    seed("small_files", "decoder", b"\0" + decoder.encode())


def pickle(names: int) -> bytes:
    """The pickle of a dictionary of `names` tensors of two by three numbers in the storage `0`."""
    text = lambda text: b"X" + struct.pack("<I", len(text)) + text.encode()
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + b"K\x10tQ"
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\0K\2K\3\x86K\3K\1\x86\x89ccollections\nOrderedDict\n)RtR"
    entries = b"".join(text(f"w{i}") + tensor for i in range(names))
    return b"\x80\x02ccollections\nOrderedDict\n)R(" + entries + b"u."


def pytorch() -> None:
    seed("pytorch", "one", b"\0" + pickle(1))
    seed("pytorch", "three", b"\0" + pickle(3))
    old = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."
    old += pickle(2) + b"\x80\x02]X\1\0\0\0" + b"0a." + struct.pack("<Q", 16) + bytes(64)
    seed("pytorch", "old", b"\1" + old)
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("m/data.pkl", pickle(2))
        archive.writestr("m/data/0", bytes(64))
        archive.writestr("m/byteorder", "little")
    seed("pytorch", "archive", b"\1" + memory.getvalue())


def archives() -> None:
    tiny = DATA / "models/marian-tiny"
    files = {f"m/{name}": (tiny / name).read_bytes() for name in ["model.npz", "vocab.yml"]}
    zipped, packed = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    seed("archive", "zip", b"\0" + zipped.getvalue())
    seed("archive", "tar-gz", b"\1" + gzip.compress(packed.getvalue()))
    seed("archive", "tar", b"\2" + packed.getvalue())
    names = b'metadata.json\0{"from_code":"en"}\0model/model.bin\0x\0../a\0b\0.hidden\0c'
    for kind in (3, 4, 5):
        seed("archive", f"names-{kind}", bytes([kind]) + names)


def shortlists() -> None:
    words = [line.split(":")[0].strip('"') for line in (DATA / "models/marian-tiny/vocab.yml").read_text().splitlines()]
    table = "".join(f"{target} {source} 0.5\n" for source, target in zip(words[2:9], words[3:10])).encode()
    seed("shortlist", "text", b"\0" + table)
    seed("shortlist", "gzip", b"\2" + gzip.compress(table))
    seed("shortlist", "lists", b"\1\4\0\1\2\3\4\5\6")
    seed("shortlist", "own", b"\0" + b"metaphrase lists" + struct.pack("<IIQQ", 2, 1, 76, 0) + bytes(36))


def language_models() -> None:
    arpa = (DATA / "ngram" / "small.arpa").read_bytes()
    seed("arpa", "small", arpa)
    seed("arpa", "gzip", gzip.compress(arpa))
    for path in sorted(DATA.glob("ngram/*.bin")):
        seed("language_model", path.stem, path.read_bytes())


def text() -> None:
    for path in sorted(DATA.glob("text/sentencepiece/*.spm")):
        seed("sentencepiece_bytes", path.stem, path.read_bytes())
        seed("vocabulary", path.stem, b"\2" + path.read_bytes())
    for path in sorted(DATA.glob("models/hub/*/tokenizer.json")):
        seed("vocabulary", f"{path.parent.name}-tokenizer", b"\4" + path.read_bytes())
        seed("small_files", f"{path.parent.name}-tokenizer", b"\6" + path.read_bytes())
    for path in sorted(DATA.glob("**/*vocab*.yml")) + sorted(DATA.glob("**/vocab*.json")):
        content = path.read_bytes()
        seed("vocabulary", f"{path.parent.name}-{path.name}", b"\0" + content)
        seed("vocabulary", f"{path.parent.name}-{path.name}-pair", b"\3" + content)
        seed("vocabulary", f"{path.parent.name}-{path.name}-list", b"\1" + content)
    for language in ["en", "de", "fr"]:
        golden = DATA / "text" / "golden" / f"sample.{language}"
        lines = (DATA / "text" / f"sample.{language}").read_bytes().splitlines()
        part = lambda kind: golden.with_suffix(f".{language}.{kind}").read_bytes()
        for i, line in enumerate(lines):
            seed("moses", f"{language}-{i}", line)
            if i % 8 == 0:
                seed("bpe", f"{language}-{i}", b"\0".join([part("codes"), part("vocabulary"), line]))
                seed("truecaser", f"{language}-{i}", part("truecase-model") + b"\0" + line)
    for i, line in enumerate((DATA / "text" / "hard.txt").read_bytes().splitlines()):
        seed("moses", f"hard-{i}", line + b"\0Mr\nDr\nNo #NUMERIC_ONLY#\n")
    for language in ["en", "de", "fr", "zh", "ja", "nasty"]:
        texts = [DATA / "metrics" / f"{language}.{kind}.txt" for kind in ["hyp", "ref", "ref2"]]
        for i, lines in enumerate(zip(*(path.read_bytes().split(b"\n") for path in texts))):
            seed("metrics", f"{language}-{i}", b"\0".join([bytes([97 + i]), *lines]))


def terms() -> None:
    lines = (FUZZ.parent / "examples" / "everyday.en").read_bytes().splitlines()
    for i, line in enumerate(lines):
        seed("terms", str(i), b"\0".join([b"house\tHaus\tGeb\xc3\xa4ude\n", line, b"sehr gut\nan\tam\nan", b"ist\nin der"]))


def evidence() -> None:
    seed("evidence", "compact", b"c\n4\t0 1 -0.5 the\t0 1 -1 a\t1 1 -0.25 house\t1 1 -2 @-@\t1 1 0 ,")
    seed("evidence", "openfst", b"op\n0 1 the the 0.5\n0 1 <eps> <eps> 1\n1 2 house house 0\n2\n")
    graph = b"0 hyp=0 stack=0\n0 hyp=1 stack=1 back=0 transition=-1 out=the big\n"
    seed("evidence", "moses", b"m\n" + graph + b"0 hyp=2 stack=1 back=0 transition=-2 recombined=1 out=a\n")
    seed("evidence", "posteriors", b"\n0 : 1\n5 7 : 0.25\n0 5 : 0.5\n")


def documents() -> None:
    """In the order of `FileFormat::ALL`."""
    texts = [
        b"Good morning, {name}! <b>How</b> are you?\n\n Fine.",
        b"<p title='a b'>Good <b>morning</b> &amp; <code>x</code><br>you</p><script>x</script>",
        b"<a><b>One <i>two</i></b><![CDATA[three]]></a>",
        b"---\nx: y\n---\n# a *b* `c`\n- [f](g \"h\")\n\n| n | o |\n|--|--|\n| p | q |\n",
        b"1\n00:00:01,000 --> 00:00:02,000\n<i>One</i>\ntwo\n",
        b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>One</v>\n",
        b'msgid "a\\n"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n',
        b"<xliff><source>One <g>two</g></source><target/></xliff>",
        b'<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>One</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>',
        b"<a:p><a:r><a:t>One two</a:t></a:r></a:p>",
        b"<text:p>One <text:span>two</text:span><text:note><text:p>n</text:p></text:note></text:p>",
        b"<text:h>One</text:h>",
        b"<html><body><p>One</p></body></html>",
    ]
    for i, text in enumerate(texts):
        seed("document", str(i), bytes([i]) + text)
    seed("requests", "json", b'application/json\0a=b\0{"q": ["a", "b"], "alternatives": 2}')
    seed("requests", "form", b"application/x-www-form-urlencoded\0\0q=a+b&q=c&target=de")
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--x--\r\n'
    seed("requests", "parts", b"multipart/form-data; boundary=x\0\0" + part)


if __name__ == "__main__":
    models()
    pytorch()
    archives()
    shortlists()
    language_models()
    text()
    terms()
    evidence()
    documents()
