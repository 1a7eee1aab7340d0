//! The tables of the state, and the check that a file has no others.

use crate::error::{Failure, Reason};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// Makes the tables of a server.
pub(super) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS keys (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hash BLOB NOT NULL UNIQUE, characters INTEGER, requests INTEGER);
    CREATE TABLE IF NOT EXISTS usage (
        key INTEGER NOT NULL, month TEXT NOT NULL, characters INTEGER NOT NULL, PRIMARY KEY (key, month));
    CREATE TABLE IF NOT EXISTS glossaries (
        id TEXT PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS dictionaries (
        glossary TEXT NOT NULL REFERENCES glossaries (id) ON DELETE CASCADE, source TEXT NOT NULL, target TEXT NOT NULL,
        case_sensitive INTEGER NOT NULL, tsv TEXT NOT NULL, entries INTEGER NOT NULL, PRIMARY KEY (glossary, source, target));";

/// Checks that a database is new or has the tables of a server alone: nothing is written into a database of another
/// program.
pub(super) fn check_own(connection: &Connection) -> Result<(), Failure> {
    let own = Connection::open_in_memory()?;
    own.execute_batch(TABLES)?;
    let own = columns(&own)?;
    match columns(connection)?.into_iter().find(|(table, columns)| own.get(table) != Some(columns)) {
        Some((table, _)) => Err(Failure::Store(Reason(format!(
            "it is a database of another program, with a table '{table}'; name another file"
        )))),
        None => Ok(()),
    }
}

/// The columns of each table and view of a database.
fn columns(connection: &Connection) -> Result<BTreeMap<String, BTreeSet<String>>, Failure> {
    let all = "SELECT item.name, field.name FROM sqlite_schema AS item, pragma_table_info(item.name) AS field
        WHERE item.type IN ('table', 'view') AND item.name NOT LIKE 'sqlite_%'";
    let mut columns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut query = connection.prepare(all)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        columns.entry(row.get(0)?).or_default().insert(row.get(1)?);
    }
    Ok(columns)
}
