//! The Moses detokeniser.

use std::borrow::Cow;

use super::char_class::{self as class, is, is_cjk, words};

/// Joins tokens to a line as Moses' `detokenizer.perl` and `sacremoses` do.
///
/// `en`, `fr`, `it`, `ga`, `cs`, `ko`, `th`, `lo`, `km` and `my` have rules of their own; any other language code is
/// accepted. Two rules differ from `sacremoses`, both Czech: it looks for decimal numbers at the
/// end of the line instead of before the token (we look before, as Moses does), and it fails on a
/// dash after an apostrophe (we go on).
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
        let mut text = String::with_capacity(line.len());
        let mut joined = SpacingState::default();
        for token in words(&line) {
            if self.join(&mut joined, token) {
                text.push(' ');
            }
            text.push_str(token);
        }
        text
    }

    /// Whether a space stands before `token`, after the tokens that `joined` has noted; it notes the token, too.
    /// Tokens have no white space in them, and no entities.
    pub fn join<'a>(&self, joined: &mut SpacingState<'a>, token: &'a str) -> bool {
        let join = self.rule(joined, token);
        let previous = joined.previous;
        let elided = previous.is_some_and(is_elision) && matches!(self.lang, Language::French | Language::Italian);
        let space = match join {
            Join::Free | Join::Right => joined.space && !(elided && token.starts_with(is_letter)),
            Join::Left => false,
            // Not at the start of the line.
            Join::Spaced => previous.is_some(),
        };
        joined.space = join != Join::Right;
        joined.last_but_one = previous.filter(|_| self.lang == Language::Czech);
        joined.previous = Some(token);
        space
    }

    /// The first rule that holds for a token.
    fn rule<'a>(&self, joined: &mut SpacingState<'a>, token: &'a str) -> Join {
        let previous = joined.previous;
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
            Language::Czech if is_decimal_part(joined.last_but_one, previous, token) => return Join::Left,
            _ => {}
        }
        if made_of("'\"„“`") {
            let possessive =
                self.lang == Language::English && token == "'" && previous.is_some_and(|token| token.ends_with('s'));
            return joined.quote(token, self.lang, possessive);
        }
        Join::Free
    }
}

/// The tokens of a line so far, as far as they decide about spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpacingState<'a> {
    previous: Option<&'a str>,
    /// In Czech.
    last_but_one: Option<&'a str>,
    /// Whether a space follows the last token.
    space: bool,
    /// Quotation marks that have opened and not closed, in order.
    open: Vec<&'a str>,
}

impl<'a> SpacingState<'a> {
    /// Marks open and close by turns. A possessive (`Jones '`) closes nothing.
    fn quote(&mut self, token: &'a str, lang: Language, possessive: bool) -> Join {
        let kind = if token.chars().all(|c| "„“".contains(c)) { "\"" } else { token };
        let opens = match token {
            "„" if lang == Language::Czech => true,
            "“" if lang == Language::Czech => false,
            _ => self.open.binary_search(&kind).is_err(),
        };
        if opens && possessive {
            return Join::Left;
        }
        match (self.open.binary_search(&kind), opens) {
            (Err(place), true) => self.open.insert(place, kind),
            (Ok(place), false) => _ = self.open.remove(place),
            _ => {}
        }
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

/// Whether the tokens are like `3 , 14`.
fn is_decimal_part(whole: Option<&str>, mark: Option<&str>, part: &str) -> bool {
    let digits = |token: &str| token.bytes().all(|b| b.is_ascii_digit());
    whole.is_some_and(digits) && matches!(mark, Some("." | ",")) && digits(part)
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

/// Replaces XML entities by characters, in one pass; the output is not read again: `&amp;lt;` becomes `&lt;`.
#[must_use]
pub fn unescape(text: &str) -> Cow<'_, str> {
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
