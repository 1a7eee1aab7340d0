//! Whole corpora from recipes.

#![allow(clippy::unwrap_used, reason = "tests")]

use flate2::read::GzDecoder;
use metaphrase_corpus::{CorpusError, Reason, Recipe, Report, clean};
use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;
use tempfile::TempDir;

const NUMBERS: [(&str, &str); 9] = [
    ("one", "eins"),
    ("two", "zwei"),
    ("three", "drei"),
    ("four", "vier"),
    ("five", "fünf"),
    ("six", "sechs"),
    ("seven", "sieben"),
    ("eight", "acht"),
    ("nine", "neun"),
];

/// Writes two files of counting sentences, followed by these lines.
fn write(folder: &Path, name: &str, count: usize, more: &[[&str; 2]]) {
    let (mut source, mut target) = (String::new(), String::new());
    for number in 0..count {
        let digits: Vec<_> =
            [number / 81 % 9, number / 9 % 9, number % 9].iter().map(|&digit| NUMBERS[digit]).collect();
        let joined =
            |side: fn(&(&'static str, &'static str)) -> &'static str| digits.iter().map(side).collect::<Vec<_>>();
        let [en, de] = [joined(|digit| digit.0).join(" and "), joined(|digit| digit.1).join(" und ")];
        source += &format!("We count {en} in the {name}.\n");
        target += &format!("Wir zählen {de} im {name}.\n");
    }
    for [en, de] in more {
        source += &format!("{en}\n");
        target += &format!("{de}\n");
    }
    fs::write(folder.join(format!("{name}.en")), source).unwrap();
    fs::write(folder.join(format!("{name}.de")), target).unwrap();
}

/// The recipe of these sources, with `settings` before and after them.
fn recipe(folder: &TempDir, sources: &[(&str, &str)], settings: &str) -> Result<Recipe, CorpusError> {
    let mut text = format!("{settings}\n[languages]\nsource = \"en\"\ntarget = \"de\"\n");
    for (name, more) in sources {
        text += &format!("[[source]]\nname = \"{name}\"\nsource = \"{name}.en\"\ntarget = \"{name}.de\"\n{more}\n");
    }
    let path = folder.path().join("recipe.toml");
    fs::write(&path, text).unwrap();
    Recipe::read(&path)
}

fn make(folder: &TempDir, recipe: &Recipe, name: &str) -> Result<Report, CorpusError> {
    let output = folder.path().join(name);
    fs::create_dir(&output).unwrap();
    clean(recipe, &output, NonZeroUsize::MIN, &mut |_| {})
}

