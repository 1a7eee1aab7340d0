//! Terms of a request, and where they stand in a translation.

use std::ops::Range;

/// The terms that translations of a line must and must not contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The required terms, each of which must appear.
    pub required: Vec<RequiredTerm>,
    /// Words or phrases that must not appear, as whole words.
    pub avoided: Vec<String>,
}

/// A term that a translation must contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequiredTerm {
    /// The place of the source term, in bytes of the source sentence. `None` for a term of the request whose place is
    /// not known.
    pub source: Option<Range<usize>>,
    /// Words or phrases as they are written in the target language. Any one of them is enough.
    pub targets: Vec<String>,
    /// The endings that a translation may add to them, in German and in English.
    pub endings: Endings,
}

/// The endings that a translation may add to a target term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Endings {
    /// None but those of a `*` at its end.
    #[default]
    Written,
    /// Those of one thing: `Displays` of `Display`. Words that are no nouns have all.
    Singular,
    /// All, but rather those of several things: `Tarife` and `Tarifen` of `Tarif`.
    Plural,
    /// All, as if it ended in `*`.
    All,
}

impl RequiredTerm {
    /// A term whose place in the source is not known.
    pub fn new<S: Into<String>>(targets: impl IntoIterator<Item = S>) -> Self {
        Self { targets: targets.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The place of a term that stands in the source exactly as it is to stand in the translation.
    pub(crate) fn copied_from(&self, source: &str) -> Option<Range<usize>> {
        let place = self.source.clone()?;
        matches!(&self.targets[..], [target] if source.get(place.clone()) == Some(target)).then_some(place)
    }

    /// Whether both stand in the source and have a byte in common.
    pub(crate) fn overlaps(&self, place: &Range<usize>) -> bool {
        self.source.as_ref().is_some_and(|own| own.start < place.end && place.start < own.end)
    }
}

impl Terms {
    /// One more required term: one of these alternatives must appear.
    ///
    /// ```
    /// use metaphrase::Terms;
    ///
    /// let terms = Terms::default().require(["Taxi"]).require(["Haus", "Gebäude"]).avoid("Droschke");
    /// assert_eq!(terms.required[1].targets, ["Haus", "Gebäude"]);
    /// ```
    #[must_use]
    pub fn require<S: Into<String>>(mut self, alternatives: impl IntoIterator<Item = S>) -> Self {
        self.required.push(RequiredTerm::new(alternatives));
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

    /// All words and phrases of the target language.
    pub fn phrases(&self) -> impl Iterator<Item = &String> {
        self.required.iter().flat_map(|term| &term.targets).chain(&self.avoided)
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
