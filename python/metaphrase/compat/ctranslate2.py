"""CTranslate2's ``Translator``, with the signatures and result classes of ctranslate2 4.8: tokens in, tokens out.

>>> from metaphrase.compat import ctranslate2
>>> translator = ctranslate2.Translator("model/")
>>> translator.translate_batch([["▁Hello", "▁world", "!"]])

The model must be one that Metaphrase reads: Marian, OPUS-MT, Hugging Face MarianMT, CTranslate2 or our own
format. The tokens are those of CTranslate2 for the same model. An option that Metaphrase lacks raises
``OptionsError``, a ``ValueError``, unless it has CTranslate2's default. ``max_batch_size``, ``batch_type`` and
``max_queued_batches`` have no effect: they change only the speed of CTranslate2, and Metaphrase forms batches automatically.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, repeat, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar, Union

from metaphrase import ModelError, OptionsError, Request, Translation, _files
from metaphrase import Translator as _Translator

if TYPE_CHECKING:
    from metaphrase.options import CallOptions

__all__ = [
    "AsyncScoringResult",
    "AsyncTranslationResult",
    "ExecutionStats",
    "ScoringResult",
    "TranslationResult",
    "Translator",
    "set_random_seed",
]

#: The version of ctranslate2 with this interface.
__version__ = "4.8.5"

T = TypeVar("T")
Tokens = Sequence[str]
EndToken = Optional[Union[str, list[str], list[int]]]
Tokenize = Optional[Callable[[str], list[str]]]
Detokenize = Optional[Callable[[list[str]], str]]

_END = "</s>"
_UNKNOWN = "<unk>"
#: CTranslate2's names of precisions, and ours.
_COMPUTE_TYPES = {
    "default": "f32",
    "auto": "f32",
    "float32": "f32",
    "int8": "int8",
    "int8_float32": "int8",
    "int16": "int16",
    "bfloat16": "bf16",
}
#: Our names of precisions, and CTranslate2's.
_PRECISIONS = {"f32": "float32", "int8": "int8_float32", "int16": "int16", "bf16": "bfloat16"}

_seed = 1


def set_random_seed(seed: int) -> None:
    """Sets the seed of later draws. The same seed gives other draws in CTranslate2."""
    global _seed
    _seed = seed


@dataclass
class TranslationResult:
    """A translation result."""

    #: Translation hypotheses.
    hypotheses: list[list[str]]
    #: Score of each translation hypothesis (empty if ``return_scores`` was disabled).
    scores: list[float] = field(default_factory=list)
    #: Attention matrix of each translation hypothesis (empty if ``return_attention`` was disabled).
    attention: list[list[list[float]]] = field(default_factory=list)
    #: Always empty: ``return_logits_vocab`` is not supported.
    logits: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __getitem__(self, number: int) -> dict[str, Any]:
        warnings.warn("use the attributes of the TranslationResult", DeprecationWarning, stacklevel=2)
        hypothesis: dict[str, Any] = {"tokens": self.hypotheses[number]}
        if self.scores:
            hypothesis["score"] = self.scores[number]
        if self.attention:
            hypothesis["attention"] = self.attention[number]
        return hypothesis


@dataclass
class ScoringResult:
    """A scoring result."""

    #: The scored tokens, end of sentence included.
    tokens: list[str]
    #: Log probability of each token.
    log_probs: list[float]


@dataclass
class ExecutionStats:
    """Some execution statistics."""

    #: Number of output tokens.
    num_tokens: int
    #: Number of processed examples.
    num_examples: int
    #: Total processing time in milliseconds.
    total_time_in_ms: float


class _AsyncResult(Generic[T]):
    def __init__(self, batch: Future[list[T]], number: int) -> None:
        self._batch, self._number = batch, number

    def result(self) -> T:
        """Waits for the result."""
        return self._batch.result()[self._number]

    def done(self) -> bool:
        """Whether the result has arrived."""
        return self._batch.done()


class AsyncTranslationResult(_AsyncResult[TranslationResult]):
    """A translation result that may not have arrived yet."""


class AsyncScoringResult(_AsyncResult[ScoringResult]):
    """A scoring result that may not have arrived yet."""


@dataclass
class _CallSettings:
    """The settings of a call: the options of the search, and the contents of results."""

    search: dict[str, Any]
    scores: bool
    attention: bool
    end_token: bool
    replace_unknowns: bool
    num_hypotheses: int


class Translator:
    """A text translator.

    The number of threads is ``inter_threads`` times ``intra_threads``; they work on the sentences of all calls.
    ``intra_threads=0`` is the number of processors.
    """

    def __init__(
        self,
        model_path: str,
        device: str = "cpu",
        *,
        device_index: int | list[int] = 0,
        compute_type: str | dict[str, str] = "default",
        inter_threads: int = 1,
        intra_threads: int = 0,
        max_queued_batches: int = 0,
        flash_attention: bool = False,
        tensor_parallel: bool = False,
        files: object = None,
    ) -> None:
        if device not in ("cpu", "auto"):
            raise OptionsError(f"device is {device!r}; Metaphrase translates on the CPU: device='cpu'")
        if isinstance(compute_type, dict):
            compute_type = compute_type.get("cpu", "default")
        if compute_type not in _COMPUTE_TYPES:
            raise OptionsError(f"compute_type is {compute_type!r}; expected one of {', '.join(_COMPUTE_TYPES)}")
        given = {"device_index": device_index not in (0, [0]), "flash_attention": flash_attention}
        _refuse({**given, "tensor_parallel": tensor_parallel, "files": files is not None})
        self._precision = _COMPUTE_TYPES[compute_type]
        self._threads = inter_threads * (intra_threads or os.cpu_count() or 1)
        self._inter_threads = inter_threads
        self._path = model_path
        self._loaded: _Translator | None = None
        self._calls: ThreadPoolExecutor | None = None
        self.load_model()

    # Facts about the model

    @property
    def device(self) -> str:
        """Device this translator is running on."""
        return "cpu"

    @property
    def device_index(self) -> list[int]:
        """List of device IDs where this translator is running on."""
        return [0]

    @property
    def compute_type(self) -> str:
        """Computation type used by the model."""
        return _PRECISIONS[self._precision]

    @property
    def num_translators(self) -> int:
        """Number of translators backing this instance."""
        return self._inter_threads

    @property
    def num_queued_batches(self) -> int:
        """Always 0: Metaphrase queues sentences, not batches."""
        return 0

    @property
    def num_active_batches(self) -> int:
        """Always 0: Metaphrase queues sentences, not batches."""
        return 0

    @property
    def tensor_parallel(self) -> bool:
        """Always False."""
        return False

    @property
    def model_is_loaded(self) -> bool:
        """Whether the model is loaded and ready to be used."""
        return self._loaded is not None

    def load_model(self, keep_cache: bool = False) -> None:
        """Loads the model, if it is not loaded."""
        if self._loaded is None:
            try:
                self._loaded = _Translator(self._path, threads=self._threads, precision=self._precision)  # type: ignore[arg-type]
            except ModelError as error:
                if (Path(self._path) / "model.bin").exists() and (Path(self._path) / "config.json").exists():
                    advice = "convert the original model with `metaphrase convert`, or name its directory"
                    raise ModelError(f"{self._path} seems to be a model of CTranslate2; {advice} ({error})") from error
                raise

    def unload_model(self, to_cpu: bool = False) -> None:
        """Unloads the model; :meth:`load_model` or the next call loads it again."""
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None

    def _translator(self) -> _Translator:
        self.load_model()
        assert self._loaded is not None
        return self._loaded

    # Translation

    def translate_batch(
        self,
        source: list[list[str]],
        target_prefix: list[list[str] | None] | None = None,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        asynchronous: bool = False,
        **options: Any,
    ) -> Any:
        """Translates a batch of tokens; the keywords are those of ctranslate2 4.8."""
        settings = _call_settings(**options)
        prefixes: Sequence[Tokens | None] = [] if target_prefix is None else target_prefix
        if prefixes and len(prefixes) != len(source):
            raise ValueError(f"Batch size mismatch: got {len(source)} for source and {len(prefixes)} for target prefix")
        requests = [_request(*pair) for pair in zip_longest(source, prefixes)]

        def work() -> list[TranslationResult]:
            translations = self._translator().translate(requests, **settings.search)
            return [self._result(*pair, settings) for pair in zip(requests, translations)]

        if not asynchronous:
            return work()
        batch = self._submit(work)
        return [AsyncTranslationResult(batch, number) for number in range(len(source))]

    def translate_iterable(
        self,
        source: Iterable[list[str]],
        target_prefix: Iterable[list[str]] | None = None,
        max_batch_size: int = 32,
        batch_type: str = "examples",
        **kwargs: Any,
    ) -> Iterable[TranslationResult]:
        """Translates an iterable of tokenized examples, which may be endless."""
        if max_batch_size < 1:
            raise ValueError("max_batch_size must be >= 1")
        settings = _call_settings(**kwargs)
        prefixes: Iterable[Tokens | None] = repeat(None) if target_prefix is None else target_prefix
        in_flight: deque[Request] = deque()

        def requests() -> Iterator[Request]:
            for pair in zip(source, prefixes):
                in_flight.append(_request(*pair))
                yield in_flight[-1]

        for translation in self._translator().stream(requests(), **settings.search):
            yield self._result(in_flight.popleft(), translation, settings)

    def translate_file(
        self,
        source_path: str,
        output_path: str,
        target_path: str | None = None,
        *,
        max_batch_size: int = 32,
        read_batch_size: int = 0,
        batch_type: str = "examples",
        with_scores: bool = False,
        source_tokenize_fn: Tokenize = None,
        target_tokenize_fn: Tokenize = None,
        target_detokenize_fn: Detokenize = None,
        **options: Any,
    ) -> ExecutionStats:
        """Translates a tokenized text file; the keywords are those of ctranslate2 4.8."""
        for name in ("return_scores", "return_attention", "return_end_token", "asynchronous"):
            if name in options:
                raise TypeError(f"translate_file() has no argument {name}")
        _check_not_read(output_path, source_path, target_path)
        began = time.perf_counter()
        tokens = 0
        examples = 0
        join: Callable[[list[str]], str] = target_detokenize_fn or " ".join
        prefixes = None if target_path is None else _lines(target_path, target_tokenize_fn)
        source = _lines(source_path, source_tokenize_fn)
        results = self.translate_iterable(source, prefixes, return_scores=with_scores, **options)
        with _files.new_text_file(output_path) as output:
            for result in results:
                examples += 1
                for number, hypothesis in enumerate(result.hypotheses):
                    tokens += len(hypothesis)
                    score = f"{result.scores[number]:g} ||| " if with_scores else ""
                    output.write(f"{score}{join(hypothesis)}\n")
        return ExecutionStats(tokens, examples, 1000 * (time.perf_counter() - began))

    # Scores

    def score_batch(
        self,
        source: list[list[str]],
        target: list[list[str]],
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        asynchronous: bool = False,
    ) -> Any:
        """Scores a batch of parallel tokens."""
        if len(source) != len(target):
            raise ValueError(f"Batch size mismatch: got {len(source)} for source and {len(target)} for target")
        requests = [_request(*pair, score=True) for pair in zip(source, target)]
        options: CallOptions = {"pieces": True, "max_source_length": _longest(max_input_length)}

        def work() -> list[ScoringResult]:
            return [_scored(found, offset) for found in self._translator().translate(requests, **options)]

        if not asynchronous:
            return work()
        batch = self._submit(work)
        return [AsyncScoringResult(batch, number) for number in range(len(source))]

    def score_iterable(
        self,
        source: Iterable[list[str]],
        target: Iterable[list[str]],
        max_batch_size: int = 64,
        batch_type: str = "examples",
        *,
        max_input_length: int = 1024,
        offset: int = 0,
    ) -> Iterable[ScoringResult]:
        """Scores an iterable of tokenized examples, which may be endless."""
        requests = (_request(*pair, score=True) for pair in zip(source, target))
        options: CallOptions = {"pieces": True, "max_source_length": _longest(max_input_length)}
        for found in self._translator().stream(requests, **options):
            yield _scored(found, offset)

    def score_file(
        self,
        source_path: str,
        target_path: str,
        output_path: str,
        *,
        max_batch_size: int = 32,
        read_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        with_tokens_score: bool = False,
        source_tokenize_fn: Tokenize = None,
        target_tokenize_fn: Tokenize = None,
        target_detokenize_fn: Detokenize = None,
    ) -> ExecutionStats:
        """Scores a parallel tokenized text file: ``<score> ||| <target> [||| <score_token_0> …]``."""
        _check_not_read(output_path, source_path, target_path)
        began = time.perf_counter()
        tokens = 0
        examples = 0
        join: Callable[[list[str]], str] = target_detokenize_fn or " ".join
        pairs = _lines(source_path, source_tokenize_fn), _lines(target_path, target_tokenize_fn)
        with _files.new_text_file(output_path) as output:
            for result in self.score_iterable(*pairs, max_input_length=max_input_length, offset=offset):
                examples += 1
                tokens += len(result.tokens)
                words = [token for token in result.tokens if token != _END]
                score = sum(result.log_probs) / max(len(result.log_probs), 1)
                token_scores = f" ||| {' '.join(f'{log_prob:g}' for log_prob in result.log_probs)}" if with_tokens_score else ""
                output.write(f"{score:g} ||| {join(words)}{token_scores}\n")
        return ExecutionStats(tokens, examples, 1000 * (time.perf_counter() - began))

    def generate_tokens(self, *_: Any, **__: Any) -> Any:
        """Not supported: Metaphrase returns complete translations."""
        raise OptionsError("generate_tokens is not supported; Metaphrase returns complete translations: use translate_batch")

    # Parts

    def _submit(self, work: Callable[[], list[T]]) -> Future[list[T]]:
        if self._calls is None:
            self._calls = ThreadPoolExecutor(thread_name_prefix="ctranslate2")
        return self._calls.submit(work)

    def _result(self, request: Request, found: Translation, settings: _CallSettings) -> TranslationResult:
        if found.error is not None:
            raise RuntimeError(found.error)
        if not found.source_pieces and not found.text:
            count = settings.num_hypotheses
            attention: list[list[list[float]]] = [[] for _ in range(count)] if settings.attention else []
            scores = [0.0] * count if settings.scores else []
            return TranslationResult([[] for _ in range(count)], scores, attention)
        hypotheses = found.hypotheses
        if settings.replace_unknowns and any(_UNKNOWN in hypothesis.pieces for hypothesis in hypotheses):
            # The second translation is the same, but it has its attention.
            with_attention = {**settings.search, "attention": True}
            hypotheses = self._translator().translate(request, **with_attention).hypotheses
        result = TranslationResult([])
        for hypothesis in hypotheses:
            tokens = hypothesis.pieces
            source = found.source_pieces
            rows = hypothesis.attention or []
            if rows and settings.replace_unknowns:
                tokens = [_replaced(token, row, source) for token, row in zip(tokens, rows)]
            if settings.end_token and hypothesis.complete:
                tokens = [*tokens, _END]
            result.hypotheses.append(tokens)
            if settings.scores:
                result.scores.append(hypothesis.score)
            if settings.attention:
                result.attention.append([row[: len(source)] for row in rows[: len(tokens)]])
        return result


def _call_settings(
    *,
    beam_size: int = 2,
    patience: float = 1,
    num_hypotheses: int = 1,
    length_penalty: float = 1,
    coverage_penalty: float = 0,
    repetition_penalty: float = 1,
    no_repeat_ngram_size: int = 0,
    disable_unk: bool = False,
    suppress_sequences: list[list[str]] | None = None,
    end_token: EndToken = None,
    return_end_token: bool = False,
    prefix_bias_beta: float = 0,
    max_input_length: int = 1024,
    max_decoding_length: int = 256,
    min_decoding_length: int = 1,
    use_vmap: bool = False,
    return_scores: bool = False,
    return_logits_vocab: bool = False,
    return_attention: bool = False,
    return_alternatives: bool = False,
    min_alternative_expansion_prob: float = 0,
    sampling_topk: int = 1,
    sampling_topp: float = 1,
    sampling_temperature: float = 1,
    replace_unknowns: bool = False,
    callback: object = None,
) -> _CallSettings:
    """The settings of a call from CTranslate2's options. An option that Metaphrase lacks raises an error."""
    _refuse(
        {
            "patience": patience != 1,
            "coverage_penalty": coverage_penalty != 0,
            "repetition_penalty": repetition_penalty != 1,
            "suppress_sequences": any(len(sequence) != 1 for sequence in suppress_sequences or []),
            "end_token": end_token not in (None, _END, [_END]),
            "prefix_bias_beta": prefix_bias_beta != 0,
            "min_decoding_length": min_decoding_length != 1,
            "use_vmap": use_vmap,
            "return_logits_vocab": return_logits_vocab,
            "return_alternatives": return_alternatives,
            "min_alternative_expansion_prob": min_alternative_expansion_prob != 0,
            "callback": callback is not None,
        }
    )
    if beam_size < 1:
        raise ValueError("The beam size must be > 0")
    if max_decoding_length < 1:
        raise ValueError("max_decoding_length must be > 0")
    search: dict[str, Any] = {
        "pieces": True,
        "stop": "collect",
        "beam_size": beam_size,
        "n_best": num_hypotheses,
        "normalize": float(length_penalty),
        "word_penalty": 0.0,
        "allow_unk": not disable_unk,
        "allow_special": True,
        "attention": return_attention,
        "max_length_factor": 1e6,
        "max_target_length": max_decoding_length,
        "no_repeat_ngram_size": no_repeat_ngram_size,
        "max_source_length": _longest(max_input_length),
        "excluded": [*chain.from_iterable(suppress_sequences or [])],
    }
    if sampling_topk != 1:
        search.update(_sampling(beam_size, sampling_topk, sampling_topp, sampling_temperature))
    elif num_hypotheses > beam_size:
        raise ValueError("The number of hypotheses cannot be greater than beam_size * patience")
    return _CallSettings(search, return_scores, return_attention, return_end_token, replace_unknowns, num_hypotheses)


