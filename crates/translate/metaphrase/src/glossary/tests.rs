use super::*;
use std::io::Write;
use zip::write::SimpleFileOptions;

const EN_DE: Option<[&str; 2]> = Some(["en", "de-AT"]);

fn read(bytes: &[u8], languages: Option<[&str; 2]>) -> Result<Vec<(String, String)>, String> {
    let file = GlossaryFile::read(bytes, languages).map_err(|error| error.to_string())?;
    let glossary = file.clone().glossary(Case::Ignore).map_err(|error| error.to_string())?;
    if file.format == GlossaryFormat::Tabs {
        let found = ["house", "door"].map(|word| (word.to_owned(), glossary.find(word).concat().join("|")));
        return Ok(found.into_iter().filter(|(_, targets)| !targets.is_empty()).collect());
    }
    assert_eq!(glossary.len(), file.entries.len());
    Ok(file.entries.into_iter().map(|(source, targets)| (source, targets.join("|"))).collect())
}

fn pairs(expected: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
    Ok(expected.iter().map(|(source, target)| ((*source).to_owned(), (*target).to_owned())).collect())
}

#[test]
fn tables_of_all_kinds_are_read() {
    let both = pairs(&[("house", "Gebäude"), ("door", "Pforte")]);
    for text in [
        "\u{feff}house\tGebäude\r\ndoor\tPforte\r\n",
        "house,Gebäude\ndoor,Pforte\n",
        "house;Gebäude\n\ndoor;Pforte",
        "source,target\nhouse,Gebäude\ndoor,Pforte\n",
        "\u{feff}\"source\";\"target\"\r\n\"house\";\"Gebäude\"\r\n\"door\";\"Pforte\"\r\n",
        "de,en,fr\nGebäude,house,maison\nPforte,door,porte\n",
        "DE-DE;EN-US\nGebäude;house\nPforte;door\n",
        "English,German\nhouse,Gebäude\ndoor,Pforte\n",
        "house,Gebäude,EN,DE\ndoor,Pforte,EN,DE\n",
        "location,source,target,context\nx,house,Gebäude,a note\ny,door,Pforte,\nz,window,,\n",
        "fr\ten\tde\nmaison\thouse\tGebäude\nporte\tdoor\tPforte\n",
        "Source\tTarget\nhouse\tGebäude\ndoor\tPforte\n",
        "# a comment\nhouse,Gebäude\ndoor,Pforte\n",
    ] {
        assert_eq!(read(text.as_bytes(), EN_DE), both, "{text:?}");
    }
    let wide: Vec<u8> = "\u{feff}house\tGebäude\ndoor\tPforte\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide, EN_DE), both);
    let quoted = "\"a, b\",\"c \"\"d\"\"\"\n\"two\nlines\",x\n";
    assert_eq!(read(quoted.as_bytes(), None), pairs(&[("a, b", "c \"d\""), ("two\nlines", "x")]));
    assert_eq!(read(b"house,Haus,Bau\n", None), pairs(&[("house", "Haus|Bau")]));
}

#[test]
fn term_bases_are_read() {
    let old = r#"<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd"><martif type="TBX"><text><body>
        <termEntry id="1"><descrip type="definition">a building</descrip>
          <langSet xml:lang="en-US"><tig><term>house</term></tig><ntig><termGrp><term>R&amp;D&#32;house</term></termGrp></ntig></langSet>
          <langSet xml:lang="de"><tig><term>Gebäude</term></tig><tig><term>Hütte</term>
            <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig><tig><term>Bau</term></tig></langSet>
          <langSet xml:lang="fr"><tig><term>maison</term></tig></langSet></termEntry>
        <termEntry><langSet xml:lang="en"><tig><term>door</term></tig></langSet></termEntry></body></text></martif>"#;
    let expected = pairs(&[("house", "Gebäude|Bau"), ("R&D house", "Gebäude|Bau")]);
    assert_eq!(read(old.as_bytes(), EN_DE), expected);
    let new = r#"<tbx xmlns="urn:iso:std:iso:30042:ed-2"><text><body><conceptEntry id="c1"><langSec xml:lang="en"><termSec><term>house</term>
        </termSec></langSec><langSec xml:lang="de"><termSec><term>Gebäude</term></termSec></langSec></conceptEntry></body></text></tbx>"#;
    assert_eq!(read(new.as_bytes(), None), pairs(&[("house", "Gebäude")]));
    assert!(read(old.as_bytes(), None).unwrap_err().contains("en, de, fr"));
    assert!(read(old.as_bytes(), Some(["en", "es"])).unwrap_err().contains("terms in en and in es"));
}

#[test]
fn memories_are_read() {
    let memory = r#"<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="EN-GB"><seg>house<ph>{1}</ph></seg></tuv>
        <tuv xml:lang="de-DE"><seg><![CDATA[Gebäude]]></seg></tuv></tu></body></tmx>"#;
    assert_eq!(read(memory.as_bytes(), EN_DE), pairs(&[("house", "Gebäude")]));
    assert_eq!(read(memory.as_bytes(), Some(["de", "en"])), pairs(&[("Gebäude", "house")]));
}

