//! How lines are translated.

use crate::{
    Dictionary, EvidenceOptions, Glossary, GraphUnits, Lost, SearchOptions, TermForms, TermPlaces, TermUse,
    UnknownCharacters,
};
use metaphrase_base::{
    Choice, Field, Flag, NumberRange, OptionFacts, OptionFault, OptionGroup, OptionItem, OptionKind, OptionValue,
    names_of,
};
use metaphrase_search::ByteWords;
use metaphrase_text::vocab::Vocabulary;
use std::sync::Arc;

/// How lines are translated. [`Translator::options`](crate::Translator::options) gives a model's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslateOptions {
    /// The search. Its `excluded` words are left out in addition to those that the next switches leave out, and its
    /// `bytes` are those of the target vocabulary unless `allow_special`.
    pub search: SearchOptions,
    /// How evidence of other systems counts, for requests that have some, or if the translator has a phrase-based model
    /// for it.
    pub evidence: EvidenceOptions,
    /// Keeps the hypotheses of a neural search: [`Translation::search_graph`](crate::Translation::search_graph).
    pub search_graph: Option<GraphUnits>,
    /// Whether translations may contain the unknown word.
    pub allow_unk: bool,
    /// Replaces each unknown word of a translation by the source word that the attention points to or, if the
    /// dictionary has this word, by its translation there. Translations may contain the unknown word then, and the
    /// search keeps the attention.
    pub replace_unknown: Option<Dictionary>,
    /// What becomes of characters of a source that the model's vocabulary lacks, where it has no bytes to write them
    /// with. `allow_unk` and `replace_unknown` deal with them in their own way.
    pub unknown: UnknownCharacters,
    /// What becomes of amounts of money and other numbers in digits that a translation lacks.
    pub amounts: Lost,
    /// What becomes of addresses, placeholders, code and names of files that a translation lacks.
    pub things: Lost,
    /// Whether requests have words of the vocabularies, mostly sub-word pieces, with spaces between them instead of
    /// text: source, prefix and given target. Terms are text in any case.
    pub pieces: bool,
    /// Whether translations may contain control characters and broken characters, both of which byte fallback makes
    /// possible.
    pub allow_special: bool,
    /// A source, a prefix and a target to score are each cut off after this number of pieces, with a note on the line:
    /// time and memory of a search grow with the square of the length.
    pub max_source_length: usize,
    /// The source language, for a model that has to know it (M2M-100, NLLB-200, mBART-50): one of
    /// [`EngineFacts::source_languages`](crate::EngineFacts::source_languages), or a code of two or three letters.
    /// `None`: that of the model's settings, if they name one.
    pub source_language: Option<String>,
    /// The target language, for a model of several: a code of its vocabulary, `deu` for its word `>>deu<<`, or the code
    /// of two letters. `None`: that of the model's settings; for OPUS-MT and MADLAD-400, whose languages are words
    /// before a line, each line begins with such a word of its own.
    /// [`EngineFacts::target_languages`](crate::EngineFacts::target_languages) lists the codes.
    pub target_language: Option<String>,
    /// The longest sentence that the model translates well, in letters; a character of a script without spaces counts
    /// as three. A line of more than half of it is translated sentence by sentence, and a longer sentence is cut after
    /// punctuation if it has any, else between words. `None`: lines stay whole. They also stay whole for n-best lists,
    /// alignments, draws, search graphs and pieces, for requests with terms, a prefix, a target or evidence, and where
    /// a cut would split a term of the glossary.
    pub longest_sentence: Option<usize>,
    /// Glossaries of these lines, in addition to that of the translator. Where their terms overlap in a source, the
    /// first counts.
    pub glossaries: Vec<Arc<Glossary>>,
    /// How strictly a translation follows its required terms.
    pub term_use: TermUse,
    /// How the source words of terms are found.
    pub term_places: TermPlaces,
    /// The forms in which the terms of glossaries are found and written.
    pub term_forms: TermForms,
    /// Whether [`Translation::missing_numbers`](crate::Translation::missing_numbers) reports the numbers that a
    /// translation lacks. Words for numbers are read in the languages that the model names. A line takes microseconds.
    pub check_numbers: bool,
    /// The seed of the draws, when sampling. The number of the line counts too, so that equal lines give different
    /// draws.
    pub seed: u64,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self {
            search: SearchOptions::default(),
            evidence: EvidenceOptions::default(),
            search_graph: None,
            allow_unk: false,
            replace_unknown: None,
            unknown: UnknownCharacters::default(),
            amounts: Lost::default(),
            things: Lost::default(),
            pieces: false,
            allow_special: false,
            max_source_length: 1000,
            source_language: None,
            target_language: None,
            longest_sentence: None,
            glossaries: Vec::new(),
            term_use: TermUse::Required,
            term_places: TermPlaces::Found,
            term_forms: TermForms::Inflected,
            check_numbers: false,
            seed: 1,
        }
    }
}

