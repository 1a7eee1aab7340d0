"""Values of slots that are made by rules: a function for each slot, English and German at once.

A function gets the random draw and the direction (`en-de`, `de-en` or `None`) and returns the English and the German text. The first of
several forms is the one that a target has; sources have any of them.
"""

import random
from collections.abc import Callable

Pair = tuple[str, str]
Generator = Callable[[random.Random, str | None], Pair]
GENERATORS: dict[str, Generator] = {}


def slot(function: Generator) -> Generator:
    """Offers the function to templates, by its name."""
    GENERATORS[function.__name__] = function
    return function


def forms(draw: random.Random, direction: str | None, english: list[str], german: list[str]) -> Pair:
    """One pair: any form on the side of the source, the first form on the other."""
    return (
        draw.choice(english) if direction == "en-de" else english[0],
        draw.choice(german) if direction == "de-en" else german[0],
    )


# Clock times.


def hour12(hour: int) -> int:
    return hour % 12 or 12


def time_forms(hour: int, minute: int, style: str) -> tuple[list[str], list[str]]:
    """The forms of a time; `style` is `short` (8 p.m., without minutes), or `full` (8:30 p.m.)."""
    half, twelve = ("a" if hour < 12 else "p"), hour12(hour)
    if style == "short":
        clocks = [f"{twelve}"]
        german = [f"{hour} Uhr"]
    else:
        clocks = [f"{twelve}:{minute:02}"] * 4 + [f"{twelve}.{minute:02}"]
        german = [f"{hour}:{minute:02} Uhr", f"{hour}:{minute:02} Uhr", f"{hour:02}:{minute:02} Uhr", f"{hour}.{minute:02} Uhr", f"{hour:02}.{minute:02} Uhr"]
    marks = [f" {half}.m.", f" {half}m", f"{half}m", f" {half.upper()}M", f"{half.upper()}M", f" {half}.m.", f" {half.upper()}M"]
    english = [clock + mark for clock in clocks for mark in marks]
    return english, german


def drawn_time(draw: random.Random) -> tuple[int, int]:
    """A time of a day as people write it: mostly full hours, halves and quarters."""
    hour = draw.choice([*range(24), *range(6, 23), *range(7, 22), *range(13, 23)])
    minute = draw.choice([0, 0, 0, 0, 30, 30, 15, 45, draw.randrange(0, 60, 5), draw.randrange(60)])
    return hour, minute


@slot
def time(draw: random.Random, direction: str | None) -> Pair:
    """After "at" and "um": 8 p.m. and 20 Uhr."""
    hour, minute = drawn_time(draw)
    style = "short" if minute == 0 and hour not in (0, 12) and draw.random() < 0.75 else "full"
    return forms(draw, direction, *time_forms(hour, minute, style))
