//! Required and avoided terms in the text of translations, with the model that comes with the program.

use metaphrase::{
    Case, Glossary, Lost, Request, SamplingPool, TermForms, TermUse, TranslateOptions, Translation, Translator,
};

fn translator() -> Translator {
    Translator::builder().model("en-de").threads(1).build().expect("the bundled model")
}

fn one(translator: &Translator, request: Request) -> Translation {
    translator.run(&translator.options(), vec![request]).expect("a translation").remove(0)
}

/// Whether a text has this word: a run of letters.
fn has(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|found| found == word)
}

/// The model spells `T-Shirt` and `schwarzen` with other pieces if the usual ones are forbidden.
#[test]
fn an_avoided_word_is_not_spelled_with_other_pieces() {
    let translator = translator();
    let mut options = translator.options();
    for (source, word) in [
        ("The cyclist is wearing a black t-shirt.", "Shirt"),
        ("The cyclist is wearing a black t-shirt.", "schwarzes"),
        ("A man in a black hat is wearing a green t-shirt.", "Shirt"),
        ("A man wearing a black hat is shooting a gun.", "schwarzen"),
        ("Two cyclists are riding down the street.", "Straße"),
    ] {
        for beam in [1, 2, 6] {
            (options.search.beam_size, options.search.beam_size_constrained) = (beam, None);
            let request = Request::translate(source).avoid(word);
            let found = translator.run(&options, vec![request]).expect("a translation").remove(0);
            assert!(!has(found.text(), word), "{word} in {}", found.text());
            assert_eq!((found.present, found.notes), (vec![], vec![]));
        }
    }
}

#[test]
fn an_avoided_phrase_that_can_not_be_kept_out_is_reported() {
    let translator = translator();
    let by_prefix = Request::translate("The house is old.").prefix("Das Haus").avoid("Haus").avoid("alt");
    let found = one(&translator, by_prefix);
    assert!(found.text().starts_with("Das Haus "), "the words after the prefix are free: {}", found.text());
    assert!(!has(found.text(), "alt"));
    assert_eq!(found.present, [0]);
    assert!(
        found.notes[0].starts_with("the translation contains 'Haus', which its given prefix has"),
        "{:?}",
        found.notes
    );

    let mut options = translator.options();
    (options.search.sampling, options.search.n_best) = (Some(SamplingPool::TopK(1).at(1.0)), 1);
    let request = Request::translate("The house is old.").avoid("Haus");
    let found = translator.run(&options, vec![request]).expect("a translation").remove(0);
    assert_eq!((found.present.as_slice(), has(found.text(), "Haus")), (&[0][..], true));

    // Terms that do not fit are given up; phrases to avoid are not.
    let long = (0..40).fold(Request::translate("The house is old.").avoid("Haus"), |all, _| all.require(["Wort"]));
    let found = one(&translator, long);
    assert_eq!(found.missing.len(), 40);
    assert!(!has(found.text(), "Haus"), "{}", found.text());
}

#[test]
fn a_longer_word_is_no_avoided_word() {
    let translator = translator();
    let request = Request::translate("The door of the house is open.").require(["Haustür"]).avoid("Haus");
    let found = one(&translator, request);
    assert!(has(found.text(), "Haustür") && !has(found.text(), "Haus"), "{}", found.text());
    assert!(found.missing.is_empty() && found.present.is_empty());
    let contradiction = one(&translator, Request::translate("The house.").require(["Haus"]).avoid("Haus"));
    assert_eq!(contradiction.missing, [0]);
}

#[test]
fn unicode_forms_of_a_term_are_the_same() {
    let translator = translator();
    let composed = one(&translator, Request::translate("The door is open.").require(["Tür"]));
    let decomposed = one(&translator, Request::translate("The door is open.").require(["Tu\u{308}r"]));
    assert_eq!(composed, Translation { terms: composed.terms.clone(), ..decomposed });
    assert!(has(composed.text(), "Tür") && composed.notes.is_empty());
    let avoided = one(&translator, Request::translate("The door is open.").avoid("Tu\u{308}r"));
    assert!(!has(avoided.text(), "Tür"), "{}", avoided.text());
    // The vocabulary has no superscript, and a note reports it.
    let square = one(&translator, Request::translate("The house has 80 square metres.").require(["m²"]));
    assert!(square.text().contains("m2") && square.missing.is_empty(), "{}", square.text());
    assert_eq!(square.notes, ["the model's vocabulary writes the constraint 'm²' as 'm2'"]);
}

