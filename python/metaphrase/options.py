"""The types of the options, for type checkers: ``Translator(model, **TranslatorOptions)``, ``translate(source, **CallOptions)``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    from metaphrase._native import Glossary

Path = Union[str, "os.PathLike[str]"]
#: The path of a file with a source term, a tab and target terms on each line, or a dictionary of the same.
Table = Union[Path, Mapping[str, Union[str, Sequence[str]]]]


class CallOptions(TypedDict, total=False):
    """The options of a call. The default of an option is the model's own setting."""

    # Search
    beam_size: int
    beam_size_constrained: int | None
    n_best: int
    normalize: float
    normalize_constrained: float | None
    word_penalty: float
    max_length_factor: float
    max_target_length: int | None
    min_target_length: int
    stop: Literal["shrink", "wait", "fill", "collect"]
    ends_beside: bool
    strategy: Literal["beam", "grid", "states", "cube", "fast-cube"]
    merge_words: int
    beam_width: float
    prune_threshold: float | None
    rest_costs: Literal["narrow", "always", "never"]
    stop_margin: float
    no_repeat_ngram_size: int
    excluded: Sequence[str]
    attention: bool
    search_graph: Literal["words", "pieces"] | None
    # Draws
    sampling: str | None
    temperature: float
    seed: int
    # Text
    max_source_length: int
    source_language: str | None
    target_language: str | None
    longest_sentence: int | None
    glossary: Glossary | Table | None
    term_use: Literal["required", "preferred"]
    term_forms: Literal["inflected", "exact"]
    term_places: Literal["found", "given"]
    allow_unk: bool
    replace_unknown: bool | Table | None
    unknown: Literal["keep", "model"]
    amounts: Literal["keep", "model"]
    things: Literal["keep", "model"]
    pieces: bool
    allow_special: bool
    check_numbers: bool
    # Evidence
    evidence_rescore: bool
    evidence_weight: float
    evidence_theta: Sequence[float]
    evidence_own: int | None
    # Counting of evidence
    evidence_scale: float
    evidence_order: int
    evidence_written_words: bool
    evidence_prune: float
    evidence_best_paths: int | None


class FileOptions(CallOptions, total=False):
    """The options of reading a file and of translating its sentences."""

    split: Literal["sentences", "wrapped", "lines"]
    language: str
    keep_placeholders: bool
    keep_addresses: bool
    keep_numbers: bool
    keep_elements: Sequence[str]
    longest: int
    # Of files with translations next to their texts, of tables, of workbooks
    entries: Literal["untranslated", "all"]
    columns: Sequence[str]
    sheet_names: bool
    document_language: str


class TextOptions(FileOptions, total=False):
    """The options of reading a text and of translating its sentences."""

    format: Literal["lines", "text", "html", "xml"]


class PhraseOptions(TypedDict, total=False):
    """The options of a search with a phrase-based model."""

    coverages: int
    hypotheses: int
    options: int | None
    presort: Literal["none", "exact", "full"]
    look_ahead: Literal["none", "first-word", "phrase-only"]
    distortion_limit: int | None
    unknown_words: Literal["copy", "drop", "mark"]
    # For the machine and for calls
    threads: int | None
    n_best: int
    max_source_length: int


class TranslatorOptions(CallOptions, PhraseOptions, total=False):
    """The models of a translator, its use of the machine, and the default options of its calls."""

    # Models
    weights: Sequence[float] | None
    precision: Literal["auto", "f32", "bf16", "int16", "int8"]
    vocabularies: Sequence[Path] | None
    raw_scores: bool
    frequent_words: int
    prepared_context: bool
    merged_states: bool
    # Companions of the models
    language_model: tuple[Path, float] | None
    shortlist: Path | None
    shortlist_first: int | None
    shortlist_words: int | None
    shortlist_threshold: float | None
    evidence_model: Path | None
    evidence_languages: tuple[str, str] | None
    evidence_capitalized: bool
    phrase_model: Path | None
    # The machine
    device: str
    batch_tokens: int | None
    latency: bool


class MetricOptions(TypedDict, total=False):
    """The settings of metrics, with the defaults of sacreBLEU."""

    lowercase: bool
    tokenize: Literal["13a", "intl", "char", "zh", "none"]
    smooth: str
    chrf_char_order: int
    chrf_word_order: int
    chrf_beta: int
    chrf_whitespace: bool
    chrf_lowercase: bool
    chrf_eps_smoothing: bool
    ter_normalized: bool
    ter_no_punct: bool
    ter_asian_support: bool
    ter_case_sensitive: bool
    confidence: bool
    samples: int
    seed: int
