"""Makes two tiny models with random weights, as Marian and as Nematus on Theano would have written them.

    python testdata/models/make_marian.py        (made with NumPy 2)

`marian-tiny` is a Transformer: 8 dimensions, 2 heads, 1 + 1 layers, 12 words, all embeddings tied, its arrays
deflated. `nematus-tiny` has no settings, vectors of one dimension, layer normalisation, a transition cell on
both sides, and what training leaves behind. The vocabularies are lists of words.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
WORDS = "</s> <unk> a b c d e f g h i j".split()
V = len(WORDS)


def save(name, arrays, **more):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    arrays = {key: value.astype(np.float32) for key, value in arrays.items()}
    np.savez_compressed(folder / "model.npz", **arrays, **more)
    (folder / "vocab.yml").write_text("".join(f'"{word}": {i}\n' for i, word in enumerate(WORDS)))


def transformer(d=8, ffn=12):
    random = np.random.default_rng(1)
    arrays = {"Wemb": random.normal(size=(V, d)), "decoder_ff_logit_out_b": random.normal(size=(1, V))}

    def normalisation(name):
        arrays[f"{name}_ln_scale"] = 1 + 0.1 * random.normal(size=(1, d))
        arrays[f"{name}_ln_bias"] = 0.1 * random.normal(size=(1, d))

    def attention(name):
        for letter in "qkvo":
            arrays[f"{name}_W{letter}"] = 0.4 * random.normal(size=(d, d))
            arrays[f"{name}_b{letter}"] = 0.1 * random.normal(size=(1, d))
        normalisation(f"{name}_Wo")

    for side, blocks in (("encoder", ["self"]), ("decoder", ["self", "context"])):
        for block in blocks:
            attention(f"{side}_l1_{block}")
        name = f"{side}_l1_ffn"
        arrays[f"{name}_W1"], arrays[f"{name}_b1"] = random.normal(size=(d, ffn)), random.normal(size=(1, ffn))
        arrays[f"{name}_W2"], arrays[f"{name}_b2"] = random.normal(size=(ffn, d)), random.normal(size=(1, d))
        normalisation(f"{name}_ffn")
    return arrays


def nematus(e=4, d=6):
    random = np.random.default_rng(2)
    arrays = {"Wemb": random.normal(size=(V, e)), "Wemb_dec": random.normal(size=(V, e))}

    def add(name, *shape):
        arrays[name] = 0.5 * random.normal(size=shape)

    def norm(name, size):
        add(f"{name}_lns", size)
        add(f"{name}_lnb", size)

    def cell(prefix, suffix, inputs, w):
        for u, b, size in (("U", "b", 2 * d), ("Ux", "bx", d)):
            add(f"{prefix}_{u}{suffix}", d, size)
            add(f"{prefix}_{b}{suffix}", size)
            norm(f"{prefix}_{u}{suffix}", size)
        if inputs:
            for name, size in ((w, 2 * d), (f"{w}x", d)):
                add(f"{prefix}_{name}", inputs, size)
                norm(f"{prefix}_{name}", size)

    for direction in ("encoder", "encoder_r"):
        cell(direction, "", e, "W")
        cell(direction, "_drt_1", 0, "")
    cell("decoder", "", e, "W")
    cell("decoder", "_nl", 2 * d, "Wc")
    cell("decoder", "_nl_drt_1", 0, "")
    add("ff_state_W", 2 * d, d)
    for part, inputs in (("prev", e), ("lstm", d), ("ctx", 2 * d)):
        add(f"ff_logit_{part}_W", inputs, e)
        for vector in ("b", "ln_s", "ln_b"):
            add(f"ff_logit_{part}_{vector}", e)
    for vector in ("b", "ln_s", "ln_b"):
        add(f"ff_state_{vector}", d)
    add("ff_logit_W", e, V)
    add("ff_logit_b", V)
    add("decoder_W_comb_att", d, 2 * d)
    norm("decoder_W_comb_att", 2 * d)
    add("decoder_Wc_att", 2 * d, 2 * d)
    norm("decoder_Wc_att", 2 * d)
    add("decoder_U_att", 2 * d, 1)
    add("decoder_b_att", 2 * d)
    add("decoder_c_tt", 1)
    return arrays


SETTINGS = f"""type: transformer
dim-vocabs: [{V}, {V}]
dim-emb: 8
transformer-heads: 2
enc-depth: 1
dec-depth: 1
transformer-dim-ffn: 12
transformer-ffn-activation: relu
tied-embeddings-all: true
version: v1.0.0 tiny
"""

settings = SETTINGS.encode().ljust(256 * (len(SETTINGS) // 256 + 1), b"\0")
save("marian-tiny", transformer(), **{"special:model.yml": np.frombuffer(settings, dtype=np.int8)})
save("nematus-tiny", nematus(), uidx=np.int64(7), history_errs=np.array([2.5, 1.5]),
     zipped_params=np.array([{"left": "over"}], dtype=object))
