//! Requests to a translator, and its answers.

use crate::{AlignmentKind, Attention, Counts, Evidence, Met, RequiredTerm, SearchGraph, Terms};
use metaphrase_document::is_invisible;
use metaphrase_text::numbers::MissingNumber;
use std::ops::Range;
use std::sync::Arc;

/// One line to translate.
///
/// ```
/// use metaphrase::Request;
///
/// let request = Request::translate("The house is old.").require(["Gebäude", "Bau"]).avoid("Haus").prefix("Dieses");
/// assert_eq!(request.terms.required[0].targets, ["Gebäude", "Bau"]);
/// assert_eq!(request.terms.avoided, ["Haus"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The text; without line breaks. With [`TranslateOptions::pieces`](crate::TranslateOptions::pieces) this, the
    /// prefix and the target are words of the vocabularies instead.
    pub source: String,
    /// Text that every translation of the line starts with; may be empty.
    pub prefix: String,
    /// The terms that translations must and must not contain.
    pub terms: Terms,
    /// The translation to score. With it nothing is searched for.
    pub target: Option<String>,
    /// Evidence of another system for the translation.
    pub evidence: Option<Arc<Evidence>>,
    /// The source language of this line, in place of
    /// [`TranslateOptions::source_language`](crate::TranslateOptions::source_language).
    pub source_language: Option<String>,
    /// The target language of this line, in place of
    /// [`TranslateOptions::target_language`](crate::TranslateOptions::target_language).
    pub target_language: Option<String>,
    /// Bytes that the caller keeps with the request until the answer comes. They count in the memory that
    /// [`Translator::stream`](crate::Translator::stream) bounds.
    pub attached: usize,
}

impl Request {
    /// Translate `source`.
    #[must_use]
    pub fn translate(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// Score `target` as a translation of `source`.
    #[must_use]
    pub fn score(source: impl Into<String>, target: impl Into<String>) -> Self {
        Self { source: source.into(), target: Some(target.into()), ..Self::default() }
    }

    /// Every translation starts with this text.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// One more term that every translation contains, in one of its alternatives: see [`Terms::required`].
    #[must_use]
    pub fn require<S: Into<String>>(mut self, alternatives: impl IntoIterator<Item = S>) -> Self {
        self.terms = self.terms.require(alternatives);
        self
    }

    /// One more term that every translation contains, as the translation of these words of the source: of their first
    /// occurrence that no earlier term has, as whole words if there is one. If there is none, the term is required
    /// anywhere.
    ///
    /// ```
    /// use metaphrase::Request;
    ///
    /// let request = Request::translate("The door is new.").require_for("door", ["Pforte"]);
    /// assert_eq!(request.terms.required[0].source, Some(4..8));
    /// ```
    #[must_use]
    pub fn require_for<S: Into<String>>(mut self, source: &str, alternatives: impl IntoIterator<Item = S>) -> Self {
        let taken = |place: &Range<usize>| self.terms.required.iter().any(|term| term.overlaps(place));
        let is_whole = |place: &Range<usize>| {
            let inside = |c: char| c.is_alphanumeric();
            !self.source[..place.start].ends_with(inside) && !self.source[place.end..].starts_with(inside)
        };
        let found = self.source.match_indices(source).filter(|(_, found)| !found.is_empty());
        let mut places: Vec<Range<usize>> = found.map(|(at, found)| at..at + found.len()).collect();
        places.retain(|place| !taken(place));
        let place = places.iter().find(|place| is_whole(place)).or(places.first()).cloned();
        self.terms.required.push(RequiredTerm { source: place, ..RequiredTerm::new(alternatives) });
        self
    }

    /// One more word or phrase that no translation contains.
    #[must_use]
    pub fn avoid(mut self, phrase: impl Into<String>) -> Self {
        self.terms = self.terms.avoid(phrase);
        self
    }

    /// Evidence of another system for the translation. A neural search adds its scores to those of words: see
    /// [`TranslateOptions::evidence`](crate::TranslateOptions::evidence).
    #[must_use]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = Some(Arc::new(evidence));
        self
    }

    /// Leaves out the characters of the source that no reader sees: soft hyphens, blanks without width.
    pub(crate) fn drop_invisible(&mut self) {
        if !self.source.contains(is_invisible) {
            return;
        }
        let source = std::mem::take(&mut self.source);
        let visible = |byte: usize| {
            let before = source[..source.floor_char_boundary(byte)].chars();
            before.filter(|&c| !is_invisible(c)).map(char::len_utf8).sum::<usize>()
        };
        for place in self.terms.required.iter_mut().filter_map(|term| term.source.as_mut()) {
            *place = visible(place.start)..visible(place.end);
        }
        self.source = source.replace(is_invisible, "");
    }