#[test]
fn a_term_of_the_line_and_of_the_glossary_appears_once() {
    let glossary = Glossary::parse("cab\tTaxi\n", Case::Ignore).expect("a glossary");
    let translator = Translator::builder().model("en-de").glossary(glossary).threads(1).build().expect("a translator");
    let found = one(&translator, Request::translate("He took a cab.").require(["Taxi"]));
    assert_eq!(found.text().matches("Taxi").count(), 1, "{}", found.text());
    assert_eq!(found.hypotheses[0].met.len(), 1);
}

/// A translation never has control characters: an alternative with one is no way to meet a term.
#[test]
fn an_alternative_that_no_translation_contains_is_left_out() {
    let translator = translator();
    let request = Request::translate("The house").require(["日本", "\u{0}"]);
    let found = one(&translator, request);
    assert!(found.text().contains("日本"), "{}", found.text());
    let expected = "the constraint '\\0' is left out: it has control characters, which no translation contains";
    assert_eq!((found.missing, found.notes), (vec![], vec![expected.to_owned()]));
}

#[test]
fn a_prefix_that_the_vocabulary_writes_in_another_way_is_reported() {
    let translator = translator();
    let found = one(&translator, Request::translate("The flat has 20 m².").prefix("20 ㎡ hat"));
    assert_eq!(found.notes, ["the model's vocabulary writes the prefix as '20 m2 hat'"]);
    let found = one(&translator, Request::translate("The house is old.").prefix("Das  Haus"));
    assert!(found.notes.is_empty(), "blanks are no difference: {:?}", found.notes);
}

/// Lines, each with a term of the source, its translation, and the word that the model would choose.
const PLAIN_LINES: [(&str, &str, &str, &str); 12] = [
    ("The door is new.", "door", "Pforte", "Tür"),
    ("The user opens the file.", "file", "Dokument", "Datei"),
    ("My house, your house and the garden.", "house", "Gebäude", "Haus"),
    ("The dog sleeps in front of the house.", "dog", "Vierbeiner", "Hund"),
    ("The church was built in 1850.", "church", "Gotteshaus", "Kirche"),
    ("The boat sank in the storm.", "boat", "Kahn", "Boot"),
    ("A bird flew into the window.", "bird", "Piepmatz", "Vogel"),
    ("The error occurs again.", "error", "Panne", "Fehler"),
    ("We bought a new car yesterday.", "car", "Kraftwagen", "Auto"),
    ("The company was founded in Berlin.", "company", "Betrieb", "Unternehmen"),
    ("The king lived in a castle.", "castle", "Burg", "Schloss"),
    ("The picture hangs on the wall.", "picture", "Gemälde", "Bild"),
];

#[test]
fn a_term_of_a_glossary_stands_where_its_word_stood() {
    let translator = translator();
    for (line, source, target, plain) in PLAIN_LINES {
        let glossary = Glossary::from_entries([(source.to_owned(), vec![target.to_owned()])], Case::Ignore).unwrap();
        let mut options = translator.options();
        options.glossaries = vec![glossary.into()];
        options.search.attention = true;
        let found = translator.run(&options, vec![Request::translate(line)]).unwrap().remove(0);
        assert!(has(found.text(), target) && !found.text().contains(plain), "{line} {}", found.text());
        assert_eq!(found.terms[0].source, line.find(source).map(|at| at..at + source.len()));
        // Alignments are about the words of the line, not about the marks of the terms in it.
        let attention = found.hypotheses[0].attention.as_ref().unwrap();
        assert_eq!(attention.source_len, found.source_pieces.len() + 1);
        assert_eq!(attention.weights.len(), attention.source_len * (found.hypotheses[0].pieces.len() + 1));
    }
}

/// A line of `testdata/terms/en-de.tsv`.
struct TermLine<'a> {
    source: &'a str,
    glossary: Glossary,
    /// Words for which the glossary has others.
    plain: Vec<&'a str>,
}

