"""Columns of Arrow in pyarrow's tables: the callable that Spark and Ray run, batch by batch.

``TranslateColumn`` pickles as its settings. Each process loads the translator once, whichever callable asks for it.
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

#: Bytes of text that are translated together, at most, but for a longer line.
BATCH_BYTES = 1 << 20

#: The keywords of ``TranslateColumn`` that are no options of a translator.
_OWN = ("column", "output", "model", "details", "batch_bytes")
#: The translators of this process, by their settings.
_translators: dict[bytes, Translator] = {}
_loading = threading.Lock()


def details_type() -> pa.DataType:
    """The type of the new column with ``details``."""
    lists = [("missing", pa.list_(pa.int32())), ("notes", pa.list_(pa.string()))]
    return pa.struct([("text", pa.string()), ("score", pa.float32()), ("error", pa.string()), *lists])


class TranslateColumn:
    """Adds to a table the translations of one of its columns.

    The table is a ``pyarrow.Table`` or a ``pyarrow.RecordBatch``; the result has its type. ``output`` is the name of the new
    column, which replaces a column of that name. With ``details`` it has structs of text, score, error, numbers of missing terms and
    notes. ``options`` are those of ``Translator``; without ``threads`` there is one thread, as Spark and Ray run a process per core.

    The translation of a line depends on the line alone. A batch that is translated again gives the same bits, however rows are
    distributed over batches. Draws do not: ``sampling`` is refused.
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
        self.column, self.output, self.details, self.batch_bytes = column, output, details, batch_bytes
        self.settings = pickle.dumps((model, {"threads": 1, **options}))

    def translator(self) -> Translator:
        """The translator of this process."""
        with _loading:
            key = self.settings
            if key not in _translators:
                model, options = pickle.loads(key)
                _translators[key] = Translator(_found(model), **options)
            return _translators[key]

    def __call__(self, table: Any) -> Any:
        translator, texts = self.translator(), table.column(self.column)
        found = [
            pa.chunked_array(translator.translate_arrow(part, details=self.details))
            for part in _parts(texts, self.batch_bytes)
        ]
        chunks = [chunk for part in found for chunk in part.chunks]
        kind = details_type() if self.details else pa.string()
        column = pa.chunked_array([chunk.cast(kind) for chunk in chunks], type=kind)
        place = table.schema.get_field_index(self.output)
        if isinstance(table, pa.RecordBatch):
            columns, schema = list(table.columns), table.schema
            whole = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
            field = pa.field(self.output, kind)
            if place < 0:
                return pa.RecordBatch.from_arrays([*columns, whole], schema=schema.append(field))
            columns[place] = whole
            return pa.RecordBatch.from_arrays(columns, schema=schema.set(place, field))
        return table.append_column(self.output, column) if place < 0 else table.set_column(place, self.output, column)

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Record batch after record batch, as ``DataFrame.mapInArrow`` wants it."""
        for batch in batches:
            yield self(batch)


def _parts(texts: Any, most: int) -> Iterator[Any]:
    """Slices of a column whose texts have this number of bytes at most; a longer text is a slice of its own."""
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    for chunk in chunks:
        start, size = 0, 0
        for place, length in enumerate(pc.fill_null(pc.binary_length(chunk), 0).to_pylist()):
            if place > start and size + length > most:
                yield chunk.slice(start, place - start)
                start, size = place, 0
            size += length
        if start < len(chunk):
            yield chunk.slice(start)


def _found(model: Any) -> Any:
    """The model, or the file of that name that Spark has brought to this machine."""
    if not isinstance(model, (str, os.PathLike)) or os.path.exists(model) or model in ("en-de", "de-en"):
        return model
    try:
        from pyspark import SparkFiles

        path = SparkFiles.get(os.fspath(model))
    except Exception:  # Not in Spark: the translator says what is missing.
        return model
    return path if os.path.exists(path) else model
