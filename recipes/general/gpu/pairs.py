"""Back-translated pairs: SOURCE-BY-MODEL TARGET -> tab-separated, without loops and unlikely lengths."""

import sys, collections

n = k = 0
for a, b in zip(open(sys.argv[1], encoding="utf-8", newline="\n"), open(sys.argv[2], encoding="utf-8", newline="\n")):
    a, b = a.rstrip("\n"), b.rstrip("\n")
    n += 1
    if not a or "\ufffd" in a + b or "\t" in a + b or a == b:
        continue
    la, lb = len(a) + 10, len(b) + 10
    if la > 1.6 * lb or lb > 1.6 * la:
        continue
    w = a.split()
    g = collections.Counter(zip(w, w[1:], w[2:]))
    if g and max(g.values()) > 2:
        continue
    print(f"{a}\t{b}")
    k += 1
print(n, k, file=sys.stderr)
