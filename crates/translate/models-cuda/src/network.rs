//! The parts of a network on a device.

use crate::decoder::Decoder;
use crate::encoder::Encoder;
use metaphrase_cuda::decoding::DeviceMap;
use std::sync::Arc;

/// The weights; nothing that a sentence changes.
pub(crate) struct Network {
    pub(crate) encoder: Encoder,
    pub(crate) decoder: Decoder,
    pub(crate) output: Arc<DeviceMap>,
}
