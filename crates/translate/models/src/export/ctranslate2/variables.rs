//! The variables of `model.bin`.

use crate::ModelError;
use crate::export::parts::Norm;
use crate::formats::directory::StoredPrecision;
use crate::parts::transformer::Dense;
use crate::stored::transpose;
use crate::weights::CheckedTensor;
use half::{bf16, f16};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The version of the layout, the specification and its revision: those of CTranslate2 4.
const VERSION: u32 = 6;
const SPECIFICATION: &str = "TransformerSpec";
const REVISION: u32 = 7;

/// The codes of types.
const F32: u8 = 0;
const I8: u8 = 1;
const I16: u8 = 2;
const F16: u8 = 4;
const BF16: u8 = 5;

/// Variables and other names of them, in the order in which they were added.
pub(super) struct Variables {
    precision: StoredPrecision,
    variables: Vec<Variable>,
    aliases: Vec<[String; 2]>,
    /// The names of the matrices of these tensors.
    matrices: HashMap<String, String>,
}

struct Variable {
    name: String,
    shape: Vec<usize>,
    kind: u8,
    bytes: Vec<u8>,
}

impl Variables {
    pub(super) fn new(precision: StoredPrecision) -> Self {
        Self { precision, variables: Vec::new(), aliases: Vec::new(), matrices: HashMap::new() }
    }

    fn add(&mut self, name: &str, shape: &[usize], kind: u8, bytes: Vec<u8>) {
        self.variables.push(Variable { name: name.to_owned(), shape: shape.to_vec(), kind, bytes });
    }

    pub(super) fn flag(&mut self, name: &str, value: i8) {
        self.add(name, &[], I8, value.to_le_bytes().to_vec());
    }

    pub(super) fn short(&mut self, name: &str, value: usize) {
        self.add(name, &[], I16, (value as i16).to_le_bytes().to_vec());
    }

