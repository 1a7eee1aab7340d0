//! Tables of positions, and what attention adds for the distance between two words.

/// Whether a tensor of this name is a table of positions or of distances, whose rows are added as they are: no map.
#[must_use]
pub fn is_position_table(name: &str) -> bool {
    name.ends_with("Wpos") || name.contains("_relative_")
}

/// Numbers that attention adds to the product of a query and a key for the distance between the two words (Raffel et
/// al. 2020, section 2.1).
pub struct PositionBiases<T> {
    /// `buckets × heads`.
    pub table: T,
    /// A multiple of 4.
    pub buckets: usize,
    /// From this distance on all words are in the last bucket.
    pub distance: usize,
    /// Whether words after a word have buckets of their own, as in the encoder.
    pub both_ways: bool,
}

impl<T> PositionBiases<T> {
    /// The row of the table for a word that is `distance` words before another, or after it.
    #[must_use]
    pub fn row(&self, distance: usize, is_after: bool) -> usize {
        let (buckets, first) = match self.both_ways {
            true => (self.buckets / 2, if is_after { self.buckets / 2 } else { 0 }),
            false => (self.buckets, 0),
        };
        let single = buckets / 2;
        if distance < single {
            return first + distance;
        }
        // In f32, as in torch.
        let share = (distance as f32 / single as f32).ln() / (self.distance as f64 / single as f64).ln() as f32;
        let bucket = single + (share * (buckets - single) as f32) as usize;
        first + bucket.min(buckets - 1)
    }
}

/// Vectors that attention adds to keys and values for the distance between two words (Shaw et al. 2018), the same in
/// all heads.
pub struct RelativePositions<T> {
    /// `2 distance + 1 × d / heads`.
    pub keys: T,
    /// `2 distance + 1 × d / heads`.
    pub values: T,
    /// The largest distance with an embedding of its own.
    pub distance: usize,
}

impl<T> RelativePositions<T> {
    /// The row of both tables for a query and a key at these positions of a sentence.
    #[must_use]
    pub fn row(&self, query: usize, key: usize) -> usize {
        (key + self.distance).saturating_sub(query).min(2 * self.distance)
    }
}
