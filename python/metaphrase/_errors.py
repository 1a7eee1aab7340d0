"""The exceptions, and the functions that unpickling needs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metaphrase._native import Glossary


class MetaphraseError(Exception):
    """The base class of all errors. The message is one sentence that says what is wrong, where, and what to do."""


class ModelError(MetaphraseError):
    """A model, a vocabulary, a shortlist or another file cannot be read, or files do not belong together."""


class OptionsError(MetaphraseError, ValueError):
    """Options do not exist, are out of range, or exclude each other."""


class InputError(MetaphraseError, ValueError):
    """Lines, a glossary, a dictionary or a column cannot be read."""


def unknown_option(name: str, kind: str, own: Sequence[str] = ()) -> OptionsError:
    """The error for an option that does not exist. It names the closest option and lists all of them.

    ``kind`` is the type of the options in ``metaphrase.options``; ``own`` are other keywords of the function.
    """
    from metaphrase import options

    known: list[str] = sorted({*own, *getattr(options, kind).__optional_keys__})
    if kind != "MetricOptions" and name in {"model", *options.TranslatorOptions.__optional_keys__}:
        return OptionsError(f"{name} is an option of the translator, not of a call: Translator(…, {name}=…)")
    close = difflib.get_close_matches(name.lower().replace("-", "_"), known, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return OptionsError(f"there is no option {name}{meant}; the options are {', '.join(known)}")


for _class in (MetaphraseError, ModelError, OptionsError, InputError):
    _class.__module__ = "metaphrase"


def rebuild_glossary(text: str | None, entries: list[tuple[str, list[str]]] | None, respect_case: bool) -> Glossary:
    """The glossary from a pickle."""
    from metaphrase._native import Glossary

    if text is not None:
        return Glossary.parse(text, respect_case=respect_case)
    merged: dict[str, list[str]] = {}
    for source, targets in entries or []:
        merged.setdefault(source, []).extend(targets)
    return Glossary(merged, respect_case=respect_case)
