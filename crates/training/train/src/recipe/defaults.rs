//! What a recipe may leave out of its network.

use std::borrow::Cow;
use std::sync::LazyLock;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table for each kind of network or part, with the values that a recipe may leave out.
static DEFAULTS: LazyLock<DeTable<'static>> = LazyLock::new(|| {
    DeTable::parse(include_str!("defaults.toml")).map(Spanned::into_inner).expect("a file that is tested")
});

/// Keys whose value is the name of a kind, or a table with the kind and its settings.
const KINDS: [&str; 5] = ["architecture", "decoder-layer", "positions", "decoder", "top"];

/// Adds the defaults to `table`, which is the value of `name`, and to the tables in it.
pub(super) fn fill(name: &str, table: &mut DeTable<'_>) {
    if let Some(defaults) = defaults(name) {
        add(table, defaults);
    }
    for (name, value) in table.iter_mut() {
        let kind = value
            .get_ref()
            .as_str()
            .filter(|kind| KINDS.contains(&name.get_ref().as_ref()) && defaults(kind).is_some());
        if let Some(kind) = kind.map(str::to_owned) {
            let empty = Spanned::new(value.span(), DeValue::Table(DeTable::new()));
            let key = Spanned::new(value.span(), Cow::Owned(kind));
            *value.get_mut() = DeValue::Table(DeTable::from_iter([(key, empty)]));
        }
        if let DeValue::Table(inner) = value.get_mut() {
            fill(name.get_ref(), inner);
        }
    }
    if name == "transformer" {
        follow(table);
    }
}

/// The settings of a Transformer's decoder that follow others.
fn follow(table: &mut DeTable<'_>) {
    let empty = || Spanned::new(0..0, DeValue::Table(DeTable::new()));
    let Some(DeValue::Table(encoder)) = table.get("encoder-ffn").map(|value| value.get_ref().clone()) else { return };
    let decoder = table.entry(Spanned::new(0..0, Cow::Borrowed("decoder-ffn"))).or_insert_with(empty);
    if let DeValue::Table(decoder) = decoder.get_mut() {
        add(decoder, &encoder);
    }
    if let (Some(depth), false) = (table.get("decoder-depth").cloned(), table.contains_key("alignment-layer")) {
        table.insert(Spanned::new(0..0, Cow::Borrowed("alignment-layer")), depth);
    }
}

fn defaults(name: &str) -> Option<&'static DeTable<'static>> {
    DEFAULTS.get(name)?.get_ref().as_table()
}

/// Adds the values that a table lacks.
fn add<'t>(table: &mut DeTable<'t>, defaults: &DeTable<'t>) {
    for (key, value) in defaults {
        if !table.contains_key(key.get_ref().as_ref()) {
            table.insert(Spanned::new(0..0, key.get_ref().clone()), Spanned::new(0..0, value.get_ref().clone()));
        }
    }
}
