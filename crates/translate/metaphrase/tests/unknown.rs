//! Characters that a vocabulary lacks, lines in capitals, and characters that no reader sees: what an engine
//! reads, and what its caller gets.

use metaphrase::{
    AlignmentUnit, Attention, Case, Engine, EngineFacts, Error, FileFormat, Glossary, Hypothesis, Met, Plan, Reply,
    Request, Session, TextOptions, TranslateOptions, Translation, Translator, UnknownCharacters, Vocabulary, spans,
};
use metaphrase_text::sentencepiece::train::{TrainOptions, train_bpe};
use metaphrase_text::vocab::VocabularyFormat;
use std::sync::{Arc, Mutex};

/// Gives back what it reads, and remembers it. Lines in small letters have the better score.
struct Echo {
    vocabulary: Arc<Vocabulary>,
    read: Arc<Mutex<Vec<String>>>,
    languages: Option<[String; 2]>,
}

struct EchoSession<'e>(&'e Echo);

impl Engine for Echo {
    fn facts(&self) -> EngineFacts {
        EngineFacts {
            source_vocabulary: Some(Arc::clone(&self.vocabulary)),
            target_vocabulary: Some(Arc::clone(&self.vocabulary)),
            alignment: Some(AlignmentUnit::Pieces),
            languages: self.languages.clone(),
            ..EngineFacts::default()
        }
    }

    fn session<'e>(&'e self, _: &TranslateOptions) -> Result<Box<dyn Session + 'e>, Error> {
        Ok(Box::new(EchoSession(self)))
    }
}

impl Session for EchoSession<'_> {
    fn submit(&self, plan: Plan, reply: Reply) {
        let Echo { vocabulary, read, .. } = self.0;
        let source = plan.request.source;
        read.lock().unwrap().push(source.clone());
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let pieces = vocabulary.pieces(&text);
        let places = spans(&pieces, &text);
        let met = |(term, required): (usize, &metaphrase::RequiredTerm)| {
            let at = text.find(&required.targets[0])?;
            let first = places.iter().position(|place| place.end > at)?;
            let last = places.iter().rposition(|place| place.start < at + required.targets[0].len())?;
            Some(Met { term, first, pieces: last + 1 - first })
        };
        let met = plan.request.terms.required.iter().enumerate().filter_map(met).collect();
        let length = pieces.len() + 1;
        let weights = (0..length * length).map(|at| if at / length == at % length { 1.0 } else { 0.0 }).collect();
        let attention = Some(Attention { source_len: length, weights });
        let score = if text.chars().any(char::is_lowercase) { -1.0 } else { -2.0 };
        let hypothesis =
            Hypothesis { text, pieces: pieces.clone(), met, attention, score, complete: true, ..Hypothesis::default() };
        let translation = Translation { hypotheses: vec![hypothesis], source_pieces: pieces, ..Translation::default() };
        reply.finish(translation);
    }
}

/// A translator that knows ASCII's letters and signs but `{}~\`, and é and ö; and what it has read.
fn echo(bytes: bool) -> (Translator, Arc<Mutex<Vec<String>>>) {
    echo_between(None, bytes)
}

/// The same with languages.
fn echo_between(languages: Option<[&str; 2]>, bytes: bool) -> (Translator, Arc<Mutex<Vec<String>>>) {
    let lines =
        ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789 éö", ".,;:!?'\"()-/+*=%&#<>@_$[]"];
    let options = TrainOptions {
        vocab_size: if bytes { 360 } else { 104 },
        character_coverage: 1.0,
        byte_fallback: bytes,
        ..TrainOptions::default()
    };
    let lines = lines.iter().flat_map(|line| line.chars().map(|c| format!("{c} {c}")).collect::<Vec<_>>());
    let model = train_bpe(lines, &options, |_| {}).unwrap().model;
    let vocabulary = Arc::new(Vocabulary::from_bytes(VocabularyFormat::SentencePiece, &model).unwrap());
    let read = Arc::new(Mutex::new(Vec::new()));
    let languages = languages.map(|pair| pair.map(str::to_owned));
    (Translator::from_engine(Box::new(Echo { vocabulary, read: Arc::clone(&read), languages })), read)
}

