#!/usr/bin/env bash
# All measurements of speed on the CPU, on a quiet machine: writes the JSON files of docs/results and the tables.
#
#   MODEL=en-de-tatoeba TEXT=test.en REFERENCE=test.de PEERS=peers/bin/python [WORK=work] [ONLY='beam4 kernels'] benches/cpu.sh
#
# MODEL: a Marian Transformer with model.npz and vocab.spm; TEXT, REFERENCE: its test set, plain text of at least 2,000 lines.
# PEERS: a Python with pymarian, ctranslate2, sentencepiece, pyyaml (and fxtranslate).
# Optional: LEX, a shortlist lex.s2t (without it none is measured); STUDENT, a model directory with model.npz, model.float32.bin
# and vocab.spm, for fxtranslate; NEWS, plain text of news for the networks of Devlin 2017; ONEDNN, libdnnl.so; CGRU, a model
# directory for the figures of Iglesias et al. (MODEL otherwise). WORK keeps converted models. ONLY: names of steps below.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${MODEL:?}" "${TEXT:?}" "${REFERENCE:?}" "${PEERS:?}"
WORK=${WORK:-target/cpu}
mkdir -p "$WORK"
RESULTS=docs/results
PRECISIONS=${PRECISIONS:-f32,int8}
RUNS=${RUNS:-5}

wanted() { [[ -z ${ONLY:-} || " $ONLY " == *" $1 "* ]]; }
compare() { # NAME MODEL CONVERTED TEXT OPTIONS...
  local name=$1 model=$2 converted=$3 text=$4
  shift 4
  "$PEERS" benches/peers/compare.py "$model" "$text" --ctranslate2 "$converted" --precision "$PRECISIONS" --runs "$RUNS" \
    --name "$name" --json $RESULTS/speed.json "$@" > /dev/null
}

cargo build --release -p metaphrase-cli -p experiments
[ -e "$WORK/ct2" ] || "$PEERS" benches/peers/convert_ctranslate2.py "$MODEL" "$WORK/ct2"
# CTranslate2 has its shortlist in the model.
[ -z "${LEX:-}" ] || [ -e "$WORK/ct2-lex" ] || "$PEERS" benches/peers/convert_ctranslate2.py "$MODEL" "$WORK/ct2-lex" "$LEX"
[ -e "$WORK/base" ] || "$PEERS" benches/peers/write_random_transformer.py "$MODEL" "$TEXT" "$WORK/base" --length 9 --lines 200
[ -e "$WORK/base-ct2" ] || "$PEERS" benches/peers/convert_ctranslate2.py "$WORK/base" "$WORK/base-ct2"
for lines in 300 2000; do
  head -$lines "$TEXT" > "$WORK/$lines.source"
  head -$lines "$REFERENCE" > "$WORK/$lines.reference"
done
name=$(basename "$MODEL")
many=("$MODEL" "$WORK/ct2" "$WORK/2000.source" --reference "$WORK/2000.reference")
few=("$MODEL" "$WORK/ct2" "$WORK/300.source" --reference "$WORK/300.reference")
base="Transformer-base (6+6 of 512, 8,000 pieces, random weights)"

! wanted beam4 || compare "$name, Tatoeba test 2000" "${many[@]}" --beam 4
! wanted single || compare "$name, Tatoeba test 300" "${few[@]}" --beam 4 --single
! wanted beam1 || compare "$name, Tatoeba test 2000" "${many[@]}" --beam 1
! wanted beam12 || compare "$name, Tatoeba test 2000" "${many[@]}" --beam 12
! wanted threads || compare "$name, Tatoeba test 2000" "${many[@]}" --beam 4 --threads 2
if [ -n "${LEX:-}" ]; then
  many[1]=$WORK/ct2-lex few[1]=$WORK/ct2-lex
  ! wanted shortlist || compare "$name, Tatoeba test 2000" "${many[@]}" --beam 4 --shortlist "$LEX" --only ctranslate2
  ! wanted shortlist || compare "$name, Tatoeba test 300" "${few[@]}" --beam 4 --single --shortlist "$LEX" --only ctranslate2
  many[1]=$WORK/ct2 few[1]=$WORK/ct2
fi
! wanted base || compare "$base" "$WORK/base" "$WORK/base-ct2" "$WORK/base/text" --beam 4 --max-length-factor 1
! wanted base-single || compare "$base" "$WORK/base" "$WORK/base-ct2" "$WORK/base/text" --beam 4 --single --max-length-factor 1
! wanted latency || compare "$name, Tatoeba test 300" "${few[@]}" --beam 4 --single --threads 2 --only ctranslate2
! wanted latency || compare "$base" "$WORK/base" "$WORK/base-ct2" "$WORK/base/text" --beam 4 --single --threads 2 --only ctranslate2 --max-length-factor 1
if [ -n "${STUDENT:-}" ] && wanted student; then
  "$PEERS" benches/peers/compare.py "$STUDENT" "$WORK/2000.source" --beam 1 --precision int8 --only marian,fxtranslate \
    --fxtranslate "$STUDENT/model.float32.bin" --runs "$RUNS" --name "$(basename "$STUDENT"), Tatoeba test 2000" \
    --json $RESULTS/speed.json > /dev/null
fi

! wanted bench || target/release/metaphrase bench -m "$MODEL" -i "$WORK/2000.source" -r "$WORK/2000.reference" -b 4 --normalize 1 \
  --threads 1 --runs "$RUNS" ${LEX:+--shortlist "$LEX"} --json $RESULTS/bench.json --picture "$WORK/bench.svg"
if wanted kernels; then
  (cd benches/kernels && OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 cargo run --release -- ${ONEDNN:+--onednn "$ONEDNN"} \
    ../../$RESULTS/kernels.json)
fi
news=(--source "${NEWS:-$TEXT}" --reference "${NEWS:-$TEXT}")
! wanted devlin || target/release/experiments devlin-table1 "${news[@]}" --lines 30
! wanted devlin2 || target/release/experiments devlin-table2 "${news[@]}" --lines 10
! wanted iglesias || target/release/experiments iglesias-fig2 --model "${CGRU:-$MODEL}" --source "$TEXT" --reference "$REFERENCE" --lines 200
! wanted iglesias || target/release/experiments iglesias-fig3 --model "${CGRU:-$MODEL}" --source "$TEXT" --reference "$REFERENCE" --lines 500
target/release/experiments tables
