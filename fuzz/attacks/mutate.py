"""Mutations of bytes, and what makes the mutated bytes plausible again: checksums, lengths, archives."""

import io
import json
import struct
import zipfile

NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
TOKENS = [
    b"", b" ", b"\t", b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", "\u2028".encode(), "\ufdfa".encode() * 50, "e\u0301".encode(),
    b"-1", b"0", b"1e39", b"-1e39", b"nan", b"inf", b"-inf", b"1e-46", b"18446744073709551615", b"18446744073709551616",
    b"99999999999", b"0.1", b"../../etc/passwd", b"/etc/passwd", b"/dev/zero", b"||| ", b"|||", b"=", b"[", b"]", b"{", b"}", b'"', b"'",
    b"&", b"*a", b"!!binary x", b"<s>", b"</s>", b"<unk>", b"true", b"null", b"0-0", b"999999-0", b"\\end\\", b"<n translation=\"x\">", b"</n>",
    b"a" * 5000, b"[" * 2000, b"- " * 2000,
]


def mutate(source, content: bytes, tokens=TOKENS) -> bytes:
    """A few random changes."""
    content = bytearray(content)
    for _ in range(source.choice([1, 1, 1, 2, 3, 8])):
        at, length = source.randrange(len(content) + 1), min(source.choice([1, 2, 8, 64, 1000]), len(content))
        kind = source.randrange(8)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            content[at:at + length] = source.randbytes(length)
        elif kind == 2:
            del content[at:at + length]
        elif kind == 3:
            content[at:at] = content[at:at + length] * source.choice([1, 2, 50])
        elif kind == 4:
            content[at:at + source.choice([0, 1, length])] = source.choice(tokens)
        elif kind == 5:
            width = source.choice("BHIQ")
            number = source.choice(NUMBERS) & ((1 << 8 * struct.calcsize(width)) - 1)
            content[at:at + struct.calcsize(width)] = struct.pack("<" + width, number)
        elif kind == 6:
            del content[at:]
        else:
            start = source.randrange(len(content) + 1)
            content[at:at + length] = content[start:start + length]
    return bytes(content)


def checksum(content: bytes) -> int:
    """As docs/formats/ngram.md has it."""
    state, mask = 0, (1 << 64) - 1
    for (word,) in struct.iter_unpack("<Q", content + bytes(-len(content) % 8)):
        state = (state ^ word) * 0x9E3779B97F4A7C15 & mask
        state ^= state >> 32
    return state


def checksums(folder, names) -> None:
    """The file `checksums` of a model directory or a checkpoint, made true."""
    lines = [f"{checksum((folder / name).read_bytes()):016x}  {name}\n" for name in names if (folder / name).is_file()]
    (folder / "checksums").write_text("".join(lines))


def compiled(source, content: bytes) -> bytes:
    """A compiled language model or phrase table, mutated; name, version, length and checksum are true."""
    changed = bytearray(content[:24] + mutate(source, content[24:]))
    if len(changed) > 40:
        changed[24:32] = struct.pack("<Q", len(changed))
        changed[32:40] = struct.pack("<Q", checksum(bytes(changed[40:])))
    return bytes(changed)


def archive(source, content: bytes) -> bytes:
    """An .npz, one member mutated; the sums of the archive are true."""
    members = zipfile.ZipFile(io.BytesIO(content))
    names, changed = members.namelist(), io.BytesIO()
    victim = source.choice(names)
    with zipfile.ZipFile(changed, "w", source.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as out:
        for name in names:
            data = members.read(name)
            if name == victim:
                if source.random() < 0.1:
                    continue
                # The header of an array, or its numbers.
                data = mutate(source, data[:100]) + data[100:] if source.random() < 0.5 else mutate(source, data)
            out.writestr(name, data)
    return changed.getvalue()


def tensors(source, content: bytes) -> bytes:
    """Safetensors, the header or the numbers mutated; the length of the header is true."""
    length = struct.unpack_from("<Q", content)[0]
    header, data = content[8:8 + length], content[8 + length:]
    kind = source.randrange(3)
    if kind == 0:
        header = mutate(source, header)
    elif kind == 1:
        data = mutate(source, data)
    else:
        parsed = json.loads(header)
        name = source.choice(sorted(parsed))
        entry = parsed[name]
        change = source.randrange(4)
        if change == 0:
            del parsed[name]
        elif change == 1:
            parsed[name + "x"] = parsed.pop(name)
        elif "shape" in entry and change == 2:
            entry["shape"] = [source.choice(NUMBERS + entry["shape"]) for _ in range(source.randrange(4))]
        elif "dtype" in entry:
            entry["dtype"] = source.choice(["F16", "BF16", "F64", "I8", "BOOL", "U64", "F8_E4M3", "x"])
        header = json.dumps(parsed).encode()
    return struct.pack("<Q", len(header)) + header + data
