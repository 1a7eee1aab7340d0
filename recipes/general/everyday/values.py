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


# Numbers in words.

SMALL_EN = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
SMALL_DE = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split()
TENS_EN = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
TENS_DE = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
ORDINALS_EN = "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
ORDINALS_DE = "- erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft".split()


def words(number: int) -> Pair:
    """A number from 2 to 99 in words."""
    if number < 20:
        return SMALL_EN[number], SMALL_DE[number]
    tens, ones = divmod(number, 10)
    english = TENS_EN[tens] + (f"-{SMALL_EN[ones]}" if ones else "")
    return english, (f"{SMALL_DE[ones]}und" if ones else "") + TENS_DE[tens]


def ordinal_mark(number: int) -> str:
    """3rd: the number with its English ending."""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


# Clock times.

SPOKEN_DE = [*SMALL_DE[:1], "eins", *SMALL_DE[2:13]]


def hour12(hour: int) -> int:
    return hour % 12 or 12


def half_day_marks(hour: int) -> list[str]:
    half = "a" if hour < 12 else "p"
    return [f" {half}.m.", f" {half}m", f"{half}m", f" {half.upper()}M", f"{half.upper()}M", f" {half}.m.", f" {half.upper()}M", f"{half}m", f" {half.upper()}.M."]


def full_clock(hour: int, minute: int) -> tuple[list[str], list[str]]:
    """Times with minutes: 8:30 p.m. and 20:30 Uhr."""
    clocks = [f"{hour12(hour)}:{minute:02}"] * 5 + [f"{hour12(hour)}.{minute:02}"]
    english = [clock + mark for clock in clocks for mark in half_day_marks(hour)]
    return english, [f"{hour}:{minute:02} Uhr", f"{hour}:{minute:02} Uhr", f"{hour:02}:{minute:02} Uhr", f"{hour}.{minute:02} Uhr", f"{hour:02}.{minute:02} Uhr"]


def short_clock(hour: int) -> tuple[list[str], list[str]]:
    """Full hours without minutes: 8 p.m. and 20 Uhr. Noon and midnight have words of their own."""
    return [f"{hour12(hour)}{mark}" for mark in half_day_marks(hour)], [f"{hour} Uhr"]


def drawn_time(draw: random.Random, hours: range = range(24)) -> tuple[int, int]:
    """A time of a day as people write it: mostly full hours, halves and quarters."""
    hour = draw.choice([hour for part in (range(24), range(6, 23), range(7, 22), range(13, 23)) for hour in part if hour in hours])
    minute = draw.choice([0, 0, 0, 0, 30, 30, 15, 45, draw.randrange(0, 60, 5), draw.randrange(60)])
    return hour, minute


def time_in(draw: random.Random, direction: str | None, hours: range) -> Pair:
    hour, minute = drawn_time(draw, hours)
    if minute == 0 and hour not in (0, 12) and draw.random() < 0.8:
        return forms(draw, direction, *short_clock(hour))
    if direction == "en-de" and draw.random() < 0.15:
        clock = f"{hour:02}{minute:02}"
        english = [f"{hour:02}:{minute:02}", f"{hour:02}:{minute:02}", f"{hour:02}:{minute:02}", f"{hour:02}:{minute:02} hrs", f"{clock} hrs", f"{clock} hours", f"{hour:02}:{minute:02} hours"]
        return draw.choice(english), f"{hour}:{minute:02} Uhr"
    return forms(draw, direction, *full_clock(hour, minute))


@slot
def time(draw: random.Random, direction: str | None) -> Pair:
    """After "at" and "um": 8 p.m. and 20 Uhr, 8:30 p.m. and 20:30 Uhr."""
    return time_in(draw, direction, range(24))


@slot
def time_am(draw: random.Random, direction: str | None) -> Pair:
    """A time of the morning."""
    return time_in(draw, direction, range(5, 12))


@slot
def time_pm(draw: random.Random, direction: str | None) -> Pair:
    """A time of the afternoon."""
    return time_in(draw, direction, range(13, 18))


@slot
def time_evening(draw: random.Random, direction: str | None) -> Pair:
    """A time of the evening."""
    return time_in(draw, direction, range(18, 24))