fn term_lines(table: &'static str) -> Vec<TermLine<'static>> {
    let line = |line: &'static str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let entries = fields[2].replace('=', "\t").replace(';', "\n");
        let glossary = Glossary::parse(&entries, Case::Ignore).expect("a glossary");
        let plain = fields[3].split('|').filter(|word| !word.is_empty()).collect();
        TermLine { source: fields[1], glossary, plain }
    };
    table.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

/// Each line of ten kinds has all its terms, hardly ever the plain word next to one, and is not much longer than
/// without terms.
#[test]
fn terms_take_the_place_of_their_words() {
    let table = include_str!("../../../../testdata/terms/en-de.tsv");
    let (translator, lines) = (translator(), term_lines(table));
    let requests: Vec<Request> = lines.iter().map(|line| Request::translate(line.source)).collect();
    let free = translator.run(&translator.options(), requests.clone()).expect("translations");
    let (mut kept, mut long) = (Vec::new(), Vec::new());
    for ((line, request), free) in lines.iter().zip(requests).zip(free) {
        let mut options = translator.options();
        options.glossaries = vec![line.glossary.clone().into()];
        let found = translator.run(&options, vec![request]).expect("a translation").remove(0);
        assert!(found.missing.is_empty(), "{}: {}", line.source, found.text());
        if line.plain.iter().any(|word| has(found.text(), word)) {
            kept.push(format!("{}: {}", line.source, found.text()));
        }
        if found.text().len() > free.text().len() * 3 / 2 + 10 {
            long.push(format!("{}: {}", line.source, found.text()));
        }
    }
    assert!(kept.len() * 50 <= lines.len(), "{} of {} lines keep a plain word: {kept:#?}", kept.len(), lines.len());
    assert!(long.is_empty(), "{long:#?}");
}

/// Sentences of daily life, both ways: no term is missing, and at most two of 67 lines keep a plain word.
#[test]
fn terms_of_daily_life_take_the_place_of_their_words() {
    let mut kept = Vec::new();
    for (model, table) in [
        ("en-de", include_str!("../../../../testdata/terms/daily-en-de.tsv")),
        ("de-en", include_str!("../../../../testdata/terms/daily-de-en.tsv")),
    ] {
        let translator = Translator::builder().model(model).threads(1).build().expect("the bundled model");
        for line in term_lines(table) {
            let mut options = translator.options();
            options.glossaries = vec![line.glossary.into()];
            let found = translator.run(&options, vec![Request::translate(line.source)]).unwrap().remove(0);
            assert!(found.missing.is_empty(), "{}: {}", line.source, found.text());
            if line.plain.iter().any(|word| has(found.text(), word)) {
                kept.push(format!("{}: {}", line.source, found.text()));
            }
        }
    }
    assert!(kept.len() <= 2, "{kept:#?}");
}

/// "a" and "an" go with the term that follows.
#[test]
fn english_articles_agree_with_terms() {
    let translator = Translator::builder().model("de-en").threads(1).build().expect("the bundled model");
    for (source, entry, expected) in [
        ("Er ist ein Arbeiter.", "Arbeiter\temployee", "an employee"),
        ("Ich habe eine Idee.", "Idee\tplan", "a plan"),
        ("Wir haben einen Termin.", "Termin\tappointment", "an appointment"),
    ] {
        let glossary = Glossary::parse(entry, Case::Ignore).expect("a glossary");
        let mut options = translator.options();
        options.glossaries = vec![glossary.into()];
        let found = translator.run(&options, vec![Request::translate(source)]).expect("a translation").remove(0);
        assert!(found.text().to_lowercase().contains(expected), "{}", found.text());
    }
}

/// The translations of a table's lines with glossaries that do not have the expected words, and the number of lines.
/// `|` stands between alternatives, `&` between words that may stand apart.
fn wrong_lines(table: &str) -> (Vec<String>, usize) {
    wrong_lines_of(&translator(), table)
}

fn wrong_lines_of(translator: &Translator, table: &str) -> (Vec<String>, usize) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let glossary = fields[1].replace('=', "\t").replace(", ", "\n");
        let mut options = translator.options();
        options.glossaries = vec![Glossary::parse(&glossary, Case::Ignore).expect("a glossary").into()];
        let found = translator.run(&options, vec![Request::translate(fields[0])]).expect("a translation").remove(0);
        assert!(found.missing.is_empty() && !found.terms.is_empty(), "{found:?}");
        let text = found.text().to_lowercase();
        let has = |words: &str| {
            let mut rest = text.as_str();
            words.to_lowercase().split(" & ").all(|word| {
                let found = rest.find(word);
                rest = found.map_or("", |at| &rest[at + word.len()..]);
                found.is_some()
            })
        };
        if !fields[2].split('|').any(has) {
            wrong.push(text);
        }
        count += 1;
    }
    (wrong, count)
}

