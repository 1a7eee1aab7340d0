"""LibreTranslate from PyPI with a model of ours, at a port of this machine: for `benches/server/run`.

    python3 benches/server/peer.py MODEL FOLDER PORT [COMPUTE_TYPE]

runs until it is killed, under a Python that has libretranslate (1.9.6) and numpy; FOLDER keeps the converted MODEL, a Marian directory with
SentencePiece vocabulary. The program is LibreTranslate's, with its CTranslate2 engine. Two things differ from an installation of its own:

* It downloads a network that splits sentences; that network is not on PyPI. Here a line is cut behind a full stop, which costs nothing.
* The position encodings of the converted model are Marian's, see `python/benches/convert.py`.

The environment (ARGOS_BEAM_SIZE, ARGOS_INTER_THREADS, ARGOS_INTRA_THREADS, LT_THREADS) counts as it does for LibreTranslate.
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

model, folder, port = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
root = Path(__file__).resolve().parents[2]
packages = folder / "data/argos-translate/packages"
if not packages.exists():
    converted = folder / "converted"
    subprocess.run([sys.executable, root / "python/benches/convert.py", model, converted], check=True)
    # With fewer than two packages LibreTranslate looks for others on the network.
    for source, target in (("en", "de"), ("de", "en")):
        package = packages / f"{source}_{target}"
        package.mkdir(parents=True)
        about = {"package_version": "1.0", "argos_version": "1.9", "from_code": source, "to_code": target, "from_name": source, "to_name": target}
        (package / "metadata.json").write_text(json.dumps(about))
        shutil.copy(model / "vocab.spm", package / "sentencepiece.model")
        (package / "model").symlink_to(converted)
os.environ.update({"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")})
if len(sys.argv) > 4:
    os.environ["ARGOS_COMPUTE_TYPE"] = sys.argv[4]
os.chdir(folder)

from argostranslate import sbd  # noqa: E402

END = re.compile(r"(?<=[.!?]) +")
sbd.MiniSBDSentencizer.split_sentences = lambda self, text: [part for part in END.split(text) if part]
sys.argv = ["libretranslate", "--host", "127.0.0.1", "--port", port, "--disable-web-ui"]
if "LT_THREADS" in os.environ:
    sys.argv += ["--threads", os.environ["LT_THREADS"]]
runpy.run_module("libretranslate.main", run_name="__main__")
