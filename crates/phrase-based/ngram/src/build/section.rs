//! The n-grams of one order, collected for a table.

use super::{BuildFailure, BuiltModel};
use crate::bytes::u32_at;
use crate::ngrams::NGrams;
use crate::table::{Bucket, Keys, Table};
use metaphrase_base::LargeBytes;

/// N-grams that are looked up together, so that they do not wait for memory one after the other.
const BATCH: usize = 256;
/// Bytes of the number of an n-gram without its oldest word.
const SUFFIX: usize = 4;
/// Parts of the n-grams by the upper bits of their images: a part is sorted within the processor's cache.
const PART_BITS: u32 = 8;
/// N-grams of a part for which room is made before they come, at most: numbers of a file may be false.
const ROOM: usize = 1 << 14;

/// An n-gram whose history was looked up.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The image of the number of its history and its last word.
    image: u64,
    /// Its place among the n-grams of the order as they came.
    index: u32,
    log10: f32,
}

/// The part of an n-gram that one of the highest order does not have.
#[derive(Debug, Clone, Copy)]
struct LowerPart {
    /// The number of the n-gram without its oldest word.
    suffix: u32,
    backoff: f32,
}

/// The n-grams of one order.
#[derive(Debug)]
pub(super) struct Section {
    /// One less than their number of words.
    k: usize,
    /// Histories are below the first number, words below the second.
    limits: [usize; 2],
    keys: Keys,
    /// N-grams that were not looked up yet: words, one n-gram after the other, and values.
    words: Vec<u32>,
    values: Vec<[f32; 2]>,
    /// The others, by the upper bits of their images.
    parts: Vec<Vec<Entry>>,
    /// The number of the others.
    count: usize,
    /// An entry for each of the others, in their order of arrival; empty if the order is the highest.
    lower: Vec<LowerPart>,
    /// A bit by the number of an n-gram of the order below: whether it is the history of one of these.
    follows: Vec<u64>,
}

impl Section {
    /// Without n-grams of `k` + 1 words, of which about `expected` will come; histories are below `histories`, words
    /// below `words`. `None` if that is more than keys can hold.
    pub(super) fn new(
        limits @ [histories, _]: [usize; 2],
        k: usize,
        expected: usize,
        has_backoff: bool,
    ) -> Option<Self> {
        // Parts are about equal.
        let room = ((expected >> PART_BITS) + (expected >> (PART_BITS + 4)) + 16).min(ROOM);
        Some(Self {
            k,
            limits,
            keys: Keys::new(limits, 0)?,
            words: Vec::with_capacity(BATCH * (k + 1)),
            values: Vec::with_capacity(BATCH),
            parts: (0..1 << PART_BITS).map(|_| Vec::with_capacity(room)).collect(),
            count: 0,
            lower: Vec::with_capacity(if has_backoff { expected.min(ROOM << PART_BITS) } else { 0 }),
            follows: vec![0; histories.div_ceil(64)],
        })
    }

    /// Number of n-grams that were looked up.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether one of these has this history.
    pub(super) fn follows(&self, history: u32) -> bool {
        self.follows[history as usize / 64] >> (history % 64) & 1 == 1
    }

    pub(super) fn push(&mut self, words: &[u32], log10: f32, backoff: f32) {
        self.words.extend_from_slice(words);
        self.values.push([log10, backoff]);
    }

    /// Whether [`look_up`](Self::look_up) is due.
    pub(super) fn is_full(&self) -> bool {
        self.values.len() == BATCH
    }

    /// Looks up the histories of the n-grams that wait, in the tables of lower orders. False if one of them, or one
    /// without its oldest word, is not there; then they still wait.
    pub(super) fn look_up(&mut self, built: &BuiltModel, suffixes: &[u8]) -> bool {
        let BuiltModel { bytes, layout, .. } = built;
        let (k, batch) = (self.k, self.values.len());
        let word = |i: usize, position: usize| self.words[i * (k + 1) + position];
        let [mut histories, mut suffixes_of] = [[0; BATCH]; 2];
        let [histories, lower] = [&mut histories[..batch], &mut suffixes_of[..batch]];
        histories.iter_mut().enumerate().for_each(|(i, number)| *number = word(i, 0));
        for (position, table) in (1..k).zip(&layout.tables) {
            if !find_all(table, bytes, histories, |i| word(i, position)) {
                return false;
            }
        }
        if k == 1 {
            lower.iter_mut().enumerate().for_each(|(i, number)| *number = word(i, 1));
        } else {
            let suffix_of = |history: u32| u32_at(suffixes, SUFFIX * history as usize);
            lower.iter_mut().zip(&*histories).for_each(|(number, &history)| *number = suffix_of(history));
            if !find_all(&layout.tables[k - 2], bytes, lower, |i| word(i, k)) {
                return false;
            }
        }
        for (i, (&history, &suffix)) in histories.iter().zip(&*lower).enumerate() {
            let [mut log10, backoff] = self.values[i];
            if log10.is_nan() {
                log10 = layout.backoff(bytes, k - 1, history) + layout.log10(bytes, k - 1, suffix);
            }
            let image = self.keys.image(history, word(i, k));
            self.follows[history as usize / 64] |= 1 << (history % 64);
            let part = part_of(&self.keys, image);
            self.parts[part].push(Entry { image, index: self.count as u32, log10 });
            self.count += 1;
            if layout.has_backoff(k) {
                self.lower.push(LowerPart { suffix, backoff });
            }
        }
        self.words.clear();
        self.values.clear();
        true
    }

