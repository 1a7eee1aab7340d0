//! Typed indices: a row of the batch can not index a vocabulary by accident.

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a `usize`, for slices.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// From a position in a slice.
            ///
            /// # Panics
            /// If `index` is 2^32 or more: no batch, vocabulary or sentence is that large.
            #[inline]
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("an index below 2^32"))
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index_type!(
    /// A word (sub-word piece) of a vocabulary.
    WordId
);
index_type!(
    /// The place of a sentence in a batch: a slot, free again when the sentence has left.
    SentId
);
index_type!(
    /// A row of one step: one open hypothesis of one sentence.
    Row
);
