//! Characters that the vocabulary of a model lacks: letters are read as others that it knows, and all else is
//! carried around the
//! model and put in where its neighbours' translations stand.

mod digits;
mod reader;

use crate::document::answer_of;
use crate::{Hypothesis, Request, RequiredTerm, Translation};
use digits::{PlainWord, is_levelled, plain_words, restored};
use metaphrase_base::{Choice, Named, WordId};
use metaphrase_document::{LinePart, SegmentedText};
use metaphrase_text::numbers::{Amount, amounts};
use metaphrase_text::vocab::Vocabulary;
use reader::Reader;
use std::ops::Range;

/// What becomes of characters that the vocabulary of a model lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownCharacters {
    /// They are kept.
    #[default]
    Keep,
    /// The model reads its unknown word in their place.
    Model,
}

impl Choice for UnknownCharacters {
    const ALL: &'static [Named<Self>] = &[
        Named::new(
            Self::Keep,
            "keep",
            "letters are read as similar letters that the model knows, and all else stands in the translation as in the source",
        ),
        Named::new(Self::Model, "model", "the model reads its unknown word in their place, and they are lost"),
    ];
}

/// The most characters that a note lists.
const LISTED: usize = 12;

/// The most bytes of a line of which rare characters are kept where the vocabulary has bytes.
const LONGEST: usize = 50_000;

/// What a vocabulary lacks.
pub(crate) struct Lacking<'v> {
    source: &'v Vocabulary,
    target: &'v Vocabulary,
    /// Letters that the vocabulary has and the model garbles.
    unlearned: &'v str,
    keeps: bool,
    /// Whether the vocabulary writes the characters that it lacks as bytes. Models that were trained on little of them
    /// garble them.
    has_bytes: bool,
    /// The languages between which amounts of money are written anew.
    languages: Option<[&'v str; 2]>,
}

/// Something that the model does not read as it is written.
pub(crate) struct Copy {
    place: Range<usize>,
    /// The number of its required term.
    term: Option<usize>,
    /// How an amount of money is written in the target language.
    rendering: Option<String>,
}

/// A line whose characters the model does not all read.
pub(crate) struct CarriedLine {
    text: SegmentedText,
    /// By thing to copy: the number of its required term.
    terms: Vec<usize>,
    /// Number of the required terms of the request.
    own: usize,
    /// What the model reads in place of the things to copy.
    names: Vec<String>,
    /// Amounts of money that the line has, and how they are written in the target language.
    renderings: Vec<(String, String)>,
    /// Words that the model writes with plain digits.
    plain_words: Vec<PlainWord>,
    pub(crate) note: String,
    /// Whether alignments show where something stands.
    pub(crate) aligned: bool,
}

impl<'v> Lacking<'v> {
    /// `None`: the vocabulary has all characters, or the model reads the bytes of those that it lacks.
    pub(crate) fn new(
        source: &'v Vocabulary,
        target: &'v Vocabulary,
        unlearned: &'v str,
        handling: UnknownCharacters,
    ) -> Option<Self> {
        let keeps = handling == UnknownCharacters::Keep;
        let has_bytes = !source.lacks_characters();
        let is_useful = source.has_pieces() && (keeps || !has_bytes);
        let unlearned = if keeps { unlearned } else { "" };
        is_useful.then_some(Self { source, target, unlearned, keeps, has_bytes, languages: None })
    }

