//! Glossaries: terms of the source language and their translations.

mod file_error;
mod file_format;
mod files;
mod find;
mod required;
mod table;
mod workbook;
mod xml;

pub use file_error::GlossaryFileError;
pub use file_format::GlossaryFormat;
pub use files::GlossaryFile;
pub(crate) use required::GlossaryTerms;
pub use required::required_terms;

use crate::forms::forms_of_any;
use find::GermanVerbs;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// A glossary that is applied to source sentences: where a term stands, its translation is required.
///
/// Words are runs of letters and digits with their combining marks; every other character but blanks is a word of its
/// own, and so is every character of scripts that do not separate words. Composed and decomposed characters are the
/// same (NFC).
#[derive(Debug, Clone, PartialEq)]
pub struct Glossary {
    case: Case,
    /// By first word: the words of each term, the longest first, and its number in `targets`.
    entries: HashMap<String, Vec<(Vec<String>, usize)>>,
    /// The terms that are German verbs.
    verbs: GermanVerbs,
    /// Alternatives.
    targets: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// Whether the search for terms respects upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// `Bank` is also found as `BANK` and as `bank`.
    #[default]
    Ignore,
    /// Terms are found as they are written.
    Respect,
}

impl Case {
    /// The case of a switch that asks for terms as they are written.
    #[must_use]
    pub fn sensitive(is_sensitive: bool) -> Self {
        if is_sensitive { Self::Respect } else { Self::Ignore }
    }
}

/// A line that is not an entry. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} of the glossary {problem}; a line is: source term, tab, target term, and further target terms after tabs if any of them will do"
)]
pub struct GlossaryError {
    /// Its number.
    pub line: usize,
    /// What is wrong.
    pub problem: &'static str,
}

