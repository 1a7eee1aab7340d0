"""The notebook runs and shows its pictures."""

import pytest
from conftest import ROOT

for _package in ("nbclient", "ipykernel", "matplotlib"):
    pytest.importorskip(_package)

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402


def outputs(notebook):
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [sorted({kind for output in cell.outputs for kind in output.get("data", {})}) for cell in cells]


def test_the_notebook_runs():
    kept = nbformat.read(ROOT / "python/examples/tour.ipynb", as_version=4)
    run = NotebookClient(nbformat.from_dict(kept), timeout=120, kernel_name="python3").execute()
    assert outputs(run) == outputs(kept), "run jupyter nbconvert --to notebook --execute --inplace python/examples/tour.ipynb"
    assert sum("image/png" in kinds or "image/svg+xml" in kinds or "text/html" in kinds for kinds in outputs(kept)) >= 6
