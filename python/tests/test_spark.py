"""Spark: batch jobs, repeated tasks, resumed streams. Needs pyspark and Java."""

import os
import shutil
import signal

import pytest

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("needs Java", allow_module_level=True)

from metaphrase import OptionsError, Translator  # noqa: E402
from metaphrase.arrow import TranslateColumn  # noqa: E402
from metaphrase.spark import translate  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    import sys

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # The session of another test may not repeat tasks.
    if (before := SparkSession.getActiveSession()) is not None:
        before.stop()
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows(lines):
    texts = [f"{line} {number}" if line else line for number in range(12) for line in lines]
    return [(number, text) for number, text in enumerate([*texts, None])]


@pytest.fixture(scope="module")
def expected(rows):
    found = Translator("en-de", threads=2, beam_size=2).translate([text or "" for _, text in rows])
    return {number: None if text is None else one.text for (number, text), one in zip(rows, found)}


def frame(spark, rows, partitions=3):
    return spark.createDataFrame(rows, "number int, text string").repartition(partitions)


def collected(found):
    rows = [(row["number"], row["translation"]) for row in found.collect()]
    assert len(rows) == len({number for number, _ in rows}), "a line twice"
    return dict(rows)


def test_columns(spark, rows, expected):
    found = translate(frame(spark, rows), "text", beam_size=2)
    assert found.columns == ["number", "text", "translation"]
    assert collected(found) == expected
    replaced = translate(frame(spark, rows[:5]), "text", "text", beam_size=2, batch_bytes=10)
    assert {row["number"]: row["text"] for row in replaced.collect()} == {number: expected[number] for number in range(5)}


def test_details(spark):
    [row] = translate(frame(spark, [(1, "The house is old.")], 1), "text", details=True, glossary={"house": "Gebäude"}).collect()
    assert "Gebäude" in row.translation.text and row.translation.missing == [] and row.translation.error is None


def test_a_task_that_is_killed_is_done_again_with_the_same_bits(spark, rows, expected, tmp_path):
    marker = tmp_path / "killed"
    work = TranslateColumn("text", beam_size=2)

    def once(batches):
        for number, batch in enumerate(work.batches(batches)):
            yield batch
            if number == 0 and not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)

    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    found = collected(frame(spark, rows).mapInArrow(once, "number int, text string, translation string"))
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert marker.exists() and found == expected


def test_a_stream_that_ends_and_is_started_again_has_each_line_once(spark, rows, expected, tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()

    def more(part):
        frame(spark, part, 1).write.mode("append").json(str(source))
        stream = spark.readStream.schema("number int, text string").option("maxFilesPerTrigger", 1).json(str(source))
        sink = translate(stream, "text", beam_size=2).writeStream.format("parquet")
        sink = sink.option("path", str(target)).option("checkpointLocation", str(tmp_path / "checkpoint"))
        assert sink.trigger(availableNow=True).start().awaitTermination(120)

    more(rows[:60])
    more(rows[60:])
    assert collected(spark.read.parquet(str(target))) == expected


def test_what_is_refused(spark, rows):
    for wrong, options, sentence in [
        ("txt", {}, "there is no column 'txt'; the columns are number, text"),
        ("number", {}, "the column 'number' has the type int; expected string"),
        ("text", {"sampling": "full"}, "sampling"),
        ("text", {"beam": 3}, "there is no option beam"),
    ]:
        with pytest.raises(OptionsError, match=sentence):
            translate(frame(spark, rows[:1]), wrong, **options)
    with pytest.raises(Exception, match="nowhere"):
        translate(frame(spark, rows[:1], 1), "text", model="nowhere").collect()
