//! Word alignments: lines of `i-j`, source position and target position, as Pharaoh and Moses write them.

use super::error::AlignmentFault;

/// The links of a line, for sentences of these lengths. Lengths count the ends of sentence, as alignments made by a
/// neural model may link them.
pub(super) fn parse(line: &[u8], source_words: usize, target_words: usize) -> Result<Vec<(u32, u32)>, AlignmentFault> {
    let line = String::from_utf8_lossy(line);
    let mut links = Vec::new();
    for link in line.split_ascii_whitespace() {
        let positions = link.split_once('-').and_then(|(i, j)| Some((i.parse().ok()?, j.parse().ok()?)));
        let Some((i, j)) = positions else {
            return Err(AlignmentFault::Link(link.chars().take(40).collect()));
        };
        if i as usize >= source_words || j as usize >= target_words {
            return Err(AlignmentFault::Range { source_word: i, target_word: j, source_words, target_words });
        }
        links.push((i, j));
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_checked() {
        assert_eq!(parse(b"0-0  1-2\t2-1", 3, 3), Ok(vec![(0, 0), (1, 2), (2, 1)]));
        assert_eq!(parse(b"", 1, 1), Ok(vec![]));
        for bad in ["0", "0-", "-1-0", "0-x", "0:0", "0-0-0", "99999999999-0", "\u{FEFF}0-0"] {
            assert_eq!(parse(bad.as_bytes(), 9, 9), Err(AlignmentFault::Link(bad.into())), "{bad}");
        }
        assert!(matches!(parse(b"0-\xFF", 9, 9), Err(AlignmentFault::Link(_))));
        assert!(matches!(parse(b"0-0 2-1", 2, 2), Err(AlignmentFault::Range { source_word: 2, .. })));
        assert!(matches!(parse(b"0-2", 2, 2), Err(AlignmentFault::Range { target_word: 2, .. })));
    }
}
