//! The forms of glossary files.

/// The form of a glossary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlossaryFormat {
    /// Lines of a source term, a tab and target terms: what [`Glossary::parse`](crate::Glossary::parse) reads.
    Tabs,
    /// Lines of fields with this character between them, in quotation marks where they contain it.
    Csv(char),
    /// TermBase eXchange, in its old and its new form.
    Tbx,
    /// A translation memory.
    Tmx,
    /// The first sheet of an Excel workbook.
    Xlsx,
}
