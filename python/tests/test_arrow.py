"""Columns of pyarrow, pandas, polars and DuckDB, in and out."""

import pickle

import pytest

from metaphrase import InputError, OptionsError

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def texts(lines):
    return [*lines, None]


@pytest.fixture(scope="module")
def expected(translator, lines):
    return [*(found.text for found in translator.translate(lines)), None]


def test_arrays_of_all_string_types(translator, texts, expected):
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        column = translator.translate_arrow(pa.array(texts, kind))
        found = pa.array(column)
        assert found.type == kind and found.to_pylist() == expected and len(column) == len(texts)
    assert pa.array(translator.translate_arrow(pa.nulls(2))).to_pylist() == [None, None]
    assert pa.array(translator.translate_arrow(pa.array([], pa.string()))).to_pylist() == []


def test_chunks_and_tables(translator, texts, expected):
    chunks = pa.chunked_array([texts[:2], texts[2:]])
    assert pa.chunked_array(translator.translate_arrow(chunks)).to_pylist() == expected
    table = pa.table({"text": texts, "number": list(range(len(texts)))})
    assert pa.array(translator.translate_arrow(table, column="text")).to_pylist() == expected
    for wrong, sentence in [({}, "name one of the columns"), ({"column": "txt"}, "there is no column \"txt\"")]:
        with pytest.raises(InputError, match=sentence):
            translator.translate_arrow(table, **wrong)
    with pytest.raises(InputError, match="the column has the type Int64; expected strings"):
        translator.translate_arrow(table, column="number")


def test_details(translator):
    from metaphrase.arrow import details_type

    column = translator.translate_arrow(pa.array(["The house is old.", None]), details=True, glossary={"house": "Gebäude"})
    found = pa.array(column)
    assert found.cast(details_type()).type == details_type()
    first, second = found.to_pylist()
    assert "Gebäude" in first["text"] and first["score"] < 0 and first["missing"] == [] and first["error"] is None
    assert second["text"] is None


def test_pandas(translator, texts, expected):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": texts})
    frame["de"] = pa.array(translator.translate_arrow(frame[["text"]])).to_pandas()
    assert [None if pd.isna(text) else text for text in frame["de"]] == expected


def test_polars(translator, texts, expected):
    pl = pytest.importorskip("polars")
    series = pl.Series("text", texts)
    assert pl.Series(translator.translate_arrow(series)).to_list() == expected
    frame = pl.DataFrame({"text": texts})
    frame = frame.with_columns(pl.Series(translator.translate_arrow(frame["text"])).alias("de"))
    assert frame["de"].to_list() == expected


def test_duckdb(translator, texts, expected):
    duckdb = pytest.importorskip("duckdb")
    rows = pa.table({"text": texts})
    assert rows.num_rows == len(texts)
    found = translator.translate_arrow(duckdb.sql("select text from rows"))
    assert pa.array(found).to_pylist() == expected


def test_columns_of_tables_in_parts(texts, expected):
    from metaphrase.arrow import TranslateColumn

    table = pa.table({"number": list(range(len(texts))), "text": texts})
    for bytes_together in (1, 40, 1 << 20):
        work = TranslateColumn("text", "de", batch_bytes=bytes_together)
        work = pickle.loads(pickle.dumps(work))
        for found in (work(table), pa.Table.from_batches(work.batches(table.to_batches(max_chunksize=3)))):
            assert found["de"].to_pylist() == expected and found.column_names == ["number", "text", "de"]
        assert work(table.slice(0, 0)).num_rows == 0
    assert TranslateColumn("text", "text")(table)["text"].to_pylist() == expected
    with pytest.raises(OptionsError, match=r"there is no option beam \(did you mean beam_size\?\); the options are .*batch_bytes"):
        TranslateColumn("text", beam=3)
    with pytest.raises(OptionsError, match="sampling"):
        TranslateColumn("text", sampling="full")
