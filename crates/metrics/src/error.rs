//! Errors of a request to evaluate.

use thiserror::Error;

/// Why an evaluation was refused; every message is one sentence.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither a score nor a reference count exists for nothing.
    #[error("there is no line to evaluate; give at least one hypothesis line")]
    NoHypotheses,
    /// Every metric compares with at least one reference.
    #[error("no reference was given; give at least one reference text")]
    NoReferences,
    /// A system's output is not parallel to the references.
    #[error(
        "the hypothesis has {hypotheses} lines and the references have {references}; line n of each has to be the same sentence"
    )]
    HypothesisLines {
        /// Lines of the hypothesis.
        hypotheses: usize,
        /// Lines of each reference.
        references: usize,
    },
    /// Two references are not parallel to each other.
    #[error(
        "reference {set} has {found} lines and reference 1 has {expected}; line n of each has to be the same sentence"
    )]
    ReferenceLines {
        /// Number of the reference text, from 1.
        set: usize,
        /// Its lines.
        found: usize,
        /// Lines of the first reference text.
        expected: usize,
    },
    /// All references of a line are marked as missing.
    #[error("line {line} has no reference; each line needs one, an empty one if nothing else")]
    MissingReference {
        /// Number of the line, from 1.
        line: usize,
    },
    /// Two tables of statistics that should describe the same lines do not.
    #[error("the two systems have {baseline} and {system} lines; a paired test needs the same lines of both")]
    PairedLines {
        /// Lines of the baseline.
        baseline: usize,
        /// Lines of the system compared with it.
        system: usize,
    },
    /// A tokeniser that needs a dictionary or model which we do not ship.
    #[error(
        "tokeniser '{name}' needs {needs}, which is not part of this program; split the hypothesis and the references with it beforehand and use the tokeniser 'none', or use '{instead}'"
    )]
    TokenizerNotShipped {
        /// sacreBLEU's name of the tokeniser.
        name: &'static str,
        /// The data or the program that it needs.
        needs: &'static str,
        /// A tokeniser that we have for such text.
        instead: &'static str,
    },
    /// A tokeniser that nobody knows.
    #[error("there is no tokeniser '{name}'; choose 13a, intl, char, zh or none")]
    UnknownTokenizer {
        /// The request.
        name: String,
    },
    /// An option outside its range.
    #[error("{option} is {found}; {allowed}")]
    Option {
        /// The option.
        option: &'static str,
        /// The given value.
        found: String,
        /// The allowed values.
        allowed: &'static str,
    },
}
