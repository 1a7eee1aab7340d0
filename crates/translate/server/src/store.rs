//! The persistent state: glossaries, keys and usage, in one SQLite file. It has no texts of users.

mod tables;

use crate::error::{Failure, Reason};
use metaphrase::{Case, Glossary};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The state, in a file or in memory.
pub struct Store {
    connection: Mutex<Connection>,
    /// Characters by key that are not in the file yet.
    pending: Mutex<HashMap<i64, i64>>,
    /// Parsed glossaries, by glossary and languages.
    parsed: Mutex<HashMap<(String, String, String), Arc<Glossary>>>,
}

/// A key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its number; 0 stands for all clients without a key.
    pub number: i64,
    /// The name that the operator gave it.
    pub name: String,
    /// Characters that it may have translated in a month.
    pub characters: Option<u64>,
    /// Requests that it may make in a minute.
    pub requests: Option<u32>,
}

/// A glossary: terms for one pair of languages, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredGlossary {
    /// Its name in requests.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Seconds since 1970.
    pub created: u64,
    /// Its parts.
    pub dictionaries: Vec<Dictionary>,
}

/// The terms for a pair of languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dictionary {
    /// The source language's code, in small letters.
    pub source: String,
    /// The target language's code, in small letters.
    pub target: String,
    /// Whether terms are found as they are written alone.
    pub case_sensitive: bool,
    /// Lines of a source term, a tab and target terms with tabs between them.
    pub tsv: String,
    /// The number of lines.
    pub entries: usize,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(Reason(error.to_string()))
    }
}

