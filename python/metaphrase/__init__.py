"""Metaphrase: machine translation on the CPU with Marian, OPUS-MT and Hugging Face MarianMT models.

>>> from metaphrase import Translator
>>> translator = Translator("en-de")
>>> translator.translate("Where is the station?").text
'Wo ist der Bahnhof?'

Required terms appear in the translation: ``translator.translate("The house is old.", constraints=["Gebäude"])``. The
translation of a line is the same, to the bit, in any batch and on any number of threads. ``metaphrase.options`` lists all
options.
"""

from metaphrase._errors import InputError, MetaphraseError, ModelError, OptionsError
from metaphrase._native import (
    Column,
    FileTranslation,
    Glossary,
    Hypothesis,
    Lattice,
    Met,
    Request,
    Score,
    TextSentence,
    TextTranslation,
    Translation,
    TranslationStream,
    __version__,
    convert,
    evaluate,
    inspect,
)
from metaphrase._server import Server
from metaphrase._translator import PhraseTranslator, Translator

__all__ = [
    "Column",
    "FileTranslation",
    "Glossary",
    "Hypothesis",
    "InputError",
    "Lattice",
    "Met",
    "MetaphraseError",
    "ModelError",
    "OptionsError",
    "PhraseTranslator",
    "Request",
    "Score",
    "Server",
    "TextSentence",
    "TextTranslation",
    "Translation",
    "TranslationStream",
    "Translator",
    "__version__",
    "convert",
    "evaluate",
    "inspect",
]