impl Glossary {
    /// Reads entries, a line each: `source term <tab> target term [<tab> alternative]…`. Alternatives, as forms of a
    /// word, may also be separated by `|`; a bar that is part of a term is written `\|`. A `*` at the end of a term
    /// stands for the endings of German and English: `Gebäude*` is met by `Gebäuden`, too. The source term may have
    /// forms in the same way: `house*`, `Haus|Hauses|Häuser`. Empty lines and lines that begin with `#` are left out,
    /// as is a byte order mark at the beginning. The target terms of lines with the same source term are alternatives
    /// of each other; [`notes`](Self::notes) names these lines.
    ///
    /// ```
    /// use metaphrase::{Case, Glossary};
    ///
    /// let glossary = Glossary::parse("press conference\tPressekonferenz\npress\tPresse\tDruck\n", Case::Ignore)?;
    /// assert_eq!(glossary.find("The press conference"), [["Pressekonferenz"]]);
    /// assert_eq!(glossary.find("Press it, free press!"), [["Presse", "Druck"], ["Presse", "Druck"]]);
    /// assert!(glossary.find("depressed").is_empty());
    /// let glossary = Glossary::parse("Haus*|Häuser*\tbuilding|buildings\n", Case::Ignore)?;
    /// assert_eq!(glossary.find("in den Häusern des Hauses").len(), 2);
    /// # Ok::<(), metaphrase::GlossaryError>(())
    /// ```
    ///
    /// # Errors
    /// [`GlossaryError`] for the first line that is not an entry.
    pub fn parse(text: &str, case: Case) -> Result<Self, GlossaryError> {
        let mut glossary = Self::empty(case);
        // By number of the entry: its line.
        let mut lines = Vec::new();
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let mut fields = line.split('\t');
            let source = fields.next().unwrap_or_default();
            let targets: Vec<String> = fields.flat_map(alternatives).collect();
            let mut sources: Vec<String> =
                alternatives(source).iter().flat_map(|source| forms_of_any(source)).collect();
            if sources.is_empty() {
                sources.push(String::new());
            }
            for source in sources {
                let added = glossary.add(&source, targets.iter().cloned());
                let added = added.map_err(|problem| GlossaryError { line: number + 1, problem })?;
                match lines.get(added) {
                    Some(&first) if first == number + 1 => {}
                    Some(first) => glossary.notes.push(format!(
                        "line {} has the source term '{}' of line {first} again; any of their target terms will do",
                        number + 1,
                        source.trim()
                    )),
                    None => lines.push(number + 1),
                }
            }
        }
        glossary.finish();
        Ok(glossary)
    }

    /// A glossary of entries: a source term and its target terms, any of which will do. A term may have any characters;
    /// blanks around it do not count. Entries with the same source term are one.
    ///
    /// ```
    /// use metaphrase::{Case, Glossary};
    ///
    /// let entries = [("#house".to_owned(), vec!["#Haus".to_owned()])];
    /// assert_eq!(Glossary::from_entries(entries, Case::Ignore)?.find("my #house"), [["#Haus"]]);
    /// # Ok::<(), metaphrase::GlossaryError>(())
    /// ```
    ///
    /// # Errors
    /// [`GlossaryError`] for the first entry without a source term or without a target term; its number stands for the
    /// line.
    pub fn from_entries(
        entries: impl IntoIterator<Item = (String, Vec<String>)>,
        case: Case,
    ) -> Result<Self, GlossaryError> {
        let mut glossary = Self::empty(case);
        for (number, (source, targets)) in entries.into_iter().enumerate() {
            glossary.add(&source, targets).map_err(|problem| GlossaryError { line: number + 1, problem })?;
        }
        glossary.finish();
        Ok(glossary)
    }

    fn empty(case: Case) -> Self {
        Self { case, entries: HashMap::new(), verbs: GermanVerbs::default(), targets: Vec::new(), notes: Vec::new() }
    }

    /// Adds an entry, to that of the same source term if there is one. Returns the number of the entry.
    fn add(&mut self, source: &str, targets: impl IntoIterator<Item = String>) -> Result<usize, &'static str> {
        let words: Vec<String> = self.words(source);
        let trimmed = targets.into_iter().map(|target| target.trim().to_owned());
        let targets: Vec<String> = trimmed.filter(|target| !target.is_empty()).collect();
        let Some(first) = words.first().cloned() else {
            return Err("has no source term");
        };
        if targets.is_empty() {
            return Err("has no target term");
        }
        let terms = self.entries.entry(first).or_default();
        if let Some(&(_, known)) = terms.iter().find(|(known, _)| *known == words) {
            self.targets[known].extend(targets);
            return Ok(known);
        }
        terms.push((words, self.targets.len()));
        self.verbs.add(source.trim(), self.targets.len());
        self.targets.push(targets);
        Ok(self.targets.len() - 1)
    }

    /// Sorts the terms, the longest first, and leaves each target term of an entry once.
    fn finish(&mut self) {
        for terms in self.entries.values_mut() {
            terms.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        for targets in &mut self.targets {
            let mut seen = HashSet::new();
            targets.retain(|target| seen.insert(composed(target)));
        }
    }

    /// One sentence for each line whose source term an earlier line has.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Required terms for a source sentence, from left to right, each with its alternatives. Where several terms begin,
    /// the longest counts. A term that stands in the sentence twice is required twice. In a word such as `add-on` and
    /// `e-mail`, whose meaning is another, its parts are no terms; the glossary may have the whole word.
    #[must_use]
    pub fn find(&self, source: &str) -> Vec<Vec<String>> {
        self.find_places(source).into_iter().map(|(_, targets)| targets.to_vec()).collect()
    }

    /// As [`find`](Self::find), each term with its place: bytes of the source. Of a word that is not in Unicode's
    /// normal form C the place may be larger, up to the blanks around it.
    ///
    /// ```
    /// use metaphrase::{Case, Glossary};
    ///
    /// let glossary = Glossary::parse("bank account\tKonto\n", Case::Ignore)?;
    /// assert_eq!(glossary.find_places("A bank account."), [(2..14, &["Konto".to_owned()][..])]);
    /// # Ok::<(), metaphrase::GlossaryError>(())
    /// ```
    #[must_use]
    pub fn find_places(&self, source: &str) -> Vec<(Range<usize>, &[String])> {
        self.find_forms(source, None).into_iter().map(|found| (found.place, found.targets)).collect()
    }

    fn words(&self, text: &str) -> Vec<String> {
        self.words_and_places(text).into_iter().map(|(word, _)| word).collect()
    }

    /// The words of a text, each with its bytes.
    fn words_and_places(&self, text: &str) -> Vec<(String, Range<usize>)> {
        let mut words: Vec<(String, Range<usize>)> = Vec::new();
        let mut inside = false;
        for (c, place) in composed_characters(text) {
            let part = (c.is_alphanumeric() && !metaphrase_text::without_spaces(c)) || is_combining_mark(c);
            // A mark belongs to the character before it, whatever that is.
            if part && (inside || (is_combining_mark(c) && !words.is_empty())) {
                if let Some((word, bytes)) = words.last_mut() {
                    word.push(c);
                    bytes.end = place.end;
                }
            } else if !c.is_whitespace() {
                words.push((c.into(), place));
            }
            inside = part;
        }
        if self.case == Case::Ignore {
            // Lower case of a composed character may be decomposed.
            words.iter_mut().for_each(|(word, _)| *word = composed(&word.to_lowercase()));
        }
        words
    }
}