impl Store {
    /// Opens the file, which is made if it is absent; without a path the state is in memory.
    ///
    /// # Errors
    /// [`Failure::Store`] if the file can not be used.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        tables::check_own(&connection)?;
        // A commit is on the disk when it returns; a crash leaves the state of the last commit.
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
        connection.execute_batch(tables::TABLES)?;
        Ok(Self { connection: Mutex::new(connection), pending: Mutex::default(), parsed: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts. A function that needs the connection, too, locks that first.
    fn pending(&self) -> MutexGuard<'_, HashMap<i64, i64>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a key and returns it; only its hash is stored.
    ///
    /// # Errors
    /// [`Failure::Bad`] if there is a key of this name.
    pub fn add_key(&self, name: &str, characters: Option<u64>, requests: Option<u32>) -> Result<String, Failure> {
        let key = random_id()?;
        // The number of a key that was removed is not given again: it may have glossaries and usage.
        let insert = "INSERT OR IGNORE INTO keys (number, name, hash, characters, requests) VALUES (
            1 + (SELECT MAX(number) FROM (SELECT 0 AS number UNION ALL SELECT number FROM keys UNION ALL SELECT key FROM usage
                UNION ALL SELECT owner FROM glossaries)), ?, ?, ?, ?)";
        let added = self.lock().execute(insert, params![name, hash(&key), characters.map(signed), requests])?;
        if added == 0 {
            return Err(Failure::Bad(format!(
                "there is a key named '{name}' already; remove it first, or choose another name"
            )));
        }
        Ok(key)
    }

    /// Removes a key and its glossaries; returns whether there was one.
    ///
    /// # Errors
    /// [`Failure::Store`].
    pub fn remove_key(&self, name: &str) -> Result<bool, Failure> {
        let mut connection = self.lock();
        let removal = connection.transaction()?;
        // A request that still runs may count for the key: its number stays taken.
        let taken =
            "INSERT OR IGNORE INTO usage (key, month, characters) SELECT number, '', 0 FROM keys WHERE name = ?";
        removal.execute(taken, [name])?;
        removal.execute("DELETE FROM glossaries WHERE owner = (SELECT number FROM keys WHERE name = ?)", [name])?;
        let removed = removal.execute("DELETE FROM keys WHERE name = ?", [name])?;
        removal.commit()?;
        Ok(removed > 0)
    }

    /// The names of all keys, with the characters of this month.
    ///
    /// # Errors
    /// [`Failure::Store`].
    pub fn keys(&self) -> Result<Vec<(Key, u64)>, Failure> {
        let connection = self.lock();
        let mut select = connection.prepare("SELECT number, name, characters, requests FROM keys ORDER BY name")?;
        let keys = select.query_map([], key)?.collect::<Result<Vec<_>, _>>()?;
        keys.into_iter().map(|key| Ok((key.clone(), used(&connection, key.number)?))).collect()
    }

    /// The key that a client sent.
    ///
    /// # Errors
    /// [`Failure::Store`].
    pub fn find_key(&self, sent: &str) -> Result<Option<Key>, Failure> {
        let connection = self.lock();
        let mut select =
            connection.prepare_cached("SELECT number, name, characters, requests FROM keys WHERE hash = ?")?;
        Ok(select.query_row([hash(sent)], key).optional()?)
    }

    /// Adds to the characters of a key, or takes some back; they are in the file after [`flush`](Self::flush).
    pub fn count(&self, key: i64, characters: i64) {
        *self.pending().entry(key).or_default() += characters;
    }

    /// Adds to the characters of a key if the sum is at most `limit`; returns whether they were added. Concurrent
    /// requests see each other's characters.
    ///
    /// # Errors
    /// [`Failure::Store`].
    pub fn take(&self, key: i64, characters: i64, limit: u64) -> Result<bool, Failure> {
        let connection = self.lock();
        let stored = used(&connection, key)?;
        let mut pending = self.pending();
        let pending = pending.entry(key).or_default();
        let fits = stored.saturating_add_signed(*pending).saturating_add_signed(characters) <= limit;
        if fits {
            *pending += characters;
        }
        Ok(fits)
    }

    /// The characters of a key in this month.
    ///
    /// # Errors
    /// [`Failure::Store`].
    pub fn used(&self, key: i64) -> Result<u64, Failure> {
        let connection = self.lock();
        Ok(used(&connection, key)?.saturating_add_signed(self.pending().get(&key).copied().unwrap_or(0)))
    }

    /// Writes what was counted.
    ///
    /// # Errors
    /// [`Failure::Store`]; the counts are kept for the next time.
    pub fn flush(&self) -> Result<(), Failure> {
        // The connection stays locked: no other thread sees a count that is neither here nor in the file.
        let mut connection = self.lock();
        let pending = std::mem::take(&mut *self.pending());
        if pending.is_empty() {
            return Ok(());
        }
        let written = write_usage(&mut connection, &pending);
        if written.is_err() {
            pending.into_iter().for_each(|(key, characters)| self.count(key, characters));
        }
        Ok(written?)
    }

    /// The glossaries of an owner.
    ///
    /// # Errors
    /// [`Failure::Store`].
    pub fn glossaries(&self, owner: i64) -> Result<Vec<StoredGlossary>, Failure> {
        let connection = self.lock();
        let mut select = connection.prepare_cached("SELECT id FROM glossaries WHERE owner = ? ORDER BY created, id")?;
        let ids = select.query_map([owner], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        let found = ids.iter().map(|id| glossary(&connection, owner, id)).collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// A glossary of an owner.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`Failure::Store`].
    pub fn glossary(&self, owner: i64, id: &str) -> Result<StoredGlossary, Failure> {
        glossary(&self.lock(), owner, id)?.ok_or(Failure::NotFound("glossary"))
    }

    /// Changes a glossary of an owner in one transaction; returns the new one.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`Failure::Store`], and those of `change`; then the older one is whole.
    pub fn change_glossary(
        &self,
        owner: i64,
        id: &str,
        change: impl FnOnce(&mut StoredGlossary) -> Result<(), Failure>,
    ) -> Result<StoredGlossary, Failure> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut found = glossary(&transaction, owner, id)?.ok_or(Failure::NotFound("glossary"))?;
        change(&mut found)?;
        self.put(transaction, owner, &found)?;
        Ok(found)
    }

    /// Writes a glossary, in place of an older one of the same id.
    ///
    /// # Errors
    /// [`Failure::Store`]; then the older one is whole.
    pub fn put_glossary(&self, owner: i64, glossary: &StoredGlossary) -> Result<(), Failure> {
        self.put(self.lock().transaction()?, owner, glossary)
    }

    fn put(&self, change: Transaction<'_>, owner: i64, glossary: &StoredGlossary) -> Result<(), Failure> {
        change.execute("DELETE FROM glossaries WHERE id = ? AND owner = ?", params![glossary.id, owner])?;
        let StoredGlossary { id, name, created, .. } = glossary;
        change.execute("INSERT INTO glossaries VALUES (?, ?, ?, ?)", params![id, owner, name, signed(*created)])?;
        for Dictionary { source, target, case_sensitive, tsv, entries } in &glossary.dictionaries {
            let row = params![id, source, target, case_sensitive, tsv, signed(*entries as u64)];
            change.execute("INSERT INTO dictionaries VALUES (?, ?, ?, ?, ?, ?)", row)?;
        }
        change.commit()?;
        self.parsed.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _, _), _| known != id);
        Ok(())
    }

