"""Weights of a model: from its folder into the network, and back in 10 bits, which are small enough to carry.

usage: weights.py PART START OUT [SHARE]
       weights.py --light START OUT      the model START, in f32 but of integers of 8 bits, as OUT/model.npz, which is small enough to carry

The parts PART.0, PART.1 … that `carry` wrote become the model OUT in f32, like START (`metaphrase convert --precision f32`). With SHARE (1 if there is none)
it is the mean of this share of the parts and the rest of START.
"""

import glob, json, os, shutil, struct, sys
import numpy as np

def shapes(d, f, enc, dec, V):
    s = {"Wemb": (V, d), "decoder_ff_logit_out_b": (V,)}

    def att(n, own):
        if own:
            s[n + "_Wqkv"] = (3 * d, d)
        else:
            s[n + "_Wq"] = (d, d)
            s[n + "_Wkv"] = (2 * d, d)
        s[n + "_Wo"] = (d, d)

    def ffn(n):
        s[n + "_W1"] = (f, d)
        s[n + "_b1"] = (f,)
        s[n + "_W2"] = (d, f)
        s[n + "_b2"] = (d,)

    for i in range(1, enc + 1):
        att(f"encoder_l{i}_self", True)
        ffn(f"encoder_l{i}_ffn")
    for i in range(1, dec + 1):
        att(f"decoder_l{i}_self", True)
        att(f"decoder_l{i}_context", False)
        ffn(f"decoder_l{i}_ffn")
    s["decoder_top_ln_scale"] = (d,)
    s["decoder_top_ln_bias"] = (d,)
    return s


LEVELS = 508  # of 10 bits, on each side of zero: four for each level of 8 bits


def tensors(folder):
    """All tensors of a model in f32, or of the integers that `light` wrote."""
    if os.path.exists(f"{folder}/model.npz"):
        with np.load(f"{folder}/model.npz") as z:
            raw = {k: z[k] for k in z.files}
        return {k: v * raw[k + ".scales"] if v.dtype == np.int8 else v for k, v in raw.items() if not k.endswith(".scales")}
    with open(f"{folder}/model.safetensors", "rb") as f:
        head = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        body = f.read()
    return {k: np.frombuffer(body[slice(*v["data_offsets"])], np.float32).reshape(v["shape"]) for k, v in head.items() if k != "__metadata__"}


def light(folder, out):
    """Writes the matrices of a model that was in 8 bits, now in f32, as integers of 8 bits again, next to what else the folder has."""
    os.makedirs(out, exist_ok=True)
    parts = {}
    for k, w in tensors(folder).items():
        if 1 in w.shape:
            parts[k] = w
            continue
        scale = np.abs(w).max(1 if k == "Wemb" else 0, keepdims=True) / np.float32(127) + np.float32(1e-12)
        parts[k], parts[k + ".scales"] = np.rint(w / scale).astype(np.int8), scale
        print(k, float(np.abs(parts[k] * scale - w).max() / np.abs(w).max()))
    np.savez(f"{out}/model.npz", **parts)


def loaded(shape, folder):
    """Marian's tensors by the network's names: scales of norms are folded into the maps that follow, biases of attention are left out."""
    m, out = tensors(folder), {}
    top = m["encoder_top_ln_scale"].reshape(-1, 1)

    def fold(w, scale):
        return w * m[scale].reshape(-1, 1)

    for n, s in shape.items():
        base = n.rsplit("_", 1)[0]
        if n.endswith("_Wqkv"):
            w = np.concatenate([fold(m[f"{base}_W{c}"], f"{base}_Wo_ln_scale_pre").T for c in "qkv"])
        elif n.endswith("_Wq"):
            w = fold(m[n], f"{base}_Wo_ln_scale_pre").T
        elif n.endswith("_Wkv"):
            w = np.concatenate([(m[f"{base}_W{c}"] * top).T for c in "kv"])
        elif n.endswith("_W1"):
            w = fold(m[n], f"{base}_ffn_ln_scale_pre").T
        elif n.endswith("_b1"):
            w = m[n][0] + m[f"{base}_ffn_ln_bias_pre"][0] @ m[base + "_W1"]
        elif n == "Wemb" or len(s) == 1:
            w = m[n].reshape(s)
        else:
            w = m[n].T
        assert w.shape == s, (n, w.shape, s)
        out[n] = np.ascontiguousarray(w, np.float32)
    return out


