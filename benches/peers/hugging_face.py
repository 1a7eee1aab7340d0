"""Models of Hugging Face's with random weights, and how many translations of Metaphrase equal those of transformers.

    hugging_face.py write SIZE KIND[,KIND...] FOLDER TEXT...       FOLDER/KIND are the models
    hugging_face.py golden MODEL_DIR...                            writes what transformers says into them, for tests
    hugging_face.py compare METAPHRASE TEXT MODEL_DIR... [--lines N] [--beams 1,4] [--words N]
    hugging_face.py golden-ctranslate2 OUT MODEL_DIR...            writes OUT/KIND, what CTranslate2 makes of them and says
    hugging_face.py ctranslate2 METAPHRASE TEXT MODEL_DIR... [--types float32,float16,int8]     MODEL_DIR-ct2-TYPE are
                                                                made by CTranslate2's converter and compared with CTranslate2

KIND is m2m100, nllb, nllb-legacy, small100, mbart50, t5 or madlad. SIZE is `tiny` (for tests), `cut` (the sizes of the
published model, with two layers on each side) or `full` (with all layers). Pieces are trained on TEXT; words that no text
has fill the vocabulary up to that of the published model. Options of `write`: --bin writes `pytorch_model.bin`, --shards
several files, --pieces a SentencePiece model in place of `tokenizer.json`, --half f16, --grow fills the vocabulary up with
pieces that are others joined, in place of words that no text has.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2

# d_model, layers of encoder and decoder, heads, feed-forward size, words, size of a head
PUBLISHED = {
    "m2m100": (1024, 12, 12, 16, 4096, 128112, 64),
    "nllb": (1024, 12, 12, 16, 4096, 256206, 64),
    "nllb-legacy": (1024, 12, 12, 16, 4096, 256206, 64),
    "small100": (1024, 12, 3, 16, 4096, 128112, 64),
    "mbart50": (1024, 12, 12, 16, 4096, 250054, 64),
    "t5": (512, 6, 6, 8, 2048, 32128, 64),
    "madlad": (2048, 32, 32, 16, 8192, 256000, 128),
}
NLLB = "arb_Arab deu_Latn eng_Latn fra_Latn jpn_Jpan rus_Cyrl zho_Hans zho_Hant".split()
MBART = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP nl_XX ro_RO "
    "ru_RU si_LK tr_TR vi_VN zh_CN af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF "
    "pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI"
).split()
M2M100 = (
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu "
    "hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt "
    "ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu "
).split()
MADLAD = "de en fr ja zh".split()
# The words that name English and German.
PAIRS = {"m2m100": ("__en__", "__de__"), "small100": (None, "__de__"), "mbart50": ("en_XX", "de_DE"), "madlad": (None, "<2de>")}


def train(kind, size, texts, directory):
    """The SentencePiece model of the texts."""
    special = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1} if kind == "t5" else {}
    if kind == "madlad":
        special = {"byte_fallback": True, "user_defined_symbols": [f"<2{code}>" for code in MADLAD]}
    sentencepiece.SentencePieceTrainer.train(
        input=list(texts), model_prefix=f"{directory}/pieces", vocab_size=(420 if kind == "madlad" else 160) if size == "tiny" else 8000,
        normalization_rule_name="identity" if size == "tiny" else "nmt_nfkc",
        hard_vocab_limit=False, minloglevel=2, model_type="unigram" if kind in ("mbart50", "t5", "madlad") else "bpe",
        **special,
    )
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(pathlib.Path(f"{directory}/pieces.model").read_bytes())
    return model


def merges(pieces, scores):
    """The pairs of pieces that make a piece, the likeliest pieces first, as transformers makes them."""
    ids = {piece: i for i, piece in enumerate(pieces)}
    found = []
    for piece, score in zip(pieces, scores):
        splits = [(piece[:i], piece[i:]) for i in range(1, len(piece))]
        splits = [(ids[left], ids[right], left, right) for left, right in splits if left in ids and right in ids]
        found += [(-score, left, right) for _, _, left, right in sorted(splits)]
    return [(left, right) for _, left, right in sorted(found, key=lambda merge: merge[0])]


def grow(model, count):
    """Adds pieces that are two others joined, up to `count`, so that a vocabulary has the size of a published one."""
    known = [piece.piece for piece in model.pieces if piece.type == piece.NORMAL]
    seen, score = {piece.piece for piece in model.pieces}, min(piece.score for piece in model.pieces)
    choose = random.Random(1)
    while len(model.pieces) < count:
        left, right = choose.choice(known), choose.choice(known)
        if right.startswith("\u2581") or len(left + right) > 16 or left + right in seen:
            continue
        seen.add(left + right)
        known.append(left + right)
        score -= 1
        model.pieces.add(piece=left + right, score=score)


def write_tokenizer(kind, words, folder, model):
    """Writes the files of the tokeniser; returns the number of words."""
    if "--grow" in sys.argv:
        grow(model, words - 400)
    pieces, scores = [piece.piece for piece in model.pieces], [piece.score for piece in model.pieces]
    fill = lambda count: [f"\u2581\ue000{i}" for i in range(max(count, 0))]
    if kind in ("m2m100", "small100"):
        listed = ["<s>", "<pad>", "</s>", "<unk>"] + pieces[3:]
        listed += fill(words - 108 - len(listed) if words else 0)
        (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(listed)}, ensure_ascii=False))
        (folder / "sentencepiece.bpe.model").write_bytes(model.SerializeToString())
        name = "M2M100Tokenizer" if kind == "m2m100" else "SMALL100Tokenizer"
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name, "src_lang": None}))
        return len(listed) + 108
    names = {"nllb": "NllbTokenizer", "nllb-legacy": "NllbTokenizer", "mbart50": "MBart50Tokenizer"}
    settings = {"tokenizer_class": names.get(kind, "T5Tokenizer")}
    if kind in ("t5", "madlad"):
        more = [] if kind == "madlad" else [f"<extra_id_{i}>" for i in reversed(range(100))]
        filled = fill(words - len(pieces) - len(more) - (28 if kind == "t5" else 0) if words else 0)
        special, languages, unk = ["<pad>", "</s>", "<unk>", "<s>"], more, pieces.index("<unk>")
    else:
        pieces, scores = ["<s>", "<pad>", "</s>", "<unk>"] + pieces[3:], [0.0] * 4 + scores[3:]
        languages = (MBART if kind == "mbart50" else NLLB) + ["<mask>"]
        filled = fill(words - len(pieces) - len(languages) - (2 if kind != "mbart50" else 0) if words else 0)
        special, unk = pieces[:4], 3
        settings |= {"legacy_behaviour": kind == "nllb-legacy"} if kind != "mbart50" else {}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    scores += [-100.0] * len(filled)
    listed = pieces + filled
    if kind.startswith("nllb"):
        ids = {piece: i for i, piece in enumerate(listed)}
        bpe = tokenizers.models.BPE(ids, merges(pieces[4:], scores[4:]), unk_token="<unk>", fuse_unk=True)
        made = tokenizers.Tokenizer(bpe)
    else:
        scored = list(zip(listed, scores))
        made = tokenizers.Tokenizer(tokenizers.models.Unigram(scored, unk, byte_fallback=kind == "madlad"))
    steps = tokenizers.normalizers
    charsmap = model.normalizer_spec.precompiled_charsmap
    table = [steps.Precompiled(charsmap)] if charsmap else []
    blanks = tokenizers.Regex(" {2,}")
    metaspace = tokenizers.pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    if kind == "t5":  # as transformers 5 writes it
        made.normalizer = steps.Sequence(table)
        split = tokenizers.pre_tokenizers.WhitespaceSplit()
        made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, metaspace])
    else:  # as transformers 4 wrote it
        made.normalizer = steps.Sequence([*table, steps.Strip(left=False, right=True), steps.Replace(blanks, "\u2581")])
        made.pre_tokenizer = metaspace
    made.decoder = tokenizers.decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    made.add_special_tokens([word for word in special if word in pieces])
    made.add_special_tokens(languages)
    made.save(str(folder / "tokenizer.json"))
    if "--pieces" in sys.argv:
        (folder / "tokenizer.json").unlink()
        name = "spiece.model" if kind in ("t5", "madlad") else "sentencepiece.bpe.model"
        (folder / name).write_bytes(model.SerializeToString())
    return len(listed) + len(languages) + (0 if kind in ("mbart50", "madlad") else 28 if kind == "t5" else 2)


def make(kind, size, count):
    """The model with random weights."""
    import transformers

    dim, encoder, decoder, heads, inner, _, head = PUBLISHED[kind]
    if size == "tiny":
        dim, encoder, decoder, heads, inner, head = 16, 2, 1, 4, 24, 6
    elif size == "cut":
        encoder = decoder = 2
    if kind in ("t5", "madlad"):
        gated = kind == "madlad"
        settings = transformers.T5Config(
            vocab_size=count, d_model=dim, d_kv=head, d_ff=inner, num_layers=encoder, num_decoder_layers=decoder,
            num_heads=heads, feed_forward_proj="gated-gelu" if gated else "relu", tie_word_embeddings=not gated,
            dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=1 if gated else 0, eos_token_id=2 if gated else 1,
        )
        return transformers.T5ForConditionalGeneration(settings)
    sides = dict(
        vocab_size=count, d_model=dim, encoder_layers=encoder, decoder_layers=decoder, encoder_attention_heads=heads,
        decoder_attention_heads=heads, encoder_ffn_dim=inner, decoder_ffn_dim=inner, activation_function="relu",
        scale_embedding=True, max_position_embeddings=512 if size == "tiny" else 1024, dropout=0.0,
    )
    if kind == "mbart50":
        settings = transformers.MBartConfig(**sides, decoder_start_token_id=2, forced_eos_token_id=None)
        return transformers.MBartForConditionalGeneration(settings)
    return transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(**sides))


def shuffle(model, kind):
    """Weights with contrast, so that translations of different lines differ, and norms and biases that do something."""
    import torch

    t5 = kind in ("t5", "madlad")
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "norm" in name or name.endswith("bias"):
                value.add_(0.2 * torch.randn_like(value))
            elif "relative_attention_bias" in name:
                value.copy_(torch.randn_like(value))
            elif "embed_positions" in name:
                value.mul_(10.0)
            elif value.dim() == 2 and not any(part in name for part in ("shared", "embed", "lm_head")):
                value.mul_(2.0 if t5 else 3.0)


def write(size, kinds, folder, *texts):
    import torch

    for kind in kinds.split(","):
        torch.manual_seed(1)
        path = pathlib.Path(folder) / kind
        path.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as directory:
            pieces = train(kind, size, texts, directory)
        words = None if size == "tiny" else PUBLISHED[kind][5]
        count = write_tokenizer(kind, words, path, pieces)
        model = make(kind, size, count).eval()
        shuffle(model, kind)
        model.generation_config.num_beams = 4
        if "--half" in sys.argv:
            model = model.half()
        shards = {"max_shard_size": "20KB" if size == "tiny" else "500MB"} if "--shards" in sys.argv else {}
        model.save_pretrained(path, **shards)
        if "--bin" in sys.argv:
            torch.save(model.state_dict(), path / "pytorch_model.bin")
            (path / "model.safetensors").unlink()
        for file in path.iterdir():
            file.chmod(0o644)
        print(path, sum(p.numel() for p in model.parameters()), sorted(file.name for file in path.iterdir()), flush=True)


class Tokenizer:
    """The ids of a model's tokeniser, as transformers has them."""

    def __init__(self, folder):
        self.kind = folder.name
        settings = json.loads((folder / "config.json").read_text())
        self.end = settings["eos_token_id"]
        if (folder / "vocab.json").is_file():
            self.ids = json.loads((folder / "vocab.json").read_text())
            self.spm = sentencepiece.SentencePieceProcessor(str(folder / "sentencepiece.bpe.model"))
            first = len(self.ids)
            self.ids |= {f"__{code}__": first + i for i, code in enumerate(M2M100)}
            self.fast = None
        else:
            self.fast = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            self.ids = self.fast.get_vocab(with_added_tokens=True)
        pair = PAIRS.get(self.kind, ("eng_Latn", "deu_Latn"))
        self.source, self.target = pair if self.kind != "t5" else (None, None)

    def pieces(self, line):
        if self.fast:
            return self.fast.encode(line, add_special_tokens=False).ids
        return [self.ids.get(piece, self.ids["<unk>"]) for piece in self.spm.encode(line, out_type=str)]

    def encode(self, line):
        ids = self.pieces(line) + [self.end]
        before = self.target if self.kind in ("small100", "madlad") else self.source
        if before is None:
            return ids
        return ids + [self.ids[before]] if self.kind == "nllb-legacy" else [self.ids[before]] + ids

    @property
    def forced(self):
        return self.ids[self.target] if self.kind in ("m2m100", "mbart50", "nllb", "nllb-legacy") else None


