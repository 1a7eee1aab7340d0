//! Where neural models compute.

use crate::Error;
use metaphrase_models::{Config, Model, Precision, Weights};
use std::fmt;
use std::str::FromStr;

/// The device that computes a neural model: this CPU, or a GPU.
///
/// On a GPU a line has the same translation alone and in any batch, as on the CPU. Scores differ from those of the CPU
/// in the last digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Device {
    /// This CPU.
    #[default]
    Cpu,
    /// The NVIDIA GPU with this number, from 0. It needs a build with the feature `cuda`, and the GPU's driver and the
    /// libraries of CUDA 12 or 13 when it is opened.
    Cuda(usize),
}

/// A name that no device has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no device `{0}`: expected `cpu`, or `cuda:0` for the first GPU")]
pub struct UnknownDevice(String);

/// Searches on a GPU at the same time: while it computes for one, the CPU searches for the others. Four keep an H200
/// busy, and eight are not faster (docs/results/gpu.md).
const SEARCHES: usize = 4;

impl Device {
    /// The batch of each search, in source pieces, if the user sets none. A GPU is busy with the rows of some hundred
    /// sentences; a batch of this size takes about a gigabyte of its memory with a model of 50 million parameters.
    #[must_use]
    pub const fn batch_tokens(self) -> usize {
        match self {
            Self::Cpu => 256,
            Self::Cuda(_) => 8192,
        }
    }

    /// The precisions in which it computes.
    #[must_use]
    pub const fn precisions(self) -> &'static [Precision] {
        match self {
            Self::Cpu => &[Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8],
            Self::Cuda(_) => &[Precision::F32, Precision::Bf16],
        }
    }

    /// The searches that run at the same time where the user allows this number of threads.
    pub(crate) fn searches(self, threads: usize) -> usize {
        match self {
            Self::Cpu => threads,
            Self::Cuda(_) => threads.min(SEARCHES),
        }
    }
}

/// Reads `cpu`, `cuda:1` or, for the first GPU, `cuda`.
impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let unknown = || UnknownDevice(name.to_owned());
        match name.strip_prefix("cuda") {
            None if name == "cpu" => Ok(Self::Cpu),
            None => Err(unknown()),
            Some("") => Ok(Self::Cuda(0)),
            Some(index) => index.strip_prefix(':').and_then(|n| n.parse().ok()).map(Self::Cuda).ok_or_else(unknown),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

/// A device that was opened once for all models of a translator.
pub(crate) enum OpenDevice {
    Cpu,
    #[cfg(any(feature = "cuda", feature = "emulator"))]
    Cuda(Device, Box<metaphrase_models_cuda::Cuda>),
}

impl OpenDevice {
    pub(crate) fn open(device: Device) -> Result<Self, Error> {
        match device {
            Device::Cpu => Ok(Self::Cpu),
            #[cfg(any(feature = "cuda", feature = "emulator"))]
            Device::Cuda(index) => {
                let cuda = open_cuda(index).map_err(|error| failed(device, &error))?;
                Ok(Self::Cuda(device, Box::new(cuda)))
            }
            #[cfg(not(any(feature = "cuda", feature = "emulator")))]
            Device::Cuda(_) => Err(Error::Device {
                device,
                problem: format!(
                    "this build is without CUDA, which the device `{device}` needs: build it with the feature `cuda`, or use \
                     the device `cpu`"
                ),
            }),
        }
    }

    /// The model of these settings and weights, in this precision or, without one, in the precision that the device
    /// prefers.
    pub(crate) fn model(
        &self,
        config: Config,
        weights: &Weights,
        precision: Option<Precision>,
    ) -> Result<Model, Error> {
        match self {
            Self::Cpu => {
                let precision = precision.or(config.decoding.precision).unwrap_or_default();
                Ok(Model::with_precision(config, weights, precision)?)
            }
            #[cfg(any(feature = "cuda", feature = "emulator"))]
            Self::Cuda(device, cuda) => {
                use metaphrase_models_cuda::{CudaModel, CudaModelError, WeightNumbers};
                // Recommendations are about CPUs.
                let numbers = match precision.unwrap_or_default() {
                    Precision::F32 => WeightNumbers::F32,
                    Precision::Bf16 => WeightNumbers::Bf16,
                    Precision::Int16 | Precision::Int8 => {
                        let problem = format!(
                            "the device `{device}` has models in f32 or bf16, not in integers; choose one of these, or the \
                             device `cpu`"
                        );
                        return Err(Error::Device { device: *device, problem });
                    }
                };
                CudaModel::load(cuda, config, weights, numbers).map_err(|error| match error {
                    CudaModelError::Model(error) => error.into(),
                    error => failed(*device, &error),
                })
            }
        }
    }
}

#[cfg(any(feature = "cuda", feature = "emulator"))]
fn failed(device: Device, error: &dyn fmt::Display) -> Error {
    Error::Device { device, problem: error.to_string() }
}

/// With the feature `emulator`, which is for tests, each device is emulated.
#[cfg(feature = "emulator")]
fn open_cuda(_index: usize) -> Result<metaphrase_models_cuda::Cuda, metaphrase_models_cuda::CudaError> {
    Ok(metaphrase_models_cuda::Cuda::emulated(false))
}

#[cfg(all(feature = "cuda", not(feature = "emulator")))]
fn open_cuda(index: usize) -> Result<metaphrase_models_cuda::Cuda, metaphrase_models_cuda::CudaError> {
    metaphrase_models_cuda::Cuda::open(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        for (name, device) in [("cpu", Device::Cpu), ("cuda:0", Device::Cuda(0)), ("cuda:12", Device::Cuda(12))] {
            assert_eq!(name.parse(), Ok(device));
            assert_eq!(device.to_string(), name);
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        for name in ["gpu", "cuda:", "cuda:x", "cuda0", "cuda:-1", ""] {
            let refused = name.parse::<Device>().expect_err("no device").to_string();
            assert_eq!(refused, format!("there is no device `{name}`: expected `cpu`, or `cuda:0` for the first GPU"));
        }
    }

    #[cfg(not(any(feature = "cuda", feature = "emulator")))]
    #[test]
    fn a_build_without_cuda_says_so() {
        let refused = OpenDevice::open(Device::Cuda(3)).err().map(|error| error.to_string());
        assert!(
            refused.is_some_and(|text| text.starts_with("this build is without CUDA, which the device `cuda:3` needs"))
        );
    }
}
