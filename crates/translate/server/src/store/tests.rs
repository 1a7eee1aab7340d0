#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;

fn glossary(id: &str, tsv: &str) -> StoredGlossary {
    let part = |source: &str, target: &str| Dictionary {
        source: source.into(),
        target: target.into(),
        case_sensitive: false,
        tsv: tsv.into(),
        entries: 1,
    };
    StoredGlossary {
        id: id.into(),
        name: "g".into(),
        created: 1,
        dictionaries: vec![part("de", "en"), part("en", "de")],
    }
}

#[test]
fn what_is_stored_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let store = Store::open(Some(&path)).unwrap();
    let key = store.add_key("one", Some(10), None).unwrap();
    store.put_glossary(1, &glossary("a", "house\tHaus")).unwrap();
    store.count(1, 7);
    store.flush().unwrap();
    store.count(1, 1);
    drop(store);
    let store = Store::open(Some(&path)).unwrap();
    let found = store.find_key(&key).unwrap().unwrap();
    assert_eq!(found, Key { number: 1, name: "one".into(), characters: Some(10), requests: None });
    assert_eq!(store.used(1).unwrap(), 7, "what was not flushed is lost");
    assert_eq!(store.glossary(1, "a").unwrap(), glossary("a", "house\tHaus"));
    assert_eq!(store.find_key("other").unwrap(), None);
    let text = std::fs::read(&path).unwrap();
    assert!(!text.windows(key.len()).any(|part| part == key.as_bytes()), "the key is not in the file");
}

#[test]
fn keys_are_made_while_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let (server, operator) = (Store::open(Some(&path)).unwrap(), Store::open(Some(&path)).unwrap());
    let key = operator.add_key("one", None, Some(5)).unwrap();
    assert_eq!(server.find_key(&key).unwrap().unwrap().requests, Some(5));
    assert!(operator.add_key("one", None, None).is_err(), "names are unique");
    assert_eq!(operator.keys().unwrap().len(), 1);
    assert!(operator.remove_key("one").unwrap() && !operator.remove_key("one").unwrap());
    assert_eq!(server.find_key(&key).unwrap(), None);
}

#[test]
fn a_new_key_has_nothing_of_one_that_was_removed() {
    let store = Store::open(None).unwrap();
    let number = |name: &str| store.find_key(&store.add_key(name, None, None).unwrap()).unwrap().unwrap().number;
    let old = number("old");
    store.put_glossary(old, &glossary("a", "house\tHaus")).unwrap();
    store.remove_key("old").unwrap();
    assert_eq!(store.glossaries(old).unwrap(), [], "the glossaries of a removed key go with it");
    let new = number("new");
    assert_ne!(new, old, "a request of the old key may still count");
    assert_eq!((store.glossaries(new).unwrap(), store.used(new).unwrap()), (vec![], 0));
    store.count(new, 5);
    store.flush().unwrap();
    store.remove_key("new").unwrap();
    let newest = number("newest");
    assert_eq!(store.used(newest).unwrap(), 0);
}

#[test]
fn changes_of_a_glossary_at_a_time_are_all_there() {
    let store = Store::open(None).unwrap();
    store.put_glossary(1, &glossary("a", "")).unwrap();
    let add = |part: &str| {
        store.change_glossary(1, "a", |glossary| {
            let tsv = glossary.dictionaries[0].tsv.clone();
            std::thread::yield_now();
            glossary.dictionaries[0].tsv = format!("{tsv}{part}\n");
            Ok(())
        })
    };
    std::thread::scope(|scope| {
        for part in ["a\tb", "c\td", "e\tf", "g\th"] {
            scope.spawn(move || (0..10).for_each(|_| _ = add(part).unwrap()));
        }
    });
    assert_eq!(store.glossary(1, "a").unwrap().dictionaries[0].tsv.lines().count(), 40);
    assert_eq!(store.change_glossary(2, "a", |_| Ok(())), Err(Failure::NotFound("glossary")));
}

#[test]
fn glossaries_belong_to_their_owner_and_change_whole() {
    let store = Store::open(None).unwrap();
    store.put_glossary(1, &glossary("a", "house\tHaus")).unwrap();
    let found = |text: &str| store.terms(1, "a", "en", "de-AT").map(|terms| terms.find(text).len());
    assert_eq!(found("the house"), Ok(1));
    store.put_glossary(1, &glossary("a", "cat\tKatze")).unwrap();
    assert_eq!((found("the house"), found("the cat")), (Ok(0), Ok(1)));
    assert!(store.glossary(2, "a").is_err() && store.remove_glossary(2, "a").is_err());
    assert!(store.put_glossary(2, &glossary("a", "x\ty")).is_err(), "an id belongs to one owner");
    assert_eq!(store.terms(1, "a", "en", "fr").err(), Some(Failure::NotFound("glossary for these languages")));
    store.remove_glossary(1, "a").unwrap();
    assert_eq!((found("a"), store.glossaries(1).unwrap().len()), (Err(Failure::NotFound("glossary")), 0));
}

#[test]
fn a_full_disk_leaves_the_old_glossary() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(Some(&folder.path().join("data"))).unwrap();
    store.put_glossary(1, &glossary("a", "house\tHaus")).unwrap();
    // The file may not grow, as on a full disk.
    let pages: i64 = store.lock().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let _: i64 = store.lock().query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get(0)).unwrap();
    let large: String = (0..50_000).map(|number| format!("w{number}\tx\n")).collect();
    assert!(matches!(store.put_glossary(1, &glossary("a", &large)), Err(Failure::Store(_))));
    assert_eq!(store.glossary(1, "a").unwrap(), glossary("a", "house\tHaus"));
    assert_eq!(store.terms(1, "a", "en", "de").unwrap().find("house").len(), 1);
}

#[test]
fn two_requests_at_once_do_not_pass_a_limit_together() {
    let store = Store::open(None).unwrap();
    store.add_key("one", Some(10), None).unwrap();
    let taken = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let taken = store.take(1, 4, 10).unwrap();
                    store.flush().unwrap();
                    taken
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|taken| *taken).count()
    });
    assert_eq!((taken, store.used(1).unwrap()), (2, 8));
    assert!(store.take(1, 2, 10).unwrap() && !store.take(1, 1, 10).unwrap());
    // A request that the queue refuses gives its characters back.
    store.count(1, -2);
    assert_eq!(store.used(1).unwrap(), 8);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    // The second one has a table of the same name, and other columns.
    for (name, table) in [
        ("notes", "TABLE notes (text TEXT)"),
        ("usage", "TABLE usage (month TEXT)"),
        ("all", "VIEW \"all\" AS SELECT 1"),
    ] {
        let path = folder.path().join(name);
        Connection::open(&path).unwrap().execute_batch(&format!("CREATE {table}")).unwrap();
        let before = std::fs::read(&path).unwrap();
        let Err(Failure::Store(reason)) = Store::open(Some(&path)) else { panic!("it was taken") };
        assert!(reason.0.contains(&format!("a table '{name}'")), "{reason:?}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