def theirs(folder, tokenizer, lines, beam, longest):
    """The ids of the translations of transformers, without those before and after the translation."""
    import torch
    import transformers

    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    sources = [tokenizer.encode(line) for line in lines]
    found = [None] * len(lines)
    order = sorted(range(len(lines)), key=lambda i: len(sources[i]))
    for start in range(0, len(order), 20):
        batch = order[start : start + 20]
        width = max(len(sources[i]) for i in batch)
        ids = torch.tensor([sources[i] + [model.config.pad_token_id] * (width - len(sources[i])) for i in batch])
        mask = torch.tensor([[1] * len(sources[i]) + [0] * (width - len(sources[i])) for i in batch])
        with torch.no_grad():
            out = model.generate(
                input_ids=ids, attention_mask=mask, num_beams=beam, max_new_tokens=longest, early_stopping=True,
                length_penalty=1.0, do_sample=False, forced_bos_token_id=tokenizer.forced, forced_eos_token_id=None,
            )
        for i, words in zip(batch, out.tolist()):
            words = words[2 if tokenizer.forced is not None else 1 :]
            found[i] = words[: words.index(tokenizer.end)] if tokenizer.end in words else words
            while found[i] and len(found[i]) < len(words) and tokenizer.end not in words and found[i][-1] == model.config.pad_token_id:
                found[i].pop()
    return found, sources


