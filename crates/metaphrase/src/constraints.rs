//! Constraints as text: terms become words of the model, and translations say where the terms stand.

use metaphrase_base::WordId;
use metaphrase_search::{Constraints, ConstraintsError, Continues};
use metaphrase_text::vocab::Vocabulary;

/// What translations of a line must and must not contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// Each must appear, in one of its alternatives: words or phrases, as they are written in the target language.
    pub required: Vec<Vec<String>>,
    /// Words or phrases that must not appear.
    pub avoided: Vec<String>,
}

impl Terms {
    /// One more required term: one of these alternatives must appear.
    ///
    /// ```
    /// use metaphrase::Terms;
    ///
    /// let terms = Terms::default().require(["Taxi"]).require(["Haus", "Gebäude"]).avoid("Droschke");
    /// assert_eq!(terms.required.len(), 2);
    /// ```
    #[must_use]
    pub fn require<S: Into<String>>(mut self, alternatives: impl IntoIterator<Item = S>) -> Self {
        self.required.push(alternatives.into_iter().map(Into::into).collect());
        self
    }

    /// One more word or phrase that must not appear.
    #[must_use]
    pub fn avoid(mut self, phrase: impl Into<String>) -> Self {
        self.avoided.push(phrase.into());
        self
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.required.is_empty() && self.avoided.is_empty()
    }
}

/// Where a required term stands in a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// Its number among the required terms, from 0.
    pub term: usize,
    /// Its first piece.
    pub first: usize,
    /// Its number of pieces.
    pub pieces: usize,
}

/// Terms as words of a vocabulary.
#[derive(Default)]
pub(crate) struct Segmented {
    /// Alternatives of the required terms, as they were given.
    pub(crate) terms: Vec<Vec<String>>,
    /// `None` if no term is left.
    pub(crate) constraints: Option<Constraints>,
    /// For each term of `constraints` its number among `terms`.
    pub(crate) numbers: Vec<usize>,
    /// Numbers of terms that can not be met.
    pub(crate) impossible: Vec<usize>,
    /// One sentence for each problem.
    pub(crate) notes: Vec<String>,
}

impl Segmented {
    /// Segments terms as the model would inside a sentence. A term that can not be met is left out, with a note.
    pub(crate) fn new(terms: &Terms, target: &Vocabulary, continues: &Continues) -> Self {
        let mut this = Self { terms: terms.required.clone(), ..Self::default() };
        let mut avoided = Vec::new();
        for phrase in &terms.avoided {
            match segment(phrase, target) {
                Ok(words) => avoided.push(words),
                Err(Unusable::Empty) => this.notes.push("an empty phrase to avoid is left out".into()),
                // A phrase that the vocabulary can not express can not appear.
                Err(Unusable::Unknown) => {}
            }
        }
        let mut required = Vec::new();
        for (number, alternatives) in terms.required.iter().enumerate() {
            match this.alternatives(alternatives, target) {
                // One term at a time, so that a contradiction names its term.
                Some(term) => match Constraints::new(std::slice::from_ref(&term), &avoided, None) {
                    Ok(_) => {
                        required.push(term);
                        this.numbers.push(number);
                    }
                    Err(error) => {
                        this.impossible.push(number);
                        this.notes.push(contradiction(alternatives, &error));
                    }
                },
                None => this.impossible.push(number),
            }
        }
        if !required.is_empty() || !avoided.is_empty() {
            match Constraints::new(&required, &avoided, Some(continues.clone())) {
                Ok(constraints) => this.constraints = Some(constraints),
                Err(error) => this.notes.push(error.to_string()),
            }
        }
        this
    }

    /// The alternatives of a term that can be used; `None` if no alternative can.
    fn alternatives(&mut self, alternatives: &[String], target: &Vocabulary) -> Option<Vec<Vec<WordId>>> {
        let mut term = Vec::new();
        for alternative in alternatives {
            match segment(alternative, target) {
                Ok(words) if !term.contains(&words) => term.push(words),
                Ok(_) => {}
                Err(Unusable::Empty) => self.notes.push("an empty constraint is left out".into()),
                Err(Unusable::Unknown) => self.notes.push(format!(
                    "the constraint '{alternative}' is left out: it has characters that the model's vocabulary cannot express"
                )),
            }
        }
        if alternatives.is_empty() {
            self.notes.push("an empty constraint is left out".into());
        }
        (!term.is_empty()).then_some(term)
    }

    /// Where the terms are in a translation of these words. A term counts only if the text has it, too.
    pub(crate) fn met(&self, target: &Vocabulary, words: &[WordId], text: &str) -> Vec<Met> {
        let Some(constraints) = &self.constraints else { return Vec::new() };
        let found = constraints.find(words).into_iter().zip(&self.numbers);
        let met = found.filter_map(|(place, &term)| {
            let (first, pieces) = place?;
            let has = text.contains(target.decode(&words[first..first + pieces]).trim());
            has.then_some(Met { term, first, pieces })
        });
        met.collect()
    }

    /// Gives up all terms; `note` says why.
    pub(crate) fn give_up(&mut self, note: String) {
        self.constraints = None;
        self.impossible.append(&mut self.numbers);
        self.impossible.sort_unstable();
        self.notes.push(note);
    }
}

fn contradiction(alternatives: &[String], error: &ConstraintsError) -> String {
    let term = alternatives.join("' or '");
    match error {
        ConstraintsError::Contradiction { .. } => {
            format!("the constraint '{term}' is left out: it contains a phrase that must not appear")
        }
        other => format!("the constraint '{term}' is left out: {other}"),
    }
}

enum Unusable {
    Empty,
    Unknown,
}

/// The words of a phrase, as they would be inside a sentence.
fn segment(phrase: &str, target: &Vocabulary) -> Result<Vec<WordId>, Unusable> {
    let mut words = Vec::new();
    target.encode(phrase, &mut words);
    words.pop();
    if words.is_empty() {
        Err(Unusable::Empty)
    } else if words.iter().any(|&word| target.is_unknown(word)) {
        Err(Unusable::Unknown)
    } else {
        Ok(words)
    }
}
