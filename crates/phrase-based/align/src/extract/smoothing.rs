//! Discounted counts of phrase pairs: a pair seen once was often seen by chance.

use std::str::FromStr;

/// How the probability of a phrase given its translation is estimated (Foster, Kuhn and Johnson 2006).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Smoothing {
    /// Relative frequency.
    None,
    /// Counts of up to eight are discounted by the number of phrase pairs with each count.
    #[default]
    GoodTuring,
    /// Modified Kneser-Ney: a fixed amount is taken from each count and given back by the number of different
    /// translations.
    KneserNey,
}

impl FromStr for Smoothing {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, &'static str> {
        match name {
            "none" => Ok(Self::None),
            "good-turing" => Ok(Self::GoodTuring),
            "kneser-ney" => Ok(Self::KneserNey),
            _ => Err("expected none, good-turing or kneser-ney"),
        }
    }
}

/// Counts up to this are counted.
const COUNTED: usize = 10;
/// With one of its number more than this many pairs, a Good-Turing discount is reliable enough.
const DISCOUNTED: usize = COUNTED - 2;

/// How many different phrase pairs occur how often.
#[derive(Debug, Clone, Default)]
pub(crate) struct CountCounts {
    /// `of[c]`: different pairs that occur `c` times.
    of: [u64; COUNTED + 1],
    distinct: u64,
}

/// Occurrences of a phrase and of its different partners.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marginal {
    pub count: u64,
    pub distinct: u64,
}

impl CountCounts {
    /// Different phrase pairs.
    pub fn distinct(&self) -> u64 {
        self.distinct
    }

    pub fn add(&mut self, count: u32) {
        self.distinct += 1;
        if let Some(number) = self.of.get_mut(count as usize) {
            *number += 1;
        }
    }
}

/// A smoothing method with its parameters for one set of phrase pairs.
#[derive(Debug, Clone)]
pub(crate) enum Smoother {
    None,
    /// The factor of a count, for counts from 0 to [`DISCOUNTED`].
    GoodTuring([f64; DISCOUNTED + 1]),
    /// The discounts of counts of 1, of 2, and of 3 and more; the number of different phrase pairs.
    KneserNey([f64; 3], f64),
}

impl Smoother {
    /// The method's parameters.
    pub fn new(method: Smoothing, counts: &CountCounts) -> Self {
        let number = |count: usize| counts.of[count] as f64;
        match method {
            Smoothing::None => Self::None,
            Smoothing::GoodTuring => {
                // (c+1) n_{c+1} / (c n_c), with a tenth of a pair more of each count; not above 1, and not below that
                // of a smaller count: as Moses does.
                let mut factors = [0.01f64; DISCOUNTED + 1];
                for count in 1..=DISCOUNTED {
                    let turing =
                        (count + 1) as f64 * (number(count + 1) + 0.1) / (count as f64 * (number(count) + 0.1));
                    factors[count] = turing.min(1.0).max(factors[count - 1]);
                }
                Self::GoodTuring(factors)
            }
            Smoothing::KneserNey => {
                let y = number(1) / (number(1) + 2.0 * number(2));
                // Chen and Goodman 1998, equation 26; 0.9, 1.9, 2.9 at most, also where there are no counts.
                let amounts = [1usize, 2, 3].map(|count| {
                    let amount = count as f64 - (count + 1) as f64 * y * number(count + 1) / number(count);
                    let limit = count as f64 - 0.1;
                    if amount.is_finite() { amount.clamp(0.0, limit) } else { limit }
                });
                Self::KneserNey(amounts, counts.distinct as f64)
            }
        }
    }

    /// p(phrase | given) for a pair that occurs `count` times.
    pub fn probability(&self, count: u32, phrase: Marginal, given: Marginal) -> f64 {
        let (count, total) = (f64::from(count), given.count as f64);
        match self {
            Self::None => count / total,
            Self::GoodTuring(factors) => count * factors.get(count as usize).copied().unwrap_or(1.0) / total,
            Self::KneserNey(amounts, distinct) => {
                let amount = amounts[(count as usize).clamp(1, 3) - 1];
                // All that was taken from the translations of `given`, shared out by how many partners each has.
                (count - amount + amount * given.distinct as f64 * phrase.distinct as f64 / distinct) / total
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> CountCounts {
        let mut counts = CountCounts::default();
        for (count, number) in [(1, 100), (2, 30), (3, 10), (4, 9), (50, 2)] {
            (0..number).for_each(|_| counts.add(count));
        }
        counts
    }

    #[test]
    fn good_turing_discounts_small_counts() {
        let smoother = Smoother::new(Smoothing::GoodTuring, &counts());
        let given = Marginal { count: 200, distinct: 3 };
        let p = |count| smoother.probability(count, given, given);
        assert!((p(1) - 2.0 * 30.1 / 100.1 / 200.0).abs() < 1e-12);
        // 3 · 10.1 / (2 · 30.1) is less than the factor of 1, which it may not be.
        assert!((p(2) - 2.0 * (2.0 * 30.1 / 100.1) / 200.0).abs() < 1e-12);
        // 4 · 9.1 / (3 · 10.1) is above 1.
        assert!((p(3) - 3.0 / 200.0).abs() < 1e-12);
        assert!((p(50) - 50.0 / 200.0).abs() < 1e-12);
    }

    #[test]
    fn kneser_ney_gives_back_what_it_takes() {
        let smoother = Smoother::new(Smoothing::KneserNey, &counts());
        let y = 100.0 / 160.0;
        let amount = 1.0 - 2.0 * y * 30.0 / 100.0;
        let (phrase, given) = (Marginal { count: 9, distinct: 4 }, Marginal { count: 5, distinct: 3 });
        let expected = (1.0 - amount + amount * 3.0 * 4.0 / 151.0) / 5.0;
        assert!((smoother.probability(1, phrase, given) - expected).abs() < 1e-12);
        let nothing = Smoother::new(Smoothing::KneserNey, &CountCounts::default());
        assert!(nothing.probability(1, phrase, given).is_nan() || nothing.probability(1, phrase, given) > 0.0);
    }

    #[test]
    fn names_are_known() {
        assert_eq!("kneser-ney".parse(), Ok(Smoothing::KneserNey));
        assert!("witten-bell".parse::<Smoothing>().is_err());
    }
}