#[test]
fn what_a_vocabulary_lacks_comes_back() {
    let (translator, read) = echo(false);
    for (line, reads, gives) in [
        ("Yeşilgöz met Łukasz.", "Yesilgöz met Lukasz.", "Yesilgöz met Lukasz."),
        ("Nguyễn, in Đà Nẵng", "Nguyen, in Da Nang", "Nguyen, in Da Nang"),
        ("Don’t be – “late”…", "Don't be - \"late\"…", "Don't be - \"late\"…"),
        ("Press ⌘ + C.", "Press  + C.", "Press ⌘ + C."),
        ("Means done → next", "Means done  next", "Means done → next"),
        ("all done ✓", "all done", "all done ✓"),
        ("✓ all done!", "all done!", "✓ all done!"),
        ("The word 東京 means (東京)!", "The word X1 means (X2)!", "The word 東京 means (東京)!"),
        ("The X1 of мир.", "The X1 of X2.", "The X1 of мир."),
        ("The price is ₹500, not ₹1,000.", "The price is 500, not 1,000.", "The price is ₹500, not ₹1,000."),
        ("Set { \"a\": 1 } now", "Set  \"a\": 1  now", "Set { \"a\": 1 } now"),
        ("1️⃣ First step, 👍🏽!", "1 First step, !", "1️⃣ First step, 👍🏽!"),
        ("a ≥ b, x ≈ y", "a  b, x  y", "a ≥ b, x ≈ y"),
    ] {
        read.lock().unwrap().clear();
        let found = translator.translate(&[line]).unwrap().remove(0);
        assert_eq!(*read.lock().unwrap(), [reads], "{line}");
        assert_eq!(found.text(), gives);
        assert!(found.notes.iter().any(|note| note.contains("not in the model's vocabulary: ")), "{:?}", found.notes);
        assert!(found.hypotheses[0].attention.is_some() || line.contains(['⌘', '→', '✓', '{', '≥', '👍']), "{line}");
    }
}

#[test]
fn amounts_in_an_unknown_currency_are_written_anew() {
    let (translator, read) = echo_between(Some(["en", "de"]), false);
    for (line, reads, gives) in [
        ("It costs ¥3,000 now.", "It costs 3,000 now.", "It costs 3.000 ¥ now."),
        ("The price is 3,000 ¥.", "The price is 3,000.", "The price is 3.000 ¥."),
        // The model would take the one currency for that of both.
        ("It costs $5 or ₩3,000.", "It costs $5 or X1.", "It costs $5 or 3.000 ₩."),
        ("It costs ₩5,000 or ¥3,000.", "It costs 5,000 or 3,000.", "It costs 5.000 ₩ or 3.000 ¥."),
    ] {
        read.lock().unwrap().clear();
        let found = translator.translate(&[line]).unwrap().remove(0);
        assert_eq!(*read.lock().unwrap(), [reads], "{line}");
        assert_eq!(found.text(), gives);
    }
    let options = TranslateOptions { amounts: metaphrase::Lost::Model, ..translator.options() };
    let found = translator.run(&options, vec![Request::translate("It costs ¥3,000.")]).unwrap().remove(0);
    assert_eq!(found.text(), "It costs ¥3,000.");
}

#[test]
fn a_line_of_nothing_known_is_its_own_translation() {
    let (translator, read) = echo(false);
    let lines = ["⌘⌘⌘ → ✓", "東京", &"⌘ ".repeat(40), "мир ⌘ 5", "????????", "----", "! . ."];
    let found = translator.translate(&lines).unwrap();
    assert!(read.lock().unwrap().is_empty());
    for (line, found) in lines.iter().zip(found) {
        assert_eq!(found.text(), *line);
        assert_eq!(found.notes.len(), usize::from(line.contains(char::is_alphanumeric)), "signs are not lost");
    }
}

#[test]
fn notes_count_characters() {
    let (translator, _) = echo(false);
    let notes = |line: &str| translator.translate(&[line]).unwrap().remove(0).notes;
    assert_eq!(notes("ş and ş and ł"), ["2 characters are not in the model's vocabulary: ş ł"]);
    assert_eq!(notes("see ⌘"), ["1 character is not in the model's vocabulary: ⌘"]);
    assert!(notes("plain text").is_empty());
}

#[test]
fn the_model_may_read_its_unknown_word() {
    let (translator, read) = echo(false);
    let options = TranslateOptions { unknown: UnknownCharacters::Model, ..translator.options() };
    let found = translator.run(&options, vec![Request::translate("Press ⌘ in Łódź")]).unwrap().remove(0);
    assert_eq!((found.text(), found.notes.len()), ("Press ⌘ in Łódź", 1));
    assert_eq!(*read.lock().unwrap(), ["Press ⌘ in Łódź"]);
    read.lock().unwrap().clear();
    translator.run(&options, vec![Request::translate("????")]).unwrap();
    assert_eq!(*read.lock().unwrap(), ["????"], "the model reads signs, too");
    let (bytes, read) = echo(true);
    let line = "Press ⌘ in Łódź – “東京”";
    let options = TranslateOptions { unknown: UnknownCharacters::Model, ..bytes.options() };
    assert!(bytes.run(&options, vec![Request::translate(line)]).unwrap()[0].notes.is_empty());
    assert_eq!(*read.lock().unwrap(), [line], "a vocabulary with bytes reads all there is");
    // Models garble what they read as bytes: by default it is kept.
    let found = bytes.translate(&[line]).unwrap().remove(0);
    assert_eq!((found.text(), found.notes.len()), (line, 1));
}

