//! Average attention in place of the decoder's self-attention (Zhang, Xiong, Su 2018, arXiv:1805.00631).

use crate::blocks::Block;
use crate::memory::{Call, Memory};
use crate::pack::{Packer, Tensor};
use metaphrase_cuda::decoding::DeviceMap;
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Elementwise, Shape, Storage};
use metaphrase_models::parts::transformer as parts;

/// The maps over the mean of the inputs so far.
pub(crate) struct AverageAttention {
    maps: Vec<DeviceMap>,
    /// From the block's input, and from the mean.
    gates: Option<[DeviceMap; 2]>,
}

impl AverageAttention {
    pub(crate) fn pack(parts: parts::AverageAttention<Tensor>, packer: &mut Packer) -> Self {
        let maps = parts.feed_forward.into_iter().map(|map| packer.map(map)).collect();
        Self { maps, gates: parts.gates.map(|gates| [gates.input, gates.forget].map(|map| packer.map(map))) }
    }
}

impl Block<AverageAttention> {
    /// The block's output: σ(x · Wi + bi) ⊙ x + σ(y · Wf + bf) ⊙ y, where y is made of the mean; without gates, y.
    pub(crate) fn step(&self, cuda: &mut Cuda, call: &Call<'_>, memory: &mut Memory, x: Matrix) -> Matrix {
        let (rows, d) = (x.rows(), x.cols());
        let mut averaged = cuda.take(rows, d);
        let (before, now) = memory.cells(cuda, call.first + rows, call.first, d);
        cuda.mean_step(call.new, &x, before, now, &mut averaged);
        let begun = self.begin(cuda, &averaged);
        let mut h = cuda.take(rows, d);
        cuda.copy(begun.matrix(), &mut h);
        begun.give(cuda);
        cuda.give(averaged);
        for map in &self.body.maps {
            let mut next = cuda.take(rows, map.outputs());
            cuda.map(map, &h, None, &mut next);
            cuda.give(std::mem::replace(&mut h, next));
        }
        if let Some([input, mean]) = &self.body.gates {
            let [mut of_input, mut of_mean] = [(); 2].map(|()| cuda.take(rows, d));
            cuda.map(input, &x, None, &mut of_input);
            cuda.map(mean, &h, None, &mut of_mean);
            cuda.mul(&mut of_input, &x);
            cuda.mul(&mut h, &of_mean);
            cuda.add(&mut h, &of_input);
            [of_input, of_mean].into_iter().for_each(|gate| cuda.give(gate));
        }
        self.end(cuda, None, h, x)
    }
}
