//! A hash index: finds the numbers of things that are stored elsewhere.

/// An open-addressing table of numbers. The caller decides which things are equal.
///
/// Nothing is removed; a number whose thing has become another one is no longer found, because the caller's test fails.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Hash and number; a power of two of them, at most half used.
    slots: Vec<(u32, u32)>,
    used: usize,
}

const EMPTY: u32 = u32::MAX;
const FEWEST_SLOTS: usize = 64;

impl Index {
    /// Forgets all, keeps the memory.
    pub(crate) fn clear(&mut self) {
        // A table that once was large must not make each small sentence pay for it.
        if self.slots.len() > FEWEST_SLOTS && self.used * 16 < self.slots.len() {
            self.slots.truncate((self.used * 4).next_power_of_two().max(FEWEST_SLOTS));
        }
        self.slots.fill((0, EMPTY));
        self.used = 0;
    }

    /// The number with this hash for which `is_it` holds.
    pub(crate) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let (other, number) = self.slots[slot];
            if number == EMPTY {
                return None;
            }
            if other == hash && is_it(number) {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a number that is not there yet.
    pub(crate) fn insert(&mut self, hash: u32, number: u32) {
        if (self.used + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.put(hash, number);
        self.used += 1;
    }

    fn put(&mut self, hash: u32, number: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (hash, number);
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FEWEST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![(0, EMPTY); size]);
        for (hash, number) in old {
            if number != EMPTY {
                self.put(hash, number);
            }
        }
    }
}

/// One round of a multiplicative hash.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    // The multiplier of FxHash, odd and without a pattern.
    (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The 32 well-mixed bits of a multiplicative hash: the upper ones.
#[inline]
pub(crate) fn finish(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_what_they_stand_for() {
        let things: Vec<u32> = (0..1000).map(|i| i * 7919 % 1009).collect();
        let mut index = Index::default();
        assert_eq!(index.find(1, |_| true), None);
        for round in 0..2 {
            for (number, &thing) in things.iter().enumerate() {
                let hash = thing % 100; // Many things share a hash.
                assert_eq!(index.find(hash, |n| things[n as usize] == thing), None, "round {round}");
                index.insert(hash, number as u32);
            }
            for (number, &thing) in things.iter().enumerate() {
                assert_eq!(index.find(thing % 100, |n| things[n as usize] == thing), Some(number as u32));
            }
            index.clear();
        }
    }
}