    /// Bytes of its text and its terms, and of what the caller keeps with it.
    pub(crate) fn size(&self) -> usize {
        let target = self.target.as_ref().map_or(0, String::len);
        let terms = self.terms.phrases().map(String::len).sum::<usize>();
        (1024 + self.source.len() + self.prefix.len() + target + 16 * terms).saturating_add(self.attached)
    }

    /// These terms, in place of all earlier ones.
    #[must_use]
    pub fn terms(mut self, terms: Terms) -> Self {
        self.terms = terms;
        self
    }
}

/// The result of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Translation {
    /// The best one first. The list is empty only if there is an [`error`](Self::error).
    pub hypotheses: Vec<Hypothesis>,
    /// The reason why the line has no translation, one sentence; it is among the notes, too.
    pub error: Option<String>,
    /// The required terms, those of glossaries too. [`missing`](Self::missing) and [`Met::term`] number these.
    pub terms: Vec<RequiredTerm>,
    /// Numbers of the required terms that a hypothesis lacks. Each hypothesis has all other terms.
    pub missing: Vec<usize>,
    /// Numbers of the phrases to avoid that a hypothesis contains nevertheless: the given prefix has them, or the
    /// hypothesis was drawn, and draws take no constraints.
    pub present: Vec<usize>,
    /// Amounts, times, dates and other numbers of the source that the best hypothesis has in no notation, if
    /// [`TranslateOptions::check_numbers`](crate::TranslateOptions::check_numbers) is set.
    pub missing_numbers: Vec<MissingNumber>,
    /// The hypotheses that the search kept, if the options request them; `None` for a line without words and for a
    /// phrase-based model.
    pub search_graph: Option<SearchGraph>,
    /// The work of the search; zeros for a phrase-based model.
    pub counts: Counts,
    /// Source pieces, without the end of sentence.
    pub source_pieces: Vec<String>,
    /// Messages about this line, such as that its source was cut off; one sentence each.
    pub notes: Vec<String>,
}

impl Translation {
    /// The translation of a line without words, in which no term can appear.
    pub(crate) fn of_nothing(terms: &Terms) -> Self {
        let missing: Vec<usize> = (0..terms.required.len()).collect();
        let notes = if missing.is_empty() { vec![] } else { vec!["constraints are given for an empty line".into()] };
        let nothing = Hypothesis { complete: true, ..Hypothesis::default() };
        Self { hypotheses: vec![nothing], missing, notes, ..Self::default() }
    }

    /// A line without a translation, which has this number of required terms.
    pub(crate) fn failed(error: &str, terms: usize) -> Self {
        let error = error.to_owned();
        Self { missing: (0..terms).collect(), notes: vec![error.clone()], error: Some(error), ..Self::default() }
    }

    /// Text of the best hypothesis; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.hypotheses.first().map_or("", |best| &best.text)
    }
}

/// One translation of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hypothesis {
    /// The text.
    pub text: String,
    /// Target pieces, or words for a phrase-based model, without the end of sentence.
    pub pieces: Vec<String>,
    /// The normalised score, which orders the list.
    pub score: f32,
    /// Sum of log-probabilities, end of sentence included. For a phrase-based model the score, a weighted sum of
    /// features.
    pub log_prob: f32,
    /// Log-probability of each piece, and of the end of sentence if the hypothesis is complete. Empty for a
    /// phrase-based model.
    pub piece_log_probs: Vec<f32>,
    /// Whether the hypothesis ended by itself and was not cut off at the length limit.
    pub complete: bool,
    /// The places of the required terms that the hypothesis has.
    pub met: Vec<Met>,
    /// The attention of each piece, if the options request it.
    pub attention: Option<Attention>,
    /// Word alignment of a phrase-based model, `(source, target)` in the order of the target; empty for a neural model.
    pub links: Vec<(usize, usize)>,
}

impl Hypothesis {
    /// The word alignment, `(source, target)` in rising order: the links of a phrase-based model, or links made from
    /// the attention of a neural model, which the options must request. Positions count pieces from 0.
    #[must_use]
    pub fn alignment(&self, kind: AlignmentKind) -> Vec<(usize, usize)> {
        let mut links = self.attention.as_ref().map_or_else(|| self.links.clone(), |attention| attention.pairs(kind));
        links.sort_unstable();
        links
    }
}
