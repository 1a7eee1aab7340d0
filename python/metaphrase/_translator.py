"""The translator: the compiled one with additions in Python."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sized
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from metaphrase import _errors, _files, _native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self, Unpack

    from metaphrase.options import CallOptions, FileOptions, Path, PhraseOptions, TranslatorOptions

T = TypeVar("T")

#: Options whose values may be paths.
_FILES = ("shortlist", "evidence_model", "phrase_model", "glossary", "replace_unknown")

#: The most calls of `translate_async` in progress at a time; others wait.
_ASYNC_CALLS = 64


def _rebuild(cls: type[Translator], model: Any, options: dict[str, Any]) -> Translator:
    return cls._of(model, options)


def _absolute(path: Any) -> Any:
    """The absolute path of an existing file; any other name, such as that of a bundled model, unchanged."""
    is_path = isinstance(path, (str, os.PathLike))
    return os.path.abspath(path) if is_path and os.path.exists(path) else path


class Translator(_native.Translator):
    """Translates text with a neural model, or with several as an ensemble.

    ``model`` is the name of a bundled model (``"en-de"``, ``"de-en"``), the directory of a Marian, OPUS-MT, Hugging Face
    MarianMT or Metaphrase model, or a list of them. The keywords are the options of the models and of the machine
    (``threads``, ``precision``, ``batch_tokens``, ``shortlist``, …) and defaults for the options of the calls (``beam_size``,
    ``n_best``, ``glossary``, …); ``metaphrase.options`` lists them all.

    Any number of threads may use one translator. The translation of a line is the same, to the bit, in any batch and on any
    number of threads. The first call starts the threads: a process may fork before it; a translator that was used before a
    fork raises an error in the child. A pickle contains the paths of the files, and unpickling loads them again.

    >>> translator = Translator("en-de")
    >>> translator.translate("Good morning!").text
    'Guten Morgen!'
    """

    _model: Any
    _options: dict[str, Any]
    _calls: ThreadPoolExecutor | None

    def __new__(cls, model: Path | Sequence[Path] | None = "en-de", **options: Unpack[TranslatorOptions]) -> Self:
        return cls._of(model, options)

    @classmethod
    def _of(cls, model: Any, options: Mapping[str, Any]) -> Self:
        self = super().__new__(cls, model, **options)
        self._model = [_absolute(one) for one in model] if isinstance(model, (list, tuple)) else _absolute(model)
        self._options = {key: _absolute(value) if key in _FILES else value for key, value in options.items()}
        if options.get("language_model"):
            path, weight = options["language_model"]
            self._options["language_model"] = (_absolute(path), weight)
        if options.get("vocabularies"):
            self._options["vocabularies"] = [_absolute(path) for path in options["vocabularies"]]
        self._calls = None
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._model, self._options)

    def translate_iterable(
        self,
        source: Iterable[str | _native.Request],
        *,
        ahead: int = 4096,
        progress: bool = False,
        **options: Unpack[CallOptions],
    ) -> Iterator[_native.Translation]:
        """Translates the lines of an iterable, in order, as they arrive.

        It reads at most ``ahead`` lines and 4 MiB of text before it returns the translation of the first of them, so an endless
        iterable takes bounded memory. The items are strings, or a ``Request`` with its own terms. With ``progress`` tqdm shows
        the speed, if it is installed.
        """
        stream: Iterator[_native.Translation] = self.stream(source, ahead=ahead, **options)
        if not progress:
            return stream
        total = len(source) if isinstance(source, Sized) else None
        return _with_progress(stream, total)

    def translate_file(
        self,
        source: Path | bytes,
        output: Path | None = None,
        *,
        format: str | None = None,
        overwrite: bool = False,
        **options: Unpack[FileOptions],
    ) -> _native.FileTranslation:
        """Translates a file, or its bytes: finds the sentences, translates them and writes them in their places.

        ``format`` is the extension of the file (``"docx"``, ``"srt"``, ``"html"``, …); the default is the extension of ``source``.
        The result has the ``content``, which is also written to ``output``, atomically. An ``output`` that is the file ``source``
        is refused, unless ``overwrite`` is true.
        """
        if output is not None and not overwrite and not isinstance(source, bytes) and _files.is_same_file(source, output):
            name = os.fspath(output)
            raise _errors.OptionsError(f"output is {name}, which is also the source: name another file, or give overwrite=True")
        if isinstance(source, bytes):
            content = source
            if format is None:
                raise _errors.OptionsError("bytes have no file name: give format, such as \"docx\"")
        else:
            try:
                with open(source, "rb") as file:
                    content = file.read()
            except OSError as error:
                raise _errors.InputError(f"cannot read {os.fspath(source)}: {error.strerror}") from error
        translated = self.translate_bytes(content, format or os.path.splitext(str(source))[1][1:], **options)
        if output is not None:
            with _files.new_file(output) as file:
                file.write(translated.content)
        return translated

    async def translate_async(self, source: Any, **options: Any) -> Any:
        """``translate`` for asyncio: it does not block the event loop. Calls share the translator's threads and batches."""
        return await self._in_thread(functools.partial(self.translate, source, **options))

    async def score_async(self, source: Any, target: Any, **options: Any) -> Any:
        """``score`` for asyncio."""
        return await self._in_thread(functools.partial(self.score, source, target, **options))

    async def _in_thread(self, call: functools.partial[T]) -> T:
        if self._calls is None:
            self._calls = ThreadPoolExecutor(_ASYNC_CALLS, thread_name_prefix="metaphrase")
        return await asyncio.get_running_loop().run_in_executor(self._calls, call)

    def close(self) -> None:
        """Unloads the model and ends the threads, after the calls in progress."""
        if self._calls is not None:
            self._calls.shutdown()
            self._calls = None
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<metaphrase.{type(self).__name__} {self._model!r}{' (closed)' if self.closed else ''}>"


class PhraseTranslator(Translator):
    """Translates with a phrase-based model of Moses: a directory with a ``moses.ini``, or the ``moses.ini`` itself.

    Spaces separate the words of a line, which must have the form of the training text. The keywords are ``threads`` and the
    options of the search: ``coverages``, ``hypotheses``, ``options``, ``presort``, ``look_ahead``, ``distortion_limit``,
    ``unknown_words``; calls take ``n_best`` and ``max_source_length``.
    """

    def __new__(cls, model: Path, **options: Unpack[PhraseOptions]) -> Self:
        return cls._of(None, {**options, "phrase_model": model})


def _with_progress(stream: Iterator[T], total: int | None) -> Iterator[T]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return stream
    bar: Iterator[T] = iter(tqdm(stream, total=total, unit=" lines"))
    return bar
