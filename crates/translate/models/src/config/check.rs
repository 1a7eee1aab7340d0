//! All checks of settings, for settings from any file. `train`, `inspect`, `convert` and `translate` refuse
//! the same settings with the same sentence, and all accepted settings can be built from [`parts`](crate::parts).

use super::{
    Architecture, AttentionFirst, Cell, Config, DecoderForm, DecoderLayer, EncoderType, LanguagePlaces, LayerNorm,
    Operation, Operations, RecurrentConfig, Top, TransformerConfig,
};
use crate::ModelError;
use std::path::Path;

/// Far beyond any real model, and small enough that products of three stay within 64 bits.
const MAX_SIZE: usize = 1 << 20;
const MAX_DEPTH: usize = 1 << 10;

/// Vocabularies can be larger than layers.
const MAX_WORDS: usize = 1 << 26;

impl Config {
    /// Checks that sizes and depths are within bounds, that numbers refer to things that exist, and that the settings
    /// can be combined.
    ///
    /// # Errors
    /// A sentence about the first setting that is refused. `path` is the file that the settings come from.
    pub fn check(&self, path: &Path) -> Result<(), ModelError> {
        self.problem().map_or(Ok(()), |problem| Err(ModelError::settings(path, problem)))
    }

    /// A sentence about the first setting that is refused, if there is one.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let (source, target) = (self.source_words, self.target_words);
        let words = source.min(target);
        if words == 0 || source.max(target) > MAX_WORDS {
            return Some(format!("vocabularies of {source} and {target} words"));
        }
        if self.end_of_sentence as usize >= words {
            return Some(format!("the end of sentence is word {} of a vocabulary of {words}", self.end_of_sentence));
        }
        if let Some(word) = self.never.iter().find(|&&word| word as usize >= target) {
            return Some(format!("word {word}, which is never to be produced, is not one of {target}"));
        }
        if let Architecture::Transformer(network) = &self.architecture {
            for (part, word, words) in
                [("decoder", network.start_word, target), ("encoder", network.source_start, source)]
            {
                if let Some(word) = word.filter(|&word| word as usize >= words) {
                    return Some(format!("word {word}, which the {part} starts with, is not one of {words}"));
                }
            }
        }
        let named = self.language_words.iter().flat_map(|languages| &languages.words);
        let only_target = self.language_words.as_ref().is_some_and(|named| named.places == LanguagePlaces::Target);
        let known = if only_target { target } else { words };
        if let Some((name, id)) = named.into_iter().find(|(_, id)| **id as usize >= known) {
            return Some(format!("word {id}, which names the language `{name}`, is not one of {known}"));
        }
        let tied = match &self.architecture {
            Architecture::Transformer(transformer) => transformer.tied_embeddings,
            Architecture::Recurrent(recurrent) => recurrent.tied_embeddings,
        };
        if tied.source_target && source != target {
            return Some(format!(
                "source and target words share a table of embeddings, but the vocabularies have {source} and {target} \
                 words; use one vocabulary for both, or do not tie them"
            ));
        }
        self.architecture.problems().into_iter().next().map(|problem| problem.sentence)
    }
}

/// A setting of a network that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The setting, as its table has it: `heads`, or `encoder-ffn.dim`.
    pub key: &'static str,
    /// A sentence with the value, and the values that are allowed.
    pub sentence: String,
}

impl Architecture {
    /// All settings that are refused with any vocabularies.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        match self {
            Self::Transformer(transformer) => transformer.find(&mut problems),
            Self::Recurrent(recurrent) => recurrent.find(&mut problems),
        }
        problems.0
    }
}

