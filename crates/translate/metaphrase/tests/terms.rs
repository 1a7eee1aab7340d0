//! Required and avoided terms in the text of translations, with the model that comes with the program.

use metaphrase::{Case, Glossary, Request, SamplingPool, Translation, Translator};

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

    // Terms that do not fit are given up; what is to be avoided is not.
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
    // The vocabulary has no superscript; the user is told.
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

/// Each with a term of the source, its translation, and the word that the model would say.
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