def _sampling(beam_size: int, topk: int, topp: float, temperature: float) -> dict[str, Any]:
    if beam_size != 1:
        raise ValueError("Random sampling should be used with beam_size=1")
    if topk > 1 and topp < 1:
        raise OptionsError("sampling_topk and sampling_topp together are not supported; give one of them")
    kind = f"topk:{topk}" if topk > 1 else f"nucleus:{topp}" if topp < 1 else "full"
    return {"sampling": kind, "temperature": float(temperature), "seed": _seed}


def _refuse(given: dict[str, Any]) -> None:
    for name, is_given in given.items():
        if is_given:
            raise OptionsError(f"{name}: Metaphrase has no such option, or supports only its default; leave it out")


def _longest(max_input_length: int) -> int:
    """The most source tokens without the end of sentence, which CTranslate2 counts; 0 sets no limit."""
    return max(max_input_length - 1, 1) if max_input_length > 0 else 1 << 40


def _request(source: Tokens | None, target: Tokens | None, score: bool = False) -> Request:
    if source is None:
        raise ValueError("there are more targets than sources")
    tokens = _spaced(source)
    if score:
        return Request(tokens, target=_spaced(target or []))
    return Request(tokens, prefix=_spaced(target or []))


def _spaced(tokens: Tokens) -> str:
    """Tokens joined by spaces. A token that contains a space is in no vocabulary: it becomes the unknown word."""
    if isinstance(tokens, str):
        raise TypeError("expected a list of tokens, found a str")
    return " ".join(_UNKNOWN if " " in token or not token else token for token in tokens)


def _scored(found: Translation, offset: int) -> ScoringResult:
    if found.error is not None:
        raise RuntimeError(found.error)
    return ScoringResult([*found.pieces, _END][offset:], found.piece_log_probs[offset:])


def _replaced(token: str, row: Sequence[float], source: list[str]) -> str:
    """The token; for an unknown one the source token with the greatest attention, of equals the first."""
    if token != _UNKNOWN or not source:
        return token
    return source[max(range(len(source)), key=lambda place: row[place])]


def _check_not_read(output: str, *inputs: str | None) -> None:
    """Refuses an output that is an input: its lines would be lost before they are read."""
    for path in inputs:
        if path is not None and _files.is_same_file(path, output):
            raise OptionsError(f"output_path is {output}, which is also an input: name another file")


def _lines(path: str, tokenize: Tokenize) -> Iterator[list[str]]:
    split: Callable[[str], list[str]] = tokenize or str.split
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield split(line.rstrip("\r\n"))
