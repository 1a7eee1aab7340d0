"""Translates stdin with transformers' MarianMT in f32 on one thread: translate_transformers.py MODEL_DIR BEAM BATCH < text"""

import pathlib
import sys

import sentencepiece
import torch
import transformers

folder, beam, batch = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(1)
tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
model = transformers.MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
lines = [line.rstrip("\n") for line in sys.stdin]
order = sorted(range(len(lines)), key=lambda i: len(lines[i]))
texts = [""] * len(lines)
for start in range(0, len(order), batch):
    places = order[start : start + batch]
    inputs = tokenizer([lines[i] for i in places], return_tensors="pt", padding=True)
    with torch.no_grad():
        out = model.generate(**inputs, num_beams=beam, max_new_tokens=3 * inputs["input_ids"].shape[1], early_stopping=True, length_penalty=1.0)
    for place, text in zip(places, tokenizer.batch_decode(out, skip_special_tokens=True), strict=True):
        texts[place] = text
print("\n".join(texts))
