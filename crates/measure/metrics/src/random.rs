//! NumPy's default random generator, so that the samples of significance tests are those of sacreBLEU.
//!
//! `numpy.random.default_rng(seed)` is PCG64 (O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically
//! Good Algorithms for Random Number Generation", variant XSL RR 128/64), seeded by `SeedSequence` (O'Neill 2015,
//! "Developing a seed_seq Alternative"). Integers below a bound come by Lemire's method (2019, "Fast Random Integer
//! Generation in an Interval") from halves of the generator's words.

/// Multiplier of the 128-bit congruential generator.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// `numpy.random.Generator` over PCG64.
#[derive(Debug, Clone)]
pub(crate) struct NumpyRng {
    state: u128,
    increment: u128,
    /// The upper half of a word of which the lower half has been used.
    half: Option<u32>,
}

impl NumpyRng {
    /// `default_rng(seed)`.
    pub(crate) fn new(seed: u64) -> Self {
        let [seed_high, seed_low, sequence_high, sequence_low] = seed_words(seed).map(u128::from);
        let increment = ((sequence_high << 64 | sequence_low) << 1) | 1;
        let mut new = Self { state: 0, increment, half: None };
        new.step();
        new.state = new.state.wrapping_add(seed_high << 64 | seed_low);
        new.step();
        new
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 random bits.
    fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 random bits: the lower, then the upper half of 64.
    fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let word = self.next_u64();
            self.half = Some((word >> 32) as u32);
            word as u32
        })
    }

    /// A number below `bound`, 1 <= bound: one element of `choice(bound, size)`.
    ///
    /// A bound of 1 takes nothing from the generator, in NumPy too.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        if bound <= 1 {
            return 0;
        }
        let mut product = u64::from(self.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Random truth values, the elements of `integers(2, size, dtype=bool)`: the bits of 32-bit words, lowest first.
    /// The unused bits of the last word are thrown away.
    pub(crate) fn bools(&mut self) -> impl Iterator<Item = bool> {
        std::iter::repeat_with(|| self.next_u32()).flat_map(|word| (0..32).map(move |bit| word >> bit & 1 == 1))
    }
}

/// `SeedSequence(seed).generate_state(4, uint64)`.
fn seed_words(seed: u64) -> [u64; 4] {
    const POOL: usize = 4;
    const INIT_A: u32 = 0x43b0_d7e5;
    const MULT_A: u32 = 0x931e_8875;
    const INIT_B: u32 = 0x8b51_f9dd;
    const MULT_B: u32 = 0x58f3_8ded;
    const MIX_L: u32 = 0xca01_f9dd;
    const MIX_R: u32 = 0x4973_f715;
    let fold = |x: u32| x ^ (x >> 16);

    // A seed of up to 64 bits has one or two words; the pool is filled up with zeros, so two do for all.
    let entropy = [seed as u32, (seed >> 32) as u32, 0, 0];
    let mut constant = INIT_A;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(MULT_A);
        fold(value.wrapping_mul(constant))
    };
    let mix = |x: u32, y: u32| fold(x.wrapping_mul(MIX_L).wrapping_sub(y.wrapping_mul(MIX_R)));

    let mut pool = entropy.map(&mut hash);
    for source in 0..POOL {
        for target in (0..POOL).filter(|&target| target != source) {
            pool[target] = mix(pool[target], hash(pool[source]));
        }
    }

    let mut constant = INIT_B;
    let mut output = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(MULT_B);
        u64::from(fold(value.wrapping_mul(constant)))
    };
    let mut words = [0; 4];
    for (i, word) in words.iter_mut().enumerate() {
        let low = output(pool[2 * i % POOL]);
        *word = output(pool[(2 * i + 1) % POOL]) << 32 | low;
    }
    words
}

#[cfg(test)]
mod tests {
    // Expected numbers: NumPy 2.4.6, `default_rng(seed)` and the call that the test names.
    use super::*;

    #[test]
    fn bit_generator_random_raw() {
        let mut rng = NumpyRng::new(12345);
        let found: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        let expected = [4193609425186963869, 5843160025838961886, 14708796524633321433, 12474696839993944336];
        assert_eq!(found, expected);
        for (seed, expected) in [
            (0, 11749869230777074271),
            (1, 9441442522235856127),
            (4294967295, 4647538520743280031),
            (4294967296, 16412783775159424549),
            (18446744073709551615, 12544278110101001871),
        ] {
            assert_eq!(NumpyRng::new(seed).next_u64(), expected);
        }
    }

    #[test]
    fn choice() {
        let mut rng = NumpyRng::new(12345);
        let found: Vec<u32> = (0..12).map(|_| rng.below(3000)).collect();
        assert_eq!(found, [2097, 682, 2365, 950, 612, 2392, 1928, 2028, 2965, 1173, 2518, 998]);
        // Almost every third word is rejected.
        let mut rng = NumpyRng::new(5);
        let found: Vec<u32> = (0..8).map(|_| rng.below(3000000000)).collect();
        assert_eq!(found, [2415008770, 67959658, 1545976682, 1890702091, 857404139, 2938571141, 161792106, 833771209]);
    }

    #[test]
    fn integers_of_bools_and_then_choice() {
        let mut rng = NumpyRng::new(12345);
        let found: String = rng.bools().take(80).map(|flag| if flag { '1' } else { '0' }).collect();
        assert_eq!(found, "10111001100000111111111101001101101100011000110101001100010111000111101100100011");
        let next: Vec<u32> = (0..5).map(|_| rng.below(7)).collect();
        assert_eq!(next, [2, 1, 5, 4, 4]);
    }
}
