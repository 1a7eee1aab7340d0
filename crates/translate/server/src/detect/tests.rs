use super::*;

fn found(text: &str, known: &[&str]) -> (String, Verdict) {
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    let found = detect(text, &known);
    assert_eq!(found.languages.len(), known.len());
    let sum: f64 = found.languages.iter().map(|one| one.confidence).sum();
    assert!(sum <= 1.0 + 1e-9, "{text}: {found:?}");
    assert!(found.languages.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence), "{text}: {found:?}");
    assert_eq!(found.verdict == Verdict::Known, sum > 0.0, "{text}: {found:?}");
    (found.languages[0].language.clone(), found.verdict)
}

/// The texts that are not taken for this language.
fn wrong<'t>(language: &str, texts: &[&'t str], known: &[&str]) -> Vec<&'t str> {
    texts.iter().filter(|text| found(text, known) != (language.into(), Verdict::Known)).copied().collect()
}

const BOTH: [&str; 2] = ["en", "de"];

#[test]
fn short_english_texts_are_english() {
    let texts = [
        "hello",
        "hello handsome man",
        "yes",
        "cat",
        "ConnectionGuard file",
        "Best wishes",
        "Hi",
        "Thanks",
        "Good morning",
        "Save as",
        "Cancel",
        "Delete",
        "Settings",
        "SETTINGS",
        "Are you sure?",
        "How much?",
        "Where?",
        "dog",
        "house",
        "Password",
        "Log out",
        "Try again",
        "New folder",
        "Print",
        "Search",
        "No results found",
        "I love you",
        "What's up?",
        "Don't",
        "See you later",
        "Happy birthday",
        "Page not found",
        "Sign in",
        "Next",
        "Back",
        "breakfast",
        "umbrella",
        "Reset to defaults",
        "GOOD MORNING",
        "Enter your name",
        "Yep",
        "Oops",
        "lol",
        "u r great",
        "chat",
        "Hey",
        "<p>Hi <b>there</b></p>",
        "<div class=\"a b\"><p>Good&nbsp;morning</p></div>",
    ];
    assert_eq!(wrong("en", &texts, &BOTH), [""; 0]);
}

#[test]
fn short_german_texts_are_german() {
    let texts = [
        "hallo",
        "ja",
        "gut",
        "Katze",
        "Hilfe",
        "nein",
        "Guten Morgen",
        "Danke",
        "Bitte",
        "Tschüss",
        "Datei öffnen",
        "Speichern unter",
        "Abbrechen",
        "Löschen",
        "Einstellungen",
        "EINSTELLUNGEN",
        "Sind Sie sicher?",
        "Wie viel?",
        "Wo?",
        "Hund",
        "Haus",
        "Passwort",
        "Abmelden",
        "Erneut versuchen",
        "Neuer Ordner",
        "Drucken",
        "Suchen",
        "Keine Ergebnisse gefunden",
        "Ich liebe dich",
        "Wie geht's?",
        "Bis später",
        "Alles Gute",
        "Seite nicht gefunden",
        "Anmelden",
        "Weiter",
        "Zurück",
        "Frühstück",
        "Regenschirm",
        "guten morgen",
        "Gesundheit",
        "Geben Sie Ihren Namen ein",
        "Rechnung",
        "Bildschirmfoto",
        "Viele Grüße",
        "Impressum",
        "AGB",
        "Aha",
        "Handy",
        "<p>Hallo <b>du</b></p>",
        "<h1>F&uuml;r dich</h1>",
    ];
    assert_eq!(wrong("de", &texts, &BOTH), [""; 0]);
}

#[test]
fn other_languages_are_none_of_these() {
    let texts = [
        "La tua password non è corretta",
        "Buongiorno",
        "Goedemorgen",
        "Waar is het station?",
        "Buenos días",
        "¿Dónde está la estación?",
        "Hvor er stationen?",
        "Tak for hjælpen",
        "God morgon",
        "Var är stationen?",
        "Goeie môre",
        "Waar is die stasie?",
        "Доброе утро",
        "Καλημέρα",
        "早上好",
        "おはようございます",
        "좋은 아침",
        "صباح الخير",
        "Dzień dobry",
        "Dobré ráno",
        "Jó reggelt",
        "Günaydın",
        "Bom dia, como está?",
        "Bonjour tout le monde",
        "Hyvää huomenta",
        "Bună dimineața",
        "שלום",
        "สวัสดี",
        "Selamat pagi",
        "Je ne sais pas où est la gare.",
        "Het weer is vandaag erg mooi",
        "Eg veit ikkje",
        "Jeg vet ikke hva du mener",
        "Saludos cordiales",
        "Cordiali saluti",
        "<p>Bonjour <b>tout le monde</b></p>",
    ];
    let taken: Vec<&str> = texts.into_iter().filter(|text| found(text, &BOTH).1 != Verdict::Foreign).collect();
    assert_eq!(taken, [""; 0]);
}

