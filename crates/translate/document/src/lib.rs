//! Texts, web pages and files as sentences to translate, and back.
//!
//! [`SegmentedText`] finds the sentences of a text, the things that have to stay, and the markup. The caller translates
//! the [sentences](SegmentedText::sentences), by any means, and [`SegmentedText::finish`] puts the translated text
//! together:
//!
//! ```
//! use metaphrase_document::{Answer, Format, Options, SegmentedText};
//!
//! let options = Options { format: Format::Html, ..Options::default() };
//! let prepared = SegmentedText::new("<p>Good morning!  <b>How are you?</b></p>", &options).unwrap();
//! let sentences: Vec<_> = prepared.sentences().map(|sentence| sentence.text.into_owned()).collect();
//! assert_eq!(sentences, ["Good morning!", "How are you?"]);
//!
//! let answer = |text: &str| Some(Answer { text: text.into(), ..Answer::default() });
//! let finished = prepared.finish(&[answer("Guten Morgen!"), answer("Wie geht es dir?")]);
//! assert_eq!(finished.text, "<p>Guten Morgen!  <b>Wie geht es dir?</b></p>");
//! ```
//!
//! Nothing here knows a model, and nothing here reads or writes files.
#![forbid(unsafe_code)]

mod answer;
mod block;
mod cut;
mod encoding;
mod error;
mod escape;
mod escapes;
mod file_options;
mod files;
mod initials;
mod keep;
mod languages;
mod layout;
mod line;
mod list;
mod marks;
mod markup;
mod numbers;
mod options;
mod patterns;
mod place;
mod plain;
mod prepared;
mod regions;
mod split;
mod templates;
mod units;
mod wrapped;
mod write;

pub use answer::{Answer, Link};
pub use block::is_invisible;
pub use cut::{cut, weight};
pub use encoding::TextEncoding;
pub use error::Error;
pub use file_options::{Entries, FileOptions};
pub use files::{FileFormat, SegmentedFile, TranslatedFile};
pub use keep::{CopySpan, Keep, find};
pub use line::LinePart;
pub use options::{Comments, Format, Options, Split};
pub use prepared::{SegmentedText, Source, TranslatedText};
pub use split::Splitter;
pub use write::space_between;
