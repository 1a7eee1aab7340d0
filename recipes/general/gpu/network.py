"""Trains pre-norm Transformers for translation, on a GPU (bf16) or a CPU; exports Marian's tensor names."""

import argparse, math, time, threading, queue
import numpy as np
import torch, torch.nn.functional as F

from weights import shapes


def positions(n, d):
    k = d // 2
    t = torch.arange(n)[:, None].double() * torch.exp(-torch.arange(k).double() * math.log(10000.0) / (k - 1))[None]
    return torch.cat([torch.sin(t), torch.cos(t)], 1)


class Net:
    def __init__(self, a, V, device, dtype, bias=None, seed=1):
        self.a, self.V, self.device, self.dtype = a, V, device, dtype
        self.shape = shapes(a.dim, a.ffn, a.enc, a.dec, V)
        n = sum(math.prod(s) for s in self.shape.values())
        self.n = n
        g = torch.Generator(device="cpu").manual_seed(seed)
        self.master = torch.zeros(n, device=device)
        self.flat = torch.zeros(n, device=device, dtype=dtype)
        self.grad = torch.zeros(n, device=device, dtype=dtype)
        self.p, self.at, o = {}, {}, 0
        for name, s in self.shape.items():
            k = math.prod(s)
            w = self.master[o : o + k].view(s)
            if name.endswith("_scale") or name.endswith("_scale_pre"):
                w.fill_(1)
            elif len(s) == 2:
                if name == "Wemb":
                    w.copy_(torch.randn(s, generator=g) * a.dim**-0.5)
                else:
                    fan = s[1]
                    sd = (1.0 / fan) ** 0.5 * 0.8
                    if name.endswith("_Wo") or name.endswith("_W2"):
                        sd *= (2 * (a.enc if name.startswith("enc") else 1.5 * a.dec)) ** -0.5 * 1.4
                    w.copy_(torch.randn(s, generator=g) * sd)
            elif name == "decoder_ff_logit_out_b" and bias is not None:
                w.copy_(bias)
            self.at[name] = (o, k)
            p = self.flat[o : o + k].view(s).requires_grad_(True)
            p.grad = self.grad[o : o + k].view(s)
            self.p[name] = p
            o += k
        self.sync()
        self.pos = positions(1024, a.dim).to(device).to(dtype)
        self.scale = a.dim**0.5

    def sync(self):
        with torch.no_grad():
            self.flat.copy_(self.master)

    def drop(self, x):
        if not self.train or self.a.dropout == 0:
            return x
        if x.is_cuda:
            return F.dropout(x, self.a.dropout, True)
        # Random numbers cost a CPU a fifth of the time: masks are windows of one long row of them.
        if not hasattr(self, "masks"):
            self.masks = (torch.rand(1 << 25) >= self.a.dropout).to(x.dtype) / (1 - self.a.dropout)
        at = int(torch.randint(len(self.masks) - x.numel(), ()))
        return x * self.masks[at : at + x.numel()].view(x.shape)

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], -1, self.a.head).transpose(1, 2)

    def attend(self, q, k, v, causal):
        q_, k_, v_ = self.heads(q), self.heads(k), self.heads(v)
        if q.is_cuda:
            o = F.scaled_dot_product_attention(q_, k_, v_, is_causal=causal)
        else:  # where that is slow for short sentences
            s = q_ @ k_.mT * self.a.head**-0.5
            if causal:
                s = s + torch.full(s.shape[-2:], float("-inf"), dtype=s.dtype).triu(1)
            o = torch.softmax(s, -1) @ v_
        return o.transpose(1, 2).reshape(q.shape)

    def norm(self, x):
        return F.layer_norm(x, (self.a.dim,), None, None, 1e-6)

    def ffn(self, x, n):
        p = self.p
        h = self.norm(x)
        return x + self.drop(F.linear(F.relu(F.linear(h, p[n + "_W1"], p[n + "_b1"])), p[n + "_W2"], p[n + "_b2"]))

    def own(self, x, n, causal):
        p = self.p
        h = self.norm(x)
        q, k, v = F.linear(h, p[n + "_Wqkv"]).chunk(3, -1)
        return x + self.drop(F.linear(self.attend(q, k, v, causal), p[n + "_Wo"]))

    def encode(self, src):
        x = self.drop(F.embedding(src, self.p["Wemb"]) * self.scale + self.pos[: src.shape[1]])
        for i in range(1, self.a.enc + 1):
            x = self.own(x, f"encoder_l{i}_self", False)
            x = self.ffn(x, f"encoder_l{i}_ffn")
        return self.norm(x)

    def decode(self, src, tgt):
        """tgt: words so far, the end of sentence at last; the first input is no word."""
        p, m = self.p, self.encode(src)
        y = F.embedding(tgt[:, :-1], p["Wemb"]) * self.scale
        y = torch.cat([torch.zeros_like(m[:, :1]), y], 1) + self.pos[: tgt.shape[1]]
        y = self.drop(y)
        for i in range(1, self.a.dec + 1):
            y = self.own(y, f"decoder_l{i}_self", True)
            n = f"decoder_l{i}_context"
            h = self.norm(y)
            q = F.linear(h, p[n + "_Wq"])
            k, v = F.linear(m, p[n + "_Wkv"]).chunk(2, -1)
            y = y + self.drop(F.linear(self.attend(q, k, v, False), p[n + "_Wo"]))
            y = self.ffn(y, f"decoder_l{i}_ffn")
        return F.layer_norm(y, (self.a.dim,), p["decoder_top_ln_scale"], p["decoder_top_ln_bias"], 1e-6)

    def loss(self, src, tgt, mask, smoothing):
        h = self.decode(src, tgt)[mask]
        return xent(F.linear(h, self.p["Wemb"], self.p["decoder_ff_logit_out_b"]), tgt[mask], smoothing)


