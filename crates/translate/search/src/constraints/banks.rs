//! How a beam is divided among hypotheses that have met more and fewer constraints (Post and Vilar 2018, §3.2).

/// The places of a beam, by bank; bank `b` is for hypotheses that have met `b` words of constraints.
#[derive(Debug, Default)]
pub(crate) struct Banks {
    /// Candidates of each bank.
    available: Vec<usize>,
    places: Vec<usize>,
}

impl Banks {
    /// Counts the candidates of `banks` banks, given the bank of each.
    pub(crate) fn count(&mut self, banks: usize, candidates: impl Iterator<Item = usize>) {
        self.available.clear();
        self.available.resize(banks, 0);
        candidates.for_each(|bank| self.available[bank] += 1);
    }

    /// Divides `width` places evenly among the banks; the topmost bank gets the rest. Places for which a bank has no
    /// candidates go to its neighbours, from the nearest outward.
    ///
    /// The paper writes `⌊k/C⌋` for C + 1 banks, which may be more than k; Figures 2 and 3 and the authors'
    /// implementation have `⌊k/(C+1)⌋`.
    pub(crate) fn divide(&mut self, width: usize) {
        let banks = self.available.len();
        self.places.clear();
        self.places.resize(banks, width / banks);
        self.places[banks - 1] += width % banks;
        for bank in (0..banks).rev() {
            let mut spare = self.places[bank].saturating_sub(self.available[bank]);
            self.places[bank] -= spare;
            for distance in 1..banks {
                for neighbour in [bank + distance, bank.wrapping_sub(distance)] {
                    if neighbour < banks {
                        let given = spare.min(self.available[neighbour].saturating_sub(self.places[neighbour]));
                        self.places[neighbour] += given;
                        spare -= given;
                    }
                }
            }
        }
    }

    /// `each` places for each bank, whether it has candidates or not: grid beam search (Hokamp and Liu 2017, as §5 of
    /// the paper simulates it). If that is more than `width`, as finished hypotheses keep their places, the topmost
    /// bank has less.
    pub(crate) fn divide_evenly(&mut self, each: usize, width: usize) {
        let banks = self.available.len();
        self.places.clear();
        self.places.resize(banks, each);
        self.places[banks - 1] = each.saturating_sub((each * banks).saturating_sub(width));
    }

    /// Takes a place of a bank, if there is one left.
    pub(crate) fn take(&mut self, bank: usize) -> bool {
        let left = self.places[bank].checked_sub(1);
        self.places[bank] = left.unwrap_or(0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(width: usize, available: &[usize]) -> Vec<usize> {
        let mut banks = Banks { available: available.to_vec(), places: Vec::new() };
        banks.divide(width);
        banks.places
    }

    #[test]
    fn what_is_left_over_goes_to_the_topmost_bank() {
        assert_eq!(divided(11, &[20, 20, 20]), [3, 3, 5]);
        assert_eq!(divided(2, &[20, 20, 20, 20]), [0, 0, 0, 2]);
    }

    #[test]
    fn spare_places_go_to_the_nearest_banks() {
        // The situation of Figure 3: four constraints, candidates that have met none or one.
        assert_eq!(divided(5, &[4, 4, 0, 0, 0]), [1, 4, 0, 0, 0]);
        assert_eq!(divided(6, &[9, 9, 0]), [2, 4, 0]);
        assert_eq!(divided(6, &[9, 3, 0]), [3, 3, 0]);
        assert_eq!(divided(6, &[0, 9, 9]), [0, 4, 2]);
        assert_eq!(divided(3, &[5, 0, 0, 0, 1]), [2, 0, 0, 0, 1]);
    }

    #[test]
    fn the_beam_is_as_full_as_there_are_candidates() {
        for width in 1..9 {
            for code in 0..4usize.pow(4) {
                let available: Vec<usize> = (0..4).map(|bank| code / 4usize.pow(bank) % 4).collect();
                let places = divided(width, &available);
                let total: usize = available.iter().sum();
                assert_eq!(places.iter().sum::<usize>(), width.min(total), "{width} {available:?}");
                assert!(places.iter().zip(&available).all(|(places, there)| places <= there));
            }
        }
    }
}
