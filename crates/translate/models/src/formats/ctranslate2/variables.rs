//! `model.bin`: variables by name, each a scalar or an array.

use super::FORMAT;
use crate::ModelError;
use crate::buffer::Slice;
use crate::stored::{Encoding, decode, elements};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The newest version of the file's layout that is known.
const VERSION: u32 = 6;
/// The newest revision of the specification that is known.
const REVISION: u32 = 7;
/// Arrays have at most two dimensions in a Transformer, and some more in other models.
const MAX_RANK: u8 = 8;

/// The variables of a model. Each is asked for by name; those that nobody asks for are features that are not
/// implemented, see [`check_all_used`](Self::check_all_used).
#[derive(Clone)]
pub(super) struct Variables {
    path: PathBuf,
    /// The version of the file's layout.
    pub(super) version: u32,
    variables: BTreeMap<String, Variable>,
    /// Other names of variables.
    aliases: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

/// A scalar or an array.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    /// Empty for a scalar.
    pub(super) shape: Vec<usize>,
    pub(super) encoding: Encoding,
    /// Exactly as many bytes as the shape and the encoding call for.
    pub(super) bytes: Slice,
}

impl Variable {
    /// The numbers, as they stand in the file.
    pub(super) fn numbers(&self) -> Vec<f32> {
        decode(self.encoding, self.bytes.bytes()).into_owned()
    }

    /// Whether two tables of vectors of `dim` numbers are the same as far as both go.
    pub(super) fn same_start(&self, other: &Self, dim: usize) -> bool {
        let is_table = |table: &Self| matches!(table.shape[..], [_, cols] if cols == dim);
        let (one, two) = (self.bytes.bytes(), other.bytes.bytes());
        let shared = one.len().min(two.len());
        is_table(self) && is_table(other) && self.encoding == other.encoding && one[..shared] == two[..shared]
    }
}

impl Variables {
    /// Reads the file with the content `bytes`.
    pub(super) fn parse(path: &Path, bytes: &Slice) -> Result<Self, ModelError> {
        let mut reader = Reader { path, bytes, at: 0 };
        let version = reader.u32("the version")?;
        if !(1..=VERSION).contains(&version) {
            let reads = format!("this program reads versions 1 to {VERSION}; convert the model with CTranslate2 4");
            return Err(ModelError::unsupported(path, format!("version {version} of CTranslate2's files"), reads));
        }
        let (specification, revision) = match version {
            1 => (String::new(), 1),
            _ => (reader.name("the specification")?, reader.u32("the revision")?),
        };
        check_specification(path, &specification, revision)?;
        let mut variables = BTreeMap::new();
        for _ in 0..reader.u32("the number of variables")? {
            let name = reader.name("the name of a variable")?;
            let name = if revision == 1 { from_opennmt_tf(&name) } else { name };
            let variable = reader.variable(&name, version)?;
            if variables.insert(name.clone(), variable).is_some() {
                return Err(ModelError::malformed(path, FORMAT, format!("two variables are called `{name}`")));
            }
        }
        let mut aliases = BTreeMap::new();
        if version >= 3 {
            for _ in 0..reader.u32("the number of aliases")? {
                let alias = reader.name("the name of an alias")?;
                aliases.insert(alias, reader.name("the variable of an alias")?);
            }
        }
        if reader.at < bytes.bytes().len() {
            let problem = format!("{} bytes follow the last variable", bytes.bytes().len() - reader.at);
            return Err(ModelError::malformed(path, FORMAT, problem));
        }
        let mut all = Self { path: path.to_owned(), version, variables, aliases, used: BTreeSet::new() };
        if specification == "TransformerBig" {
            all.variables.entry("num_heads".to_owned()).or_insert_with(|| scalar_of(16));
        }
        Ok(all)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name under which the variable of this name, or the one that it stands for, is stored.
    fn stored_name<'a>(&'a self, name: &'a str) -> &'a str {
        if self.variables.contains_key(name) {
            return name;
        }
        if let Some(variable) = self.aliases.get(name) {
            return variable;
        }
        // An alias of a matrix stands for the factors of its integers, too.
        let scale = |alias: &str| self.variables.get_key_value(&format!("{}_scale", self.aliases.get(alias)?));
        name.strip_suffix("_scale").and_then(scale).map_or(name, |(name, _)| name)
    }

    /// Whether two names stand for the same variable.
    pub(super) fn are_one(&self, one: &str, other: &str) -> bool {
        self.stored_name(one) == self.stored_name(other)
    }

    /// The variable of this name, if there is one.
    pub(super) fn find(&mut self, name: &str) -> Option<Variable> {
        let variable = self.variables.get(self.stored_name(name))?.clone();
        self.used.insert(name.to_owned());
        Some(variable)
    }

    /// The variable of this name.
    pub(super) fn get(&mut self, name: &str) -> Result<Variable, ModelError> {
        self.find(name).ok_or_else(|| ModelError::MissingTensor { path: self.path.clone(), tensor: name.to_owned() })
    }

    /// Whether there is a variable of this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.variables.contains_key(self.stored_name(name))
    }