/// The alternatives in a text that names a term, with bars between them: `Gebäude|Gebäudes`. `\|` is a bar of a term.
#[must_use]
pub fn alternatives(field: &str) -> Vec<String> {
    let parts = field.replace("\\|", "\u{0}");
    parts.split('|').map(|part| part.replace('\u{0}', "|")).collect()
}

/// The characters of a text in normal form C, each with its bytes; of a run between blanks that is not in this form,
/// the bytes of the run.
fn composed_characters(text: &str) -> Vec<(char, Range<usize>)> {
    let mut characters = Vec::with_capacity(text.len());
    let mut start = 0;
    for run in text.split_inclusive(char::is_whitespace) {
        let end = start + run.len();
        if is_nfc(run) {
            characters.extend(run.char_indices().map(|(at, c)| (c, start + at..start + at + c.len_utf8())));
        } else {
            let inner = start..start + run.trim_end().len();
            characters.extend(run.nfc().map(|c| (c, inner.clone())));
        }
        start = end;
    }
    characters
}

/// A text in Unicode's normal form C, without blanks around it.
fn composed(text: &str) -> String {
    text.trim().nfc().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::Terms;
    use crate::{Endings, RequiredTerm};

    const ENTRIES: &str = "bank\tBank\n# a comment\n\nbank account\tBankkonto\tKonto\nU.S.\tUSA\n銀行\tBank\n";

    #[test]
    fn the_longest_term_counts_and_every_time() {
        let glossary = Glossary::parse(ENTRIES, Case::Ignore).unwrap();
        assert_eq!(glossary.len(), 4);
        assert_eq!(glossary.find("A BANK account at the bank."), [vec!["Bankkonto", "Konto"], vec!["Bank"]]);
        assert_eq!(glossary.find("in the U.S., too"), [["USA"]]);
        assert_eq!(glossary.find("日本銀行の"), [["Bank"]]);
        assert!(glossary.find("embankment, U S").is_empty());
    }

    #[test]
    fn case_can_count() {
        let glossary = Glossary::parse("Polish\tpolnisch\npolish\tpolieren", Case::Respect).unwrap();
        assert_eq!(glossary.find("Polish it? polish it, POLISH"), [["polnisch"], ["polieren"]]);
    }

    #[test]
    fn no_entry_is_lost() {
        // A byte order mark, the same term twice in other letters and in another Unicode form, lines that end with CR.
        let text = "\u{feff}bank\tBank\r\nHouse\tHaus\r\nBank\tUfer\tBank\r\ncafé\tKaffeehaus\r\ncafe\u{301}\tCafé\r\n";
        let glossary = Glossary::parse(text, Case::Ignore).unwrap();
        assert_eq!(glossary.len(), 3);
        assert_eq!(glossary.find("the bank"), [["Bank", "Ufer"]]);
        assert_eq!(glossary.find("the cafe\u{301}"), [["Kaffeehaus", "Café"]]);
        assert_eq!(glossary.find("the café, the house").len(), 2);
        assert_eq!(glossary.notes().len(), 2);
        assert_eq!(
            glossary.notes()[0],
            "line 3 has the source term 'Bank' of line 1 again; any of their target terms will do"
        );
        let glossary = Glossary::parse("cafe\tKaffeehaus\n", Case::Respect).unwrap();
        assert!(glossary.find("the cafe\u{301}").is_empty() && glossary.find("the café").is_empty());
        assert_eq!(glossary.find("the cafe"), [["Kaffeehaus"]]);
    }

    #[test]
    fn a_term_of_the_line_and_of_the_glossary_is_one_term() {
        let glossary = Glossary::parse("cab\tTaxi\tDroschke\nhouse\tHaus\n", Case::Ignore).unwrap();
        let with = |terms: Terms, source: &str| {
            let terms = required_terms(terms.required, &[&glossary], source, None);
            terms.into_iter().map(|term| term.targets).collect::<Vec<_>>()
        };
        assert_eq!(with(Terms::default().require(["Taxi"]), "a cab"), [["Taxi"]]);
        assert_eq!(with(Terms::default().require(["Auto", "Droschke"]), "a cab"), [["Droschke"]]);
        assert_eq!(with(Terms::default().require(["Taxi"]), "a cab, a cab"), [vec!["Taxi"], vec!["Taxi", "Droschke"]]);
        assert_eq!(with(Terms::default().require(["Auto"]), "a house"), [["Auto"], ["Haus"]]);
        let twice = Terms::default().require(["Taxi"]).require(["Taxi"]);
        assert_eq!(with(twice, "a cab"), [["Taxi"], ["Taxi"]]);
    }

    #[test]
    fn terms_have_places() {
        let glossary = Glossary::parse(ENTRIES, Case::Ignore).unwrap();
        let places = |source| glossary.find_places(source).into_iter().map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(places("A BANK account at the bank."), [2..14, 22..26]);
        assert_eq!(places("日本銀行の")[0], 6..12);
        let decomposed = "the cafe\u{301} is";
        let glossary = Glossary::parse("café\tCafé", Case::Ignore).unwrap();
        assert_eq!(glossary.find_places(decomposed)[0].0, 4..10);
    }

    #[test]
    fn of_two_glossaries_the_first_counts_where_they_overlap() {
        let [first, second] = ["bank account\tKonto\n", "bank\tUfer\nold\talt\n"]
            .map(|text| Glossary::parse(text, Case::Ignore).unwrap());
        let terms =
            required_terms(vec![RequiredTerm::new(["Konto"])], &[&first, &second], "An old bank account, a bank", None);
        let term =
            |place: Range<usize>, target: &str| RequiredTerm { source: Some(place), ..RequiredTerm::new([target]) };
        assert_eq!(terms, [term(7..19, "Konto"), term(3..6, "alt"), term(23..27, "Ufer")]);
        assert_eq!(required_terms(vec![RequiredTerm::new(["Haus"])], &[], "a bank", None)[0].source, None);
        // The sentence's own term with a place is the one for this place.
        let own = vec![term(5..9, "Sparkasse")];
        assert_eq!(required_terms(own.clone(), &[&second], "in a bank", None), own);
    }

    #[test]
    fn terms_are_found_in_their_forms() {
        let glossary = "employee\tMitarbeiter\nPC\tRechner\nbattery\tAkku\norder\tAuftrag\norder form\tFormular\nglass\tGlas\nApple\tApple\n";
        let glossary = Glossary::parse(glossary, Case::Ignore).unwrap();
        let find = |text, languages| -> Vec<String> {
            let terms = required_terms(Vec::new(), &[&glossary], text, languages);
            terms
                .into_iter()
                .map(|term| match term.endings {
                    Endings::Written => term.targets[0].clone(),
                    Endings::Singular => format!("{}'", term.targets[0]),
                    Endings::Plural => format!("{}+", term.targets[0]),
                    Endings::All => format!("{}*", term.targets[0]),
                })
                .collect()
        };
        let between = Some(["en", "de-AT"]);
        for (text, expected) in [
            ("Employees need batteries.", &["Mitarbeiter+", "Akku+"][..]),
            ("two order forms, many orders", &["Formular+", "Auftrag+"]),
            ("glasses, ordering, employeeship, Apples", &["Apple*"]),
            ("an Apple", &["Apple"]),
            ("an order", &["Auftrag'"]),
        ] {
            assert_eq!(find(text, between), expected, "{text}");
        }
        assert_eq!(find("Employees, an employee", None), ["Mitarbeiter"]);
        let glossary =
            Glossary::parse("Rechnung\tinvoice\nrot\tred|scarlet\nMitarbeiter\tstaff\n", Case::Ignore).unwrap();
        let find = |text| required_terms(Vec::new(), &[&glossary], text, Some(["de", "en"])).len();
        assert_eq!(find("Die Rechnungen der Mitarbeitern, roten"), 3);
        assert_eq!(find("Rechnungswesen, mitarbeitern, roter Posten"), 1, "a noun has a capital");
    }

    #[test]
    fn entries_have_any_characters() {
        let entry = |source: &str, targets: &[&str]| (source.into(), targets.iter().map(|&t| t.to_owned()).collect());
        let entries = [entry("#house", &["#Haus"]), entry("a\tb", &["c\td", " "]), entry(" #HOUSE", &["Bau", "#Haus"])];
        let glossary = Glossary::from_entries(entries, Case::Ignore).unwrap();
        assert_eq!((glossary.len(), glossary.notes().len()), (2, 0));
        assert_eq!(glossary.find("the #house is a b"), [vec!["#Haus", "Bau"], vec!["c\td"]]);
        let refused = Glossary::from_entries([entry("a", &["b"]), entry(" ", &["b"])], Case::Ignore).unwrap_err();
        assert_eq!(refused, GlossaryError { line: 2, problem: "has no source term" });
    }

    #[test]
    fn what_is_no_entry_is_refused() {
        let refused = |text| Glossary::parse(text, Case::Ignore).unwrap_err();
        assert_eq!(refused("a\tb\nc"), GlossaryError { line: 2, problem: "has no target term" });
        assert_eq!(refused("\tb"), GlossaryError { line: 1, problem: "has no source term" });
        assert!(refused("a\t \t").to_string().starts_with("line 1 of the glossary has no target term; a line is"));
    }
}
