"""The files in which others publish models: Hugging Face's, PyTorch's, CTranslate2's, Argos Translate's, archives, Marian's shortlists."""

import gzip
import io
import json
import shutil
import struct
import tarfile
import zipfile
from pathlib import Path

from attacks import mutate
from attacks.formats import file

LINES = b"Hello.\na b c\n\n"
WORDS = b"w1 w5 w9\nw2\n"


def text(string: str) -> bytes:
    return b"X" + struct.pack("<I", len(string)) + string.encode()


def pytorch(tensors: bytes) -> bytes:
    """Safetensors of 32 bits, as `pytorch_model.bin`."""
    length = struct.unpack_from("<Q", tensors)[0]
    header, data = json.loads(tensors[8:8 + length]), tensors[8 + length:]
    header.pop("__metadata__", None)
    number = lambda value: b"J" + struct.pack("<i", value)
    pickle, files = b"\x80\x02ccollections\nOrderedDict\n)R(", {}
    for i, (name, entry) in enumerate(header.items()):
        start, end = entry["data_offsets"]
        shape, files[f"m/data/{i}"] = entry["shape"], data[start:end]
        strides = [1]
        for size in reversed(shape[1:]):
            strides.insert(0, strides[0] * size)
        sizes = lambda values: b"(" + b"".join(map(number, values)) + b"t"
        storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text(str(i)) + text("cpu") + number((end - start) // 4) + b"tQ"
        pickle += text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\0" + sizes(shape) + sizes(strides[:len(shape)])
        pickle += b"\x89ccollections\nOrderedDict\n)RtR"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("m/data.pkl", pickle + b"u.")
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def pickled(source, content: bytes) -> bytes:
    """The description of the tensors, mutated, in a sound archive."""
    members, changed = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    with zipfile.ZipFile(changed, "w") as out:
        for name in members.namelist():
            data = members.read(name)
            out.writestr(name, mutate.mutate(source, data) if name.endswith(".pkl") else data)
    return changed.getvalue()


def headers(source, content: bytes) -> bytes:
    """CTranslate2's `model.bin` with changes to the bytes that are not numbers of tensors."""
    number = lambda at: struct.unpack_from("<I", content, at)[0]
    text_end = lambda at: at + 2 + struct.unpack_from("<H", content, at)[0]
    at = text_end(4) + 8
    places = list(range(at))
    for _ in range(number(at - 4)):
        rank = text_end(at)
        data = rank + 1 + 4 * content[rank] + 5
        places += range(at, data)
        at = data + number(data - 4)
    places += range(at, len(content))
    changed = bytearray(content)
    for _ in range(source.choice([1, 1, 1, 2, 3, 8])):
        at = source.choice(places)
        if source.random() < 0.5:
            changed[at] = source.choice([0, 1, 2, 0x7F, 0x80, 0xFF, source.randrange(256)])
        else:
            width = source.choice("BHI")
            value = struct.pack("<" + width, source.choice(mutate.NUMBERS) & ((1 << 8 * struct.calcsize(width)) - 1))
            changed[at:at + len(value)] = value
    return bytes(changed)


def tarred(source, content: bytes) -> bytes:
    """A tar file, mutated inside its gzip."""
    return gzip.compress(mutate.mutate(source, gzip.decompress(content)), 1)


def lists(ends, words) -> bytes:
    """Marian's binary shortlist."""
    body = struct.pack(f"<4Q{len(ends)}Q{len(words)}I", 2, 2, len(ends), len(words), *ends, *words)
    return summed(bytes(16) + body)


def summed(content: bytes) -> bytes:
    """The same file with its first number and its checksum made true."""
    mask, state = (1 << 64) - 1, 0
    whole = content[16:len(content) - len(content) % 8]
    for (word,) in struct.iter_unpack("<Q", whole):
        state ^= (word + 0x9E3779B9 + (state << 6) + (state >> 2)) & mask
    return struct.pack("<QQ", 0xF11A48D5013417F5, state) + content[16:]


def summed_lists(source, content: bytes) -> bytes:
    return summed(bytes(16) + mutate.mutate(source, content[16:]))


def prepare(campaign, testdata: Path, to: Path) -> None:
    def run(*args):
        outcome = campaign.run(args, to)
        assert outcome.code == 0, (args, outcome.stderr)

    for name in ["nllb", "m2m100", "t5"]:
        shutil.copytree(testdata / "models/hub" / name, to / name, ignore=shutil.ignore_patterns("golden.json"))
    shutil.copytree(testdata / "models/hub/t5", to / "torch", ignore=shutil.ignore_patterns("golden.json", "*.safetensors"))
    (to / "torch/pytorch_model.bin").write_bytes(pytorch((testdata / "models/hub/t5/model.safetensors").read_bytes()))
    for name in ["m2m100", "madlad"]:
        shutil.copytree(testdata / "models/hub-ctranslate2" / name, to / f"ct2-{name}", ignore=shutil.ignore_patterns("golden.json"))
        for tokenizer in ["sentencepiece.bpe.model", "tokenizer.json", "tokenizer_config.json"]:
            if (path := testdata / "models/hub" / name / tokenizer).is_file():
                shutil.copy(path, to / f"ct2-{name}" / tokenizer)
    (to / "transformer").mkdir()
    for name in ["post-relu-tied-all.npz", "vocab.source.yml", "vocab.target.yml"]:
        shutil.copy(testdata / "models/transformer" / name, to / "transformer" / name)
    run("convert", "-m", "transformer", "--to", "ct2", "--format", "ctranslate2", "--precision", "int8")
    (to / "argos").mkdir()
    shutil.copytree(to / "ct2", to / "argos/model")
    (to / "argos/metadata.json").write_text('{"from_code": "en", "to_code": "de", "type": "translate", "package_version": "1.0"}')
    (to / "argos/bpe.model").write_text("#version: 0.2\nw 1</w>\nw 2</w>\n")
    with zipfile.ZipFile(to / "package.argosmodel", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((to / "argos").rglob("*")):
            archive.write(path, Path("en_de") / path.relative_to(to / "argos"))
    with tarfile.open(to / "model.tar.gz", "w:gz") as archive:
        archive.add(to / "npz", "npz")
    shutil.copytree(to / "npz", to / "lists.d")
    (to / "lists.d/lex.bin").write_bytes(lists([0, 1, 2, 4, 4], [2, 3, 4, 2]))


def attacks(campaign, seeds: Path):
    translate = lambda model, *more: ["translate", "-m", model, "-b", "1", "--threads", "1", "--max-target-length", "5", *more]
    pair = lambda source, target: ["--source-language", source, "--target-language", target]
    nllb, m2m100 = translate("nllb", *pair("eng_Latn", "deu_Latn")), translate("m2m100", *pair("en", "de"))
    ct2, argos = translate("ct2"), translate("argos")
    many, madlad = translate("ct2-m2m100", *pair("en", "de")), translate("ct2-madlad", "--target-language", "de")
    listed = translate("lists.d", "--shortlist", "lists.d/lex.bin")
    sentencepiece = "sentencepiece.bpe.model"
    return [
        *(file(seeds, "nllb", name, nllb, LINES) for name in ["tokenizer.json", "tokenizer_config.json", "config.json"]),
        file(seeds, "nllb", "model.safetensors", nllb, LINES, change=mutate.tensors),
        *(file(seeds, "m2m100", name, m2m100, LINES) for name in ["vocab.json", sentencepiece, "config.json", "tokenizer_config.json"]),
        *(file(seeds, "t5", name, translate("t5"), LINES) for name in ["tokenizer.json", "config.json"]),
        *(file(seeds, "torch", "pytorch_model.bin", translate("torch"), LINES, change=change) for change in [mutate.mutate, pickled]),
        *(file(seeds, "ct2", "model.bin", ct2, WORDS, change=change) for change in [mutate.mutate, headers]),
        *(file(seeds, "ct2", name, ct2, WORDS) for name in ["config.json", "source_vocabulary.json"]),
        *(file(seeds, "ct2-m2m100", name, many, LINES) for name in ["config.json", "shared_vocabulary.json", "tokenizer_config.json"]),
        *(file(seeds, "ct2-madlad", name, madlad, LINES) for name in ["config.json", "shared_vocabulary.json", "tokenizer.json"]),
        file(seeds, "ct2-madlad", "model.bin", madlad, LINES, change=headers),
        *(file(seeds, "argos", name, argos, WORDS) for name in ["metadata.json", "bpe.model"]),
        *(file(seeds, "package.argosmodel", "", translate("package.argosmodel"), WORDS, change=change)
          for change in [mutate.mutate, mutate.archive]),
        *(file(seeds, "model.tar.gz", "", translate("model.tar.gz"), change=change) for change in [mutate.mutate, tarred]),
        *(file(seeds, "lists.d", "lex.bin", listed, change=change) for change in [mutate.mutate, summed_lists]),
    ]
