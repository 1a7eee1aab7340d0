//! The structure of each network, written once: its parts, and the name, shape and first values of each tensor.
//!
//! A structure is generic over what a tensor is. [`Network::build`] asks a [`Supply`] for one tensor after the other,
//! and each user of the structure brings its own supply:
//!
//! | user | a tensor is |
//! |---|---|
//! | inference: `transformer`, `recurrent` | a tensor of the model's file, which inference packs |
//! | training: `metaphrase_train::networks` | the id of a parameter |
//! | `inspect` and `convert` | `()`: the names and shapes are compared with those of the file |
//! | the count of a model's parameters | `()`: the sizes are added up |
//!
//! Matrices are `inputs × outputs`, vectors `1 × n`, tables of words `words × dimension`. [`Config::check`] has
//! accepted the settings before a structure is built from them; all accepted settings can be built.

pub mod recurrent;
pub mod transformer;

use crate::config::TiedEmbeddings;
use crate::{Architecture, Config};
use recurrent::Recurrent;
use transformer::Transformer;

/// The numbers of a tensor before the first update of a training run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Init {
    /// All numbers are the same.
    Constant(f32),
    /// Uniform in ±√(6 / (rows + columns)) (Glorot and Bengio 2010).
    Glorot,
    /// Uniform in ±√(6 / rows), for maps that a ReLU follows, which halves the variance (He et al. 2015).
    He,
    /// Uniform in ±limit.
    Uniform(f32),
}

/// Supplies the tensors that a structure consists of.
pub trait Supply {
    /// The role of a tensor.
    type Tensor;
    /// Why there is no such tensor.
    type Error;

    /// The tensor `name` of `shape`, which is `[rows, columns]`. Parts that ask for the same name share a tensor.
    ///
    /// # Errors
    /// If the supply has no tensor of this name and shape.
    fn tensor(&mut self, name: &str, shape: [usize; 2], init: Init) -> Result<Self::Tensor, Self::Error>;

    /// The number of rows of the tensor `name`, which the settings leave open: `default`, unless the tensor exists.
    fn rows(&self, _name: &str, default: usize) -> usize {
        default
    }
}

/// A part whose tensors come from `S`, or why there is no such part.
type PartResult<S, P> = Result<P, <S as Supply>::Error>;

/// The structure of a network of any architecture.
pub enum Network<T> {
    /// Attention throughout, or an SSRU or average attention in the decoder.
    Transformer(Box<Transformer<T>>),
    /// GRU, LSTM and the like with one attention.
    Recurrent(Box<Recurrent<T>>),
}

impl<T> Network<T> {
    /// The network that `config` describes.
    ///
    /// # Errors
    /// The first error of the supply.
    pub fn build<S: Supply<Tensor = T>>(config: &Config, supply: &mut S) -> Result<Self, S::Error> {
        Ok(match &config.architecture {
            Architecture::Transformer(network) => {
                Self::Transformer(Box::new(Transformer::build(config, network, supply)?))
            }
            Architecture::Recurrent(network) => Self::Recurrent(Box::new(Recurrent::build(config, network, supply)?)),
        })
    }

    /// The tables of words.
    #[must_use]
    pub const fn words(&self) -> &WordTables<T> {
        match self {
            Self::Transformer(network) => &network.words,
            Self::Recurrent(network) => &network.words,
        }
    }
}

/// The embeddings and the output layer. Tied tables are one tensor.
pub struct WordTables<T> {
    /// `words × embedding size`, of source words.
    pub source: T,
    /// `words × embedding size`, of target words.
    pub target: T,
    /// The output layer, `words × inputs`.
    pub output: T,
    /// `1 × words`, added to the output layer's product.
    pub output_bias: Option<T>,
}

/// The output layer of a network.
struct OutputLayer<'a> {
    /// The prefix of the names of its tensors: `{name}_Wt`, unless the weights are tied, and `{name}_b`.
    name: &'a str,
    /// The numbers that it reads.
    inputs: usize,
    has_bias: bool,
}

impl<T> WordTables<T> {
    /// The tables of a network with embeddings of size `dim`.
    fn build<S: Supply<Tensor = T>>(
        supply: &mut S,
        config: &Config,
        tied: TiedEmbeddings,
        dim: usize,
        output: OutputLayer<'_>,
    ) -> Result<Self, S::Error> {
        let words = config.target_words;
        // ±√(3 / dim): as for a Glorot map that has only outputs.
        let uniform = Init::Uniform((3.0 / dim as f32).sqrt());
        let table = match tied.output_table() {
            Some(name) => supply.tensor(name, [words, dim], uniform)?,
            None => supply.tensor(&format!("{}_Wt", output.name), [words, output.inputs], Init::Glorot)?,
        };
        let bias = output.has_bias.then(|| {
            let name = format!("{}_b", output.name);
            supply.tensor(&name, [1, words], Init::Constant(0.0))
        });
        Ok(Self {
            output: table,
            output_bias: bias.transpose()?,
            source: supply.tensor(tied.source_table(), [config.source_words, dim], uniform)?,
            target: supply.tensor(tied.target_table(), [words, dim], uniform)?,
        })
    }
}
