//! Building a double array from sorted keys.

use super::{DoubleArray, LEAF};
use std::collections::HashMap;

/// How many of the last blocks are searched for room. Earlier ones are nearly full, so that going back to them
/// costs time and saves little.
const OPEN_BLOCKS: usize = 16;
/// Free places that are tried for a node with several children before a new block is begun. It bounds the time
/// that a hostile set of keys can take.
const TRIES: usize = 64;

impl DoubleArray {
    /// The trie of `keys`: pairs of key and value, sorted by key, no key empty, twice or with a zero byte (which
    /// stands for the end of a key), values below 2^31.
    /// `None` if the offsets between nodes outgrow the format (some 2^29 units).
    pub(in super::super) fn build(keys: &[(&[u8], u32)]) -> Option<Self> {
        let mut builder = Builder::default();
        builder.add_block();
        builder.take(0);
        // Position 0 is the root. No children may start at 0: an empty unit has offset 0.
        builder.base_used[0] = true;
        let mut open = vec![OpenNode { node: 0, depth: 0, start: 0, end: keys.len() }];
        while let Some(node) = open.pop() {
            match &keys[node.start..node.end] {
                [(key, value)] => builder.add_end(node.node, &key[node.depth..], *value)?,
                _ => builder.add_children(keys, &node, &mut open)?,
            }
        }
        builder.close_unused();
        Some(Self { units: builder.units })
    }

    /// [`build`](Self::build), with one place for all nodes that go on in the same ways to the same values. It takes
    /// longer, and a normalisation table becomes a tenth of the size. Keys must be short: it recurses by byte.
    pub(in super::super) fn build_shared(keys: &[(&[u8], u32)]) -> Option<Self> {
        let mut states = HashMap::new();
        let root = State::intern(keys, 0, &mut states);
        let mut by_id: Vec<(u32, &State)> = states.iter().map(|(state, &id)| (id, state)).collect();
        by_id.sort_unstable_by_key(|&(id, _)| id);

        let mut builder = Builder::default();
        builder.add_block();
        builder.take(0);
        builder.base_used[0] = true;
        let mut bases = vec![None; by_id.len()];
        let mut open = vec![(0, root)];
        while let Some((node, id)) = open.pop() {
            let state = by_id[id as usize].1;
            if let Some(offset) = bases[id as usize].and_then(|base: usize| encode_offset(node ^ base)) {
                builder.units[node] |= offset | u32::from(state.leaf.is_some()) << 8;
                continue;
            }
            builder.children = state.children.iter().map(|&(byte, child)| (byte, child as usize, 0)).collect();
            let Some(base) = builder.place(node, state.leaf)? else { continue };
            bases[id as usize] = Some(base);
            open.extend(state.children.iter().map(|&(byte, child)| (base ^ usize::from(byte), child)));
        }
        builder.close_unused();
        Some(Self { units: builder.units })
    }
}

/// How keys go on from a node, whichever way leads to it.
#[derive(PartialEq, Eq, Hash)]
struct State {
    leaf: Option<u32>,
    /// Bytes and the numbers of the states that they lead to.
    children: Vec<(u8, u32)>,
}

impl State {
    /// The number of the state that `keys` make from byte `depth` on; numbers count the states in `states`.
    fn intern(keys: &[(&[u8], u32)], depth: usize, states: &mut HashMap<Self, u32>) -> u32 {
        let (leaf, mut rest) = match keys.split_first() {
            Some((&(key, value), rest)) if key.len() == depth => (Some(value), rest),
            _ => (None, keys),
        };
        let mut children = Vec::new();
        while let Some((first, _)) = rest.first() {
            let byte = first[depth];
            let (same, others) = rest.split_at(rest.partition_point(|(key, _)| key[depth] == byte));
            children.push((byte, Self::intern(same, depth + 1, states)));
            rest = others;
        }
        let next = states.len() as u32;
        *states.entry(Self { leaf, children }).or_insert(next)
    }
}

/// A node whose children are not placed yet: the keys `start..end` share their first `depth` bytes, which lead to
/// `node`.
struct OpenNode {
    node: usize,
    depth: usize,
    start: usize,
    end: usize,
}

#[derive(Default)]
struct Builder {
    units: Vec<u32>,
    /// One bit for each unit, set while it is free.
    free: Vec<u64>,
    /// How many of the first words of `free` have no free unit left.
    full: usize,
    /// Whether a node has its children at `base ^ byte`: two nodes with one base would share children.
    base_used: Vec<bool>,
    /// Children of the node in hand: byte and keys `start..end`.
    children: Vec<(u8, usize, usize)>,
}

