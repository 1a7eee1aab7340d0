#!/bin/bash
# The second stages of the bundled models: more everyday text, next to what the first models make of general text.
#
# usage: second.sh WORK      in this folder, after the steps of ../README.md that make corpus/, reverse/, mix-en-de/, mix-de-en/, dev150.*
#
# start-en-de and start-de-en are the bases, first-en-de and first-de-en the results of the first stages.
set -e
work=$1; here=$PWD; mkdir -p "$work"; cd "$work"
run() { # NAME DIRECTION START UPDATES DECAY SEED
    local s=${2%-*} t=${2#*-}
    { printf '[data]\ntrain = [\n'
      printf '  { source = "general-%s.%s", target = "general-%s.%s" },\n' "$2" "$s" "$2" "$t"
      for part in back terms; do
          printf '  { source = "%s/mix-%s/%s.pieces.%s", target = "%s/mix-%s/%s.%s", source-words = true },\n' "$here" "$2" $part "$s" "$here" "$2" $part "$t"
      done
      printf '  { source = "everyday/train.%s.gz", target = "everyday/train.%s.gz" },\n]\n' "$s" "$t"
      sed -n "/^dev =/,/^start-from/p" "$here/stage-$2.toml" | sed "s#\"dev150#\"$here/dev150#g; s#^start-from.*#start-from = \"$3\"\ninline-terms = [\"<0x01>\", \"<0x02>\", \"<0x03>\"]#"
      sed -n '/^\[model.decoding\]/,$p' "$here/stage-$2.toml"; } > "$1-$2.toml"
    metaphrase train -c "$1-$2.toml" -o "$1-$2" --threads 2 --set training.updates="$4" --set training.seed="$6" \
        --set "training.update.optimizer.schedule={rate=2e-4,warmup=20,decay=$5}" --set validation.every=100
}
text() { # DIRECTION PAIRS FIRST LAST SEED: everyday text, and lines FIRST to LAST of the general text
    local s=${1%-*} t=${1#*-} reverse=; [ "$1" = de-en ] && reverse=--reverse
    "$here/../everyday/make.py" -o pairs --direction "$1" --pairs "$2" --seed "$5"
    sed "s#\"out-en-de#\"$PWD/pairs#" "$here/everyday.toml" > everyday.toml; rm -rf everyday; metaphrase corpus -c everyday.toml $reverse -o everyday
    for l in "$s" "$t"; do sed -n "$3,$4p" "all-$1.$l" > "general-$1.$l"; done
}
for d in en-de de-en; do
    s=${d%-*} t=${d#*-} corpus=corpus; [ $d = de-en ] && corpus=reverse
    # The base's own translations: what is learned from them is not forgotten.
    zcat "$here/$corpus/train.$s.gz" | awk 'length < 700' | shuf -n 110000 --random-source=<(yes 5) > all-$d.$s
    metaphrase translate -m "$here/start-$d" --precision int8 --beam-size 4 -i all-$d.$s -o all-$d.$t
    mkdir -p $d; (cd $d; ln -sf ../all-$d.* .
        text $d 90000 1 60000 11;      run second $d "$here/first-$d" 600 '"none"' 3
        metaphrase average -m second-$d/models/update-500 -m second-$d/models/update-600 --to mean
        text $d 64000 40001 100000 21; run third $d mean 1300 '{linear={to=1300}}' 3     # stopped after update 300
        text $d 64000 62001 100000 21; run fourth $d third-$d/models/update-300 620 '{linear={to=620}}' 7)
done
new=en-de/fourth-en-de/models/update-620
metaphrase average -m $new -m $new -m $new -m $new -m $new -m "$here/start-en-de" --to last-en-de
metaphrase convert -m last-en-de --to final-en-de --precision int8
metaphrase convert -m de-en/fourth-de-en/models/update-620 --to final-de-en --precision int8
