"""The exceptions, and what pickles need to be read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metaphrase._native import Glossary


class MetaphraseError(Exception):
    """Something went wrong; the message is one sentence that says what, where and what to do."""


class ModelError(MetaphraseError):
    """A model, a vocabulary, a shortlist or another file can not be read, or files do not belong together."""


class OptionsError(MetaphraseError, ValueError):
    """Options that do not exist, are out of range, or do not go together."""


class InputError(MetaphraseError, ValueError):
    """Lines, a glossary, a dictionary or a column can not be read."""


for _class in (MetaphraseError, ModelError, OptionsError, InputError):
    _class.__module__ = "metaphrase"


def rebuild_glossary(text: str, respect_case: bool) -> Glossary:
    """The glossary of a pickle."""
    from metaphrase._native import Glossary

    return Glossary.parse(text, respect_case=respect_case)
