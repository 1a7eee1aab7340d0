#!/usr/bin/env bash
# The text of a stage, from cleaned text, translations back, and terms: mix.sh en-de|de-en, in the folder that has corpus, reverse, mono.*, back.*, links.
set -euo pipefail
D=$1; s=${D%-*}; t=${D#*-}; O=mix-$D; V=start-$D/source.spm; mkdir -p "$O"
C=corpus; L=links; [ "$D" = en-de ] || { C=reverse; L=links.reverse; }
paste <(zcat $C/train.$s.gz) <(zcat $C/train.$t.gz) | shuf -n 60000 --random-source=<(yes 2) > pairs
cut -f1 pairs > "$O/general.$s"; cut -f2 pairs > "$O/general.$t"
paste back.$s mono.$t | grep -v '�' | awk -F'\t' '{a = length($1) + 10; b = length($2) + 10; if (a < 1.7 * b && b < 1.7 * a) print}' | shuf -n 14000 --random-source=<(yes 3) > pairs
cut -f1 pairs | metaphrase tokenize -q --vocabulary "$V" | sed 's/^/<0x04> /' > "$O/back.pieces.$s"; cut -f2 pairs > "$O/back.$t"
python3 terms.py aligned.$s aligned.$t $L 0.16 "$V" "$O/terms.pieces.$s" "$O/terms.$t"
rm pairs
