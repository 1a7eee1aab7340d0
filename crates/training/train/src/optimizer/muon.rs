//! Muon (Jordan et al. 2024): a map follows the momentum of its gradient with all singular values made nearly equal.

use crate::parameters::{Parameters, Role};
use metaphrase_base::in_parallel;
use metaphrase_device::{Block, Device, Shape as _, Weight};
use metaphrase_kernels::Matrix;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::mem::swap;
use std::slice::from_mut;

/// A step of Newton and Schulz is X ← a · X + b · (X · Xᵀ) · X + c · (X · Xᵀ)² · X. These a, b and c (Jordan et al.
/// 2024) raise small singular values fast: after five steps those from 0.01 to 1 are between 0.68 and 1.14.
const STEP: [f32; 3] = [3.4445, -4.7750, 2.0315];

/// Keeps a gradient of zeros as it is.
const LEAST_NORM: f32 = 1e-20;

/// The numbers of Muon in an update.
#[derive(Debug, Clone, Copy)]
pub(super) struct Muon {
    /// The share that the mean of gradients keeps of itself.
    pub(super) momentum: f32,
    /// Steps of Newton and Schulz.
    pub(super) steps: u32,
    /// The factor of all gradients.
    pub(super) clip: f32,
}

/// Makes directions from the gradients of maps, in the memory of a device.
pub(super) struct Orthogonaliser<D: Device> {
    /// One per parameter.
    roles: Vec<Role>,
    /// One per shard.
    factors: Vec<Factors<D>>,
}

impl<D: Device> Orthogonaliser<D> {
    pub(super) fn new(parameters: &Parameters<D>) -> Self {
        Self { roles: parameters.roles(), factors: Vec::new() }
    }

    /// The role of each parameter.
    pub(super) fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// The means of maps follow the gradients. The gradients of maps become directions: the mean with the gradient in
    /// it once more (Nesterov), made orthogonal. All other matrices stay as they are.
    ///
    /// One shard works on a map, so the bits of the result do not depend on the number of shards.
    pub(super) fn directions(
        &mut self,
        shards: &mut [D],
        muon: Muon,
        gradients: &mut [D::Matrix],
        means: &mut [D::Matrix],
    ) {
        self.factors.resize_with(shards.len(), || Factors(HashMap::new()));
        let all = self.roles.iter().zip(gradients).zip(means);
        let maps = all.filter_map(|((role, gradient), mean)| Map::new(*role, gradient, mean));
        let mut work = divided(maps.collect(), shards.len());
        in_parallel(work.len(), shards.iter_mut().zip(&mut work), |(device, maps)| {
            maps.iter_mut().for_each(|map| map.follow(device, muon));
        });
        let parts: Vec<_> = work.iter().flatten().flat_map(Map::matrices).collect();
        let mut norms = D::norms(shards, &parts).into_iter();
        for map in work.iter_mut().flatten() {
            map.norms = norms.by_ref().take(map.parts).collect();
        }
        let tasks = shards.iter_mut().zip(&mut self.factors).zip(work);
        in_parallel(tasks.len(), tasks, |((device, factors), maps)| {
            maps.into_iter().for_each(|map| map.make_orthogonal(device, factors, muon.steps));
        });
    }
}

/// The maps of each shard, with about the same amount of work for each.
fn divided<D: Device>(mut maps: Vec<Map<'_, D>>, shards: usize) -> Vec<Vec<Map<'_, D>>> {
    let mut shares: Vec<(usize, Vec<_>)> = (0..shards).map(|_| (0, Vec::new())).collect();
    maps.sort_by_key(|map| Reverse(map.work()));
    for map in maps {
        if let Some((work, share)) = shares.iter_mut().min_by_key(|(work, _)| *work) {
            *work += map.work();
            share.push(map);
        }
    }
    shares.into_iter().map(|(_, maps)| maps).collect()
}

/// A map whose gradient becomes a direction.
struct Map<'a, D: Device> {
    /// The number of its parts, one next to the other.
    parts: usize,
    gradient: &'a mut D::Matrix,
    mean: &'a mut D::Matrix,
    /// Copies of the parts, if there are several.
    copies: Vec<D::Matrix>,
    /// The norm of each part.
    norms: Vec<f32>,
}

impl<'a, D: Device> Map<'a, D> {
    fn new(role: Role, gradient: &'a mut D::Matrix, mean: &'a mut D::Matrix) -> Option<Self> {
        let Role::Map { parts } = role else { return None };
        Some(Self { parts, gradient, mean, copies: Vec::new(), norms: Vec::new() })
    }

