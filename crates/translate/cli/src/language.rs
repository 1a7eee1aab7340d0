//! Notices text in another language than the model's.

use metaphrase::Translator;

/// The most text that is looked at, in bytes.
const ENOUGH: usize = 400;

/// Looks at the beginning of an input, until there is enough of it to be sure of its language.
pub struct LanguageCheck {
    /// The code of the language that the model reads; `None` when nothing is to be checked any more.
    expected: Option<String>,
    text: String,
}

impl LanguageCheck {
    /// The check for a translator. Without the languages of its model there is nothing to check.
    pub fn new(translator: &Translator) -> Self {
        let expected = translator.languages().map(|[source, _]| source.clone()).filter(|_| cfg!(feature = "serve"));
        Self { expected, text: String::new() }
    }

    /// Looks at a line.
    pub fn look(&mut self, line: &str) {
        if self.expected.is_some() {
            self.text.push_str(&line[..line.floor_char_boundary(ENOUGH)]);
            self.text.push('\n');
            if self.text.len() >= ENOUGH {
                self.end();
            }
        }
    }

    /// Looks at what there was, at the end of the input.
    pub fn end(&mut self) {
        if let Some(expected) = self.expected.take()
            && let Some(found) = another_language(&self.text, &expected)
        {
            tracing::warn!("this looks like {}; the model reads {}", name(found), name(&expected));
        }
    }
}

/// The code of the language of a text that is certain to be in another language than `expected`.
#[cfg(feature = "serve")]
fn another_language(text: &str, expected: &str) -> Option<&'static str> {
    metaphrase_server::another_language(text, expected)
}

#[cfg(not(feature = "serve"))]
fn another_language(_: &str, _: &str) -> Option<&'static str> {
    None
}

/// Languages by their codes.
const NAMES: &str = "af Afrikaans am Amharic ar Arabic be Belarusian bg Bulgarian bn Bengali ca Catalan cs Czech \
    cy Welsh da Danish de German el Greek en English eo Esperanto es Spanish et Estonian eu Basque fa Persian \
    fi Finnish fr French ga Irish gl Galician gu Gujarati he Hebrew hi Hindi hr Croatian hu Hungarian hy Armenian \
    id Indonesian is Icelandic it Italian ja Japanese ka Georgian kk Kazakh km Khmer kn Kannada ko Korean lo Lao \
    lt Lithuanian lv Latvian mk Macedonian ml Malayalam mr Marathi ms Malay mt Maltese my Burmese ne Nepali nl Dutch \
    no Norwegian pa Punjabi pl Polish pt Portuguese ro Romanian ru Russian si Sinhala sk Slovak sl Slovenian \
    sq Albanian sr Serbian sv Swedish sw Swahili ta Tamil te Telugu th Thai tl Tagalog tr Turkish uk Ukrainian \
    ur Urdu uz Uzbek vi Vietnamese zh Chinese";

/// The English name of a language, or its code.
fn name(code: &str) -> &str {
    let mut words = NAMES.split_whitespace();
    while let (Some(known), Some(name)) = (words.next(), words.next()) {
        if known == code {
            return name;
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_names() {
        assert_eq!(["de", "zh", "sq", "xx"].map(name), ["German", "Chinese", "Albanian", "xx"]);
    }
}