    /// The shape of the variable of this name.
    pub(super) fn shape(&self, name: &str) -> Option<&[usize]> {
        Some(&self.variables.get(self.stored_name(name))?.shape)
    }

    /// The encoding of the variable of this name.
    pub(super) fn encoding(&self, name: &str) -> Option<Encoding> {
        Some(self.variables.get(self.stored_name(name))?.encoding)
    }

    /// A number, if there is one of this name.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<f32>, ModelError> {
        let Some(variable) = self.find(name) else { return Ok(None) };
        match variable.numbers()[..] {
            [number] => Ok(Some(number)),
            _ => Err(self.wrong_shape(name, &[], &variable.shape)),
        }
    }

    /// A setting of `side`, which older models have once for both sides.
    pub(super) fn setting(&mut self, side: &str, name: &str) -> Result<Option<f32>, ModelError> {
        let own = self.number(&format!("{side}/{name}"))?;
        let both = self.number(name)?;
        Ok(own.or(both))
    }

    /// A text, if there is one of this name.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let variable = self.find(name)?;
        Some(String::from_utf8_lossy(variable.bytes.bytes()).trim_end_matches('\0').to_owned())
    }

    /// Refuses a model with a variable that nobody asked for: a feature that changes translations. Settings that are
    /// zero are features that the model does not use.
    pub(super) fn check_all_used(&self) -> Result<(), ModelError> {
        let names = self.variables.keys().chain(self.aliases.keys()).filter(|name| !self.used.contains(*name));
        for name in names {
            let Some(variable) = self.variables.get(self.stored_name(name)) else { continue };
            if variable.shape.is_empty() && variable.numbers() == [0.0] {
                continue;
            }
            let what = format!("the variable `{name}` of this CTranslate2 model");
            return Err(ModelError::unsupported(&self.path, what, "it belongs to a network that is not implemented"));
        }
        Ok(())
    }

    pub(super) fn wrong_shape(&self, name: &str, expected: &[usize], got: &[usize]) -> ModelError {
        let (path, tensor) = (self.path.clone(), name.to_owned());
        ModelError::Shape { path, tensor, expected: expected.to_vec(), got: got.to_vec() }
    }
}

fn scalar_of(number: i8) -> Variable {
    let bytes = Slice::whole(crate::buffer::Buffer::Bytes(vec![number as u8]));
    Variable { shape: Vec::new(), encoding: Encoding::I8, bytes }
}

/// Refuses models that do not translate text.
fn check_specification(path: &Path, specification: &str, revision: u32) -> Result<(), ModelError> {
    let advice = match specification {
        "" | "TransformerSpec" | "TransformerBase" | "TransformerBig" if revision <= REVISION => return Ok(()),
        "TransformerSpec" => {
            let what = format!("revision {revision} of CTranslate2's TransformerSpec");
            return Err(ModelError::unsupported(path, what, format!("revisions up to {REVISION} are read")));
        }
        "TransformerDecoderSpec" | "TransformerDecoderModelSpec" => {
            "it is a language model without an encoder; models that translate with an encoder and a decoder are read"
        }
        "TransformerEncoderSpec" | "TransformerEncoderModelSpec" => {
            "it is an encoder without a decoder; models that translate with both are read"
        }
        "WhisperSpec" | "MoonshineSpec" => "it turns speech into text; models that translate text are read",
        _ => "models of the specification `TransformerSpec` are read",
    };
    let name: String = specification.chars().take(40).collect();
    Err(ModelError::unsupported(path, format!("a CTranslate2 model of the specification `{name}`"), advice))
}