@slot
def time_spoken(draw: random.Random, direction: str | None) -> Pair:
    """After "at" and "um": half past seven and halb acht, quarter to eight and Viertel vor acht, ten to nine and zehn vor neun."""
    hour = draw.randrange(1, 13)
    this, following = (SMALL_EN[hour], SPOKEN_DE[hour]), (SMALL_EN[hour % 12 + 1], SPOKEN_DE[hour % 12 + 1])
    kind = draw.choice(["half", "half", "half", "past", "past", "to", "to", "minutes", "minutes", "near half"])
    if kind == "half":
        english = [f"half past {this[0]}", f"half past {hour}", f"half {this[0]}", f"{this[0]} thirty", f"half past {this[0]}", f"half past {this[0]}"]
        return forms(draw, direction, english, [f"halb {following[1]}", f"halb {hour % 12 + 1}", f"halb {following[1]}"])
    if kind == "past":
        english = [f"quarter past {this[0]}", f"a quarter past {this[0]}", f"quarter past {hour}", f"quarter after {this[0]}", f"a quarter after {this[0]}"]
        return forms(draw, direction, english, [f"Viertel nach {this[1]}", f"Viertel nach {hour}", f"viertel nach {this[1]}"])
    if kind == "to":
        next_hour = hour % 12 + 1
        english = [f"quarter to {following[0]}", f"a quarter to {following[0]}", f"quarter to {next_hour}", f"quarter of {following[0]}", f"a quarter till {following[0]}"]
        german = [f"Viertel vor {following[1]}", f"Viertel vor {next_hour}", f"viertel vor {following[1]}", f"dreiviertel {following[1]}", f"drei viertel {following[1]}"]
        return forms(draw, direction, english, german)
    if kind == "near half":
        if draw.random() < 0.5:
            return forms(draw, direction, [f"twenty-five past {this[0]}"], [f"fünf vor halb {following[1]}"])
        return forms(draw, direction, [f"twenty-five to {following[0]}"], [f"fünf nach halb {following[1]}"])
    minutes = draw.choice([5, 10, 20])
    if draw.random() < 0.5:
        english = [f"{SMALL_EN[minutes] if minutes < 20 else 'twenty'} past {this[0]}", f"{minutes} past {this[0]}", f"{minutes} minutes past {hour}"]
        return forms(draw, direction, english, [f"{words(minutes)[1]} nach {this[1]}", f"{minutes} nach {hour}", f"{minutes} nach {this[1]}"])
    english = [f"{words(minutes)[0]} to {following[0]}", f"{minutes} to {following[0]}", f"{minutes} minutes to {hour % 12 + 1}"]
    return forms(draw, direction, english, [f"{words(minutes)[1]} vor {following[1]}", f"{minutes} vor {hour % 12 + 1}", f"{minutes} vor {following[1]}"])


@slot
def time_word(draw: random.Random, direction: str | None) -> Pair:
    """eight o'clock and acht Uhr; as a source in English 8 o'clock, too."""
    hour = draw.randrange(1, 13)
    german = "ein Uhr" if hour == 1 else f"{SMALL_DE[hour]} Uhr"
    if direction == "en-de" and draw.random() < 0.5:
        return draw.choice([f"{hour} o'clock", f"{hour} o’clock"]), f"{hour} Uhr"
    return forms(draw, direction, [f"{SMALL_EN[hour]} o'clock", f"{SMALL_EN[hour]} o’clock"], [german])


@slot
def time_part(draw: random.Random, direction: str | None) -> Pair:
    """8 o'clock in the evening and 8 Uhr abends."""
    english, german, hours = draw.choice([
        ("in the morning", "morgens", range(5, 10)),
        ("in the morning", "morgens", range(5, 10)),
        ("in the afternoon", "nachmittags", range(2, 6)),
        ("in the evening", "abends", range(6, 11)),
        ("in the evening", "abends", range(6, 11)),
        ("at night", "nachts", range(10, 12)),
    ])
    hour = draw.choice(hours)
    if draw.random() < 0.4:
        spelled, german_word = SMALL_EN[hour], SMALL_DE[hour]
        return forms(draw, direction, [f"{spelled} o'clock {english}", f"{spelled} {english}"], [f"{german_word} Uhr {german}"])
    return forms(draw, direction, [f"{hour} o'clock {english}", f"{hour} {english}", f"{hour} o’clock {english}"], [f"{hour} Uhr {german}"])


def drawn_span(draw: random.Random) -> tuple[int, int, int, int]:
    """Two times of a day, the second one later."""
    while True:
        first, last = draw.randrange(5, 22), draw.randrange(6, 24)
        if first < last and 12 not in (first, last):
            break
    minutes = [0, 0] if draw.random() < 0.55 else [draw.choice([0, 30, 15, 45]), draw.choice([0, 30, 30, 45])]
    return first, minutes[0], last, minutes[1]


