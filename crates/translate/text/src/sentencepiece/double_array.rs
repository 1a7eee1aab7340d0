//! A trie of byte strings in one array of 32-bit units, in the format of Darts-clone.
//!
//! Model files carry their normalisation table in this format; the index of pieces is built in it too, for it is
//! small and a step costs one look-up. Bits of a unit:
//!
//! | unit | bits |
//! |---|---|
//! | node | 0-7 the byte that leads to it, 8 a key ends here, 9 the offset counts in 256s, 10-30 offset |
//! | leaf | 0-30 value, 31 set |
//!
//! From the node at position `p`, byte `c` leads to position `p ^ offset ^ c` if that unit carries `c`; where a key
//! ends its leaf is at `p ^ offset`. Unused units carry a byte that can not match.
//! Format: <https://github.com/s-yata/darts-clone>.

mod build;

/// The trie. The root is at position 0.
#[derive(Debug, Clone)]
pub(super) struct DoubleArray {
    /// A multiple of 256 units.
    units: Vec<u32>,
}

const LEAF: u32 = 1 << 31;

fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & (1 << 9)) >> 6)
}

fn has_leaf(unit: u32) -> bool {
    unit & (1 << 8) != 0
}

/// The byte that leads to a node; above 255 for a leaf.
fn label(unit: u32) -> u32 {
    unit & (LEAF | 0xFF)
}

impl DoubleArray {
    /// Takes the units of a file as they are, little-endian. Every value must be below `values` and every offset
    /// within the array; otherwise the answer is the problem.
    pub(super) fn from_le_bytes(bytes: &[u8], values: usize) -> Result<Self, &'static str> {
        if bytes.is_empty() || !bytes.len().is_multiple_of(4 * 256) {
            return Err("its trie is not a multiple of 1024 bytes");
        }
        let units = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let array = Self { units };
        if array.is_valid(values) { Ok(array) } else { Err("its trie points outside") }
    }

    /// The units as files have them, little-endian.
    pub(super) fn to_le_bytes(&self) -> Vec<u8> {
        self.units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
    }

    /// The number of leaves: one for each key that [`build`](Self::build) was given.
    pub(super) fn leaves(&self) -> usize {
        self.units.iter().filter(|&&unit| unit & LEAF != 0).count()
    }

    fn is_valid(&self, values: usize) -> bool {
        let root = self.units[0];
        if label(root) != 0 || has_leaf(root) || offset(root) == 0 {
            return false;
        }
        self.units.iter().enumerate().all(|(position, &unit)| {
            if unit & LEAF != 0 {
                return ((unit & !LEAF) as usize) < values;
            }
            let children = position ^ offset(unit) as usize;
            // Blocks of 256 are whole, so a valid child position makes all of them valid.
            children < self.units.len() && (!has_leaf(unit) || self.units[children] & LEAF != 0)
        })
    }

    /// A cursor at the root.
    #[inline]
    pub(super) fn root(&self) -> Cursor<'_> {
        self.at(0)
    }

    /// A cursor where an earlier one stood ([`Cursor::position`]).
    #[inline]
    pub(super) fn at(&self, position: u32) -> Cursor<'_> {
        Cursor { units: &self.units, position, unit: self.units[position as usize] }
    }

    /// The value of `key`.
    pub(super) fn get(&self, key: &[u8]) -> Option<u32> {
        let mut cursor = self.root();
        if !cursor.walk(key) {
            return None;
        }
        cursor.value()
    }

    /// The longest key that is a prefix of `text`: its length and value.
    #[inline]
    pub(super) fn longest_prefix(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut cursor = self.root();
        let mut longest = None;
        for (i, &byte) in text.iter().enumerate() {
            if !cursor.step(byte) {
                break;
            }
            if let Some(value) = cursor.value() {
                longest = Some((i + 1, value));
            }
        }
        longest
    }
}

/// A place in the trie: the bytes walked so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    units: &'a [u32],
    position: u32,
    unit: u32,
}

impl Cursor<'_> {
    /// Follows `byte`; `false`, and the cursor stays, if no key goes on with it.
    #[inline]
    pub(super) fn step(&mut self, byte: u8) -> bool {
        let next = self.position ^ offset(self.unit) ^ u32::from(byte);
        match self.units.get(next as usize) {
            Some(&unit) if label(unit) == u32::from(byte) => {
                self.position = next;
                self.unit = unit;
                true
            }
            _ => false,
        }
    }

    /// Follows all of `bytes`; `false` if no key goes on with them.
    #[inline]
    pub(super) fn walk(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| self.step(byte))
    }

    /// The value of the key that ends here.
    #[inline]
    pub(super) fn value(&self) -> Option<u32> {
        if !has_leaf(self.unit) {
            return None;
        }
        self.units.get((self.position ^ offset(self.unit)) as usize).map(|leaf| leaf & !LEAF)
    }

    /// The place, to come back to with [`DoubleArray::at`].
    #[inline]
    pub(super) fn position(&self) -> u32 {
        self.position
    }
}
