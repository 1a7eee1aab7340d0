"""Makes two tiny MarianMT models with random weights in Hugging Face's format, and what `transformers` says of them.

    python testdata/models/make_hugging_face.py

Made with transformers 5.23.0 and torch 2.15.0.

`golden.json` holds, for a few pairs of sentences, the natural logarithm of the probability of each target
word given the ones before it. As in translating, `<pad>` has no probability: its logit is taken out before
the softmax.
"""

import json
import pathlib

import torch
from transformers import MarianConfig, MarianMTModel

HERE = pathlib.Path(__file__).parent


def make(name, pairs, **settings):
    torch.manual_seed(1)
    config = MarianConfig(d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                          decoder_attention_heads=4, max_position_embeddings=64, max_length=64, num_beams=4,
                          eos_token_id=0, forced_eos_token_id=0, init_std=0.3, dropout=0.0,
                          scale_embedding=True, **settings)
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        for key, value in model.named_parameters():
            if "layer_norm" in key or key.endswith("bias"):
                value.add_(0.2 * torch.randn_like(value))
        model.final_logits_bias.add_(0.5 * torch.randn_like(model.final_logits_bias))
        for table in {id(t): t for t in (model.model.encoder.embed_tokens, model.model.decoder.embed_tokens)}.values():
            table.weight[-1] = 0
    model.save_pretrained(HERE / name)
    golden = [{"source": s, "target": t, "log_probs": log_probs(model, s, t)} for s, t in pairs]
    (HERE / name / "golden.json").write_text("[" + ",\n ".join(map(json.dumps, golden)) + "]\n")
    (HERE / name / "model.safetensors").chmod(0o644)
    for file, size in (("vocab.json", config.vocab_size), ("target_vocab.json", config.decoder_vocab_size)):
        words = ["</s>", "<unk>"] + [f"w{i}" for i in range(2, size - 1)] + ["<pad>"]
        if file == "vocab.json" or not config.share_encoder_decoder_embeddings:
            (HERE / name / file).write_text(json.dumps({word: i for i, word in enumerate(words)}) + "\n")


def log_probs(model, source, target):
    start = model.config.decoder_start_token_id
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([source]),
                       decoder_input_ids=torch.tensor([[start] + target[:-1]])).logits[0]
        logits[:, model.config.pad_token_id] = -torch.inf
        scores = torch.log_softmax(logits.double(), -1)
    return [scores[i, word].item() for i, word in enumerate(target)]


PAIRS = [([5, 9, 12, 0], [7, 3, 11, 14, 0]), ([2, 0], [0]), ([8, 8, 17, 21, 4, 1, 13, 0], [6, 28, 2, 2, 9, 25, 0])]

make("hugging-face-tied", PAIRS, vocab_size=40, pad_token_id=39, decoder_start_token_id=39,
     encoder_ffn_dim=24, decoder_ffn_dim=20, activation_function="swish")
make("hugging-face-untied", PAIRS, vocab_size=40, decoder_vocab_size=30, pad_token_id=29, decoder_start_token_id=29,
     share_encoder_decoder_embeddings=False, tie_word_embeddings=False, encoder_ffn_dim=24, decoder_ffn_dim=24,
     activation_function="gelu")
