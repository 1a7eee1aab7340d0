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
    ];
    let taken: Vec<&str> = texts.into_iter().filter(|text| found(text, &BOTH).1 != Verdict::Foreign).collect();
    assert_eq!(taken, [""; 0]);
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
