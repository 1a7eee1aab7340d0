//! What settings must fulfil, whichever file they come from, before anything is built from them.

use super::{
    Architecture, AttentionFirst, Cell, Config, DecoderForm, DecoderLayer, LayerNorm, RecurrentConfig, Top,
    TransformerConfig,
};
use crate::ModelError;
use std::path::Path;

/// Far beyond any real model, and small enough that products of three stay within 64 bits.
const MAX_SIZE: usize = 1 << 20;
const MAX_DEPTH: usize = 1 << 10;

/// Vocabularies can be larger than layers.
const MAX_WORDS: usize = 1 << 26;

impl Config {
    /// Whether the settings make sense: sizes and depths within bounds, numbers that refer to others valid.
    ///
    /// # Errors
    /// A sentence about the first setting that does not. `path` is the file they come from.
    pub fn check(&self, path: &Path) -> Result<(), ModelError> {
        self.problem().map_or(Ok(()), |problem| Err(ModelError::settings(path, problem)))
    }

    fn problem(&self) -> Option<String> {
        let words = self.source_words.min(self.target_words);
        if words == 0 || self.source_words.max(self.target_words) > MAX_WORDS {
            return Some(format!("vocabularies of {} and {} words", self.source_words, self.target_words));
        }
        if self.end_of_sentence as usize >= words {
            return Some(format!("the end of sentence is word {} of a vocabulary of {words}", self.end_of_sentence));
        }
        if let Some(word) = self.never.iter().find(|&&word| word as usize >= self.target_words) {
            return Some(format!("word {word}, which is never to be produced, is not one of {}", self.target_words));
        }
        match &self.architecture {
            Architecture::Transformer(transformer) => transformer.problem(),
            Architecture::Recurrent(recurrent) => recurrent.problem(),
        }
    }
}

impl TransformerConfig {
    fn problem(&self) -> Option<String> {
        let mut sizes = vec![
            ("embedding size", self.dim_emb),
            ("number of heads", self.heads),
            ("encoder feed-forward size", self.encoder_ffn.dim),
            ("decoder feed-forward size", self.decoder_ffn.dim),
        ];
        let mut depths = vec![
            ("encoder depth", self.encoder_depth),
            ("decoder depth", self.decoder_depth),
            ("encoder feed-forward depth", self.encoder_ffn.depth),
            ("decoder feed-forward depth", self.decoder_ffn.depth),
        ];
        if let DecoderLayer::AverageAttention(average) = self.decoder_layer {
            sizes.push(("average attention's size", average.ffn.dim));
            depths.push(("average attention's depth", average.ffn.depth));
        }
        let (depth, tied) = (self.decoder_depth, &self.tied_layers);
        out_of_bounds(&sizes, MAX_SIZE).or_else(|| out_of_bounds(&depths, MAX_DEPTH)).or_else(|| {
            if !self.dim_emb.is_multiple_of(self.heads) {
                Some(format!("an embedding size of {} is not a multiple of {} heads", self.dim_emb, self.heads))
            } else if !tied.is_empty() && (tied.len() != depth || tied.iter().any(|l| !(1..=depth).contains(l))) {
                Some(format!("tied layers {tied:?} do not fit a decoder of {depth} layers"))
            } else if !(1..=depth).contains(&self.alignment_layer) {
                Some(format!("the alignment layer {} is not one of the decoder's {depth}", self.alignment_layer))
            } else {
                None
            }
        })
    }
}

impl RecurrentConfig {
    fn problem(&self) -> Option<String> {
        let sizes = [("embedding size", self.dim_emb), ("state size", self.dim_rnn)];
        let depths = [
            ("encoder depth", self.encoder_depth),
            ("encoder cell depth", self.encoder_cell_depth),
            ("decoder depth", self.decoder_depth),
            ("decoder base cell depth", self.decoder_cell_base_depth),
            ("decoder high cell depth", self.decoder_cell_high_depth),
        ];
        out_of_bounds(&sizes, MAX_SIZE).or_else(|| out_of_bounds(&depths, MAX_DEPTH)).or_else(|| match &self.decoder {
            DecoderForm::Conditional => None,
            DecoderForm::AttentionFirst(decoder) => self.attention_first_problem(decoder),
        })
    }

    fn attention_first_problem(&self, decoder: &AttentionFirst) -> Option<String> {
        let mut sizes = vec![("size of attention", decoder.dim_attention)];
        if decoder.layers > 0 {
            sizes.extend([("size of fully-connected layers", decoder.dim_layers)]);
        }
        if let Top::Tanh { dim } = decoder.top {
            sizes.push(("size of the top layer", dim));
        }
        let output = decoder.dim_output(self.dim_rnn);
        if self.decoder_cell != Cell::Gru || self.decoder_depth != 1 || self.layer_norm != LayerNorm::None {
            return Some("a decoder that begins with attention has one layer of gru cells and no normalisation".into());
        }
        if decoder.layers > MAX_DEPTH {
            return Some(format!("{} fully-connected layers, expected at most {MAX_DEPTH}", decoder.layers));
        }
        if self.tied_embeddings.target_output && output != self.dim_emb {
            let dim = self.dim_emb;
            return Some(format!("embeddings of size {dim} can not be the output layer of a decoder of size {output}"));
        }
        out_of_bounds(&sizes, MAX_SIZE)
    }
}

fn out_of_bounds(named: &[(&str, usize)], max: usize) -> Option<String> {
    let (name, value) = named.iter().find(|(_, value)| !(1..=max).contains(value))?;
    Some(format!("the {name} is {value}, expected 1 to {max}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DecoderDefaults, EncoderType, TiedEmbeddings};

    fn recurrent() -> Config {
        let tied_embeddings = TiedEmbeddings { source_target: false, target_output: false };
        let recurrent = RecurrentConfig {
            dim_emb: 4,
            dim_rnn: 6,
            encoder_type: EncoderType::Bidirectional,
            encoder_cell: Cell::Gru,
            encoder_cell_depth: 1,
            encoder_depth: 1,
            decoder_cell: Cell::Gru,
            decoder_cell_base_depth: 2,
            decoder_cell_high_depth: 1,
            decoder_depth: 1,
            skip: false,
            layer_norm: LayerNorm::None,
            tied_embeddings,
            output_bias: true,
            decoder: DecoderForm::Conditional,
        };
        Config {
            source_words: 10,
            target_words: 10,
            end_of_sentence: 0,
            never: vec![1],
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
}
