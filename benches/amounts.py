"""Counts translations that lack an amount of money of their source, with and without the second search for it.

    python benches/amounts.py PROGRAM > docs/results/amounts.json

Templates and amounts are crossed: 200 English and 100 German lines. `--check numbers` reports what a translation lacks.
"""

import json
import subprocess
import sys

ENGLISH = """The ticket costs {} at the door.
It costs {}.
Total: {}
from {}/month
We paid {} for the old car.
Price: {} per person
The company lost {} last year.
Free shipping on orders over {}.
He earns {} a year.
The price rose from {} to {}.
Pay only {} today!
Save {} now
{} off your first order
The bill came to {}, including tax.
Between {} and {} per night.
I owe you {}.
They raised {} for charity.
{} ({} with breakfast)
A fine of {} was imposed on the driver.
Deposit: {}, refundable."""
ENGLISH_AMOUNTS = [
    "$1,250.50", "€30", "£5 million", "$99.00", "US$200", "¥5,000", "€ 9.99", "20 euros", "$5", "CHF 120",
    "£1.20", "EUR 1,500", "$3.6bn", "50 cents", "€2.5 billion", "₹500", "12 dollars", "A$75", "$0.99", "300 pounds",
]
GERMAN = """Die Karte kostet {} an der Kasse.
Gesamt: {}
ab {} im Monat
Wir haben {} für das alte Auto bezahlt.
Preis: {} pro Person
Versandkostenfrei ab {} Bestellwert.
Er verdient {} im Jahr.
Der Preis stieg von {} auf {}.
Sparen Sie jetzt {}!
Die Rechnung betrug {} inklusive Steuern."""
GERMAN_AMOUNTS = [
    "1.250,50 €", "30 €", "5 Mio. Euro", "99,00 €", "200 US-Dollar", "9,99 €", "20 Euro", "12,- €", "120 CHF",
    "3,6 Mrd. Dollar", "50 Cent", "2,5 Milliarden Euro", "0,99 €", "300 Pfund", "1'500 Franken",
]


def lines(templates: str, amounts: list[str]) -> list[str]:
    """Ten lines of each template, each with other amounts."""
    found = []
    for i, template in enumerate(templates.split("\n")):
        for j in range(10):
            chosen = [amounts[(3 * i + 7 * j + 5 * m) % len(amounts)] for m in range(template.count("{}"))]
            found.append(template.format(*chosen))
    return found


def main() -> None:
    results = {}
    for model, text in [("en-de", lines(ENGLISH, ENGLISH_AMOUNTS)), ("de-en", lines(GERMAN, GERMAN_AMOUNTS))]:
        for amounts in ["model", "keep"]:
            command = [sys.argv[1], "translate", "-m", model, "--amounts", amounts, "--check", "numbers"]
            done = subprocess.run(command, input="\n".join(text) + "\n", capture_output=True, text=True, check=True)
            lacking = done.stderr.count("the translation lacks")
            results[f"{model}, amounts {amounts}"] = {"lines": len(text), "lack an amount": lacking}
    print(json.dumps(results, indent=1))


main()
