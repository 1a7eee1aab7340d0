//! Subtitles: the text below each line of times is a paragraph, and so is each line of a dialogue. A sentence that goes
//! over several subtitles is one paragraph, too; its translation is divided among them.

use super::edits::same_language;
use crate::Options;
use crate::block::{Block, Sentences};
use crate::layout::{Layout, width};
use crate::markup::{Paragraphs, Syntax, references};
use crate::plain::{self, tagged};
use std::ops::Range;

/// The most subtitles, and the most bytes, of a sentence.
const CUES: usize = 8;
const BYTES: usize = 600;

/// The longest pause inside a sentence, in milliseconds.
const PAUSE: u64 = 3000;

/// A kind of subtitles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// SubRip.
    Srt,
    /// Those of the web, with references, as `&amp;`.
    Vtt,
}

/// A subtitle.
#[derive(Debug, Clone)]
struct Cue {
    /// Its times in milliseconds.
    times: Option<(u64, u64)>,
    /// Its text, without the white space around it.
    text: Range<usize>,
}

/// The paragraphs of subtitles.
pub(crate) fn paragraphs(text: &str, kind: Kind, options: &Options, how: &Sentences<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = language(text, kind, options).into_iter().collect();
    let cues = cues(text);
    let mut next = 0;
    while let Some(first) = cues.get(next) {
        let speeches = speeches(text, first.text.clone());
        if speeches.len() > 1 {
            for speech in speeches {
                blocks.extend(plain::part(text, speech, how.keep.placeholders, kind == Kind::Vtt, how));
            }
            next += 1;
            continue;
        }
        let mut last = next;
        while last + 1 < cues.len()
            && last - next + 1 < CUES
            && cues[last + 1].text.end - first.text.start < BYTES
            && goes_on(text, &cues[last], &cues[last + 1])
        {
            last += 1;
        }
        blocks.extend(sentence(text, &cues[next..=last], kind, options, how));
        next = last + 1;
    }
    blocks
}

/// The language that the head of subtitles of the web names.
fn language(text: &str, kind: Kind, options: &Options) -> Option<Block> {
    const KEY: &str = "\nLanguage:";
    let head = text.split("\n\n").next().filter(|_| kind == Kind::Vtt && !options.target.is_empty())?;
    let start = head.find(KEY)? + KEY.len();
    let line = head[start..].lines().next()?;
    let value = start + line.len() - line.trim_start().len()..start + line.trim_end().len();
    let changes = !value.is_empty() && !same_language(&text[value.clone()], &options.target);
    changes.then(|| Block::fixed(value, &options.target))
}

fn cues(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut at = 0;
    // The times of the subtitle that is open, and where its text begins.
    let mut open: Option<(Option<(u64, u64)>, usize)> = None;
    let mut end = |open: Option<(Option<(u64, u64)>, usize)>, end: usize| {
        let Some((times, start)) = open.filter(|(_, start)| *start < end) else { return };
        let raw = &text[start..end];
        let text = start + raw.len() - raw.trim_start().len()..start + raw.trim_end().len();
        if !raw.trim().is_empty() {
            cues.push(Cue { times, text });
        }
    };
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.contains("-->") {
            end(open.replace((times(line), at)), start);
        } else if line.trim().is_empty() {
            end(open.take(), start);
        }
    }
    end(open, text.len());
    cues
}

/// The times of a line: `00:00:01,000 --> 00:00:02,500`, also without hours.
fn times(line: &str) -> Option<(u64, u64)> {
    let (from, to) = line.split_once("-->")?;
    let time = |text: &str| {
        let (rest, thousandths) = text.split_once([',', '.'])?;
        let seconds = rest.split(':').try_fold(0_u64, |sum, part| {
            sum.checked_mul(60)?.checked_add(part.trim().parse().ok().filter(|part: &u64| *part < 1_000_000)?)
        });
        seconds?.checked_mul(1000)?.checked_add(thousandths.parse().ok().filter(|part: &u64| *part < 1000)?)
    };
    Some((time(from.trim())?, time(to.split_whitespace().next()?)?))
}

/// Whether a sentence goes on in the next subtitle.
fn goes_on(text: &str, cue: &Cue, next: &Cue) -> bool {
    let [text, next_text] = [&text[cue.text.clone()], &text[next.text.clone()]];
    let pause =
        cue.times.zip(next.times).is_some_and(|(cue, next)| next.0 < cue.0 || next.0.saturating_sub(cue.1) > PAUSE);
    let special = |text: &str| {
        ["{\\", "<v", "♪", "♫", "<0", "[", "("].iter().any(|sign| text.contains(sign))
            || text.starts_with(['-', '–', '—', '‐', '>', '.', '…'])
    };
    if pause || special(text) || special(next_text) {
        return false;
    }
    let last = without_tags(text).trim_end().chars().next_back();
    let first = without_tags(next_text).trim_start().chars().next();
    let ends =
        last.is_none_or(|last| !last.is_alphanumeric() && !matches!(last, ',' | '-' | '–' | '—' | '、' | '\'' | '’'));
    !ends
        && first
            .is_some_and(|first| first.is_lowercase() || (first.is_alphanumeric() && matches!(last, Some(',' | '、'))))
}

