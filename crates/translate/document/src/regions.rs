//! Where texts stand that stay, as they are in another language.

use crate::markup::scan::Token;
use std::ops::Range;

/// An element that names the language of its text.
pub(crate) struct Mark {
    /// The numbers of its first token and of the one at its end.
    pub(crate) tokens: Range<usize>,
    /// `None`: its code names no language.
    pub(crate) language: Option<&'static str>,
    /// Whether it is the document itself, or its body.
    pub(crate) is_root: bool,
}

/// Where texts stand that stay.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// Bytes from which on the text is in another language; `None`: in the language of the document.
    changes: Vec<(usize, Option<&'static str>)>,
    /// The first tokens of the elements that stay with all inside them, in order.
    whole: Vec<usize>,
}

/// An element that names a language, while it is open.
struct OpenMark {
    number: usize,
    /// The token at its end.
    end: usize,
    language: Option<&'static str>,
    /// Whether an element inside it is in another language.
    is_mixed: bool,
}

impl Regions {
    /// The texts of these elements, each of which stays if it has a language in `foreign`.
    pub(crate) fn new(tokens: &[Token], marks: &[Mark], foreign: &[Option<&'static str>]) -> Self {
        let mut regions = Self::default();
        let mut open: Vec<OpenMark> = Vec::new();
        for (mark, &language) in marks.iter().zip(foreign) {
            regions.close(&mut open, tokens, mark.tokens.start);
            // From inside the tag on: its attributes are in the language, too.
            regions.changes.push((tokens[mark.tokens.start].range.start + 1, language));
            open.push(OpenMark { number: mark.tokens.start, end: mark.tokens.end, language, is_mixed: false });
        }
        regions.close(&mut open, tokens, usize::MAX);
        regions.whole.sort_unstable();
        regions
    }

    /// Ends the elements that end before a token.
    fn close(&mut self, open: &mut Vec<OpenMark>, tokens: &[Token], before: usize) {
        while let Some(done) = open.pop_if(|last| last.end < before) {
            let outer = open.last_mut();
            let language = outer.as_ref().and_then(|outer| outer.language);
            let last = &tokens[done.end].range;
            let at = if done.end == done.number { last.end } else { last.start };
            // Only in a broken page an element ends before one inside it.
            let at = at.max(self.changes.last().map_or(0, |(at, _)| *at));
            self.changes.push((at, language));
            if let Some(outer) = outer {
                outer.is_mixed |= done.is_mixed || done.language != outer.language;
            }
            if done.language.is_some() && !done.is_mixed {
                self.whole.push(done.number);
            }
        }
    }

    /// The foreign language of the text at a byte.
    pub(crate) fn at(&self, byte: usize) -> Option<&'static str> {
        let next = self.changes.partition_point(|(start, _)| *start <= byte);
        self.changes[next.checked_sub(1)?].1
    }

    /// Whether the element that begins with this token stays as a whole.
    pub(crate) fn stays(&self, token: usize) -> bool {
        self.whole.binary_search(&token).is_ok()
    }
}
