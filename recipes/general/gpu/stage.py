"""A stage of a Transformer's training on a GPU, with PyTorch: faster than `metaphrase train --device cuda:0`, and no part of the program.

usage: stage.py DATA[,DATA] START OUT SECONDS DIRECTION... [--OPTION=VALUE ...]

START/DIRECTION is a model in f32 (`metaphrase convert --precision f32`), and OUT/DIRECTION will be one. DATA has tab-separated files in UTF-8:
`clean.tsv` (weight, English, German), `noise.DIRECTION.tsv`, `every.DIRECTION.tsv`, `new.DIRECTION.tsv` (the same), `back.DIRECTION.tsv` (source by a
model, target), `terms.DIRECTION.src` (pieces with terms between them) with `terms.DIRECTION.tgt`, and `news.en`, `news.de`, `dev.en`, `dev.de` for the loss.
In the last 28 % of the time the matrices are rounded to the integers of 8 bits that `metaphrase convert --precision int8` makes of them.
"""

import sys, time, os, json, struct, glob, shutil, multiprocessing as mp

T0 = time.time()
import numpy as np, sentencepiece as spm

data, start, out, seconds, names = sys.argv[1].split(","), sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5:]
directions = [n for n in names if not n.startswith("--")]
extra = [n for n in names if n.startswith("--")]
MODEL = f"{start}/{directions[0]}/source.spm"
# A folder that is there already is an error now, not after the training.
for d in directions:
    os.makedirs(f"{out}/{d}")
LONGEST = 160
WEIGHT = {"clean": 1, "noise": 1, "terms": 1, "every": 3, "new": 6, "back": 1.5}
log = lambda s: print(f"[{time.time() - T0:.0f}] {s}", flush=True)


def ids(job):
    """Lines of pairs -> flat words, lengths, weights. Kind of a source: text, pieces, or back (tagged)."""
    kind, rows = job
    sp = SP
    src = [r[1] for r in rows]
    tgt = [r[2] for r in rows]
    if kind == "terms":
        x = [[ID[p] for p in s.split(" ")] for s in src]
    else:
        x = sp.encode(src, num_threads=1)
    if kind == "back":
        x = [[ID["<0x04>"]] + s for s in x]
    y = sp.encode(tgt, num_threads=1)
    k = [i for i in range(len(rows)) if 0 < len(x[i]) < LONGEST and 0 < len(y[i]) < LONGEST]
    f = lambda z: (np.array([w for i in k for w in z[i] + [0]], np.uint16), np.array([len(z[i]) + 1 for i in k], np.int32))
    return (*f(x), *f(y), np.array([float(rows[i][0]) for i in k]))


def lines(name):
    for d in data:
        p = f"{d}/{name}"
        if os.path.exists(p):
            return open(p, encoding="utf-8", newline="\n").read().split("\n")[:-1]
    return []


def jobs(direction):
    swap = direction == "de-en"
    s, t = direction.split("-")
    out = []

    def add(kind, rows, weight):
        rows = [(r[0] * weight, r[2], r[1]) if swap and kind != "terms" and kind != "back" else (r[0] * weight, r[1], r[2]) for r in rows]
        out.extend((kind, rows[i : i + 20000]) for i in range(0, len(rows), 20000))
        count[kind] = len(rows)

    count = {}
    split = lambda ls: [(float(a), b, c) for a, b, c in (l.split("\t") for l in ls)]
    add("clean", [(0.6 if c == 1 else 0.8 * c, x, y) for c, x, y in split(lines("clean.tsv"))], WEIGHT["clean"])
    for kind in ("noise", "every", "new"):
        add(kind, split(lines(f"{kind}.{direction}.tsv")), WEIGHT[kind])
    add("terms", [(1.0, a, b) for a, b in zip(lines(f"terms.{direction}.src"), lines(f"terms.{direction}.tgt"))], WEIGHT["terms"])
    add("back", [(1.0, *l.split("\t")) for l in lines(f"back.{direction}.tsv") if l.count("\t") == 1], WEIGHT["back"])
    log(f"{direction} {count}")
    return out


SP = spm.SentencePieceProcessor(model_file=MODEL)
ID = {SP.id_to_piece(i): i for i in range(SP.get_piece_size())}
# The second direction's text becomes words while the first one trains.
pool = mp.get_context("fork").Pool(min(15, os.cpu_count()))
coming = {}


def told(d, text):
    log(
        f"{d} pairs {sum(len(p[1]) for p in text)} weighted {int(sum(p[4].sum() for p in text))} tgt {sum(len(p[2]) for p in text)} weighted {int(sum((p[3] * p[4]).sum() for p in text))}"
    )
    return text


coming[directions[0]] = pool.map_async(ids, jobs(directions[0]), chunksize=1)
devs = {
    d: {
        n: [ids(("dev", [(1.0, a, b) if d == "en-de" else (1.0, b, a) for a, b in zip(lines(f"{n}.en"), lines(f"{n}.de"))]))]
        for n in ("news", "dev")
        if lines(f"{n}.en")
    }
    for d in directions
}
import torch, network