def carry(weights, path, parts=3):
    """Writes weights in parts: matrices in 10 bits of each output (integers of 8 bits and 2 bits more), the rest in f32."""
    body, head = [], []
    for n, w in weights.items():
        s = w.shape
        if len(s) == 1:
            blobs = [w.astype(np.float32)]
        else:
            scale = np.abs(w).max(1, keepdims=True).astype(np.float32) / LEVELS + np.float32(1e-12)
            q = np.clip(np.rint(w / scale), -LEVELS, LEVELS).astype(np.int16) + 512
            low = (q & 3).astype(np.uint8).reshape(-1, 4)
            blobs = [scale, (q >> 2).astype(np.uint8), low[:, 0] | low[:, 1] << 2 | low[:, 2] << 4 | low[:, 3] << 6]
        head.append([n, list(s)])
        body += [b.tobytes() for b in blobs]
    h = json.dumps(head).encode()
    data = struct.pack("<Q", len(h)) + h + b"".join(body)
    size = -(-len(data) // parts)
    for i in range(parts):
        with open(f"{path}.{i}", "wb") as f:
            f.write(data[i * size : (i + 1) * size])


def carried(path):
    """The weights of `carry`, by the network's names."""
    data = b"".join(open(p, "rb").read() for p in sorted(glob.glob(f"{path}.[0-9]")))
    n = struct.unpack("<Q", data[:8])[0]
    at, out = 8 + n, {}

    def take(kind, shape):
        nonlocal at
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        at += size
        return np.frombuffer(data[at - size : at], kind).reshape(shape)

    for name, s in json.loads(data[8 : 8 + n]):
        if len(s) == 1:
            out[name] = take(np.float32, s)
            continue
        scale, high, low = take(np.float32, (s[0], 1)), take(np.uint8, s), take(np.uint8, (s[0] * s[1] // 4,))
        low = np.stack([low >> (2 * i) & 3 for i in range(4)], 1).reshape(s)
        out[name] = ((high.astype(np.int16) << 2 | low) - 512).astype(np.float32) * scale
    assert at == len(data), (at, len(data))
    return out


def marian(shape, d, get):
    """Marian's tensors: inputs × outputs; what was not trained is one or zero."""
    out, one, zero = {}, np.ones((1, d), np.float32), np.zeros((1, d), np.float32)
    for n, s in shape.items():
        w = get(n)
        for end, letters in (("_Wqkv", "qkv"), ("_Wkv", "kv"), ("_Wq", "q"), ("_Wo", "o")):
            if n.endswith(end):
                for i, c in enumerate(letters):
                    out[n[: -len(end)] + "_W" + c] = w[i * d : (i + 1) * d].T
                    out[n[: -len(end)] + "_b" + c] = zero
                if end == "_Wo":
                    out[n + "_ln_scale_pre"] = one
                    out[n + "_ln_bias_pre"] = zero
                break
        else:
            out[n] = w if n == "Wemb" else w.T if len(s) == 2 else w[None]
            if n.endswith("_W1"):
                out[n[:-3] + "_ffn_ln_scale_pre"] = one
                out[n[:-3] + "_ffn_ln_bias_pre"] = zero
    out["encoder_top_ln_scale"] = one
    out["encoder_top_ln_bias"] = zero
    return out


def save(weights, like, folder):
    """A model in f32 like another one, from weights by the network's names."""
    os.makedirs(folder)
    for f in ("config.toml", "source.spm"):
        shutil.copy(f"{like}/{f}", folder)
    t = marian({n: w.shape for n, w in weights.items()}, weights["Wemb"].shape[1], weights.get)
    head, o, parts = {"__metadata__": {"format": "metaphrase"}}, 0, []
    for k, like_t in tensors(like).items():
        b = np.ascontiguousarray(t[k], np.float32)
        assert b.shape == like_t.shape, (k, b.shape, like_t.shape)
        head[k] = {"dtype": "F32", "shape": list(b.shape), "data_offsets": [o, o + b.nbytes]}
        o += b.nbytes
        parts.append(b.tobytes())
    assert set(t) == set(head) - {"__metadata__"}, set(t) ^ set(head)
    h = json.dumps(head).encode()
    h += b" " * (-len(h) % 8)
    with open(f"{folder}/model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(h)) + h + b"".join(parts))


def main():
    if sys.argv[1] == "--light":
        return light(*sys.argv[2:4])
    part, start, out = sys.argv[1:4]
    share = float(sys.argv[4]) if sys.argv[4:] else 1.0
    stage = carried(part)
    before = loaded({n: w.shape for n, w in stage.items()}, start)
    save({n: share * w + (1 - share) * before[n] for n, w in stage.items()}, start, out)


if __name__ == "__main__":
    main()
