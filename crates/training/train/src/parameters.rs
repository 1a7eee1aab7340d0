//! Parameters: named matrices, and their gradients.

use metaphrase_device::{Host, Parameter, Shape, Storage, Updates};
use metaphrase_kernels::Matrix;
pub use metaphrase_models::parts::Init;
use metaphrase_models::parts::Supply;
use metaphrase_models::parts::transformer::is_position_table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::convert::Infallible;

/// Which parameter of a [`Parameters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterId(u32);

impl ParameterId {
    /// Its place in the order in which parameters were declared.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Named matrices of `f32` under the names that `metaphrase_models` reads: maps are `inputs × outputs`, vectors
/// `1 × n`, tables `words × dimension`.
pub struct Parameters<D: Storage = Host> {
    seed: u64,
    names: Vec<String>,
    index: HashMap<String, ParameterId>,
    values: Vec<D::Parameter>,
}

/// The role of a parameter in a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A map of a layer, or several maps of one input, whose outputs stand one next to the other.
    Map {
        /// The number of maps: 1; 2 for the two gates of a GRU; 4 for the three gates and the candidate of an LSTM.
        parts: usize,
    },
    /// A table with a row for each word or position, the output layer, a bias, a scale or another vector.
    Other,
}

/// Endings of the names of tables of words. That of `Wt` is the output layer, where it is not the table of embeddings.
const TABLES: [&str; 2] = ["Wemb", "_Wt"];

/// A shape that is not the declared one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tensor `{name}` is {got_rows} × {got_cols}, the network of this recipe has {rows} × {cols}")]
pub struct ShapeError {
    name: String,
    rows: usize,
    cols: usize,
    got_rows: usize,
    got_cols: usize,
}

impl<D: Storage> Parameters<D> {
    /// Number of parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Names and matrices, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &D::Matrix)> {
        self.names.iter().map(String::as_str).zip(self.values.iter().map(D::value))
    }

    /// The parameter of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ParameterId> {
        self.index.get(name).copied()
    }

    /// A parameter's name.
    #[must_use]
    pub fn name(&self, id: ParameterId) -> &str {
        &self.names[id.index()]
    }

    /// The role of each parameter, in the order of declaration, from its name and shape.
    #[must_use]
    pub fn roles(&self) -> Vec<Role> {
        self.iter().map(|(name, value)| self.role(name, [value.rows(), value.cols()])).collect()
    }

    fn role(&self, name: &str, [rows, cols]: [usize; 2]) -> Role {
        if rows < 2 || cols < 2 || TABLES.iter().any(|table| name.ends_with(table)) || is_position_table(name) {
            return Role::Other;
        }
        // The maps of a cell, `W` from its input and `U` from its state, have an output for each of the state's numbers
        // and each gate. The input of `U` is the state.
        let cell = name.strip_suffix("_W").or_else(|| name.strip_suffix("_U"));
        let state = cell.and_then(|cell| self.find(&format!("{cell}_U"))).map(|u| self.value(u).rows());
        let parts = state.filter(|state| cols.is_multiple_of(*state)).map_or(1, |state| cols / state);
        Role::Map { parts }
    }

    /// A parameter's numbers.
    #[must_use]
    pub fn value(&self, id: ParameterId) -> &D::Matrix {
        D::value(self.parameter(id))
    }

    /// A parameter as products read it.
    pub(crate) fn parameter(&self, id: ParameterId) -> &D::Parameter {
        &self.values[id.index()]
    }

    /// All parameters, to be changed, in the order of declaration.
    pub(crate) fn all_mut(&mut self) -> &mut [D::Parameter] {
        &mut self.values
    }

    /// All matrices, to be changed; [`renew`](Self::renew) has to follow.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut D::Matrix> {
        self.values.iter_mut().map(D::value_mut)
    }

    /// Lets products read the matrices as they are now.
    pub(crate) fn renew(&mut self, shards: &mut [D])
    where
        D: Updates,
    {
        D::renew(shards, &mut self.values);
    }
}

impl Parameters {
    /// No parameters; those to come are drawn from this seed, each by its name, in any order of declaration.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, names: Vec::new(), index: HashMap::new(), values: Vec::new() }
    }

    /// The parameter of this name, new if there is none: parts of a network that share a name share a parameter.
    ///
    /// # Panics
    /// If it was declared with another shape, which is a mistake in a network's code.
    pub fn declare(&mut self, name: &str, rows: usize, cols: usize, init: Init) -> ParameterId {
        if let Some(&id) = self.index.get(name) {
            let old = self.value(id);
            assert_eq!((old.rows(), old.cols()), (rows, cols), "{name} is declared with two shapes");
            return id;
        }
        let mut value = Matrix::zeros(rows, cols);
        let limit = match init {
            Init::Constant(_) => 0.0,
            Init::Glorot => (6.0 / (rows + cols) as f32).sqrt(),
            Init::He => (6.0 / rows as f32).sqrt(),
            Init::Uniform(limit) => limit,
        };
        if let Init::Constant(constant) = init {
            value.as_mut_slice().fill(constant);
        } else {
            let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ hash(name));
            value.as_mut_slice().fill_with(|| (random.random::<f32>() * 2.0 - 1.0) * limit);
        }
        let id = ParameterId(self.values.len() as u32);
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), id);
        self.values.push(Parameter::new(value));
        id
    }

    /// A copy in the memory of a device.
    pub(crate) fn on<D: Storage>(&self, device: &mut D) -> Parameters<D> {
        let values = self.iter().map(|(_, value)| device.parameter(value.clone())).collect();
        Parameters { seed: self.seed, names: self.names.clone(), index: self.index.clone(), values }
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// If it has another shape.
    pub fn set(&mut self, id: ParameterId, value: &Matrix) -> Result<(), ShapeError> {
        let old = self.value(id);
        if (old.rows(), old.cols()) != (value.rows(), value.cols()) {
            return Err(ShapeError {
                name: self.names[id.index()].clone(),
                rows: old.rows(),
                cols: old.cols(),
                got_rows: value.rows(),
                got_cols: value.cols(),
            });
        }
        self.values[id.index()] = Parameter::new(value.clone());
        Ok(())
    }
}

