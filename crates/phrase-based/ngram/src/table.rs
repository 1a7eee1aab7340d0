//! The n-grams of one order, found by hash: exact, without a free slot, about two bits per n-gram more than its fields.
//!
//! An n-gram of order k is the *key* (number of its history among the n-grams of order k − 1, last word). A permutation
//! of the keys' bits spreads them evenly; the upper bits of the result name a *bucket* of two to four n-grams on
//! average, the lower bits, the *remainder*, distinguish them. Buckets lie one after the other without gaps; a
//! directory has the end of each. So a look-up reads one entry of the directory and compares a few neighbouring
//! remainders, and the place of an n-gram, from 0 to their number, is its number for the order above. After its
//! remainder an n-gram has the bits of its values, in the same cache line more often than not.

use crate::bytes::{MAX_BITS, bits, bits_for, set_bits, u32_at};
use crate::permutation::Permutation;

/// A block of the directory: the ends of twelve buckets in a byte each, counted from the `u32` that follows them, the
/// end of the block before. Sixteen bytes never lie across two cache lines.
const BLOCK: usize = 16;
const BUCKETS: usize = BLOCK - 4;
/// N-grams that are compared without a branch in between: a branch that depends on memory stops the processor from
/// asking for the next order's memory before this one's has come. Most buckets have no more.
const AT_ONCE: usize = 4;
/// Bytes after the last n-gram, so that [`AT_ONCE`] n-grams and a word of [`bits`] can be read from the last one.
const SLACK: usize = AT_ONCE * (MAX_BITS as usize + 64) / 8 + 8;

/// Where the n-grams of one order are in the bytes of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    /// Number of n-grams.
    pub(crate) count: usize,
    keys: Keys,
    bucket_bits: u32,
    remainder_bits: u32,
    /// Bits of remainder and values.
    slot_bits: usize,
    directory: usize,
    slots: usize,
    /// The first byte after the table.
    pub(crate) end: usize,
}

/// The keys of one order's n-grams as numbers that are spread evenly, their images.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    word_bits: u32,
    /// Bits of an image.
    pub(crate) bits: u32,
    permutation: Permutation,
}

impl Keys {
    /// Histories are below `histories`, words below `words`. `None` where that is more than an image can hold.
    pub(crate) fn new([histories, words]: [usize; 2], seed: u64) -> Option<Self> {
        let word_bits = bits_for(words);
        let bits = (bits_for(histories) + word_bits).max(1);
        (bits <= 63).then(|| Self { word_bits, bits, permutation: Permutation::new(bits, seed) })
    }

    /// The image of a history and a word.
    #[inline]
    pub(crate) fn image(&self, history: u32, word: u32) -> u64 {
        self.permutation.apply(u64::from(history) << self.word_bits | u64::from(word))
    }

    /// The history and the word of an image.
    pub(crate) fn undo(&self, image: u64) -> (u32, u32) {
        let key = self.permutation.undo(image);
        ((key >> self.word_bits) as u32, (key & ((1 << self.word_bits) - 1)) as u32)
    }
}

/// The place of an n-gram in a table, and the bits that distinguish it from its neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bucket {
    start: usize,
    end: usize,
    remainder: u64,
}

/// A bucket would not fit its byte in the directory: another seed is needed.
#[derive(Debug)]
pub(crate) struct CrowdedBucket;

impl Table {
    /// The table at byte `at` for `count` n-grams with values of `value_bits` bits (64 at most); histories are below
    /// `histories`, words below `words`. `None` where that is more than its numbers can hold.
    pub(crate) fn new(
        count: usize,
        [histories, words]: [usize; 2],
        value_bits: u32,
        seed: u64,
        at: usize,
    ) -> Option<Self> {
        let keys = Keys::new([histories, words], seed)?;
        let bucket_bits = count.max(2).ilog2().saturating_sub(1).min(keys.bits);
        let remainder_bits = keys.bits - bucket_bits;
        if u32::try_from(count).is_err() || remainder_bits > MAX_BITS {
            return None;
        }
        let blocks = (1usize << bucket_bits).div_ceil(BUCKETS);
        let slots = at.checked_add(blocks * BLOCK)?;
        let slot_bits = (remainder_bits + value_bits) as usize;
        let end = slots.checked_add(count.checked_mul(slot_bits)?.div_ceil(8) + SLACK)?;
        Some(Self { count, keys, bucket_bits, remainder_bits, slot_bits, directory: at, slots, end })
    }

