"""The compiled part of the package."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol, Union, final, overload

from typing_extensions import Self, Unpack

from metaphrase.options import CallOptions, FileOptions, MetricOptions, Path, Table, TextOptions, TranslatorOptions

__version__: str

#: Each term is a string or a list of alternatives.
_Terms = Iterable[str | Sequence[str] | Mapping[str, str | Sequence[str]]]
#: Pairs of a text and its score, a lattice, or the text of a file of posteriors.
_Evidence = Union[Sequence[tuple[str, float]], "Lattice", str]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Met:
    """A required term in a translation, and its place."""

    @property
    def term(self) -> int:
        """The number of the term among the required terms, from 0."""
    @property
    def first(self) -> int:
        """The first piece of the term."""
    @property
    def pieces(self) -> int:
        """The number of pieces of the term."""
    @property
    def alternatives(self) -> list[str]:
        """The alternatives of the term."""

@final
class Hypothesis:
    """One translation of a line."""

    @property
    def text(self) -> str:
        """The text."""
    @property
    def score(self) -> float:
        """The score that orders the list: the log-probability, normalised by length."""
    @property
    def log_prob(self) -> float:
        """The log-probability, natural logarithm, end of sentence included."""
    @property
    def pieces(self) -> list[str]:
        """The pieces, without the end of sentence."""
    @property
    def piece_log_probs(self) -> list[float]:
        """The log-probability of each piece, and of the end of sentence if it is complete."""
    @property
    def complete(self) -> bool:
        """Whether it ended with an end of sentence and was not cut off at the length limit."""
    @property
    def met(self) -> list[Met]:
        """The required terms that it contains."""
    @property
    def attention(self) -> list[list[float]] | None:
        """A row of source weights for each piece and the end of sentence; with the option ``attention``."""
    def alignment(self, kind: str = "hard") -> list[tuple[int, int]]:
        """Pairs of a source piece and a target piece; ``hard``, or a threshold such as ``"0.2"``."""

@final
class Translation:
    """The translations of a line. The attributes of the best translation are also attributes of this object."""

    @property
    def text(self) -> str:
        """The text; empty if there is no translation."""
    @property
    def score(self) -> float:
        """The score of the best translation; NaN if there is none."""
    @property
    def log_prob(self) -> float:
        """The log-probability of the best translation, natural logarithm, end of sentence included."""
    @property
    def pieces(self) -> list[str]:
        """The pieces of the best translation, without the end of sentence."""
    @property
    def piece_log_probs(self) -> list[float]:
        """The log-probability of each piece, and of the end of sentence."""
    @property
    def met(self) -> list[Met]:
        """The required terms that it contains."""
    @property
    def attention(self) -> list[list[float]] | None:
        """A row of source weights for each piece and the end of sentence; with the option ``attention``."""
    def alignment(self, kind: str = "hard") -> list[tuple[int, int]]:
        """Pairs of a source piece and a target piece; ``hard``, or a threshold such as ``"0.2"``."""
    @property
    def hypotheses(self) -> list[Hypothesis]:
        """All translations, the best one first; empty only if there is an ``error``."""
    @property
    def source_pieces(self) -> list[str]:
        """The pieces of the source, without the end of sentence."""
    @property
    def terms(self) -> list[list[str]]:
        """The required terms of the line and then those of the glossary, each with its alternatives."""
    @property
    def missing(self) -> list[int]:
        """Numbers of the required terms that a translation lacks."""
    @property
    def present(self) -> list[int]:
        """Numbers of the phrases to avoid that a translation contains nevertheless."""
    @property
    def missing_numbers(self) -> list[str]:
        """The numbers of the source that the best translation lacks in every notation, with the option ``check_numbers``."""
    @property
    def notes(self) -> list[str]:
        """Messages about the line, each in one sentence."""
    @property
    def error(self) -> str | None:
        """The reason why the line has no translation."""
    @property
    def lattice(self) -> Lattice | None:
        """The hypotheses that the search kept, with the option ``search_graph``; not in a pickle."""
    def search_svg(self) -> str | None:
        """A picture of these hypotheses in SVG, which shows where the model hesitated and what the search discarded."""
    @property
    def counts(self) -> dict[str, int]:
        """The work of the search: ``steps``, ``hypotheses``, ``groups``, ``rows``."""

@final
class Request:
    """One line to translate, with its own terms."""

    def __new__(
        cls,
        source: str,
        *,
        prefix: str | None = None,
        constraints: _Terms | None = None,
        avoid: Iterable[str] | None = None,
        target: str | None = None,
        evidence: _Evidence | None = None,
        source_language: str | None = None,
        target_language: str | None = None,
    ) -> Self:
        """``source_language`` and ``target_language`` count in place of the call's, for a model of several languages."""
    @property
    def source(self) -> str:
        """The text."""

