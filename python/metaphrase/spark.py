"""Translation of Spark DataFrames, in batch jobs and in Structured Streaming.

>>> from metaphrase.spark import translate
>>> translate(df, "text", model="en-de").write.parquet("translated")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metaphrase import OptionsError
from metaphrase.arrow import BATCH_BYTES, TranslateColumn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["translate"]


def translate(
    df: DataFrame,
    column: str,
    output: str = "translation",
    *,
    model: Any = "en-de",
    details: bool = False,
    batch_bytes: int = BATCH_BYTES,
    **options: Any,
) -> DataFrame:
    """The DataFrame with one more column: the translations of ``column``, null where it is null.

    ``model`` is a bundled model, a directory that exists on each machine, or a name given to ``SparkContext.addFile``.
    ``options`` are those of ``metaphrase.Translator``. Each Python process of an executor loads the model once and has one
    thread, because Spark runs a process for each core; with ``spark.task.cpus`` above 1 give ``threads``. ``batch_bytes`` of text
    are translated together. With ``details`` the column has structs: ``text``, ``score``, ``error``, ``missing`` (numbers of
    terms) and ``notes``.

    The translation of a line depends on the line alone: a task that is repeated gives the same bits.
    """
    from pyspark.sql.types import StringType, StructField, StructType
    from pyspark.sql.pandas.types import from_arrow_type

    from metaphrase.arrow import details_type

    fields = {field.name: field for field in df.schema.fields}
    if column not in fields:
        raise OptionsError(f"there is no column {column!r}; the columns are {', '.join(fields)}")
    if not isinstance(fields[column].dataType, StringType):
        found = fields[column].dataType.simpleString()
        raise OptionsError(f"the column {column!r} has the type {found}; expected string: cast it first")
    kind = from_arrow_type(details_type()) if details else StringType()
    fields[output] = StructField(output, kind, True)
    work = TranslateColumn(column, output, model=model, details=details, batch_bytes=batch_bytes, **options)
    return df.mapInArrow(work.batches, StructType(list(fields.values())))
