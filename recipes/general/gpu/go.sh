#!/bin/bash
# A stage of both directions on a machine without network, from archives that were carried there.
#
# usage: go.sh text                          unpacks the text and makes words of it, in $WORK (/tmp/stage if it is not set)
#        go.sh behind                        the same, in a session of its own, while the models are still on their way
#        go.sh train SECONDS SECONDS [--OPTION=VALUE ...]      trains en-de and de-en for these seconds, into $OUT
#
# This folder has the scripts, texts/NAME.NN.bz2 or .gz (parts of the files of text.py's DATA) and everyday.tar.xz (the folder everyday); MODELS (.stage2 next to it if it is not set) has
# en-de/model.npz and de-en/model.npz of `weights.py --light`.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-/tmp/stage}
models=${MODELS:-$(dirname "$here")/.stage2}
export PYTHONUNBUFFERED=1
text() {
    mkdir -p "$work/data"
    touch "$work/begun"
    python3 - "$here" "$work" <<'END'
import bz2, glob, gzip, multiprocessing, os, sys, tarfile
here, work = sys.argv[1:]
tarfile.open(f"{here}/everyday.tar.xz").extractall(work, filter="data")
def read(path):
    name, _, end = os.path.basename(path).rsplit(".", 2)
    return name, (bz2 if end == "bz2" else gzip).open(path).read()
with multiprocessing.Pool() as pool:
    for name, content in pool.map(read, sorted(glob.glob(f"{here}/texts/*.*z*")), chunksize=1):
        with open(f"{work}/data/{name}", "ab") as file:
            file.write(content)
END
    echo "unpacked after $SECONDS s"
    python3 "$here/text.py" "$work/data" "$work/everyday" "$work/cache" ${PAIRS:-}
    touch "$work/cache/done"
    echo "text after $SECONDS s"
}
behind() { # the same, going on after this call
    mkdir -p "$work"
    setsid nohup "$here/go.sh" text > "$work/text.log" 2>&1 < /dev/null &
    sleep 2
    echo started
}
train() {
    for i in $(seq 120); do
        [ -e "$work/begun" ] && [ ! -e "$work/cache/done" ] && ! grep -q Error "$work/text.log" && sleep 1
    done
    cat "$work/text.log" || true
    [ -e "$work/cache/done" ] || { rm -rf "$work/data" "$work/cache"; text; }
    python3 "$here/stage.py" "$work/data" "$work/cache" "$models" "${OUT:-$work/out}" en-de="$1" de-en="$2" "${@:3}"
    ls -l "${OUT:-$work/out}"
    echo "trained after $SECONDS s"
}
nproc
nvidia-smi --query-gpu=name,memory.total --format=csv,noheader || true
"$@"