type Item = OptionItem<TranslateOptions>;

impl TranslateOptions {
    /// The options of this type itself, each with its description; [`TranslateOption::all`] has those of its parts,
    /// too.
    pub const ITEMS: &'static [OptionItem<Self>] = &[
        Item::new("search_graph", OptionGroup::Search, Self::SEARCH_GRAPH, "Keep the hypotheses of the search, as a lattice")
            .flag(Flag::Own("lattice"))
            .default("none"),
        Item::new(
            "max_source_length",
            OptionGroup::Text,
            Field::Count(|o| o.max_source_length, |o, to| o.max_source_length = to),
            "Cut off a source after N pieces, with a warning",
        )
        .alias("max-length")
        .range(NumberRange::at_least(1.0))
        .default("1000"),
        Item::new(
            "source_language",
            OptionGroup::Text,
            Field::Text(
                |o| o.source_language.clone(),
                |o, language| {
                    o.source_language = language.map(str::to_owned);
                    Ok(())
                },
            ),
            "The language to translate from, for a model that has to know it (M2M-100, NLLB-200, mBART-50): en, eng or eng_Latn",
        )
        .placeholder("LANG")
        .default("the model's own setting"),
        Item::new(
            "target_language",
            OptionGroup::Text,
            Field::Text(
                |o| o.target_language.clone(),
                |o, language| {
                    o.target_language = language.map(str::to_owned);
                    Ok(())
                },
            ),
            "The language to translate into, for a model of several: deu, or de",
        )
        .placeholder("LANG")
        .default("the model's own setting, or the word that a line begins with"),
        Item::new(
            "longest_sentence",
            OptionGroup::Text,
            Field::OptionalCount(|o| o.longest_sentence, |o, to| o.longest_sentence = to),
            "Translate lines of more than N/2 letters sentence by sentence, and cut sentences of more than N letters, after punctuation if \
             there is some; lists, alignments, draws, and lines with a prefix, terms or evidence of their own stay whole. 0: all lines \
             stay whole",
        )
        .default("the model's own setting, else 0"),
        Item::new("glossary", OptionGroup::Text, Field::Foreign, "The terms of a glossary, in addition to that of the translator")
            .flag(Flag::Own("glossary"))
            .default("none"),
        Item::new(
            "term_use",
            OptionGroup::Text,
            Field::Name(
                names_of::<TermUse>,
                |o| o.term_use.name(),
                |o, name| TermUse::from_name(name).map(|to| o.term_use = to),
            ),
            "Whether translations must have the terms of glossaries and lines, or the model inflects them and may leave one out",
        )
        .flag(Flag::Other("terms"))
        .placeholder("required|preferred")
        .default("required"),
        Item::new(
            "term_forms",
            OptionGroup::Text,
            Field::Name(
                names_of::<TermForms>,
                |o| o.term_forms.name(),
                |o, name| TermForms::from_name(name).map(|to| o.term_forms = to),
            ),
            "The forms in which a glossary's terms are found and written",
        )
        .placeholder("inflected|exact"),
        Item::new(
            "term_places",
            OptionGroup::Text,
            Field::Name(
                names_of::<TermPlaces>,
                |o| o.term_places.name(),
                |o, name| TermPlaces::from_name(name).map(|to| o.term_places = to),
            ),
            "Whether a first search finds by its attention which words a term translates, where that is not given",
        )
        .placeholder("found|given")
        .default("found"),
        Item::new(
            "allow_unk",
            OptionGroup::Text,
            Field::Switch(|o| o.allow_unk, |o, to| o.allow_unk = to),
            "Let translations contain the unknown word",
        ),
        Item::new(
            "replace_unknown",
            OptionGroup::Text,
            Field::Foreign,
            "Replace each unknown word of a translation by the source word that the attention points to or, with a FILE that has a \
             source word, a tab and its translation in each line, by that translation",
        )
        .flag(Flag::Own("replace-unk"))
        .default("off"),
        Item::new(
            "unknown",
            OptionGroup::Text,
            Field::Name(
                names_of::<UnknownCharacters>,
                |o| o.unknown.name(),
                |o, name| UnknownCharacters::from_name(name).map(|to| o.unknown = to),
            ),
            "What becomes of characters that the model's vocabulary lacks, if it has no bytes to write them with",
        )
        .placeholder("keep|model"),
        Item::new(
            "amounts",
            OptionGroup::Text,
            Field::Name(
                names_of::<Lost>,
                |o| o.amounts.name(),
                |o, name| Lost::from_name(name).map(|to| o.amounts = to),
            ),
            "What becomes of an amount of money or another number that a translation lacks (English and German)",
        )
        .placeholder("keep|model"),
        Item::new(
            "things",
            OptionGroup::Text,
            Field::Name(
                names_of::<Lost>,
                |o| o.things.name(),
                |o, name| Lost::from_name(name).map(|to| o.things = to),
            ),
            "What becomes of an address, a placeholder, code or the name of a file that a translation lacks",
        )
        .placeholder("keep|model"),
        Item::new(
            "pieces",
            OptionGroup::Text,
            Field::Switch(|o| o.pieces, |o, to| o.pieces = to),
            "The input is words of the source vocabulary, mostly sub-word pieces, with spaces between them, and a prefix is words of the \
             target vocabulary",
        ),
        Item::new(
            "allow_special",
            OptionGroup::Text,
            Field::Switch(|o| o.allow_special, |o, to| o.allow_special = to),
            "Let translations contain control characters and broken characters, which a model may write byte by byte",
        ),
        Item::new(
            "check_numbers",
            OptionGroup::Text,
            Field::Switch(|o| o.check_numbers, |o, to| o.check_numbers = to),
            "Report the amounts, times, dates and other numbers of the source that a translation has in no notation",
        )
        .flag(Flag::Own("check")),
        Item::new(
            "seed",
            OptionGroup::Draws,
            Field::Seed(|o| o.seed, |o, to| o.seed = to),
            "The seed of the draws; the same seed gives the same translations",
        )
        .default("1")
        // In the library a seed may be set for later draws.
        .needs("sampling", "", |_| true),
    ];

    const SEARCH_GRAPH: Field<Self> = Field::OptionalName(
        names_of::<GraphUnits>,
        |o| o.search_graph.map(GraphUnits::name),
        |o, name| name.map(GraphUnits::from_name).transpose().map(|units| o.search_graph = units),
    );

    /// Refuses numbers out of range; [`SearchOptions::check`] checks those of the search.
    pub(crate) fn check(&self) -> Result<(), OptionFault> {
        Self::ITEMS.iter().try_for_each(|item| item.check(self))?;
        self.evidence.check()
    }

    /// Sets options, in the order of [`TranslateOption::all`].
    ///
    /// # Errors
    /// [`OptionFault`] for the first value that can not be used.
    pub fn change(&mut self, mut changes: Vec<(TranslateOption, OptionValue)>) -> Result<(), OptionFault> {
        changes.sort_by_key(|(option, _)| option.place);
        changes.into_iter().try_for_each(|(option, value)| option.set(self, &value))
    }

    /// The options of the search, with all words that must not appear.
    pub(crate) fn search(&self, target: &Vocabulary) -> SearchOptions {
        let mut search = self.search.clone();
        search.attention |= self.replace_unknown.is_some();
        search.explored |= self.search_graph.is_some();
        if !self.allow_unk && self.replace_unknown.is_none() {
            search.excluded.extend(target.unk());
        }
        if !self.allow_special {
            search.excluded.extend(target.special_words());
            search.bytes = ByteWords::new(target.bytes());
        }
        search.excluded.sort_unstable();
        search.excluded.dedup();
        search
    }
}

