//! The records that are sorted: n-grams of up to six words, each with eight bytes of data.

use crate::MAX_ORDER;

/// Words packed two to a number, the most significant word first, so that keys compare as lists of words do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Key([u64; MAX_ORDER / 2]);

impl Key {
    pub(crate) fn new(words: impl IntoIterator<Item = u32>) -> Self {
        let mut key = Self::default();
        for (i, word) in words.into_iter().enumerate() {
            key.0[i / 2] |= u64::from(word) << if i % 2 == 0 { 32 } else { 0 };
        }
        key
    }

    pub(crate) fn word(&self, i: usize) -> u32 {
        (self.0[i / 2] >> if i.is_multiple_of(2) { 32 } else { 0 }) as u32
    }

    pub(crate) fn words(&self, count: usize) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        let key = *self;
        (0..count).map(move |i| key.word(i))
    }

    /// The first `count` words, the others zero.
    pub(crate) fn first(&self, count: usize) -> Self {
        Self::new(self.words(count))
    }

    /// How many words from the first on are the same.
    pub(crate) fn common(&self, other: &Self) -> usize {
        (0..MAX_ORDER).take_while(|&i| self.word(i) == other.word(i)).count()
    }
}

/// A key and its data: a count, or two probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) key: Key,
    pub(crate) payload: u64,
}

impl Record {
    /// Bytes of a record in a file.
    pub(crate) const SIZE: usize = 8 * (MAX_ORDER / 2 + 1);

    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let numbers = self.key.0.into_iter().chain([self.payload]);
        bytes.chunks_exact_mut(8).zip(numbers).for_each(|(place, number)| place.copy_from_slice(&number.to_le_bytes()));
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let number = |i: usize| crate::bytes::u64_at(bytes, 8 * i);
        Self { key: Key([number(0), number(1), number(2)]), payload: number(MAX_ORDER / 2) }
    }
}

/// Two floats as a payload.
pub(crate) fn pack(first: f32, second: f32) -> u64 {
    u64::from(first.to_bits()) << 32 | u64::from(second.to_bits())
}

pub(crate) fn unpack(payload: u64) -> (f32, f32) {
    (f32::from_bits((payload >> 32) as u32), f32::from_bits(payload as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_their_words() {
        let lists: [&[u32]; 5] = [&[1], &[1, 0, 7], &[1, u32::MAX], &[2, 0, 0, 0, 0, 1], &[u32::MAX, 3]];
        assert!(lists.map(|words| Key::new(words.iter().copied())).is_sorted());
        let key = Key::new([5, 6, 7, 8, 9, 10]);
        assert!(key.words(6).eq(5..=10));
        assert_eq!(key.first(3), Key::new([5, 6, 7]));
        assert_eq!(key.common(&Key::new([5, 6, 8, 8])), 2);
    }

    #[test]
    fn records_and_payloads_come_back() {
        let record = Record { key: Key::new([1, 2, 3, 4, 5, 6]), payload: pack(-0.5, f32::MIN_POSITIVE) };
        assert_eq!(Record::from_bytes(&record.to_bytes()), record);
        assert_eq!(unpack(record.payload), (-0.5, f32::MIN_POSITIVE));
    }
}