/// A network that is built from parameters declares them.
impl Supply for Parameters {
    type Tensor = ParameterId;
    type Error = Infallible;

    fn tensor(&mut self, name: &str, [rows, cols]: [usize; 2], init: Init) -> Result<ParameterId, Infallible> {
        Ok(self.declare(name, rows, cols, init))
    }
}

/// FNV-1a.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// One matrix per parameter, of its shape: the derivatives of the loss.
#[derive(Debug, Clone, Default)]
pub struct Gradients<M = Matrix>(Vec<M>);

impl Gradients {
    /// Zeros in the memory of the CPU.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Self::on(&mut Host::default(), parameters)
    }
}

impl<M: Shape> Gradients<M> {
    /// Zeros in the memory of a device.
    pub fn on<D: Storage<Matrix = M>>(device: &mut D, parameters: &Parameters<D>) -> Self {
        Self(parameters.iter().map(|(_, value)| device.zeros(value.rows(), value.cols())).collect())
    }

    /// Zeros again.
    pub(crate) fn clear<D: Storage<Matrix = M>>(&mut self, device: &mut D) {
        device.clear_all(&mut self.0);
    }

    /// One per parameter.
    #[must_use]
    pub fn matrices(&self) -> &[M] {
        &self.0
    }

    /// One per parameter.
    pub(crate) fn matrices_mut(&mut self) -> &mut [M] {
        &mut self.0
    }

    /// The gradient of one parameter.
    pub(crate) fn get_mut(&mut self, id: ParameterId) -> &mut M {
        &mut self.0[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_drawn_by_its_name() {
        let (mut a, mut b) = (Parameters::new(7), Parameters::new(7));
        let in_a = a.declare("W", 3, 5, Init::Glorot);
        b.declare("other", 2, 2, Init::Glorot);
        let in_b = b.declare("W", 3, 5, Init::Glorot);
        assert_eq!(a.value(in_a), b.value(in_b));
        let limit = (6.0_f32 / 8.0).sqrt();
        assert!(a.value(in_a).as_slice().iter().all(|v| v.abs() <= limit && *v != 0.0));
        assert_eq!(a.declare("W", 3, 5, Init::Constant(1.0)), in_a, "a shared name is a shared parameter");
        let mut other = Parameters::new(8);
        let id = other.declare("W", 3, 5, Init::Glorot);
        assert_ne!(other.value(id), a.value(in_a));
    }

    #[test]
    fn maps_are_told_from_tables_and_vectors() {
        let mut parameters = Parameters::new(1);
        let (map, gates) = (Role::Map { parts: 1 }, Role::Map { parts: 2 });
        let expected = [
            ("encoder_Wemb", [30, 8], Role::Other),
            ("Wpos", [20, 8], Role::Other),
            ("decoder_ff_logit_l2_Wt", [30, 8], Role::Other),
            ("decoder_ff_logit_l2_b", [1, 30], Role::Other),
            ("encoder_l1_self_Wq", [8, 8], map),
            ("encoder_l1_self_relative_keys", [5, 4], Role::Other),
            ("encoder_l1_ffn_W1", [8, 24], map),
            ("decoder_l1_rnn_W", [8, 8], map),
            ("encoder_bi_W", [5, 16], gates),
            ("encoder_bi_U", [8, 16], gates),
            ("encoder_bi_Ux", [8, 8], map),
            ("decoder_cell1_W", [6, 32], Role::Map { parts: 4 }),
            ("decoder_cell1_U", [8, 32], Role::Map { parts: 4 }),
            ("decoder_fc1_W", [5, 10], map),
            ("decoder_U_att", [8, 1], Role::Other),
        ];
        for (name, [rows, cols], _) in expected {
            parameters.declare(name, rows, cols, Init::Glorot);
        }
        for (role, (name, _, expected)) in parameters.roles().into_iter().zip(expected) {
            assert_eq!(role, expected, "{name}");
        }
    }

    #[test]
    fn another_shape_is_refused() {
        let mut parameters = Parameters::new(1);
        let id = parameters.declare("W", 2, 2, Init::Constant(0.0));
        let error = parameters.set(id, &Matrix::zeros(2, 3)).unwrap_err();
        assert_eq!(error.to_string(), "tensor `W` is 2 × 3, the network of this recipe has 2 × 2");
    }
}
