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
    /// NVIDIA GPUs, each with a copy of the model; searches are divided among them. They need a build with the feature
    /// `cuda`, and the GPUs' driver and the libraries of CUDA 12 or 13 when they are opened.
    Cuda(Gpus),
}

/// The numbers of one or more GPUs, from 0 to 63, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gpus(u64);

impl Gpus {
    /// The first GPU of the machine.
    pub const FIRST: Self = Self(1);

    /// GPUs with these numbers. `None` if there are none, or if a number is above 63.
    #[must_use]
    pub fn new(numbers: &[usize]) -> Option<Self> {
        let bits =
            numbers.iter().try_fold(0, |bits, &number| Some(bits | 1u64.checked_shl(u32::try_from(number).ok()?)?));
        bits.filter(|&bits| bits != 0).map(Self)
    }

    /// Their numbers.
    pub fn numbers(self) -> impl Iterator<Item = usize> {
        (0..64).filter(move |number| self.0 >> number & 1 == 1)
    }

    /// How many there are.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

/// A name that no device has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no device `{0}`: expected `cpu`, `cuda:0` for the first GPU, or `cuda:0,1` for two")]
pub struct UnknownDevice(String);

/// Searches on a GPU at the same time: while it computes for one, the CPU searches for the others. Four keep an H200
/// busy, and eight are not faster (docs/results/gpu.md).
const SEARCHES: usize = 4;

impl Device {
    /// The batch of each search, in source pieces, if the user sets none. A GPU is busy with the rows of some hundred
    /// sentences; a batch of this size takes about a gigabyte of its memory with a model of 50 million parameters.
    /// Where that is too much, the search makes its batch half as large, as often as it must.
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
            // Each GPU has one at least.
            Self::Cuda(gpus) => threads.clamp(gpus.count(), SEARCHES * gpus.count()),
        }
    }
}

/// Reads `cpu`, `cuda:1`, `cuda:0,1` for two GPUs or, for the first one, `cuda`.
impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let unknown = || UnknownDevice(name.to_owned());
        match name.strip_prefix("cuda") {
            None if name == "cpu" => Ok(Self::Cpu),
            None => Err(unknown()),
            Some("") => Ok(Self::Cuda(Gpus::FIRST)),
            Some(list) => {
                let numbers = list.strip_prefix(':').map(|list| list.split(',').map(str::parse).collect());
                let Some(Ok(numbers)) = numbers else { return Err(unknown()) };
                let numbers: Vec<usize> = numbers;
                Gpus::new(&numbers).map(Self::Cuda).ok_or_else(unknown)
            }
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(gpus) => {
                f.write_str("cuda:")?;
                for (place, number) in gpus.numbers().enumerate() {
                    write!(f, "{}{number}", if place == 0 { "" } else { "," })?;
                }
                Ok(())
            }
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
    /// The CPU, or each of the GPUs.
    pub(crate) fn open(device: Device) -> Result<Vec<Self>, Error> {
        match device {
            Device::Cpu => Ok(vec![Self::Cpu]),
            #[cfg(any(feature = "cuda", feature = "emulator"))]
            Device::Cuda(gpus) => {
                let open = |number| {
                    let cuda = open_cuda(number).map_err(|error| failed(device, &error))?;
                    Ok(Self::Cuda(device, Box::new(cuda)))
                };
                gpus.numbers().map(open).collect()
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
        let gpus = |numbers: &[usize]| Gpus::new(numbers).map(Device::Cuda).expect("numbers of GPUs");
        for (name, device) in [
            ("cpu", Device::Cpu),
            ("cuda:0", Device::Cuda(Gpus::FIRST)),
            ("cuda:12", gpus(&[12])),
            ("cuda:0,3,63", gpus(&[63, 0, 3, 0])),
        ] {
            assert_eq!(name.parse(), Ok(device));
            assert_eq!(device.to_string(), name);
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(Gpus::FIRST)));
        for name in ["gpu", "cuda:", "cuda:x", "cuda0", "cuda:-1", "cuda:0,", "cuda:64", ""] {
            let refused = name.parse::<Device>().expect_err("no device").to_string();
            assert!(
                refused.starts_with(&format!("there is no device `{name}`: expected `cpu`, `cuda:0`")),
                "{refused}"
            );
        }
    }

    #[test]
    fn each_gpu_has_a_search() {
        let gpus = Device::Cuda(Gpus::new(&[0, 2]).expect("numbers"));
        assert_eq!([1, 3, 16].map(|threads| gpus.searches(threads)), [2, 3, 8]);
        assert_eq!([1, 16].map(|threads| Device::Cpu.searches(threads)), [1, 16]);
    }

    #[cfg(not(any(feature = "cuda", feature = "emulator")))]
    #[test]
    fn a_build_without_cuda_says_so() {
        let refused = OpenDevice::open("cuda:3".parse().expect("a device")).err().map(|error| error.to_string());
        assert!(
            refused.is_some_and(|text| text.starts_with("this build is without CUDA, which the device `cuda:3` needs"))
        );
    }
}
