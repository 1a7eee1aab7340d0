//! Texts inside the markup of a text: they are translated first, and the text around them is read again.

use super::{SegmentedText, how};
use crate::block::Block;
use crate::escape::Escape;
use crate::files::messages::Messages;
use crate::files::page;
use crate::languages::Languages;
use crate::split::Splitter;
use crate::{Error, Format, Options};
use std::ops::Range;

/// Texts inside markup, such as the values of attributes. Their sentences follow all others, and the text is read again
/// when they are translated: markup is written with the new values wherever it goes.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) text: SegmentedText,
    pub(super) options: Options,
    outside: Outside,
}

/// Finds the sentences of a text, but not those inside its markup. Languages: those of the text as it was first read.
pub(crate) type Read = fn(String, &Splitter, &Options, &Languages) -> Result<SegmentedText, Error>;

/// How the text around values is read.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    pub(crate) read: Read,
    pub(crate) languages: Languages,
}

/// The text around the values.
#[derive(Debug)]
enum Outside {
    /// Is read again.
    Text(Around),
    /// Messages, which are at the same places.
    Messages(Messages),
}

impl SegmentedText {
    /// The text with the texts inside its markup. `read`: reads the text again.
    pub(crate) fn with_values(mut self, blocks: Vec<Block>, escape: Escape, options: &Options, around: Around) -> Self {
        if !blocks.is_empty() {
            let text = Self::from_blocks(self.input.clone(), blocks, escape);
            self.values = Some(Box::new(Values { text, options: options.clone(), outside: Outside::Text(around) }));
        }
        self
    }

    /// Messages with the texts inside their arguments.
    pub(crate) fn with_messages(mut self, blocks: Vec<Block>, options: &Options, messages: Messages) -> Self {
        if !blocks.is_empty() {
            let text = Self::from_blocks(self.input.clone(), blocks, Escape::None);
            self.values =
                Some(Box::new(Values { text, options: options.clone(), outside: Outside::Messages(messages) }));
        }
        self
    }
}

impl Values {
    /// The text around the values, which are translated in `text`, at these `places`.
    pub(super) fn again(&self, text: &str, places: &[Range<usize>]) -> Result<SegmentedText, Error> {
        match &self.outside {
            Outside::Text(Around { read, languages }) => {
                let splitter = Splitter::new(&self.options.language);
                let text = match self.options.format {
                    Format::Html => page::complete(text.to_owned(), &self.options, &how(&splitter, &self.options)),
                    _ => text.to_owned(),
                };
                read(text, &splitter, &self.options, languages)
            }
            Outside::Messages(messages) => {
                let moved = |at: usize| {
                    let next = self.text.blocks.partition_point(|block| block.range.end <= at);
                    let before = next.checked_sub(1).map(|before| (&self.text.blocks[before].range, &places[before]));
                    before.map_or(at, |(old, new)| new.end + at - old.end)
                };
                messages.translated(text, &moved, &self.options).outer(&self.options)
            }
        }
    }
}
