//! Our compact form: a lattice on a line.

use crate::{Arc, Builder, Lattice, LatticeError, StateId};
use metaphrase_base::shown;
use std::fmt::Write;

/// The largest count that a line may state, checked before memory is reserved: each state but the last has an arc.
fn is_believable(states: u32, arcs: usize) -> bool {
    states >= 1 && states as usize <= arcs + 1
}

impl Lattice {
    /// The lattice as a line: the number of states, then for each arc, after a tab, `skip jump score word`: how many
    /// states after the one that the arc before leaves, how many states it leads on, its score to the last bit, and its
    /// word if it has one.
    #[must_use]
    pub fn to_compact(&self) -> String {
        let mut text = self.states.to_string();
        let mut before = 0;
        for Arc { from, to, word, score } in &self.arcs {
            // Writing to a string can not fail.
            let _ = write!(text, "\t{} {} {score}", from.0 - before, to.0 - from.0);
            if let Some(word) = word {
                text.extend([" ", self.word(*word)]);
            }
            before = from.0;
        }
        text
    }

    /// Reads bytes that [`to_compact`](Self::to_compact) has written.
    ///
    /// # Errors
    /// If it is not that.
    pub fn from_compact(line: &str) -> Result<Self, LatticeError> {
        let mut fields = line.trim_end_matches(['\n', '\r']).split('\t');
        let count = fields.next().unwrap_or_default();
        let arcs: Vec<&str> = fields.collect();
        let states = count.trim().parse().ok().filter(|&states| is_believable(states, arcs.len()));
        let states = states.ok_or_else(|| LatticeError::States(shown(count)))?;
        let mut builder = Builder::default();
        (1..states).for_each(|_| _ = builder.add_state());
        let mut before = 0u32;
        for (number, text) in (1..).zip(arcs) {
            let wrong = || LatticeError::Arc { arc: number, states, found: shown(text) };
            let (skip, jump, score, word) = parse(text).ok_or_else(wrong)?;
            let from = before.checked_add(skip).ok_or_else(wrong)?;
            let to = from.checked_add(jump).filter(|&to| jump > 0 && to < states).ok_or_else(wrong)?;
            builder.add_arc(StateId(from), StateId(to), word, score);
            before = from;
        }
        Ok(builder.build())
    }
}

fn parse(arc: &str) -> Option<(u32, u32, f32, Option<&str>)> {
    let mut words = arc.split_ascii_whitespace();
    let skip = words.next()?.parse().ok()?;
    let jump = words.next()?.parse().ok()?;
    let score = words.next()?.parse::<f32>().ok().filter(|score| !score.is_nan())?;
    let word = words.next();
    words.next().is_none().then_some((skip, jump, score, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "4\t0 1 -0.1 the\t0 1 -1e-7 a\t0 3 -2.5\t1 2 0 house\t1 1 -3 |||";
        let lattice = Lattice::from_compact(text).expect("a lattice");
        assert_eq!(lattice.states(), 4);
        assert_eq!(lattice.arcs()[1].score, -1e-7);
        assert_eq!(lattice.arcs()[2].word, None);
        assert_eq!(Lattice::from_compact(&lattice.to_compact()), Ok(lattice));
        assert_eq!(Lattice::from_compact("1\n"), Ok(Builder::default().build()));
    }

    #[test]
    fn faults_are_named() {
        for (text, expected) in [
            ("", "expected the number of a lattice's states, found ``"),
            ("0", "expected the number of a lattice's states, found `0`"),
            ("4000000000", "expected the number of a lattice's states, found `4000000000`"),
            (
                "2\t0 2 -1 a",
                "arc 1 of a lattice: expected `skip jump score word`, all to a later state of 2, found `0 2 -1 a`",
            ),
            (
                "2\t0 0 -1 a",
                "arc 1 of a lattice: expected `skip jump score word`, all to a later state of 2, found `0 0 -1 a`",
            ),
            (
                "2\t0 1 NaN a",
                "arc 1 of a lattice: expected `skip jump score word`, all to a later state of 2, found `0 1 NaN a`",
            ),
            (
                "2\t4294967295 1 0 a",
                "arc 1 of a lattice: expected `skip jump score word`, all to a later state of 2, found `4294967295 1 0 a`",
            ),
        ] {
            assert_eq!(Lattice::from_compact(text).expect_err(text).to_string(), expected);
        }
    }
}