def xent_forward(logits, target, smoothing):
    x = logits.float()
    z = torch.logsumexp(x, 1)
    nll = z - x.gather(1, target[:, None])[:, 0]
    return z, nll.sum(), ((1 - smoothing) * nll + smoothing * (z - x.mean(1))).sum()


def xent_backward(logits, target, z, g, smoothing):
    p = torch.exp(logits.float() - z[:, None]) - smoothing / logits.shape[1]
    at = torch.arange(logits.shape[1], device=logits.device)[None] == target[:, None]
    return ((p - torch.where(at, 1 - smoothing, 0.0)) * g).to(logits.dtype)


FUSED = [xent_forward, xent_backward]


def fuse():
    FUSED[0] = torch.compile(xent_forward, dynamic=True)
    FUSED[1] = torch.compile(xent_backward, dynamic=True)


class Xent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, smoothing):
        z, nll, loss = FUSED[0](logits, target, smoothing)
        ctx.save_for_backward(logits, target, z)
        ctx.smoothing = smoothing
        return nll, loss

    @staticmethod
    def backward(ctx, g0, g):
        logits, target, z = ctx.saved_tensors
        return FUSED[1](logits, target, z, g, ctx.smoothing), None, None


def xent(l, t, s):
    return Xent.apply(l, t, s)


class Adam:
    def __init__(self, net, betas=(0.9, 0.98), eps=1e-9):
        self.net, self.b, self.eps, self.t = net, betas, eps, 0
        self.m, self.v = torch.zeros_like(net.master), torch.zeros_like(net.master)

    def step(self, lr, norm):
        net, (b1, b2) = self.net, self.b
        self.t += 1
        g = net.grad.float() / norm
        gn = g.norm()
        g *= torch.clamp(1.0 / (gn + 1e-6), max=1.0)
        self.m.mul_(b1).add_(g, alpha=1 - b1)
        self.v.mul_(b2).addcmul_(g, g, value=1 - b2)
        net.master.addcdiv_(self.m, (self.v / (1 - b2**self.t)).sqrt_().add_(self.eps), value=-lr / (1 - b1**self.t))
        net.sync()
        net.grad.zero_()
        return gn


