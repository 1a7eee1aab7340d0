//! One line with things in it that its translator does not read, or reads in another form.

use crate::SegmentedText;
use crate::block::{Block, LineEnds, Notation, Sentences};
use crate::escape::Escape;
use crate::keep::Keep;
use crate::patterns::Style;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePart {
    /// Text.
    Text(String),
    /// Something to copy.
    Copied {
        /// What the translator reads.
        shown: String,
        /// What stands in the line, and in its translation.
        written: String,
    },
    /// Something that the translator does not read: it stays next to the words that it stands next to.
    Marker(String),
}

impl LinePart {
    /// What stands in the line.
    #[must_use]
    pub fn written(&self) -> &str {
        match self {
            Self::Text(text) | Self::Marker(text) | Self::Copied { written: text, .. } => text,
        }
    }

    /// What the translator reads.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            Self::Text(shown) | Self::Copied { shown, .. } => shown,
            Self::Marker(_) => "",
        }
    }
}

impl SegmentedText {
    /// A line of these parts: one sentence, or none if the text has no letters.
    #[must_use]
    pub fn of_line(parts: &[LinePart]) -> Self {
        let line: String = parts.iter().map(LinePart::written).collect();
        let mut block = Block::new(0);
        let mut at = 0;
        for part in parts {
            let place = at..at + part.written().len();
            at = place.end;
            match part {
                LinePart::Text(text) => block.push(text, place),
                LinePart::Copied { shown, written } => block.push_copied(shown, written, place),
                LinePart::Marker(raw) => _ = block.open(raw.as_str(), None),
            }
        }
        let (splitter, longest, keep, line_ends) = (None, None, Keep::NOTHING, LineEnds::Blanks);
        let (notation, style, escape) = (Notation::Prose, Style::Any, Escape::None);
        block.end(at, &Sentences { splitter, longest, keep, line_ends, notation, style, escape });
        Self::from_blocks(line, vec![block], Escape::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Link};

    #[test]
    fn a_line_gets_its_parts_back() {
        let text = |text: &str| LinePart::Text(text.to_owned());
        let parts = [
            text("Press "),
            LinePart::Marker("⌘".to_owned()),
            text(" in "),
            LinePart::Copied { shown: "X1".to_owned(), written: "東京".to_owned() },
            text("."),
        ];
        let line = SegmentedText::of_line(&parts);
        let source = line.source(0).expect("a sentence");
        assert_eq!((source.text.as_ref(), source.kept[0].range.clone()), ("Press  in X1.", 10..12));
        let links = [(0..5, 6..14), (7..9, 0..2), (10..12, 3..5)];
        let links = links.map(|(source, target)| Link { source, target, weight: 1.0 }).into();
        let answer = Answer { text: "In X1 drücken.".to_owned(), kept: vec![Some(3..5)], links };
        assert_eq!(line.finish(&[Some(answer)]).text, "⌘ In 東京 drücken.");
        assert!(SegmentedText::of_line(&[LinePart::Marker("⌘".to_owned()), text(" 5")]).is_empty());
    }
}
