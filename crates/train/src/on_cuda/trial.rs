//! Whether a device can be trusted: a small batch and a few updates on it and on the CPU.

use super::{OnCuda, Trained, differentiate};
use crate::data::{Batch, Sentences};
use crate::networks::Network;
use crate::optimizer::{Optimizer, OptimizerSettings, Schedule};
use crate::parameters::{Gradients, Init, Parameters};
use crate::trainer::TrainerSettings;
use metaphrase_base::WordId;
use metaphrase_cuda::CudaError;
use metaphrase_device::{Host, Precision, Storage};
use metaphrase_kernels::{InstructionSet, Matrix, with_instruction_set};

/// Why a device is not used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// It can not be used, or fails.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// It computes something else than the CPU.
    #[error(
        "{device} does not compute what the CPU does: {what} differs by {difference:e}, at most {allowed:e} was \
         expected; nothing was trained, `--device cpu` can be used"
    )]
    Differs {
        /// The device's name.
        device: String,
        /// The loss, the first tensor whose gradient differs, or what does of an update.
        what: String,
        /// By how much.
        difference: f32,
        /// What rounding can explain.
        allowed: f32,
    },
}

impl OnCuda {
    /// Compares loss and gradients of a batch with the CPU's. Returns the largest difference, as a share of the largest
    /// number; `allowed` of it is too little to be a mistake.
    ///
    /// Rounding is not the same everywhere, and networks differ in what they make of it: a normalised state of zeros makes
    /// a difference of one in 10⁷ to one in 10³. So the CPU computes twice, with two instruction sets, and what it differs
    /// from itself is allowed to the device as well, ten times.
    pub(crate) fn compare(
        &mut self,
        (network, settings): (&Network, &TrainerSettings),
        parameters: &Parameters,
        batch: &Batch,
        allowed: f32,
    ) -> Result<f32, DeviceError> {
        let on_cpu = || {
            let (mut host, mut gradients) = (Host::new(settings.precision), Gradients::new(parameters));
            let losses = differentiate((&mut host, parameters, &mut gradients), network, batch, settings, 1);
            (losses.loss as f32, gradients)
        };
        let (loss, expected) = on_cpu();
        let (other_loss, other) = with_instruction_set(InstructionSet::Portable, on_cpu);
        self.cuda.set_precision(settings.precision);
        let got_loss = self.differentiate(network, batch, settings, 1).loss as f32;
        let got: Vec<_> =
            self.trained.gradients.matrices().iter().map(|gradient| self.cuda.download(gradient)).collect();
        self.cuda.check()?;
        let check = |what: &str, difference: f32, scale: f32, rounding: f32| {
            self.check(what, difference, scale, allowed * scale + 10.0 * rounding)
        };
        let mut seen = check("the loss", (got_loss - loss).abs(), loss.abs(), (other_loss - loss).abs())?;
        // A gradient that is 0 but for rounding, as that of the biases of keys, is held against the others.
        let least = 0.01 * expected.matrices().iter().map(largest).fold(0.0, f32::max);
        let tensors = got.iter().zip(expected.matrices()).zip(other.matrices());
        for ((name, _), ((got, expected), other)) in parameters.iter().zip(tensors) {
            let (difference, rounding) = (largest_difference(got, expected), largest_difference(other, expected));
            let scale = largest(expected).max(least);
            seen = seen.max(check(&format!("the gradient of tensor `{name}`"), difference, scale, rounding)?);
        }
        Ok(seen)
    }

