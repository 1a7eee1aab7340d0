"""The compiled part of the package."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol, Union, final, overload

from typing_extensions import Self, Unpack

from metaphrase.options import CallOptions, FileOptions, MetricOptions, Path, Table, TextOptions, TranslatorOptions

__version__: str

#: Each term a string, or a list of alternatives one of which will do.
_Terms = Iterable[str | Sequence[str]]
#: Pairs of a text and its score, a lattice, or the text of a file of posteriors.
_Evidence = Union[Sequence[tuple[str, float]], "Lattice", str]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Met:
    """Where a required term stands in a translation."""

    @property
    def term(self) -> int:
        """Its number among the required terms, from 0."""
    @property
    def first(self) -> int:
        """Its first piece."""
    @property
    def pieces(self) -> int:
        """Its number of pieces."""
    @property
    def alternatives(self) -> list[str]:
        """Its alternatives."""

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
        """Whether it ended by itself and was not cut off at the length limit."""
    @property
    def met(self) -> list[Met]:
        """The required terms that it has."""
    @property
    def attention(self) -> list[list[float]] | None:
        """A row of source weights for each piece and the end of sentence; with the option ``attention``."""
    def alignment(self, kind: str = "hard") -> list[tuple[int, int]]:
        """Pairs of a source piece and a target piece; ``hard``, or a threshold such as ``"0.2"``."""

@final
class Translation:
    """What became of a line. The attributes of the best translation are attributes of this, too."""

    @property
    def text(self) -> str:
        """The text; empty if there is no translation."""
    @property
    def score(self) -> float:
        """The score that ranks it; NaN if there is no translation."""
    @property
    def log_prob(self) -> float:
        """Its log-probability, natural logarithm, end of sentence included."""
    @property
    def pieces(self) -> list[str]:
        """Its pieces, without the end of sentence."""
    @property
    def piece_log_probs(self) -> list[float]:
        """The log-probability of each piece, and of the end of sentence."""
    @property
    def met(self) -> list[Met]:
        """The required terms that it has."""
    @property
    def attention(self) -> list[list[float]] | None:
        """A row of source weights for each piece and the end of sentence; with the option ``attention``."""
    def alignment(self, kind: str = "hard") -> list[tuple[int, int]]:
        """Pairs of a source piece and a target piece; ``hard``, or a threshold such as ``"0.2"``."""
    @property
    def hypotheses(self) -> list[Hypothesis]:
        """All translations of the list, the best one first; empty only if there is an ``error``."""
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
        """Numbers of the phrases to avoid that a translation contains all the same."""
    @property
    def missing_numbers(self) -> list[str]:
        """The numbers of the source that the best translation has in no notation, with the option ``check_numbers``."""
    @property
    def notes(self) -> list[str]:
        """Messages about the line, one sentence each."""
    @property
    def error(self) -> str | None:
        """The reason why the line has no translation."""
    @property
    def lattice(self) -> Lattice | None:
        """The hypotheses that the search kept, with the option ``search_graph``; a pickle does not hold it."""
    def search_svg(self) -> str | None:
        """A picture of these hypotheses, SVG: where the model hesitated, and what the search dropped."""
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
    ) -> Self: ...
    @property
    def source(self) -> str:
        """The text."""

@final
class Glossary:
    """Terms of the source language and their translations: where a term stands in a line, its translation is required.

    ``entries`` is a file of a source term, a tab and target terms on each line, or a dictionary. Further target terms are
    alternatives.
    """

    def __new__(
        cls, entries: Table, *, respect_case: bool = False, languages: tuple[str, str] | None = None
    ) -> Self: ...
    @staticmethod
    def parse(text: str, *, respect_case: bool = False) -> Glossary:
        """Reads the text of a glossary file."""
    @property
    def notes(self) -> list[str]:
        """One sentence for each line whose source term an earlier line has."""
    def find(self, line: str) -> list[list[str]]:
        """The required terms of a line, from left to right, each with its alternatives."""
    def __len__(self) -> int: ...

@final
class Lattice:
    """Many translations of a line in one graph: evidence for a search, or what a search kept."""

    @staticmethod
    def from_openfst(text: str) -> Lattice:
        """Reads the text form of OpenFst: lines ``from to word word cost``."""
    @staticmethod
    def from_compact(line: str) -> Lattice:
        """Reads a line of our compact form, which ``to_compact`` writes."""
    @staticmethod
    def from_moses_graph(text: str) -> Lattice:
        """Reads the lines of a sentence in a search graph of Moses."""
    @staticmethod
    def of_translations(translations: Sequence[tuple[str, float]]) -> Lattice:
        """The lattice of some translations: words with spaces between them, and a score."""
    def to_openfst(self) -> str:
        """The text form of OpenFst."""
    def to_compact(self) -> str:
        """Our compact form, a line."""
    @property
    def states(self) -> int:
        """The number of states. The first one is 0, and the last one ends a translation."""
    @property
    def arcs(self) -> list[tuple[int, int, str | None, float]]:
        """The arcs: a state, a later state, the word or ``None``, and the score (natural logarithm, higher is better)."""
    def posteriors(self, scale: float = 1.0) -> list[float]:
        """The posterior of each arc: the probability that a translation takes it."""
    def pruned(self, least: float, scale: float = 1.0) -> Lattice:
        """The lattice without arcs that less than the share ``least`` of the translations take."""
    def n_best(self, count: int) -> list[tuple[str, float]]:
        """The best translations, each with its score."""
    def svg(self, scale: float = 1.0, least: float = 0.05) -> str:
        """A picture without arcs that less than the share ``least`` of the translations take; notebooks show it by themselves."""

@final
class Column:
    """A column of translations that speaks Arrow's C interface: ``pyarrow.array(column)``, ``polars.Series(column)``."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...

