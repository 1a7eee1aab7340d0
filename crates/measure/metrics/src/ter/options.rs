//! The options of TER.

/// The options of [`Ter`](crate::Ter); the defaults are those of sacreBLEU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TerOptions {
    /// Whether punctuation is split off and entities are undone.
    pub normalized: bool,
    /// Whether punctuation is removed.
    pub no_punct: bool,
    /// Whether `normalized` and `no_punct` apply to Chinese and Japanese too; `normalized` then splits ideographs.
    pub asian_support: bool,
    /// Whether case matters.
    pub case_sensitive: bool,
}
