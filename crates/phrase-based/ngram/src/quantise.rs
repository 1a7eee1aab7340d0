//! Models with values of a few bits each.

use crate::HEADER;
use crate::build::NOTHING_FOLLOWS;
use crate::layout::{CODE, ModelLayout};
use crate::model::Model;
use metaphrase_base::Bytes;

impl Model {
    /// The same model with probabilities of `log10_bits` bits and back-off weights of `backoff_bits` bits, 2 to 16
    /// each; words keep theirs. The values of an order are cut into bins with about as many n-grams each, for which
    /// their mean stands (Federico & Bertoldi 2006).
    ///
    /// # Panics
    /// If a number of bits is not from 2 to 16.
    #[must_use]
    pub fn quantised(&self, log10_bits: u32, backoff_bits: u32) -> Self {
        let widths = [log10_bits, backoff_bits];
        assert!(widths.iter().all(|width| crate::binary::WIDTHS.contains(width)), "2 to 16 bits");
        // The model was built, and the quantised model is smaller.
        let layout = ModelLayout::new(self.order(), &self.counts(), &self.seeds, Some(widths), HEADER)
            .expect("a smaller layout");
        let mut bytes = vec![0; layout.end];
        for word in 0..layout.words as u32 {
            layout.set_log10(&mut bytes, 0, word, self.layout.log10(&self.bytes, 0, word));
            layout.set_backoff(&mut bytes, 0, word, self.layout.backoff(&self.bytes, 0, word));
        }
        for k in 1..self.order() {
            let (old, table) = (&self.layout.tables[k - 1], &layout.tables[k - 1]);
            let images = old.keys(&self.bytes).map(|(history, word)| old.image(history, word));
            table.fill(&mut bytes, images).expect("it was filled before");
            let numbers = 0..layout.count(k) as u32;
            let log10s: Vec<f32> = numbers.clone().map(|i| self.layout.log10(&self.bytes, k, i)).collect();
            encode(&mut bytes, &layout, k, 0, &log10s, &[]);
            if layout.has_backoff(k) {
                let backoffs: Vec<f32> = numbers.map(|i| self.layout.backoff(&self.bytes, k, i)).collect();
                // The sign of a zero means whether a history is extended; it must not change.
                encode(&mut bytes, &layout, k, 1, &backoffs, &[NOTHING_FOLLOWS, 0.0]);
            }
        }
        Self::from_parts(Bytes::Owned(bytes), layout, self.seeds.clone(), self.vocabulary().clone())
    }
}

/// Stores values by the nearest of the codes' values, the first of which are `exact`.
fn encode(bytes: &mut [u8], layout: &ModelLayout, k: usize, which: u32, values: &[f32], exact: &[f32]) {
    let [log10_bits, backoff_bits] = layout.quantisation.unwrap_or_default();
    let (bit, width) = if which == 0 { (0, log10_bits) } else { (log10_bits, backoff_bits) };
    let is_exact = |value: f32| exact.iter().position(|exact| exact.to_bits() == value.to_bits());
    let mut others: Vec<f32> = values.iter().copied().filter(|&value| is_exact(value).is_none()).collect();
    others.sort_unstable_by(f32::total_cmp);
    let centres = centres(&others, (1 << width) - exact.len());
    let code = |value: f32| is_exact(value).unwrap_or_else(|| exact.len() + nearest(&centres, value));
    for (number, &value) in (0..).zip(values) {
        layout.tables[k - 1].set_value(bytes, number, bit, width, code(value) as u64);
    }
    let at = layout.codebook(k, which);
    for (place, value) in bytes[at..].chunks_exact_mut(CODE).zip(exact.iter().chain(&centres)) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// Means of at most `count` bins of equal size of sorted values; equal values share a bin, so there may be fewer.
fn centres(sorted: &[f32], count: usize) -> Vec<f32> {
    let mut centres: Vec<f32> = Vec::with_capacity(count);
    for bin in 0..count {
        let bin = &sorted[bin * sorted.len() / count..(bin + 1) * sorted.len() / count];
        if !bin.is_empty() {
            centres.push((bin.iter().map(|&value| f64::from(value)).sum::<f64>() / bin.len() as f64) as f32);
        }
    }
    centres.dedup();
    centres
}

/// The nearest of sorted values.
fn nearest(centres: &[f32], value: f32) -> usize {
    let above = centres.partition_point(|&centre| centre < value).min(centres.len().saturating_sub(1));
    let is_below_nearer = above > 0 && value - centres[above - 1] < centres[above] - value;
    above - usize::from(is_below_nearer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_and_their_means() {
        assert_eq!(centres(&[-4.0, -2.0, -1.0, -0.5], 2), [-3.0, -0.75]);
        assert_eq!(centres(&[-4.0, -2.0], 4), [-4.0, -2.0]);
        assert_eq!(centres(&[-1.0; 9], 4), [-1.0]);
        assert!(centres(&[], 4).is_empty());
        let centres = [-3.0, -1.0, -0.5];
        for (value, expected) in [(-9.0, 0), (-3.0, 0), (-2.1, 0), (-1.9, 1), (-0.8, 1), (-0.6, 2), (0.0, 2)] {
            assert_eq!(nearest(&centres, value), expected, "{value}");
        }
    }
}