    /// Multiplications in a step.
    fn work(&self) -> usize {
        let (rows, cols) = (self.gradient.rows(), self.gradient.cols() / self.parts);
        let least = rows.min(cols);
        self.parts * least * least * (2 * rows.max(cols) + least)
    }

    /// The place of a part.
    fn block(&self, part: usize) -> Block {
        let (rows, cols) = (self.gradient.rows(), self.gradient.cols() / self.parts);
        Block { rows, cols, from: (0, part * cols), to: (0, 0) }
    }

    /// What is made orthogonal.
    fn matrices(&self) -> impl Iterator<Item = &D::Matrix> {
        let whole = self.copies.is_empty().then_some(&*self.gradient);
        whole.into_iter().chain(&self.copies)
    }

    /// The mean follows the gradient, and the gradient becomes the mean with the gradient in it once more.
    fn follow(&mut self, device: &mut D, Muon { momentum, clip, .. }: Muon) {
        let new = (1.0 - momentum) * clip;
        device.weighted_sum(self.mean, self.gradient, [momentum, new]);
        device.weighted_sum(self.gradient, self.mean, [new, momentum]);
        let several = (0..self.parts).filter(|_| self.parts > 1).map(|part| self.block(part));
        self.copies = several
            .map(|block| {
                let mut copy = device.take(block.rows, block.cols);
                device.copy_block(self.gradient, &mut copy, block);
                copy
            })
            .collect();
    }

    fn make_orthogonal(mut self, device: &mut D, factors: &mut Factors<D>, steps: u32) {
        if let ([], [norm]) = (&self.copies[..], &self.norms[..]) {
            return orthogonal(device, factors, (self.gradient, *norm), steps);
        }
        for (part, mut copy) in std::mem::take(&mut self.copies).into_iter().enumerate() {
            orthogonal(device, factors, (&mut copy, self.norms[part]), steps);
            device.copy_block(&copy, self.gradient, self.block(part).back());
            device.give(copy);
        }
    }
}

/// Makes the singular values of a matrix with this norm nearly 1, by steps of Newton and Schulz.
///
/// The larger side of the matrix may be either, and only squares of the smaller side are multiplied with themselves.
fn orthogonal<D: Device>(device: &mut D, factors: &mut Factors<D>, of: (&mut D::Matrix, f32), steps: u32) {
    let (matrix, norm) = of;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let (is_tall, least) = (rows > cols, rows.min(cols));
    let [mut x, mut next] = [(); 2].map(|()| device.take(rows, cols));
    let [mut gram, mut factor] = [(); 2].map(|()| device.take(least, least));
    device.copy(matrix, &mut x);
    // A norm of 1 bounds the singular values.
    device.weighted_sum(&mut x, matrix, [0.0, 1.0 / (norm + LEAST_NORM)]);
    let [a, b, c] = STEP;
    for _ in 0..steps {
        if is_tall {
            device.clear(&mut gram);
            device.transposed_product_add(&x, &x, &mut gram);
        } else {
            let parameter = factors.set(device, &x);
            device.product_add(&x, Weight { parameter, transposed: true }, &mut gram, true);
        }
        device.clear(&mut factor);
        device.transposed_product_add(&gram, &gram, &mut factor);
        device.weighted_sum(&mut factor, &gram, [c, b]);
        if is_tall {
            let parameter = factors.set(device, &factor);
            device.product_add(&x, Weight { parameter, transposed: false }, &mut next, true);
        } else {
            device.clear(&mut next);
            device.transposed_product_add(&factor, &x, &mut next);
        }
        device.weighted_sum(&mut next, &x, [1.0, a]);
        swap(&mut x, &mut next);
    }
    device.copy(&x, matrix);
    [x, next, gram, factor].into_iter().for_each(|matrix| device.give(matrix));
}

/// Matrices as second factors of products, by their shapes.
struct Factors<D: Device>(HashMap<[usize; 2], D::Parameter>);

impl<D: Device> Factors<D> {
    /// A matrix as a second factor.
    fn set(&mut self, device: &mut D, matrix: &D::Matrix) -> &D::Parameter {
        let shape = [matrix.rows(), matrix.cols()];
        let factor = self.0.entry(shape).or_insert_with(|| device.parameter(Matrix::zeros(shape[0], shape[1])));
        device.copy(matrix, D::value_mut(factor));
        D::renew(from_mut(device), from_mut(factor));
        factor
    }
}

#[cfg(test)]
mod tests;
