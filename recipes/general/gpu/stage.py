"""A stage of a Transformer's training on a GPU, with PyTorch: faster than `metaphrase train --device cuda:0`, and no part of the program.

usage: stage.py DATA CACHE START OUT DIRECTION=SECONDS... [--OPTION=VALUE ...]

START/DIRECTION is a model of either direction (f32, or what `weights.py --light` makes of it), CACHE is what `text.py DATA CACHE` made. The models of START translate the text in one
language of both; then each direction is trained for its seconds from START, with the matrices rounded to the integers of 8 bits of
`metaphrase convert --precision int8` in the last 28 % of the time. OUT gets parts for `weights.py`. At the end means of the stage and of the model
before are compared on the lines of DATA/test.
"""

import os, sys, time, traceback

T0 = time.time()
import numpy as np
import text, weights

data, cache, start, out = sys.argv[1:5]
os.makedirs(out, exist_ok=True)  # now, not after the training
plan = dict(x.split("=") for x in sys.argv[5:] if not x.startswith("--"))
own = dict(x[2:].split("=") for x in sys.argv[5:] if x.startswith("--"))
# How often a pass has a kind of text, next to the weights of its lines.
WEIGHT = {k: float(own.pop(k, v)) for k, v in dict(clean=1, noise=1, terms=1, every=2, new=6, written=6, back=1).items()}
MONO, SHARES = int(own.pop("mono", 1 << 30)), [float(x) for x in own.pop("shares", "1,0.67,0.5").split(",")]
DEVICE = own.pop("device", None)
TESTED = int(own.pop("tested", 2000))
text.start(f"{data}/source.spm")
pool = text.pool()  # before torch, since it forks
import torch, greedy, network

torch.backends.cuda.enable_cudnn_sdp(False)
dev = DEVICE or ("cuda" if torch.cuda.is_available() else "cpu")
fast = dev == "cuda" or torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()
kind = torch.bfloat16 if fast else torch.float32
a, _ = network.options(
    ["--muon", "1", "--lr", "5e-3", "--warmup", "60", "--flat", "0.2", "--ratio", "0.2", "--every", "100", "--deve", "5", "--words", "51000"]
    + [x for k, v in own.items() for x in ("--" + k, v)]
)


def log(line):
    print(f"[{time.time() - T0:.0f}] {line}", flush=True)


def fused():
    """Compiles the loss, if the compiler works here and its result is right."""
    try:
        network.fuse()
        l = torch.randn(3000, 8000, device=dev, dtype=kind, requires_grad=True)
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


class Net(network.Net):
    """Rounds its matrices to the integers of 8 bits of each output once `rounded` is set."""

    rounded = False

    def set(self, weights):
        for n, w in weights.items():
            o, k = self.at[n]
            self.master[o : o + k].copy_(torch.from_numpy(np.ascontiguousarray(w, np.float32)).flatten())
        self.sync()

    def get(self):
        return {n: self.master[o : o + k].view(self.shape[n]).float().cpu().numpy().copy() for n, (o, k) in self.at.items()}

    def sync(self):
        with torch.no_grad():
            self.flat.copy_(self.master)
            for n, s in self.shape.items() if self.rounded else ():
                if len(s) == 2:
                    o, k = self.at[n]
                    w = self.master[o : o + k].view(s)
                    sc = w.abs().amax(1, keepdim=True) / 127 + 1e-12
                    self.flat[o : o + k].view(s).copy_(torch.round(w / sc) * sc)


def load(name):
    with np.load(f"{cache}/{name}.npz") as z:
        return [z[k] for k in z.files]


def tried(function, *arguments):
    """What the function returns; nothing where it fails, so that the rest goes on."""
    try:
        return function(*arguments)
    except Exception:
        log("FAILED " + traceback.format_exc()[-1500:])
        return None


def translated_back(d):
    """Pairs of this direction whose sources the model of the other direction makes."""
    s, t = d.split("-")
    words, lengths = load(f"mono.{t}")
    n = min(MONO, len(lengths))
    words, lengths = words[: int(lengths[:n].sum())], lengths[:n]
    net = Net(a, 8000, dev, kind)
    net.set(before[f"{t}-{s}"])
    made = greedy.translate(net, words, lengths)
    log(f"{d} translated back {n} lines, {sum(x is not None for x in made)} with an end")
    got = text.many(pool, text.back, list(zip(made, text.split(words, lengths))))
    log(f"{d} kept {len(got[1])}")
    return got


def train_text(d):
    turned = lambda p: [*p[2:4], *p[:2], p[4]] if d == "de-en" else p
    parts = {"clean": turned(load("clean"))} | ({"back": backs[d]} if backs[d] else {}) | {k: load(f"{k}.{d}") for k in ("noise", "every", "new", "written", "terms")}
    for k, p in parts.items():
        p[4] = p[4] * WEIGHT[k]
        log(f"{d} {k}: {len(p[1])} pairs, {len(p[2])} target words, {int((p[3] * p[4]).sum())} a pass")
    return network.Text(list(parts.values()), dev), {n: network.Text([turned(load(n))], dev) for n in ("news", "dev")}


def bleu(net, d):
    """BLEU of greedy translations of the test lines."""
    try:
        import sacrebleu
    except ImportError:
        return float("nan")
    s, t = d.split("-")
    p = load("test")
    words, lengths = p[:2] if s == "en" else p[2:4]
    n = min(TESTED, len(lengths))
    made = greedy.translate(net, words[: int(lengths[:n].sum())], lengths[:n])
    hyp = text.SP.decode([[] if x is None else x.tolist() for x in made])
    ref = text.SP.decode([x.tolist() for x in text.split(*(p[2:4] if t == "de" else p[:2]))[:n]])
    return sacrebleu.corpus_bleu(hyp, [ref]).score


def compare(net, d, stage, devs):
    """Losses and BLEU of means of the stage and of the model before, in integers of 8 bits."""
    net.rounded = True
    for share in [0.0, *SHARES]:
        net.set({n: share * w + (1 - share) * before[d][n] for n, w in stage.items()})
        losses = " ".join(f"{n} {network.dev_loss(net, t):.4f}" for n, t in devs.items())
        log(f"{d} share of the stage {share}: {losses} BLEU {bleu(net, d):.2f}")


def train(d, seconds, number):
    tr, dv = train_text(d)
    torch.manual_seed(5 + number)
    net = Net(a, 8000, dev, kind, seed=3 + number)
    net.set(before[d])
    log(f"== {d} {net.n} parameters, {seconds:.0f} s; at the start " + " ".join(f"{n} {network.dev_loss(net, t):.4f}" for n, t in dv.items()))
    begun, sync = time.time(), net.sync

    def timed():
        net.rounded = time.time() - begun > 0.72 * seconds
        sync()

    net.sync = timed
    ok = network.train(net, tr, dv, a, seconds=seconds, log=log, seed=7 + number)
    net.sync = sync
    stage = net.get()
    weights.carry(stage, f"{out}/{d}")
    log(f"{d} {'ok' if ok else 'DIVERGED'}, saved")
    tried(compare, net, d, stage, dv)


before = {d: weights.loaded(weights.shapes(a.dim, a.ffn, a.enc, a.dec, 8000), f"{start}/{d}") for d in text.DIRECTIONS}
fused()
log("ready")
backs = {d: tried(translated_back, d) for d in plan}
for i, (d, seconds) in enumerate(plan.items()):
    tried(train, d, float(seconds), i)
log("end")
