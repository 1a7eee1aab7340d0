//! Subtitles: the text below each line of times is a paragraph.

use crate::block::{Block, Sentences};
use crate::plain;

/// The paragraphs of subtitles.
pub(crate) fn paragraphs(text: &str, how: &Sentences<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    // Where the text of a subtitle begins.
    let mut cue: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.contains("-->") {
            cue = Some(at);
        } else if line.trim().is_empty()
            && let Some(begins) = cue.take()
        {
            blocks.extend(plain::part(text, begins..start, true, how));
        }
    }
    blocks.extend(cue.map(|begins| plain::part(text, begins..text.len(), true, how)).into_iter().flatten());
    blocks
}
