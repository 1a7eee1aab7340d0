//! Changes to a row that are made while the row is read.

use crate::isa::Simd;

/// A column whose value is another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnChange {
    /// Which column of the row.
    pub column: u32,
    /// The value in its place.
    pub value: f32,
}

/// Changes to the values of a row that cost what their exceptions cost, however long the row is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'a> {
    /// Numbers that are added to the value of every column that is not replaced, one after the other.
    pub added: &'a [f32],
    /// By ascending column, each column once.
    pub replaced: &'a [ColumnChange],
}

impl Changes<'_> {
    /// Whether nothing changes.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty()
    }

    /// The value of `column` after the changes, where it is `value` before.
    #[must_use]
    pub fn value(&self, column: u32, value: f32) -> f32 {
        match self.replaced.binary_search_by_key(&column, |replaced| replaced.column) {
            Ok(found) => self.replaced[found].value,
            Err(_) => self.added.iter().fold(value, |value, added| value + added),
        }
    }

    /// Makes the changes in `row`.
    pub fn make(&self, row: &mut [f32]) {
        for added in self.added {
            row.iter_mut().for_each(|value| *value += added);
        }
        self.replaced.iter().for_each(|replaced| row[replaced.column as usize] = replaced.value);
    }

    /// Changes the values of the sixteen columns from `start` on, and forgets those of them that are replaced: the
    /// columns of a row come in order.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(&mut self, s: S, mut values: S::F, start: usize) -> S::F {
        for &added in self.added {
            values = s.add(values, s.splat(added));
        }
        if self.replaced.first().is_some_and(|first| (first.column as usize) < start + 16) {
            let mut lanes = [0.0; 16];
            s.store(values, &mut lanes);
            while let [first, others @ ..] = self.replaced
                && (first.column as usize) < start + 16
            {
                lanes[first.column as usize - start] = first.value;
                self.replaced = others;
            }
            values = s.load(&lanes);
        }
        values
    }
}
