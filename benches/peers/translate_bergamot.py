"""Translates stdin with bergamot (PyPI `bergamot` 0.4.5, for Python 3.10): translate_bergamot.py CONFIG.yml < text

CONFIG.yml is the file of options of a Firefox model; its texts are sentences, one a line. The package asks the network
when it is imported, so its engine is imported alone.
"""

import importlib.util
import pathlib
import sys
import types

package = types.ModuleType("bergamot")
package.__path__ = [str(pathlib.Path(path) / "bergamot") for path in sys.path if (pathlib.Path(path) / "bergamot").is_dir()]
sys.modules["bergamot"] = package
from bergamot import _bergamot as engine  # noqa: E402

service = engine.Service(engine.ServiceConfig(1, 0, "off"))
model = service.modelFromConfigPath(sys.argv[1])
lines = engine.VectorString([line.rstrip("\n") for line in sys.stdin])
options = engine.ResponseOptions(qualityScores=False, alignment=False, HTML=False)
for response in service.translate(model, lines, options):
    print(response.target.text.replace("\n", " "))
