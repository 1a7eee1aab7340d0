//! The settings of recurrent models that carry none (Nematus on Theano, Amun), from the names and shapes of
//! their tensors.

use super::marian::{END_OF_SENTENCE, UNKNOWN};
use super::{
    Architecture, Cell, Config, DecoderDefaults, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, TiedEmbeddings,
};
use crate::{ModelError, Weights};

/// How the canonical names of everything start that such a model can have.
const KNOWN: [&str; 10] = [
    "encoder_Wemb",
    "decoder_Wemb",
    "Wemb",
    "encoder_bi_",
    "decoder_cell",
    "decoder_ff_state_",
    "decoder_ff_logit_l",
    "decoder_W_comb_att",
    "decoder_Wc_att",
    "decoder_att_",
];
const KNOWN_WHOLE: [&str; 2] = ["decoder_U_att", "decoder_b_att"];

/// The settings of the recurrent model in `weights`, whose names are canonical.
pub(crate) fn config(weights: &Weights) -> Result<Config, ModelError> {
    let known = |name: &str| KNOWN.iter().any(|start| name.starts_with(start)) || KNOWN_WHOLE.contains(&name);
    if !weights.contains("encoder_bi_Ux") || !weights.contains("decoder_cell2_Ux") {
        let problem = "the file has no `special:model.yml` with the model's settings, and is not a model of Nematus, \
                       whose settings could be told from its tensors";
        return Err(ModelError::settings(weights.path(), problem));
    }
    if let Some(name) = weights.names().find(|name| !known(name)) {
        let what = format!("the tensor `{name}` of a model without settings");
        return Err(ModelError::unsupported(weights.path(), what, "its part in the model is unknown"));
    }
    let recurrent = recurrent(weights)?;
    Ok(Config {
        source_words: matrix(weights, recurrent.tied_embeddings.source_table())?[0],
        target_words: matrix(weights, recurrent.tied_embeddings.target_table())?[0],
        end_of_sentence: END_OF_SENTENCE,
        never: vec![UNKNOWN],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: DecoderDefaults::default(),
        architecture: Architecture::Recurrent(recurrent),
    })
}

fn recurrent(weights: &Weights) -> Result<RecurrentConfig, ModelError> {
    let tied_embeddings = TiedEmbeddings {
        source_target: weights.contains("Wemb"),
        target_output: !weights.contains("decoder_ff_logit_l2_W") && !weights.contains("decoder_ff_logit_l2_Wt"),
    };
    let cells = |prefix: &str, first| (first..).take_while(|i| weights.contains(&format!("{prefix}{i}_U"))).count();
    let encoder_cell_depth = 1 + cells("encoder_bi_cell", 2);
    let decoder_cell_base_depth = cells("decoder_cell", 1);
    let layer_norm = if weights.names().any(|name| name.ends_with("_lns")) {
        LayerNorm::Nematus
    } else if weights.names().any(|name| name.contains("_gamma")) {
        LayerNorm::Marian
    } else {
        LayerNorm::None
    };
    // Without transitions and normalisation the two are one and the same.
    let plain = encoder_cell_depth == 1 && decoder_cell_base_depth == 2 && layer_norm != LayerNorm::Nematus;
    let cell = if plain { Cell::Gru } else { Cell::GruNematus };
    Ok(RecurrentConfig {
        dim_emb: matrix(weights, tied_embeddings.source_table())?[1],
        dim_rnn: matrix(weights, "encoder_bi_Ux")?[1],
        dim_encoder: None,
        encoder_type: EncoderType::Bidirectional,
        encoder_cell: cell,
        encoder_cell_depth,
        encoder_depth: 1,
        decoder_cell: cell,
        decoder_cell_base_depth,
        decoder_cell_high_depth: 1,
        decoder_depth: 1,
        skip: false,
        layer_norm,
        tied_embeddings,
        output_bias: weights.contains("decoder_ff_logit_l2_b"),
        attention_heads: 1,
        decoder: DecoderForm::Conditional,
    })
}

/// The two sizes of a matrix.
fn matrix(weights: &Weights, name: &str) -> Result<[usize; 2], ModelError> {
    let missing = || ModelError::MissingTensor { path: weights.path().to_owned(), tensor: name.to_owned() };
    let shape = weights.shape(name).ok_or_else(missing)?;
    let not_matrix = |_| ModelError::tensor(weights.path(), name, format!("is not a matrix: {shape:?}"));
    <[usize; 2]>::try_from(shape).map_err(not_matrix)
}

#[cfg(test)]
mod tests {
    use crate::buffer::{Buffer, Slice};
    use crate::formats::{marian, npz};
    use crate::stored::StoredTensor;
    use std::collections::BTreeMap;
    use std::path::Path;

    /// A model of Marian as Nematus on Theano would have written it: no settings, vectors of one dimension,
    /// the output layer not transposed, left-overs of training.
    fn as_theano(mut tensors: BTreeMap<String, StoredTensor>) -> BTreeMap<String, StoredTensor> {
        tensors.remove("special:model.yml").expect("settings");
        for (_, tensor) in tensors.iter_mut().filter(|(name, _)| name.as_str() != "decoder_c_tt") {
            if let [1, length] = tensor.shape[..] {
                tensor.shape = vec![length];
            }
        }
        let mut output = tensors.remove("decoder_ff_logit_l2_Wt").expect("an output layer");
        output.shape.reverse();
        output.transposed = true;
        tensors.insert("ff_logit_W".into(), output);
        let scalar = Slice::whole(Buffer::Floats(vec![1.0]));
        let scalar = StoredTensor {
            shape: vec![],
            encoding: crate::Encoding::F32,
            transposed: false,
            scales: None,
            bytes: scalar,
        };
        tensors.insert("uidx".into(), scalar);
        tensors
    }

    #[test]
    fn settings_of_theano_models_are_those_that_marian_wrote() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/recurrent");
        for name in ["amun", "nematus-norm-deep"] {
            let path = fixtures.join(name).with_extension("npz");
            let bytes = std::fs::read(&path).unwrap();
            let tensors = npz::read(&path, &Slice::whole(Buffer::Bytes(bytes))).unwrap();
            let (stated, marian) = marian::model(&path, tensors.clone()).unwrap();
            let (inferred, theano) = marian::model(&path, as_theano(tensors)).unwrap();
            assert_eq!(inferred, stated);
            for tensor in marian.names().filter(|name| *name != "decoder_ff_logit_l2_Wt") {
                let (a, b) = (marian.tensor(tensor).unwrap(), theano.tensor(tensor).unwrap());
                assert_eq!((a.shape, a.data), (b.shape, b.data), "{tensor}");
            }
            let (turned, straight) = (theano.tensor("decoder_ff_logit_l2_W"), marian.tensor("decoder_ff_logit_l2_Wt"));
            let (turned, straight) = (turned.unwrap(), straight.unwrap());
            let (words, size) = (straight.shape[0], straight.shape[1]);
            assert_eq!(turned.shape, [size, words]);
            assert_eq!(turned.data[5 * words + 7], straight.data[7 * size + 5]);
            assert_eq!(theano.names().count(), marian.names().count());
        }
    }
}