/// A workbook of these parts.
fn workbook(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn workbooks_are_read() {
    let book = r#"<workbook><sheets><sheet name="Terms" sheetId="1" r:id="rId3"/><sheet name="x" sheetId="2" r:id="rId1"/></sheets></workbook>"#;
    let relations = r#"<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>
        <Relationship Id="rId3" Target="/xl/worksheets/sheet2.xml"/></Relationships>"#;
    let strings =
        r"<sst><si><t>en</t></si><si><t>de</t></si><si><r><t>ho</t></r><r><t>use</t></r><rPh><t>x</t></rPh></si></sst>";
    let sheet = r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
        <row r="2"><c r="A2" t="s"><v>2</v></c><c r="C2" t="inlineStr"><is><t>Gebäude</t></is></c></row>
        <row r="3"><c r="A3" t="str"><v>R&amp;D</v></c><c r="C3"><v>5</v></c></row><row r="4"/></sheetData></worksheet>"#;
    let parts = [
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/sharedStrings.xml", strings),
        ("xl/worksheets/sheet2.xml", sheet),
    ];
    assert_eq!(read(&workbook(&parts), EN_DE), pairs(&[("house", "Gebäude"), ("R&D", "5")]));
    let refused = read(&workbook(&[("a.txt", "x")]), EN_DE).unwrap_err();
    assert!(refused.contains("xl/workbook.xml"), "{refused}");
    assert!(read(&workbook(&parts)[..300], EN_DE).is_err());
}

#[test]
fn other_files_are_refused_with_a_sentence() {
    for (bytes, part) in [
        (&b"house"[..], "line 1 of the glossary has no target term"),
        (b"house   Geb\xc3\xa4ude\n", "has no target term"),
        (b"house,Geb\xe4ude\n", "not UTF-8 from byte 10"),
        (b"<html><body></body></html>", "root element `html`"),
        (b"<tmx><body><tu></body></tmx>", "TMX cannot be read: at byte"),
        (b"<tbx><term>&unknown;</term></tbx>", "entity `unknown`"),
        (b"en,fr\nhouse,maison\n", "en and de-AT"),
        (b"house,\ndoor,b\n", "row 1 of the table has no target term"),
    ] {
        let refused = read(bytes, EN_DE).unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    // Deep nesting is harmless.
    let deep = format!("<tbx>{}{}</tbx>", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(read(deep.as_bytes(), EN_DE).is_err());
}

#[test]
fn parts_of_words_with_another_meaning_are_no_terms() {
    let glossary =
        Glossary::parse("add\thinzufügen\nmail\tPost\ndoor\tPforte\nadd-on\tZusatz\n", Case::Ignore).unwrap();
    let found = |source: &str| glossary.find(source).concat().join(" ");
    for (source, expected) in [
        ("Install the add-on, then add a file.", "Zusatz hinzufügen"),
        ("Two Add-Ons, one E-Mail and an e‑mail.", ""),
        ("The mail by the door-handle, front-door keys", "Post Pforte Pforte"),
        ("The mail - on Mondays", "Post"),
        ("type e - mail, door -up", "Post Pforte"),
        ("mail", "Post"),
    ] {
        assert_eq!(found(source), expected, "{source}");
    }
}

#[test]
fn adjectives_before_nouns_are_found_in_all_cases() {
    let glossary = Glossary::parse("künstliche Intelligenz\tAI\nAltes Rathaus\tOld Town Hall\n", Case::Ignore);
    let glossary = glossary.expect("a glossary");
    for (source, found) in [
        ("Wir arbeiten mit künstlicher Intelligenz.", 1),
        ("Das Ende der Künstlichen Intelligenz", 1),
        ("vor dem Alten Rathaus", 1),
        ("künstliches Licht", 0),
        ("ein künstlicher Mensch mit Intelligenz", 0),
    ] {
        assert_eq!(glossary.find_forms(source, Some("de")).len(), found, "{source}");
        assert!(glossary.find_forms(source, Some("en")).is_empty(), "{source}");
    }
}

#[test]
fn german_verbs_are_found_in_their_forms() {
    let glossary = "herunterladen\tfetch\nladen\tload\nspeichern\tstore\nKosten\tcharges\nsich anmelden\tsign in\n";
    let glossary = Glossary::parse(glossary, Case::Ignore).expect("a glossary");
    for (source, expected) in [
        ("Er lädt jeden Tag Musik herunter.", &["fetch"][..]),
        ("Er lädt die Datei.", &["load"]),
        ("Die Datei wurde heruntergeladen und gespeichert.", &["fetch", "store"]),
        ("Speichert er die Datei, wenn sie geladen ist?", &["store", "load"]),
        ("Das kostet nichts.", &[]),
        ("Der Herunterladende", &[]),
        ("Wir meldeten uns gestern an.", &["sign in"]),
    ] {
        let found = glossary.find_forms(source, Some("de"));
        assert_eq!(found.iter().map(|term| term.targets[0].as_str()).collect::<Vec<_>>(), expected, "{source}");
    }
    assert!(glossary.find_forms("Er lädt die Datei herunter.", Some("en")).is_empty());
}
