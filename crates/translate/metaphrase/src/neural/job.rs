//! A line in the pool of threads: the data that workers carry from one step to the next.

use super::term_search::TermSearch;
use crate::Counts;
use crate::constraints::Segmented;
use crate::languages::LanguageMarks;
use crate::reply::Reply;
use crate::search_graph::GraphUnits;
use crate::unknown::Replacement;
use crate::{Evidence, EvidenceOptions};
use metaphrase_base::{Shortlist, WordId};
use metaphrase_search::{CheckedOptions, Constraints, Task};
use std::sync::Arc;

/// The data of a line in addition to its search.
pub(crate) struct Job {
    pub(crate) reply: Reply,
    pub(crate) source_pieces: Vec<String>,
    /// The words around the source of the search that choose the languages.
    pub(crate) languages: LanguageMarks,
    /// By word of the search's source, the number of the source piece that it stands for, if the source has terms in
    /// it or a target language before it.
    pub(crate) columns: Option<Vec<usize>>,
    pub(crate) required: Segmented,
    /// The number of required terms, including those that can not be met.
    pub(crate) terms: usize,
    pub(crate) prefix: String,
    /// Replaces the unknown words of its translations.
    pub(crate) replacement: Option<Replacement>,
    /// Messages about the line, one sentence each.
    pub(crate) notes: Vec<String>,
    /// The evidence of the line.
    pub(crate) evidence: Option<Box<EvidenceJob>>,
    /// The question about the terms that a first search answers, before the line is searched again.
    pub(crate) term_search: Option<Box<TermSearch>>,
    /// The units of the search graph, if the options request one.
    pub(crate) graph: Option<GraphUnits>,
    /// The work of an earlier search of the line.
    pub(crate) earlier_counts: Counts,
}

/// Evidence that is still to be turned into scores.
pub(crate) struct EvidenceJob {
    pub(crate) source: EvidenceSource,
    pub(crate) options: EvidenceOptions,
}

/// Where evidence comes from.
pub(crate) enum EvidenceSource {
    /// The request brought it.
    Request(Arc<Evidence>),
    /// The phrase-based model translates this text, its first `limit` words.
    PhraseModel { text: String, limit: usize },
    /// A first search finds it.
    FirstSearch(SecondSearch),
}

/// The second search of a line, which uses what the first search found.
#[derive(Clone)]
pub(crate) struct SecondSearch {
    pub(crate) source: Vec<WordId>,
    pub(crate) prefix: Vec<WordId>,
    pub(crate) language_words: usize,
    pub(crate) constraints: Option<Constraints>,
    pub(crate) shortlist: Option<Shortlist>,
    pub(crate) search: CheckedOptions,
    pub(crate) seed: u64,
}

impl SecondSearch {
    /// The search of a task, which becomes a first search with these options.
    pub(crate) fn after(task: &mut Task<Job>, first: CheckedOptions) -> Self {
        Self {
            source: task.source.clone(),
            prefix: task.prefix.clone(),
            language_words: task.language_words,
            constraints: task.constraints.clone(),
            shortlist: task.shortlist.clone(),
            search: std::mem::replace(&mut task.options, first),
            seed: task.seed,
        }
    }

    /// The search that finds nothing but these words: their translation with its probability.
    pub(crate) fn of_words(&self, words: &[WordId]) -> Self {
        let mut search = Self { constraints: None, ..self.clone() };
        search.prefix.truncate(search.language_words);
        search.prefix.extend(words);
        search
    }

    /// The task of the second search. `counts`: the work of the first one.
    pub(crate) fn task(self, mut job: Job, counts: Counts) -> Task<Job> {
        job.earlier_counts += counts;
        let Self { source, prefix, language_words, constraints, shortlist, search, seed } = self;
        Task { prefix, language_words, constraints, seed, shortlist, ..Task::new(job, source, &search) }
    }
}
