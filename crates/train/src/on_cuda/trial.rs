//! Whether a device can be trusted: a small batch on it and on the CPU.

use super::{OnCuda, differentiate};
use crate::data::{Batch, Sentences};
use crate::networks::Network;
use crate::parameters::{Gradients, Parameters};
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
        /// The loss, or the first tensor whose gradient differs.
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
        let got: Vec<_> = self.gradients.matrices().iter().map(|gradient| self.cuda.download(gradient)).collect();
        self.cuda.check()?;
        let device = self.cuda.name();
        let check = |what: &str, difference: f32, scale: f32, rounding: f32| {
            let allowed = allowed * scale + 10.0 * rounding;
            let fine = difference <= allowed; // not if it is no number
            let (device, what) = (device.to_owned(), what.to_owned());
            if fine { Ok(difference / scale) } else { Err(DeviceError::Differs { device, what, difference, allowed }) }
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

    /// The same for a batch of its own: whether the device can be trusted. In `f32`, and then with products in the
    /// precision of the settings, where only a mistake would be a third of the largest number.
    pub(crate) fn try_out(
        &mut self,
        (network, settings): (&Network, &TrainerSettings),
        parameters: &Parameters,
    ) -> Result<f32, DeviceError> {
        let batch = probe(network.words());
        let exact = TrainerSettings { precision: Precision::F32, ..*settings };
        let seen = self.compare((network, &exact), parameters, &batch, 1e-3)?;
        if settings.precision != Precision::F32 {
            self.compare((network, settings), parameters, &batch, 0.3)?;
        }
        Ok(seen)
    }
}

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
