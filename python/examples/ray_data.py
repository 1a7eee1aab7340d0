"""Translates a data set with Ray Data: each actor loads the model once and translates batches of Arrow.

    python python/examples/ray_data.py
"""

import ray

from metaphrase.arrow import TranslateColumn


def translated(texts, actors=2, **options):
    """The translations of texts, in the order of their numbers."""
    rows = ray.data.from_items([{"number": number, "text": text} for number, text in enumerate(texts)])
    found = rows.map_batches(
        TranslateColumn,
        fn_constructor_args=("text",),
        fn_constructor_kwargs={"model": "en-de", **options},
        batch_format="pyarrow",
        batch_size=512,
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=1,
    )
    return [row["translation"] for row in sorted(found.take_all(), key=lambda row: row["number"])]


if __name__ == "__main__":
    for line in translated(["Good morning!", "Where is the station?", "I am tired."]):
        print(line)
