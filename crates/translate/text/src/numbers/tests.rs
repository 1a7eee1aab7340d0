use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn texts(source: &str, translation: &str, languages: (&str, &str)) -> Vec<String> {
    missing_numbers(source, translation, Some(languages)).into_iter().map(|missing| missing.text).collect()
}

/// An English text and a German one with the same number, each in notations of its own.
const EQUAL: &[(&str, &str)] = &[
    ("It costs $1,250.50.", "Es kostet 1.250,50 Dollar."),
    ("It costs USD 1,250.50.", "Es kostet 1 250,50 US-Dollar."),
    ("It costs €5.", "Es kostet 5 Euro."),
    ("It costs 5 Swiss francs.", "Es kostet 5 Schweizer Franken."),
    ("It costs 20 cents.", "Es kostet 20 Cent."),
    ("at 8 p.m.", "um 20 Uhr"),
    ("at 8 PM", "um 8 Uhr abends"),
    ("at 8pm", "um acht Uhr abends"),
    ("at 8 p.m.", "am Abend um 8 Uhr"),
    ("at 8 p.m.", "um 20:00"),
    ("at 8:30 p.m.", "um 20.30 Uhr"),
    ("at 8 o'clock in the evening", "um 20 Uhr"),
    ("at 8 o'clock", "um 20 Uhr"),
    ("at 8 o'clock", "um 8 Uhr"),
    ("at 8 o'clock", "um acht"),
    ("at 7:30", "um halb acht"),
    ("at half past seven", "um halb acht"),
    ("at half past seven", "um 19.30 Uhr"),
    ("at a quarter to eight", "um Viertel vor acht"),
    ("at a quarter past eight", "um Viertel nach acht"),
    ("at 7:45", "um drei Viertel acht"),
    ("at ten past five", "um zehn nach fünf"),
    ("at 12 noon", "um 12 Uhr"),
    ("at noon", "gegen Mittag"),
    ("at midnight", "um 0 Uhr"),
    ("from 7 to 8 p.m.", "von 19 bis 20 Uhr"),
    ("2.5 billion people", "2,5 Milliarden Menschen"),
    ("$3.6bn", "3,6 Mrd. Dollar"),
    ("2 to 3 million people", "2 Millionen bis 3 Millionen Menschen"),
    ("10k people", "10.000 Menschen"),
    ("5 thousand people", "5 Tausend Menschen"),
    ("1.2 billion", "1200 Mio."),
    ("twenty-one people", "einundzwanzig Menschen"),
    ("twenty-one people", "21 Menschen"),
    ("two hundred and fifty people", "zweihundertfünfzig Menschen"),
    ("two thousand five hundred", "2500"),
    ("two and a half million", "zweieinhalb Millionen"),
    ("two dozen eggs", "zwei Dutzend Eier"),
    ("in nineteen ninety-nine", "neunzehnhundertneunundneunzig"),
    ("3 apples", "drei Äpfel"),
    ("the 1st time", "das erste Mal"),
    ("the 21st time", "das einundzwanzigste Mal"),
    ("the 2nd floor", "der 2. Stock"),
    ("3 May 2024", "3. Mai 2024"),
    ("May 3, 2024", "03.05.2024"),
    ("May 3rd, 2024", "2024-05-03"),
    ("the 3rd of May", "am 3.5."),
    ("5/3/2024", "3. Mai 2024"),
    ("in May 2024", "im Mai 2024"),
    ("9/11", "11. September"),
    ("the 1980s", "die 80er Jahre"),
    ("the eighties of 1980s", "die achtziger Jahre"),
    ("2010-14", "2010 bis 2014"),
    ("season 2010/11", "Saison 2010/2011"),
    ("5%", "5 Prozent"),
    ("5 per cent", "5 %"),
    ("a 10 percent fall", "ein zehnprozentiger Rückgang"),
    ("1/2 of it", "die Hälfte"),
    ("2½ years", "zweieinhalb Jahre"),
    ("call 0800 123 4567", "Telefon 0800-1234567"),
    ("call +49 (89) 123456", "Telefon +49 89 12 34 56"),
    ("ID 4711-0815", "Nr. 47110815"),
    ("200 miles", "320 Kilometer"),
    ("6 inches", "15 Zentimeter"),
    ("80 degrees", "27 Grad"),
    ("80 degrees", "27 ºC"),
    ("a 2,032 pound pumpkin", "ein 921 Kilo schwerer Kürbis"),
    ("version 1.2.3", "Version 1.2.3"),
    ("an A380", "ein A380"),
    ("a soccer score of 2-1", "ein 2:1"),
    ("4 of them", "vier davon"),
    ("under section 4.2(b)(iii)", "nach Abschnitt 4.2(b)(iii)"),
    ("clause (iv)", "Klausel iv)"),
    ("1,200 W", "1.200 W"),
    ("1.250 kg", "1,250 kg"),
];