/// Articles and adjectives have the gender of the term that follows; without that, 52 of these 80 lines are right.
#[test]
fn articles_agree_with_terms() {
    let (wrong, count) = wrong_lines(include_str!("../../../../testdata/terms/genders-en-de.tsv"));
    assert!(count == 80 && wrong.len() <= 8, "{wrong:#?}");
}

/// A term that stands for several things has a plural, in the right case; without that, 27 of these 40 lines are right.
#[test]
fn terms_for_several_things_have_a_plural() {
    let (wrong, count) = wrong_lines(include_str!("../../../../testdata/terms/plurals-en-de.tsv"));
    assert!(count == 40 && wrong.is_empty(), "{wrong:#?}");
}

/// Adjectives before the noun of a term have the case of their place; without that, 4 of these 25 lines are right.
#[test]
fn adjectives_of_terms_agree() {
    let (wrong, count) = wrong_lines(include_str!("../../../../testdata/terms/adjectives-en-de.tsv"));
    assert!(count == 25 && wrong.len() <= 2, "{wrong:#?}");
}

/// Terms with words after their head, and heads that are adjectives, have the form of their place; without that, 3 of
/// these 20 lines are right.
#[test]
fn heads_of_terms_have_the_form_of_their_place() {
    let (wrong, count) = wrong_lines(include_str!("../../../../testdata/terms/heads-en-de.tsv"));
    assert!(count == 20 && wrong.len() <= 3, "{wrong:#?}");
}

/// German verbs and adjectives of terms are found in their forms; without that, 9 of these 25 lines are right.
#[test]
fn german_terms_are_found_in_their_forms() {
    let translator = Translator::builder().model("de-en").threads(1).build().expect("the bundled model");
    let (wrong, count) = wrong_lines_of(&translator, include_str!("../../../../testdata/terms/forms-de-en.tsv"));
    assert!(count == 25 && wrong.len() <= 1, "{wrong:#?}");
}

/// A line that is a term, as a button or a cell of a table, is its translation and nothing else.
#[test]
fn a_line_that_is_a_term_is_its_translation() {
    let translator = Translator::builder().model("de-en").threads(1).build().expect("the bundled model");
    let glossary = "Auftraggeber\tclient\nanmelden\tsign in\nRechnung\tinvoice\nZürich\tZürich";
    let mut options = translator.options();
    options.glossaries = vec![Glossary::parse(glossary, Case::Ignore).expect("a glossary").into()];
    let lines = ["Auftraggeber", "Anmelden", "Rechnungen:", "(Auftraggeber)"];
    let found = translator.run(&options, lines.map(Request::translate).to_vec()).expect("translations");
    let texts: Vec<&str> = found.iter().map(Translation::text).collect();
    assert_eq!(texts, ["Client", "Sign in", "Invoices:", "(Client)"]);
    assert!(found.iter().all(|found| found.missing.is_empty() && found.hypotheses[0].met.len() == 1));
}

/// A line that has its terms without them stays as it is, be they in other forms or in compounds.
#[test]
fn lines_that_have_their_terms_stay_as_they_are() {
    let glossary = "bridge\tBrücke\ntree\tBaum\nroad\tStraße\nhealth\tGesundheit\ncampaign\tKampagne\n\
        neighbour\tNachbar\ndog\tHund\nhouse\tHaus\nfarmer\tBauer\negg\tEi\ntown\tStadt";
    let lines = [
        "The driver of the bus stopped at the bridge because a tree was lying on the road.",
        "Many public health campaigns are boring, so people do not listen to them.",
        "My neighbour's dog barks every night, and nobody in the house can sleep.",
        "The farmer sells milk, eggs and cheese on the market in the old town.",
    ];
    let translator = translator();
    let mut options = translator.options();
    let requests: Vec<Request> = lines.iter().map(|line| Request::translate(*line)).collect();
    let without = translator.run(&options, requests.clone()).expect("translations");
    options.glossaries = vec![Glossary::parse(glossary, Case::Ignore).expect("a glossary").into()];
    let with = translator.run(&options, requests).expect("translations");
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with.text(), without.text());
        assert!(with.missing.is_empty(), "{with:?}");
    }
}

