//! Why a search can not have some options.

use metaphrase_base::OptionFault;

/// An option that search can not work with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionsError {
    /// A value out of range, or without the option that it goes with.
    #[error(transparent)]
    Option(#[from] OptionFault),
    /// More hypotheses requested than the beam can hold.
    #[error("{n_best} best hypotheses asked of a beam of {beam_size}; use a beam of at least {n_best}")]
    NBestOverBeam {
        /// The number of requested hypotheses.
        n_best: usize,
        /// The beam size.
        beam_size: usize,
    },
    /// The end of sentence can not be excluded.
    #[error("the end-of-sentence word is among the excluded words; no hypothesis could end")]
    EndExcluded,
    /// Attention is requested of a model that has none.
    #[error("alignments were asked of a model that has no attention to show")]
    NoAttention,
}