/// A text without its tags.
fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// The paragraph of subtitles that belong together.
fn sentence(text: &str, cues: &[Cue], kind: Kind, options: &Options, how: &Sentences<'_>) -> Option<Block> {
    let (first, last) = (cues.first()?, cues.last()?);
    let mut paragraphs = Paragraphs::new(how);
    for (number, cue) in cues.iter().enumerate() {
        if number > 0 {
            paragraphs.text(" ", cue.text.start..cue.text.start);
        }
        let inner = &text[cue.text.clone()];
        let origin = |range: Range<usize>| cue.text.start + range.start..cue.text.start + range.end;
        let written = |range: Range<usize>| inner[range].to_owned();
        tagged(&mut paragraphs, inner, how.keep.placeholders, &origin, &written, &mut |paragraphs, range| match kind {
            Kind::Vtt => references(paragraphs, text, origin(range), Syntax::Html),
            Kind::Srt => paragraphs.text(&inner[range.clone()], origin(range)),
        });
    }
    let block = paragraphs.finish(last.text.end).pop()?;
    let heads = cues.windows(2).map(|pair| text[pair[0].text.end..pair[1].text.start].to_owned()).collect();
    let lengths = cues.iter().map(|cue| width(&text[cue.text.clone()])).collect();
    let layout = Layout::new(heads, lengths, options.subtitle_width, text.contains("\r\n"));
    let mut block = block.at(first.text.start..last.text.end);
    block.layout = Some(layout);
    Some(block)
}

fn starts_pause(line: &str) -> bool {
    line.starts_with("...") || line.starts_with('…')
}

fn ends_sentence(line: &str) -> bool {
    without_tags(line).trim_end().ends_with(['.', '!', '?', '…', ':', ']', ')', '♪'])
}

/// Whether a line is nothing but a sound, as `[music]`.
fn is_sound(line: &str) -> bool {
    let text = without_tags(line);
    [('[', ']'), ('(', ')')].iter().any(|&(open, close)| text.starts_with(open) && text.ends_with(close))
}

/// Whether a line begins, or ends, with the sign of a song.
fn begins_song(line: &str) -> bool {
    without_tags(line).trim_start().starts_with(['♪', '♫'])
}

fn ends_song(line: &str) -> bool {
    without_tags(line).trim_end().ends_with(['♪', '♫'])
}

/// Whether a line of several letters is in capitals.
fn is_title(line: &str) -> bool {
    let letters = || line.chars().filter(|c| c.is_alphabetic());
    letters().count() > 3 && letters().all(char::is_uppercase)
}

/// The parts of a subtitle, each the text of some lines: where two or more lines begin with a dash, these begin parts;
/// and so do lines with another mark of a speaker or of a pause, and lines next to a sound or to a title in capitals.
fn speeches(text: &str, cue: Range<usize>) -> Vec<Range<usize>> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut dashes, mut before) = (cue.start, 0, "");
    for line in text[cue.clone()].split_inclusive('\n') {
        let content = line.trim();
        let spoken = content.trim_start_matches(['-', '–', '—', '‐']);
        let has_dash = spoken.len() < content.len() && spoken.contains(char::is_alphabetic);
        dashes += usize::from(has_dash);
        let begins = content.starts_with(">>") || (starts_pause(content) && ends_sentence(before));
        let stands_apart = [before, content].iter().any(|line| is_sound(line))
            || is_title(before) != is_title(content)
            || (ends_song(before) && begins_song(content));
        if has_dash {
            starts.push((at, at + line.len() - line.trim_start().len() + content.len() - spoken.trim_start().len()));
        } else if !before.is_empty() && !content.is_empty() && (begins || stands_apart) {
            starts.push((at, at));
        }
        before = content;
        at += line.len();
    }
    if dashes < 2 && starts.len() == dashes {
        return vec![cue];
    }
    if dashes == 1 {
        // A dash of one line is a mark like others, inside its part.
        starts.iter_mut().for_each(|start| start.1 = start.0);
    }
    let ends = starts.iter().skip(1).map(|start| start.0).chain([cue.end]);
    let first = (cue.start < starts[0].0).then_some(cue.start..starts[0].0);
    first.into_iter().chain(starts.iter().zip(ends).map(|(start, end)| start.1..end)).collect()
}