    /// The number of the n-gram of history `history` and word `word`.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8], history: u32, word: u32) -> Option<u32> {
        self.search(bytes, self.bucket_of(bytes, history, word))
    }

    /// The first half of [`find`](Self::find), which waits for memory once: where the n-gram would be.
    #[inline]
    pub(crate) fn bucket_of(&self, bytes: &[u8], history: u32, word: u32) -> Bucket {
        self.bucket_of_image(bytes, self.image(history, word))
    }

    /// The same for a permuted key.
    #[inline]
    pub(crate) fn bucket_of_image(&self, bytes: &[u8], image: u64) -> Bucket {
        let (start, end) = self.bucket(bytes, (image >> self.remainder_bits) as usize);
        Bucket { start, end, remainder: image & ((1 << self.remainder_bits) - 1) }
    }

    /// Reads from the directory, so that its memory is there when the bucket is read.
    #[inline]
    pub(crate) fn touch_directory(&self, bytes: &[u8], image: u64) -> u8 {
        bytes[self.directory + (image >> self.remainder_bits) as usize / BUCKETS * BLOCK]
    }

    /// Reads from a bucket, so that its memory is there when it is searched.
    #[inline]
    pub(crate) fn touch(&self, bytes: &[u8], bucket: &Bucket) -> u8 {
        bytes[self.slots + bucket.start * self.slot_bits / 8]
    }

    /// The same at the end of the bucket, which is often in the next cache line.
    #[inline]
    pub(crate) fn touch_end(&self, bytes: &[u8], bucket: &Bucket) -> u8 {
        bytes[self.slots + bucket.end * self.slot_bits / 8]
    }

    /// The second half of [`find`](Self::find): whether it is there.
    #[inline]
    pub(crate) fn search(&self, bytes: &[u8], bucket: Bucket) -> Option<u32> {
        (bucket.start..bucket.end).find(|&i| self.remainder(bytes, i) == bucket.remainder).map(|i| i as u32)
    }

    /// The `width` bits that start `bit` bits into the values of an n-gram.
    #[inline]
    pub(crate) fn value(&self, bytes: &[u8], number: u32, bit: u32, width: u32) -> u64 {
        bits(bytes, self.slots, self.value_place(number, bit), width)
    }

    /// Sets the value that [`value`](Self::value) reads.
    pub(crate) fn set_value(&self, bytes: &mut [u8], number: u32, bit: u32, width: u32, value: u64) {
        set_bits(bytes, self.slots, self.value_place(number, bit), width, value);
    }

    #[inline]
    fn value_place(&self, number: u32, bit: u32) -> usize {
        number as usize * self.slot_bits + (self.remainder_bits + bit) as usize
    }

    #[inline]
    fn remainder(&self, bytes: &[u8], number: usize) -> u64 {
        bits(bytes, self.slots, number * self.slot_bits, self.remainder_bits)
    }

    /// The permuted key; n-grams are numbered in the order of permuted keys.
    #[inline]
    pub(crate) fn image(&self, history: u32, word: u32) -> u64 {
        self.keys.image(history, word)
    }

    /// The n-grams of a bucket. Wrong bytes give wrong n-grams, but no place outside the table.
    #[inline]
    fn bucket(&self, bytes: &[u8], bucket: usize) -> (usize, usize) {
        let (block, i) = (self.directory + bucket / BUCKETS * BLOCK, bucket % BUCKETS);
        let base = u32_at(bytes, block + BUCKETS) as usize;
        let start = if i == 0 { 0 } else { bytes[block + i - 1] };
        let within = |end: u8| (base + usize::from(end)).min(self.count);
        (within(start), within(bytes[block + i]))
    }

    /// Fills the table with sorted images.
    pub(crate) fn fill(&self, bytes: &mut [u8], images: impl Iterator<Item = u64>) -> Result<(), CrowdedBucket> {
        bytes[self.directory..self.end].fill(0);
        let mut directory = Directory { at: self.directory, bucket: 0, base: 0, last: 0 };
        let mut count = 0;
        for image in images {
            directory.close(bytes, (image >> self.remainder_bits) as usize, count)?;
            let remainder = image & ((1 << self.remainder_bits) - 1);
            set_bits(bytes, self.slots, count * self.slot_bits, self.remainder_bits, remainder);
            count += 1;
        }
        directory.close(bytes, (1usize << self.bucket_bits).div_ceil(BUCKETS) * BUCKETS, count)
    }

    /// History and word of all n-grams, by their numbers.
    pub(crate) fn keys<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = (u32, u32)> + use<'b> {
        let table = *self;
        (0..1usize << table.bucket_bits).flat_map(move |bucket| {
            let (start, end) = table.bucket(bytes, bucket);
            (start..end).map(move |i| {
                let remainder = table.remainder(bytes, i);
                table.keys.undo((bucket as u64) << table.remainder_bits | remainder)
            })
        })
    }
}