    /// Puts the n-grams in the order of their images with a seed.
    pub(super) fn shuffle(&mut self, seed: u64) -> Result<(), BuildFailure> {
        if seed > 0 {
            let keys = Keys::new(self.limits, seed).ok_or(BuildFailure::TooLarge)?;
            for mut entry in std::mem::replace(&mut self.parts, vec![Vec::new(); 1 << PART_BITS]).into_iter().flatten()
            {
                let (history, word) = self.keys.undo(entry.image);
                entry.image = keys.image(history, word);
                self.parts[part_of(&keys, entry.image)].push(entry);
            }
            self.keys = keys;
        }
        for part in &mut self.parts {
            part.sort_unstable_by_key(|entry| entry.image);
            if part.array_windows().any(|[a, b]| a.image == b.image) {
                part.sort_unstable_by_key(|entry| (entry.image, entry.index));
                let same = part.array_windows().find(|[a, b]| a.image == b.image);
                let [first, second] = same.map_or([0; 2], |same| same.each_ref().map(|entry| entry.index as usize));
                return Err(BuildFailure::Duplicate { order: self.k + 1, first, second });
            }
        }
        Ok(())
    }

    pub(super) fn images(&self) -> impl Iterator<Item = u64> {
        self.parts.iter().flatten().map(|entry| entry.image)
    }

    /// Stores the values in the table, which was filled with the images. Returns the numbers of the n-grams without
    /// their oldest words.
    pub(super) fn set_values(self, BuiltModel { bytes, layout, .. }: &mut BuiltModel) -> LargeBytes {
        let mut suffixes = LargeBytes::default();
        suffixes.resize(SUFFIX * self.lower.len());
        for (number, Entry { index, log10, .. }) in (0..).zip(self.parts.into_iter().flatten()) {
            layout.set_log10(bytes, self.k, number, log10);
            if let Some(&LowerPart { suffix, backoff }) = self.lower.get(index as usize) {
                layout.set_backoff(bytes, self.k, number, backoff);
                suffixes[SUFFIX * number as usize..][..SUFFIX].copy_from_slice(&suffix.to_le_bytes());
            }
        }
        suffixes
    }

    /// The n-grams as they came.
    pub(super) fn into_list(self, BuiltModel { bytes, layout, .. }: &BuiltModel) -> NGrams {
        let k = self.k;
        let unigrams: Vec<u32> = (0..layout.words as u32).collect();
        let histories = (1..k).fold(unigrams, |histories, k| layout.words_of(bytes, k, &histories));
        let mut entries: Vec<Entry> = self.parts.into_iter().flatten().collect();
        entries.sort_unstable_by_key(|entry| entry.index);
        let mut list = NGrams::new(k + 1);
        let mut words = Vec::with_capacity(k + 1);
        for Entry { image, index, log10 } in entries {
            let backoff = self.lower.get(index as usize).map_or(0.0, |lower| lower.backoff);
            let (history, word) = self.keys.undo(image);
            words.clear();
            words.extend_from_slice(&histories[history as usize * k..][..k]);
            words.push(word);
            list.push(&words, log10, backoff);
        }
        for (words, [log10, backoff]) in self.words.chunks_exact(k + 1).zip(self.values) {
            list.push(words, log10, backoff);
        }
        list
    }
}

/// The upper bits of an image.
fn part_of(keys: &Keys, image: u64) -> usize {
    (image >> keys.bits.saturating_sub(PART_BITS)) as usize
}

/// Replaces the number of each history by that of the history with a word. False if one of these is not there.
fn find_all(table: &Table, bytes: &[u8], numbers: &mut [u32], word: impl Fn(usize) -> u32) -> bool {
    let (mut images, mut buckets) = ([0; BATCH], [Bucket::default(); BATCH]);
    // Each loop does little, so that the processor asks for the memory of many of its rounds at a time.
    let mut touched = 0;
    for (i, (image, &number)) in images.iter_mut().zip(&*numbers).enumerate() {
        *image = table.image(number, word(i));
        touched |= table.touch_directory(bytes, *image);
    }
    std::hint::black_box(touched);
    for (bucket, &image) in buckets[..numbers.len()].iter_mut().zip(&images) {
        *bucket = table.bucket_of_image(bytes, image);
    }
    let touch = |bucket| table.touch(bytes, bucket) | table.touch_end(bytes, bucket);
    let touched = buckets[..numbers.len()].iter().fold(0, |touched, bucket| touched | touch(bucket));
    std::hint::black_box(touched);
    // By reference: the buckets of a batch are not copied.
    numbers.iter_mut().zip(&buckets).all(|(number, bucket)| {
        let found = table.search(bytes, *bucket);
        *number = found.unwrap_or_default();
        found.is_some()
    })
}