@final
class Glossary:
    """Terms of the source language and their translations. If a line contains a term, its translation is required.

    ``entries`` is a dictionary, or the path of a file with a source term, a tab and target terms on each line. Several target
    terms are alternatives.
    """

    def __new__(
        cls, entries: Table, *, respect_case: bool = False, languages: tuple[str, str] | None = None
    ) -> Self: ...
    @staticmethod
    def parse(text: str, *, respect_case: bool = False) -> Glossary:
        """Reads the text of a glossary file."""
    @property
    def notes(self) -> list[str]:
        """One sentence for each line with the same source term as an earlier line."""
    def find(self, line: str) -> list[list[str]]:
        """The required terms of a line, from left to right, each with its alternatives."""
    def __len__(self) -> int: ...

@final
class Lattice:
    """A graph of many translations of a line: evidence for a search, or the hypotheses that a search kept."""

    @staticmethod
    def from_openfst(text: str) -> Lattice:
        """Reads the text format of OpenFst: lines ``from to word word cost``."""
    @staticmethod
    def from_compact(line: str) -> Lattice:
        """Reads a line in Metaphrase's compact format, which ``to_compact`` writes."""
    @staticmethod
    def from_moses_graph(text: str) -> Lattice:
        """Reads the lines of a sentence in a search graph of Moses."""
    @staticmethod
    def of_translations(translations: Sequence[tuple[str, float]]) -> Lattice:
        """The lattice of translations: pairs of a text, whose words are separated by spaces, and a score."""
    def to_openfst(self) -> str:
        """The text format of OpenFst."""
    def to_compact(self) -> str:
        """A line in Metaphrase's compact format."""
    @property
    def states(self) -> int:
        """The number of states. The first one is 0, and the last one ends a translation."""
    @property
    def arcs(self) -> list[tuple[int, int, str | None, float]]:
        """The arcs: a state, a later state, the word or ``None``, and the score (natural logarithm, higher is better)."""
    def posteriors(self, scale: float = 1.0) -> list[float]:
        """The posterior of each arc: the probability that a translation takes it."""
    def pruned(self, least: float, scale: float = 1.0) -> Lattice:
        """The lattice without arcs whose posterior is below ``least``."""
    def n_best(self, count: int) -> list[tuple[str, float]]:
        """The best translations, each with its score."""
    def svg(self, scale: float = 1.0, least: float = 0.05) -> str:
        """A picture in SVG, without arcs whose posterior is below ``least``; notebooks show it automatically."""

