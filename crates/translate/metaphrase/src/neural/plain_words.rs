//! The words that a translation has for the source of a term in place of the term.

use crate::Request;
use crate::forms::{with_capital, without_endings, without_region};
use crate::linked::LinkedTexts;
use metaphrase_text::{WholeWords, written_words};
use std::collections::HashSet;
use std::ops::Range;

/// In a language without a list, words of up to this number of letters may be articles.
const SHORT: usize = 3;

/// Words of English that say how others belong together. Attention to a noun is often attention of its article.
const ENGLISH: &str = "a about after all an and any are as at be been before but by can could did do does for from had has have he her his \
    i if in into is it its may me my no nor not of off on one or our out over she should so some than that the their them then \
    there they this those to too up us was we were what when where which who whose will with would you your";

/// The same of German.
const GERMAN: &str = "aber als am an auf aus bei beim bis da das dass dem den der des deren dessen die dies diese diesem diesen dieser \
    dieses doch du durch ein eine einem einen einer eines er es für haben hat hatte hatten ich ihr ihre ihrem ihren ihrer ihres \
    im in ins ist kann kein keine keinem keinen keiner man mein meine meinem meinen meiner meines mit nach nicht noch nur ob oder \
    sein seine seinem seinen seiner seines sich sie sind so über um und uns unser unsere unserem unseren unter vom von vor war \
    waren was weil wenn wer werden wie wir wird wo wurde wurden zu zum zur";

/// The words that a translation has for the source of these terms, by number, and nowhere else: they are no words of a
/// term, no articles, and do not stand for other words of the source, too. `language` is that of the translation.
pub(super) fn plain_words(
    linked: &LinkedTexts<'_>,
    text: &str,
    request: &Request,
    terms: &[usize],
    language: Option<&str>,
) -> Vec<String> {
    let sources = terms.iter().filter_map(|&term| request.terms.required[term].source.as_ref());
    let places: Vec<_> = sources.flat_map(|place| linked.words_for(place)).collect();
    let starts: HashSet<usize> = places.iter().map(|place| place.start).collect();
    let others = written_words(text).into_iter().filter(|word| !starts.contains(&word.start));
    let elsewhere: HashSet<&str> = others.map(|word| &text[word]).collect();
    let mut found: Vec<&str> = Vec::new();
    let mut known = HashSet::new();
    for place in places {
        let word = &text[place.clone()];
        let is_small = place.start == 0 || word.chars().all(char::is_lowercase);
        let is_word = word.contains(char::is_alphabetic) && !(is_small && is_grammatical(word, language));
        if is_word && !elsewhere.contains(word) && known.insert(word) {
            found.push(word);
        }
    }
    let words = WholeWords::new(&found);
    let of_terms: HashSet<usize> = request.terms.phrases().flat_map(|phrase| words.numbers_in(phrase)).collect();
    let kept = found.iter().enumerate().filter(|(number, _)| !of_terms.contains(number));
    kept.map(|(_, word)| (*word).to_owned()).collect()
}

/// A translation in which each of these terms stands in the place of the words for its source; `None` if one of them
/// has no such words.
pub(super) fn with_terms(
    linked: &LinkedTexts<'_>,
    text: &str,
    request: &Request,
    terms: &[usize],
    language: Option<&str>,
) -> Option<String> {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for &term in terms {
        let term = &request.terms.required[term];
        let target = without_endings(term.targets.first()?);
        let source = term.source.as_ref()?;
        let is_word = |word: &Range<usize>| !is_grammatical(&text[word.clone()], language);
        let is_free =
            |word: &Range<usize>| changes.iter().all(|(other, _)| word.end <= other.start || other.end <= word.start);
        let words = linked.words_for(source).into_iter().chain(linked.best_word_for(source));
        let words: Vec<Range<usize>> = words.filter(|word| is_word(word) && is_free(word)).collect();
        let mut words = words.into_iter();
        let mut place = words.next()?;
        for word in words {
            if !text.get(place.end..word.start).is_some_and(|between| between.trim().is_empty()) {
                break;
            }
            place.end = word.end;
        }
        let capital = with_capital(&target).filter(|_| place.start == 0);
        changes.push((place, capital.unwrap_or(target)));
    }
    changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = text.to_owned();
    changes.into_iter().for_each(|(place, term)| text.replace_range(place, &term));
    Some(text)
}

/// Whether a word in small letters, or at the start of a sentence, may be an article or the like.
fn is_grammatical(word: &str, language: Option<&str>) -> bool {
    let list = match without_region(language) {
        Some("en") => ENGLISH,
        Some("de") => GERMAN,
        _ => return word.chars().count() <= SHORT,
    };
    let word = word.to_lowercase();
    list.split_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_not_all_articles() {
        for (word, language, expected) in [
            ("The", Some("en"), true),
            ("key", Some("en-GB"), false),
            ("Eine", Some("de"), true),
            ("gut", Some("de"), false),
            ("les", Some("fr"), true),
            ("clef", None, false),
        ] {
            assert_eq!(is_grammatical(word, language), expected, "{word}");
        }
    }
}
