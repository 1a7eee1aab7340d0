"""Columns of Arrow in the tables of pyarrow: a callable that Spark and Ray run on each batch.

A pickle of ``TranslateColumn`` contains its settings. Each process loads a translator once and shares it among callables with
the same settings.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from metaphrase import OptionsError, Translator
from metaphrase._errors import unknown_option
from metaphrase.options import TranslatorOptions

__all__ = ["TranslateColumn", "details_type"]

#: The most bytes of text that are translated together. A longer line is translated alone.
BATCH_BYTES = 1 << 20

#: The keywords of ``TranslateColumn`` that are not options of a translator.
_OWN = ("column", "output", "model", "details", "batch_bytes")
#: The translators of this process, by their settings.
_translators: dict[bytes, Translator] = {}
_loading = threading.Lock()


def details_type() -> pa.DataType:
    """The type of the new column if ``details`` is true."""
    lists = [("missing", pa.list_(pa.int32())), ("notes", pa.list_(pa.string()))]
    return pa.struct([("text", pa.string()), ("score", pa.float32()), ("error", pa.string()), *lists])


class TranslateColumn:
    """Adds to a table the translations of one of its columns.

    The table is a ``pyarrow.Table`` or a ``pyarrow.RecordBatch``; the result has the same type. ``output`` is the name of the
    new column, which replaces a column with that name. With ``details`` it has structs of text, score, error, numbers of missing
    terms and notes. ``options`` are those of ``Translator``; the default of ``threads`` is 1, because Spark and Ray run a process
    for each core.

    The translation of a line depends on the line alone: a batch that is repeated gives the same bits, however rows are
    distributed over batches. Random draws do not, so ``sampling`` is refused.
    """

    def __init__(
        self,
        column: str,
        output: str = "translation",
        *,
        model: Any = "en-de",
        details: bool = False,
        batch_bytes: int = BATCH_BYTES,
        **options: Any,
    ) -> None:
        known = TranslatorOptions.__optional_keys__
        for name, value in options.items():
            if name not in known:
                raise unknown_option(name, "TranslatorOptions", _OWN)
            if name == "sampling" and value is not None:
                raise OptionsError("sampling: draws depend on the number of a line, so a batch that is repeated would differ")
        if batch_bytes < 1:
            raise OptionsError(f"batch_bytes is {batch_bytes}; expected a number from 1 up")
        self.column = column
        self.output = output
        self.details = details
        self.batch_bytes = batch_bytes
        self.settings = pickle.dumps((model, {"threads": 1, **options}))

    def translator(self) -> Translator:
        """The translator of this process."""
        with _loading:
            key = self.settings
            if key not in _translators:
                model, options = pickle.loads(key)
                _translators[key] = Translator(_local_path(model), **options)
            return _translators[key]

    def __call__(self, table: Any) -> Any:
        translator = self.translator()
        texts = table.column(self.column)
        parts = [
            pa.chunked_array(translator.translate_arrow(part, details=self.details))
            for part in _parts(texts, self.batch_bytes)
        ]
        chunks = [chunk for part in parts for chunk in part.chunks]
        kind = details_type() if self.details else pa.string()
        column = pa.chunked_array([chunk.cast(kind) for chunk in chunks], type=kind)
        place = table.schema.get_field_index(self.output)
        if isinstance(table, pa.RecordBatch):
            columns = list(table.columns)
            schema = table.schema
            whole = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
            field = pa.field(self.output, kind)
            if place < 0:
                return pa.RecordBatch.from_arrays([*columns, whole], schema=schema.append(field))
            columns[place] = whole
            return pa.RecordBatch.from_arrays(columns, schema=schema.set(place, field))
        return table.append_column(self.output, column) if place < 0 else table.set_column(place, self.output, column)

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Translates record batches one after another; an argument for ``DataFrame.mapInArrow``."""
        for batch in batches:
            yield self(batch)


def _parts(texts: Any, most: int) -> Iterator[Any]:
    """Slices of a column with at most ``most`` bytes of text each; a longer text is a slice of its own."""
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    for chunk in chunks:
        start = 0
        size = 0
        for place, length in enumerate(pc.fill_null(pc.binary_length(chunk), 0).to_pylist()):
            if place > start and size + length > most:
                yield chunk.slice(start, place - start)
                start = place
                size = 0
            size += length
        if start < len(chunk):
            yield chunk.slice(start)


def _local_path(model: Any) -> Any:
    """The model, or the path to which Spark has copied a file of this name."""
    if not isinstance(model, (str, os.PathLike)) or os.path.exists(model) or model in ("en-de", "de-en"):
        return model
    try:
        from pyspark import SparkFiles

        path = SparkFiles.get(os.fspath(model))
    except Exception:  # Not in Spark: the translator reports the missing file.
        return model
    return path if os.path.exists(path) else model