def read_json(program, folder, tokenizer, lines, beam, longest, precision="f32"):
    """The lines that Metaphrase writes."""
    options = "--output-format json --word-scores --stop collect --allow-unk --allow-special --normalize 1"
    options += f" --precision {precision}"
    options += f" --max-length-factor 1000 --max-target-length {longest} --beam-size {beam} --longest-sentence 0"
    if tokenizer.source:
        options += f" --source-language {tokenizer.source}"
    if tokenizer.target:
        options += f" --target-language {tokenizer.target}"
    run = [program, "translate", "-m", str(folder), *options.split()]
    text = subprocess.run(run, input="".join(line + "\n" for line in lines), text=True, stdout=-1, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def ours(program, folder, tokenizer, lines, beam, longest):
    read = read_json(program, folder, tokenizer, lines, beam, longest)
    ids = lambda pieces: [tokenizer.ids.get(piece, -1) for piece in pieces]
    return [ids(line["pieces"]) for line in read], [ids(line["source_pieces"]) for line in read]


def compare(program, text, *folders, lines=200, beams=(1, 4), longest=40):
    lines = pathlib.Path(text).read_text(encoding="utf-8").splitlines()[:lines]
    for folder in map(pathlib.Path, folders):
        tokenizer = Tokenizer(folder)
        for beam in beams:
            expected, sources = theirs(folder, tokenizer, lines, beam, longest)
            found, read = ours(program, folder, tokenizer, lines, beam, longest)
            # Words of the vocabulary that no piece names have no text.
            known = set(tokenizer.ids.values())
            expected = [[word if word in known else -1 for word in line] for line in expected]
            same = sum(a == b for a, b in zip(expected, found, strict=True))
            plain = [tokenizer.pieces(line) for line in lines]
            equal = sum(a == b for a, b in zip(plain, read, strict=True))
            distinct = len({tuple(line) for line in expected})
            print(f"{folder}: beam {beam}: {same} of {len(lines)} translations and {equal} sources are equal;"
                  f" {distinct} distinct", flush=True)
            if "--show" in sys.argv:
                for i, (a, b) in enumerate(zip(expected, found)):
                    if a != b:
                        print(i, a, b, sep="\n  ")


def converted(folder, tokenizer, kind, out=None):
    """The directory that CTranslate2's converter makes of a model, in numbers of a type, with the files of its tokeniser."""
    from ctranslate2.converters.transformers import TransformersConverter

    out = out or folder.with_name(f"{folder.name}-ct2-{kind}")
    if out.is_dir():
        return out
    words = {id: word for word, id in tokenizer.ids.items()}
    settings = json.loads((folder / "config.json").read_text())

    class Stub:
        """Has what the converter asks of a tokeniser."""

        bos_token, eos_token, unk_token, unk_token_id = "<s>", "</s>", "<unk>", tokenizer.ids["<unk>"]
        pad_token, special_tokens_map = words[settings["pad_token_id"]], {}

        def get_vocab(self):
            return tokenizer.ids

        def convert_ids_to_tokens(self, id):
            return words[id]

    class Converter(TransformersConverter):
        def load_model(self, model_class, name, config, **options):
            # Files of mBART-50 have these, which transformers does not write.
            config.normalize_before = config.normalize_embedding = True
            config.tokenizer_class = "MBart50Tokenizer"
            return super().load_model(model_class, name, config=config, **options)

        def load_tokenizer(self, *_, **__):
            return Stub()

    copied = ["tokenizer_config.json"]
    # Their own list has the words and ids.
    copied.append("sentencepiece.bpe.model" if (folder / "sentencepiece.bpe.model").is_file() else "tokenizer.json")
    made = Converter(str(folder), copy_files=copied)
    made.convert(str(out), quantization=kind)
    return out


def of_ctranslate2(folder, tokenizer, lines, beam, longest, compute):
    """The words of CTranslate2's translations, without those before and after the translation, and, greedy, the logarithms
    of their probabilities."""
    import ctranslate2

    words = json.loads((folder / "shared_vocabulary.json").read_text())
    sources = [[words[id] for id in tokenizer.encode(line)] for line in lines]
    first = [[words[tokenizer.forced]]] * len(lines) if tokenizer.forced is not None else None
    translator = ctranslate2.Translator(str(folder), compute_type=compute, intra_threads=1)
    found = translator.translate_batch(
        sources, target_prefix=first, beam_size=beam, length_penalty=0 if beam == 1 else 1, max_batch_size=32,
        max_decoding_length=longest, return_scores=True,
    )
    skipped = 0 if first is None else 1
    return [line.hypotheses[0][skipped:] for line in found], [line.scores[0] for line in found]


def compare_ctranslate2(program, text, *folders, lines=200, beams=(1, 4), longest=40, kinds=("float32", "float16", "int8")):
    """Compares Metaphrase and CTranslate2 with the same directory, in f32 and, where it has integers, in int8; only lines
    count that both read as the same pieces."""
    lines = [line for line in pathlib.Path(text).read_text(encoding="utf-8").splitlines()[:lines] if line.strip()]
    for folder in map(pathlib.Path, folders):
        tokenizer = Tokenizer(folder)
        plain = [tokenizer.pieces(line) for line in lines]
        for kind in kinds:
            directory = converted(folder, tokenizer, kind)
            words = json.loads((directory / "shared_vocabulary.json").read_text())
            # CTranslate2 fills T5's list up with names that words before them have.
            twice = {word for word, count in collections.Counter(words).items() if count > 1}
            ids = {word: -1 if word in twice else id for word, id in tokenizer.ids.items()}
            for compute in ("float32", "int8") if kind == "int8" else ("float32",):
                for beam in beams:
                    expected, theirs = of_ctranslate2(directory, tokenizer, lines, beam, longest, compute)
                    precision = "int8" if compute == "int8" else "f32"
                    found = read_json(program, directory, tokenizer, lines, beam, longest, precision)
                    pieces = [[tokenizer.ids.get(piece, -1) for piece in line["source_pieces"]] for line in found]
                    read = [a == b for a, b in zip(plain, pieces, strict=True)]
                    numbered = lambda words: [ids.get(word, -1) for word in words]
                    pairs = [(numbered(a), numbered(b["pieces"])) for a, b in zip(expected, found, strict=True)]
                    same = [equal and a == b for equal, (a, b) in zip(read, pairs)]
                    differ = [abs(a - b["log_prob"]) for equal, a, b in zip(same, theirs, found) if equal]
                    scores = f" log-probabilities differ by at most {max(differ):.1e};" if beam == 1 and differ else ""
                    distinct = len({tuple(a) for a, _ in pairs})
                    print(f"{directory}: {precision}, beam {beam}: {sum(same)} translations of {sum(read)} lines are equal;"
                          f"{scores} {distinct} distinct", flush=True)
                    if "--show" in sys.argv:
                        for i, (a, b) in enumerate(pairs):
                            if read[i] and not same[i]:
                                print(i, a, b, sep="\n  ")


LINES = ["The house is old.", "a b  c", "", "Where is the station? It is 10:30 already!", "déjà vu 中"]


def golden_ctranslate2(out, *folders):
    """Writes the model in integers of 8 bits, and what CTranslate2 says with it in f32, into OUT/KIND, for tests."""
    texts = [line for line in LINES if line]
    for folder in map(pathlib.Path, folders):
        tokenizer = Tokenizer(folder)
        with tempfile.TemporaryDirectory() as directory:
            made = converted(folder, tokenizer, "int8", pathlib.Path(directory) / "made")
            said = {beam: of_ctranslate2(made, tokenizer, texts, beam, 12, "float32") for beam in (1, 4)}
            found = {f"beam{beam}": dict(zip(texts, words)) for beam, (words, _) in said.items()}
            # It forbids an empty translation, and divides the probability of that among the other first words.
            found["log_probs"] = dict(zip(texts, said[1][1])) if tokenizer.forced is not None else {}
            to = pathlib.Path(out) / folder.name
            to.mkdir(parents=True)
            for name in ("model.bin", "config.json", "shared_vocabulary.json"):
                (to / name).write_bytes((made / name).read_bytes())
        (to / "golden.json").write_text(json.dumps(found, ensure_ascii=False) + "\n")


def golden(*folders):
    lines = LINES
    for folder in map(pathlib.Path, folders):
        tokenizer = Tokenizer(folder)
        found = {"lines": lines, "pieces": [tokenizer.pieces(line) for line in lines]}
        texts = [line for line in lines if line]
        for beam in (1, 4):
            found[f"beam{beam}"] = dict(zip(texts, theirs(folder, tokenizer, texts, beam, 12)[0]))
        (folder / "golden.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")


def option(name, default, read):
    return read(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


arguments = [a for i, a in enumerate(sys.argv[1:], 1) if not a.startswith("--")
             and sys.argv[i - 1] not in ("--lines", "--beams", "--words", "--types")]
numbers = dict(
    lines=option("--lines", 200, int), longest=option("--words", 40, int),
    beams=option("--beams", (1, 4), lambda text: [int(beam) for beam in text.split(",")]),
)
if arguments[0] == "write":
    write(*arguments[1:])
elif arguments[0] == "golden":
    golden(*arguments[1:])
elif arguments[0] == "golden-ctranslate2":
    golden_ctranslate2(*arguments[1:])
elif arguments[0] == "ctranslate2":
    kinds = option("--types", ("float32", "float16", "int8"), lambda text: text.split(","))
    compare_ctranslate2(*arguments[1:], **numbers, kinds=kinds)
else:
    compare(*arguments[1:], **numbers)
