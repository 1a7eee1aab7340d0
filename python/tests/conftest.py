"""Fixtures of all tests."""

import os
from pathlib import Path

import pytest

from metaphrase import Translator

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("METAPHRASE_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def translator():
    """The bundled model, with two threads."""
    return Translator("en-de", threads=2)


@pytest.fixture(scope="session")
def lines():
    """English lines, one of them empty."""
    text = (ROOT / "examples/everyday.en").read_text(encoding="utf-8")
    return [*text.splitlines(), "", "The house is old and the garden is small."]


@pytest.fixture(scope="session")
def shared_model():
    """A Marian model of the shared folder."""
    model = SHARED / "models/en-de-tatoeba"
    if not model.exists():
        pytest.skip("needs models/en-de-tatoeba of the shared folder")
    return model