fn lines(folder: &TempDir, name: &str) -> Vec<String> {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(folder.path().join(name)).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn bad_pairs_are_left_out_and_told() {
    let folder = TempDir::new().unwrap();
    let bad = [
        ["", "leer"],
        ["We count one and one and one in the room.", "Wir zählen eins und eins und eins im room."],
        ["This is a line of the test set.", "Dies ist eine Zeile der Prüfung."],
        ["We know.", "Wir wissen, dass die lange Reise durch das ganze Land sehr anstrengend und teuer war."],
        ["We can read the whole manual here.", "We can read all of the manual here."],
        ["We and we and we", "eins zwei drei vier"],
    ];
    write(folder.path(), "room", 100, &bad);
    fs::write(folder.path().join("test.en"), "this is a line of the test set\n").unwrap();
    let recipe = recipe(&folder, &[("room", "")], "unseen = [\"test.en\"]\nlimits = { min-agreement = 0.3 }").unwrap();
    let report = make(&folder, &recipe, "out").unwrap();
    let source = &report.sources[0];
    let expected =
        [Reason::NoText, Reason::Language, Reason::Duplicate, Reason::TestSet, Reason::Ratio, Reason::Agreement];
    assert_eq!(source.left_out, expected.map(|reason| (reason, 1)).into());
    assert_eq!((source.read, source.kept, report.written), (106, 100, 100));
    assert_eq!(source.samples[&Reason::TestSet][0].line, 103);
    assert_eq!(source.agreement.iter().sum::<usize>(), 101);
    assert!(report.picture().unwrap().contains(">room<"));
    let (en, de) = (lines(&folder, "out/train.en.gz"), lines(&folder, "out/train.de.gz"));
    assert_eq!((en.len(), de.len()), (100, 100));
    assert_eq!(en[99], "We count two and three and one in the room.");
    assert_eq!(de[99], "Wir zählen zwei und drei und eins im room.");
}

#[test]
fn pairs_set_aside_are_in_no_other_file() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "room", 300, &[]);
    write(folder.path(), "hall", 60, &[]);
    let settings = "held-out = { dev = 7, test = 5 }\nnoise = { lower-case = 0.5 }";
    let recipe = recipe(&folder, &[("room", ""), ("hall", "weight = 2")], settings).unwrap();
    let report = make(&folder, &recipe, "out").unwrap();
    assert_eq!([report.sources[0].held_out, report.sources[1].held_out], [[7, 5], [3, 3]]);
    let [train, dev, room, hall] = ["train", "dev", "test.room", "test.hall"]
        .map(|name| lines(&folder, &format!("out/{name}.en.gz")).into_iter().map(|line| line.to_lowercase()));
    let train: Vec<String> = train.collect();
    let aside: HashSet<String> = dev.chain(room).chain(hall).collect();
    assert_eq!(aside.len(), 18);
    assert!(train.iter().all(|line| !aside.contains(line)));
    assert_eq!(report.written, 288 + 2 * 54 + report.noisy);
    assert!((100..200).contains(&report.noisy), "about half of 342: {}", report.noisy);
    make(&folder, &recipe, "again").unwrap();
    assert_eq!(lines(&folder, "again/train.de.gz"), lines(&folder, "out/train.de.gz"));
}

/// So that no model of one direction learns from a test set of the other one.
#[test]
fn the_same_pairs_are_set_aside_for_both_directions() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "room", 300, &[]);
    // German sentences have a word more: they are too long for a test set where the English ones are just short enough.
    let long = ["and four ", "und vier "].map(|more| more.repeat(24));
    write(folder.path(), "hall", 60, &[[&format!("We count {}.", long[0]), &format!("Wir zählen nun {}.", long[1])]]);
    let settings = "held-out = { dev = 7, test = 5 }\nnoise = { lower-case = 0.5 }";
    let recipe = recipe(&folder, &[("room", ""), ("hall", "weight = 2")], settings).unwrap();
    make(&folder, &recipe, "forward").unwrap();
    let report = make(&folder, &Recipe { reverse: true, ..recipe }, "backward").unwrap();
    for file in
        ["dev", "test.room", "test.hall"].iter().flat_map(|name| [format!("{name}.en.gz"), format!("{name}.de.gz")])
    {
        assert_eq!(lines(&folder, &format!("forward/{file}")), lines(&folder, &format!("backward/{file}")), "{file}");
    }
    let clean = |name: &str| {
        let mut lines = lines(&folder, name);
        lines.retain(|line| line.starts_with('W'));
        lines
    };
    assert_eq!(clean("backward/train.en.gz").len(), report.written, "noise is in the German alone");
    assert_eq!(clean("backward/train.de.gz").len(), report.written - report.noisy);
}

#[test]
fn a_temperature_evens_sources_out() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "room", 400, &[]);
    write(folder.path(), "hall", 100, &[]);
    let times = |settings: &str, name: &str| {
        let recipe = recipe(&folder, &[("room", ""), ("hall", "")], settings).unwrap();
        make(&folder, &recipe, name).unwrap().sources.iter().map(|source| source.times).collect::<Vec<_>>()
    };
    assert_eq!(times("", "plain"), [1.0, 1.0]);
    let even = times("temperature = 1000", "even");
    assert!((even[0] - 0.625).abs() < 0.01 && (even[1] - 2.5).abs() < 0.01, "250 of each: {even:?}");
}

