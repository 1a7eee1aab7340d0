//! The activities of an ensemble over a text, as products of all neurons with each other.

use super::activities::{Pass, Products, Runner, hidden, inputs};
use super::attention;
use super::choose::choose;
use super::dense::{Dense, largest_directions, least_squares};
use super::plan::{Layer, Map, Plan};
use crate::data::Batch;
use crate::unfold::{Table, UnfoldedNetwork, names};
use metaphrase_kernels::Matrix;
use metaphrase_models::config::RecurrentConfig;
use metaphrase_models::{Config, Weights};
use std::collections::BTreeMap;

/// The share of the layer's mean that is added to the activities of each neuron: less is lost in the rounding of f32.
pub(super) const RIDGE: f64 = 1e-6;

/// Members, how their layers hang together, and the products of their activities.
pub(super) struct Measurements {
    pub(super) plan: Plan,
    pub(super) members: Vec<Runner>,
    /// Sizes in the network that is made.
    sizes: BTreeMap<Layer, usize>,
    /// For each reading of the plan; empty for those of embeddings.
    readings: Vec<Dense>,
    hidden: Dense,
    /// Gram matrix of all neurons of attention and of the energies that they should have.
    attention: Dense,
    /// How often the text has each source word and each target word, and once more.
    counts: [Vec<f32>; 2],
}

/// How a layer becomes smaller.
pub(super) struct Smaller {
    /// The neurons that stay; none for embeddings.
    pub(super) kept: BTreeMap<Layer, Vec<usize>>,
    /// For each reading of the plan, all neurons as combinations of those that stay, `fewer × neurons`.
    pub(super) readings: Vec<Dense>,
    /// The same for the output layer.
    pub(super) hidden: Dense,
    /// `neurons × fewer`, of embeddings.
    pub(super) projections: [Dense; 2],
    /// From the neurons of attention that stay to the energy, `fewer × 1`.
    pub(super) v: Dense,
}

impl Measurements {
    pub(super) fn new(
        members: &[(Config, Weights)],
        unfolded: &UnfoldedNetwork,
        network: &RecurrentConfig,
        batches: &[Batch],
    ) -> Result<Self, String> {
        let plan = Plan::new(names(&unfolded.config, network)).ok_or("the models are no conditional GRUs")?;
        let tables = [&plan.source, &plan.target].map(|name| unfolded.tensors[name].rows);
        let (e, d, a) = (network.dim_emb, network.dim_rnn, network.dim_annotations());
        let sizes = [
            (Layer::Source, e),
            (Layer::Target, e),
            (Layer::Forward, d),
            (Layer::Backward, d),
            (Layer::Annotations, a),
            (Layer::State, d),
            (Layer::Attention, a),
            (Layer::Hidden, e),
        ];
        let members = members.iter().map(|(config, weights)| runner(config, weights)).collect::<Result<_, _>>()?;
        let none = || Dense::zeros(0, 0);
        let mut measured = Self {
            members,
            sizes: sizes.into(),
            readings: Vec::new(),
            hidden: none(),
            attention: none(),
            counts: tables.map(|words| vec![1.0; words]),
            plan,
        };
        measured.measure(batches)?;
        Ok(measured)
    }

    fn measure(&mut self, batches: &[Batch]) -> Result<(), String> {
        let mut readings: Vec<Products> = self.plan.readings.iter().map(|_| Products::new()).collect();
        let (mut hidden_products, mut attention_products) = (Products::new(), Products::new());
        for batch in batches {
            for (counts, side) in self.counts.iter_mut().zip([&batch.source, &batch.target]) {
                for word in side.all() {
                    let count = counts.get_mut(word.0 as usize);
                    *count.ok_or("the vocabularies have more words than the models")? += 1.0;
                }
            }
            let passes: Vec<Pass<'_>> = self.members.iter_mut().map(|member| member.pass(batch)).collect();
            for (reading, products) in self.plan.readings.iter().zip(&mut readings) {
                if !reading.from.is_linear() {
                    let x = inputs(&passes, &reading.at, reading.from.halves());
                    products.add(&x, &x);
                }
            }
            let x = hidden(&passes);
            hidden_products.add(&x, &x);
            let pairs = attention::rows(&passes, &passes, &self.plan.v);
            attention_products.add(&pairs, &pairs);
        }
        self.readings = readings.into_iter().map(Products::sum).collect();
        (self.hidden, self.attention) = (hidden_products.sum(), attention_products.sum());
        Ok(())
    }

    /// Chooses the neurons that stay, and explains the others by them.
    pub(super) fn smaller(&self, unfolded: &UnfoldedNetwork) -> Smaller {
        let mut kept = BTreeMap::new();
        for layer in [Layer::Forward, Layer::Backward, Layer::State, Layer::Hidden] {
            let gram = self.gram(layer);
            let targets = gram.times(&self.outgoing(layer, unfolded).cholesky());
            kept.insert(layer, choose(gram, targets, self.sizes[&layer]));
        }
        let second = unfolded.tensors[&self.plan.v].rows / 2;
        let backward = kept[&Layer::Backward].iter().map(|neuron| second + neuron);
        let annotations = kept[&Layer::Forward].iter().copied().chain(backward).collect();
        kept.insert(Layer::Annotations, annotations);
        let neurons: Vec<usize> = (0..self.attention.rows - 1).collect();
        let (gram, aim) = (self.attention.part(&neurons, &neurons), self.attention.part(&neurons, &[neurons.len()]));
        kept.insert(Layer::Attention, choose(gram, aim, self.sizes[&Layer::Attention]));
        let projections = [Layer::Source, Layer::Target].map(|layer| self.projection(layer, unfolded));
        let explained = |gram: &Dense, layer: Layer| match layer {
            Layer::Source => projections[0].1.clone(),
            Layer::Target => projections[1].1.clone(),
            layer => explain(gram, &kept[&layer]),
        };
        let with_grams = self.plan.readings.iter().zip(&self.readings);
        let readings = with_grams.map(|(reading, gram)| explained(gram, reading.from)).collect();
        let hidden = explained(&self.hidden, Layer::Hidden);
        let v = energies(&self.attention, &kept[&Layer::Attention]);
        Smaller { readings, hidden, v, projections: projections.map(|(projection, _)| projection), kept }
    }