    /// Removes a glossary.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`Failure::Store`].
    pub fn remove_glossary(&self, owner: i64, id: &str) -> Result<(), Failure> {
        let removed = self.lock().execute("DELETE FROM glossaries WHERE id = ? AND owner = ?", params![id, owner])?;
        self.parsed.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _, _), _| known != id);
        if removed == 0 { Err(Failure::NotFound("glossary")) } else { Ok(()) }
    }

    /// The terms of a glossary for two languages, ready to be looked for.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if the glossary has none for them.
    pub fn terms(&self, owner: i64, id: &str, source: &str, target: &str) -> Result<Arc<Glossary>, Failure> {
        let found = self.glossary(owner, id)?;
        let base = |code: &str| code.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let fits = |part: &&Dictionary| base(&part.source) == base(source) && base(&part.target) == base(target);
        let part = found.dictionaries.iter().find(fits);
        let part = part.ok_or(Failure::NotFound("glossary for these languages"))?;
        let name = (id.to_owned(), part.source.clone(), part.target.clone());
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = parsed.get(&name) {
            return Ok(Arc::clone(known));
        }
        let case = Case::sensitive(part.case_sensitive);
        let terms = Glossary::parse(&part.tsv, case).map_err(|error| Failure::Bad(error.to_string()))?;
        // A few glossaries are in use at a time.
        if parsed.len() >= 64 {
            parsed.clear();
        }
        Ok(Arc::clone(parsed.entry(name).or_insert(Arc::new(terms))))
    }
}

fn write_usage(connection: &mut Connection, pending: &HashMap<i64, i64>) -> rusqlite::Result<()> {
    let change = connection.transaction()?;
    for (key, characters) in pending {
        change.execute(
            "INSERT INTO usage VALUES (?, strftime('%Y-%m'), ?)
             ON CONFLICT (key, month) DO UPDATE SET characters = characters + excluded.characters",
            params![key, characters],
        )?;
    }
    change.commit()
}

fn used(connection: &Connection, key: i64) -> rusqlite::Result<u64> {
    let select = "SELECT characters FROM usage WHERE key = ? AND month = strftime('%Y-%m')";
    let used: Option<i64> = connection.prepare_cached(select)?.query_row([key], |row| row.get(0)).optional()?;
    // Characters that were given back in a new month can be more than those that it has.
    Ok(used.and_then(|used| u64::try_from(used).ok()).unwrap_or(0))
}

fn key(row: &rusqlite::Row<'_>) -> rusqlite::Result<Key> {
    let characters: Option<i64> = row.get(2)?;
    let characters = characters.map(i64::unsigned_abs);
    Ok(Key { number: row.get(0)?, name: row.get(1)?, characters, requests: row.get(3)? })
}

fn glossary(connection: &Connection, owner: i64, id: &str) -> rusqlite::Result<Option<StoredGlossary>> {
    let head = "SELECT name, created FROM glossaries WHERE id = ? AND owner = ?";
    let head: Option<(String, i64)> = connection
        .prepare_cached(head)?
        .query_row(params![id, owner], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((name, created)) = head else { return Ok(None) };
    let parts =
        "SELECT source, target, case_sensitive, tsv, entries FROM dictionaries WHERE glossary = ? ORDER BY rowid";
    let mut parts = connection.prepare_cached(parts)?;
    let part = |row: &rusqlite::Row<'_>| {
        let entries: i64 = row.get(4)?;
        let (source, target, case_sensitive, tsv) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(Dictionary { source, target, case_sensitive, tsv, entries: entries.unsigned_abs() as usize })
    };
    let dictionaries = parts.query_map([id], part)?.collect::<Result<_, _>>()?;
    Ok(Some(StoredGlossary { id: id.to_owned(), name, created: created.unsigned_abs(), dictionaries }))
}

/// A number as SQLite stores it.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Keys are random, so that a plain hash can not be turned back.
fn hash(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes()).to_vec()
}

/// A name that nobody can guess: 128 random bits, as a UUID is written.
///
/// # Errors
/// [`Failure::Worker`] if the system has no random numbers.
pub fn random_id() -> Result<String, Failure> {
    let hex = random_hex::<16>()?.to_lowercase();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

/// Random bytes in capital hexadecimal digits.
///
/// # Errors
/// As [`random_id`].
pub fn random_hex<const BYTES: usize>() -> Result<String, Failure> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Failure::Worker(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02X}")).collect())
}

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests;
