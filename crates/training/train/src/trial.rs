//! Whether a device can be trusted: the gradients of a small batch and a few updates have to be those of the CPU.

use crate::data::{Batch, Sentences};
use crate::networks::Network;
use crate::optimizer::{Optimizer, OptimizerSettings, Schedule};
use crate::parameters::{Gradients, Init, Parameters};
use crate::tape::Tape;
use crate::trainer::{TrainerSettings, word_weight};
use metaphrase_base::WordId;
use metaphrase_device::{Device, Failure, Host, TrainingPrecision};
use metaphrase_kernels::Matrix;

/// Why a device is not used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The device has failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The device does not agree with the CPU.
    #[error(
        "{device} does not compute what the CPU does: {what} differs by {difference:e}, at most {allowed:e} was \
         expected; nothing was trained, the device `cpu` can be used"
    )]
    Differs {
        /// The device's name.
        device: String,
        /// The number that differs: the loss, the gradient of a tensor, or a part of an update.
        what: String,
        /// The largest difference.
        difference: f32,
        /// The difference that rounding can explain.
        allowed: f32,
    },
}

/// A network and how it is trained.
#[derive(Clone, Copy)]
struct Task<'a> {
    network: &'a Network,
    parameters: &'a Parameters,
    settings: TrainerSettings,
}

/// Lets a device and the CPU compute the gradients of a small batch and a few updates. Returns the largest difference,
/// as a share of the largest number of its matrix. Products are compared in `f32`, and then in the precision of the
/// settings, where only a mistake would be a third of the largest number.
///
/// # Errors
/// If the device fails, or the difference is larger than rounding can explain.
pub fn trial<D: Device>(
    device: &mut D,
    network: &Network,
    parameters: &Parameters,
    settings: TrainerSettings,
) -> Result<f32, DeviceError> {
    let (source_words, target_words) = network.words();
    let batch = probe(source_words, target_words);
    let task =
        Task { network, parameters, settings: TrainerSettings { precision: TrainingPrecision::F32, ..settings } };
    let gradients = compare_gradients(device, task, &batch, 1e-3)?;
    let optimizer = visible(settings.optimizer);
    let expected = updates(&mut Host::default(), optimizer)?;
    let got = updates(device, optimizer)?;
    let updates = compare(device, [&got, &expected, &expected], UPDATES_DIFFER, 0.0)?;
    if settings.precision != TrainingPrecision::F32 {
        compare_gradients(device, Task { settings, ..task }, &batch, 0.3)?;
    }
    Ok(gradients.max(updates))
}

/// The share of the largest number by which updates may differ.
const UPDATES_DIFFER: f32 = 1e-4;

/// Compares loss and gradients of a batch with the CPU's; the share `allowed` of the largest number is no mistake.
///
/// Rounding is not the same everywhere, and networks differ in how they enlarge it: a normalised state of zeros makes
/// a difference of one in 10⁷ to one in 10³. So the CPU computes twice, the second time with parameters that differ in
/// their last bits, and ten times the difference of these results is allowed as well.
fn compare_gradients<D: Device>(
    device: &mut D,
    task: Task<'_>,
    batch: &Batch,
    allowed: f32,
) -> Result<f32, DeviceError> {
    let on_cpu = |parameters: &Parameters| gradients(&mut Host::default(), Task { parameters, ..task }, batch);
    let (expected, other) = (on_cpu(task.parameters)?, on_cpu(&nudged(task.parameters))?);
    let got = gradients(device, task, batch)?;
    let loss = compare(device, [&got[..1], &expected[..1], &other[..1]], allowed, 0.0)?;
    // A gradient that is 0 but for rounding, as that of the biases of keys, is held against the others.
    let least = 0.01 * expected[1..].iter().map(|(_, matrix)| largest(matrix)).fold(0.0, f32::max);
    Ok(loss.max(compare(device, [&got[1..], &expected[1..], &other[1..]], allowed, least)?))
}

/// These parameters with the last bit of each number changed, but for zeros.
fn nudged(parameters: &Parameters) -> Parameters {
    let mut nudged = parameters.on(&mut Host::default());
    for value in nudged.values_mut().flat_map(|matrix| matrix.as_mut_slice()).filter(|value| **value != 0.0) {
        *value = f32::from_bits(value.to_bits() ^ 1);
    }
    nudged
}

/// Results of a device, with a name for each.
type Results = Vec<(String, Matrix)>;

fn number(value: f32) -> Matrix {
    Matrix::from_vec(1, 1, vec![value])
}