def short_hour(hour: int, minute: int, twelve: bool) -> str:
    shown = hour12(hour) if twelve else hour
    return f"{shown}:{minute:02}" if minute else f"{shown}"


def span_ends(draw: random.Random, direction: str | None) -> tuple[list[Pair], list[Pair]]:
    """The two ends of a span of time, as English forms and as German forms; the first form is that of a target."""
    first, first_minute, last, last_minute = drawn_span(draw)
    english = []
    for mark in range(9):
        marks = half_day_marks(first)[mark], half_day_marks(last)[mark]
        ends = short_hour(first, first_minute, True), short_hour(last, last_minute, True)
        english.append((ends[0] + marks[0], ends[1] + marks[1]))
        if (first < 12) == (last < 12) or (first < 12 and last - 12 < first and last < 19 and mark == 3):
            english.append((ends[0], ends[1] + marks[1]))
    german = [(short_hour(first, first_minute, False), f"{short_hour(last, last_minute, False)} Uhr")]
    if first_minute or last_minute:
        german[0] = (f"{first}:{first_minute:02}", f"{last}:{last_minute:02} Uhr")
        english = [(with_minutes(a), with_minutes(b)) for a, b in english]
        german += [(f"{first}.{first_minute:02}", f"{last}.{last_minute:02} Uhr"), (f"{first:02}:{first_minute:02}", f"{last:02}:{last_minute:02} Uhr"), german[0]]
    elif direction == "en-de" and draw.random() < 0.2:
        english = [(f"{first:02}:00", f"{last}:00"), (f"{first}:00", f"{last}:00")]
        german = [(f"{first}:00", f"{last}:00 Uhr")]
    return english, german


def with_minutes(clock: str) -> str:
    """9 a.m. as 9:00 a.m.; other times as they are."""
    number = clock.split(" ")[0].rstrip("apmAPM.")
    return clock if ":" in clock else clock.replace(number, f"{number}:00", 1)


def span(draw: random.Random, direction: str | None, english: list[str], german: list[str]) -> Pair:
    """A span of time; `english` and `german` are patterns for its ends."""
    ends_en, ends_de = span_ends(draw, direction)
    chosen_en = draw.choice(ends_en) if direction == "en-de" else ends_en[0]
    chosen_de = draw.choice(ends_de) if direction == "de-en" else ends_de[0]
    pattern_en, pattern_de = forms(draw, direction, english, german)
    return pattern_en.format(*chosen_en), pattern_de.format(*chosen_de)


@slot
def time_from_to(draw: random.Random, direction: str | None) -> Pair:
    """from 9 a.m. to 5 p.m. and von 9 bis 17 Uhr."""
    return span(draw, direction, ["from {} to {}", "from {} until {}", "from {} till {}", "from {} to {}"], ["von {} bis {}"])


@slot
def time_between(draw: random.Random, direction: str | None) -> Pair:
    """between 2 p.m. and 4 p.m. and zwischen 14 und 16 Uhr."""
    return span(draw, direction, ["between {} and {}"], ["zwischen {} und {}"])


@slot
def time_dash(draw: random.Random, direction: str | None) -> Pair:
    """9 a.m.–5 p.m. and 9–17 Uhr."""
    return span(draw, direction, ["{}–{}", "{} – {}", "{}-{}", "{} - {}", "{} to {}"], ["{}–{}", "{} – {}", "{}-{}", "{} - {}", "{} bis {}"])


# Dates.

MONTHS = [
    ("January", "Januar", "Jan", "Jan."), ("February", "Februar", "Feb", "Feb."), ("March", "März", "Mar", "März"), ("April", "April", "Apr", "Apr."),
    ("May", "Mai", "May", "Mai"), ("June", "Juni", "Jun", "Juni"), ("July", "Juli", "Jul", "Juli"), ("August", "August", "Aug", "Aug."),
    ("September", "September", "Sept", "Sept."), ("October", "Oktober", "Oct", "Okt."), ("November", "November", "Nov", "Nov."), ("December", "Dezember", "Dec", "Dez."),
]
DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
WEEKDAYS = [
    ("Monday", "Montag", "Mon", "Mo"), ("Tuesday", "Dienstag", "Tue", "Di"), ("Wednesday", "Mittwoch", "Wed", "Mi"), ("Thursday", "Donnerstag", "Thu", "Do"),
    ("Friday", "Freitag", "Fri", "Fr"), ("Saturday", "Samstag", "Sat", "Sa"), ("Sunday", "Sonntag", "Sun", "So"),
]