/// An option of a translation: an item of [`TranslateOptions`], or of its search or its evidence.
#[derive(Debug, Clone, Copy)]
pub struct TranslateOption {
    place: usize,
    item: PartItem,
}

#[derive(Debug, Clone, Copy)]
enum PartItem {
    Search(&'static OptionItem<SearchOptions>),
    Own(&'static OptionItem<TranslateOptions>),
    Evidence(&'static OptionItem<EvidenceOptions>),
}

impl TranslateOption {
    /// All options of a translation.
    pub fn all() -> impl Iterator<Item = Self> {
        let search = SearchOptions::ITEMS.iter().map(PartItem::Search);
        let own = TranslateOptions::ITEMS.iter().map(PartItem::Own);
        let evidence = EvidenceOptions::ITEMS.iter().map(PartItem::Evidence);
        search.chain(own).chain(evidence).enumerate().map(|(place, item)| Self { place, item })
    }

    /// The option of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|option| option.facts().name == name)
    }

    /// Its description.
    #[must_use]
    pub fn facts(self) -> &'static OptionFacts {
        match self.item {
            PartItem::Search(item) => &item.facts,
            PartItem::Own(item) => &item.facts,
            PartItem::Evidence(item) => &item.facts,
        }
    }

    /// The values that it has.
    #[must_use]
    pub fn kind(self) -> OptionKind {
        match self.item {
            PartItem::Search(item) => item.kind(),
            PartItem::Own(item) => item.kind(),
            PartItem::Evidence(item) => item.kind(),
        }
    }

    /// Its value in these options.
    #[must_use]
    pub fn get(self, options: &TranslateOptions) -> OptionValue {
        match self.item {
            PartItem::Search(item) => item.get(&options.search),
            PartItem::Own(item) => item.get(options),
            PartItem::Evidence(item) => item.get(&options.evidence),
        }
    }

    fn set(self, options: &mut TranslateOptions, value: &OptionValue) -> Result<(), OptionFault> {
        match self.item {
            PartItem::Search(item) => item.set(&mut options.search, value),
            PartItem::Own(item) => item.set(options, value),
            PartItem::Evidence(item) => item.set(&mut options.evidence, value),
        }
    }
}
