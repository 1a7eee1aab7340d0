//! Writes ARPA files.

use crate::{Model, WordId};
use std::io::{self, Write};

/// Writes a model as ARPA text, n-grams sorted by the ids of their words. Reading it gives the same scores to the bit;
/// n-grams that the model got because longer ones need them ([`arpa::read`](super::read)) are written, too.
///
/// # Errors
/// Errors of the writer.
pub fn write(model: &Model, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "\\data\\")?;
    for (k, count) in model.counts().iter().enumerate() {
        writeln!(writer, "ngram {}={count}", k + 1)?;
    }
    for list in model.layout.lists(&model.bytes) {
        writeln!(writer, "\n\\{}-grams:", list.order)?;
        for (i, words) in list.iter().enumerate() {
            write!(writer, "{}", list.log10[i])?;
            for (position, &word) in words.iter().enumerate() {
                let between = if position == 0 { '\t' } else { ' ' };
                write!(writer, "{between}{}", model.vocabulary().word(WordId(word)))?;
            }
            match list.backoff[i] {
                // Not both signs of zero: the second one is this crate's own.
                _ if list.order == model.order() => writeln!(writer)?,
                0.0 => writeln!(writer, "\t0")?,
                backoff => writeln!(writer, "\t{backoff}")?,
            }
        }
    }
    writeln!(writer, "\n\\end\\")
}
