//! How well the words of a pair translate each other, by the word aligner.

use crate::seen::plain;
use metaphrase_align::{Corpus, Options, agreement};
use std::num::NonZeroUsize;

/// The agreement of each pair, from 0 to 1. Pairs without letters and digits have 0; so have all, if no pair has any.
pub(crate) fn agreements<'p>(pairs: impl Iterator<Item = [&'p str; 2]>, threads: NonZeroUsize) -> Vec<f32> {
    let mut corpus = Corpus::default();
    for [source, target] in pairs {
        corpus.push(&words(source), &words(target));
    }
    // The HMM adds little where only the sum over a sentence counts.
    let options = Options { hmm_iterations: 1, threads, ..Options::default() };
    agreement(&corpus, &options, &mut |_| {}).unwrap_or_else(|_| vec![0.0; corpus.len()])
}

/// Words in small letters; characters of scripts without spaces are words of their own.
fn words(text: &str) -> String {
    let plain = plain(text);
    if plain.is_ascii() {
        return plain;
    }
    let mut words = String::with_capacity(plain.len());
    for c in plain.chars() {
        let alone = matches!(c as u32, 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0x0E00..=0x0E7F);
        words.extend(alone.then_some(' '));
        words.push(c);
        words.extend(alone.then_some(' '));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_agree_and_others_do_not() {
        let words =
            [("house", "haus"), ("book", "buch"), ("tree", "baum"), ("dog", "hund"), ("man", "mann"), ("day", "tag")];
        let mut pairs = Vec::new();
        for (at, (en, de)) in words.iter().enumerate() {
            for (en2, de2) in &words[at + 1..] {
                pairs.push([format!("the {en} and the {en2}"), format!("das {de} und das {de2}")]);
            }
        }
        pairs.push(["the house and the book".into(), "der hund mit dem baum".into()]);
        let found = agreements(pairs.iter().map(|[a, b]| [a.as_str(), b.as_str()]), NonZeroUsize::MIN);
        let (wrong, right) = found.split_last().expect("pairs");
        assert!(right.iter().all(|right| right > &(2.0 * wrong)), "{found:?}");
    }

    #[test]
    fn characters_of_scripts_without_spaces_are_words() {
        assert_eq!(words("Das ist 東京!"), "das ist  東  京 ");
    }
}
