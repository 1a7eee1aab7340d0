//! The page of the options and their types for Python are made from the descriptions of the options.
//!
//! After a change: `UPDATE_API=1 cargo test -p metaphrase --test main option_pages`.

use metaphrase::{NumberRange, OptionFacts, OptionGroup, OptionKind, TranslateOption, TranslateOptions};
use metaphrase_testkit::repository;
use std::fs;

const GROUPS: [(OptionGroup, &str); 5] = [
    (OptionGroup::Search, "Search"),
    (OptionGroup::Draws, "Draws"),
    (OptionGroup::Text, "Text"),
    (OptionGroup::Evidence, "Evidence"),
    (OptionGroup::Counting, "Counting of evidence"),
];

fn of_group(group: OptionGroup) -> impl Iterator<Item = TranslateOption> {
    TranslateOption::all().filter(move |option| option.facts().group == group)
}

/// Compares the part of a file between two marks with `made`, or writes it there.
fn compare(file: &str, begin: &str, end: &str, made: &str) {
    let path = repository().join(file);
    let text = fs::read_to_string(&path).expect("the file");
    let from = text.find(begin).expect("the beginning") + begin.len();
    let to = if end.is_empty() { text.len() } else { from + text[from..].find(end).expect("the end") };
    let (before, rest) = text.split_at(from);
    let (listed, after) = rest.split_at(to - from);
    if std::env::var_os("UPDATE_API").is_some() {
        fs::write(&path, format!("{before}{made}{after}")).expect("the file is written");
        return;
    }
    let difference = listed.lines().zip(made.lines()).find(|(listed, made)| listed != made);
    assert!(listed == made, "{file} differs, first in {difference:?}: run with UPDATE_API=1 and look at the diff");
}

#[test]
fn the_page_lists_all_options() {
    let table = |(group, title): (OptionGroup, &str)| {
        let rows: String = of_group(group).map(|option| row(option, &TranslateOptions::default())).collect();
        format!("\n## {title}\n\n| option | command line | values | default | meaning |\n|---|---|---|---|---|\n{rows}")
    };
    compare("docs/options.md", "changes them.\n", "", &GROUPS.map(table).concat());
}

fn row(option: TranslateOption, defaults: &TranslateOptions) -> String {
    let facts = option.facts();
    let default = if facts.default.is_empty() { option.get(defaults).to_string() } else { facts.default.to_owned() };
    let needs = match facts.needs {
        Some((needed, "")) => format!(". It goes with `{needed}`"),
        Some((needed, values)) => format!(". It goes with `{needed}`: {values}"),
        None => String::new(),
    };
    let cells = [format!("`{}`", facts.name), flag(facts, &option.kind()), values(facts, option.kind()), default];
    let cells = cells.map(|cell| cell.replace('|', "\\|")).join(" | ");
    format!("| {cells} | {}{needs} |\n", facts.help)
}

fn flag(facts: &OptionFacts, kind: &OptionKind) -> String {
    let Some(flag) = facts.long_flag() else { return String::new() };
    let letter = facts.letter.map_or_else(String::new, |letter| format!("`-{letter}`, "));
    let has_value = facts.makes_flag() && !matches!(kind, OptionKind::Switch);
    let value = if has_value { format!(" {}", facts.placeholder) } else { String::new() };
    format!("{letter}`--{flag}{value}`")
}

fn values(facts: &OptionFacts, kind: OptionKind) -> String {
    let range = |numbers: &str| match facts.range {
        NumberRange::ANY => numbers.to_owned(),
        range => format!("{numbers} {range}"),
    };
    match kind {
        OptionKind::Switch => "on, off".to_owned(),
        OptionKind::Count { .. } => range("whole numbers"),
        OptionKind::Number { .. } | OptionKind::Double => range("numbers"),
        OptionKind::Numbers => range("five numbers"),
        OptionKind::Name { names, .. } => {
            let named = names.iter().map(|name| format!("`{}`: {}", name.name, name.meaning));
            named.collect::<Vec<_>>().join("; ")
        }
        OptionKind::Text => format!("`{}`", facts.placeholder),
        OptionKind::Foreign => String::new(),
    }
}

#[test]
fn the_types_for_python_are_those_of_the_options() {
    let types = |(group, title): (OptionGroup, &str)| {
        let line = |option: TranslateOption| format!("    {}: {}\n", option.facts().name, python_type(option));
        format!("    # {title}\n{}", of_group(group).map(line).collect::<String>())
    };
    let begin = "    \"\"\"The options of a call. The default of an option is the model's own setting.\"\"\"\n\n";
    compare("python/metaphrase/options.py", begin, "\n\nclass FileOptions", &GROUPS.map(types).concat());
}

fn python_type(option: TranslateOption) -> String {
    let or_none = |optional: bool| if optional { " | None" } else { "" };
    match option.kind() {
        OptionKind::Switch => "bool".to_owned(),
        OptionKind::Count { optional } => format!("int{}", or_none(optional)),
        OptionKind::Number { optional } => format!("float{}", or_none(optional)),
        OptionKind::Double => "float".to_owned(),
        OptionKind::Numbers => "Sequence[float]".to_owned(),
        OptionKind::Name { names, optional } => {
            let names: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.name)).collect();
            format!("Literal[{}]{}", names.join(", "), or_none(optional))
        }
        OptionKind::Text => "str | None".to_owned(),
        OptionKind::Foreign => match option.facts().name {
            "excluded" => "Sequence[str]".to_owned(),
            "glossary" => "Glossary | Table | None".to_owned(),
            "replace_unknown" => "bool | Table | None".to_owned(),
            name => panic!("say here which values {name} has in Python"),
        },
    }
}

#[test]
fn names_in_the_items_are_those_of_options() {
    let options: Vec<&OptionFacts> = TranslateOption::all().map(TranslateOption::facts).collect();
    let is_option = |name: &str| options.iter().any(|facts| facts.name == name);
    let defaults = TranslateOptions::default();
    for facts in &options {
        let named = facts.help.split('`').skip(1).step_by(2).chain(facts.default.split('`').skip(1).step_by(2));
        let named = named.chain(facts.needs.map(|(needed, _)| needed)).chain(facts.excludes.iter().copied());
        for name in named {
            assert!(is_option(name), "{}: {name}", facts.name);
        }
        assert!(!facts.help.ends_with('.') && !facts.help.contains("--"), "{}", facts.help);
        assert_eq!(options.iter().filter(|other| other.name == facts.name).count(), 1, "{}", facts.name);
    }
    // Each default can be set again; options that need others are left out.
    for option in TranslateOption::all().filter(|option| option.facts().needs.is_none()) {
        let mut again = defaults.clone();
        if !matches!(option.kind(), OptionKind::Foreign) {
            again.change(vec![(option, option.get(&defaults))]).expect("the default is allowed");
            assert_eq!(option.get(&again), option.get(&defaults), "{}", option.facts().name);
        }
    }
}
