#!/usr/bin/env bash
# Runs fuzz targets, four at a time, each for some seconds (600 by default), with seeds from the repository.
# usage: fuzz/run.sh [SECONDS [TARGET …]]
# Needs a nightly toolchain and `cargo install cargo-fuzz`. Logs go to fuzz/logs/, findings to fuzz/artifacts/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
shift || true
if [ $# -eq 0 ]; then
  mapfile -t targets < <(cargo +nightly fuzz list)
else
  targets=("$@")
fi
python3 fuzz/seeds.py
# All code that is not checked by the compiler is in the kernels, which `changed_model` reaches: see README.md.
for target in "${targets[@]}"; do cargo +nightly fuzz build --sanitizer none "$target"; done
mkdir -p fuzz/logs
# Models in archives are unpacked there.
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm

run() {
  target=$1 seconds=$2
  # Slow targets would never come to long inputs if these had to grow.
  case $target in changed_model | metrics | moses | terms) grow=0 ;; *) grow=100 ;; esac
  case $target in
    marian_* | model_directory | hugging_face | ctranslate2 | pytorch | archive) longest=30000 ;;
    sentencepiece_bytes | prepared_pieces | vocabulary | small_files) longest=30000 ;;
    changed_model) longest=300 ;;
    npz_arrays) longest=2000 ;;
    metrics | moses | terms) longest=600 ;;
    *) longest=4096 ;;
  esac
  cargo +nightly fuzz run --sanitizer none "$target" -- \
    -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len="$longest" -len_control="$grow" -print_final_stats=1 \
    > "fuzz/logs/$target.log" 2>&1 && echo "$target: nothing found" || echo "$target: see fuzz/logs/$target.log"
}
export -f run
printf '%s\n' "${targets[@]}" | xargs -P 4 -I{} bash -c "run {} $seconds"