@final
class TranslationStream(Iterator[Translation]):
    """The translations of an iterable, in its order."""

    def __iter__(self) -> TranslationStream: ...
    def __next__(self) -> Translation: ...
    def close(self) -> None:
        """Ends the work on lines whose translations have not been given back."""

@final
class TextSentence:
    """A sentence of a translated text."""

    @property
    def source(self) -> tuple[int, int]:
        """Where its characters begin and end in the input."""
    @property
    def target(self) -> tuple[int, int]:
        """Where its characters begin and end in the translated text."""
    @property
    def translation(self) -> Translation:
        """The translation of the sentence."""

@final
class TextTranslation:
    """A translated text."""

    @property
    def text(self) -> str:
        """The text, with the white space, the markup and the things to copy of the input."""
    @property
    def sentences(self) -> list[TextSentence]:
        """The sentences that were translated, in order."""
    @property
    def notes(self) -> list[str]:
        """Messages about sentences, which begin with their numbers."""

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
        """Messages about sentences, which begin with their numbers."""

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
        """Translates an iterable; ``ahead`` lines are read at most before the first of them is given back."""
    def translate_text(self, input: str, **options: Unpack[TextOptions]) -> TextTranslation:
        """Translates a text of many sentences, a web page or XML: sentences are found, translated and put together again."""
    def translate_bytes(self, content: bytes, format: str, **options: Unpack[FileOptions]) -> FileTranslation:
        """Translates the bytes of a file; ``format`` is the end of its name, as ``"docx"``."""
    def posteriors(self, evidence: _Evidence, *, expected: bool = False, **options: Unpack[CallOptions]) -> str:
        """The n-gram posteriors of translations of another system as the text of a file.

        With ``expected`` they are expected counts.
        """
    def translate_arrow(
        self,
        source: _ArrowArray | _ArrowStream,
        *,
        column: str | None = None,
        details: bool = False,
        **options: Unpack[CallOptions],
    ) -> Column:
        """Translates a column of text of pyarrow, polars, pandas, DuckDB or any other object of Arrow's C interface.

        Of a table ``column`` is the name of the column. Null stays null. With ``details`` the result is a column of structs of
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
        """Forgets the model and ends the threads; calls that are on the way end first."""
    @property
    def closed(self) -> bool:
        """Whether the translator was closed."""

@final
class Score:
    """The score of a text under one metric; ``str`` gives sacreBLEU's line, ``float`` the value."""

    @property
    def name(self) -> str:
        """The name of the metric, as sacreBLEU prints it."""
    @property
    def value(self) -> float:
        """The score, from 0 to 100; TER has no upper bound."""
    @property
    def signature(self) -> str:
        """Everything that the score depends on."""
    @property
    def details(self) -> str:
        """The text after the score, as BLEU's precisions."""
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
    """Scores translations beside one reference for each, or beside several sets of references.

    The numbers and the signatures are sacreBLEU's. Without ``metrics`` BLEU, chrF and TER are computed.
    """

def inspect(path: str | os.PathLike[str]) -> tuple[str, list[str]]:
    """Describes a model and checks that its parts fit together: a text for people, and a list of problems."""

def convert(
    model: str | os.PathLike[str], directory: str | os.PathLike[str], precision: str = "f32"
) -> None:
    """Converts a model of any format that can be read to a directory of Metaphrase, which is absent or empty."""

def command_line(arguments: Sequence[str]) -> int:
    """Runs the program ``metaphrase`` with these arguments, the first of which is its name; gives the exit status."""

