//! What a translation writes as its source does: runs of signs, and names.

use crate::Request;
use crate::names::SourceNames;
use crate::runs::SignRuns;

/// The runs of signs and the names of a source.
pub(crate) struct SourceSpelling {
    runs: Option<SignRuns>,
    names: Option<SourceNames>,
}

impl SourceSpelling {
    /// `None`: the source has neither runs nor names.
    pub(crate) fn of(request: &Request) -> Option<Self> {
        let required = request.terms.required.iter().flat_map(|term| &term.targets).chain([&request.prefix]);
        let names = SourceNames::of(&request.source)
            .map(|names| required.fold(names, |names, target| names.without_those_of(target)));
        let runs = SignRuns::of(&request.source);
        (runs.is_some() || names.is_some()).then_some(Self { runs, names })
    }

    /// The translation, with runs as long as in the source, and with the names of the source.
    pub(crate) fn restored(&self, translation: &str) -> String {
        let with_runs = self.runs.as_ref().map(|runs| runs.restored(translation));
        let text = with_runs.as_deref().unwrap_or(translation);
        self.names.as_ref().map_or_else(|| text.to_owned(), |names| names.restored(text))
    }
}