@final
class Column:
    """A column of translations with Arrow's C data interface: ``pyarrow.array(column)``, ``polars.Series(column)``."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...

@final
class TranslationStream(Iterator[Translation]):
    """The translations of an iterable, in its order."""

    def __iter__(self) -> TranslationStream: ...
    def __next__(self) -> Translation: ...
    def close(self) -> None:
        """Ends the work on lines whose translations have not been returned."""

@final
class TextSentence:
    """A sentence of a translated text."""

    @property
    def source(self) -> tuple[int, int]:
        """The place in the input: the first character and the one after the last."""
    @property
    def target(self) -> tuple[int, int]:
        """The place in the translated text: the first character and the one after the last."""
    @property
    def translation(self) -> Translation:
        """The translation of the sentence."""

@final
class TextTranslation:
    """A translated text."""

    @property
    def text(self) -> str:
        """The text, with the white space, the markup and the untranslated parts of the input."""
    @property
    def sentences(self) -> list[TextSentence]:
        """The sentences that were translated, in order."""
    @property
    def notes(self) -> list[str]:
        """Messages about sentences; each begins with the number of its sentence."""

@final
class FileTranslation:
    """A translated file."""

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
    @property
    def translations(self) -> list[Translation]:
        """The translations of the sentences, in order."""
    @property
    def notes(self) -> list[str]:
        """Messages about sentences; each begins with the number of its sentence."""

class Translator:
    """The compiled part of ``metaphrase.Translator``."""

    def __new__(
        cls, model: Path | Sequence[Path] | None = None, **options: Unpack[TranslatorOptions]
    ) -> Self: ...
    @overload
    def translate(  # type: ignore[overload-overlap]
        self,
        source: str | Request,
        *,
        prefix: str | None = None,
        constraints: _Terms | None = None,
        avoid: Iterable[str] | None = None,
        evidence: _Evidence | None = None,
        **options: Unpack[CallOptions],
    ) -> Translation: ...
    @overload
    def translate(
        self,
        source: Iterable[str | Request],
        *,
        prefix: Sequence[str | None] | None = None,
        constraints: Sequence[_Terms | None] | None = None,
        avoid: Sequence[Iterable[str] | None] | None = None,
        evidence: Sequence[_Evidence | None] | None = None,
        **options: Unpack[CallOptions],
    ) -> list[Translation]: ...
    @overload
    def score(  # type: ignore[overload-overlap]
        self, source: str, target: str, **options: Unpack[CallOptions]
    ) -> Translation: ...
    @overload
    def score(
        self, source: Iterable[str], target: Sequence[str], **options: Unpack[CallOptions]
    ) -> list[Translation]: ...
    def stream(
        self, source: Iterable[str | Request], *, ahead: int = 4096, **options: Unpack[CallOptions]
    ) -> TranslationStream:
        """Translates an iterable. Reads at most ``ahead`` lines before it returns the translation of the first of them."""
    def translate_text(self, input: str, **options: Unpack[TextOptions]) -> TextTranslation:
        """Translates a text of many sentences, a web page or XML, sentence by sentence."""
    def translate_bytes(self, content: bytes, format: str, **options: Unpack[FileOptions]) -> FileTranslation:
        """Translates the bytes of a file; ``format`` is the extension of its name, such as ``"docx"``."""
    def posteriors(self, evidence: _Evidence, *, expected: bool = False, **options: Unpack[CallOptions]) -> str:
        """The n-gram posteriors of translations of another system, as the text of a file.

        With ``expected`` it has expected counts instead of posteriors.
        """
    def translate_arrow(
        self,
        source: _ArrowArray | _ArrowStream,
        *,
        column: str | None = None,
        details: bool = False,
        **options: Unpack[CallOptions],
    ) -> Column:
        """Translates a column of text of pyarrow, polars, pandas, DuckDB or any other object with Arrow's C data interface.

        In a table, ``column`` is the name of the column. Null stays null. With ``details`` the result is a column of structs of
        ``text``, ``score``, ``error``, ``missing`` (numbers of terms) and ``notes``.
        """
    @property
    def has_alignment(self) -> bool:
        """Whether translations can have word alignments."""
    def segment(self, line: str) -> list[str]:
        """The pieces of a source line."""
    def segment_target(self, phrase: str) -> list[str]:
        """The pieces of a phrase of the target language."""
    def close(self) -> None:
        """Unloads the model and ends the threads, after the calls in progress."""
    @property
    def closed(self) -> bool:
        """Whether the translator was closed."""

@final
class Score:
    """The score of a text by one metric; ``str`` returns the line of sacreBLEU, ``float`` the value."""

    @property
    def name(self) -> str:
        """The name of the metric in sacreBLEU."""
    @property
    def value(self) -> float:
        """The score, from 0 to 100; TER has no upper bound."""
    @property
    def signature(self) -> str:
        """The settings that the score depends on, in sacreBLEU's notation."""
    @property
    def details(self) -> str:
        """The text after the score, such as the precisions of BLEU."""
    @property
    def interval(self) -> tuple[float, float] | None:
        """With ``confidence``: the mean of bootstrap samples, and half the width of their 95 % interval."""
    def __float__(self) -> float: ...

def evaluate(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    metrics: Sequence[Literal["bleu", "chrf", "chrf++", "ter"]] | None = None,
    **options: Unpack[MetricOptions],
) -> dict[str, Score]:
    """Scores translations against one reference for each, or against several sets of references.

    The numbers and the signatures are those of sacreBLEU. Without ``metrics`` BLEU, chrF and TER are computed.
    """

def inspect(path: str | os.PathLike[str]) -> tuple[str, list[str]]:
    """Describes a model and checks that its parts fit together. Returns a text for people and a list of problems."""

def convert(
    model: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    precision: str = "f32",
    *,
    format: str | None = None,
) -> list[str]:
    """Converts a model of any known format to a directory, which must be absent or empty.

    The directory is in Metaphrase's format, or in that of another program: ``format`` is ``"ctranslate2"``, ``"marian"``,
    ``"hugging-face"`` or ``"firefox"``. Returns the parts of the model that the format has no place for, without which
    translations are the same.
    """

def command_line(arguments: Sequence[str]) -> int:
    """Runs the program ``metaphrase`` with these arguments, the first of which is its name; returns the exit status."""

