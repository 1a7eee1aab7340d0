//! Inputs of several parts.

use std::borrow::Cow;
use std::path::Path;
use tempfile::TempDir;

/// The parts of an input, which zero bytes divide; those that are missing are empty. The last part has the rest.
#[must_use]
pub fn parts<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut rest = input.splitn(N, |&byte| byte == 0);
    std::array::from_fn(|_| rest.next().unwrap_or_default())
}

/// The parts as text, U+FFFD for what is none.
#[must_use]
pub fn texts<const N: usize>(input: &[u8]) -> [Cow<'_, str>; N] {
    parts(input).map(String::from_utf8_lossy)
}

/// Lines on which segmentation and its inverse are tried, beside those of the input.
pub const LINES: [&str; 8] = [
    "",
    "   ",
    "Hello, world!",
    " Zwei  Blanks. ",
    "\u{0}\u{1}\u{7f}\t\r\u{85}",
    "▁a▁▁b <unk> <s> </s> <0x41>",
    "ﷺ ｆｕｌｌ ǆ Å가각 e\u{301}\u{323}",
    "😀👩\u{200d}👩 ไทย 日本語 \u{feff}\u{2028}\u{10ffff}",
];

/// A folder in memory, where there is such a thing, for readers of files.
#[must_use]
pub fn memory_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.expect("a temporary folder")
}
