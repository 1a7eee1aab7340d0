//! The words of a text, and notes on texts that are too long.

use crate::TranslateOptions;
use crate::runs::SignRuns;
use metaphrase_base::WordId;
use metaphrase_document::Splitter;
use metaphrase_text::vocab::Vocabulary;
use std::sync::LazyLock;

/// The fewest pieces of a paragraph: sentences are seldom as long.
const PARAGRAPH: usize = 100;

/// The words of a text, the end of sentence included, or as many as the options allow. `what` names the text's part of
/// the request; `notes` gets a note on each part of the text that is left out.
pub(crate) fn words(
    vocabulary: &Vocabulary,
    text: &str,
    what: &str,
    options: &TranslateOptions,
    notes: &mut Vec<String>,
) -> Vec<WordId> {
    let mut words = Vec::new();
    if options.pieces {
        vocabulary.look_up(text, &mut words);
    } else {
        vocabulary.encode(text, &mut words);
        let read = vocabulary.reads(text);
        if read < text.len() {
            let bytes = text.len();
            notes.push(format!("the {what} is cut off after {read} of {bytes} bytes, which normalisation makes 1 MiB"));
        }
    }
    let (length, limit) = (words.len() - 1, options.max_source_length.max(1));
    if length > limit {
        notes.push(cut_off(what, length, "pieces", limit));
        words.truncate(limit);
        words.push(vocabulary.eos());
        // A line that waits takes no more memory than its words.
        words.shrink_to_fit();
    }
    words
}

/// The note on a source of several sentences: models learn from lines of one or two, and lose parts of paragraphs
/// without any sign.
pub(crate) fn many_sentences(source: &str, pieces: usize) -> Option<String> {
    // Which language it is hardly matters here: a missed abbreviation makes one sentence more.
    static SPLITTER: LazyLock<Splitter> = LazyLock::new(|| Splitter::new("en"));
    if pieces < PARAGRAPH {
        return None;
    }
    let sentences = SPLITTER.sentences(source).len();
    let risk = "models lose parts of such lines";
    (sentences > 2).then(|| {
        format!(
            "the source has {sentences} sentences in {pieces} pieces, and {risk}; split it into sentences, or set `longest_sentence`"
        )
    })
}

/// The most pieces of what a translation in a loop repeats.
const LOOP: usize = 8;

/// The fewest times that a loop repeats it.
const ROUNDS: usize = 8;

/// The note on a translation that repeats the same pieces, over and over and more than twice as often as its source.
/// Signs do not count where the source repeats signs, whose number the translation gets.
pub(crate) fn repetition(source: &[String], translation: &[String]) -> Option<String> {
    let is_word = |piece: &&String| piece.contains(char::is_alphanumeric);
    let repeats_signs = SignRuns::of(&source.concat()).is_some();
    let rounds = if repeats_signs {
        most_rounds(&translation.iter().filter(is_word).cloned().collect::<Vec<_>>())
    } else {
        most_rounds(translation)
    };
    (rounds >= ROUNDS && rounds > 2 * most_rounds(source))
        .then(|| format!("the translation repeats the same words {rounds} times, probably without an end; check it"))
}

/// How often the same pieces stand in a row at most.
fn most_rounds(pieces: &[String]) -> usize {
    let rounds_of = |length: usize| {
        let same = pieces.iter().zip(pieces.get(length..).unwrap_or_default()).map(|(a, b)| a == b);
        let longest = same.fold((0, 0), |(run, most): (usize, usize), same| {
            let run = if same { run + 1 } else { 0 };
            (run, most.max(run))
        });
        longest.1 / length + 1
    };
    (1..=LOOP).map(rounds_of).max().unwrap_or_default()
}

/// The note on the `what` of a request of `length` words or pieces, `limit` of which are used.
pub(crate) fn cut_off(what: &str, length: usize, unit: &str, limit: usize) -> String {
    format!("the {what} has {length} {unit} and is cut off after {limit}; split it into sentences")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_noted() {
        let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        assert_eq!(most_rounds(&words("a b c")), 1);
        assert_eq!(most_rounds(&words("x a b a b a b y")), 3);
        assert_eq!(most_rounds(&[]), 1);
        let [once, often] = [words("Hello there"), words(&"Hallo du ".repeat(9))];
        assert!(repetition(&once, &often).is_some_and(|note| note.contains(" 9 times")));
        assert_eq!(repetition(&often, &often), None, "as in the source");
        assert_eq!(repetition(&once, &words(&"Hallo ".repeat(7))), None);
        let signs = words(&format!("Name: {}", "__ ".repeat(9)));
        assert_eq!(repetition(&words("Name: ________"), &signs), None, "runs get the length of those in the source");
        assert!(repetition(&once, &signs).is_some());
    }
}
