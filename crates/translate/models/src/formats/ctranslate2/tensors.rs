//! The tensors of the network under their canonical names. Matrices of CTranslate2 are `outputs × inputs`, and the maps
//! that read the same input are one.

use super::network::{Network, OUTPUT_BIAS, OUTPUT_TABLE, TARGET_TABLE, source_table};
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
        if config.positions == Positions::Trained {
            let tables = ["encoder", "decoder"].map(|side| format!("{side}/position_encodings/encodings"));
            let rows = |name: &String| self.variables.shape(name).map_or(0, |shape| shape[0]);
            let longest = if rows(&tables[0]) > rows(&tables[1]) { &tables[0] } else { &tables[1] };
            let rows = rows(longest);
            let table = self.matrix(longest, [rows, dim])?.table(rows);
            self.tensors.insert("Wpos".to_owned(), table);
        }
        Ok(())
    }

    /// Layer i of a side, counted from 0.
    fn layer(&mut self, side: &str, i: usize) -> Result<(), ModelError> {
        let (theirs, ours) = (format!("{side}/layer_{i}"), format!("{side}_l{}", i + 1));
        let (dim, after) = (self.network.config.dim_emb, self.after());
        let own = format!("{ours}_self");
        self.maps(&format!("{theirs}/self_attention/linear_0"), &own, &["q", "k", "v"], [dim, dim])?;
        self.maps(&format!("{theirs}/self_attention/linear_1"), &own, &["o"], [dim, dim])?;
        self.attention(&format!("{theirs}/self_attention"), &own)?;
        self.norm(&format!("{own}_Wo"), after, &format!("{theirs}/self_attention/layer_norm"))?;
        if side == "decoder" {
            let (context, other) = (format!("{ours}_context"), format!("{theirs}/attention"));
            self.maps(&format!("{other}/linear_0"), &context, &["q"], [dim, dim])?;
            self.maps(&format!("{other}/linear_1"), &context, &["k", "v"], [dim, dim])?;
            self.maps(&format!("{other}/linear_2"), &context, &["o"], [dim, dim])?;
            self.check_queries(&other)?;
            self.norm(&format!("{context}_Wo"), after, &format!("{other}/layer_norm"))?;
        }
        let config = &self.network.config;
        let inner = if side == "encoder" { config.encoder_ffn.dim } else { config.decoder_ffn.dim };
        let maps = format!("{ours}_ffn");
        self.maps(&format!("{theirs}/ffn/linear_0"), &maps, &["1"], [inner, dim])?;
        self.maps(&format!("{theirs}/ffn/linear_1"), &maps, &["2"], [dim, inner])?;
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
            let shape = [2 * distance + 1, config.dim_emb / config.heads.max(1)];
            for kind in ["keys", "values"] {
                let table = self.matrix(&format!("{theirs}/relative_position_{kind}"), shape)?.table(shape[0]);
                self.tensors.insert(format!("{ours}_relative_{kind}"), table);
            }
        }
        self.check_queries(theirs)
    }

    /// Queries have to be divided by the root of a head's size.
    fn check_queries(&mut self, scope: &str) -> Result<(), ModelError> {
        let config = &self.network.config;
        let expected = 1.0 / (config.dim_emb as f32 / config.heads.max(1) as f32).sqrt();
        let name = format!("{scope}/queries_scale");
        match self.variables.number(&name)? {
            Some(scale) if (scale - expected).abs() > 4e-3 * expected => {
                let what = format!("`{name}` of {scale}");
                Err(ModelError::unsupported(self.variables.path(), what, format!("it must be {expected}")))
            }
            _ => Ok(()),
        }
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
