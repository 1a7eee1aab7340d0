//! The settings of the network, from its variables.

use super::variables::Variables;
use crate::ModelError;
use crate::config::{Activation, FeedForward, Operation, Operations, Positions, TiedEmbeddings, TransformerConfig};
use crate::stored::Encoding;

/// ε of layer normalisation, and of that by the root mean square, where a model does not state it.
const LAYER_NORM_EPSILON: f32 = 1e-5;
const RMS_NORM_EPSILON: f32 = 1e-6;

/// The heads of models that do not state them.
const HEADS: f32 = 8.0;

/// The settings of a network, and what else depends on its variables alone.
pub(super) struct Network {
    pub(super) config: TransformerConfig,
    pub(super) source_words: usize,
    pub(super) target_words: usize,
    /// The decoder reads zeros before the first word, as Marian's does.
    pub(super) starts_from_zeros: bool,
    /// The factor c of the activation x · σ(c · x).
    pub(super) sigmoid_factor: Option<f32>,
    /// The factor of the input of the output layer.
    pub(super) output_scale: f32,
}

/// The name of the table of source words.
pub(super) fn source_table(variables: &Variables) -> &'static str {
    let (numbered, only) = ("encoder/embeddings_0/weight", "encoder/embeddings/weight");
    if variables.contains(numbered) { numbered } else { only }
}

pub(super) const TARGET_TABLE: &str = "decoder/embeddings/weight";
pub(super) const OUTPUT_TABLE: &str = "decoder/projection/weight";
pub(super) const OUTPUT_BIAS: &str = "decoder/projection/bias";

/// The map of a feed-forward block, within its layer, whose outputs multiply those of the activation.
pub(super) const GATE: &str = "ffn/linear_0_noact";

/// The numbers for buckets of distances, within an attention block, and the distance of the last bucket.
pub(super) const BUCKETS: &str = "relative_attention_bias";
pub(super) const LAST_BUCKET: &str = "relative_attention_max_distance";

impl Network {
    pub(super) fn read(variables: &mut Variables, epsilon: Option<f32>) -> Result<Self, ModelError> {
        if variables.contains("encoder/embeddings_1/weight") {
            let advice = "models whose source is words alone are read";
            return Err(ModelError::unsupported(variables.path(), "a CTranslate2 model with source features", advice));
        }
        let (source_words, _) = matrix(variables, source_table(variables))?;
        let (target_words, dim_emb) = matrix(variables, TARGET_TABLE)?;
        let norms = Norms::read(variables)?;
        let [encoder_depth, decoder_depth] = ["encoder", "decoder"].map(|side| depth(variables, side));
        let feed_forward = |side| {
            let (dim, _) = matrix(variables, &format!("{side}/layer_0/ffn/linear_0/weight"))?;
            Ok(FeedForward { dim, depth: 2 })
        };
        let (encoder_ffn, decoder_ffn) = (feed_forward("encoder")?, feed_forward("decoder")?);
        let positions = positions(variables, dim_emb)?;
        let heads = count(variables, "num_heads", HEADS)?;
        let tied_embeddings = TiedEmbeddings {
            source_target: variables.are_one(source_table(variables), TARGET_TABLE),
            target_output: variables.are_one(OUTPUT_TABLE, TARGET_TABLE),
        };
        let output_bias = variables.contains(OUTPUT_BIAS);
        let (activation, sigmoid_factor) = activation(variables)?;
        both(variables, "embeddings_merge", 0.0)?;
        variables.setting("decoder", "alignment_heads")?;
        let config = TransformerConfig {
            dim_emb,
            heads,
            dim_head: dim_head(variables, dim_emb, heads)?,
            encoder_depth,
            decoder_depth,
            encoder_ffn,
            decoder_ffn,
            activation,
            gated_ffn: variables.contains(&format!("encoder/layer_0/{GATE}/weight")),
            preprocess: norms.preprocess,
            postprocess: norms.postprocess,
            postprocess_emb: norms.embedding,
            postprocess_top: norms.top,
            tied_embeddings,
            positions,
            scale_embeddings: scale_embeddings(variables, dim_emb)?,
            alignment_layer: alignment_layer(variables, decoder_depth)?,
            layer_norm_epsilon: epsilon.unwrap_or(norms.epsilon),
            output_bias,
            normalised_keys: true,
            ..TransformerConfig::default()
        };
        let starts_from_zeros = variables.number("decoder/start_from_zero_embedding")?.is_some_and(|flag| flag != 0.0);
        let output_scale = variables.number("decoder/scale_outputs")?.unwrap_or(1.0);
        Ok(Self { config, source_words, target_words, starts_from_zeros, sigmoid_factor, output_scale })
    }
}