/// Where a line lacks one of its terms, only that one changes the translation.
#[test]
fn a_term_that_is_there_is_not_read_again() {
    let glossary = "student\tSchüler\nschool\tSchule\nsport\tSport\nbag\tTasche\nwater\tWasser\nbottle\tFlasche";
    let translator = translator();
    let mut options = translator.options();
    options.glossaries = vec![Glossary::parse(glossary, Case::Ignore).expect("a glossary").into()];
    let request = Request::translate("Every student of the school must bring a sports bag and a water bottle.");
    let found = translator.run(&options, vec![request]).expect("a translation");
    // All terms in the source made it "einen Sport Tasche und eine Flasche mit Wasser".
    assert!(found[0].text().contains("eine Sporttasche und eine Wasserflasche"), "{}", found[0].text());
}

/// A verb has the form of its place in the sentence, its particle apart; without that, 8 of these 29 lines are right.
#[test]
fn verbs_have_the_form_of_their_place() {
    let (wrong, count) = wrong_lines(include_str!("../../../../testdata/terms/verbs-en-de.tsv"));
    assert!(count == 29 && wrong.len() <= 2, "{wrong:#?}");
}

/// A name that stays has the article that the model gives it, whatever its letters look like.
#[test]
fn names_that_stay_keep_their_articles() {
    let glossary = Glossary::parse("Jetta\tJetta\nEcho\tEcho", Case::Ignore).expect("a glossary");
    let translator = translator();
    let mut options = translator.options();
    options.glossaries = vec![glossary.into()];
    let requests = ["I bought a red Jetta.", "The Echo is new."].map(Request::translate);
    let found = translator.run(&options, requests.to_vec()).expect("translations");
    assert_eq!(found[0].text(), "Ich habe einen roten Jetta gekauft.");
    assert_eq!(found[1].text(), "Der Echo ist neu.");
}

/// Words next to a term that attend to its source, too, stay what they are.
#[test]
fn a_term_leaves_the_words_of_its_neighbours() {
    let translator = translator();
    let glossary = Glossary::parse("kitchen\tKochstube\n", Case::Ignore).expect("a glossary");
    let mut options = translator.options();
    options.glossaries = vec![glossary.into()];
    let request = Request::translate("The child closed the window and the door of the kitchen.");
    let found = translator.run(&options, vec![request]).expect("a translation").remove(0);
    assert!(has(found.text(), "Tür") && has(found.text(), "Kochstube"), "{}", found.text());
}

/// A term with several forms has the one that fits its sentence, whichever the glossary names first.
#[test]
fn a_term_has_the_form_that_fits() {
    let translator = translator();
    for (entry, source, expected) in [
        ("quick\tzügig|zügige|zügigen|zügiger", "We need a quick answer.", "zügige"),
        ("quick\tzügig*", "We need a quick answer.", "zügige"),
        ("difficult\tanstrengend|anstrengende", "It was a difficult week for the whole team.", "anstrengende"),
    ] {
        let mut options = translator.options();
        options.glossaries = vec![Glossary::parse(entry, Case::Ignore).expect("a glossary").into()];
        let found = translator.run(&options, vec![Request::translate(source)]).expect("a translation").remove(0);
        assert!(has(found.text(), expected) && found.missing.is_empty(), "{entry}: {}", found.text());
    }
}

#[test]
fn a_preferred_term_is_inflected_and_what_is_not_used_is_reported() {
    let translator = translator();
    let glossary = Glossary::parse("user\tAnwender\nfile\tZebrastreifen\n", Case::Ignore).expect("a glossary");
    let mut options = translator.options();
    (options.term_use, options.glossaries) = (TermUse::Preferred, vec![glossary.into()]);
    let line = "I forgot the name of the user.";
    let found = translator.run(&options, vec![Request::translate(line)]).expect("a translation").remove(0);
    assert!(has(found.text(), "Anwenders"), "{}", found.text());
    assert_eq!((found.missing.as_slice(), found.hypotheses[0].met[0].term), (&[][..], 0));
    // A phrase that the line avoids can not be a term.
    let request = Request::translate("The file is open.").avoid("Zebrastreifen");
    let found = translator.run(&options, vec![request]).expect("a translation").remove(0);
    assert_eq!((found.missing.as_slice(), found.notes.len()), (&[0][..], 1), "{} {:?}", found.text(), found.notes);
}

