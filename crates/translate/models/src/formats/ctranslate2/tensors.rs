//! The tensors of the network under their canonical names. Matrices of CTranslate2 are `outputs × inputs`, and the maps
//! that read the same input are one.

use super::network::{BUCKETS, GATE, LAST_BUCKET, Network, OUTPUT_BIAS, OUTPUT_TABLE, TARGET_TABLE, source_table};
use super::variables::Variables;
use crate::ModelError;
use crate::buffer::{Buffer, Slice};
use crate::config::{Operation, Positions};
use crate::stored::{Encoding, Scales, StoredTensor, decode};
use core::ops::Range;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The factor of integers of 16 bits in models that do not state it.
const INT16_FACTOR: f32 = 1000.0;

/// The tensors, by name.
pub(super) struct Tensors(pub(super) BTreeMap<String, StoredTensor>);

struct Reader<'a> {
    variables: &'a mut Variables,
    network: &'a Network,
    tensors: BTreeMap<String, StoredTensor>,
}

/// A matrix of the file.
struct Matrix {
    cols: usize,
    encoding: Encoding,
    /// By row, of integers of 8 bits.
    scales: Option<Arc<[f32]>>,
    bytes: Slice,
}

impl Tensors {
    pub(super) fn read(variables: &mut Variables, network: &Network) -> Result<Self, ModelError> {
        let mut reader = Reader { variables, network, tensors: BTreeMap::new() };
        reader.words()?;
        for (side, depth) in [("encoder", network.config.encoder_depth), ("decoder", network.config.decoder_depth)] {
            for i in 0..depth {
                reader.layer(side, i)?;
            }
            for (name, operations, ours) in [
                ("layernorm_embedding", &network.config.postprocess_emb, format!("{side}_emb")),
                ("layer_norm", &network.config.postprocess_top, format!("{side}_top")),
            ] {
                let suffix = if name == "layer_norm" { "" } else { "_pre" };
                if !operations.0.is_empty() {
                    reader.norm(&ours, suffix, &format!("{side}/{name}"))?;
                }
            }
        }
        // The last normalisation takes over the factor of its output.
        for name in ["rms_scale", "ln_scale", "ln_bias"] {
            reader.scale(&format!("decoder_top_{name}"), network.output_scale);
        }
        Ok(Self(reader.tensors))
    }
}