/// Where a network normalises.
struct Norms {
    /// Before and after each block.
    preprocess: Operations,
    postprocess: Operations,
    /// After the embedding, and after the last layer.
    embedding: Operations,
    top: Operations,
    /// ε where the model does not state it.
    epsilon: f32,
}

impl Norms {
    fn read(variables: &mut Variables) -> Result<Self, ModelError> {
        let pre_norm = both(variables, "pre_norm", 1.0)? != 0.0;
        let (norm, epsilon) = match variables.contains("encoder/layer_0/self_attention/layer_norm/beta") {
            true => (Operation::LayerNorm, LAYER_NORM_EPSILON),
            false => (Operation::RmsNorm, RMS_NORM_EPSILON),
        };
        let optional = |name| Ok(if has(variables, name)? { Operations(vec![norm]) } else { Operations::default() });
        let (embedding, top) = (optional("layernorm_embedding")?, optional("layer_norm")?);
        let (preprocess, postprocess) = match pre_norm {
            true => (vec![norm], vec![Operation::Add]),
            false => (Vec::new(), vec![Operation::Add, norm]),
        };
        let (preprocess, postprocess) = (Operations(preprocess), Operations(postprocess));
        Ok(Self { preprocess, postprocess, embedding, top, epsilon })
    }
}

/// Rows and columns of a matrix.
fn matrix(variables: &Variables, name: &str) -> Result<(usize, usize), ModelError> {
    let Some(shape) = variables.shape(name) else {
        return Err(ModelError::MissingTensor { path: variables.path().to_owned(), tensor: name.to_owned() });
    };
    match *shape {
        [rows, cols] => Ok((rows, cols)),
        _ => Err(ModelError::tensor(variables.path(), name, "it is no matrix; the file is damaged")),
    }
}

/// The size of a head, where it is not its part of the embedding.
fn dim_head(variables: &Variables, dim: usize, heads: usize) -> Result<Option<usize>, ModelError> {
    // Queries, keys and values of all heads, which are one map.
    let (outputs, _) = matrix(variables, "encoder/layer_0/self_attention/linear_0/weight")?;
    let size = outputs / 3 / heads;
    Ok((size * heads != dim).then_some(size))
}

/// The number of layers of a side.
fn depth(variables: &Variables, side: &str) -> usize {
    (0..).take_while(|i| variables.contains(&format!("{side}/layer_{i}/ffn/linear_0/weight"))).count()
}

/// Whether both sides have this normalisation.
fn has(variables: &Variables, name: &str) -> Result<bool, ModelError> {
    let [encoder, decoder] = ["encoder", "decoder"].map(|side| variables.contains(&format!("{side}/{name}/gamma")));
    if encoder == decoder { Ok(encoder) } else { Err(differ(variables, name)) }
}

/// A setting that has to be the same in encoder and decoder; `default` where a side has none.
fn both(variables: &mut Variables, name: &str, default: f32) -> Result<f32, ModelError> {
    let encoder = variables.setting("encoder", name)?.unwrap_or(default);
    let decoder = variables.setting("decoder", name)?;
    if decoder.is_some_and(|decoder| decoder != encoder) { Err(differ(variables, name)) } else { Ok(encoder) }
}

fn differ(variables: &Variables, name: &str) -> ModelError {
    let what = format!("a CTranslate2 model whose encoder and decoder differ in `{name}`");
    ModelError::unsupported(variables.path(), what, "they must be equal")
}

/// A setting that is a number of things.
fn count(variables: &mut Variables, name: &str, default: f32) -> Result<usize, ModelError> {
    let number = both(variables, name, default)?;
    if (1.0..65536.0).contains(&number) && number.fract() == 0.0 {
        return Ok(number as usize);
    }
    Err(ModelError::tensor(variables.path(), name, format!("it is {number}, expected a whole number from 1")))
}

