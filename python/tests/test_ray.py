"""The example of Ray Data, with an actor that is killed."""

import os
import signal
import sys
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

from metaphrase import Translator  # noqa: E402
from metaphrase.arrow import TranslateColumn  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import ray_data  # noqa: E402


@pytest.fixture(scope="module")
def texts(lines):
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield [f"{line} {number}" for number in range(8) for line in lines if line]
    ray.shutdown()


def test_the_example(texts):
    expected = [found.text for found in Translator("en-de", beam_size=2).translate(texts)]
    assert ray_data.translated(texts, beam_size=2) == expected


def test_an_actor_that_is_killed_is_started_again(texts, tmp_path):
    expected = [found.text for found in Translator("en-de", beam_size=2).translate(texts)]
    marker = tmp_path / "killed"

    class Mortal(TranslateColumn):
        def __call__(self, table):
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().__call__(table)

    rows = ray.data.from_items([{"number": number, "text": text} for number, text in enumerate(texts)])
    found = rows.map_batches(
        Mortal,
        fn_constructor_args=("text",),
        fn_constructor_kwargs={"beam_size": 2},
        batch_format="pyarrow",
        batch_size=16,
        compute=ray.data.ActorPoolStrategy(size=1),
        max_restarts=3,
        max_task_retries=3,
    )
    rows = sorted(found.take_all(), key=lambda row: row["number"])
    assert marker.exists() and [row["translation"] for row in rows] == expected