/// The loss of a batch, then the gradients.
fn gradients<D: Device>(device: &mut D, task: Task<'_>, batch: &Batch) -> Result<Results, Failure> {
    let Task { network, parameters, settings } = task;
    device.set_precision(settings.precision);
    let parameters = parameters.on(device);
    let mut gradients = Gradients::on(device, &parameters);
    let mut tape = Tape::new(&parameters, Some(&mut gradients), Some(1), device);
    let losses =
        network.loss(&mut tape, batch, &settings.dropout, &settings.loss, word_weight(std::slice::from_ref(batch)));
    tape.backward();
    let losses = device.read_losses(losses);
    let mut results = vec![("the loss".to_owned(), number(losses.loss as f32))];
    for ((name, _), gradient) in parameters.iter().zip(gradients.matrices()) {
        results.push((format!("the gradient of tensor `{name}`"), device.download(gradient)));
    }
    device.check()?;
    Ok(results)
}

/// The norms of random gradients of maps of different shapes and of a vector, then these and the optimizer's state
/// after updates by them.
fn updates<D: Device>(device: &mut D, settings: OptimizerSettings) -> Result<Results, Failure> {
    let random = |seed| {
        let mut parameters = Parameters::new(seed);
        let maps = [("a wide map", 40, 300), ("a tall map", 70, 30), ("two maps_U", 20, 40)];
        for (name, rows, cols) in maps.into_iter().chain([("a vector", 1, 300)]) {
            parameters.declare(name, rows, cols, Init::Uniform(2.0));
        }
        parameters
    };
    let mut parameters = random(0).on(device);
    let mut optimizer = Optimizer::new(settings, &parameters, device);
    let shards = std::slice::from_mut(device);
    let mut results = Vec::new();
    for seed in 1..4 {
        let mut gradients = [Gradients::on(&mut shards[0], &parameters)];
        for (gradient, (_, values)) in gradients[0].matrices_mut().iter_mut().zip(random(seed).iter()) {
            shards[0].write(values, gradient);
        }
        let norm = Optimizer::sum(shards, &mut gradients);
        results.push(("the norm of a gradient".to_owned(), number(norm)));
        optimizer.update(shards, &mut parameters, &mut gradients[0], norm);
    }
    let values = parameters.iter().map(|(_, value)| ("a parameter", value));
    let state = optimizer.state_mut().into_iter().flat_map(|(kind, all)| all.iter().map(move |matrix| (kind, matrix)));
    results.extend(values.chain(state).map(|(kind, m)| (format!("an update ({kind})"), device.download(m))));
    device.check()?;
    Ok(results)
}

/// These settings, but with a rate at which steps change random numbers visibly, and a norm that clips them a little.
fn visible(settings: OptimizerSettings) -> OptimizerSettings {
    let schedule = Schedule { rate: 0.1, ..Schedule::default() };
    OptimizerSettings { schedule, clip_norm: 100.0, ..settings }
}

/// The largest difference between `got` by `device` and `expected`, as a share of the largest number of its matrix, or
/// of `least` if that is larger. The share `allowed` is no mistake, nor is ten times the difference to `other` results,
/// which differ from the expected ones by rounding.
fn compare<D: Device>(
    device: &D,
    [got, expected, other]: [&[(String, Matrix)]; 3],
    allowed: f32,
    least: f32,
) -> Result<f32, DeviceError> {
    let mut seen = 0.0_f32;
    for (((what, got), (_, expected)), (_, other)) in got.iter().zip(expected).zip(other) {
        let scale = largest(expected).max(least);
        let allowed = allowed * scale + 10.0 * largest_difference(other, expected);
        let difference = largest_difference(got, expected);
        let right = difference <= allowed; // which NaN is not
        if !right {
            let (device, what) = (device.name().unwrap_or("the CPU").to_owned(), what.clone());
            return Err(DeviceError::Differs { device, what, difference, allowed });
        }
        seen = seen.max(difference / scale);
    }
    Ok(seen)
}

/// Four pairs of sentences of different lengths, with words from all of both vocabularies, and some links.
fn probe(source_words: usize, target_words: usize) -> Batch {
    let sentences = |lengths: [usize; 4], words: usize| {
        let mut sentences = Sentences::default();
        for (i, length) in lengths.into_iter().enumerate() {
            let words: Vec<_> = (0..length).map(|t| WordId(((7919 * (i + 1) * (t + 1)) % words) as u32)).collect();
            sentences.push(&words);
        }
        sentences
    };
    Batch {
        source: sentences([5, 1, 9, 3], source_words),
        target: sentences([4, 2, 1, 7], target_words),
        alignments: vec![vec![(0, 0), (3, 2)], vec![], vec![(8, 0)], vec![(1, 0), (2, 0)]],
    }
}

fn largest(matrix: &Matrix) -> f32 {
    matrix.as_slice().iter().map(|v| v.abs()).fold(0.0, f32::max)
}

/// NaN if one of the differences is.
fn largest_difference(a: &Matrix, b: &Matrix) -> f32 {
    let differences = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |largest: f32, d| if d > largest || d.is_nan() { d } else { largest })
}

#[cfg(test)]
mod tests;