    /// The products of the neurons of a layer with each other, over all that reads the layer.
    fn gram(&self, layer: Layer) -> Dense {
        if layer == Layer::Hidden {
            return self.hidden.clone();
        }
        let mut sum: Option<Dense> = None;
        for (reading, gram) in self.plan.readings.iter().zip(&self.readings) {
            let Some(neurons) = seen(layer, reading.from, gram.rows) else { continue };
            let part = gram.part(&neurons, &neurons);
            sum = Some(match sum {
                Some(sum) => sum.plus(1.0, &part),
                None => part,
            });
        }
        sum.unwrap_or_else(|| Dense::zeros(0, 0))
    }

    /// W · Wᵀ of all maps that read a layer: how much the next layers are changed by an error of the layer.
    fn outgoing(&self, layer: Layer, unfolded: &UnfoldedNetwork) -> Dense {
        let mut products = Products::new();
        if layer == Layer::Hidden {
            let table = matrix(&unfolded.tensors[&self.plan.output]);
            products.add(&table, &table);
            return products.sum();
        }
        for reading in &self.plan.readings {
            for Map { name, .. } in &reading.maps {
                let table = &unfolded.tensors[name];
                if let Some(neurons) = seen(layer, reading.from, table.rows) {
                    let outgoing = Dense::picking(&neurons, table.rows).times(&Dense::from_table(table));
                    let transposed = matrix(&outgoing.transposed().table());
                    products.add(&transposed, &transposed);
                }
            }
        }
        products.sum()
    }

    /// The projection of embeddings, and all numbers as combinations of the projected ones. It is the truncated
    /// singular value decomposition of what the maps make of the embeddings, weighted by how often the text has a word.
    fn projection(&self, layer: Layer, unfolded: &UnfoldedNetwork) -> (Dense, Dense) {
        let source = layer == Layer::Source;
        let (name, counts) =
            if source { (&self.plan.source, &self.counts[0]) } else { (&self.plan.target, &self.counts[1]) };
        let mut table = matrix(&unfolded.tensors[name]);
        for (row, count) in counts.iter().enumerate() {
            table.row_mut(row).iter_mut().for_each(|number| *number *= count.sqrt());
        }
        let mut products = Products::new();
        products.add(&table, &table);
        let gram = products.sum();
        let factor = self.outgoing(layer, unfolded).cholesky();
        let read = factor.transposed().times(&gram).times(&factor);
        let projection = factor.times(&largest_directions(&read, self.sizes[&layer]).transposed());
        let projected = projection.transposed().times(&gram);
        let among = projected.times(&projection);
        // Embeddings stay as large as they were, which matters to the optimizer of a further training.
        let scale = (gram.mean_of_diagonal() / among.mean_of_diagonal()).sqrt();
        let before = Dense::zeros(projected.rows, projected.columns);
        let all = least_squares(among, projected, &before, RIDGE * RIDGE);
        let scaled =
            |matrix: Dense, by: f64| Dense { numbers: matrix.numbers.iter().map(|x| x * by).collect(), ..matrix };
        (scaled(projection, scale), scaled(all, 1.0 / scale))
    }
}

/// The places of a layer's neurons among those that a reading sees; `None` if it sees others.
fn seen(layer: Layer, from: Layer, size: usize) -> Option<Vec<usize>> {
    match (layer, from) {
        (Layer::Forward, Layer::Annotations) => Some((0..size / 2).collect()),
        (Layer::Backward, Layer::Annotations) => Some((size / 2..size).collect()),
        _ => (layer == from).then(|| (0..size).collect()),
    }
}

/// All neurons as combinations of those that stay.
fn explain(gram: &Dense, kept: &[usize]) -> Dense {
    let all: Vec<usize> = (0..gram.rows).collect();
    least_squares(gram.part(kept, kept), gram.part(kept, &all), &Dense::picking(kept, gram.rows), RIDGE)
}

/// The map from neurons to the wanted energy of attention, which is the last row after all neurons.
pub(super) fn energies(products: &Dense, kept: &[usize]) -> Dense {
    let aim = products.part(kept, &[products.rows - 1]);
    least_squares(products.part(kept, kept), aim, &Dense::zeros(kept.len(), 1), RIDGE)
}

fn matrix(table: &Table) -> Matrix {
    Matrix::from_vec(table.rows, table.columns, table.numbers.clone())
}

/// A member that can be run.
fn runner(config: &Config, weights: &Weights) -> Result<Runner, String> {
    let mut tables = BTreeMap::new();
    for name in weights.names() {
        let Some(tensor) = weights.find(name) else { continue };
        if let [rows, columns] = *tensor.shape {
            tables.insert(name.to_owned(), Table { rows, columns, numbers: tensor.data.into_owned() });
        }
    }
    Runner::new(config, |name| tables.get(name)).map_err(|error| error.to_string())
}