def drawn_day(draw: random.Random) -> tuple[int, int, int]:
    month = draw.randrange(12)
    year = draw.choice([draw.randrange(2015, 2035), draw.randrange(1950, 2031), draw.randrange(1700, 2000)] if draw.random() < 0.3 else [draw.randrange(2019, 2031)])
    return draw.randrange(DAYS[month]) + 1, month, year


def day_month_forms(day: int, month: int) -> tuple[list[str], list[str]]:
    english, german, short, _ = MONTHS[month]
    forms_en = [
        f"{day} {english}", f"{english} {day}", f"{english} {day}", f"{english} {ordinal_mark(day)}", f"{ordinal_mark(day)} {english}",
        f"the {ordinal_mark(day)} of {english}", f"{short} {day}",
    ]
    return forms_en, [f"{day}. {german}", f"{day}. {german}", f"{day:02}. {german}", f"{day}. {german}", f"{day}.{month + 1}."]


@slot
def day_month(draw: random.Random, direction: str | None) -> Pair:
    """After "on" and "am": 3 May and 3. Mai."""
    day, month, _ = drawn_day(draw)
    return forms(draw, direction, *day_month_forms(day, month))


@slot
def date(draw: random.Random, direction: str | None) -> Pair:
    """After "on" and "am": 3 May 2024 and 3. Mai 2024; as a source with numbers, too, where they have one meaning."""
    day, month, year = drawn_day(draw)
    name_en, name_de, short_en, short_de = MONTHS[month]
    mark = ordinal_mark(day)
    if direction == "en-de" and day > 12 and draw.random() < 0.15:
        english = [f"{day}/{month + 1:02}/{year}", f"{month + 1:02}/{day}/{year}", f"{month + 1}/{day}/{year}", f"{day}.{month + 1:02}.{year}"]
        return draw.choice(english), f"{day}.{month + 1:02}.{year}"
    english = [
        f"{day} {name_en} {year}", f"{name_en} {day}, {year}", f"{name_en} {day}, {year}", f"{name_en} {mark}, {year}", f"{mark} {name_en} {year}",
        f"the {mark} of {name_en} {year}", f"{short_en} {day}, {year}", f"{day} {short_en} {year}", f"{day} {name_en}, {year}", f"{day} {name_en} {year}",
    ]
    german = [
        f"{day}. {name_de} {year}", f"{day}. {name_de} {year}", f"{day:02}. {name_de} {year}", f"{day:02}.{month + 1:02}.{year}", f"{day:02}.{month + 1:02}.{year}",
        f"{day}.{month + 1}.{year}", f"{day}. {short_de} {year}", f"{day}. {month + 1}. {year}",
    ]
    return forms(draw, direction, english, german)


@slot
def date_iso(draw: random.Random, direction: str | None) -> Pair:
    """2024-05-03 on both sides."""
    day, month, year = drawn_day(draw)
    return (f"{year}-{month + 1:02}-{day:02}",) * 2


@slot
def on_weekday_date(draw: random.Random, direction: str | None) -> Pair:
    """on Monday, 3 May and am Montag, dem 3. Mai; with or without a year."""
    weekday = draw.choice(WEEKDAYS)
    english, german = (day_month if draw.random() < 0.5 else date)(draw, direction)
    if direction == "en-de":
        comma = draw.choice([", ", ", ", " "])
        return f"on {draw.choice([weekday[0]] * 4 + [weekday[2]])}{comma}{english}", f"am {weekday[1]}, dem {german}"
    joint = draw.choice([", dem ", ", dem ", ", den ", ", ", " dem ", " den "]) if direction else ", dem "
    name = "Sonnabend" if direction and weekday[1] == "Samstag" and draw.random() < 0.2 else weekday[1]
    return f"on {weekday[0]}, {english}", f"am {name}{joint}{german}"


