//! OpenFst's text form, as `fstprint` writes it with symbols and `fstcompile` reads it.

use crate::{Arc, Builder, Lattice, LatticeError, StateId};
use metaphrase_base::shown;
use std::fmt::Write;

/// OpenFst's name for no word.
const EPSILON: &str = "<eps>";

impl Lattice {
    /// The lattice in OpenFst's text form: a line `from to word word cost` for each arc, the cost being minus the
    /// score, and a line with the final state.
    #[must_use]
    pub fn to_openfst(&self) -> String {
        let mut text = String::new();
        for Arc { from, to, word, score } in &self.arcs {
            let word = word.map_or(EPSILON, |word| self.word(word));
            // Writing to a string can not fail; no cost is printed as -0.
            let _ = writeln!(text, "{} {} {word} {word} {}", from.0, to.0, 0.0 - score);
        }
        let _ = writeln!(text, "{}", self.end().0);
        text
    }

    /// Reads a lattice in OpenFst's text form: arcs `from to input output [cost]`, of which the output is taken, or
    /// `from to word [cost]`; final states `state [cost]`. The first line's first state is the start.
    ///
    /// # Errors
    /// If a line is not that, an arc does not lead to a state of a higher number, or no state is final.
    pub fn from_openfst(text: &str) -> Result<Self, LatticeError> {
        let lines: Vec<Line> =
            (1..).zip(text.lines()).map(|(number, text)| Line::parse(number, text)).collect::<Result<_, _>>()?;
        let numbers = Numbers::new(&lines);
        let mut builder = Builder::default();
        (1..numbers.0.len()).for_each(|_| _ = builder.add_state());
        let last = StateId(numbers.0.len().saturating_sub(1) as u32);
        let ends: Vec<(u32, f32)> = lines.iter().filter_map(Line::end).collect();
        let end = match ends[..] {
            [] => return Err(LatticeError::NoEnd),
            // A single final state that is the last state and costs nothing is the end; else an end is added after all.
            [(state, 0.0)] if numbers.state(state) == last => None,
            _ => Some(builder.add_state()),
        };
        for line in &lines {
            match *line {
                Line::Arc { from, to, word, cost } => {
                    let word = Some(word).filter(|word| *word != EPSILON);
                    builder.add_arc(numbers.state(from), numbers.state(to), word, 0.0 - cost);
                }
                Line::End { state, cost } => {
                    if let Some(end) = end {
                        builder.add_arc(numbers.state(state), end, None, 0.0 - cost);
                    }
                }
            }
        }
        Ok(builder.build())
    }
}

enum Line<'a> {
    Arc { from: u32, to: u32, word: &'a str, cost: f32 },
    End { state: u32, cost: f32 },
}

impl<'a> Line<'a> {
    fn parse(number: usize, text: &'a str) -> Result<Self, LatticeError> {
        let wrong = || LatticeError::Line { line: number, found: shown(text) };
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let state = |field: &str| field.parse::<u32>().map_err(|_| wrong());
        let cost = |field: &str| field.parse::<f32>().ok().filter(|cost| !cost.is_nan());
        let (from, to, word, cost) = match fields[..] {
            [end] => return Ok(Self::End { state: state(end)?, cost: 0.0 }),
            [end, of] => return Ok(Self::End { state: state(end)?, cost: cost(of).ok_or_else(wrong)? }),
            [from, to, word] => (from, to, word, 0.0),
            // The last of four is a cost if it can be one, as OpenFst's acceptors have it.
            [from, to, word, last] => match cost(last) {
                Some(cost) => (from, to, word, cost),
                None => (from, to, last, 0.0),
            },
            [from, to, _, word, of] => (from, to, word, cost(of).ok_or_else(wrong)?),
            _ => return Err(wrong()),
        };
        let (from, to) = (state(from)?, state(to)?);
        if from >= to {
            return Err(LatticeError::Order { line: number, from, to });
        }
        Ok(Self::Arc { from, to, word, cost })
    }

    fn end(&self) -> Option<(u32, f32)> {
        match *self {
            Self::Arc { .. } => None,
            Self::End { state, cost } => Some((state, cost)),
        }
    }
}

/// The states that a text names, in order: a lattice numbers them without gaps.
struct Numbers(Vec<u32>);

impl Numbers {
    fn new(lines: &[Line]) -> Self {
        let named = |line: &Line| match *line {
            Line::Arc { from, to, .. } => [from, to],
            Line::End { state, .. } => [state, state],
        };
        let mut states: Vec<u32> = lines.iter().flat_map(named).collect();
        states.sort_unstable();
        states.dedup();
        Self(states)
    }

    fn state(&self, state: u32) -> StateId {
        StateId(self.0.partition_point(|&other| other < state) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let lattice = Lattice::from_compact("3\t0 1 -0.5 the\t0 2 -2 houses\t1 1 -0.25").expect("a lattice");
        let text = lattice.to_openfst();
        assert_eq!(text, "0 1 the the 0.5\n0 2 houses houses 2\n1 2 <eps> <eps> 0.25\n2\n");
        assert_eq!(Lattice::from_openfst(&text), Ok(lattice));
        assert_eq!(Builder::default().build().to_openfst(), "0\n");
        assert_eq!(Lattice::from_openfst("0\n"), Ok(Builder::default().build()));
    }

    #[test]
    fn acceptors_and_several_final_states_are_read() {
        let lattice = Lattice::from_openfst("0 5 a 1.5\n5 9 b\n5 0.25\n9\n").expect("a lattice");
        assert_eq!(lattice.to_compact(), "4\t0 1 -1.5 a\t1 1 0 b\t0 2 -0.25\t1 1 0");
    }

    #[test]
    fn faults_are_named() {
        for (text, expected) in [
            (
                "0 1 a\n",
                "a lattice without a final state; each ends with a line that has nothing but a state and its cost",
            ),
            ("0 x a\n", "line 1 of a lattice: expected `from to word word cost` or `state cost`, found `0 x a`"),
            (
                "1\n2 1 a\n",
                "line 2 of a lattice: an arc from 2 to 1; sort the lattice so that arcs lead to later states (fsttopsort)",
            ),
        ] {
            assert_eq!(Lattice::from_openfst(text).expect_err(text).to_string(), expected);
        }
    }
}
