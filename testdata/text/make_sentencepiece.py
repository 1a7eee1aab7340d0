#!/usr/bin/env python3
"""Makes the models and golden files in testdata/text/sentencepiece with the package sentencepiece 0.2.3.

    python3 testdata/text/make_sentencepiece.py DATA [--train]

DATA is the folder with tatoeba-de-en/, tatoeba-ja-en/ and phpdoc-de-en/ (CC BY, see the sets' own notes). With
--train the small models are trained anew, else those that are there are kept; the golden files are always written:
NAME.json has, for each line of lines.json, ids and pieces and the text that the ids decode to, and the same text for
lists of ids that no line encodes to.
"""

import contextlib
import gzip
import json
import random
import sys
import tempfile
import unicodedata
from pathlib import Path

import sentencepiece

HERE = Path(__file__).parent / "sentencepiece"

LINES = [
    "", " ", "   ", "\t", "a", " a ", "Hello world!", "  Two  blanks   and more    ", "tab\there", "trailing \t ",
    "Ｆｕｌｌ　ｗｉｄｔｈ １２３", "ﾊﾝｶｸ ｶﾀｶﾅ ｶﾞ", "①②③ ㍿ ㎏ ﬁ ﬂ ½ ™ Ⅷ", "ﷺ", "e\u0301 a\u0308 o\u0308\u0304 \u0041\u030A", "\u0301abc",
    "Ångström Straße ÜBER İstanbul ǅ ΑΒΓς", "👩‍👩‍👧‍👦 family 🇩🇪 flag 👍🏽", "a\u0000b", "\u0000", "\u0000\u0000 x \u0000",
    "\u0001\u0002\u0007\u001b\u007f\u0080\u0085\u009f", "\u200b\u200c\u200d\u2060\ufeffzero width", "\u00a0nbsp\u202f\u2009\u3000 blanks\u00a0",
    "▁", "▁▁▁", "▁a ▁b▁ c", "a▁b", "<s>", "</s>", "<unk>", "<pad> <s> </s>", "<0x41>", "<0x00>", "x<mask>y <mask>", "<mask", "<<mask>>",
    "@@@@@ a@@@b", "TeX LaTeX te x", "<2de> Hallo", "in in_the of_the of the", "שלום עולם", "مرحبا بالعالم", "\u202eRTL\u202c",
    "ก็คือ ภาษาไทย", "हिन्दी में", "한국어 \u1112\u1161\u11ab", "日本語のテスト。", "这是一个测试，好吗？", "🀀𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎", "\ufffd \ufffe \uffff \U0010ffff",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "1234567890 3.14159 1,000,000", "don't “quotes” ‘x’ — – … ×÷",
    "https://example.org/a_b?c=d&e=%20#f", "foo(bar[0], $baz->qux) // str_replace", "MIXED case WoRdS", "\r\rcarriage\r", "line\u2028separator\u2029",
    "x" * 300, "ab" * 90 + " " + "ü" * 40, "ñ" * 7 + "☃" * 5 + "é", "☃☃ ☃ a☃b", "\u2581\u2581 \u2581x \u2581", "Grüße aus München, Donaudampfschifffahrtsgesellschaft",
]  # fmt: skip


def corpus(data):
    lines = []
    for name in ["tatoeba-de-en/train.de", "tatoeba-de-en/train.en", "tatoeba-ja-en/train.ja", "phpdoc-de-en/train.en"]:
        with gzip.open(data / f"{name}.gz", "rt", encoding="utf-8") as file:
            lines += [line for line, _ in zip(file, range(4000))]
    return lines


def small_rules():
    """A table of some thousand characters instead of Unicode's all: NFKC, and folded case."""
    rules, folded = [], []
    for code in [*range(0xA0, 0x180), *range(0x370, 0x400), *range(0x2000, 0x2070), *range(0xFF00, 0xFFA0), 0x3000, 0x1E9E, 0xFB01]:
        char = chr(code)
        nfkc = unicodedata.normalize("NFKC", char)
        for table, new in [(rules, nfkc), (folded, unicodedata.normalize("NFKC", nfkc.casefold()))]:
            if new != char:
                table.append((char, new))
        nfd = unicodedata.normalize("NFD", char)
        if nfd != char:
            rules.append((nfd, nfkc))
            folded.append((nfd, unicodedata.normalize("NFKC", nfkc.casefold())))
    rules += [("\u200b", ""), ("\t", " "), ("--", "—"), ("\u0085", " x ")]
    folded += [(chr(c), chr(c).lower()) for c in range(ord("A"), ord("Z") + 1)]
    write = lambda table: "".join(
        "\t".join(" ".join(f"{ord(c):X}" for c in side) for side in pair) + "\n" for pair in dict(table).items() if pair[0] != pair[1]
    )
    return write(rules), write(folded)