/// The directory of a table as it is written.
struct Directory {
    at: usize,
    /// The first bucket without an end.
    bucket: usize,
    /// Number of n-grams before the block of the bucket, and before the bucket.
    base: usize,
    last: usize,
}

impl Directory {
    /// Ends the buckets before `until` where n-gram number `end` begins.
    fn close(&mut self, bytes: &mut [u8], until: usize, end: usize) -> Result<(), CrowdedBucket> {
        while self.bucket < until {
            let (block, i) = (self.at + self.bucket / BUCKETS * BLOCK, self.bucket % BUCKETS);
            if i == 0 {
                self.base = self.last;
                bytes[block + BUCKETS..block + BLOCK].copy_from_slice(&(self.base as u32).to_le_bytes());
            }
            bytes[block + i] = u8::try_from(end - self.base).map_err(|_| CrowdedBucket)?;
            self.last = end;
            self.bucket += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn exactly_what_was_put_in_is_found(keys in prop::collection::btree_set((0u32..90, 0u32..40), 0..2000), seed in 0u64..9) {
            let table = Table::new(keys.len(), [90, 40], 12, seed, 5).unwrap();
            let mut images: Vec<u64> = keys.iter().map(|&(history, word)| table.image(history, word)).collect();
            images.sort_unstable();
            let mut bytes = vec![0xAA; table.end];
            table.fill(&mut bytes, images.iter().copied()).unwrap();
            (0..keys.len() as u32).for_each(|number| table.set_value(&mut bytes, number, 1, 11, u64::from(number)));
            let mut numbers = BTreeSet::new();
            for (history, word) in (0..90).flat_map(|history| (0..40).map(move |word| (history, word))) {
                let found = table.find(&bytes, history, word);
                prop_assert_eq!(found.is_some(), keys.contains(&(history, word)));
                prop_assert!(found.is_none_or(|number| table.value(&bytes, number, 1, 11) == u64::from(number)));
                numbers.extend(found);
            }
            prop_assert!(numbers.into_iter().eq(0..keys.len() as u32));
            prop_assert_eq!(table.keys(&bytes).collect::<BTreeSet<_>>(), keys);
        }
    }

    #[test]
    fn damaged_bytes_do_no_harm() {
        let table = Table::new(1000, [1000, 1000], 64, 0, 0).unwrap();
        for byte in [0, 1, 0x7F, 0xFF] {
            let bytes = vec![byte; table.end];
            (0..1000).for_each(|i| assert!(table.find(&bytes, i, i).is_none_or(|number| number < 1000)));
        }
    }

    #[test]
    fn what_is_too_large_is_no_table() {
        assert!(Table::new(10, [1 << 32, 1 << 32], 64, 0, 0).is_none());
        assert!(Table::new(1 << 33, [1 << 20, 1 << 20], 64, 0, 0).is_none());
        assert!(Table::new(10, [10, 10], 64, 0, usize::MAX - 8).is_none());
    }
}
