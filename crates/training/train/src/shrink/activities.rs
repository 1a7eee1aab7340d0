//! The activities of networks' neurons over a text, by the forward pass of training.

use super::dense::Dense;
use crate::data::Batch;
use crate::networks::{Dropout, LossSettings, Network, NetworkError};
use crate::parameters::{ParameterId, Parameters};
use crate::tape::{AdditiveAttention, Tape, Var};
use crate::unfold::Table;
use metaphrase_device::Host;
use metaphrase_kernels::{Matrix, Precision, ProductStorage, transposed_product_add};
use metaphrase_models::Config;

/// A network that can be run over a text.
pub(super) struct Runner {
    network: Network,
    parameters: Parameters,
    host: Host,
}

impl Runner {
    /// A network whose tensors `table` knows by their names.
    pub(super) fn new<'t>(config: &Config, table: impl Fn(&str) -> Option<&'t Table>) -> Result<Self, NetworkError> {
        let mut parameters = Parameters::new(0);
        let network = Network::declare(config, &mut parameters)?;
        let mut runner = Self { network, parameters, host: Host::default() };
        let names: Vec<String> = runner.parameters.iter().map(|(name, _)| name.to_owned()).collect();
        for name in names {
            let table = table(&name).ok_or_else(|| NetworkError(format!("there is no tensor `{name}`")))?;
            runner.set(&name, table)?;
        }
        Ok(runner)
    }

    /// Gives a tensor new numbers.
    pub(super) fn set(&mut self, name: &str, table: &Table) -> Result<(), NetworkError> {
        let Some(id) = self.parameters.find(name) else { return Ok(()) };
        let fits = table.numbers.len() == table.rows * table.columns;
        let value = fits.then(|| Matrix::from_vec(table.rows, table.columns, table.numbers.clone()));
        let set = value.map(|value| self.parameters.set(id, &value));
        match set {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(NetworkError(error.to_string())),
            None => Err(NetworkError(format!("tensor `{name}` has not as many numbers as its shape"))),
        }
    }

    /// A pass over a batch.
    pub(super) fn pass(&mut self, batch: &Batch) -> Pass<'_> {
        let Self { network, parameters, host } = self;
        let mut tape = Tape::new(parameters, None, None, host);
        let hidden = network.output(&mut tape, batch);
        Pass { tape, parameters, hidden }
    }

    /// The sum of -ln p of all target words of a batch.
    pub(super) fn loss(&mut self, batch: &Batch) -> f64 {
        let Self { network, parameters, host } = self;
        let mut tape = Tape::new(parameters, None, None, host);
        network.loss(&mut tape, batch, &Dropout::NONE, &LossSettings::PLAIN, 1.0).loss
    }
}

/// A batch as a network sees it.
pub(super) struct Pass<'a> {
    tape: Tape<'a, Host>,
    parameters: &'a Parameters,
    hidden: Var,
}

impl Pass<'_> {
    /// The inputs of the maps by this tensor.
    fn inputs_of(&self, tensor: &str) -> Vec<&Matrix> {
        self.id(tensor).map_or(Vec::new(), |id| self.tape.inputs_of(id))
    }

    /// The attentions with this `v`, with their weights.
    pub(super) fn attentions(&self, v: &str) -> Vec<(&AdditiveAttention, &Matrix)> {
        self.id(v).map_or(Vec::new(), |id| self.tape.attentions_of(id))
    }

    pub(super) fn value(&self, x: Var) -> &Matrix {
        self.tape.value(x)
    }

    fn id(&self, tensor: &str) -> Option<ParameterId> {
        self.parameters.find(tensor)
    }
}

/// The members' activities side by side at the maps by a tensor.
pub(super) fn inputs(members: &[Pass<'_>], tensor: &str, halves: usize) -> Matrix {
    side_by_side(&members.iter().map(|pass| pass.inputs_of(tensor)).collect::<Vec<_>>(), halves)
}

/// The members' activities side by side at the output layer.
pub(super) fn hidden(members: &[Pass<'_>]) -> Matrix {
    side_by_side(&members.iter().map(|pass| vec![pass.tape.value(pass.hidden)]).collect::<Vec<_>>(), 1)
}

/// The rows of several matrices of each member, one matrix after the other, the members side by side. Matrices of
/// `halves` halves have the members side by side in each.
fn side_by_side(members: &[Vec<&Matrix>], halves: usize) -> Matrix {
    let count = members.first().map_or(0, Vec::len);
    let rows: usize = members.first().map_or(0, |matrices| matrices.iter().map(|matrix| matrix.rows()).sum());
    let columns: usize = members.iter().filter_map(|matrices| matrices.first()).map(|matrix| matrix.cols()).sum();
    let mut joined = Vec::with_capacity(rows * columns);
    for i in 0..count {
        for row in 0..members[0][i].rows() {
            for half in 0..halves {
                for matrices in members {
                    let size = matrices[i].cols() / halves;
                    joined.extend_from_slice(&matrices[i].row(row)[half * size..(half + 1) * size]);
                }
            }
        }
    }
    Matrix::from_vec(rows, columns, joined)
}

/// The sum over a text of the products xᵀ · y.
pub(super) struct Products {
    sum: Option<Dense>,
    storage: ProductStorage,
}

impl Products {
    pub(super) fn new() -> Self {
        Self { sum: None, storage: ProductStorage::default() }
    }

    /// Adds those of some words: within a batch in f32, over batches in f64.
    pub(super) fn add(&mut self, x: &Matrix, y: &Matrix) {
        let mut products = Matrix::zeros(x.cols(), y.cols());
        transposed_product_add(Precision::F32, x, y, &mut products, &mut self.storage);
        let sum = self.sum.get_or_insert_with(|| Dense::zeros(x.cols(), y.cols()));
        sum.numbers.iter_mut().zip(products.as_slice()).for_each(|(sum, &product)| *sum += f64::from(product));
    }

    /// The sum; a matrix without rows and columns if nothing was added.
    pub(super) fn sum(self) -> Dense {
        self.sum.unwrap_or_else(|| Dense::zeros(0, 0))
    }
}