    /// Numbers that are not rounded to integers.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let kind = match self.precision {
            StoredPrecision::F32 | StoredPrecision::Int8 => F32,
            StoredPrecision::F16 => F16,
            StoredPrecision::Bf16 => BF16,
        };
        let bytes = match kind {
            F16 => numbers.iter().flat_map(|&number| f16::from_f32(number).to_le_bytes()).collect(),
            BF16 => numbers.iter().flat_map(|&number| bf16::from_f32(number).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        self.add(name, shape, kind, bytes);
    }

    /// Vectors one after the other; zeros in place of one that is missing, of which `lengths` has the length.
    pub(super) fn vectors(&mut self, name: &str, vectors: &[Option<&CheckedTensor<'_>>], lengths: &[usize]) {
        let mut numbers = Vec::new();
        for (vector, &length) in vectors.iter().zip(lengths) {
            match vector {
                Some(vector) => numbers.extend_from_slice(&vector.numbers()),
                None => numbers.extend(std::iter::repeat_n(0.0, length)),
            }
        }
        self.floats(name, &[numbers.len()], &numbers);
    }

    pub(super) fn norm(&mut self, scope: &str, norm: Option<Norm<'_, '_>>) {
        let Some((scale, bias)) = norm else { return };
        self.vectors(&format!("{scope}/gamma"), &[Some(scale)], &[scale.cols()]);
        if let Some(bias) = bias {
            self.vectors(&format!("{scope}/beta"), &[Some(bias)], &[bias.cols()]);
        }
    }

    /// A table of words, or another name for one that was added.
    pub(super) fn table(&mut self, name: &str, table: &CheckedTensor<'_>) -> Result<(), ModelError> {
        self.matrix(name, table.name().to_owned(), &[(table, true)])
    }

    /// Maps that read the same input, as one map with the outputs of each.
    pub(super) fn maps(&mut self, scope: &str, maps: &[&Dense<CheckedTensor<'_>>]) -> Result<(), ModelError> {
        let weights: Vec<_> = maps.iter().map(|map| (&map.w, false)).collect();
        let key = maps.iter().map(|map| map.w.name()).collect::<Vec<_>>().join(" ");
        self.matrix(&format!("{scope}/weight"), key, &weights)?;
        let biases: Vec<_> = maps.iter().map(|map| map.b.as_ref()).collect();
        let lengths: Vec<_> = maps.iter().map(|map| map.w.cols()).collect();
        if biases.iter().any(Option::is_some) {
            self.vectors(&format!("{scope}/bias"), &biases, &lengths);
        }
        Ok(())
    }

    /// Tensors, each with whether it is a table, one after the other as `outputs × inputs`.
    fn matrix(&mut self, name: &str, key: String, tensors: &[(&CheckedTensor<'_>, bool)]) -> Result<(), ModelError> {
        if let Some(known) = self.matrices.get(&key) {
            self.aliases.push([name.to_owned(), known.clone()]);
            return Ok(());
        }
        self.matrices.insert(key, name.to_owned());
        let outputs_of = |&(tensor, is_table): &(&CheckedTensor<'_>, bool)| {
            if is_table { tensor.rows() } else { tensor.cols() }
        };
        let outputs = tensors.iter().map(outputs_of).sum();
        let inputs =
            tensors.first().map_or(0, |&(tensor, is_table)| if is_table { tensor.cols() } else { tensor.rows() });
        if self.precision != StoredPrecision::Int8 {
            let mut numbers = Vec::with_capacity(outputs * inputs);
            for &(tensor, is_table) in tensors {
                let own = tensor.numbers();
                match is_table {
                    true => numbers.extend_from_slice(&own),
                    false => numbers.extend(transpose(&own, tensor.rows(), tensor.cols())),
                }
            }
            self.floats(name, &[outputs, inputs], &numbers);
            return Ok(());
        }
        let (mut integers, mut factors) = (Vec::with_capacity(outputs * inputs), Vec::new());
        for &(tensor, is_table) in tensors {
            let (own, scales) = tensor.stored().to_int8(is_table);
            let own = if is_table { own } else { transpose(&own, tensor.rows(), tensor.cols()) };
            integers.extend(own.into_iter().map(|integer| integer as u8));
            // Integers are divided by the factors there.
            factors.extend(scales.iter().flat_map(|scale| (1.0 / scale).to_le_bytes()));
        }
        self.add(name, &[outputs, inputs], I8, integers);
        self.add(&format!("{name}_scale"), &[outputs], F32, factors);
        Ok(())
    }

    /// Writes the file.
    pub(super) fn write(&self, path: &Path) -> Result<(), ModelError> {
        let fill = || {
            let mut file = BufWriter::new(File::create(path)?);
            file.write_all(&VERSION.to_le_bytes())?;
            write_text(&mut file, SPECIFICATION)?;
            file.write_all(&REVISION.to_le_bytes())?;
            file.write_all(&(self.variables.len() as u32).to_le_bytes())?;
            for Variable { name, shape, kind, bytes } in &self.variables {
                write_text(&mut file, name)?;
                file.write_all(&[shape.len() as u8])?;
                shape.iter().try_for_each(|&size| file.write_all(&(size as u32).to_le_bytes()))?;
                file.write_all(&[*kind])?;
                file.write_all(&(bytes.len() as u32).to_le_bytes())?;
                file.write_all(bytes)?;
            }
            file.write_all(&(self.aliases.len() as u32).to_le_bytes())?;
            for name in self.aliases.iter().flatten() {
                write_text(&mut file, name)?;
            }
            file.flush()
        };
        fill().map_err(|e| ModelError::io(path, "write", e))
    }
}

/// A text: its length, its bytes, a zero.
fn write_text(file: &mut impl Write, text: &str) -> std::io::Result<()> {
    file.write_all(&(text.len() as u16 + 1).to_le_bytes())?;
    file.write_all(text.as_bytes())?;
    file.write_all(&[0])
}
