//! The Moses detokeniser.

use std::borrow::Cow;
use std::collections::HashMap;

use super::char_class::{self as class, is, is_cjk, words};

/// Joins tokens to a line as Moses' `detokenizer.perl` and `sacremoses` do.
///
/// `en`, `fr`, `it`, `ga`, `cs`, `ko`, `th`, `lo`, `km` and `my` have rules of their own; any other language code is
/// accepted. Two rules differ from `sacremoses`, both Czech: it looks for decimal numbers at the
/// end of the line instead of before the token (we look before, as Moses does), and it fails on a
/// dash behind an apostrophe (we go on).
#[derive(Clone, Debug)]
pub struct MosesDetokenizer {
    lang: Language,
    unescape: bool,
}

/// The languages with rules of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Language {
    Czech,
    English,
    French,
    /// And Irish: French apostrophes without French punctuation.
    Italian,
    Korean,
    /// Thai, Lao, Khmer and Burmese: words without spaces between them, which `sacremoses` does not know.
    SoutheastAsian,
    Other,
}

/// How a token joins its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Join {
    /// A space before (unless the last token took it away) and after.
    Free,
    /// Nothing before.
    Left,
    /// Nothing after.
    Right,
    /// A space before in any case, and after.
    Spaced,
}

impl MosesDetokenizer {
    /// A detokeniser for a language (`"en"`, `"de"`, …).
    pub fn new(lang: &str) -> Self {
        let lang = match lang {
            "cs" => Language::Czech,
            "en" => Language::English,
            "fr" => Language::French,
            "ga" | "it" => Language::Italian,
            "ko" => Language::Korean,
            "km" | "lo" | "my" | "th" => Language::SoutheastAsian,
            _ => Language::Other,
        };
        Self { lang, unescape: true }
    }

    /// Whether XML entities become characters; on by default.
    #[must_use]
    pub fn unescape(mut self, unescape: bool) -> Self {
        self.unescape = unescape;
        self
    }

    /// The text of some tokens.
    pub fn detokenize<S: AsRef<str>>(&self, tokens: &[S]) -> String {
        let mut line = String::new();
        for token in tokens {
            line.push(' ');
            line.push_str(token.as_ref());
        }
        self.detokenize_line(line.get(1..).unwrap_or_default())
    }

    /// The text of a line of tokens with white space between them.
    pub fn detokenize_line(&self, line: &str) -> String {
        let line = format!(" {line} ").replace(" @-@ ", "-");
        let line = if self.unescape { unescape(&line) } else { line.into() };
        let tokens: Vec<&str> = words(&line).collect();

        let mut text = String::with_capacity(line.len());
        let mut quotes = Quotes::default();
        let mut space = "";
        for i in 0..tokens.len() {
            let join = self.join(&tokens, i, &mut quotes);
            text.push_str(match join {
                Join::Free | Join::Right => space,
                Join::Left => "",
                // Not at the start of the line.
                Join::Spaced if i == 0 => "",
                Join::Spaced => " ",
            });
            text.push_str(tokens[i]);
            space = if join == Join::Right { "" } else { " " };
        }
        text
    }

    /// The first rule that holds for token `i`.
    fn join<'a>(&self, tokens: &[&'a str], i: usize, quotes: &mut Quotes<'a>) -> Join {
        let token = tokens[i];
        let previous = i.checked_sub(1).map(|i| tokens[i]);
        let made_of = |set: &str| token.chars().all(|c| set.contains(c));
        let unspaced = |c| match self.lang {
            Language::Korean => false,
            Language::SoutheastAsian => {
                is_cjk(c) || matches!(c, '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
            }
            _ => is_cjk(c),
        };
        if token.starts_with(unspaced) {
            let joined = previous.is_some_and(|token| token.ends_with(unspaced));
            return if joined { Join::Left } else { Join::Free };
        }
        if token.chars().all(|c| "([{¿¡".contains(c) || is(c, class::CURRENCY)) {
            return Join::Right;
        }
        if made_of(",.?!:;\\%}])") {
            let spaced = self.lang == Language::French && matches!(token, "?" | "!" | ":" | ";" | "\\" | "%");
            return if spaced { Join::Spaced } else { Join::Left };
        }
        match self.lang {
            Language::English if previous.is_some() && is_contraction(token) => return Join::Left,
            Language::Czech if is_decimal_part(&tokens[..=i]) => return Join::Left,
            Language::French | Language::Italian
                if is_elision(token) && tokens.get(i + 1).is_some_and(|next| next.starts_with(is_letter)) =>
            {
                return Join::Right;
            }
            _ => {}
        }
        if made_of("'\"„“`") {
            let possessive =
                self.lang == Language::English && token == "'" && previous.is_some_and(|token| token.ends_with('s'));
            return quotes.join(token, self.lang, possessive);
        }
        Join::Free
    }
}

