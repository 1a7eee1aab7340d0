#!/usr/bin/env python3
"""Translation of the same weights by transformers (PyTorch) on the same GPU, for `benches/gpu/run`: a line of JSON for each
measurement.

    transformers_peer.py MODEL TEXT SECONDS [BEAMS [BATCHES [PRECISIONS]]]

MODEL is a directory that `metaphrase convert --precision f32` wrote, of a Transformer that normalises before each block, such
as the bundled ones; transformers runs it as an M2M-100 network. Lines are sorted by length within 16 batches, as Metaphrase
sorts them. BEAMS: 1,4; BATCHES: 1,64,1024 sentences; PRECISIONS: float32,bfloat16. In float32, products are computed in TF32.
`--print BEAM` in place of SECONDS prints translations instead, to compare them."""
import json
import math
import os
import sys
import time
import tomllib

import sentencepiece
import torch
from safetensors.torch import load_file
from transformers import M2M100Config, M2M100ForConditionalGeneration

PADDING = 1  # `<unk>`, which no text with byte pieces has
FIRST = 2  # M2M-100 counts positions from here


def position_vectors(count, size):
    half = size // 2
    rates = torch.exp(-torch.arange(half).double() * math.log(10000.0) / (half - 1))
    angles = torch.arange(count).double()[:, None] * rates[None]
    return torch.cat([torch.sin(angles), torch.cos(angles)], 1).float()


def network(folder):
    with open(os.path.join(folder, "config.toml"), "rb") as file:
        model = tomllib.load(file)["model"]
    settings, words = model["architecture"]["transformer"], model["target-words"]
    tensors = load_file(os.path.join(folder, "model.safetensors"))
    size, start = settings["dim-emb"], words
    config = M2M100Config(
        vocab_size=words + 1, d_model=size, encoder_layers=settings["encoder-depth"], decoder_layers=settings["decoder-depth"],
        encoder_attention_heads=settings["heads"], decoder_attention_heads=settings["heads"],
        encoder_ffn_dim=settings["encoder-ffn"]["dim"], decoder_ffn_dim=settings["decoder-ffn"]["dim"],
        activation_function="relu", scale_embedding=True, pad_token_id=PADDING, eos_token_id=model["end-of-sentence"],
        bos_token_id=start, decoder_start_token_id=start, max_position_embeddings=1024, tie_word_embeddings=True)
    peer = M2M100ForConditionalGeneration(config).eval()
    table = torch.cat([tensors["Wemb"], torch.zeros(1, size)])  # the first word of a translation has no vector
    bias = torch.cat([tensors["decoder_ff_logit_out_b"][0], torch.tensor([-1e9])])
    bias[PADDING] = -1e9
    with torch.no_grad():
        peer.model.shared.weight.copy_(table)
        head = torch.nn.Linear(size, words + 1, bias=True)
        head.weight, head.bias = peer.model.shared.weight, torch.nn.Parameter(bias)
        peer.lm_head = head
        for side in ("encoder", "decoder"):
            part = getattr(peer.model, side)
            part.embed_tokens.weight = peer.model.shared.weight
            vectors = torch.cat([torch.zeros(FIRST, size), position_vectors(1024, size)])
            part.embed_positions.weights = vectors
            put_norm(part.layer_norm, tensors, f"{side}_top_ln_scale", f"{side}_top_ln_bias")
            for number, layer in enumerate(part.layers, 1):
                put_layer(layer, tensors, f"{side}_l{number}")
    for module in peer.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = settings["layer-norm-epsilon"]
    return peer


def put_norm(norm, tensors, scale, bias):
    norm.weight.copy_(tensors[scale][0])
    norm.bias.copy_(tensors[bias][0])


def put_map(linear, tensors, weights, bias):
    linear.weight.copy_(tensors[weights].T)
    linear.bias.copy_(tensors[bias][0])


def put_layer(layer, tensors, name):
    blocks = [("self", layer.self_attn, layer.self_attn_layer_norm)]
    if hasattr(layer, "encoder_attn"):
        blocks.append(("context", layer.encoder_attn, layer.encoder_attn_layer_norm))
    for block, attention, norm in blocks:
        for letter, linear in zip("qkvo", (attention.q_proj, attention.k_proj, attention.v_proj, attention.out_proj)):
            put_map(linear, tensors, f"{name}_{block}_W{letter}", f"{name}_{block}_b{letter}")
        put_norm(norm, tensors, f"{name}_{block}_Wo_ln_scale_pre", f"{name}_{block}_Wo_ln_bias_pre")
    put_map(layer.fc1, tensors, f"{name}_ffn_W1", f"{name}_ffn_b1")
    put_map(layer.fc2, tensors, f"{name}_ffn_W2", f"{name}_ffn_b2")
    put_norm(layer.final_layer_norm, tensors, f"{name}_ffn_ffn_ln_scale_pre", f"{name}_ffn_ffn_ln_bias_pre")


@torch.inference_mode()
def translate(peer, pieces, lines, beam, batch):
    """Translations of lines, in their order."""
    results = [""] * len(lines)
    for window in range(0, len(lines), 16 * batch):
        ids = [(index, pieces.encode(lines[index]) + [0]) for index in range(window, min(window + 16 * batch, len(lines)))]
        ids.sort(key=lambda pair: len(pair[1]))
        for first in range(0, len(ids), batch):
            part = ids[first:first + batch]
            longest = len(part[-1][1])
            source = torch.full((len(part), longest), PADDING)
            for row, (_, words) in enumerate(part):
                source[row, :len(words)] = torch.tensor(words)
            source = source.to(peer.device)
            output = peer.generate(input_ids=source, attention_mask=(source != PADDING).long(), num_beams=beam, do_sample=False,
                                   length_penalty=1.0, max_new_tokens=3 * longest)
            for (index, _), words in zip(part, output.tolist()):
                results[index] = pieces.decode([word for word in words if 0 < word < peer.config.vocab_size - 1 and word != PADDING])
    return results


def main():
    folder, text, seconds, *rest = sys.argv[1:]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "source.spm"))
    with open(text, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line.strip()]
    peer = network(folder).to(device)
    if seconds == "--print":
        print("\n".join(translate(peer, pieces, lines, int(rest[0]), 16)))
        return
    beams, batches, precisions = [part.split(",") for part in (rest + ["1,4", "1,64,1024", "float32,bfloat16"][len(rest):])]
    for precision in precisions:
        peer = peer.to(getattr(torch, precision))
        for beam in map(int, beams):
            for batch in map(int, batches):
                translate(peer, pieces, lines[:min(batch, 64)], beam, batch)
                count, first = max(2 * batch, 8), 0
                while True:
                    some = [lines[(first + i) % len(lines)] for i in range(count)]
                    begun = time.time()
                    translate(peer, pieces, some, beam, batch)
                    spent = time.time() - begun
                    if spent >= float(seconds) / 2:
                        break
                    first, count = first + count, 2 * count
                words = sum(len(line.split()) for line in some)
                print(json.dumps({"peer": "transformers", "precision": precision, "beam-size": beam, "batch": batch, "lines": count,
                                  "words-per-second": words / spent, "ms-per-line": 1000 * spent / count}), flush=True)


if __name__ == "__main__":
    main()
