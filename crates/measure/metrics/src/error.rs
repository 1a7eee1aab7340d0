//! Errors of a request to evaluate.

use thiserror::Error;

/// Why an evaluation was refused; every message is one sentence.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no hypothesis, so that there is no score.
    #[error("there is no line to evaluate; give at least one hypothesis line")]
    NoHypotheses,
    /// There is no reference; each metric needs at least one.
    #[error("no reference was given; give at least one reference text")]
    NoReferences,
    /// The numbers of lines of a system's output and of the references differ.
    #[error(
        "the hypothesis has {hypotheses} lines and the references have {references}; line n of each has to be the same sentence"
    )]
    HypothesisLines {
        /// Lines of the hypothesis.
        hypotheses: usize,
        /// Lines of each reference.
        references: usize,
    },
    /// The numbers of lines of two references differ.
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
    /// Probabilities that do not belong to some candidates.
    #[error("expected a probability, a finite number from 0 on, for each of {candidates} candidates")]
    Probabilities {
        /// The number of candidates.
        candidates: usize,
    },
    /// A line has no reference.
    #[error("line {line} has no reference; each line needs one, an empty one if nothing else")]
    MissingReference {
        /// Number of the line, from 1.
        line: usize,
    },
    /// The statistics of two systems have different numbers of lines.
    #[error("the two systems have {baseline} and {system} lines; a paired test needs the same lines of both")]
    PairedLines {
        /// Lines of the baseline.
        baseline: usize,
        /// Lines of the system compared with it.
        system: usize,
    },
    /// A tokeniser that needs a dictionary which this crate does not have.
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
    /// There is no tokeniser of this name.
    #[error("there is no tokeniser '{name}'; choose 13a, intl, char, zh, none, flores101, flores200 or spBLEU-1K")]
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
