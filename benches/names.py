#!/usr/bin/env python3
"""Names with rare letters: how many of them stand in translations as they stand in the source, by letter.

usage: names.py PROGRAM [--letters]      PROGRAM: path of metaphrase

Prints JSON: for each bundled model, with `--unknown model` and with the default, the number of lines and of those that lack their name;
with --letters also by letter. What stands under `unlearned-letters` in a model's config.toml is read off from this.
"""

import collections
import json
import subprocess
import sys

# A letter, and names with it.
NAMES = """
ě Havlíčkův Černěves Němec Zděnek Pěchoč Děčín Plzeňěk Těšín
ş Beşiktaş Şahin Eskişehir Muş Akşener Beşir Uşak
ı Diyarbakır Aydın Altıntop Yıldız Kılıç Balıkesir
ğ Erdoğan Çağlar Ağrı Oğuz Doğan Niğde Beyoğlu
ż Żyła Różański Żuk Łomża Zdrojeż Książ Bożena Nałęcz
č Kovač Čapek Modrić Počivavšek Čech Perišič Bečva Vučić Karadžić Čilić
Š Škoda Šibenik Šuker Šarić Štěpánek Švejk
š Tomáš Lukáš Dušan Košice Mandžukić Bašić Uroš Jašarević Maleš
Ø Øresund Østergaard Øyvind Ødegaard Ørsted
ł Wisła Białystok Michał Paweł Wałęsa Stanisław
ř Dvořák Jiří Kramář Příbram Řezníček Bořivoj Břeclav
ô Côte Rhône Hôtel Jérôme Saône Drôme
ò Niccolò Forlì Orbetellò Cantù Salò
Å Ångström Åland Århus Åse Åkesson
É Éric Élodie Émile Évian Édouard
ý Ostravský Nový Dobrý Týn Kolský Černý
ó Bartók Kraków Córdoba León Gijón López
Ž Žilina Žižkov Živković Žalgiris Ždanov
ñ Muñoz Peña Núñez España Logroño Cataluña
ï Anaïs Thaïs Moïse Loïc Zaïre Caraïbe
ž Aleš Đoković Ljubiša Drž Kuzmanožić Dževad Ružomberok Modrž Požega
à Mascarà Sarrià Vallà Calabrià
á Orbán Gonzáles Málaga Sánchez Juhász
î Île Benoît Brîle Nîmes Cîteaux
ë Citroën Noël Raphaël Israël Boëtie
ê Forêt Besêt Bêche Châtenêt Fête Prêtre
û Brûlé Août Dûfour Flûte Châteauroûx
í García Martín Reykjavík Dublín
è Genève Molière Hélène Liège
é René José André Chloé Béla
ù Cantù Baggiù Où Gesù
ś Śląsk Kaczyńśki Maśka Jaś Święty
å Håkon Skåne Ålesund Bodå Måns
ú Jesús Raúl Perú Húsavík Cancún
ć Ibrahimović Petrović Jović Milić
ø Sørensen Tromsø Malmø Bjørn Jørgen
ç François Besançon Curaçao Barça Alençon
ì Forlì Cefalù Mimì Tarzanì
õ Camões João Guimarães Pärnu Tõnis Põltsamaa
ō Tōkyō Kyōto Ōsaka Shōgun
ã São João Guimarães Magalhães
ń Gdańsk Poznań Toruń Kaczyński
â Câmara Pâris Château Brâncuși
Ö Örebro Östersund Özil
Ä Ängelholm Äänekoski
Ü Ümit Üsküdar
"""

SENTENCES = {
    "en": [
        "Yesterday we met {} in the city.",
        "{} is well known.",
        "I wrote a letter to {} about the weather.",
        "The book by {} was sold out.",
    ],
    "de": [
        "Gestern haben wir {} in der Stadt getroffen.",
        "{} ist sehr bekannt.",
        "Ich schrieb {} einen Brief über das Wetter.",
        "Das Buch von {} war ausverkauft.",
    ],
}


def main():
    program, *options = sys.argv[1:]
    rows = [line.split() for line in NAMES.strip().splitlines()]
    names = [(letter, name) for letter, *names in rows for name in names if letter in name]
    found = {}
    for model in ["en-de", "de-en"]:
        lines = [(letter, name, form.format(name)) for letter, name in names for form in SENTENCES[model[:2]]]
        text = "".join(f"{line}\n" for _, _, line in lines)
        for unknown in ["model", "keep"]:
            command = [program, "translate", "-m", model, "--unknown", unknown, "--quiet"]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
            lost = collections.Counter(
                letter for (letter, name, _), line in zip(lines, done.stdout.splitlines()) if name not in line
            )
            found[f"{model}, unknown {unknown}"] = {"lines": len(lines), "lack the name": sum(lost.values())}
            if "--letters" in options:
                found[f"{model}, unknown {unknown}"]["by letter"] = dict(lost.most_common())
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
