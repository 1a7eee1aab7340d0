//! All checks of settings, whichever file the settings come from. `train`, `inspect`, `convert` and `translate` refuse
//! the same settings with the same sentence, and whatever is accepted can be built from [`parts`](crate::parts).

use super::{
    Architecture, AttentionFirst, Cell, Config, DecoderForm, DecoderLayer, EncoderType, LayerNorm, Operation,
    Operations, Positions, RecurrentConfig, Top, TransformerConfig,
};
use crate::ModelError;
use std::path::Path;

/// Far beyond any real model, and small enough that products of three stay within 64 bits.
const MAX_SIZE: usize = 1 << 20;
const MAX_DEPTH: usize = 1 << 10;

/// Vocabularies can be larger than layers.
const MAX_WORDS: usize = 1 << 26;

impl Config {
    /// Checks that sizes and depths are within bounds, that numbers refer to things that exist, and that the settings can
    /// be combined.
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
        self.architecture.problem()
    }
}

impl Architecture {
    /// A sentence about the first setting that is refused, if there is one, whatever the vocabularies.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Transformer(transformer) => transformer.problem(),
            Self::Recurrent(recurrent) => recurrent.problem(),
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
        if let Positions::Relative { distance } = self.positions {
            depths.push(("distance of relative positions", distance));
        }
        let (depth, tied) = (self.decoder_depth, &self.tied_layers);
        out_of_bounds(&sizes, MAX_SIZE).or_else(|| out_of_bounds(&depths, MAX_DEPTH)).or_else(|| {
            if !self.dim_emb.is_multiple_of(self.heads) {
                Some(format!("an embedding size of {} is not a multiple of {} heads", self.dim_emb, self.heads))
            } else if !tied.is_empty() && (tied.len() != depth || tied.iter().any(|l| !(1..=depth).contains(l))) {
                Some(format!("tied layers {tied:?} do not fit a decoder of {depth} layers"))
            } else if !(1..=depth).contains(&self.alignment_layer) {
                Some(format!("the alignment layer {} is not one of the decoder's {depth}", self.alignment_layer))
            } else if !(self.layer_norm_epsilon.is_finite() && self.layer_norm_epsilon >= 0.0) {
                Some(format!("the layer-norm-epsilon is {}, expected 0 or more", self.layer_norm_epsilon))
            } else {
                let nothing_to_skip = [("preprocess", &self.preprocess), ("postprocess-emb", &self.postprocess_emb)];
                nothing_to_skip.into_iter().find_map(|(name, operations)| skips(name, operations))
            }
        })
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
    fn problem(&self) -> Option<String> {
        let sizes = [("embedding size", self.dim_emb), ("state size", self.dim_rnn)];
        let depths = [
            ("encoder depth", self.encoder_depth),
            ("encoder cell depth", self.encoder_cell_depth),
            ("decoder depth", self.decoder_depth),
            ("decoder base cell depth", self.decoder_cell_base_depth),
            ("decoder high cell depth", self.decoder_cell_high_depth),
        ];
        out_of_bounds(&sizes, MAX_SIZE)
            .or_else(|| out_of_bounds(&depths, MAX_DEPTH))
            .or_else(|| match &self.decoder {
                DecoderForm::Conditional => None,
                DecoderForm::AttentionFirst(decoder) => self.attention_first_problem(decoder),
            })
            .or_else(|| self.transition_problem())
            .or_else(|| self.width_problem())
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

    /// Cells without input (transitions) of kinds that need an input.
    fn transition_problem(&self) -> Option<String> {
        let reads = |cell| matches!(cell, Cell::Mlstm | Cell::Mgru | Cell::Sru | Cell::Ssru);
        let high_depth = if self.decoder_depth > 1 { self.decoder_cell_high_depth } else { 1 };
        let depths = [
            ("encoder-cell-depth", self.encoder_cell_depth, reads(self.encoder_cell), 1),
            ("decoder-cell-base-depth", self.decoder_cell_base_depth, reads(self.decoder_cell), 2),
            ("decoder-cell-high-depth", high_depth, reads(self.decoder_cell), 1),
        ];
        for (name, depth, reads, most) in depths {
            if reads && depth > most {
                return Some(format!(
                    "`{name}` is {depth}, expected at most {most}: cells of kind mlstm, mgru, sru or ssru need an input"
                ));
            }
        }
        (self.decoder_cell == Cell::GruNematus && high_depth > 1).then(|| {
            format!(
                "`decoder-cell-high-depth` is {high_depth}, expected 1: higher layers of the decoder have one cell of \
                 kind gru-nematus"
            )
        })
    }

    /// Cells of kind SRU and SSRU whose input has another width than their state.
    fn width_problem(&self) -> Option<String> {
        let RecurrentConfig { dim_emb, dim_rnn, .. } = *self;
        let square = |cell| matches!(cell, Cell::Sru | Cell::Ssru);
        let both_directions = matches!(self.encoder_type, EncoderType::BiUnidirectional | EncoderType::Joined);
        let problem = if (square(self.encoder_cell) || square(self.decoder_cell)) && dim_emb != dim_rnn {
            format!("embeddings have {dim_emb} numbers and states {dim_rnn}")
        } else if square(self.encoder_cell) && both_directions && self.encoder_depth > 1 {
            "the second layer of the encoder reads both directions".to_owned()
        } else if square(self.decoder_cell) && self.decoder_cell_base_depth > 1 && self.dim_annotations() != dim_rnn {
            "the second cell of the decoder reads annotations of both directions".to_owned()
        } else {
            return None;
        };
        Some(format!("cells of kind sru and ssru need an input as wide as their state, but {problem}"))
    }
}

fn out_of_bounds(named: &[(&str, usize)], max: usize) -> Option<String> {
    let (name, value) = named.iter().find(|(_, value)| !(1..=max).contains(value))?;
    Some(format!("the {name} is {value}, expected 1 to {max}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DecoderDefaults, TiedEmbeddings};

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
            languages: None,
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