impl Builder {
    fn add_block(&mut self) {
        let len = self.units.len() + 256;
        self.units.resize(len, 0);
        self.free.resize(len / 64, u64::MAX);
        self.base_used.resize(len, false);
    }

    fn take(&mut self, position: usize) {
        self.free[position / 64] &= !(1 << (position % 64));
        while self.free.get(self.full) == Some(&0) {
            self.full += 1;
        }
    }

    fn is_free(&self, position: usize) -> bool {
        self.free[position / 64] >> (position % 64) & 1 != 0
    }

    /// Free positions of the open blocks.
    fn open_positions(&self) -> impl Iterator<Item = usize> {
        let oldest = self.free.len().saturating_sub(OPEN_BLOCKS * 4).max(self.full);
        (oldest..self.free.len()).flat_map(|word| {
            let mut bits = self.free[word];
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(word * 64 + bit)
            })
        })
    }

    /// Adds the nodes of the last bytes of a key, which no other key shares, and its leaf.
    fn add_end(&mut self, mut node: usize, bytes: &[u8], value: u32) -> Option<()> {
        for &byte in bytes {
            let base = self.find_base_of_one(node, byte);
            self.base_used[base] = true;
            self.units[node] |= encode_offset(node ^ base)?;
            node = base ^ usize::from(byte);
            self.take(node);
            self.units[node] = u32::from(byte);
        }
        let base = self.find_base_of_one(node, 0);
        self.base_used[base] = true;
        self.units[node] |= encode_offset(node ^ base)? | 1 << 8;
        self.take(base);
        self.units[base] = value | LEAF;
        Some(())
    }

    /// A base for a single child: any free place will do whose base no other node has.
    fn find_base_of_one(&mut self, parent: usize, byte: u8) -> usize {
        let near = |base: &usize| !self.base_used[*base] && encode_offset(parent ^ base).is_some();
        let found = self.open_positions().take(TRIES).map(|position| position ^ usize::from(byte)).find(near);
        found.unwrap_or_else(|| self.new_base(parent))
    }

    fn add_children(&mut self, keys: &[(&[u8], u32)], parent: &OpenNode, open: &mut Vec<OpenNode>) -> Option<()> {
        let mut start = parent.start;
        let leaf = keys.get(start).filter(|(key, _)| key.len() == parent.depth).map(|&(_, value)| value);
        if leaf.is_some() {
            start += 1;
        }
        self.children.clear();
        while start < parent.end {
            let byte = keys[start].0[parent.depth];
            let same = keys[start..parent.end].partition_point(|(key, _)| key[parent.depth] == byte);
            self.children.push((byte, start, start + same));
            start += same;
        }
        if let Some(base) = self.place(parent.node, leaf)? {
            for &(byte, start, end) in &self.children {
                open.push(OpenNode { node: base ^ usize::from(byte), depth: parent.depth + 1, start, end });
            }
        }
        Some(())
    }

    /// Finds a base for the children in hand and `leaf`, and ties them to the node `parent`. `Some(None)` for a trie
    /// without keys, `None` if the offset outgrows the format.
    fn place(&mut self, parent: usize, leaf: Option<u32>) -> Option<Option<usize>> {
        if leaf.is_none() && self.children.is_empty() {
            return Some(None);
        }
        let base = self.find_base(parent, leaf.is_some());
        self.base_used[base] = true;
        self.units[parent] |= encode_offset(parent ^ base)?;
        if let Some(value) = leaf {
            self.units[parent] |= 1 << 8;
            self.take(base);
            self.units[base] = value | LEAF;
        }
        for i in 0..self.children.len() {
            let byte = self.children[i].0;
            let node = base ^ usize::from(byte);
            self.take(node);
            self.units[node] = u32::from(byte);
        }
        Some(Some(base))
    }

    /// A base whose places for the children in hand (and the leaf, whose byte is 0) are all free.
    fn find_base(&mut self, parent: usize, leaf: bool) -> usize {
        let first = if leaf { 0 } else { usize::from(self.children[0].0) };
        let fits = |base: usize| {
            !self.base_used[base]
                && encode_offset(parent ^ base).is_some()
                && self.children.iter().all(|&(byte, ..)| self.is_free(base ^ usize::from(byte)))
        };
        let found = self.open_positions().take(TRIES).map(|position| position ^ first).find(|&base| fits(base));
        if let Some(base) = found {
            return base;
        }
        self.new_base(parent)
    }

    /// A base in a new block.
    fn new_base(&mut self, parent: usize) -> usize {
        // In a new block everything is free; its first base differs from `parent` in the upper bits alone if the
        // parent's low byte is kept, which is what far offsets need.
        let base = self.units.len() | (parent & 0xFF);
        self.add_block();
        base
    }

    /// Gives every unused unit a byte that can not match: it would have to be a child of a base that no node has.
    fn close_unused(&mut self) {
        for block in (0..self.units.len()).step_by(256) {
            // A used base takes at least one unit, so where a unit is unused a base is too.
            let unused = (block..block + 256).find(|&base| !self.base_used[base]).unwrap_or(block);
            for position in
                (block..block + 256).filter(|&position| self.free[position / 64] >> (position % 64) & 1 != 0)
            {
                self.units[position] = ((position ^ unused) & 0xFF) as u32;
            }
        }
    }
}