impl Reader<'_> {
    /// Embeddings, positions and the output layer.
    fn words(&mut self) -> Result<(), ModelError> {
        let Network { config, source_words, target_words, .. } = self.network;
        let (dim, tied) = (config.dim_emb, config.tied_embeddings);
        let source = source_table(self.variables);
        let table = self.matrix(source, [*source_words, dim])?.table(*source_words);
        self.tensors.insert(tied.source_table().to_owned(), table);
        for (name, ours, is_tied) in [
            (TARGET_TABLE, tied.target_table(), tied.source_target),
            (OUTPUT_TABLE, "decoder_ff_logit_out_Wt", tied.target_output),
        ] {
            let table = self.matrix(name, [*target_words, dim])?.table(*target_words);
            if !is_tied {
                self.tensors.insert(ours.to_owned(), table);
            }
        }
        if config.output_bias {
            self.vector("decoder_ff_logit_out_b", OUTPUT_BIAS, *target_words)?;
        }
        let tables = ["encoder", "decoder"].map(|side| format!("{side}/position_encodings/encodings"));
        let rows = |name: &String| self.variables.shape(name).and_then(|shape| shape.first().copied()).unwrap_or(0);
        let lengths = [rows(&tables[0]), rows(&tables[1])];
        let longest = usize::from(lengths[0] <= lengths[1]);
        let read: &[(usize, &str)] = match config.positions {
            Positions::Trained => &[(longest, "Wpos")],
            Positions::TrainedBySide => &[(0, "encoder_Wpos"), (1, "decoder_Wpos")],
            _ => &[],
        };
        for &(side, ours) in read {
            let table = self.matrix(&tables[side], [lengths[side], dim])?.table(lengths[side]);
            self.tensors.insert(ours.to_owned(), table);
        }
        Ok(())
    }

    /// Layer i of a side, counted from 0.
    fn layer(&mut self, side: &str, i: usize) -> Result<(), ModelError> {
        let (theirs, ours) = (format!("{side}/layer_{i}"), format!("{side}_l{}", i + 1));
        let (dim, after) = (self.network.config.dim_emb, self.after());
        let heads = self.network.config.heads * self.network.config.head_size();
        let own = format!("{ours}_self");
        self.maps(&format!("{theirs}/self_attention/linear_0"), &own, &["q", "k", "v"], [heads, dim])?;
        self.maps(&format!("{theirs}/self_attention/linear_1"), &own, &["o"], [dim, heads])?;
        self.attention(&format!("{theirs}/self_attention"), &own)?;
        self.norm(&format!("{own}_Wo"), after, &format!("{theirs}/self_attention/layer_norm"))?;
        if side == "decoder" {
            let (context, other) = (format!("{ours}_context"), format!("{theirs}/attention"));
            self.maps(&format!("{other}/linear_0"), &context, &["q"], [heads, dim])?;
            self.maps(&format!("{other}/linear_1"), &context, &["k", "v"], [heads, dim])?;
            self.maps(&format!("{other}/linear_2"), &context, &["o"], [dim, heads])?;
            self.scale_queries(&other, &context)?;
            self.norm(&format!("{context}_Wo"), after, &format!("{other}/layer_norm"))?;
        }
        let config = &self.network.config;
        let inner = if side == "encoder" { config.encoder_ffn.dim } else { config.decoder_ffn.dim };
        let maps = format!("{ours}_ffn");
        self.maps(&format!("{theirs}/ffn/linear_0"), &maps, &["1"], [inner, dim])?;
        self.maps(&format!("{theirs}/ffn/linear_1"), &maps, &["2"], [dim, inner])?;
        if self.network.config.gated_ffn {
            self.maps(&format!("{theirs}/{GATE}"), &maps, &["g"], [inner, dim])?;
        }
        if let Some(factor) = self.network.sigmoid_factor {
            // x · σ(c x) = swish(c x) / c
            self.scale(&format!("{maps}_W1"), factor);
            self.scale(&format!("{maps}_b1"), factor);
            self.scale(&format!("{maps}_W2"), 1.0 / factor);
        }
        self.norm(&format!("{maps}_ffn"), after, &format!("{theirs}/ffn/layer_norm"))
    }

    /// The ends of the names of normalisations of blocks.
    fn after(&self) -> &'static str {
        if self.network.config.preprocess.0.is_empty() { "" } else { "_pre" }
    }

    /// Relative positions, and the scale of queries.
    fn attention(&mut self, theirs: &str, ours: &str) -> Result<(), ModelError> {
        let config = &self.network.config;
        if let Positions::Relative { distance } = config.positions {
            let shape = [2 * distance + 1, config.head_size()];
            for kind in ["keys", "values"] {
                let table = self.matrix(&format!("{theirs}/relative_position_{kind}"), shape)?.table(shape[0]);
                self.tensors.insert(format!("{ours}_relative_{kind}"), table);
            }
        }
        if let Positions::Buckets { buckets, .. } = config.positions {
            self.buckets(theirs, ours, [buckets, config.heads])?;
        }
        self.scale_queries(theirs, ours)
    }

    /// The numbers for buckets of distances, which all layers of a side share.
    fn buckets(&mut self, theirs: &str, ours: &str, shape: [usize; 2]) -> Result<(), ModelError> {
        let name = format!("{theirs}/{BUCKETS}");
        let side = if ours.starts_with("encoder") { "encoder" } else { "decoder" };
        let first = format!("{side}/layer_0/self_attention/{BUCKETS}");
        self.variables.number(&format!("{theirs}/{LAST_BUCKET}"))?;
        let table = self.matrix(&name, shape)?.table(shape[0]);
        if !self.variables.are_one(&name, &first) {
            let what = format!("`{name}` that is another than that of the first layer");
            return Err(ModelError::unsupported(self.variables.path(), what, "all layers must share one"));
        }
        self.tensors.insert(format!("{side}_relative_bias"), table);
        Ok(())
    }

    /// The factor of queries, where it is not the usual one, 1 / √ of a head's size, goes into their map.
    fn scale_queries(&mut self, theirs: &str, ours: &str) -> Result<(), ModelError> {
        let usual = (self.network.config.head_size() as f32).sqrt();
        let Some(scale) = self.variables.number(&format!("{theirs}/queries_scale"))? else { return Ok(()) };
        // The usual factor may have been rounded to 16 bits.
        if (scale * usual - 1.0).abs() > 4e-3 {
            self.scale(&format!("{ours}_Wq"), scale * usual);
            self.scale(&format!("{ours}_bq"), scale * usual);
        }
        Ok(())
    }

    /// Maps that are one in the file, each `[outputs, inputs]`: `{ours}_W{suffix}` and `{ours}_b{suffix}` of each
    /// suffix.
    fn maps(
        &mut self,
        scope: &str,
        ours: &str,
        suffixes: &[&str],
        [outputs, inputs]: [usize; 2],
    ) -> Result<(), ModelError> {
        let all = suffixes.len() * outputs;
        let weights = self.matrix(&format!("{scope}/weight"), [all, inputs])?;
        let biases = self.numbers(&format!("{scope}/bias"), all)?;
        for (i, suffix) in suffixes.iter().enumerate() {
            let part = i * outputs..(i + 1) * outputs;
            self.tensors.insert(format!("{ours}_W{suffix}"), weights.map(part.clone()));
            let bias = biases.as_ref().map_or_else(|| vec![0.0; outputs], |biases| biases[part].to_vec());
            self.tensors.insert(format!("{ours}_b{suffix}"), row(bias));
        }
        Ok(())
    }

    fn norm(&mut self, ours: &str, suffix: &str, scope: &str) -> Result<(), ModelError> {
        let config = &self.network.config;
        let dim = config.dim_emb;
        let is_rms =
            [&config.preprocess, &config.postprocess].iter().any(|steps| steps.0.contains(&Operation::RmsNorm));
        if is_rms {
            return self.vector(&format!("{ours}_rms_scale{suffix}"), &format!("{scope}/gamma"), dim);
        }
        self.vector(&format!("{ours}_ln_scale{suffix}"), &format!("{scope}/gamma"), dim)?;
        self.vector(&format!("{ours}_ln_bias{suffix}"), &format!("{scope}/beta"), dim)
    }

    fn vector(&mut self, ours: &str, name: &str, length: usize) -> Result<(), ModelError> {
        let missing = || ModelError::MissingTensor { path: self.variables.path().to_owned(), tensor: name.to_owned() };
        let missing = missing();
        let numbers = self.numbers(name, length)?.ok_or(missing)?;
        self.tensors.insert(ours.to_owned(), row(numbers));
        Ok(())
    }

    /// The numbers of a vector, if it is there.
    fn numbers(&mut self, name: &str, length: usize) -> Result<Option<Vec<f32>>, ModelError> {
        let Some(variable) = self.variables.find(name) else { return Ok(None) };
        if variable.shape != [length] {
            return Err(self.variables.wrong_shape(name, &[length], &variable.shape));
        }
        Ok(Some(variable.numbers()))
    }

    /// A matrix with the factors of its integers.
    fn matrix(&mut self, name: &str, shape: [usize; 2]) -> Result<Matrix, ModelError> {
        let variable = self.variables.get(name)?;
        if variable.shape != shape {
            return Err(self.variables.wrong_shape(name, &shape, &variable.shape));
        }
        let [rows, cols] = shape;
        let scale = format!("{name}_scale");
        let factors = self.variables.find(&scale).map(|scale| scale.numbers());
        let (encoding, scales) = match (variable.encoding, factors.as_deref()) {
            (Encoding::I8, Some([factor])) => (Encoding::Scaled8, Some(vec![1.0 / factor; rows])),
            (Encoding::I8, Some(factors)) if factors.len() == rows => {
                (Encoding::Scaled8, Some(factors.iter().map(|factor| 1.0 / factor).collect()))
            }
            (Encoding::I16, Some(&[multiplier])) => (Encoding::Quantised16 { multiplier }, None),
            (Encoding::I16, None) => (Encoding::Quantised16 { multiplier: INT16_FACTOR }, None),
            (encoding @ (Encoding::F32 | Encoding::F16 | Encoding::Bf16), None) => (encoding, None),
            (encoding, factors) => {
                let found = factors.map_or("no factors".to_owned(), |factors| format!("{} factors", factors.len()));
                let problem =
                    format!("its {rows} rows of {encoding} have {found} (`{scale}`); convert the model again");
                return Err(ModelError::tensor(self.variables.path(), name, problem));
            }
        };
        Ok(Matrix { cols, encoding, scales: scales.map(Into::into), bytes: variable.bytes })
    }

    /// Multiplies a tensor that has been read.
    fn scale(&mut self, name: &str, factor: f32) {
        if factor == 1.0 {
            return;
        }
        let Some(tensor) = self.tensors.get_mut(name) else { return };
        match (&mut tensor.encoding, &mut tensor.scales) {
            (Encoding::Scaled8, Some(scales)) => {
                scales.numbers = scales.numbers.iter().map(|scale| scale * factor).collect();
            }
            (Encoding::Quantised16 { multiplier }, _) => *multiplier /= factor,
            (encoding, _) => {
                let numbers = decode(*encoding, tensor.bytes.bytes());
                let scaled = numbers.iter().map(|number| number * factor).collect();
                (*encoding, tensor.bytes) = (Encoding::F32, Slice::whole(Buffer::Floats(scaled)));
            }
        }
    }
}

impl Matrix {
    /// Some rows as the map to these outputs, `inputs × outputs`.
    fn map(&self, outputs: Range<usize>) -> StoredTensor {
        self.rows(outputs).turned()
    }

    /// The first rows as a table.
    fn table(&self, rows: usize) -> StoredTensor {
        self.rows(0..rows)
    }

    fn rows(&self, rows: Range<usize>) -> StoredTensor {
        let width = self.cols * self.encoding.width();
        let bytes = self.bytes.part(rows.start * width..rows.end * width);
        let scales =
            self.scales.as_ref().map(|all| Scales { by_row: true, numbers: all[rows.clone()].into(), sums: [].into() });
        StoredTensor {
            shape: vec![rows.len(), self.cols],
            encoding: self.encoding,
            transposed: false,
            scales,
            bytes: bytes.unwrap_or_else(|| self.bytes.clone()),
        }
    }
}

/// Numbers as one row.
fn row(numbers: Vec<f32>) -> StoredTensor {
    let shape = vec![1, numbers.len()];
    let bytes = Slice::whole(Buffer::Floats(numbers));
    StoredTensor { shape, encoding: Encoding::F32, transposed: false, scales: None, bytes }
}