#[test]
fn names_say_nothing_about_the_language() {
    for name in ["Berlin", "Brexit", "Angela Merkel", "London", "WhatsApp"] {
        let known: Vec<String> = BOTH.iter().map(ToString::to_string).collect();
        let found = detect(name, &known);
        assert_eq!(found.verdict, Verdict::Known, "{name}");
        assert!(found.languages[0].confidence < 0.8, "{name}: {found:?}");
    }
    assert_eq!(found("I live in Berlin", &BOTH).0, "en");
    assert_eq!(found("Ich wohne in London", &BOTH).0, "de");
}

#[test]
fn several_languages_are_told_apart() {
    let known = ["en", "de", "fr", "zh-Hans", "xx"];
    for (text, expected) in [
        ("Where is the station?", "en"),
        ("Guten Morgen", "de"),
        ("iPhone 的新版本", "zh-Hans"),
        ("there are two houses", "en"),
        ("Ich weiß nicht, was du meinst.", "de"),
        ("Je ne sais pas où est la gare.", "fr"),
        ("你好，世界", "zh-Hans"),
    ] {
        assert_eq!(found(text, &known), (expected.into(), Verdict::Known), "{text}");
    }
    for text in ["", "123", "😀", "1,234.56 €"] {
        assert_eq!(found(text, &known), ("en".into(), Verdict::NoWords), "{text}");
    }
    assert_eq!(found("Доброе утро", &["ru", "uk", "en"]), ("ru".into(), Verdict::Known));
    assert_eq!(found("Доброго ранку, як справи?", &["ru", "uk", "en"]), ("uk".into(), Verdict::Known));
    assert_eq!(found("おはよう", &["zh", "ja"]), ("ja".into(), Verdict::Known));
    assert_eq!(found("Dove si trova la stazione?", &["it", "es"]), ("it".into(), Verdict::Known));
}

#[test]
fn long_and_strange_texts_are_harmless() {
    for text in ["a".repeat(100_000), "ß".repeat(50_000), "'".repeat(9999), "x ".repeat(50_000), "\u{301}".repeat(999)]
    {
        found(&text, &BOTH);
    }
}

/// Two sentences of ordinary text in many languages.
const PARAGRAPHS: [(&str, &str); 12] = [
    ("fr", "Bonjour, je voudrais réserver une chambre pour deux personnes. Est-ce que le petit déjeuner est compris ?"),
    ("es", "Buenos días, quisiera reservar una habitación para dos personas. ¿El desayuno está incluido en el precio?"),
    ("it", "Buongiorno, vorrei prenotare una camera per due persone. La colazione è compresa nel prezzo della camera?"),
    (
        "nl",
        "Goedemorgen, ik wil graag een kamer reserveren voor twee personen. Is het ontbijt bij de prijs inbegrepen?",
    ),
    ("pl", "Dzień dobry, chciałbym zarezerwować pokój dla dwóch osób. Czy śniadanie jest wliczone w cenę tego pokoju?"),
    ("de", "Guten Tag, ich möchte ein Zimmer für zwei Personen reservieren. Ist das Frühstück im Preis enthalten?"),
    ("en", "Good morning, I would like to book a room for two people. Is breakfast included in the price of the room?"),
    (
        "sv",
        "God morgon, jag skulle vilja boka ett rum för två personer. Ingår det frukost i priset för det här rummet?",
    ),
    ("ru", "Доброе утро, я хотел бы забронировать номер на двоих. Входит ли завтрак в стоимость этого номера?"),
    ("ja", "おはようございます。二人用の部屋を予約したいのですが、朝食は料金に含まれていますか。"),
    ("zh", "早上好，我想预订一个两个人住的房间。请问这个房间的价格里面包括早餐吗？我们后天下午到达。"),
    ("el", "Καλημέρα, θα ήθελα να κλείσω ένα δωμάτιο για δύο άτομα. Το πρωινό περιλαμβάνεται στην τιμή;"),
];

#[test]
fn another_language_than_expected_is_named_where_it_is_certain() {
    for expected in ["en", "de", "fr", "ja", "ru"] {
        for (code, text) in PARAGRAPHS {
            let found = another_language(text, expected);
            assert_eq!(found, Some(code).filter(|&code| code != expected), "{text}, expected {expected}");
        }
    }
    // Variants and codes that share a list are the language itself; of an unlisted one nothing is known.
    assert_eq!(another_language(PARAGRAPHS[5].1, "de-AT"), None);
    assert_eq!(another_language(PARAGRAPHS[5].1, "lb"), None);
    // Short texts, names, code and numbers are never certain.
    for text in [
        "Bonjour, comment allez-vous ?",
        "",
        "Paris, Lyon, Marseille, Toulouse, Nice",
        "12 345 67 89 0 1 2 3 4 5 6 7",
        "fn main() { let mut x = vec![1, 2, 3]; x.push(4); println!(\"{x:?}\"); return; }",
        "東京",
        "да",
    ] {
        assert_eq!(another_language(text, "de"), None, "{text}");
    }
}

#[test]
fn lines_of_the_expected_language_are_never_taken_for_another() {
    for (language, text) in [
        ("en", include_str!("../../../../../examples/everyday.en")),
        ("de", include_str!("../../../../../examples/everyday.de")),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        for group in (1..=4).flat_map(|size| lines.windows(size)) {
            assert_eq!(another_language(&group.join("\n"), language), None, "{group:?}");
        }
    }
}