def orthogonal(G, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G.bfloat16()
    t = X.shape[-2] > X.shape[-1]
    if t:
        X = X.mT
    X = X / (X.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        A = X @ X.mT
        X = a * X + (b * A + c * A @ A) @ X
    return X.mT if t else X


class Muon:
    """Matrices of layers by Muon, the rest by Adam."""

    def __init__(self, net, ratio=0.1, decay=0.0):
        self.decay = decay
        self.net, self.adam, self.ratio = net, Adam(net, (0.9, 0.98)), ratio
        d = net.a.dim
        groups = {}
        for n, s in net.shape.items():
            if len(s) == 2 and n != "Wemb":
                o, k = net.at[n]
                for i in range(s[0] // d if s[1] == d and s[0] % d == 0 and not n.endswith("_W1") else 1):
                    rows = d if s[1] == d and not n.endswith("_W1") else s[0]
                    groups.setdefault((rows, s[1]), []).append(o + i * rows * s[1])
        self.groups = groups
        self.mom = {k: torch.zeros(len(v), *k, device=net.device) for k, v in groups.items()}
        self.index = {k: [net.master[o : o + k[0] * k[1]].view(k) for o in v] for k, v in groups.items()}
        self.gv = {k: [net.grad[o : o + k[0] * k[1]].view(k) for o in v] for k, v in groups.items()}

    def step(self, lr, norm):
        net = self.net
        upd = {}
        for k, views in self.gv.items():
            g = torch.stack(views).float() / norm
            m = self.mom[k]
            m.mul_(0.95).add_(g, alpha=0.05)
            upd[k] = orthogonal(g.mul(0.05).add_(m, alpha=0.95)).float()
        keep = {k: torch.stack(v) for k, v in self.index.items()}
        gn = self.adam.step(lr * self.ratio, norm)
        for k, v in self.index.items():
            new = keep[k] * (1 - lr * self.decay) - (lr * max(1.0, k[0] / k[1]) ** 0.5) * upd[k]
            for i, w in enumerate(v):
                w.copy_(new[i])
        net.sync()
        return gn


class Text:
    """Pairs of one direction on the device: flat words, offsets, lengths."""

    def __init__(self, pairs, device):
        # pairs: list of (src flat, src len, tgt flat, tgt len, weight)
        self.sl = np.concatenate([p[1] for p in pairs])
        self.tl = np.concatenate([p[3] for p in pairs])
        self.w = np.concatenate([p[4] for p in pairs])
        self.so = torch.from_numpy(np.concatenate([[0], np.cumsum(self.sl.astype(np.int64))[:-1]])).to(device)
        self.to = torch.from_numpy(np.concatenate([[0], np.cumsum(self.tl.astype(np.int64))[:-1]])).to(device)
        self.s = torch.from_numpy(np.concatenate([p[0] for p in pairs]).astype(np.int16)).to(device)
        self.t = torch.from_numpy(np.concatenate([p[2] for p in pairs]).astype(np.int16)).to(device)
        self.tld = torch.from_numpy(self.tl.astype(np.int64)).to(device)
        self.device = device

    def epoch(self, rng, tokens):
        w = self.w
        n = np.floor(w + rng.random(len(w))).astype(np.int64)
        i = np.repeat(np.arange(len(w)), n)
        key = self.sl[i].astype(np.float64) * 1000 + self.tl[i] + rng.random(len(i)) * 3
        i = i[np.argsort(key, kind="stable")]
        sl, tl = self.sl[i].astype(np.int64), self.tl[i].astype(np.int64)
        out, a, N = [], 0, len(i)
        starts = np.concatenate([[0], np.flatnonzero(np.diff(sl)) + 1, [N]])
        for b, e in zip(starts[:-1], starts[1:]):
            L = sl[b]
            a = b
            while a < e:
                z = a + max(1, int(tokens / (L + tl[min(a + int(tokens / (2 * L)), e - 1)])))
                z = min(z, e)
                out.append(i[a:z])
                a = z
        # merge tiny ones? they are few
        order = rng.permutation(len(out))
        return [out[k] for k in order]

    def batch(self, rows):
        L, T = int(self.sl[rows[0]]), int(self.tl[rows].max())
        r = torch.from_numpy(rows).to(self.device, non_blocking=True)
        s = self.s[(self.so[r][:, None] + torch.arange(L, device=self.device))].long()
        k = torch.arange(T, device=self.device)
        mask = k[None] < self.tld[r][:, None]
        t = self.t[(self.to[r][:, None] + k).clamp_(max=len(self.t) - 1)].long()
        return s, torch.where(mask, t, 0), mask


def dev_loss(net, text, tokens=20000):
    net.train = False
    tot = cnt = 0.0
    with torch.no_grad():
        for rows in text.epoch(np.random.default_rng(1), tokens):
            s, t, m = text.batch(rows)
            nll, _ = net.loss(s, t, m, 0.1)
            tot += nll.item()
            cnt += m.sum().item()
    return tot / cnt


def train(net, text, devs, a, seconds=None, updates=None, log=print, seed=1):
    opt = Muon(net, a.ratio, a.decay) if a.muon else Adam(net)
    rng = np.random.default_rng(seed)
    net.train = True
    todo, t0, u, words, epoch, seen, loss_sum, gn = [], time.time(), 0, 0, 0, 0, 0.0, None
    q = queue.Queue(2)

    def feed():
        while True:
            q.put(text.epoch(rng, a.tokens))

    threading.Thread(target=feed, daemon=True).start()
    last = 0
    lossacc = torch.zeros((), device=net.device)
    wacc = 0
    tacc = time.time()
    while True:
        done = u / updates if updates else (time.time() - t0) / seconds
        if done >= 1:
            break
        lr = a.lr * min(1.0, (u + 1) / a.warmup) * (1.0 if done < a.flat else (1 - done) / (1 - a.flat))
        norm = 0
        while norm < a.words:
            if not todo:
                todo = q.get()
                epoch += 1
            rows = todo.pop()
            s, t, m = text.batch(rows)
            k = int(text.tl[rows].sum())
            norm += k
            nll, loss = net.loss(s, t, m, a.smoothing)
            (loss).backward()
            lossacc += nll.detach()
        gn = opt.step(lr, norm)
        u += 1
        words += norm
        wacc += norm
        if u % a.every == 0:
            l = lossacc.item() / wacc
            now = time.time()
            log(f"u {u} ep {epoch} loss {l:.4f} gn {gn.item():.2f} lr {lr:.2e} {wacc / (now - tacc):.0f} tgt tok/s {now - t0:.0f}s")
            if not math.isfinite(l):
                return False
            lossacc.zero_()
            wacc = 0
            tacc = now
        if devs is not None and (u in (a.every,) or u % (a.every * a.deve) == 0):
            log("   dev " + " ".join(f"{n} {dev_loss(net, d):.4f}" for n, d in devs.items()))
            net.train = True
            tacc = time.time()
            wacc = 0
            lossacc.zero_()
    log(
        f"end: {u} updates, {words} target words, {epoch} epochs, {time.time() - t0:.0f}s; dev "
        + (" ".join(f"{n} {dev_loss(net, d):.4f}" for n, d in devs.items()) if devs else "")
    )
    return True


def options(argv=None):
    p = argparse.ArgumentParser()
    for n, v in dict(dim=384, ffn=1536, enc=10, dec=2, head=64, tokens=50000, words=32000, warmup=500, every=50, deve=10).items():
        p.add_argument("--" + n, type=int, default=v)
    for n, v in dict(dropout=0.1, lr=2e-3, smoothing=0.1, flat=0.3, ratio=0.1, decay=0.0).items():
        p.add_argument("--" + n, type=float, default=v)
    p.add_argument("--muon", type=int, default=0)
    return p.parse_known_args(argv)
