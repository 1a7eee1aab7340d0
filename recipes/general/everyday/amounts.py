"""Values of slots that are amounts: numbers, money, shares, measures, and codes that stay as they are."""

import random

from values import ORDINALS_DE, ORDINALS_EN, Pair, forms, ordinal_mark, slot, words

# Numbers.


def english_number(value: int, decimals: str = "") -> str:
    return f"{value:,}" + (f".{decimals}" if decimals else "")


def german_number(value: int, decimals: str = "") -> str:
    return f"{value:,}".replace(",", ".") + (f",{decimals}" if decimals else "")


def large(draw: random.Random) -> int:
    """A number of four to seven digits, often a round one."""
    digits = draw.choice([4, 4, 4, 5, 5, 6, 6, 7])
    round_to = draw.choice([1, 1, 10, 50, 100, 1000] if digits > 4 else [1, 1, 10, 50, 100])
    return max(draw.randrange(10 ** (digits - 1), 10**digits) // round_to * round_to, 1000)


@slot
def big(draw: random.Random, direction: str | None) -> Pair:
    """1,200 and 1.200; as a source in German 1 200, too."""
    value = large(draw)
    german = [german_number(value)] * 8 + [f"{value:,}".replace(",", " "), f"{value:,}".replace(",", "'"), f"{value:,}".replace(",", "’")]
    return forms(draw, direction, [english_number(value)], german)


@slot
def round_big(draw: random.Random, direction: str | None) -> Pair:
    """A round number: 12,000 and 12.000."""
    value = draw.choice([draw.randrange(11, 99) * 100, draw.randrange(1, 100) * 1000, draw.randrange(10, 100) * 10_000, draw.randrange(1, 10) * 100_000, 1_000_000])
    if direction == "en-de" and value % 1000 == 0 and value < 1_000_000 and draw.random() < 0.1:
        return f"{value // 1000}k", german_number(value)
    return english_number(value), german_number(value)


@slot
def n(draw: random.Random, direction: str | None) -> Pair:
    """A small number of at least 2, in digits."""
    return (str(draw.choice([draw.randrange(2, 13), draw.randrange(2, 100), draw.randrange(11, 1000)])),) * 2


@slot
def few(draw: random.Random, direction: str | None) -> Pair:
    """2 to 12 in digits."""
    return (str(draw.randrange(2, 13)),) * 2


@slot
def few_word(draw: random.Random, direction: str | None) -> Pair:
    """two to twelve in words."""
    return words(draw.randrange(2, 13))


@slot
def n_word(draw: random.Random, direction: str | None) -> Pair:
    """twenty-one and einundzwanzig: 2 to 99 in words."""
    value = draw.choice([draw.randrange(2, 13), draw.randrange(13, 100), draw.randrange(21, 100)])
    english, german = words(value)
    return forms(draw, direction, [english, english, english.replace("-", " ") if value > 20 else english], [german])


@slot
def n_span(draw: random.Random, direction: str | None) -> Pair:
    """10–15 on both sides."""
    first = draw.choice([draw.randrange(2, 10), draw.randrange(2, 19) * 5])
    last = first + draw.choice([1, 2, 3, 5, 10])
    english, german = [f"{first}–{last}", f"{first}-{last}", f"{first} - {last}"], [f"{first}–{last}", f"{first}-{last}", f"{first} - {last}"]
    if draw.random() < 0.4:
        english, german = [f"{first} to {last}"], [f"{first} bis {last}"]
    return forms(draw, direction, english, german)


@slot
def decimal(draw: random.Random, direction: str | None) -> Pair:
    """3.14 and 3,14."""
    digits = draw.choice([1, 1, 2, 2, 3])
    whole, part = draw.choice([0, draw.randrange(10), draw.randrange(100)]), str(draw.randrange(1, 10**digits)).zfill(digits)
    return english_number(whole, part), german_number(whole, part)


@slot
def big_decimal(draw: random.Random, direction: str | None) -> Pair:
    """1,234.56 and 1.234,56."""
    whole, part = large(draw), f"{draw.randrange(1, 100):02}"
    return english_number(whole, part), german_number(whole, part)


@slot
def million(draw: random.Random, direction: str | None) -> Pair:
    """2.5 million and 2,5 Millionen."""
    english, german, short_en, short_de = draw.choice([("million", "Millionen", "m", "Mio."), ("million", "Millionen", "M", "Mio."), ("billion", "Milliarden", "bn", "Mrd.")])
    whole, part = draw.choice([draw.randrange(2, 10), draw.randrange(2, 100), draw.randrange(100, 1000)]), draw.choice(["", str(draw.randrange(1, 10))])
    number_en, number_de = english_number(whole, part), german_number(whole, part)
    return forms(draw, direction, [f"{number_en} {english}"] * 5 + [f"{number_en}{short_en}"], [f"{number_de} {german}"] * 4 + [f"{number_de} {short_de}"])


@slot
def percent(draw: random.Random, direction: str | None) -> Pair:
    """3.5% and 3,5 %; 20 percent and 20 Prozent."""
    part = draw.choice(["", "", str(draw.randrange(1, 10)), f"{draw.randrange(1, 100):02}"])
    value = draw.choice([draw.randrange(2, 100), draw.randrange(2, 20), draw.randrange(5, 100, 5), draw.randrange(3) if part else 100])
    english, german = english_number(value, part), german_number(value, part)
    if draw.random() < 0.6:
        return forms(draw, direction, [f"{english}%", f"{english}%", f"{english} %"], [f"{german} %", f"{german} %", f"{german}%"])
    return forms(draw, direction, [f"{english} percent", f"{english} per cent"], [f"{german} Prozent"])


@slot
def percent_word(draw: random.Random, direction: str | None) -> Pair:
    """twenty percent and zwanzig Prozent."""
    english, german = words(draw.choice([2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 90]))
    return forms(draw, direction, [f"{english} percent", f"{english} per cent"], [f"{german} Prozent"])


@slot
def score(draw: random.Random, direction: str | None) -> Pair:
    """A score of a match: 3–1 and 3:1."""
    first, last = draw.randrange(6), draw.randrange(5)
    return forms(draw, direction, [f"{first}–{last}", f"{first}-{last}", f"{first}-{last}"], [f"{first}:{last}", f"{first}:{last}", f"{first} : {last}"])


@slot
def nth(draw: random.Random, direction: str | None) -> Pair:
    """3rd and 3."""
    value = draw.choice([draw.randrange(1, 13), draw.randrange(1, 101)])
    return ordinal_mark(value), f"{value}."


@slot
def ordinal_e(draw: random.Random, direction: str | None) -> Pair:
    """third and dritte."""
    value = draw.randrange(1, 13)
    return ORDINALS_EN[value], ORDINALS_DE[value] + "e"


@slot
def ordinal_en(draw: random.Random, direction: str | None) -> Pair:
    """third and dritten."""
    value = draw.randrange(1, 13)
    return ORDINALS_EN[value], ORDINALS_DE[value] + "en"


@slot
def ordinal_er(draw: random.Random, direction: str | None) -> Pair:
    """third and dritter."""
    value = draw.randrange(1, 13)
    return ORDINALS_EN[value], ORDINALS_DE[value] + "er"


@slot
def ordinal_es(draw: random.Random, direction: str | None) -> Pair:
    """third and drittes."""
    value = draw.randrange(1, 13)
    return ORDINALS_EN[value], ORDINALS_DE[value] + "es"


# Money: sign, code, English name, German name.

CURRENCIES = {
    "$": ("USD", "dollars", "Dollar"),
    "€": ("EUR", "euros", "Euro"),
    "£": ("GBP", "pounds", "Pfund"),
    "¥": ("JPY", "yen", "Yen"),
}
OTHERS = [("CHF", "Swiss francs", "Schweizer Franken"), ("CHF", "francs", "Franken"), ("PLN", "zlotys", "Zloty"), ("INR", "rupees", "Rupien")]


def currency(draw: random.Random) -> str:
    return draw.choice("$$$$€€€€£££¥")


def sum_of_money(draw: random.Random, sign: str, small: bool) -> tuple[int, str]:
    """The whole part and the decimals."""
    whole = draw.choice([draw.randrange(2, 30), draw.randrange(2, 100)]) if small else draw.choice([draw.randrange(2, 1000), draw.randrange(10, 200) * 5, large(draw), large(draw), large(draw)])
    part = draw.choice(["", "", "99", "50", f"{draw.randrange(1, 100):02}", f"{draw.randrange(1, 100):02}"])
    return whole, "" if sign == "¥" else part


def with_sign(draw: random.Random, direction: str | None, sign: str, whole: int, part: str) -> Pair:
    number_en, number_de = english_number(whole, part), german_number(whole, part)
    english = [f"{sign}{number_en}"] * 8
    if sign == "$":
        english += [f"US${number_en}", f"US$ {number_en}"]
    if sign == "€":
        english += [f"€ {number_en}", f"{number_en}€", f"{number_en} €"]
    german = [f"{number_de} {sign}"] * 6 + [f"{number_de}{sign}", f"{sign} {number_de}"]
    if not part and direction == "de-en" and draw.random() < 0.1:
        german = [f"{number_de},– {sign}", f"{number_de},- {sign}", f"{number_de},-- {sign}"]
    return forms(draw, direction, english, german)


def with_code(draw: random.Random, direction: str | None, whole: int, part: str) -> Pair:
    """EUR 500 and 500 EUR; as sources, the code on the other side too."""
    code = draw.choice(["EUR", "EUR", "USD", "USD", "GBP", "CHF", "CHF", "CHF", "JPY", "SEK", "CAD", "AUD"])
    part = "" if code == "JPY" else part
    number_en, number_de = english_number(whole, part), german_number(whole, part)
    german = [f"{number_de} {code}", f"{number_de} {code}", f"{code} {number_de}"]
    if code == "CHF" and whole > 999:
        german.append(f"CHF {whole:,}".replace(",", "’") + (f".{part}" if part else ""))
    return forms(draw, direction, [f"{code} {number_en}", f"{number_en} {code}", f"{code} {number_en}"], german)


@slot
def money(draw: random.Random, direction: str | None) -> Pair:
    """An amount of any size: $1,250.50 and 1.250,50 $; EUR 500 and 500 EUR; 20 euros and 20 Euro."""
    sign = currency(draw)
    whole, part = sum_of_money(draw, sign, draw.random() < 0.25)
    kind = draw.random()
    if kind < 0.6:
        return with_sign(draw, direction, sign, whole, part)
    if kind < 0.75:
        return with_code(draw, direction, whole, part)
    _, english, german = CURRENCIES[sign] if draw.random() < 0.85 else draw.choice(OTHERS)
    return f"{english_number(whole, part)} {english}", f"{german_number(whole, part)} {german}"


@slot
def price(draw: random.Random, direction: str | None) -> Pair:
    """An amount below 100 with a sign: €19.99 and 19,99 €."""
    sign = draw.choice("$$$€€€££")
    return with_sign(draw, direction, sign, *sum_of_money(draw, sign, True))


@slot
def sign_money(draw: random.Random, direction: str | None) -> Pair:
    """An amount with a sign: $1,250.50 and 1.250,50 $."""
    sign = currency(draw)
    return with_sign(draw, direction, sign, *sum_of_money(draw, sign, False))


@slot
def money_word(draw: random.Random, direction: str | None) -> Pair:
    """An amount with the name of the currency: 1,250 dollars and 1.250 Dollar; fifty euros and fünfzig Euro."""
    sign = currency(draw)
    _, english, german = CURRENCIES[sign] if draw.random() < 0.85 else draw.choice(OTHERS)
    if draw.random() < 0.25:
        number = words(draw.choice([2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 90]))
        return f"{number[0]} {english}", f"{number[1]} {german}"
    whole, part = sum_of_money(draw, sign, draw.random() < 0.4)
    part = part if draw.random() < 0.4 else ""
    return f"{english_number(whole, part)} {english}", f"{german_number(whole, part)} {german}"


@slot
def cents(draw: random.Random, direction: str | None) -> Pair:
    """30 cents and 30 Cent."""
    value = draw.choice([draw.randrange(2, 100), draw.randrange(5, 100, 5)])
    if draw.random() < 0.2:
        english, german = words(value)
        return f"{english} cents", f"{german} Cent"
    return forms(draw, direction, [f"{value} cents", f"{value} cents", f"{value}¢"], [f"{value} Cent", f"{value} Cent", f"{value} ct"])


@slot
def money_million(draw: random.Random, direction: str | None) -> Pair:
    """$2.5 billion and 2,5 Milliarden Dollar."""
    sign = currency(draw)
    code, name_en, name_de = CURRENCIES[sign]
    english, german, short_en, short_de = draw.choice([("million", "Millionen", ["m", "M", " m", "mn"], "Mio."), ("billion", "Milliarden", ["bn", "B", "b"], "Mrd.")])
    whole, part = draw.choice([draw.randrange(2, 10), draw.randrange(2, 100), draw.randrange(100, 1000)]), draw.choice(["", str(draw.randrange(1, 10))])
    number_en, number_de = english_number(whole, part), german_number(whole, part)
    forms_en = [f"{sign}{number_en} {english}"] * 5 + [f"{number_en} {english} {name_en}"] * 3 + [f"{sign}{number_en}{draw.choice(short_en)}", f"{code} {number_en} {english}"]
    forms_de = [f"{number_de} {german} {name_de}"] * 4 + [f"{number_de} {german} {sign}", f"{number_de} {short_de} {name_de}", f"{number_de} {short_de} {sign}", f"{number_de} {short_de} {code}"]
    return forms(draw, direction, forms_en, forms_de)


@slot
def price_span(draw: random.Random, direction: str | None) -> Pair:
    """$10–15 and 10–15 $."""
    sign = draw.choice("$$€€£")
    first = draw.choice([draw.randrange(2, 50), draw.randrange(2, 40) * 5])
    last = first + draw.choice([2, 5, 10, 20])
    english = [f"{sign}{first}–{last}", f"{sign}{first}-{last}", f"{sign}{first}–{sign}{last}", f"{sign}{first} - {sign}{last}"]
    return forms(draw, direction, english, [f"{first}–{last} {sign}", f"{first}-{last} {sign}", f"{first} – {last} {sign}"])


@slot
def price_between(draw: random.Random, direction: str | None) -> Pair:
    """between $10 and $15 and zwischen 10 und 15 $; from $10 to $15 and von 10 bis 15 $."""
    sign = draw.choice("$$€€£")
    first = draw.choice([draw.randrange(2, 50), draw.randrange(2, 40) * 5])
    last = first + draw.choice([2, 5, 10, 20])
    if draw.random() < 0.5:
        english = [f"between {sign}{first} and {sign}{last}", f"between {sign}{first} and {last}"]
        return forms(draw, direction, english, [f"zwischen {first} und {last} {sign}", f"zwischen {first} {sign} und {last} {sign}"])
    return forms(draw, direction, [f"from {sign}{first} to {sign}{last}"], [f"von {first} bis {last} {sign}", f"von {first} {sign} bis {last} {sign}"])


# Measures: English forms and German forms of the unit, with "~" where the number stands; the German name, then the same in the dative.


def measured(draw: random.Random, direction: str | None, units: list[tuple], whole: int, dative: bool, decimals: bool = True) -> Pair:
    english, german, german_dative = draw.choice(units)
    part = draw.choice(["", "", "", "5", str(draw.randrange(1, 10))]) if decimals and whole < 1000 else ""
    numbers = english_number(whole, part), german_number(whole, part)
    chosen = forms(draw, direction, english, german_dative if dative else german)
    return chosen[0].replace("~", numbers[0]), chosen[1].replace("~", numbers[1])


def symbol(sign: str) -> tuple:
    """A unit with the same sign in both languages."""
    return [f"~ {sign}", f"~ {sign}", f"~{sign}"], [f"~ {sign}", f"~ {sign}", f"~{sign}"], [f"~ {sign}", f"~ {sign}", f"~{sign}"]


def named(english: list[str], german: str, dative: str) -> tuple:
    return [f"~ {name}" for name in english], [f"~ {german}"], [f"~ {dative}"]


DISTANCES = [symbol("km"), symbol("km"), named(["kilometres", "kilometers"], "Kilometer", "Kilometern"), named(["miles"], "Meilen", "Meilen"), named(["miles"], "Meilen", "Meilen"), (["~ miles", "~ mi"], ["~ Meilen"], ["~ Meilen"])]
LENGTHS = [
    symbol("cm"), symbol("m"), symbol("mm"), named(["metres", "meters"], "Meter", "Metern"), named(["centimetres", "centimeters"], "Zentimeter", "Zentimetern"),
    named(["feet"], "Fuß", "Fuß"), named(["feet", "ft"], "Fuß", "Fuß"), named(["inches"], "Zoll", "Zoll"), named(["yards"], "Yards", "Yards"), named(["millimetres", "millimeters"], "Millimeter", "Millimetern"),
]
WEIGHTS = [
    symbol("kg"), symbol("kg"), symbol("g"), named(["kilograms", "kilogrammes", "kilos"], "Kilogramm", "Kilogramm"), named(["grams"], "Gramm", "Gramm"),
    named(["pounds", "lb", "lbs"], "Pfund", "Pfund"), named(["ounces", "oz"], "Unzen", "Unzen"), named(["tonnes", "tons"], "Tonnen", "Tonnen"), named(["kilos"], "Kilo", "Kilo"),
]
SPEEDS = [symbol("km/h"), symbol("km/h"), (["~ km/h", "~ kph"], ["~ km/h"], ["~ km/h"]), (["~ mph", "~mph", "~ mph"], ["~ mph"], ["~ mph"]), named(["miles per hour", "miles an hour"], "Meilen pro Stunde", "Meilen pro Stunde"), named(["kilometres per hour", "kilometers per hour"], "Kilometer pro Stunde", "Kilometern pro Stunde")]
AREAS = [
    (["~ m²", "~ m²", "~ sq m", "~ sqm"], ["~ m²", "~ qm", "~ m²"], ["~ m²"]), named(["square metres", "square meters"], "Quadratmeter", "Quadratmetern"), named(["square kilometres", "square kilometers"], "Quadratkilometer", "Quadratkilometern"),
    named(["hectares"], "Hektar", "Hektar"), (["~ square feet", "~ sq ft"], ["~ Quadratfuß"], ["~ Quadratfuß"]), named(["acres"], "Acres", "Acres"), symbol("km²"), named(["square miles"], "Quadratmeilen", "Quadratmeilen"),
]
VOLUMES = [named(["litres", "liters"], "Liter", "Litern"), named(["litres", "liters"], "Liter", "Litern"), symbol("l"), symbol("ml"), named(["millilitres", "milliliters"], "Milliliter", "Millilitern"), named(["gallons"], "Gallonen", "Gallonen"), named(["pints"], "Pints", "Pints")]
DATA = [symbol("GB"), symbol("MB"), symbol("TB"), symbol("GB"), symbol("kB"), named(["gigabytes"], "Gigabyte", "Gigabyte"), named(["megabytes"], "Megabyte", "Megabyte")]
POWER = [symbol("kWh"), symbol("W"), symbol("V"), symbol("MHz"), symbol("GHz"), symbol("kW"), named(["watts"], "Watt", "Watt"), named(["volts"], "Volt", "Volt"), named(["kilowatt-hours", "kilowatt hours"], "Kilowattstunden", "Kilowattstunden"), named(["horsepower", "hp"], "PS", "PS")]
DURATIONS = [
    named(["hours"], "Stunden", "Stunden"), named(["minutes"], "Minuten", "Minuten"), named(["days"], "Tage", "Tagen"), named(["weeks"], "Wochen", "Wochen"), named(["months"], "Monate", "Monaten"), named(["years"], "Jahre", "Jahren"),
]
SHORT_DURATIONS = [named(["hours"], "Stunden", "Stunden"), named(["minutes"], "Minuten", "Minuten"), named(["minutes", "min", "mins"], "Minuten", "Minuten"), named(["seconds"], "Sekunden", "Sekunden"), (["~ h", "~h"], ["~ h", "~ Std."], ["~ h", "~ Std."])]


def small_or_large(draw: random.Random, limit: int) -> int:
    return draw.choice([draw.randrange(2, 20), draw.randrange(2, 100), draw.randrange(2, max(limit, 3)), draw.randrange(1, limit // 10 + 2) * 10])


@slot
def distance(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, DISTANCES, small_or_large(draw, 3000), False)


@slot
def distance_dat(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, DISTANCES, small_or_large(draw, 3000), True)


@slot
def length(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, LENGTHS, small_or_large(draw, 300), False)


@slot
def length_dat(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, LENGTHS, small_or_large(draw, 300), True)


@slot
def weight(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, WEIGHTS, small_or_large(draw, 900), False)


@slot
def speed(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, SPEEDS, small_or_large(draw, 300), False, False)


@slot
def speed_dat(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, SPEEDS, small_or_large(draw, 300), True, False)


@slot
def area(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, AREAS, small_or_large(draw, 9000), False)


@slot
def area_dat(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, AREAS, small_or_large(draw, 9000), True)


@slot
def volume(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, VOLUMES, small_or_large(draw, 900), False)


@slot
def data_size(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, DATA, draw.choice([2, 4, 8, 16, 32, 64, 128, 256, 512, draw.randrange(2, 1000)]), False)


@slot
def power(draw: random.Random, direction: str | None) -> Pair:
    return measured(draw, direction, POWER, small_or_large(draw, 3000), False)


@slot
def duration(draw: random.Random, direction: str | None) -> Pair:
    """Nominative and accusative: 3 days and 3 Tage; in words for some."""
    return duration_in(draw, direction, DURATIONS, False)


@slot
def duration_dat(draw: random.Random, direction: str | None) -> Pair:
    """Dative: 3 days and 3 Tagen."""
    return duration_in(draw, direction, DURATIONS, True)


@slot
def short_duration(draw: random.Random, direction: str | None) -> Pair:
    """Hours, minutes and seconds."""
    return duration_in(draw, direction, SHORT_DURATIONS, False)


def duration_in(draw: random.Random, direction: str | None, units: list[tuple], dative: bool) -> Pair:
    whole = draw.choice([draw.randrange(2, 13), draw.randrange(2, 13), draw.choice([14, 15, 18, 20, 24, 30, 36, 40, 45, 48, 60, 72, 90, 100])])
    if draw.random() < 0.3:
        number = words(whole) if whole < 100 else ("a hundred", "hundert")
        english, german = measured(draw, direction, units[:4], 7, dative, False)
        return english.replace("7", number[0]), german.replace("7", number[1])
    return measured(draw, direction, units, whole, dative, draw.random() < 0.12)


@slot
def span_years(draw: random.Random, direction: str | None) -> Pair:
    """10–15 years and 10–15 Jahre."""
    english, german = n_span(draw, direction)
    unit = draw.choice([("years", "Jahre"), ("days", "Tage"), ("minutes", "Minuten"), ("weeks", "Wochen"), ("hours", "Stunden"), ("months", "Monate")])
    return f"{english} {unit[0]}", f"{german} {unit[1]}"


@slot
def temperature(draw: random.Random, direction: str | None) -> Pair:
    """25 °C, 77°F and 25 Grad; also below zero."""
    value = draw.choice([draw.randrange(1, 41), draw.randrange(-25, 40), draw.randrange(30, 105), draw.randrange(10, 26) * 10])
    part = draw.choice(["", "", "", "5", str(draw.randrange(1, 10))]) if abs(value) < 45 else ""
    english, german = english_number(abs(value), part), german_number(abs(value), part)
    below = value < 0
    scale = draw.choice("CCF")
    kind = draw.random()
    if kind < 0.6:
        signs_en, signs_de = (["-", "−", "–"], ["-", "−", "–"]) if below else ([""], [""])
        sign_en, sign_de = forms(draw, direction, signs_en, signs_de)
        forms_en = [f"{sign_en}{english} °{scale}", f"{sign_en}{english}°{scale}", f"{sign_en}{english}°{scale}"]
        return forms(draw, direction, forms_en, [f"{sign_de}{german} °{scale}", f"{sign_de}{german} °{scale}", f"{sign_de}{german}°{scale}"])
    name = draw.choice(["", "", " Celsius", " Celsius", " Fahrenheit"])
    minus_en, minus_de = ("minus ", "minus ") if below else ("", "")
    return f"{minus_en}{english} degrees{name}", f"{minus_de}{german} Grad{name}"


@slot
def size_cross(draw: random.Random, direction: str | None) -> Pair:
    """30 x 40 cm on both sides; with points and commas."""
    unit = draw.choice(["cm", "m", "mm"])
    sides = [(str(draw.randrange(2, 200)), str(draw.choice(["", "", ".5"]))) for _ in range(draw.choice([2, 2, 3]))]
    english = [a + b for a, b in sides]
    german = [side.replace(".", ",") for side in english]
    return forms(draw, direction, [" x ".join(english) + f" {unit}", " × ".join(english) + f" {unit}"], [" x ".join(german) + f" {unit}", " × ".join(german) + f" {unit}"])


# Codes, the same on both sides.


def digits(draw: random.Random, number: int) -> str:
    return "".join(draw.choice("0123456789") for _ in range(number))


def letters(draw: random.Random, number: int) -> str:
    return "".join(draw.choice("ABCDEFGHKLMNPRSTUVWXYZ") for _ in range(number))


def same(text: str) -> Pair:
    return text, text


@slot
def phone(draw: random.Random, direction: str | None) -> Pair:
    return same(draw.choice([
        f"+49 {draw.randrange(30, 90)} {digits(draw, 7)}", f"0{draw.randrange(30, 999)} {digits(draw, 6)}", f"0{draw.randrange(150, 180)}-{digits(draw, 7)}",
        f"+44 20 {digits(draw, 4)} {digits(draw, 4)}", f"({draw.randrange(201, 990)}) 555-{digits(draw, 4)}", f"+1 {draw.randrange(201, 990)} 555 {digits(draw, 4)}",
        f"+49 ({0}) {draw.randrange(30, 990)} / {digits(draw, 5)}", f"+41 44 {digits(draw, 3)} {digits(draw, 2)} {digits(draw, 2)}", f"0800 {digits(draw, 3)} {digits(draw, 4)}",
        f"0{draw.randrange(30, 999)}/{digits(draw, 6)}", f"1-800-555-{digits(draw, 4)}", f"0{draw.randrange(40, 99)} {digits(draw, 2)} {digits(draw, 2)} {digits(draw, 2)} {digits(draw, 2)}",
    ]))


@slot
def order(draw: random.Random, direction: str | None) -> Pair:
    """A number of an order, an invoice, a ticket, a customer."""
    return same(draw.choice([
        digits(draw, draw.randrange(5, 11)), f"{letters(draw, 2)}-{digits(draw, 6)}", f"{draw.randrange(2018, 2031)}-{digits(draw, 4)}", f"{letters(draw, 3)}{digits(draw, 5)}",
        f"{draw.randrange(2018, 2031)}/{digits(draw, 5)}", f"{letters(draw, 1)}{digits(draw, 4)}-{digits(draw, 2)}", f"{letters(draw, 2)}{digits(draw, 2)}-{letters(draw, 2)}{digits(draw, 3)}",
        f"{digits(draw, 3)}-{digits(draw, 7)}-{digits(draw, 7)}",
    ]))


@slot
def flight(draw: random.Random, direction: str | None) -> Pair:
    return same(f"{letters(draw, 2)}{draw.choice(['', ' '])}{draw.randrange(10, 9999)}")


@slot
def train(draw: random.Random, direction: str | None) -> Pair:
    return same(f"{draw.choice(['ICE', 'IC', 'RE', 'EC', 'RB', 'S'])} {draw.randrange(1, 2500)}")


@slot
def room(draw: random.Random, direction: str | None) -> Pair:
    return same(draw.choice([str(draw.randrange(1, 999)), f"{draw.choice('ABCDEF')}{draw.randrange(1, 400)}", f"{draw.randrange(1, 9)}.{draw.randrange(1, 40):02}", f"{draw.randrange(1, 60)}{draw.choice('abc')}"]))


@slot
def iban(draw: random.Random, direction: str | None) -> Pair:
    country, length = draw.choice([("DE", 18), ("AT", 16), ("CH", 17), ("FR", 23)])
    text = f"{country}{digits(draw, 2)}{digits(draw, length)}"
    return same(draw.choice([text, " ".join(text[at : at + 4] for at in range(0, len(text), 4))]))


@slot
def version(draw: random.Random, direction: str | None) -> Pair:
    numbers = [draw.randrange(0, 30) for _ in range(draw.choice([2, 2, 3, 3, 4]))]
    return same(draw.choice(["", "", "v"]) + ".".join(map(str, numbers)) + draw.choice(["", "", "", "", "-beta", "-rc1"]))


@slot
def ip(draw: random.Random, direction: str | None) -> Pair:
    first = draw.choice(["192.168", "10.0", "172.16", f"{draw.randrange(1, 224)}.{draw.randrange(256)}"])
    return same(f"{first}.{draw.randrange(256)}.{draw.randrange(1, 255)}" + draw.choice(["", "", "", ":8080", ":443", "/24"]))


@slot
def file_name(draw: random.Random, direction: str | None) -> Pair:
    stem = draw.choice(["report", "invoice", "photo", "backup", "data", "IMG", "scan", "minutes", "budget", "config", "setup", "results", "plan", "readme", "table", "offer", "draft", "CV", "map", "log"])
    ending = draw.choice(["pdf", "xlsx", "docx", "jpg", "zip", "csv", "txt", "exe", "json", "png", "tar.gz", "mp4"])
    return same(draw.choice([f"{stem}.{ending}", f"{stem}_{draw.randrange(2015, 2031)}.{ending}", f"{stem}-{draw.randrange(1, 30)}.{ending}", f"{stem}_{digits(draw, 4)}.{ending}", f"{stem}_v{draw.randrange(2, 9)}.{ending}"]))


@slot
def postcode_de(draw: random.Random, direction: str | None) -> Pair:
    return same(f"{draw.randrange(1067, 99998):05}")


@slot
def postcode_uk(draw: random.Random, direction: str | None) -> Pair:
    return same(f"{letters(draw, draw.choice([1, 2]))}{draw.randrange(1, 40)} {draw.randrange(1, 10)}{letters(draw, 2)}")


@slot
def password(draw: random.Random, direction: str | None) -> Pair:
    """A PIN, a code of a door, a one-time password."""
    return same(draw.choice([digits(draw, 4), digits(draw, 6), f"{letters(draw, 3)}-{digits(draw, 3)}", f"{digits(draw, 3)} {digits(draw, 3)}"]))


@slot
def age(draw: random.Random, direction: str | None) -> Pair:
    return same(str(draw.choice([draw.randrange(2, 19), draw.randrange(18, 95)])))


@slot
def decimal_section(draw: random.Random, direction: str | None) -> Pair:
    """A number of a section, with points in both languages."""
    return same(".".join(str(draw.randrange(1, 12)) for _ in range(draw.choice([2, 2, 3]))))
