//! From a planned line to its search: text becomes words of the vocabularies, terms become constraints.

use super::context::{Context, pieces};
use super::job::Job;
use crate::constraints::{Segmented, changed_prefix};
use crate::engine::Plan;
use crate::languages::LanguageMarks;
use crate::lengths::{many_sentences, words};
use crate::reply::Reply;
use crate::unknown::Replacement;
use crate::{Counts, Request, TermUse, TranslateOptions};
use metaphrase_base::{Unit, WordId};
use metaphrase_search::{CheckedOptions, Constraints, Task};
use metaphrase_text::MarkedSource;

impl Context {
    /// The search of a line, and the words of its source without terms among them. If the line has no words, as an
    /// empty one, the reply comes back. `languages`: the words that choose the languages, unless the line begins with
    /// such a word.
    pub(crate) fn task(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        plan: &Plan,
        languages: LanguageMarks,
        reply: Reply,
    ) -> Result<(Task<Job>, Vec<WordId>), Reply> {
        let _unit = Unit::Text.timed();
        let request = &plan.request;
        let mut notes = Vec::new();
        let source = words(&self.source, &request.source, "source", options, &mut notes);
        if source.len() <= 1 && request.target.is_none() && request.prefix.is_empty() {
            return Err(reply);
        }
        if !options.pieces && request.target.is_none() && notes.is_empty() {
            notes.extend(many_sentences(&request.source, source.len() - 1));
        }
        let mut prefix = self.given_target(options, request, &mut notes);
        prefix.splice(0..0, languages.first);
        let language_words = usize::from(languages.first.is_some());
        let source_pieces = pieces(&self.source, &source[..source.len() - 1]);
        let mut required = self.required(search, request, source.len(), prefix.len());
        notes.append(&mut required.notes);
        let has_text = !options.pieces && request.target.is_none();
        let annotated = if has_text { self.annotate(request, &source, &source_pieces) } else { None };
        if options.term_use == TermUse::Preferred && required.has_terms() {
            match self.inline_terms {
                Some(_) if annotated.is_some() => required.prefer(&self.target, &self.written),
                Some(_) => {}
                None => notes.push("the model reads no terms in its source: they are required, not preferred".into()),
            }
        }
        let constraints = required.constraints.clone();
        // Distinct lines draw from distinct streams of numbers.
        let seed = options.seed.wrapping_add((plan.number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let replacement = self.replacement(options, request, &source_pieces);
        let shortlist = self.shortlists.as_ref().map(|shortlists| shortlists.for_sentence(&source));
        let names_its_own = source.first().is_some_and(|&first| self.languages.is_in_line(first));
        let languages = if names_its_own { LanguageMarks::default() } else { languages };
        let (annotated, columns) =
            annotated.unwrap_or_else(|| MarkedSource::plain(&source)).read_between(languages.before, languages.last);
        let tag = Job {
            reply,
            source_pieces,
            languages,
            columns,
            required,
            terms: request.terms.required.len(),
            prefix: request.prefix.clone(),
            replacement,
            notes,
            evidence: None,
            term_search: None,
            graph: options.search_graph,
            earlier_counts: Counts::default(),
        };
        Ok((Task { prefix, language_words, seed, constraints, shortlist, ..Task::new(tag, annotated, search) }, source))
    }

    /// What replaces unknown words of the translation.
    fn replacement(&self, options: &TranslateOptions, request: &Request, pieces: &[String]) -> Option<Replacement> {
        options.replace_unknown.as_ref().map(|dictionary| Replacement {
            written_words: if options.pieces { pieces.to_vec() } else { self.source.written_words(&request.source) },
            dictionary: dictionary.clone(),
        })
    }

    /// The target words that are given: the translation to score with the end of sentence, or the prefix.
    fn given_target(&self, options: &TranslateOptions, request: &Request, notes: &mut Vec<String>) -> Vec<WordId> {
        match &request.target {
            Some(target) => words(&self.target, target, "target", options, notes),
            None => {
                let mut prefix = words(&self.target, &request.prefix, "prefix", options, notes);
                prefix.pop();
                if !options.pieces {
                    notes.extend(changed_prefix(&request.prefix, &prefix, &self.target));
                }
                prefix
            }
        }
    }

    /// The terms of a request; its source has `source_len` words and its prefix `prefix_len`.
    fn required(&self, search: &CheckedOptions, request: &Request, source_len: usize, prefix_len: usize) -> Segmented {
        if request.terms.is_empty() || request.target.is_some() {
            return Segmented::default();
        }
        let mut segmented = Segmented::new(
            &request.source,
            &request.terms,
            &self.target,
            &self.written,
            &search.excluded,
            self.target_language(),
        );
        let words = segmented.constraints.as_ref().map_or(0, Constraints::words);
        let limit = search.limit(source_len, prefix_len);
        let sampling = search.sampling.is_some() && segmented.constraints.is_some();
        let note = if sampling {
            "draws can not be told what to contain: constraints are left out; do not sample".into()
        } else if words > 0 && prefix_len + words + 1 > limit {
            let advice = "raise the maximum length factor";
            format!(
                "the constraints are left out: they take {words} pieces, which a translation of at most {limit} pieces does not hold; {advice}"
            )
        } else {
            return segmented;
        };
        segmented.give_up(sampling, note, &self.target, &self.written);
        segmented
    }
}
