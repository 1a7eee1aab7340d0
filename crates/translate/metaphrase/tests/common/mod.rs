//! Text files of the tests.

use std::path::Path;

/// The lines of a text file.
pub fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split('\n').map(str::to_owned).take(text.matches('\n').count()).collect()
}
