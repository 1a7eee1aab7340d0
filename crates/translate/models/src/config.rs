//! Everything about a model but its numbers: one description for Marian's embedded settings, Hugging Face's
//! `config.json` and our own `config.toml`.

/// Declares the settings of another program's files, each with its type and the value where a file has none.
macro_rules! settings {
    ($(#[$attribute:meta])* $of:vis struct $name:ident {
        $($(#[$field_attribute:meta])* $field:ident: $kind:ty = $default:expr,)*
    }) => {
        #[derive(Debug, serde::Deserialize)]
        #[serde(default)]
        $(#[$attribute])*
        $of struct $name {
            $($(#[$field_attribute])* pub(crate) $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

mod check;
pub(crate) mod hugging_face;
pub(crate) mod inferred;
mod languages;
pub(crate) mod marian;
mod named;
mod operations;
mod positions;
mod recurrent;
pub(crate) mod t5;
mod transformer;

pub use check::Problem;
pub use languages::{LanguagePlaces, LanguageWords};
pub use operations::{Operation, Operations};
pub use positions::Positions;
pub use recurrent::{AttentionFirst, Cell, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, Top};
pub use transformer::{Activation, AverageAttention, DecoderLayer, FeedForward, TransformerConfig};

use crate::Precision;
use serde::{Deserialize, Serialize};

/// The settings of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// Words in the source vocabulary.
    pub source_words: usize,
    /// Words in the target vocabulary.
    pub target_words: usize,
    /// The id of the word that ends a sentence, in both vocabularies.
    pub end_of_sentence: u32,
    /// Target words that a translation never contains: the unknown word (Marian takes it out of the
    /// search), padding.
    pub never: Vec<u32>,
    /// The codes of the source and the target language, as `["en", "de"]`, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<[String; 2]>,
    /// The words by which a model of several languages knows which of them to read and to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_words: Option<LanguageWords>,
    /// The source words that mark terms, if the model was trained with terms in its source: one before the source
    /// term, one between it and its translation, one after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline_terms: Option<[String; 3]>,
    /// Letters that the vocabulary has and that the model garbles, because it learnt from too few words with them:
    /// they are dealt with as those that the vocabulary lacks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unlearned_letters: String,
    /// The options of search that the user does not set.
    #[serde(default, skip_serializing_if = "DecoderDefaults::is_empty")]
    pub decoding: DecoderDefaults,
    /// The network.
    pub architecture: Architecture,
}

/// The network, with the settings of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// Attention throughout, or an SSRU or average attention in the decoder.
    Transformer(TransformerConfig),
    /// GRU, LSTM and the like with one attention.
    Recurrent(RecurrentConfig),
}

/// Which embedding tables are one. By default none are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TiedEmbeddings {
    /// Source and target words share a table (`tied-embeddings-src` and `-all`).
    pub source_target: bool,
    /// The output layer is the transposed table of the target words (`tied-embeddings` and `-all`).
    pub target_output: bool,
}

impl TiedEmbeddings {
    /// The name of the table of source words, `words × dim_emb`.
    #[must_use]
    pub const fn source_table(self) -> &'static str {
        if self.source_target { "Wemb" } else { "encoder_Wemb" }
    }

    /// The name of the table of target words, `words × dim_emb`.
    #[must_use]
    pub const fn target_table(self) -> &'static str {
        if self.source_target { "Wemb" } else { "decoder_Wemb" }
    }

    /// The name of the table that is the output layer too, `words × dim_emb`, if one is. Otherwise the output
    /// layer has its own tensor: `…_Wt` (`words × inputs`), in older files `…_W` (`inputs × words`).
    #[must_use]
    pub const fn output_table(self) -> Option<&'static str> {
        if self.target_output { Some(self.target_table()) } else { None }
    }
}

/// Recommendations of a model's makers for decoding with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DecoderDefaults {
    /// Hypotheses kept per sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beam_size: Option<usize>,
    /// Scores are divided by length to this power; 0 leaves them undivided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalize: Option<f32>,
    /// Subtracted from the score for each word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word_penalty: Option<f32>,
    /// A translation has at most this many words per source word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length_factor: Option<f32>,
    /// Letters of the longest sentence that the model translates well: longer lines are translated in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_sentence: Option<usize>,
    /// The numbers of the model's products: those whose translations its makers found as good as those of `f32`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "named")]
    pub precision: Option<Precision>,
}

impl DecoderDefaults {
    /// The recommendations here; those of `other` where one is missing here.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            beam_size: self.beam_size.or(other.beam_size),
            normalize: self.normalize.or(other.normalize),
            word_penalty: self.word_penalty.or(other.word_penalty),
            max_length_factor: self.max_length_factor.or(other.max_length_factor),
            longest_sentence: self.longest_sentence.or(other.longest_sentence),
            precision: self.precision.or(other.precision),
        }
    }

    /// Whether nothing is recommended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tying_names_the_tables() {
        let all = TiedEmbeddings { source_target: true, target_output: true };
        assert_eq!((all.source_table(), all.target_table()), ("Wemb", "Wemb"));
        assert_eq!(all.output_table(), Some("Wemb"));
        let target = TiedEmbeddings { source_target: false, target_output: true };
        assert_eq!(target.source_table(), "encoder_Wemb");
        assert_eq!(target.output_table(), Some("decoder_Wemb"));
        let none = TiedEmbeddings { source_target: false, target_output: false };
        assert_eq!(none.output_table(), None);
    }
}
