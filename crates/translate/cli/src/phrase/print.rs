//! Phrase-based translations as text: plain lines, and n-best lists as Moses prints them.

use crate::io::append;
use metaphrase_base::SixDigits;
use metaphrase_phrase::{FeatureNames, Features, PhraseModel, Source, Target, Translation};

/// How translations are printed.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// Whether to print n-best lists, `N ||| words ||| features ||| score ||| alignment`.
    pub n_best: bool,
    /// Whether plain lines have the word alignment, ` ||| 0-0 1-1`.
    pub alignment: bool,
    /// The text before each word that the model cannot translate.
    pub unknown_mark: &'static str,
}

impl Form {
    /// A line for each translation of a source line, best first.
    pub fn print(self, model: &PhraseModel, number: usize, source: Source, translations: &[Translation]) -> String {
        let mut text = String::new();
        for translation in translations {
            if self.n_best {
                self.append_entry(&mut text, model, number, source, translation);
            } else {
                text += &self.words(model, source, translation);
                if self.alignment {
                    text += " |||";
                    append_alignment(&mut text, &model.alignment(source, &translation.phrases));
                }
            }
            text.push('\n');
        }
        text
    }

    fn words(self, model: &PhraseModel, source: Source, translation: &Translation) -> String {
        let mut text = String::new();
        for phrase in &translation.phrases {
            let mark = if phrase.target == Target::Unknown { self.unknown_mark } else { "" };
            for word in model.words(source, std::slice::from_ref(phrase)) {
                text.extend([if text.is_empty() { "" } else { " " }, mark, word]);
            }
        }
        text
    }

    fn append_entry(
        self,
        text: &mut String,
        model: &PhraseModel,
        number: usize,
        source: Source,
        translation: &Translation,
    ) {
        append(text, format_args!("{number} ||| {}  |||", self.words(model, source, translation)));
        append_features(text, model.names(), &model.features(source, &translation.phrases));
        append(text, format_args!(" ||| {} |||", SixDigits(translation.score.into())));
        append_alignment(text, &model.alignment(source, &translation.phrases));
        // Moses ends lines with alignments with a space.
        text.push(' ');
    }
}

fn append_features(text: &mut String, names: &FeatureNames, features: &Features) {
    let reordering = names.reordering.as_deref().map(|name| (name, &features.reordering[..]));
    let others = [
        (names.distortion.as_str(), std::slice::from_ref(&features.distortion)),
        (names.language_model.as_str(), std::slice::from_ref(&features.language_model)),
        (names.word_penalty.as_str(), std::slice::from_ref(&features.word_penalty)),
        (names.phrase_penalty.as_str(), std::slice::from_ref(&features.phrase_penalty)),
        (names.translation.as_str(), &features.translation[..]),
    ];
    for (name, values) in reordering.into_iter().chain(others) {
        append(text, format_args!(" {name}="));
        for &value in values {
            // Adding 0.0 turns -0.0 into 0.0, as Moses prints it.
            append(text, format_args!(" {}", SixDigits((value + 0.0).into())));
        }
    }
}

fn append_alignment(text: &mut String, alignment: &[(usize, usize)]) {
    for (i, j) in alignment {
        append(text, format_args!(" {i}-{j}"));
    }
}