#[test]
fn any_form_of_a_term_will_do() {
    let translator = translator();
    for entry in ["houses\tGebäude|Gebäuden", "houses\tGebäude*"] {
        let mut options = translator.options();
        options.glossaries = vec![Glossary::parse(entry, Case::Ignore).expect("a glossary").into()];
        let request = Request::translate("He sleeps in the houses of his friends.");
        let found = translator.run(&options, vec![request]).expect("a translation").remove(0);
        assert!(has(found.text(), "Gebäuden"), "{entry}: {}", found.text());
        assert!(found.missing.is_empty(), "{entry}: {}", found.text());
    }
}

/// Long lines with many pieces of terms: a place of the beam for each bank.
#[test]
fn long_lines_with_many_terms_are_not_garbage() {
    let translator = translator();
    let source = "The government announced on Tuesday that it would invest more than two billion euros in new schools, \
                  hospitals and roads over the next five years in order to create jobs in the east of the country.";
    let terms =
        ["Bundesregierung", "Dienstag", "Milliarden Euro", "Bildungseinrichtungen", "Arbeitsplätze", "Landesteil"];
    let free = one(&translator, Request::translate(source));
    for count in 1..=terms.len() {
        let request = terms[..count].iter().fold(Request::translate(source), |request, term| request.require([*term]));
        let found = one(&translator, request);
        assert!(found.missing.is_empty(), "{}", found.text());
        assert!(found.text().len() < free.text().len() * 3 / 2, "{}", found.text());
        let log_probs = [&found, &free].map(|of| of.hypotheses[0].log_prob);
        assert!(log_probs[0] > 2.5 * log_probs[1] - 10.0 * count as f32, "{log_probs:?} {}", found.text());
    }
}

/// Through English a term keeps its place: the first leg's attention shows where its word went.
#[test]
fn a_term_keeps_its_place_by_way_of_a_third_language() {
    let first = Translator::builder().model("de-en").threads(1).build().expect("the bundled model");
    let pivot = Translator::pivot(first.into(), translator().into());
    let glossary = Glossary::parse("Haus\tAnwesen\nTür\tPforte\n", Case::Ignore).expect("a glossary");
    let pivot = pivot.with_glossary(glossary);
    for (line, plain) in [("Das Haus ist alt.", "Haus"), ("Die Tür ist neu.", "Tür")] {
        let found = one(&pivot, Request::translate(line));
        assert!(found.missing.is_empty() && !has(found.text(), plain), "{}", found.text());
    }
}

/// Alternatives without a place: the translation has the one that fits best, not the first one.
#[test]
fn the_alternative_that_fits_best_is_chosen() {
    let translator = translator();
    for alternatives in [["Bauwerk", "Haus"], ["Haus", "Bauwerk"]] {
        let found = one(&translator, Request::translate("The house is old.").require(alternatives));
        assert!(has(found.text(), "Haus") && found.missing.is_empty(), "{alternatives:?}: {}", found.text());
    }
}

/// A term next to signs: models write it there with other pieces than after a blank.
#[test]
fn terms_next_to_signs_keep_the_signs() {
    let translator = translator();
    for (source, term, expected) in [
        ("He calls it \"house\".", "Gebäude", "Er nennt es \"Gebäude\"."),
        ("The (user) is here.", "Anwender", "Der (Anwender) ist hier."),
        ("The \"user\" opens the door.", "Anwender", "Der \"Anwender\" öffnet die Tür."),
    ] {
        let word = ["house", "user"].into_iter().find_map(|word| Some((source.find(word)?, word)));
        let (at, word) = word.expect("a known word");
        let mut request = Request::translate(source).require([term]);
        request.terms.required[0].source = Some(at..at + word.len());
        let found = one(&translator, request);
        let text = found.text().replace(['„', '“', '”'], "\"");
        assert_eq!(text, expected);
        assert!(found.missing.is_empty());
    }
    for source in ["Could not read \"%s\".", "Delete (%s)"] {
        let at = source.find("%s").expect("a thing to copy");
        let mut request = Request::translate(source).require(["%s"]);
        request.terms.required[0].source = Some(at..at + 2);
        let found = one(&translator, request);
        let signs = if source.contains('"') { ["\"%s\"", "„%s“"] } else { ["(%s)", "(%s)"] };
        assert!(signs.iter().any(|signs| found.text().contains(signs)), "{}", found.text());
    }
}

