//! Subtitles: the text below each line of times is a paragraph, and so is each line of a dialogue.

use crate::block::{Block, Sentences};
use crate::plain;
use std::ops::Range;

/// The paragraphs of subtitles. `with_references`: whether the text has references, as `&amp;`.
pub(crate) fn paragraphs(text: &str, with_references: bool, how: &Sentences<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    // Where the text of a subtitle begins.
    let mut cue: Option<usize> = None;
    let mut end = |cue: Option<usize>, end: usize| {
        let begins = cue.unwrap_or(end);
        for part in speeches(text, begins..end) {
            blocks.extend(plain::part(text, part, how.keep.placeholders, with_references, how));
        }
    };
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.contains("-->") {
            end(cue.replace(at), start);
        } else if line.trim().is_empty() {
            end(cue.take(), start);
        }
    }
    end(cue, text.len());
    blocks
}

/// The parts of a subtitle: where two or more lines begin with a dash, the text of each such line and of the lines
/// after it.
fn speeches(text: &str, cue: Range<usize>) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = cue.start;
    for line in text[cue.clone()].split_inclusive('\n') {
        let content = line.trim_start();
        let spoken = content.trim_start_matches(['-', '–', '—', '‐']);
        if spoken.len() < content.len() && spoken.contains(char::is_alphabetic) {
            starts.push((at, at + line.len() - spoken.trim_start().len()));
        }
        at += line.len();
    }
    if starts.len() < 2 {
        return vec![cue];
    }
    let ends = starts.iter().skip(1).map(|start| start.0).chain([cue.end]);
    let first = (cue.start < starts[0].0).then_some(cue.start..starts[0].0);
    first.into_iter().chain(starts.iter().zip(ends).map(|(start, end)| start.1..end)).collect()
}