torch.backends.cuda.enable_cudnn_sdp(False)
dev = "cuda" if torch.cuda.is_available() else "cpu"
a, _ = network.options(["--muon", "1", "--lr", "5e-3", "--warmup", "60", "--flat", "0.15", "--ratio", "0.2"] + [x for e in extra for x in e.split("=")])
if dev == "cuda":
    try:
        network.fuse()
        l = torch.randn(3000, 8000, device=dev, dtype=torch.bfloat16, requires_grad=True)
        t = torch.randint(0, 8000, (3000,), device=dev)
        ref = torch.nn.functional.cross_entropy(l.float(), t, label_smoothing=0.1, reduction="sum")
        (g,) = torch.autograd.grad(ref, l)
        for n in (3000, 2900):
            _, m = network.xent(l[:n], t[:n], 0.1)
            (h,) = torch.autograd.grad(m, l)
        assert abs(h[:2900] - g[:2900]).max().item() < 0.02
    except Exception as e:
        network.FUSED[:] = [network.xent_forward, network.xent_backward]
        log(f"not fused: {type(e).__name__} {e}"[:300])
log("ready")
text = told(directions[0], coming[directions[0]].get())
for d in directions[1:]:
    coming[d] = pool.map_async(ids, jobs(d), chunksize=1)


def tensors(path):
    with open(path, "rb") as f:
        n = struct.unpack("<Q", f.read(8))[0]
        head = json.loads(f.read(n))
        body = f.read()
    return {k: np.frombuffer(body[slice(*v["data_offsets"])], np.float32).reshape(v["shape"]) for k, v in head.items() if k != "__metadata__"}


def load(net, path):
    """Marian's tensors into ours: scales of norms are folded into the maps that follow; small biases that are not trained here are left."""
    m = tensors(path)
    left = 0.0

    def fold(w, scale):
        return w * m[scale].reshape(-1, 1)

    top = m["encoder_top_ln_scale"].reshape(-1, 1)
    for n, s in net.shape.items():
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
        elif n in ("Wemb",):
            w = m[n]
        elif len(s) == 2:
            w = m[n].T
        else:
            w = m[n].reshape(s)
        o, k = net.at[n]
        net.master[o : o + k].copy_(torch.from_numpy(np.ascontiguousarray(w, np.float32)).flatten())
    net.sync()


def save(net, like, folder):
    """A model in f32 like another one, in a new folder."""
    for f in ("config.toml", "source.spm"):
        shutil.copy(f"{like}/{f}", folder)
    get = lambda n: net.master[net.at[n][0] : net.at[n][0] + net.at[n][1]].view(net.shape[n]).float().cpu().numpy()
    t = network.split(net, get)
    head, o, parts = {"__metadata__": {"format": "metaphrase"}}, 0, []
    for k, like_t in tensors(f"{like}/model.safetensors").items():
        b = np.ascontiguousarray(t[k], np.float32)
        assert b.shape == like_t.shape, (k, b.shape, like_t.shape)
        head[k] = {"dtype": "F32", "shape": list(b.shape), "data_offsets": [o, o + b.nbytes]}
        o += b.nbytes
        parts.append(b.tobytes())
    assert set(t) == set(head) - {"__metadata__"}, set(t) ^ set(head)
    h = json.dumps(head).encode()
    h += b" " * (-len(h) % 8)
    open(f"{folder}/model.safetensors", "wb").write(struct.pack("<Q", len(h)) + h + b"".join(parts))


class Net(network.Net):
    """Rounds its matrices to the integers of 8 bits of each output once `rounded` is set."""

    rounded = False

    def sync(self):
        with torch.no_grad():
            self.flat.copy_(self.master)
            if not self.rounded:
                return
            for n, s in self.shape.items():
                if len(s) == 2:
                    o, k = self.at[n]
                    w = self.master[o : o + k].view(s)
                    sc = w.abs().amax(1, keepdim=True) / 127 + 1e-12
                    self.flat[o : o + k].view(s).copy_(torch.round(w / sc) * sc)


for i, d in enumerate(directions):
    left = seconds - (time.time() - T0)
    budget = max(5.0, left / (len(directions) - i) - 6)
    if i:
        text = told(d, coming[d].get())
    tr = network.Text(text, dev)
    dv = {n: network.Text(p, dev) for n, p in devs[d].items()}
    torch.manual_seed(5 + i)
    net = Net(a, 8000, dev, torch.bfloat16 if dev == "cuda" else torch.float32, seed=3 + i)
    load(net, f"{start}/{d}/model.safetensors")
    log(f"== {d} {net.n} parameters, {budget:.0f} s; at the start " + " ".join(f"{n} {network.dev_loss(net, t):.4f}" for n, t in dv.items()))
    begun = time.time()
    sync = net.sync

    def timed():
        net.rounded = time.time() - begun > 0.72 * budget
        sync()

    net.sync = timed
    ok = network.train(net, tr, dv, a, seconds=budget, log=log, seed=7 + i)
    folder = f"{out}/{d}"
    save(net, f"{start}/{d}", folder)
    log(f"{d} {'ok' if ok else 'DIVERGED'} saved")
    del tr, dv, net
