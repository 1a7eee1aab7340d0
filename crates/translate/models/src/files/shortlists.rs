//! The shortlists that models come with.

use super::{has_extension, unpacked_name};
use metaphrase_base::unpacked_start;
use std::path::{Path, PathBuf};

/// How Marian's binary shortlists begin: the number 0xF11A48D5013417F5.
const BINARY: [u8; 8] = [0xF5, 0x17, 0x34, 0x01, 0xD5, 0x48, 0x1A, 0xF1];

/// A shortlist that comes with a model, and how much of it the model's makers use; `None` is all of it, or Marian's
/// default for text.
#[derive(Debug, Clone, PartialEq)]
pub struct ShortlistFile {
    /// The file.
    pub path: PathBuf,
    /// The number of the most frequent target words, which are in every list.
    pub first: Option<usize>,
    /// The number of words of each source word.
    pub words: Option<usize>,
    /// Words are left out if their probability is not above this threshold.
    pub threshold: Option<f32>,
}

impl ShortlistFile {
    /// A file that is used as it is.
    pub(super) const fn whole(path: PathBuf) -> Self {
        Self { path, first: None, words: None, threshold: None }
    }

    /// Whether it is one of Marian's binary files.
    pub(crate) fn is_binary(&self) -> bool {
        is_binary(&self.path)
    }
}

/// The only binary shortlist among the files of a directory, as Firefox' models have one (`lex.50.50.enpt.s2t.bin`).
pub(super) fn find(directory: &Path, names: &[String]) -> Option<ShortlistFile> {
    let named = |name: &&String| name.starts_with("lex.") && has_extension(unpacked_name(name), &["bin"]);
    // A packed file and its content, next to each other in this order, are one.
    let mut files: Vec<&String> = names.iter().filter(named).collect();
    files.dedup_by(|next, before| unpacked_name(next) == before.as_str());
    let mut found = files.into_iter().map(|name| directory.join(name)).filter(|path| is_binary(path));
    found.next().filter(|_| found.next().is_none()).map(ShortlistFile::whole)
}

fn is_binary(path: &Path) -> bool {
    unpacked_start(path, 8).is_ok_and(|start| start == BINARY)
}
