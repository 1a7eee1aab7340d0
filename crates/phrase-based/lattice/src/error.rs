//! Errors in the text of a lattice.

/// Why a lattice can not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LatticeError {
    /// Not `from to input output [cost]`, `from to word [cost]` or `state [cost]`.
    #[error("line {line} of a lattice: expected `from to word word cost` or `state cost`, found `{found}`")]
    Line {
        /// Counted from 1 within the lattice.
        line: usize,
        /// The line.
        found: String,
    },
    /// A lattice in the compact form has an arc that is not one.
    #[error(
        "arc {arc} of a lattice: expected `skip jump score word`, all to a later state of {states}, found `{found}`"
    )]
    Arc {
        /// Counted from 1 within the lattice.
        arc: usize,
        /// Number of states that the lattice declares.
        states: u32,
        /// The arc.
        found: String,
    },
    /// A lattice in the compact form that does not begin with a number of states.
    #[error("expected the number of a lattice's states, found `{0}`")]
    States(String),
    /// A lattice in which an arc leads back.
    #[error(
        "line {line} of a lattice: an arc from {from} to {to}; sort the lattice so that arcs lead to later states (fsttopsort)"
    )]
    Order {
        /// Counted from 1 within the lattice.
        line: usize,
        /// The state that the arc leaves.
        from: u32,
        /// The state that it leads to.
        to: u32,
    },
    /// Not a phrase of a search graph.
    #[error(
        "line {line} of a search graph: expected `N hyp=H stack=C back=P transition=T out=words` after hypothesis P with a smaller stack, found `{found}`"
    )]
    Hypothesis {
        /// Counted from 1 within the sentence.
        line: usize,
        /// The line.
        found: String,
    },
    /// A lattice in OpenFst's form without a final state.
    #[error("a lattice without a final state; each ends with a line that has nothing but a state and its cost")]
    NoEnd,
}