/// The bits of a node for the distance to its children: 21 bits, counted in 256s where that is exact and needed.
fn encode_offset(distance: usize) -> Option<u32> {
    if distance < 1 << 21 {
        Some((distance as u32) << 10)
    } else if distance < 1 << 29 && distance & 0xFF == 0 {
        Some(((distance >> 8) as u32) << 10 | 1 << 9)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn keys(map: &BTreeMap<Vec<u8>, u32>) -> Vec<(&[u8], u32)> {
        map.iter().map(|(key, &value)| (key.as_slice(), value)).collect()
    }

    fn build(map: &BTreeMap<Vec<u8>, u32>) -> DoubleArray {
        DoubleArray::build(&keys(map)).unwrap()
    }

    proptest! {
        #[test]
        fn finds_its_keys_and_nothing_else(
            map in prop::collection::btree_map(prop::collection::vec(1u8..4, 1..6), 0u32..1000, 0..200),
            wide in prop::collection::btree_map(prop::collection::vec(1u8..=255, 1..4), 0u32..1000, 0..200),
        ) {
            // Few values, so that there is something to share.
            let few = map.iter().map(|(key, value)| (key.clone(), value % 3)).collect();
            for (map, shared) in [(&map, false), (&wide, false), (&map, true), (&wide, true), (&few, true)] {
                let array = if shared { DoubleArray::build_shared(&keys(map)).unwrap() } else { build(map) };
                prop_assert!(array.is_valid(1000) || map.is_empty());
                for (key, value) in map {
                    prop_assert_eq!(array.get(key), Some(*value));
                }
                for key in (0..=255u8).flat_map(|a| [vec![a], vec![a, 0], vec![0, a], vec![1, a, 3], vec![a, 2]]) {
                    prop_assert_eq!(array.get(&key), map.get(&key).copied());
                    let longest = (1..=key.len()).rev().find_map(|n| map.get(&key[..n]).map(|&v| (n, v)));
                    prop_assert_eq!(array.longest_prefix(&key), longest);
                }
            }
        }
    }

    #[test]
    fn holds_many_keys_in_little_room() {
        // All strings of three bytes out of 64: 1 + 64 + 4096 + 262144 nodes and as many leaves as keys.
        let mut map = BTreeMap::new();
        for i in 0..64 * 64 * 64u32 {
            map.insert(vec![(i >> 12) as u8 * 4, (i >> 6 & 63) as u8 * 3, (i & 63) as u8 + 100], i);
        }
        let array = build(&map);
        assert!(map.iter().all(|(key, &value)| array.get(key) == Some(value)));
        assert!(array.units.len() < 700_000, "{}", array.units.len());
        // The same array through its bytes.
        let bytes: Vec<u8> = array.units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        assert!(DoubleArray::from_le_bytes(&bytes, 1 << 18).is_ok());
        assert!(DoubleArray::from_le_bytes(&bytes, 1000).is_err());
        assert!(DoubleArray::from_le_bytes(&bytes[4..], 1 << 18).is_err());
    }

    #[test]
    fn equal_ends_are_there_once() {
        // All strings of four out of eight bytes; the value is that of the last byte.
        let key = |i: u32| (0..4).map(|place| (i >> (3 * place) & 7) as u8 + 1).collect::<Vec<u8>>();
        let map: BTreeMap<Vec<u8>, u32> = (0..8 * 8 * 8 * 8).map(|i| (key(i), i >> 9)).collect();
        let array = DoubleArray::build_shared(&keys(&map)).unwrap();
        assert!(map.iter().all(|(key, &value)| array.get(key) == Some(value)));
        assert_eq!(array.units.len(), 256);
    }

    #[test]
    fn an_empty_trie_has_no_keys() {
        for array in [DoubleArray::build(&[]), DoubleArray::build_shared(&[])] {
            let array = array.unwrap();
            assert!((0..=255).all(|byte| array.get(&[byte]).is_none()));
        }
    }
}
