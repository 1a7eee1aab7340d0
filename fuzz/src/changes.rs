//! What can be changed in a sound model.

use crate::arrays::{Array, Kind};
use crate::models::{Base, Family, SETTINGS};
use arbitrary::Arbitrary;

/// A change to a model: numbers choose tensors and lines, whatever they are.
#[derive(Clone, Debug, Arbitrary)]
pub enum Change {
    DropTensor(u8),
    SwapNames(u8, u8),
    Rename { tensor: u8, name: String },
    Reshape { tensor: u8, shape: Vec<Size>, fit: bool },
    TurnShape { tensor: u8 },
    Retype { tensor: u8, kind: Kind, fit: bool },
    Fill { tensor: u8, value: Value },
    Byte { tensor: u8, at: u16, value: u8 },
    DropLine(u8),
    SetLine { line: u8, value: Setting },
    AddLine { key: u8, value: Setting },
    AddText(String),
    DropSettings,
}

/// A size of a dimension.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum Size {
    Small(u8),
    Medium(i16),
    Any(i64),
}

/// A number that weights do not have.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum Value {
    Zero,
    NotANumber,
    Infinite,
    MinusInfinite,
    Largest,
    Any(f32),
}

/// What a line of settings may say.
#[derive(Clone, Debug, Arbitrary)]
pub enum Setting {
    Word(u8),
    Number(i64),
    Small(u8),
    Float(f32),
    Numbers(Vec<u8>),
    Text(String),
}

const WORDS: &[&str] = &[
    "true",
    "false",
    "n",
    "",
    "dan",
    "dhn",
    "r",
    "h",
    "a",
    "transformer",
    "s2s",
    "amun",
    "nematus",
    "gru",
    "gru-nematus",
    "lstm",
    "mlstm",
    "mgru",
    "tanh",
    "relu",
    "sru",
    "ssru",
    "swish",
    "gelu",
    "sigmoid",
    "rnn",
    "self-attention",
    "average-attention",
    "bidirectional",
    "bi-unidirectional",
    "alternating",
    "last",
    "null",
    "~",
    "[]",
    "{}",
    "\"n\"",
    "\"gru\"",
    "\"\"",
    "\"trained\"",
    "\"none\"",
    "{ ssru = { projection = true } }",
    "\"self-attention\"",
];

const KEYS: &[&str] = &[
    "type",
    "dim-vocabs",
    "dim-emb",
    "dim-rnn",
    "enc-type",
    "enc-cell",
    "enc-cell-depth",
    "enc-depth",
    "dec-cell",
    "dec-cell-base-depth",
    "dec-cell-high-depth",
    "dec-depth",
    "skip",
    "layer-normalization",
    "tied-embeddings",
    "tied-embeddings-src",
    "tied-embeddings-all",
    "transformer-heads",
    "transformer-no-projection",
    "transformer-rnn-projection",
    "transformer-dim-ffn",
    "transformer-decoder-dim-ffn",
    "transformer-ffn-depth",
    "transformer-ffn-activation",
    "transformer-dim-aan",
    "transformer-aan-depth",
    "transformer-aan-nogate",
    "transformer-decoder-autoreg",
    "transformer-tied-layers",
    "transformer-guided-alignment-layer",
    "transformer-preprocess",
    "transformer-postprocess",
    "transformer-postprocess-emb",
    "transformer-postprocess-top",
    "transformer-train-position-embeddings",
    "output-omit-bias",
    "decoding",
    "beam-size",
    "never",
];