    /// Compares updates with these settings for the CPU and the device, which are the same but in tests, of a matrix and a
    /// vector by random gradients. Returns the largest difference, as a share of the largest number.
    pub(crate) fn compare_updates(&mut self, settings: [OptimizerSettings; 2]) -> Result<f32, DeviceError> {
        let random = |seed| {
            let mut parameters = Parameters::new(seed);
            for (name, rows) in [("a matrix", 40), ("a vector", 1)] {
                parameters.declare(name, rows, 300, Init::Uniform(2.0));
            }
            parameters
        };
        let mut parameters = random(0);
        let mut optimizers = settings.map(|settings| Optimizer::new(settings, &parameters));
        let mut trained = Trained::on(&mut self.cuda, &parameters, &optimizers[1]);
        let mut seen = 0.0_f32;
        for seed in 1..4 {
            let mut gradients = [Gradients::new(&parameters)];
            let own = trained.gradients.matrices_mut().iter_mut();
            for ((gradient, own), (_, values)) in
                gradients[0].matrices_mut().iter_mut().zip(own).zip(random(seed).iter())
            {
                gradient.as_mut_slice().copy_from_slice(values.as_slice());
                *own = self.cuda.upload(values);
            }
            let expected = Optimizer::sum(&mut gradients, 1);
            optimizers[0].update(&mut parameters, &gradients[0], expected, 1);
            let norm = self.cuda.norm(trained.gradients.matrices());
            self.cuda.check()?;
            let difference = (norm - expected).abs();
            seen = seen.max(self.check("the norm of a gradient", difference, expected, UPDATES_DIFFER * expected)?);
            trained.follow(&mut self.cuda, &mut optimizers[1], norm);
        }
        let [optimizer, mut other] = optimizers;
        let mut got = random(0);
        trained.fetch(&mut self.cuda, &mut got, &mut other)?;
        let mut compare = |kind: &str, got: &Matrix, expected: &Matrix| {
            let (difference, scale) = (largest_difference(got, expected), largest(expected));
            seen = seen.max(self.check(&format!("an update ({kind})"), difference, scale, UPDATES_DIFFER * scale)?);
            Ok::<_, DeviceError>(())
        };
        for ((_, got), (_, expected)) in got.iter().zip(parameters.iter()) {
            compare("a parameter", got, expected)?;
        }
        for ((kind, expected), (_, got)) in optimizer.state().zip(other.state()) {
            got.iter().zip(expected).try_for_each(|(got, expected)| compare(kind, got, expected))?;
        }
        Ok(seen)
    }

    /// The difference as a share of `scale`, if it is allowed.
    fn check(&self, what: &str, difference: f32, scale: f32, allowed: f32) -> Result<f32, DeviceError> {
        if difference <= allowed {
            return Ok(difference / scale);
        }
        // Also if it is no number.
        let (device, what) = (self.cuda.name().to_owned(), what.to_owned());
        Err(DeviceError::Differs { device, what, difference, allowed })
    }

    /// The same for a batch of its own: whether the device can be trusted. In `f32`, and then with products in the
    /// precision of the settings, where only a mistake would be a third of the largest number.
    pub(crate) fn try_out(
        &mut self,
        (network, settings): (&Network, &TrainerSettings),
        parameters: &Parameters,
    ) -> Result<f32, DeviceError> {
        let batch = probe(network.words());
        let exact = TrainerSettings { precision: Precision::F32, ..*settings };
        let mut seen = self.compare((network, &exact), parameters, &batch, 1e-3)?;
        seen = seen.max(self.compare_updates([visible(settings.optimizer); 2])?);
        if settings.precision != Precision::F32 {
            self.compare((network, settings), parameters, &batch, 0.3)?;
        }
        Ok(seen)
    }
}

/// These settings, but with steps that change random numbers visibly, and with norms of random gradients cut a little.
pub(super) fn visible(settings: OptimizerSettings) -> OptimizerSettings {
    let schedule = Schedule { rate: 0.1, ..Schedule::default() };
    OptimizerSettings { schedule, clip_norm: 100.0, ..settings }
}

/// What updates may differ by, as a share of the largest number.
const UPDATES_DIFFER: f32 = 1e-4;

/// Four pairs of sentences of different lengths, with words from all of both vocabularies, and some links.
fn probe((source_words, target_words): (usize, usize)) -> Batch {
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

/// Not a number if one of them is not.
fn largest_difference(a: &Matrix, b: &Matrix) -> f32 {
    let differences = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |largest: f32, d| if d > largest || d.is_nan() { d } else { largest })
}