    /// Amounts of money whose currency the vocabulary lacks are written as the target language writes them.
    pub(crate) fn with_languages(self, languages: Option<[&'v str; 2]>) -> Self {
        Self { languages, ..self }
    }

    /// Whether a source word stands for a character that the vocabulary lacks, for a byte of one, or for a letter that
    /// the model garbles.
    fn lacks(&self, word: WordId) -> bool {
        let is_garbled = || !self.unlearned.is_empty() && self.is_unlearned(self.source.word(word));
        self.source.is_unknown(word) || (self.has_bytes && self.source.is_byte(word)) || is_garbled()
    }

    /// Whether a piece is a letter that the model garbles.
    fn is_unlearned(&self, piece: &str) -> bool {
        let mut characters = piece.trim_start_matches('\u{2581}').chars();
        let letter = characters.next().filter(|_| characters.next().is_none());
        letter.is_some_and(|letter| self.unlearned.contains(letter))
    }

    /// The note on these characters; empty if none of them may be lost or read as another.
    fn note(&self, characters: &[char]) -> String {
        let is_lost = |c: &char| !self.unlearned.contains(*c) && !is_levelled(*c);
        let missing: Vec<char> = characters.iter().copied().filter(is_lost).collect();
        // Signs that are carried lose nothing.
        let is_told = !missing.is_empty() && (!self.has_bytes || missing.iter().any(|c| c.is_alphanumeric()));
        if !is_told {
            return String::new();
        }
        let shown: String = missing.iter().take(LISTED).map(|c| format!(" {c}")).collect();
        let more = if missing.len() > LISTED { " …" } else { "" };
        let (count, verb) = match missing.len() {
            1 => ("1 character", "is"),
            count => (&*format!("{count} characters"), "are"),
        };
        format!("{count} {verb} not in the model's vocabulary:{shown}{more}")
    }

    /// The request as the model reads it, and the line that its translation is put together with; `None` if the
    /// model knows all characters.
    pub(crate) fn carry(&self, request: &mut Request) -> Option<CarriedLine> {
        // A longer line is cut off, which takes less memory than to look at all of it.
        if self.has_bytes && (request.source.is_ascii() || request.source.len() > LONGEST) {
            return None;
        }
        let mut reader = Reader::new(self, &request.source);
        let plain_words = if self.keeps { plain_words(&request.source) } else { Vec::new() };
        let lacking = if reader.knows(&request.source) { Vec::new() } else { reader.lacking(&request.source) };
        if lacking.is_empty() && plain_words.is_empty() {
            return None;
        }
        let note = self.note(&lacking);
        let own = request.terms.required.len();
        if !self.keeps {
            return Some(CarriedLine { own, plain_words, note, ..CarriedLine::of_parts(&[]) });
        }
        let amounts = self.languages.map(|[from, to]| amounts(&request.source, (from, to))).unwrap_or_default();
        let lacks = |amount: &Amount| request.source[amount.range.clone()].contains(&*lacking);
        let (amounts, others): (Vec<_>, Vec<_>) = amounts.into_iter().partition(lacks);
        // German writes one sign after several numbers: `5 oder 6 £`.
        let may_share_sign = self.languages.is_some_and(|[_, to]| to.starts_with("de"));
        reader.names_numbers = may_share_sign && !others.is_empty();
        let copies = copies_with(amounts, request);
        reader.read(&request.source, &copies);
        let written = |copy: Copy| Some((request.source[copy.place].to_owned(), copy.rendering?));
        let renderings = copies.into_iter().filter_map(written).collect();
        let Reader { parts, terms, names, .. } = reader;
        let text = SegmentedText::of_line(&parts);
        let aligned = parts.iter().any(|part| matches!(part, LinePart::Marker(_)));
        let source = text.source(0).map(|source| source.text.into_owned());
        if let Some(source) = source {
            rewrite(request, &parts, source, &terms, &names);
        }
        let terms = number(terms, own);
        Some(CarriedLine { text, terms, own, names, renderings, plain_words, note, aligned })
    }
}

/// The required terms that stand in the source as they are to stand in the translation, and amounts of money, in order.
fn copies_with(amounts: Vec<Amount>, request: &Request) -> Vec<Copy> {
    let mut copies = copies(request);
    for Amount { range: place, renderings } in amounts {
        let is_free = copies.iter().all(|copy| copy.place.end <= place.start || place.end <= copy.place.start);
        if is_free {
            copies.push(Copy { place, term: None, rendering: renderings.into_iter().next() });
        }
    }
    copies.sort_by_key(|copy| copy.place.start);
    copies
}

/// By thing to copy: the number of its required term. Those of the request keep theirs, others follow.
fn number(terms: Vec<Option<usize>>, own: usize) -> Vec<usize> {
    let mut next = own;
    let number = |term: Option<usize>| {
        term.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    terms.into_iter().map(number).collect()
}

/// The required terms that stand in the source as they are to stand in the translation.
fn copies(request: &Request) -> Vec<Copy> {
    let terms = request.terms.required.iter().enumerate();
    let copy = |(number, term): (usize, &RequiredTerm)| {
        Some(Copy { place: term.copied_from(&request.source)?, term: Some(number), rendering: None })
    };
    terms.filter_map(copy).collect()
}

/// Gives a request the source that the model reads, with its terms at their places there.
fn rewrite(request: &mut Request, parts: &[LinePart], source: String, terms: &[Option<usize>], names: &[String]) {
    let joined: String = parts.iter().map(LinePart::shown).collect();
    let lead = joined.len() - joined.trim_start().len();
    for term in &mut request.terms.required {
        term.source = term.source.take().and_then(|place| moved(parts, &place, lead, source.len()));
    }
    let mut at = 0;
    let mut copied = terms.iter().zip(names);
    for part in parts {
        let place = at.max(lead) - lead..(at + part.shown().len()).max(lead) - lead;
        at += part.shown().len();
        let LinePart::Copied { shown, .. } = part else { continue };
        let Some((term, _)) = copied.next() else { continue };
        let required = RequiredTerm { source: Some(place), ..RequiredTerm::new([shown.clone()]) };
        match term.and_then(|term| request.terms.required.get_mut(term)) {
            Some(term) => *term = required,
            None => request.terms.required.push(required),
        }
    }
    request.source = source;
}

/// The place in what the model reads for a place in the line; `None` if the model does not read it.
fn moved(parts: &[LinePart], place: &Range<usize>, lead: usize, length: usize) -> Option<Range<usize>> {
    let position = |byte: usize, is_end: bool| {
        let (mut written, mut shown) = (0, 0);
        for part in parts {
            let end = written + part.written().len();
            if byte < end || (is_end && byte == end) {
                let same = part.written().len() == part.shown().len();
                let inside = if same {
                    byte - written
                } else if is_end {
                    part.shown().len()
                } else {
                    0
                };
                return shown + inside;
            }
            (written, shown) = (end, shown + part.shown().len());
        }
        shown
    };
    let (start, end) = (position(place.start, false).max(lead) - lead, position(place.end, true).max(lead) - lead);
    (start < end && end <= length).then_some(start..end)
}

impl CarriedLine {
    /// A line without letters and digits, which is its own translation; `None` if it is empty.
    pub(crate) fn whole(line: &str) -> Option<Self> {
        (!line.trim().is_empty()).then(|| Self::of_parts(&[LinePart::Marker(line.to_owned())]))
    }

    /// A line of these parts, without terms and things to copy.
    fn of_parts(parts: &[LinePart]) -> Self {
        Self {
            text: SegmentedText::of_line(parts),
            terms: Vec::new(),
            own: 0,
            names: Vec::new(),
            renderings: Vec::new(),
            plain_words: Vec::new(),
            note: String::new(),
            aligned: false,
        }
    }

    /// Whether the line needs no model: it has no words that the model can read. The line is its own translation then.
    pub(crate) fn is_copied(&self) -> bool {
        self.text.is_empty() && !self.text.input().is_empty()
    }

    /// The translation of the line, made of the translation of what the model read.
    pub(crate) fn finish(&self, mut translation: Translation) -> Translation {
        translation.notes.retain(|note| !self.names.iter().any(|name| note.contains(&format!("'{name}'"))));
        translation.notes.extend((!self.note.is_empty()).then(|| self.note.clone()));
        if self.text.input().is_empty() {
            return translation;
        }
        let Some(source) = self.text.source(0) else { return translation };
        for rank in 0..translation.hypotheses.len() {
            let answer = answer_of(&source, &translation, rank, &|kept| self.terms[kept]);
            let text = self.text.finish(&[answer]).text;
            let localised =
                |text: String, (written, rendering): &(String, String)| text.replacen(written, rendering, 1);
            let text = restored(self.renderings.iter().fold(text, localised), &self.plain_words);
            translation.hypotheses[rank].text = text.trim().to_owned();
        }
        for hypothesis in &mut translation.hypotheses {
            hypothesis.met.retain(|met| met.term < self.own);
        }
        translation.missing.retain(|&term| term < self.own);
        translation
    }

    /// The line as its own translation. It has the terms that stand in the line.
    pub(crate) fn copied(&self, terms: &[RequiredTerm]) -> Translation {
        let text = self.text.input().to_owned();
        let lacks = |term: &RequiredTerm| !term.targets.iter().any(|target| text.contains(target.as_str()));
        let missing = (0..terms.len()).filter(|&number| lacks(&terms[number])).collect();
        let hypotheses = vec![Hypothesis { text, complete: true, ..Hypothesis::default() }];
        Translation {
            hypotheses,
            missing,
            notes: (!self.note.is_empty()).then(|| self.note.clone()).into_iter().collect(),
            ..Translation::default()
        }
    }
}