@slot
def weekday_date(draw: random.Random, direction: str | None) -> Pair:
    """Standing alone: Monday, 3 May 2024 and Montag, 3. Mai 2024."""
    weekday = draw.choice(WEEKDAYS)
    english, german = (day_month if draw.random() < 0.4 else date)(draw, direction)
    comma = draw.choice([", ", ", ", " "]) if direction == "en-de" else ", "
    joint = draw.choice([", ", ", ", ", den ", " "]) if direction == "de-en" else ", "
    return f"{weekday[0]}{comma}{english}", f"{weekday[1]}{joint}{german}"


@slot
def weekday(draw: random.Random, direction: str | None) -> Pair:
    name = draw.choice(WEEKDAYS)
    if direction == "de-en" and name[1] == "Samstag" and draw.random() < 0.2:
        return name[0], "Sonnabend"
    return name[0], name[1]


@slot
def weekdays_short(draw: random.Random, direction: str | None) -> Pair:
    """Mon–Fri and Mo–Fr."""
    first = draw.randrange(6)
    last = draw.randrange(first + 1, 7)
    dash_en, dash_de = forms(draw, direction, ["–", "-", " – ", " - "], ["–", "-", " – ", " - ", ".–"])
    english = WEEKDAYS[first][2] + dash_en + WEEKDAYS[last][2]
    return english, WEEKDAYS[first][3] + dash_de + WEEKDAYS[last][3] + ("." if dash_de == ".–" else "")


@slot
def month(draw: random.Random, direction: str | None) -> Pair:
    return draw.choice(MONTHS)[:2]


@slot
def month_year(draw: random.Random, direction: str | None) -> Pair:
    """May 2024 and Mai 2024."""
    name, year = draw.choice(MONTHS), draw.choice([draw.randrange(2015, 2035), draw.randrange(1950, 2031)])
    return forms(draw, direction, [f"{name[0]} {year}", f"{name[0]} {year}", f"{name[0]}, {year}", f"{name[2]} {year}"], [f"{name[1]} {year}"])


@slot
def year(draw: random.Random, direction: str | None) -> Pair:
    return (str(draw.choice([draw.randrange(2000, 2035), draw.randrange(1900, 2031), draw.randrange(1500, 2000)])),) * 2


@slot
def year_recent(draw: random.Random, direction: str | None) -> Pair:
    return (str(draw.randrange(2005, 2035)),) * 2


@slot
def year_span(draw: random.Random, direction: str | None) -> Pair:
    """1998–2003 and 1998–2003."""
    first = draw.randrange(1850, 2020)
    last = first + draw.randrange(1, 20)
    return forms(draw, direction, [f"{first}–{last}", f"{first}-{last}"], [f"{first}–{last}", f"{first}-{last}"])


def decade_forms(draw: random.Random, direction: str | None, ending: str) -> Pair:
    decade = draw.choice([1980, 1990, 1970, 1960, draw.randrange(1700, 2030, 10)])
    words_en = {1950: "fifties", 1960: "sixties", 1970: "seventies", 1980: "eighties", 1990: "nineties", 1920: "twenties", 1930: "thirties"}.get(decade)
    if decade % 100 and 1910 < decade < 2000 and draw.random() < 0.35:
        short = decade % 100
        english = [f"{short}s", f"'{short}s", f"’{short}s"] + ([words_en] if words_en else [])
        return forms(draw, direction, english, [f"{short}er-Jahre{ending}", f"{short}er Jahre{ending}"])
    return forms(draw, direction, [f"{decade}s", f"{decade}s", f"{decade}’s"], [f"{decade}er-Jahre{ending}", f"{decade}er Jahre{ending}"])


@slot
def decade(draw: random.Random, direction: str | None) -> Pair:
    """After "the" and "die": 1990s and 1990er-Jahre."""
    return decade_forms(draw, direction, "")


@slot
def decade_dat(draw: random.Random, direction: str | None) -> Pair:
    """After "in the" and "in den": 1990s and 1990er-Jahren."""
    return decade_forms(draw, direction, "n")


@slot
def century(draw: random.Random, direction: str | None) -> Pair:
    """19th century and 19. Jahrhundert."""
    number = draw.choice([draw.randrange(1, 22), draw.randrange(11, 22)])
    before = draw.random() < 0.15 and number < 11
    english = [f"{ordinal_mark(number)} century"] * 2 + ([f"{ORDINALS_EN[number]} century"] if number < 13 else [])
    if before:
        return forms(draw, direction, [form + " BC" for form in english], [f"{number}. Jahrhundert v. Chr."])
    return forms(draw, direction, english, [f"{number}. Jahrhundert"])