/// How often each quotation mark has opened or closed so far in the line.
#[derive(Default)]
struct Quotes<'a>(HashMap<&'a str, usize>);

impl<'a> Quotes<'a> {
    /// Marks open and close by turns. A possessive (`Jones '`) closes nothing.
    fn join(&mut self, token: &'a str, lang: Language, possessive: bool) -> Join {
        let kind = if token.chars().all(|c| "„“".contains(c)) { "\"" } else { token };
        let count = self.0.entry(kind).or_default();
        match token {
            "„" if lang == Language::Czech => *count = 0,
            "“" if lang == Language::Czech => *count = 1,
            _ => {}
        }
        let opens = count.is_multiple_of(2);
        if opens && possessive {
            return Join::Left;
        }
        *count += 1;
        if opens { Join::Right } else { Join::Left }
    }
}

fn is_letter(c: char) -> bool {
    is(c, class::LETTER)
}

/// `'s`, `'ll`: an apostrophe and a letter.
fn is_contraction(token: &str) -> bool {
    token.strip_prefix('\'').is_some_and(|rest| rest.starts_with(is_letter))
}

/// `l'`, `qu'`: a letter and an apostrophe.
fn is_elision(token: &str) -> bool {
    token.strip_suffix('\'').is_some_and(|rest| rest.ends_with(is_letter))
}

/// Whether the tokens end like `3 , 14`.
fn is_decimal_part(tokens: &[&str]) -> bool {
    let digits = |token: &str| token.bytes().all(|b| b.is_ascii_digit());
    matches!(tokens, [.., whole, "." | ",", part] if digits(whole) && digits(part))
}

/// The entities that the tokeniser writes, and three that older versions of Moses wrote.
const ENTITIES: [(&str, &str); 11] = [
    ("&bar;", "|"),
    ("&#124;", "|"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&bra;", "["),
    ("&ket;", "]"),
    ("&quot;", "\""),
    ("&apos;", "'"),
    ("&#91;", "["),
    ("&#93;", "]"),
    ("&amp;", "&"),
];

/// One pass; the output is not read again: `&amp;lt;` becomes `&lt;`.
fn unescape(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // `part` lacks the `&` that each entity starts with.
        let entity = ENTITIES.iter().find_map(|(entity, c)| Some((c, part.strip_prefix(&entity[1..])?)));
        match entity {
            Some((c, rest)) => {
                out.push_str(c);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(part);
            }
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lang: &str, tokens: &str, expected: &str) {
        assert_eq!(MosesDetokenizer::new(lang).detokenize_line(tokens), expected);
    }

    #[test]
    fn quotes_open_and_close() {
        check("de", "\" a \" , ( b ) \" c \"", "\"a\", (b) \"c\"");
        check("en", "the Jones ' house , ' x '", "the Jones' house, 'x'");
        check("cs", "„ a “ „ b “", "„a“ „b“");
    }

    #[test]
    fn languages_have_their_own_rules() {
        check("en", "it 's $ 5", "it's $5");
        check("fr", "l' homme , qu' il ?", "l'homme, qu'il ?");
        check("fr", "? a", "? a");
        check("it", "l' uomo ?", "l'uomo?");
        check("cs", "asi 3 , 14 a 5 .", "asi 3,14 a 5.");
        check("cs", "x' - mail", "x' - mail");
        check("ja", "猫 が いる 。 a 猫", "猫がいる。 a 猫");
    }

    #[test]
    fn entities_become_characters_once() {
        check("de", "&amp;lt; &bar; &apos; &#91; & &nbsp;", "&lt; | '[& &nbsp;");
        let raw = MosesDetokenizer::new("de").unescape(false);
        assert_eq!(raw.detokenize(&["a", "&lt;"]), "a &lt;");
    }

    #[test]
    fn split_dashes_are_joined() {
        check("en", "well @-@ known @-@ thing", "well-known-thing");
        check("en", "", "");
    }
}
