//! The smaller network, and its maps fitted to their inputs.

use super::activities::{Pass, Products, Runner, hidden, inputs};
use super::attention;
use super::dense::{Dense, least_squares};
use super::measure::{Measurements, Smaller, energies};
use super::plan::{Layer, Map};
use crate::data::Batch;
use crate::unfold::{Table, UnfoldedNetwork};
use metaphrase_models::Config;
use std::collections::BTreeMap;

/// The share of the layer's mean that is added to the activities of each neuron when a map is fitted again.
const RIDGE: f64 = 1e-4;

/// A network of the size of one member.
pub(super) struct FittedNetwork {
    config: Config,
    tensors: BTreeMap<String, Table>,
    runner: Runner,
    smaller: Smaller,
}

/// A part of the network that is fitted at a time.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The maps of a reading.
    Reading(usize),
    /// The energies of attention.
    Energies,
    /// The output layer.
    Output,
}

impl FittedNetwork {
    /// The neurons that stay, with the weights that come with them.
    pub(super) fn new(config: Config, unfolded: &UnfoldedNetwork, measured: &mut Measurements) -> Result<Self, String> {
        let smaller = measured.smaller(unfolded);
        let plan = &measured.plan;
        let mut tensors = BTreeMap::new();
        for (name, projection) in [&plan.source, &plan.target].into_iter().zip(&smaller.projections) {
            tensors.insert(name.clone(), Dense::from_table(&unfolded.tensors[name]).times(projection).table());
        }
        for bias in &plan.biases {
            let table = &unfolded.tensors[&bias.name];
            tensors.insert(bias.name.clone(), Dense::from_columns(table, &smaller.columns(bias, table)).table());
        }
        if let Some(bias) = &plan.output_bias {
            tensors.insert(bias.clone(), unfolded.tensors[bias].clone());
        }
        let readings = (0..plan.readings.len()).map(Part::Reading);
        for part in readings.chain([Part::Energies, Part::Output]) {
            tensors.extend(smaller.tensors(part, unfolded, measured));
        }
        let runner = Runner::new(&config, |name| tensors.get(name)).map_err(|error| error.to_string())?;
        Ok(Self { config, tensors, runner, smaller })
    }

    /// The sum of -ln p of a text's target words.
    pub(super) fn loss(&mut self, batches: &[Batch]) -> f64 {
        batches.iter().map(|batch| self.runner.loss(batch)).sum()
    }

    /// Fits all maps again, from the source to the output, to what they read. A fit by which the text becomes less
    /// probable is not kept. Returns the loss.
    pub(super) fn fit_again(
        &mut self,
        unfolded: &UnfoldedNetwork,
        measured: &mut Measurements,
        batches: &[Batch],
    ) -> Result<f64, String> {
        let mut parts: Vec<Part> = Vec::new();
        for (i, reading) in measured.plan.readings.iter().enumerate().filter(|(_, reading)| !reading.from.is_linear()) {
            parts.push(Part::Reading(i));
            // The keys come first, then all of attention is known but for the queries' state.
            if reading.maps.iter().any(|map| map.to == Layer::Attention) {
                parts.push(Part::Energies);
            }
        }
        parts.push(Part::Output);
        let mut loss = self.loss(batches);
        for part in parts {
            let coefficients = self.fitted(part, measured, batches);
            let before = self.smaller.replace(part, coefficients);
            let old = self.set(self.smaller.tensors(part, unfolded, measured))?;
            let new_loss = self.loss(batches);
            if new_loss < loss {
                loss = new_loss;
            } else {
                self.smaller.replace(part, before);
                self.set(old)?;
            }
        }
        Ok(loss)
    }

    /// The coefficients of a part, from its present inputs.
    fn fitted(&mut self, part: Part, measured: &mut Measurements, batches: &[Batch]) -> Dense {
        let (mut gram, mut cross) = (Products::new(), Products::new());
        for batch in batches {
            let (plan, members) = (&measured.plan, &mut measured.members);
            let full: Vec<Pass<'_>> = members.iter_mut().map(|member| member.pass(batch)).collect();
            let small = [self.runner.pass(batch)];
            let pair = |passes: &[Pass<'_>]| match part {
                Part::Reading(i) => {
                    let reading = &plan.readings[i];
                    inputs(passes, &reading.at, reading.from.halves())
                }
                Part::Energies => attention::rows(&full, &small, &plan.v),
                Part::Output => hidden(passes),
            };
            let x = pair(&small);
            gram.add(&x, &x);
            if !matches!(part, Part::Energies) {
                cross.add(&x, &pair(&full));
            }
        }
        let gram = gram.sum();
        match part {
            Part::Energies => energies(&gram, &(0..gram.rows - 1).collect::<Vec<_>>()),
            Part::Reading(i) => least_squares(gram, cross.sum(), &self.smaller.readings[i], RIDGE),
            Part::Output => least_squares(gram, cross.sum(), &self.smaller.hidden, RIDGE),
        }
    }

    /// Sets tensors; returns those before.
    fn set(&mut self, tensors: Vec<(String, Table)>) -> Result<Vec<(String, Table)>, String> {
        let mut before = Vec::new();
        for (name, table) in tensors {
            self.runner.set(&name, &table).map_err(|error| error.to_string())?;
            if let Some(old) = self.tensors.insert(name.clone(), table) {
                before.push((name, old));
            }
        }
        Ok(before)
    }

    pub(super) fn into_network(self) -> UnfoldedNetwork {
        UnfoldedNetwork { config: self.config, tensors: self.tensors }
    }
}

impl Smaller {
    /// The tensors of a part.
    fn tensors(&self, part: Part, unfolded: &UnfoldedNetwork, measured: &Measurements) -> Vec<(String, Table)> {
        let plan = &measured.plan;
        match part {
            Part::Energies => vec![(plan.v.clone(), self.v.table())],
            Part::Output => {
                let table = Dense::from_table(&unfolded.tensors[&plan.output]);
                vec![(plan.output.clone(), table.times(&self.hidden.transposed()).table())]
            }
            Part::Reading(i) => {
                let tensor = |map: &Map| {
                    let table = &unfolded.tensors[&map.name];
                    let columns = Dense::from_columns(table, &self.columns(map, table));
                    (map.name.clone(), self.readings[i].times(&columns).table())
                };
                plan.readings[i].maps.iter().map(tensor).collect()
            }
        }
    }

    /// The columns of a map or a bias that stay.
    fn columns(&self, map: &Map, table: &Table) -> Vec<usize> {
        let (kept, size) = (&self.kept[&map.to], table.columns / map.parts);
        (0..map.parts).flat_map(|part| kept.iter().map(move |neuron| part * size + neuron)).collect()
    }

    /// Sets the coefficients of a part; returns those before.
    fn replace(&mut self, part: Part, coefficients: Dense) -> Dense {
        let place = match part {
            Part::Reading(i) => &mut self.readings[i],
            Part::Energies => &mut self.v,
            Part::Output => &mut self.hidden,
        };
        std::mem::replace(place, coefficients)
    }
}