impl Setting {
    fn text(&self) -> String {
        match self {
            Self::Word(word) => WORDS[usize::from(*word) % WORDS.len()].to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Small(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Numbers(numbers) => format!("{numbers:?}"),
            Self::Text(text) => text.clone(),
        }
    }
}

impl Value {
    fn bytes(self) -> [u8; 4] {
        let value = match self {
            Self::Zero => 0.0,
            Self::NotANumber => f32::NAN,
            Self::Infinite => f32::INFINITY,
            Self::MinusInfinite => f32::NEG_INFINITY,
            Self::Largest => f32::MAX,
            Self::Any(value) => value,
        };
        value.to_le_bytes()
    }
}

impl Size {
    fn number(self) -> i64 {
        match self {
            Self::Small(size) => size.into(),
            Self::Medium(size) => size.into(),
            Self::Any(size) => size,
        }
    }
}

/// The model's settings and tensors after the changes; the settings are one of the tensors in a model of Marian's.
#[must_use]
pub fn changed(base: &Base, changes: &[Change]) -> (String, Vec<Array>) {
    let mut arrays = base.arrays.clone();
    let mut lines: Vec<String> = base.settings.lines().map(str::to_owned).collect();
    let mut without_settings = false;
    for change in changes {
        match change {
            Change::DropSettings => without_settings = true,
            Change::DropLine(_) | Change::SetLine { .. } | Change::AddLine { .. } | Change::AddText(_) => {
                change_lines(&mut lines, change);
            }
            _ if !arrays.is_empty() => change_arrays(&mut arrays, change),
            _ => {}
        }
    }
    let settings = lines.join("\n");
    if base.family == Family::Marian && !without_settings && !settings.is_empty() {
        let bytes = [settings.as_bytes(), &[0]].concat();
        arrays.push(Array { name: SETTINGS.into(), kind: Kind::I8, shape: vec![bytes.len() as i64], bytes });
    }
    (settings, arrays)
}

fn change_lines(lines: &mut Vec<String>, change: &Change) {
    let count = lines.len().max(1);
    match change {
        Change::DropLine(line) if !lines.is_empty() => drop(lines.remove(usize::from(*line) % count)),
        Change::SetLine { line, value } => {
            let Some(text) = lines.get_mut(usize::from(*line) % count) else { return };
            let Some(at) = text.find([':', '=']) else { return };
            let comma = if text.ends_with(',') { "," } else { "" };
            *text = format!("{} {}{comma}", &text[..=at], value.text());
        }
        Change::AddLine { key, value } => {
            lines.push(format!("{}: {}", KEYS[usize::from(*key) % KEYS.len()], value.text()))
        }
        Change::AddText(text) => lines.push(text.clone()),
        _ => {}
    }
}

fn change_arrays(arrays: &mut Vec<Array>, change: &Change) {
    let count = arrays.len();
    let at = |tensor: u8| usize::from(tensor) % count;
    match change {
        Change::DropTensor(tensor) => drop(arrays.remove(at(*tensor))),
        Change::SwapNames(a, b) => {
            let name = arrays[at(*a)].name.clone();
            arrays[at(*a)].name = std::mem::replace(&mut arrays[at(*b)].name, name);
        }
        Change::Rename { tensor, name } => arrays[at(*tensor)].name.clone_from(name),
        Change::Reshape { tensor, shape, fit } => {
            let array = &mut arrays[at(*tensor)];
            array.shape = shape.iter().take(10).map(|size| size.number()).collect();
            if *fit {
                array.fit();
            }
        }
        Change::TurnShape { tensor } => arrays[at(*tensor)].shape.reverse(),
        Change::Retype { tensor, kind, fit } => {
            let array = &mut arrays[at(*tensor)];
            array.kind = *kind;
            if *fit {
                array.fit();
            }
        }
        Change::Fill { tensor, value } => {
            let array = &mut arrays[at(*tensor)];
            array.bytes.as_chunks_mut().0.iter_mut().for_each(|chunk| *chunk = value.bytes());
        }
        Change::Byte { tensor, at: byte, value } => {
            let array = &mut arrays[at(*tensor)];
            let length = array.bytes.len().max(1);
            if let Some(byte) = array.bytes.get_mut(usize::from(*byte) % length) {
                *byte ^= value;
            }
        }
        _ => {}
    }
}
