//! Discounts of modified Kneser-Ney smoothing.

/// The discounts of counts of 1, of 2, and of 3 or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discounts(pub [f64; 3]);

impl Discounts {
    /// Chen & Goodman 1998, equation 26: with `of[c]` n-grams of count c and Y = of₁ / (of₁ + 2 of₂), the discount of
    /// count c is c − (c + 1) Y ofᶜ⁺¹ / ofᶜ.
    ///
    /// # Errors
    /// A sentence that names the missing count or the discount that is out of range.
    pub(crate) fn estimate(of: &[u64; 5]) -> Result<Self, String> {
        let mut discounts = [0.0; 3];
        let y = of[1] as f64 / (of[1] + 2 * of[2]) as f64;
        for (c, discount) in (1..).zip(&mut discounts) {
            if of[c] == 0 {
                return Err(format!("no n-gram has a count of {c}"));
            }
            *discount = c as f64 - (c + 1) as f64 * y * of[c + 1] as f64 / of[c] as f64;
            if !(0.0..=c as f64).contains(discount) {
                return Err(format!("the discount of count {c} would be {discount:.3}"));
            }
        }
        Ok(Self(discounts))
    }

    /// The discount of a count.
    pub(crate) fn get(&self, count: u64) -> f64 {
        match count {
            0 => 0.0,
            1 | 2 => self.0[count as usize - 1],
            _ => self.0[2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Y = 10 / (10 + 2·5) = 0.5; 1 − 2·0.5·5/10, 2 − 3·0.5·4/5, 3 − 4·0.5·3/4.
        let Discounts(got) = Discounts::estimate(&[7, 10, 5, 4, 3]).unwrap();
        let expected = [0.5, 0.8, 1.5];
        got.iter().zip(expected).for_each(|(got, expected)| assert!((got - expected).abs() < 1e-12, "{got}"));
        assert_eq!(Discounts(got).get(0), 0.0);
        assert_eq!(Discounts(got).get(17), got[2]);
    }

    #[test]
    fn what_the_formula_cannot_do() {
        assert_eq!(Discounts::estimate(&[0, 3, 0, 1, 1]).unwrap_err(), "no n-gram has a count of 2");
        let message = Discounts::estimate(&[0, 1, 1, 9, 1]).unwrap_err();
        assert_eq!(message, "the discount of count 2 would be -7.000");
    }
}