#[test]
fn the_best_scores_stay() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "room", 10, &[]);
    let scores = |name: &str, worst: usize, lines: usize| {
        let text: String = (0..lines).map(|line| if line == worst { "-90\n" } else { "-9\n" }).collect();
        fs::write(folder.path().join(name), text).unwrap();
    };
    scores("forward", 3, 10);
    scores("backward", 5, 10);
    let sources = [("room", "scores = [\"forward\", \"backward\"]\nkeep = 0.8")];
    let with_scores = recipe(&folder, &sources, "").unwrap();
    let report = make(&folder, &with_scores, "out").unwrap();
    assert_eq!(report.sources[0].samples[&Reason::Scores].iter().map(|sample| sample.line).collect::<Vec<_>>(), [4, 6]);
    scores("backward", 5, 9);
    let error = make(&folder, &with_scores, "short").unwrap_err().to_string();
    assert!(error.contains("backward has 9 lines and ") && error.contains("room.en has more"), "{error}");
}

#[test]
fn errors_name_the_file_and_the_line() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "room", 10, &[]);
    let error = |sources: &[(&str, &str)], settings: &str| match recipe(&folder, sources, settings) {
        Ok(recipe) => make(&folder, &recipe, "out").unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    let unknown = error(&[("room", "wieght = 2")], "");
    assert!(unknown.contains("recipe.toml, line 9: unknown field `wieght`"), "{unknown}");
    assert_eq!(error(&[("room", "keep = 2.0")], ""), "`source[0].keep` is 2, expected a share from 0 to 1");
    assert_eq!(error(&[("room", "")], "temperature = 0.5"), "`temperature` is 0.5, expected a number from 1 to 1000");
    assert!(error(&[("hall", "")], "").ends_with("hall.en: can not be read"));
}

#[test]
fn quotation_marks_are_those_of_the_side_that_is_learnt() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "room", 100, &[["“Go,” he said to the tall man.", "\"Geh\", sagte er zu dem großen Mann."]]);
    let settings = "quotation-marks = { source = \"straight\", target = \"german\" }";
    let mut recipe = recipe(&folder, &[("room", "")], settings).unwrap();
    for (reverse, english, german) in [
        (false, "“Go,” he said to the tall man.", "„Geh“, sagte er zu dem großen Mann."),
        (true, "\"Go,\" he said to the tall man.", "\"Geh\", sagte er zu dem großen Mann."),
    ] {
        recipe.reverse = reverse;
        let name = format!("reverse-{reverse}");
        make(&folder, &recipe, &name).unwrap();
        for (language, expected) in [("en", english), ("de", german)] {
            assert!(lines(&folder, &format!("{name}/train.{language}.gz")).iter().any(|line| line == expected));
        }
    }
}

#[test]
fn terms_and_the_text_of_a_model_are_marked() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "house", 243, &[]);
    write(folder.path(), "garden", 243, &[]);
    let recipe = recipe(&folder, &[("house", "by-model = \"source\""), ("garden", "")], "terms = 0.5").unwrap();
    let report = make(&folder, &recipe, "forward").unwrap();
    let texts = |name: &str| {
        let mut text = String::new();
        GzDecoder::new(fs::File::open(folder.path().join(name)).unwrap()).read_to_string(&mut text).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (sources, targets) = (texts("forward/train.en.gz"), texts("forward/train.de.gz"));
    assert_eq!((sources.len(), targets.len()), (report.written, report.written));
    let marked: Vec<_> = sources.iter().map(|line| metaphrase_text::MarkedText::parse(line).unwrap()).collect();
    assert_eq!(marked.iter().filter(|line| !line.terms.is_empty()).count(), report.with_terms);
    assert!((150..300).contains(&report.with_terms), "{}", report.with_terms);
    for (line, target) in marked.iter().zip(&targets) {
        assert_eq!(line.by_model, line.text.contains("house"), "{line:?}");
        for (place, translation) in &line.terms {
            let number = NUMBERS.iter().find(|(en, _)| *en == &line.text[place.clone()]);
            assert!(number.is_none_or(|(_, de)| de == translation && target.contains(de)), "{line:?} {target}");
        }
    }
    // A target that a model wrote is not reported.
    let backward = Recipe { reverse: true, ..recipe };
    make(&folder, &backward, "backward").unwrap();
    assert!(texts("backward/train.de.gz").iter().all(|line| !line.starts_with('\u{4}')));
    let wrong = self::recipe(&folder, &[("house", "")], "terms = 1.5").unwrap_err().to_string();
    assert!(wrong.contains("terms"), "{wrong}");
}
