//! What of a file is translated.

/// What of a file is translated, where its format leaves a choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// The entries of formats that have source and translation next to each other.
    pub entries: Entries,
    /// The columns of a table, by the names in its first line or by their numbers from 1; `text=translation` writes the
    /// translations of one column into another one. Empty: all columns.
    pub columns: Vec<String>,
    /// Whether the names of a workbook's sheets are translated.
    pub sheet_names: bool,
}

/// The entries of a file to translate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Entries {
    /// Those without a translation.
    #[default]
    Untranslated,
    /// All; translations that are there are replaced.
    All,
}