@slot
def quarter(draw: random.Random, direction: str | None) -> Pair:
    """After "in the" and "im": third quarter of 2023 and dritten Quartal 2023."""
    number, year = draw.randrange(1, 5), draw.randrange(2008, 2032)
    german = [f"{ORDINALS_DE[number]}en Quartal {year}", f"{number}. Quartal {year}"]
    return forms(draw, direction, [f"{ORDINALS_EN[number]} quarter of {year}", f"{ordinal_mark(number)} quarter of {year}"], german)


@slot
def weekdays_each(draw: random.Random, direction: str | None) -> Pair:
    """on Mondays and montags."""
    name = draw.choice(WEEKDAYS)
    return forms(draw, direction, [f"on {name[0]}s", f"on {name[0]}s", f"{name[0]}s"], [f"{name[1].lower()}s"])


@slot
def weekday_genitive(draw: random.Random, direction: str | None) -> Pair:
    """Monday's and vom Montag: the paper of a day."""
    name = draw.choice(WEEKDAYS)
    return f"{name[0]}'s", f"vom {name[1]}"


@slot
def week_number(draw: random.Random, direction: str | None) -> Pair:
    return (str(draw.randrange(1, 53)),) * 2


@slot
def year_first(draw: random.Random, direction: str | None) -> Pair:
    """The first year of a span of time."""
    return (str(draw.randrange(1600, 1960)),) * 2


@slot
def year_then(draw: random.Random, direction: str | None) -> Pair:
    """The last year of a span of time."""
    return (str(draw.randrange(1960, 2025)),) * 2


@slot
def hour_evening(draw: random.Random, direction: str | None) -> Pair:
    """The number of an hour, with a word for the evening next to it."""
    return (str(draw.randrange(6, 12)),) * 2


@slot
def hour_afternoon(draw: random.Random, direction: str | None) -> Pair:
    """The number of an hour, with a word for the afternoon next to it."""
    return (str(draw.randrange(2, 6)),) * 2


@slot
def time_hyphen(draw: random.Random, direction: str | None) -> Pair:
    """Before a noun: 8 p.m. and 20-Uhr."""
    hour = draw.choice([hour for hour in range(5, 24) if hour != 12])
    return forms(draw, direction, short_clock(hour)[0], [f"{hour}-Uhr"])


def drawn_days(draw: random.Random) -> tuple[int, int, int, str]:
    """Two days of a month, the month, and a year or nothing."""
    month = draw.randrange(12)
    first = draw.randrange(1, DAYS[month])
    last = draw.randrange(first + 1, min(first + 15, DAYS[month]) + 1)
    return first, last, month, draw.choice(["", str(draw.randrange(2015, 2035))])


@slot
def days_from_to(draw: random.Random, direction: str | None) -> Pair:
    """from 3 to 5 May and vom 3. bis 5. Mai."""
    first, last, month, year = drawn_days(draw)
    (name_en, name_de), after = MONTHS[month][:2], f" {year}" if year else ""
    comma = f", {year}" if year else ""
    english = [
        f"from {first} to {last} {name_en}{after}", f"from {name_en} {first} to {last}{comma}", f"from {name_en} {first} to {name_en} {last}{comma}",
        f"from {ordinal_mark(first)} to {ordinal_mark(last)} {name_en}{after}", f"from the {ordinal_mark(first)} to the {ordinal_mark(last)} of {name_en}{after}",
    ]
    german = [f"vom {first}. bis {last}. {name_de}{after}", f"vom {first}. bis zum {last}. {name_de}{after}", f"vom {first}. bis {last}. {name_de}{after}"]
    if year:
        german.append(f"vom {first:02}.{month + 1:02}. bis {last:02}.{month + 1:02}.{year}")
    return forms(draw, direction, english, german)


@slot
def days_dash(draw: random.Random, direction: str | None) -> Pair:
    """3–5 May 2024 and 3.–5. Mai 2024."""
    first, last, month, year = drawn_days(draw)
    (name_en, name_de), after = MONTHS[month][:2], f" {year}" if year else ""
    comma = f", {year}" if year else ""
    english = [f"{first}–{last} {name_en}{after}", f"{first}-{last} {name_en}{after}", f"{name_en} {first}–{last}{comma}", f"{name_en} {first}-{last}{comma}"]
    return forms(draw, direction, english, [f"{first}.–{last}. {name_de}{after}", f"{first}.-{last}. {name_de}{after}", f"{first}. – {last}. {name_de}{after}"])