/// An English text, a German one with another number, and what is reported.
const DIFFERENT: &[(&str, &str, &[&str])] = &[
    ("It costs $1,250.50.", "Es kostet 1.350,50 Dollar.", &["$1,250.50"]),
    ("It costs $1,250.50.", "Es kostet 1.250,50 €.", &["$1,250.50"]),
    ("It costs $1,250.50.", "Es kostet 1.250,50.", &["$1,250.50"]),
    ("It costs 5 euros.", "Es kostet 5 Dollar.", &["5 euros"]),
    ("at 8 p.m.", "um 8 Uhr", &["8 p.m."]),
    ("at 8 p.m.", "um 18 Uhr", &["8 p.m."]),
    ("Qty: 10 pcs.", "Menge: 22 Uhr.", &["10"]),
    ("3 left", "15 Uhr links", &["3"]),
    ("at 8 a.m.", "um 20 Uhr", &["8 a.m."]),
    ("at 8:30 p.m.", "um 20.15 Uhr", &["8:30 p.m."]),
    ("at half past seven", "um halb sieben", &["half past seven"]),
    ("at a quarter to eight", "um Viertel nach acht", &["quarter to eight"]),
    ("at noon", "um Mitternacht", &["noon"]),
    ("2.5 billion people", "2,5 Millionen Menschen", &["2.5 billion"]),
    ("2.5 billion people", "2,5 Billionen Menschen", &["2.5 billion"]),
    ("twenty-one people", "zwölf Menschen", &["twenty-one"]),
    ("3 May 2024", "3. Juni 2024", &["3 May 2024"]),
    ("3 May 2024", "4. Mai 2024", &["3 May 2024"]),
    ("3 May 2024", "3. Mai 2014", &["3 May 2024"]),
    ("May 3, 2024", "03.06.2024", &["May 3, 2024"]),
    ("5%", "5 Dollar", &["5%"]),
    ("5% of 20", "50% von 20", &["5%"]),
    ("200 miles", "400 Kilometer", &["200"]),
    ("call 0800 123 4567", "Telefon 0800-1234576", &["123", "4567"]),
    ("3 apples and 4 pears", "drei Äpfel", &["4"]),
    ("the 2nd floor", "der dritte Stock", &["2nd"]),
    ("under section 4.2(b)(iii)", "nach Abschnitt 4.2(b)(ii)", &["iii"]),
    ("clauses (ii) and (vi)", "Klauseln (ii) und (iv)", &["vi"]),
    ("1.200 W", "1.200 W", &["1.200"]),
    ("1,250 kg", "1,250 kg", &["1,250"]),
];

#[test]
fn equal_numbers_are_there() {
    for (english, german) in EQUAL {
        assert_eq!(texts(english, german, ("en", "de")), [""; 0], "{english} -> {german}");
        assert_eq!(texts(german, english, ("de", "en")), [""; 0], "{german} -> {english}");
    }
}

#[test]
fn a_number_may_be_an_hour_after_some_words() {
    for (source, translation) in
        [("open until 10", "bis 22 Uhr geöffnet"), ("open 9–5", "9–17 Uhr geöffnet"), ("5 in the evening", "17 Uhr")]
    {
        assert_eq!(missing_numbers(source, translation, Some(("en", "de"))), [], "{source}");
    }
}

#[test]
fn other_numbers_are_missing() {
    for (english, german, missing) in DIFFERENT {
        assert_eq!(texts(english, german, ("en", "de")), *missing, "{english} -> {german}");
    }
}

#[test]
fn ranges_are_of_the_source() {
    let source = "Für 5 € – äh, um 20 Uhr?";
    let missing = missing_numbers(source, "For €6 at 7 p.m.", Some(("de-AT", "en_GB")));
    assert_eq!(missing.iter().map(|missing| &source[missing.range.clone()]).collect::<Vec<_>>(), ["5 €", "20 Uhr"]);
    assert!(missing.iter().all(|missing| missing.text == source[missing.range.clone()]));
}

/// Words for small numbers are often not translated as numbers.
#[test]
fn small_words_are_not_reported() {
    for source in
        ["one of them", "the first one", "a friend", "the two of us", "hundreds of people", "a thousand thanks"]
    {
        assert_eq!(texts(source, "nichts", ("en", "de")), [""; 0], "{source}");
    }
    assert_eq!(texts("two dollars", "nichts", ("en", "de")), ["two dollars"]);
    assert_eq!(texts("Hunderte von Menschen", "people", ("de", "en")), [""; 0]);
}

/// In other languages digits and signs count, and number words do not.
#[test]
fn other_languages_have_digits() {
    let equal = [
        ("1,250.50 euros at 8:30 p.m.", "1 250,50 euros à 20h30", "fr"),
        ("3 apples", "trois pommes", "fr"),
        ("2.5 billion", "2,5 milliards", "fr"),
        ("3 May 2024", "3 mai 2024", "fr"),
        ("twenty-one people", "vingt et une personnes", "fr"),
        ("2.5 billion people", "25亿人", "zh"),
        ("3 May 2024", "2024年5月3日", "zh"),
        ("at 1,250", "١٢٥٠", "ar"),
    ];
    for (source, translation, to) in equal {
        assert_eq!(texts(source, translation, ("en", to)), [""; 0], "{source} -> {translation}");
    }
    assert_eq!(texts("1,250 people", "1 350 personnes", ("en", "fr")), ["1,250"]);
    assert_eq!(texts("$45", "45 €", ("en", "fr")), ["$45"]);
    assert_eq!(texts("4500万人", "45 million people", ("zh", "en")), [""; 0]);
    assert_eq!(missing_numbers("1,250 people", "1.250 personas", None), []);
    assert_eq!(missing_numbers("1,250 people", "1.251 personas", None).len(), 1);
}