/// German compounds are written with a hyphen where a term would be a part of them.
#[test]
fn compounds_with_terms_have_hyphens() {
    let translator = translator();
    let source = "Many of these sport legends came to Aachen on Saturday.";
    let at = source.find("sport").expect("the word");
    let mut request = Request::translate(source).require(["Sport"]);
    request.terms.required[0].source = Some(at..at + "sport".len());
    let found = one(&translator, request);
    assert!(found.text().contains("Sport-Legenden") && found.missing.is_empty(), "{}", found.text());
    assert!(found.hypotheses[0].score > -1.5 && found.hypotheses[0].met.len() == 1, "{found:?}");
}

/// A term of a glossary may be a part of a compound, as it may have endings, if the compound stands for its word.
#[test]
fn terms_of_glossaries_stand_in_compounds() {
    let glossary = Glossary::parse("sport\tSport\nbronze\tBronze\nhouse\tHaus\n", Case::Ignore).expect("a glossary");
    let translator = translator();
    let translate = |source: &str, forms: TermForms| -> Translation {
        let mut options = TranslateOptions { term_forms: forms, ..translator.options() };
        options.glossaries = vec![std::sync::Arc::new(glossary.clone())];
        translator.run(&options, vec![Request::translate(source)]).expect("a translation").remove(0)
    };
    for (source, compound, exact) in [
        ("Many of these sport legends came to Aachen on Saturday.", "Sportlegenden", "Sport-Legenden"),
        ("The bronze medal went to Jun Mizutani from Japan.", "Bronzemedaille", "Bronze-Medaille"),
    ] {
        let found = translate(source, TermForms::Inflected);
        assert!(found.text().contains(compound) && found.missing.is_empty(), "{}", found.text());
        assert_eq!(found.hypotheses[0].met.len(), 1, "{found:?}");
        let found = translate(source, TermForms::Exact);
        assert!(found.text().contains(exact) && found.missing.is_empty(), "{}", found.text());
    }
    let found = translate("The house is next to the hospital.", TermForms::Inflected);
    assert!(found.text().contains("Haus "), "{}", found.text());
}

#[test]
fn terms_of_glossaries_have_forms() {
    let glossary = "employee\tMitarbeitende\nscreen\tDisplay\norder\tAuftrag\nsettings\tKonfiguration\nuser account\tBenutzerkonto\n\
                    button\tTaste\nMetaphrase\tMetaphrase\n";
    let glossary = Glossary::parse(glossary, Case::Ignore).expect("a glossary");
    let translator = translator();
    let translate = |source: &str, forms: TermForms| -> Translation {
        let mut options = TranslateOptions { term_forms: forms, ..translator.options() };
        options.glossaries = vec![std::sync::Arc::new(glossary.clone())];
        translator.run(&options, vec![Request::translate(source)]).expect("a translation").remove(0)
    };
    for (source, expected) in [
        ("Change the settings of your user account.", &["Konfiguration", "Benutzerkontos"][..]),
        ("How many employees does the company have?", &["Mitarbeitende"]),
        ("The buttons on the screen do not work.", &["Tasten", "Display"]),
        ("We received your orders.", &["Aufträge"]),
        ("Your order has been cancelled.", &["Auftrag"]),
        ("Metaphrase is fast.", &["Metaphrase"]),
    ] {
        let found = translate(source, TermForms::Inflected);
        let text = found.text();
        assert!(expected.iter().all(|form| text.contains(form)) && found.missing.is_empty(), "{source}: {text}");
        let met = &found.hypotheses[0].met;
        assert_eq!((met.len(), found.terms.len()), (expected.len(), expected.len()), "{source}: {found:?}");
    }
    assert!(translate("How many employees does the company have?", TermForms::Exact).terms.is_empty());
    let exact = translate("Change the settings of your user account.", TermForms::Exact);
    assert!(exact.text().contains("Benutzerkonto."), "{}", exact.text());
}

