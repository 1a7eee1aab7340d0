"""Greedy translation by the network, in large batches: back-translated text and a first BLEU are made where the training runs."""

import numpy as np
import torch, torch.nn.functional as F


def attend(net, q, k, v, mask=None):
    o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return o.transpose(1, 2).reshape(o.shape[0], o.shape[2], -1)


def encode(net, src, mask):
    """As the network's own, for sources of several lengths."""
    p = net.p
    x = F.embedding(src, p["Wemb"]) * net.scale + net.pos[: src.shape[1]]
    for i in range(1, net.a.enc + 1):
        q, k, v = (net.heads(h) for h in F.linear(net.norm(x), p[f"encoder_l{i}_self_Wqkv"]).chunk(3, -1))
        x = x + F.linear(attend(net, q, k, v, mask), p[f"encoder_l{i}_self_Wo"])
        x = net.ffn(x, f"encoder_l{i}_ffn")
    return net.norm(x)


class Decoder:
    """A batch's state, which keeps only the rows that are not done."""

    def __init__(self, net, src, lengths, steps):
        self.net, self.t, n = net, 0, src.shape[0]
        self.mask = (torch.arange(src.shape[1], device=src.device)[None] < lengths[:, None])[:, None, None]
        m = encode(net, src, self.mask)
        layers = range(1, net.a.dec + 1)
        kv = [F.linear(m, net.p[f"decoder_l{i}_context_Wkv"]).chunk(2, -1) for i in layers]
        self.context = [[net.heads(k).contiguous(), net.heads(v).contiguous()] for k, v in kv]
        shape = (n, net.a.dim // net.a.head, steps, net.a.head)
        self.past = [[torch.zeros(shape, device=src.device, dtype=m.dtype) for _ in "kv"] for _ in layers]
        self.last = torch.zeros(n, dtype=torch.long, device=src.device)

    def step(self):
        """The next word of each row."""
        net, p, t = self.net, self.net.p, self.t
        y = F.embedding(self.last, p["Wemb"])[:, None] * net.scale * (t > 0) + net.pos[t]
        for i, ((ck, cv), (pk, pv)) in enumerate(zip(self.context, self.past), 1):
            n = f"decoder_l{i}_self"
            q, k, v = (net.heads(h) for h in F.linear(net.norm(y), p[n + "_Wqkv"]).chunk(3, -1))
            pk[:, :, t : t + 1], pv[:, :, t : t + 1] = k, v
            y = y + F.linear(attend(net, q, pk[:, :, : t + 1], pv[:, :, : t + 1]), p[n + "_Wo"])
            n = f"decoder_l{i}_context"
            q = net.heads(F.linear(net.norm(y), p[n + "_Wq"]))
            y = y + F.linear(attend(net, q, ck, cv, self.mask), p[n + "_Wo"])
            y = net.ffn(y, f"decoder_l{i}_ffn")
        y = F.layer_norm(y, (net.a.dim,), p["decoder_top_ln_scale"], p["decoder_top_ln_bias"], 1e-6)
        logits = F.linear(y[:, 0], p["Wemb"], p["decoder_ff_logit_out_b"])
        logits[:, 1] = -1e9
        self.last = logits.argmax(1)
        self.t += 1
        return self.last

    def keep(self, rows):
        self.mask, self.last = self.mask[rows], self.last[rows]
        for pair in self.context:
            pair[:] = [x[rows] for x in pair]
        for pair in self.past:
            pair[:] = [x[rows] for x in pair]


def batch(net, src, lengths, steps):
    """Words of each row with the end at last; a row that has no end after `steps` has none."""
    d = Decoder(net, src, lengths, steps)
    n = src.shape[0]
    out = torch.zeros(n, steps, dtype=torch.int16, device=src.device)
    ends = torch.zeros(n, dtype=torch.long, device=src.device)
    rows, done = torch.arange(n, device=src.device), torch.zeros(n, dtype=torch.bool, device=src.device)
    for t in range(steps):
        w = d.step()
        out[rows, t] = torch.where(done, 0, w).to(torch.int16)
        ended = (w == 0) & ~done
        ends[rows] = torch.where(ended, t + 1, ends[rows])
        done |= ended
        if t % 8 == 7:
            left = int((~done).sum())
            if left == 0:
                break
            if left < 0.7 * len(rows):
                stay = torch.nonzero(~done)[:, 0]
                d.keep(stay)
                rows, done = rows[stay], done[stay]
    return out, ends


@torch.no_grad()
def translate(net, words, lengths, tokens=120000):
    """Sources as flat words with their lengths (the end counted) -> a list of arrays of words without the end; None where no end came."""
    net.train = False
    at = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))])
    order = np.argsort(lengths, kind="stable")
    result, i = [None] * len(lengths), 0
    flat = torch.from_numpy(words.astype(np.int32)).to(net.device)
    starts = torch.from_numpy(at).to(net.device)
    while i < len(order):
        j = i + 1
        while j < len(order) and (j + 1 - i) * int(lengths[order[j]]) <= tokens and j - i < 8000:
            j += 1
        r, k = order[i:j], torch.from_numpy(order[i:j]).to(net.device)
        longest = int(lengths[r].max())
        span = torch.from_numpy(lengths[r].astype(np.int64)).to(net.device)
        columns = torch.arange(longest, device=net.device)[None]
        src = flat[(starts[k][:, None] + columns).clamp_(max=len(flat) - 1)].long()
        src = torch.where(columns < span[:, None], src, 0)
        out, ends = (x.cpu().numpy() for x in batch(net, src, span, int(1.5 * longest) + 12))
        for row, x, e in zip(r, out, ends):
            if e:
                result[row] = x[: e - 1].astype(np.uint16)
        i = j
    return result