/// The name of a variable of the first revision, which had the names of OpenNMT-tf.
fn from_opennmt_tf(name: &str) -> String {
    let name = name.replacen("transformer/", "", 1).replacen(":0", "", 1);
    let name = name.replacen("w_embs", "embeddings/weight", 1).replacen("kernel", "weight", 1);
    let name = name.replacen("LayerNorm", "layer_norm", 1).replacen("dense", "projection", 1);
    let name = name.replacen("conv1d_", "linear_", 1).replacen("conv1d", "linear_0", 1);
    if name.contains("masked_multi_head") {
        name.replacen("masked_multi_head", "self_attention", 1)
    } else if name.contains("encoder") {
        name.replacen("multi_head", "self_attention", 1)
    } else {
        name.replacen("multi_head", "attention", 1)
    }
}

/// Reads numbers, names and arrays one after the other; all lengths are compared with what is left of the file.
struct Reader<'a> {
    path: &'a Path,
    bytes: &'a Slice,
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize, what: &str) -> Result<Slice, ModelError> {
        let taken = self.at.checked_add(count).and_then(|end| self.bytes.part(self.at..end));
        let Some(taken) = taken else {
            let length = self.bytes.bytes().len();
            let problem = format!(
                "it is cut: {what} takes {count} bytes from byte {} on, and the file has {length}; get the file again",
                self.at
            );
            return Err(ModelError::malformed(self.path, FORMAT, problem));
        };
        self.at += count;
        Ok(taken)
    }

    fn number<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ModelError> {
        let taken = self.take(N, what)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(taken.bytes());
        Ok(bytes)
    }

    fn u8(&mut self, what: &str) -> Result<u8, ModelError> {
        Ok(self.number::<1>(what)?[0])
    }

    fn u32(&mut self, what: &str) -> Result<u32, ModelError> {
        self.number(what).map(u32::from_le_bytes)
    }

    /// A length of 16 bits, and as many bytes, of which the last is zero.
    fn name(&mut self, what: &str) -> Result<String, ModelError> {
        let length = usize::from(self.number(what).map(u16::from_le_bytes)?);
        let at = self.at;
        let taken = self.take(length, what)?;
        let text = std::str::from_utf8(taken.bytes()).ok().and_then(|text| text.strip_suffix('\0'));
        text.map(str::to_owned).ok_or_else(|| {
            ModelError::malformed(self.path, FORMAT, format!("{what} at byte {at} is no text that ends with a zero"))
        })
    }

    /// The shape, type and numbers of the variable `name`.
    fn variable(&mut self, name: &str, version: u32) -> Result<Variable, ModelError> {
        let refuse = |problem: String| Err(ModelError::tensor(self.path, name, problem));
        let what = format!("the variable `{name}`");
        let rank = self.u8(&what)?;
        if rank > MAX_RANK {
            return refuse(format!("it has {rank} dimensions, expected at most {MAX_RANK}; the file is damaged"));
        }
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.push(self.u32(&what)? as usize);
        }
        let kind = self.u8(&what)?;
        let Some(encoding) = encoding(kind, version) else {
            return refuse(format!("its numbers are of the unknown type {kind}; the file is damaged or newer"));
        };
        let stated = self.u32(&what)? as usize;
        let stated = if version >= 4 { Some(stated) } else { stated.checked_mul(encoding.width()) };
        let expected = elements(&shape).and_then(|count| count.checked_mul(encoding.width()));
        match (expected, stated) {
            (Some(expected), Some(stated)) if expected == stated => {
                Ok(Variable { shape, encoding, bytes: self.take(stated, &what)? })
            }
            _ => {
                let shape = crate::error::times(&shape);
                let stated = stated.map_or("more".to_owned(), |stated| stated.to_string());
                refuse(format!("it is {shape} of {encoding}, but takes {stated} bytes; the file is damaged"))
            }
        }
    }
}

/// The type of numbers: its code, or in older versions the bytes of a number.
fn encoding(kind: u8, version: u32) -> Option<Encoding> {
    Some(match (version >= 4, kind) {
        (true, 0) | (false, 4) => Encoding::F32,
        (true, 1) | (false, 1) => Encoding::I8,
        (true, 2) | (false, 2) => Encoding::I16,
        (true, 3) => Encoding::I32,
        (true, 4) => Encoding::F16,
        (true, 5) => Encoding::Bf16,
        _ => return None,
    })
}