#[test]
fn things_that_stay_are_read_as_names() {
    let (translator, read) = echo(false);
    let translate = |input: &str| {
        let text = TextOptions::default();
        translator.translate_text(&translator.options(), &text, input).unwrap().text().to_owned()
    };
    let input = "Hello {name}, see ~/x of 東京. Set {a} ⌘ now.";
    assert_eq!(translate(input), input);
    assert_eq!(*read.lock().unwrap(), ["Hello X1, see X2 of X3.", "Set X1  now."]);
    let po = "msgid \"Hello {name} 😀 ⌘!\"\nmsgstr \"\"\n".as_bytes().to_vec();
    let found = translator.translate_file(&translator.options(), &TextOptions::default(), po, FileFormat::Po).unwrap();
    assert_eq!(found.text(), "msgid \"Hello {name} 😀 ⌘!\"\nmsgstr \"Hello {name} 😀 ⌘!\"\n");
}

#[test]
fn signs_of_ascii_are_read_as_bytes_next_to_other_signs() {
    let (translator, read) = echo(true);
    for (line, reads) in [("Only 5 ~ now.", "Only 5 ~ now."), ("schön → 5 ~.", "schön  5 ~."), ("5 ≥ {a}", "5  {a}")]
    {
        read.lock().unwrap().clear();
        let found = translator.translate(&[line]).unwrap().remove(0);
        assert_eq!((read.lock().unwrap().as_slice(), found.text()), ([reads.to_owned()].as_slice(), line));
    }
}

#[test]
fn invisible_characters_are_not_read() {
    for bytes in [false, true] {
        let (translator, read) = echo(bytes);
        let request = Request::translate("The inter\u{ad}national \u{200b}mee\u{2060}ting");
        translator.run(&translator.options(), vec![request]).unwrap();
        assert_eq!(*read.lock().unwrap(), ["The international meeting"]);
    }
}

#[test]
fn lines_in_capitals_are_read_in_small_letters_too() {
    let (translator, read) = echo(true);
    let found = translator.translate(&["DO NOT OPEN: RISK OF FIRE!", "NASA", "Plain"]).unwrap();
    assert_eq!(found[0].text(), "DO NOT OPEN: RISK OF FIRE!");
    let mut read = read.lock().unwrap().clone();
    read.sort();
    assert_eq!(read, ["DO NOT OPEN: RISK OF FIRE!", "Do not open: risk of fire!", "NASA", "Nasa", "Plain"]);
}

#[test]
fn a_term_inside_a_path_is_no_term() {
    let (translator, _) = echo(true);
    let glossary = Glossary::parse("house\tHaus\nlog\tProtokoll\n", Case::Ignore).unwrap();
    let translator = translator.with_glossary(glossary);
    for (line, terms) in [
        ("See C:\\house\\a.txt", 0),
        ("See https://house.example/log and house@a.org", 0),
        ("See /var/log/house.txt or `house`", 0),
        ("The house in /var/log", 1),
    ] {
        assert_eq!(translator.translate(&[line]).unwrap()[0].terms.len(), terms, "{line}");
    }
}

#[test]
fn letters_that_the_model_garbles_and_raised_digits_stay() {
    let translator = Translator::bundled().expect("the bundled model");
    for (source, expected) in [
        ("Gdańsk is well known.", "Gdańsk"),
        ("The Škoda was sold to Anaïs.", "Škoda"),
        ("The naïve approach failed.", "naive"),
        ("The flat has 85 m² and costs 900 euros.", "85 m²"),
        ("The lamp has 10³ W.", "10³"),
        ("Use 2½ cups of milk.", "2½"),
        ("CO₂ emissions fell.", "CO₂"),
    ] {
        let found = translator.run(&translator.options(), vec![Request::translate(source)]).expect("a translation");
        let found = &found[0];
        assert!(found.text().contains(expected) && found.notes.is_empty(), "{source}: {found:?}");
    }
}