/// Each digit of each number of a line is changed by one, one at a time.
#[test]
fn a_changed_digit_is_reported() {
    let lines = [
        (
            "On 14 March 2023 the firm sold 1,482 cars for $36.7 million.",
            "Am 14. März 2023 verkaufte die Firma 1.482 Autos für 36,7 Millionen Dollar.",
        ),
        ("The train leaves at 17:48 from platform 23.", "Der Zug fährt um 17:48 Uhr von Gleis 23."),
        ("Prices rose by 4.7% to €289.95.", "Die Preise stiegen um 4,7 % auf 289,95 €."),
        ("Call 0761 483920 between 9:15 and 16:45.", "Rufen Sie 0761 483920 zwischen 9:15 und 16:45 an."),
        ("In 1995, 64 of 387 members were over 71.", "1995 waren 64 von 387 Mitgliedern über 71."),
    ];
    let (mut planted, mut found) = (0, 0);
    for (source, translation) in lines {
        assert_eq!(texts(source, translation, ("en", "de")), [""; 0]);
        for (at, digit) in translation.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
            let other = char::from(b'0' + (digit as u8 - b'0' + 1) % 10);
            let changed = format!("{}{other}{}", &translation[..at], &translation[at + 1..]);
            planted += 1;
            found += usize::from(!texts(source, &changed, ("en", "de")).is_empty());
        }
    }
    assert!(planted >= 50, "{planted} errors");
    assert!(found * 100 >= planted * 95, "{found} of {planted} errors found");
}

/// The time of a comparison of `text` with itself, repeated to this number of bytes.
fn time_of(text: &str, bytes: usize) -> Duration {
    let text = text.repeat(bytes / text.len());
    let begun = Instant::now();
    std::hint::black_box(missing_numbers(&text, &text, Some(("en", "de"))));
    begun.elapsed()
}

/// Eight times the text takes eight times the time, not 64 times. Other work on the machine may slow one measurement
/// down.
#[test]
fn long_texts_take_linear_time() {
    let texts = [
        "1",
        "1 ",
        "1,",
        "1-",
        "123 ",
        "1.",
        "12:34:",
        "20 Uhr ",
        "5 $ ",
        "two ",
        "zwei",
        "half past ",
        "'",
        "1 million to ",
    ];
    for text in texts.into_iter().chain(["1/", "3. Mai "]) {
        let ratio = || time_of(text, 1 << 20).as_secs_f64() / time_of(text, 1 << 17).as_secs_f64();
        assert!((0..4).any(|_| ratio() < 24.0), "{text:?}: eight times the text takes {} times the time", ratio());
    }
}

/// Pieces of which texts with numbers are made.
const PIECES: [&str; 48] = [
    "1",
    "12",
    "1250",
    "000",
    "2024",
    "31",
    ".",
    ",",
    ":",
    "/",
    "-",
    "–",
    " ",
    "\u{a0}",
    "'",
    "’",
    "$",
    "€",
    "%",
    "½",
    "(",
    ")",
    "+",
    "million",
    "Mrd",
    "p",
    "m",
    "pm",
    "Uhr",
    "o'clock",
    "half",
    "past",
    "to",
    "halb",
    "acht",
    "viertel",
    "May",
    "Mai",
    "of",
    "two",
    "hundred",
    "and",
    "a",
    "zweihundert",
    "einund",
    "dollars",
    "miles",
    "万",
];

proptest! {
    #[test]
    fn any_text_is_read(source in ".*", translation in ".*") {
        ranges_fit(&source, &translation)?;
    }

    #[test]
    fn any_pieces_are_read(source in pieces(), translation in pieces()) {
        ranges_fit(&source, &translation)?;
    }

    /// A text has all its own numbers.
    #[test]
    fn a_copy_lacks_nothing(text in pieces()) {
        for language in ["en", "de", "fr", "zh"] {
            prop_assert_eq!(texts(&text, &text, (language, language)), [""; 0]);
        }
    }
}

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..20).prop_map(|pieces| pieces.concat())
}

fn ranges_fit(source: &str, translation: &str) -> Result<(), TestCaseError> {
    for languages in [None, Some(("en", "de")), Some(("de", "en")), Some(("zh", "fr"))] {
        for missing in missing_numbers(source, translation, languages) {
            prop_assert_eq!(source.get(missing.range), Some(&*missing.text));
        }
    }
    Ok(())
}