#[test]
fn a_thing_that_is_lost_is_searched_for_again() {
    let translator = translator();
    let texts = |things: Lost, sources: &[&str]| -> Vec<String> {
        let options = TranslateOptions { things, ..translator.options() };
        let requests = sources.iter().map(|source| Request::translate(*source)).collect();
        let found = translator.run(&options, requests).expect("translations");
        assert!(found.iter().all(|found| found.missing.is_empty() && found.hypotheses[0].met.is_empty()));
        found.iter().map(|found| found.text().to_owned()).collect()
    };
    let sources = [
        "Set MAX_RETRIES to 5 in settings.ini.",
        "Password to use if none is specified in odbc_connect or odbc_pconnect.",
        "To set at runtime, use the error_reporting function.",
    ];
    let things = [&["MAX_RETRIES", "settings.ini"][..], &["odbc_connect", "odbc_pconnect"], &["error_reporting"]];
    let right = |texts: &[String]| {
        texts.iter().zip(things).filter(|(text, things)| things.iter().all(|thing| text.contains(thing))).count()
    };
    assert_eq!(right(&texts(Lost::Keep, &sources)), 3);
    assert!(right(&texts(Lost::Model, &sources)) < 3, "the model loses none of these any more: find others");
    let kept = ["Press Ctrl+C to stop the program.", "Open /etc/hosts now.", "It is old."];
    assert_eq!(texts(Lost::Keep, &kept), texts(Lost::Model, &kept));
}

/// Lines that have terms already, of a glossary or names that stay, are searched again, too.
#[test]
fn a_thing_next_to_a_term_is_searched_for_again() {
    let translator = translator();
    let mut options = translator.options();
    let glossary = Glossary::parse("user\tAnwender", Case::Ignore).expect("a glossary");
    options.glossaries = vec![glossary.into()];
    for (source, expected) in [
        ("Open settings.ini, 85 m², near Gdańsk.", &["settings.ini", "85 m²", "Gdańsk"][..]),
        ("The user edits config.yaml and settings.ini.", &["Anwender", "config.yaml", "settings.ini"]),
        ("The user calls odbc_connect() first.", &["Anwender", "odbc_connect()"]),
    ] {
        let found = translator.run(&options, vec![Request::translate(source)]).expect("a translation").remove(0);
        assert!(expected.iter().all(|part| found.text().contains(part)), "{}", found.text());
        assert!(found.missing.is_empty(), "{found:?}");
    }
}

#[test]
fn a_number_that_is_lost_is_searched_for_again() {
    let translator = translator();
    let texts = |amounts: Lost, sources: &[&str]| -> Vec<String> {
        let mut options = translator.options();
        options.amounts = amounts;
        let requests = sources.iter().map(|source| Request::translate(*source)).collect();
        let found = translator.run(&options, requests).expect("translations");
        assert!(found.iter().all(|found| found.missing.is_empty() && found.hypotheses[0].met.is_empty()));
        found.iter().map(|found| found.text().to_owned()).collect()
    };
    let money = ["It costs US$1.2 trillion to build.", "Cost per unit: $0.005", "Save up to £250 (was £499.99)"];
    let written_money =
        [["1,2 Billionen US-Dollar", "1,2 Billionen Dollar"], ["0,005 $", "0,005 Dollar"], ["250 £", "250 Pfund"]];
    let plain = ["Qty: 10 pcs.", "3 pcs. left"];
    let written_plain = [["10 ", "zehn"], ["3 ", "drei"]];
    for (sources, written) in [(&money[..], &written_money[..]), (&plain, &written_plain)] {
        let right = |texts: &[String]| {
            texts.iter().zip(written).filter(|(text, forms)| forms.iter().any(|form| text.contains(form))).count()
        };
        assert_eq!(right(&texts(Lost::Keep, sources)), sources.len());
        assert!(
            right(&texts(Lost::Model, sources)) < sources.len(),
            "the model loses none of these any more: find others"
        );
    }
    let kept = ["The bill is $40.", "It is old."];
    assert_eq!(texts(Lost::Keep, &kept), texts(Lost::Model, &kept));
}

#[test]
fn a_term_in_small_letters_begins_a_sentence_with_a_capital() {
    let translator = translator();
    let glossary =
        Glossary::parse("the device\tdas Gerät\nrecommended\tempfohlen\n", Case::Ignore).expect("a glossary");
    let mut options = translator.options();
    options.glossaries = vec![std::sync::Arc::new(glossary)];
    let requests = ["The device needs a licence.", "Recommended"].map(Request::translate).to_vec();
    let found = translator.run(&options, requests).expect("translations");
    assert!(found[0].text().starts_with("Das Gerät ") && !found[0].text().contains("Gerät."), "{}", found[0].text());
    assert_eq!(found[1].text(), "Empfohlen");
    assert!(found.iter().all(|found| found.missing.is_empty()));
}
