"""The code of the documents runs."""

import re
import shutil
import sys

import pytest
from conftest import ROOT

PAGES = ["docs/python.md", "docs/spark.md", "python/README.md", "README.md"]


def blocks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python ?(\w*)\n(.*?)^```$", text, flags=re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_code_runs(page, monkeypatch):
    """The blocks of a page run one after another. A block that names packages runs if they are installed."""
    if page == "docs/spark.md":
        pytest.importorskip("pyspark")
        if shutil.which("java") is None:
            pytest.skip("needs Java")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    names = {"__name__": "page"}
    found = blocks(page)
    assert found
    for needs, code in found:
        if needs:
            try:
                __import__("pyarrow" if needs == "arrow" else needs)
                __import__("pyarrow")
            except ImportError:
                continue
        exec(compile(code, page, "exec"), names)


def test_every_option_is_documented():
    from metaphrase.options import MetricOptions, TranslatorOptions

    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ["docs/python.md", "docs/options.md"])
    for option in TranslatorOptions.__optional_keys__ - {"model", "phrase_model"}:
        assert f"`{option}`" in text, option
    assert {"lowercase", "seed"} <= MetricOptions.__optional_keys__