/// The problems found so far.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, key: &'static str, sentence: impl Into<String>) {
        self.0.push(Problem { key, sentence: sentence.into() });
    }

    /// Refuses numbers below 1 and above `max`: each with its key, its name and its value.
    fn out_of_bounds(&mut self, named: &[(&'static str, &str, usize)], max: usize) {
        for (key, name, value) in named.iter().filter(|(.., value)| !(1..=max).contains(value)) {
            self.add(key, format!("the {name} is {value}, expected 1 to {max}"));
        }
    }
}

impl TransformerConfig {
    fn find(&self, problems: &mut Problems) {
        self.find_sizes(problems);
        let (depth, tied) = (self.decoder_depth, &self.tied_layers);
        if self.dim_head.is_none() && !self.dim_emb.is_multiple_of(self.heads) {
            let sentence = format!("an embedding size of {} is not a multiple of {} heads", self.dim_emb, self.heads);
            problems.add("heads", sentence);
        }
        let inner = self.head_size().saturating_mul(self.heads);
        if inner > MAX_SIZE || (inner != self.dim_emb && !self.attention_projection) {
            let (heads, size, dim) = (self.heads, self.head_size(), self.dim_emb);
            let sentence = format!(
                "{heads} heads of {size} numbers do not fit an embedding size of {dim}; at most {MAX_SIZE} numbers do, with an attention-projection"
            );
            problems.add("dim-head", sentence);
        }
        if self.gated_ffn && (self.encoder_ffn.depth != 2 || self.decoder_ffn.depth != 2) {
            problems.add("gated-ffn", "feed-forward blocks with a gate have a depth of 2");
        }
        if let Some(problem) = self.positions.problem() {
            problems.add(problem.setting, problem.sentence);
        }
        if !tied.is_empty() && (tied.len() != depth || tied.iter().any(|l| !(1..=depth).contains(l))) {
            problems.add("tied-layers", format!("tied layers {tied:?} do not fit a decoder of {depth} layers"));
        }
        if !(1..=depth).contains(&self.alignment_layer) {
            let sentence = format!("the alignment layer {} is not one of the decoder's {depth}", self.alignment_layer);
            problems.add("alignment-layer", sentence);
        }
        if !(self.layer_norm_epsilon.is_finite() && self.layer_norm_epsilon >= 0.0) {
            let sentence = format!("the layer-norm-epsilon is {}, expected 0 or more", self.layer_norm_epsilon);
            problems.add("layer-norm-epsilon", sentence);
        }
        for (key, operations) in [("preprocess", &self.preprocess), ("postprocess-emb", &self.postprocess_emb)] {
            if let Some(sentence) = skips(key, operations) {
                problems.add(key, sentence);
            }
        }
    }

    fn find_sizes(&self, problems: &mut Problems) {
        let mut sizes = vec![
            ("dim-emb", "embedding size", self.dim_emb),
            ("heads", "number of heads", self.heads),
            ("encoder-ffn.dim", "encoder feed-forward size", self.encoder_ffn.dim),
            ("decoder-ffn.dim", "decoder feed-forward size", self.decoder_ffn.dim),
        ];
        let mut depths = vec![
            ("encoder-depth", "encoder depth", self.encoder_depth),
            ("decoder-depth", "decoder depth", self.decoder_depth),
            ("encoder-ffn.depth", "encoder feed-forward depth", self.encoder_ffn.depth),
            ("decoder-ffn.depth", "decoder feed-forward depth", self.decoder_ffn.depth),
        ];
        if let Some(size) = self.dim_head {
            sizes.push(("dim-head", "size of a head", size));
        }
        if let DecoderLayer::AverageAttention(average) = self.decoder_layer {
            sizes.push(("decoder-layer.average-attention.ffn.dim", "average attention's size", average.ffn.dim));
            depths.push(("decoder-layer.average-attention.ffn.depth", "average attention's depth", average.ffn.depth));
        }
        depths.extend(self.positions.numbers());
        problems.out_of_bounds(&sizes, MAX_SIZE);
        problems.out_of_bounds(&depths, MAX_DEPTH);
    }
}

/// A skip connection or a highway where there is nothing to skip.
fn skips(name: &str, operations: &Operations) -> Option<String> {
    let skips = |operation: &Operation| matches!(operation, Operation::Add | Operation::Highway);
    operations.0.iter().any(skips).then(|| {
        let letters = String::from(operations.clone());
        format!("the setting `{name}` is `{letters}`, but only normalisations (`n`, `r`) can stand there")
    })
}

impl RecurrentConfig {
    fn find(&self, problems: &mut Problems) {
        let sizes = [
            ("dim-emb", "embedding size", self.dim_emb),
            ("dim-rnn", "state size", self.dim_rnn),
            ("dim-encoder", "state size of the encoder", self.dim_encoder.unwrap_or(self.dim_rnn)),
        ];
        let depths = [
            ("encoder-depth", "encoder depth", self.encoder_depth),
            ("encoder-cell-depth", "encoder cell depth", self.encoder_cell_depth),
            ("decoder-depth", "decoder depth", self.decoder_depth),
            ("decoder-cell-base-depth", "decoder base cell depth", self.decoder_cell_base_depth),
            ("decoder-cell-high-depth", "decoder high cell depth", self.decoder_cell_high_depth),
            ("attention-heads", "number of attentions", self.attention_heads),
        ];
        problems.out_of_bounds(&sizes, MAX_SIZE);
        problems.out_of_bounds(&depths, MAX_DEPTH);
        if let DecoderForm::AttentionFirst(decoder) = &self.decoder {
            self.find_in_attention_first(decoder, problems);
        }
        self.find_in_attention(problems);
        self.find_transitions(problems);
        self.find_widths(problems);
    }

    fn find_in_attention(&self, problems: &mut Problems) {
        let states = self.dim_encoder.unwrap_or(self.dim_rnn);
        let plain = self.decoder == DecoderForm::Conditional && self.layer_norm == LayerNorm::None;
        let both = self.encoder_type == EncoderType::Bidirectional;
        if self.attention_heads > 1 && !(plain && both && states.is_multiple_of(self.attention_heads)) {
            let heads = self.attention_heads;
            let sentence = format!(
                "{heads} attentions need a bidirectional encoder with states of a multiple of {heads} numbers, and a conditional decoder without normalisation"
            );
            problems.add("attention-heads", sentence);
        }
    }

    fn find_in_attention_first(&self, decoder: &AttentionFirst, problems: &mut Problems) {
        let mut sizes = vec![("decoder.attention-first.dim-attention", "size of attention", decoder.dim_attention)];
        if decoder.layers > 0 {
            sizes.push(("decoder.attention-first.dim-layers", "size of fully-connected layers", decoder.dim_layers));
        }
        if let Top::Tanh { dim } = decoder.top {
            sizes.push(("decoder.attention-first.top.tanh.dim", "size of the top layer", dim));
        }
        let output = decoder.dim_output(self.dim_rnn);
        if self.decoder_cell != Cell::Gru || self.decoder_depth != 1 || self.layer_norm != LayerNorm::None {
            let sentence = "a decoder that begins with attention has one layer of gru cells and no normalisation";
            problems.add("decoder.attention-first", sentence);
        }
        if decoder.layers > MAX_DEPTH {
            let sentence = format!("{} fully-connected layers, expected at most {MAX_DEPTH}", decoder.layers);
            problems.add("decoder.attention-first.layers", sentence);
        }
        if self.tied_embeddings.target_output && output != self.dim_emb {
            let dim = self.dim_emb;
            let sentence =
                format!("embeddings of size {dim} can not be the output layer of a decoder of size {output}");
            problems.add("tied-embeddings.target-output", sentence);
        }
        problems.out_of_bounds(&sizes, MAX_SIZE);
    }

    /// Cells without input (transitions) of kinds that need an input.
    fn find_transitions(&self, problems: &mut Problems) {
        let reads = |cell| matches!(cell, Cell::Mlstm | Cell::Mgru | Cell::Sru | Cell::Ssru);
        let high_depth = if self.decoder_depth > 1 { self.decoder_cell_high_depth } else { 1 };
        let depths = [
            ("encoder-cell-depth", self.encoder_cell_depth, reads(self.encoder_cell), 1),
            ("decoder-cell-base-depth", self.decoder_cell_base_depth, reads(self.decoder_cell), 2),
            ("decoder-cell-high-depth", high_depth, reads(self.decoder_cell), 1),
        ];
        for (key, depth, reads, most) in depths {
            if reads && depth > most {
                let sentence = format!(
                    "`{key}` is {depth}, expected at most {most}: cells of kind mlstm, mgru, sru or ssru need an input"
                );
                problems.add(key, sentence);
            }
        }
        if self.decoder_cell == Cell::GruNematus && high_depth > 1 {
            let sentence = format!(
                "`decoder-cell-high-depth` is {high_depth}, expected 1: higher layers of the decoder have one cell of \
                 kind gru-nematus"
            );
            problems.add("decoder-cell-high-depth", sentence);
        }
    }

    /// Cells of kind SRU and SSRU whose input has another width than their state.
    fn find_widths(&self, problems: &mut Problems) {
        let RecurrentConfig { dim_emb, dim_rnn, .. } = *self;
        let dim_encoder = self.dim_encoder.unwrap_or(dim_rnn);
        let square = |cell| matches!(cell, Cell::Sru | Cell::Ssru);
        let both_directions = matches!(self.encoder_type, EncoderType::BiUnidirectional | EncoderType::Joined);
        let (key, problem) = if square(self.decoder_cell) && dim_emb != dim_rnn {
            ("dim-rnn", format!("embeddings have {dim_emb} numbers and states {dim_rnn}"))
        } else if square(self.encoder_cell) && dim_emb != dim_encoder {
            let key = if self.dim_encoder.is_some() { "dim-encoder" } else { "dim-rnn" };
            (key, format!("embeddings have {dim_emb} numbers and states {dim_encoder}"))
        } else if square(self.encoder_cell) && both_directions && self.encoder_depth > 1 {
            ("encoder-cell", "the second layer of the encoder reads both directions".to_owned())
        } else if square(self.decoder_cell) && self.decoder_cell_base_depth > 1 && self.dim_annotations() != dim_rnn {
            ("decoder-cell", "the second cell of the decoder reads annotations of both directions".to_owned())
        } else {
            return;
        };
        problems.add(key, format!("cells of kind sru and ssru need an input as wide as their state, but {problem}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DecoderDefaults, TiedEmbeddings};

    fn recurrent() -> Config {
        let tied_embeddings = TiedEmbeddings { source_target: false, target_output: false };
        let recurrent = RecurrentConfig { dim_emb: 4, dim_rnn: 6, tied_embeddings, ..RecurrentConfig::default() };
        Config {
            source_words: 10,
            target_words: 10,
            end_of_sentence: 0,
            never: vec![1],
            languages: None,
            language_words: None,
            inline_terms: None,
            unlearned_letters: String::new(),
            decoding: DecoderDefaults::default(),
            architecture: Architecture::Recurrent(recurrent),
        }
    }

    #[test]
    fn numbers_that_make_no_sense_are_told() {
        let problem = |change: &dyn Fn(&mut Config)| {
            let mut config = recurrent();
            change(&mut config);
            config.problem().expect("a problem")
        };
        assert_eq!(recurrent().problem(), None);
        assert!(problem(&|c| c.source_words = 0).contains("vocabularies of 0 and 10"));
        assert!(problem(&|c| c.target_words = usize::MAX).contains("vocabularies"));
        assert!(problem(&|c| c.end_of_sentence = 10).contains("end of sentence is word 10"));
        assert!(problem(&|c| c.never = vec![1, 10]).contains("word 10"));
        let recurrent_size = |c: &mut Config| {
            if let Architecture::Recurrent(recurrent) = &mut c.architecture {
                recurrent.dim_rnn = MAX_SIZE + 1;
            }
        };
        assert!(problem(&recurrent_size).contains("the state size is 1048577, expected 1 to 1048576"));
    }

    #[test]
    fn all_problems_are_found_with_their_keys() {
        let Architecture::Recurrent(network) = recurrent().architecture else { panic!("a recurrent network") };
        let network = RecurrentConfig { dim_emb: 0, decoder_depth: 0, encoder_cell: Cell::Sru, ..network };
        let keys = |network: Architecture| network.problems().iter().map(|problem| problem.key).collect::<Vec<_>>();
        assert_eq!(keys(Architecture::Recurrent(network)), ["dim-emb", "decoder-depth", "dim-rnn"]);
        let transformer = TransformerConfig { heads: 0, alignment_layer: 9, ..TransformerConfig::default() };
        assert_eq!(keys(Architecture::Transformer(transformer)), ["heads", "heads", "alignment-layer"]);
        assert_eq!(Architecture::Transformer(TransformerConfig::default()).problems(), []);
        assert_eq!(Architecture::Recurrent(RecurrentConfig::default()).problems(), []);
    }
}
