//! Keys and values of words, as attention reads them.

use std::marker::PhantomData;

use super::Heads;
use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;

/// The numbers that keys and values are stored as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredAs {
    /// As they are.
    #[default]
    F32,
    /// Rounded to the nearest bf16, which halves the memory that attention reads.
    Bf16,
}

/// Keys and values of words; a word's values follow its keys.
#[derive(Clone, Debug)]
pub struct KeysValues {
    pub(super) heads: Heads,
    pub(super) stored: StoredAs,
    /// [`Heads::scale`].
    pub(super) scale: f32,
    /// Per word: vectors of the interleaved keys, then of the values, those of a head beginning a vector. An even
    /// number of vectors each; two are one line of pairs in bf16.
    words: Matrix,
}

impl KeysValues {
    /// Room for no words.
    #[must_use]
    pub fn new(heads: Heads, stored: StoredAs) -> Self {
        Self { heads, stored, scale: heads.scale(), words: Matrix::new() }
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.rows()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for `words` words; those that were there stay.
    pub fn resize(&mut self, words: usize) {
        let vectors = 2 * (self.key_pairs() + self.value_pairs());
        let cols = match self.stored {
            StoredAs::F32 => 16 * vectors,
            StoredAs::Bf16 => 8 * vectors,
        };
        self.words.resize(words, cols);
    }

    /// Sets the interleaved keys and the values of a word.
    ///
    /// # Panics
    /// If there is no such word, or if keys or values have another length.
    pub fn set(&mut self, word: usize, keys: &[f32], values: &[f32]) {
        assert_eq!(keys.len(), self.heads.interleaved_len(), "length of the keys");
        assert_eq!(values.len(), self.heads.columns(), "length of the values");
        let (heads, key_pairs, stored) = (self.heads, self.key_pairs(), self.stored);
        let to = self.words.row_mut(word).as_chunks_mut().0;
        match stored {
            StoredAs::F32 => dispatch(Set::<F32> { heads, key_pairs, keys, values, to, number: PhantomData }),
            StoredAs::Bf16 => dispatch(Set::<Bf16> { heads, key_pairs, keys, values, to, number: PhantomData }),
        }
    }

    /// Sets word `to` to word `from` of `other`.
    ///
    /// # Panics
    /// If there is no such word, or if `other` has other heads or numbers.
    pub fn copy(&mut self, to: usize, other: &Self, from: usize) {
        self.words.row_mut(to).copy_from_slice(other.words.row(from));
    }

    fn key_pairs(&self) -> usize {
        self.heads.interleaved_len().div_ceil(32)
    }

    pub(super) fn value_pairs(&self) -> usize {
        (self.heads.count * self.heads.chunks).div_ceil(2)
    }

    pub(super) fn lines<N: LineFormat>(&self) -> Lines<'_> {
        let (keys, values) = (self.key_pairs() * N::LINES, self.value_pairs() * N::LINES);
        Lines { lines: self.words.as_slice().as_chunks().0, keys, values }
    }
}

/// The lines of [`KeysValues`].
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    lines: &'a [[f32; 16]],
    /// Lines of a word's keys.
    pub(super) keys: usize,
    /// Lines of a word's values, which follow its keys.
    values: usize,
}

impl<'a> Lines<'a> {
    /// # Panics
    /// If there is no such word.
    #[inline(always)]
    fn word(self, word: usize) -> &'a [[f32; 16]] {
        let length = self.keys + self.values;
        match self.lines.get(word * length..(word + 1) * length) {
            Some(lines) => lines,
            None => panic!("word {word} of {}", self.lines.len() / length),
        }
    }

    #[inline(always)]
    pub(super) fn keys(self, word: usize) -> &'a [[f32; 16]] {
        &self.word(word)[..self.keys]
    }

    #[inline(always)]
    pub(super) fn values(self, word: usize) -> &'a [[f32; 16]] {
        &self.word(word)[self.keys..]
    }
}

/// How numbers lie in the lines of [`KeysValues`].
pub(super) trait LineFormat: Copy {
    /// Lines of two vectors.
    const LINES: usize;
    /// Vectors 2i and 2i + 1.
    fn pair<S: Simd>(s: S, lines: &[[f32; 16]], i: usize) -> (S::F, S::F);
    /// Writes vectors 2i and 2i + 1.
    fn set_pair<S: Simd>(s: S, first: S::F, second: S::F, lines: &mut [[f32; 16]], i: usize);
}

#[derive(Clone, Copy)]
pub(super) struct F32;

impl LineFormat for F32 {
    const LINES: usize = 2;
    #[inline(always)]
    fn pair<S: Simd>(s: S, lines: &[[f32; 16]], i: usize) -> (S::F, S::F) {
        (s.load(&lines[2 * i]), s.load(&lines[2 * i + 1]))
    }
    #[inline(always)]
    fn set_pair<S: Simd>(s: S, first: S::F, second: S::F, lines: &mut [[f32; 16]], i: usize) {
        s.store(first, &mut lines[2 * i]);
        s.store(second, &mut lines[2 * i + 1]);
    }
}

#[derive(Clone, Copy)]
pub(super) struct Bf16;

impl LineFormat for Bf16 {
    const LINES: usize = 1;
    #[inline(always)]
    fn pair<S: Simd>(s: S, lines: &[[f32; 16]], i: usize) -> (S::F, S::F) {
        s.numbers(s.load(&lines[i]))
    }
    #[inline(always)]
    fn set_pair<S: Simd>(s: S, first: S::F, second: S::F, lines: &mut [[f32; 16]], i: usize) {
        s.store(s.round_pairs(first, second), &mut lines[i]);
    }
}

struct Set<'a, N> {
    heads: Heads,
    key_pairs: usize,
    keys: &'a [f32],
    values: &'a [f32],
    to: &'a mut [[f32; 16]],
    number: PhantomData<N>,
}

impl<N: LineFormat> Kernel for Set<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { heads, key_pairs, keys, values, to, .. } = self;
        let (to_keys, to_values) = to.split_at_mut(key_pairs * N::LINES);
        let vector = |of: &[f32], i: usize| part(s, of.get(16 * i..).unwrap_or_default());
        for i in 0..key_pairs {
            N::set_pair(s, vector(keys, 2 * i), vector(keys, 2 * i + 1), to_keys, i);
        }
        let (chunks, width) = (heads.chunks, heads.width);
        let value = |i: usize| {
            if heads.without_gaps() {
                return vector(values, i); // without divisions
            }
            match values.get(i / chunks * width..(i / chunks + 1) * width) {
                Some(head_row) => part(s, &head_row[i % chunks * 16..]),
                None => s.splat(0.0),
            }
        };
        for i in 0..to_values.len() / N::LINES {
            N::set_pair(s, value(2 * i), value(2 * i + 1), to_values, i);
        }
    }
}

/// The first sixteen values, with zeros after the end.
#[inline(always)]
fn part<S: Simd>(s: S, values: &[f32]) -> S::F {
    match values.first_chunk() {
        Some(chunk) => s.load(chunk),
        None => s.load_partial(values, 0.0),
    }
}