def train(data):
    text, (rules, folded) = "".join(corpus(data)), small_rules()
    here = HERE.resolve()
    with tempfile.TemporaryDirectory() as temp, contextlib.chdir(temp):  # Models keep the names of these files.
        temp = Path()
        (temp / "rules.tsv").write_text(rules)
        (temp / "folded.tsv").write_text(folded)
        (temp / "back.tsv").write_text("78\t58\n2D\t2010\n")  # x to X, - to ‐
        (temp / "text").write_text(text)
        small = dict(normalization_rule_tsv="rules.tsv")
        models = {
            "unigram-nmt_nfkc": dict(vocab_size=400, character_coverage=0.98),
            "unigram-bytes": dict(vocab_size=700, byte_fallback=True, user_defined_symbols="<mask>,@@,TeX,of▁the,▁▁", control_symbols="<2de>,<2en>", bos_id=-1, eos_id=0, unk_id=1, **small),
            "unigram-folded": dict(vocab_size=500, normalization_rule_tsv="folded.tsv", pad_id=3),
            "unigram-suffix": dict(vocab_size=400, treat_whitespace_as_suffix=True, **small),
            "bpe-bytes": dict(model_type="bpe", vocab_size=1000, byte_fallback=True, split_digits=True, user_defined_symbols="<mask>,of▁the", **small),
            "bpe-identity": dict(model_type="bpe", vocab_size=500, normalization_rule_name="identity", remove_extra_whitespaces=False, allow_whitespace_only_pieces=True, denormalization_rule_tsv="back.tsv", unk_surface="<UNK>"),
            "bpe-suffix": dict(model_type="bpe", vocab_size=500, treat_whitespace_as_suffix=True, add_dummy_prefix=False, **small),
            "bpe-phrases": dict(model_type="bpe", vocab_size=500, split_by_whitespace=False, normalization_rule_name="identity", add_dummy_prefix=False),
            "word": dict(model_type="word", vocab_size=300, normalization_rule_name="identity"),
            "char": dict(model_type="char", vocab_size=200, user_defined_symbols="<mask>", **small),
        }  # fmt: skip
        for name, options in models.items():
            options = {"character_coverage": 0.99, "minloglevel": 2, "hard_vocab_limit": False, **options}
            sentencepiece.SentencePieceTrainer.train(
                input="text", model_prefix="model", num_threads=1, **options
            )
            (here / f"{name}.spm").write_bytes((temp / "model.model").read_bytes())
    for name in ["unigram-suffix", "bpe-bytes"]:
        (HERE / f"{name}-unused.spm").write_bytes(with_unused((HERE / f"{name}.spm").read_bytes()))


def with_unused(model):
    """Marks every third normal piece of several characters as unused: the field `type` (3) becomes 5."""
    out, i, count = b"", 0, 0
    while i < len(model):
        start, i = i, i + 1
        size, shift = 0, 0
        while True:
            byte = model[i]
            size |= (byte & 127) << shift
            shift, i = shift + 7, i + 1
            if byte < 128:
                break
        body = model[i : i + size]
        i += size
        if model[start] == 0x0A and b"\x18" not in body[-2:-1]:  # A piece of type normal.
            count += 1
            if count % 3 == 0 and len(body[2 : 2 + body[1]].decode()) > 1:
                body += b"\x18\x05"
                out += bytes([0x0A, len(body)]) + body
                continue
        out += model[start:i]
    return out


def golden(path):
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    rows = []
    for line in LINES:
        ids = model.encode(line)
        rows.append({"ids": ids, "pieces": model.encode(line, out_type=str), "decoded": model.decode(ids) if ids else ""})
    chance = random.Random(path.stem)
    decode = []
    for _ in range(100):
        ids = [chance.randrange(chance.choice([8, 300, len(model)])) % len(model) for _ in range(chance.randrange(1, 12))]
        decode.append({"ids": ids, "decoded": model.decode(ids)})
    special = [model.unk_id(), model.bos_id(), model.eos_id(), model.pad_id()]
    result = {"special": special, "size": len(model), "lines": rows, "decode": decode}
    dump = lambda value: json.dumps(value, ensure_ascii=True)
    text = "{" + ", ".join(f"{dump(key)}: " + (dump(value) if not isinstance(value, list) or key == "special" else "[\n" + ",\n".join(map(dump, value)) + "\n]") for key, value in result.items()) + "}\n"
    path.with_suffix(".json").write_text(text)


def main():
    HERE.mkdir(exist_ok=True)
    if "--train" in sys.argv:
        train(Path(sys.argv[1]))
    (HERE / "lines.json").write_text("[\n" + ",\n".join(map(json.dumps, LINES)) + "\n]\n")
    for path in sorted(HERE.glob("*.spm")):
        golden(path)


main()
