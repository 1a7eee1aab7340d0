//! Glossaries: terms of the source language and their translations.

use std::collections::HashMap;

/// A glossary that is applied to source sentences: where a term stands, its translation is required.
///
/// Words are runs of letters and digits; every other character but blanks is a word of its own, and so is every
/// character of scripts that do not separate words.
#[derive(Debug, Clone)]
pub struct Glossary {
    case: Case,
    /// By first word: the words of each term, the longest first, and its number in `targets`.
    entries: HashMap<String, Vec<(Vec<String>, usize)>>,
    /// Alternatives.
    targets: Vec<Vec<String>>,
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
    /// Reads entries, a line each: `source term <tab> target term [<tab> alternative]…`. Empty lines and lines that
    /// begin with `#` are left out.
    ///
    /// ```
    /// use metaphrase::{Case, Glossary};
    ///
    /// let glossary = Glossary::parse("press conference\tPressekonferenz\npress\tPresse\tDruck\n", Case::Ignore)?;
    /// assert_eq!(glossary.find("The press conference"), [["Pressekonferenz"]]);
    /// assert_eq!(glossary.find("Press it, free press!"), [["Presse", "Druck"], ["Presse", "Druck"]]);
    /// assert!(glossary.find("depressed").is_empty());
    /// # Ok::<(), metaphrase::GlossaryError>(())
    /// ```
    ///
    /// # Errors
    /// [`GlossaryError`] for the first line that is not an entry.
    pub fn parse(text: &str, case: Case) -> Result<Self, GlossaryError> {
        let mut glossary = Self { case, entries: HashMap::new(), targets: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let fail = |problem| Err(GlossaryError { line: number + 1, problem });
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let mut fields = line.split('\t').map(str::trim);
            let words: Vec<String> = fields.next().map_or(Vec::new(), |term| glossary.words(term));
            let targets: Vec<String> = fields.filter(|target| !target.is_empty()).map(str::to_owned).collect();
            let Some(first) = words.first().cloned() else {
                return fail("has no source term");
            };
            if targets.is_empty() {
                return fail("has no target term");
            }
            glossary.entries.entry(first).or_default().push((words, glossary.targets.len()));
            glossary.targets.push(targets);
        }
        for terms in glossary.entries.values_mut() {
            // The longest first; of equal terms the last entry counts.
            terms.sort_by_key(|(words, number)| (std::cmp::Reverse(words.len()), std::cmp::Reverse(*number)));
        }
        Ok(glossary)
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

    /// Required terms for a source sentence, from left to right, each with its alternatives. Where several terms begin, the
    /// longest counts. A term that stands in the sentence twice is required twice.
    #[must_use]
    pub fn find(&self, source: &str) -> Vec<Vec<String>> {
        let words = self.words(source);
        let (mut found, mut place) = (Vec::new(), 0);
        while place < words.len() {
            let terms = self.entries.get(&words[place]).map_or(&[][..], Vec::as_slice);
            match terms.iter().find(|(term, _)| words[place..].starts_with(term)) {
                Some((term, number)) => {
                    found.push(self.targets[*number].clone());
                    place += term.len();
                }
                None => place += 1,
            }
        }
        found
    }

    fn words(&self, text: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut inside = false;
        for c in text.chars() {
            let part = c.is_alphanumeric() && !metaphrase_text::without_spaces(c);
            if part && inside {
                words.last_mut().into_iter().for_each(|word| word.push(c));
            } else if !c.is_whitespace() {
                words.push(c.into());
            }
            inside = part;
        }
        if self.case == Case::Ignore {
            words.iter_mut().for_each(|word| *word = word.to_lowercase());
        }
        words
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

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
    fn what_is_no_entry_is_refused() {
        let refused = |text| Glossary::parse(text, Case::Ignore).unwrap_err();
        assert_eq!(refused("a\tb\nc"), GlossaryError { line: 2, problem: "has no target term" });
        assert_eq!(refused("\tb"), GlossaryError { line: 1, problem: "has no source term" });
        assert!(refused("a\t \t").to_string().starts_with("line 1 of the glossary has no target term; a line is"));
    }
}