/// The function between the maps of a feed-forward block, and the factor c of x · σ(c · x).
fn activation(variables: &mut Variables) -> Result<(Activation, Option<f32>), ModelError> {
    let code = both(variables, "activation", 0.0)?;
    let name = match code as i64 {
        0 => return Ok((Activation::Relu, None)),
        1 => return Ok((Activation::GeluTanh, None)),
        2 => return Ok((Activation::Swish, None)),
        3 => return Ok((Activation::Gelu, None)),
        4 => return Ok((Activation::Swish, Some(1.702))),
        6 => return Ok((Activation::Sigmoid, None)),
        5 => "tanh",
        _ => "of an unknown kind",
    };
    let what = format!("the activation {code}, {name},");
    Err(ModelError::unsupported(
        variables.path(),
        what,
        "it can be relu, swish, gelu, gelu's approximations by tanh and sigmoid, or sigmoid",
    ))
}

/// Whether embeddings are multiplied with √d.
fn scale_embeddings(variables: &mut Variables, dim: usize) -> Result<bool, ModelError> {
    let root = (dim as f32).sqrt();
    let mut factors = [1.0; 2];
    for (side, factor) in ["encoder", "decoder"].into_iter().zip(&mut factors) {
        let names = ["scale_embeddings", "embeddings/multiply_by_sqrt_depth", "embeddings_0/multiply_by_sqrt_depth"];
        let names = names.map(|name| format!("{side}/{name}"));
        let name = names.into_iter().find(|name| variables.contains(name)).unwrap_or_default();
        // A flag, or the factor itself.
        *factor = match (variables.encoding(&name), variables.number(&name)?) {
            (Some(Encoding::I8), Some(0.0)) => 1.0,
            (Some(Encoding::I8), _) | (_, None) => root,
            (_, Some(number)) => number,
        };
    }
    // The factor may have been rounded to 16 bits.
    let near = |factor: f32, expected: f32| (factor - expected).abs() <= 4e-3 * expected;
    match factors {
        [encoder, decoder] if near(encoder, root) && near(decoder, root) => Ok(true),
        [encoder, decoder] if near(encoder, 1.0) && near(decoder, 1.0) => Ok(false),
        [encoder, decoder] => {
            let what =
                format!("embeddings that are multiplied with {encoder} in the encoder and {decoder} in the decoder");
            Err(ModelError::unsupported(variables.path(), what, format!("both must be 1 or {root}")))
        }
    }
}

/// How words know their places.
fn positions(variables: &mut Variables, dim: usize) -> Result<Positions, ModelError> {
    let names = ["encoder", "decoder"].map(|side| format!("{side}/position_encodings/encodings"));
    if let Some((rows, _)) = variables.shape("encoder/layer_0/self_attention/relative_position_keys").and_then(pair) {
        return Ok(Positions::Relative { distance: rows / 2 });
    }
    let scope = "encoder/layer_0/self_attention";
    if let Some((buckets, _)) = variables.shape(&format!("{scope}/{BUCKETS}")).and_then(pair) {
        let distance = variables.number(&format!("{scope}/{LAST_BUCKET}"))?.unwrap_or(128.0);
        // What is no number of words is refused with the other settings.
        return Ok(Positions::Buckets { buckets, distance: distance as usize });
    }
    let [encoder, decoder] = &names;
    match (variables.find(encoder), variables.find(decoder)) {
        (None, None) => Ok(Positions::SinusoidalShifted { offset: 1 }),
        (Some(one), Some(other)) if one.same_start(&other, dim) => Ok(Positions::Trained),
        (Some(_), Some(_)) => Ok(Positions::TrainedBySide),
        _ => Err(differ(variables, "position_encodings/encodings")),
    }
}

fn pair(shape: &[usize]) -> Option<(usize, usize)> {
    if let [rows, cols] = *shape { Some((rows, cols)) } else { None }
}

/// The layer whose attention is the alignment, counted from 1: negative numbers count from the last layer.
fn alignment_layer(variables: &mut Variables, depth: usize) -> Result<usize, ModelError> {
    let layer = variables.setting("decoder", "alignment_layer")?.unwrap_or(-1.0);
    let layer = if layer < 0.0 { layer + depth as f32 } else { layer };
    // A layer that does not exist is refused with the other settings.
    Ok(layer as usize + 1)
}
