//! Models as their makers publish them: their languages, their vocabularies, their shortlists and their scripts.

use metaphrase::{Error, ForeignFormat, Package, Request, StoredPrecision, TranslateOptions, Translation, Translator};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The words of the tiny model of Marian's, by id.
const WORDS: [&str; 12] = ["</s>", "<unk>", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// A directory with the tiny model and a list of words.
struct Published(tempfile::TempDir);

impl Published {
    fn new(list: &str, words: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/marian-tiny/model.npz");
        fs::copy(tiny, folder.path().join("model.npz")).unwrap();
        let lines = words.iter().zip(0..).map(|(word, id)| format!("{word:?}: {id}\n"));
        fs::write(folder.path().join(list), lines.collect::<String>()).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    fn translator(&self) -> Translator {
        Translator::builder().model(self.0.path()).threads(1).build().unwrap()
    }
}

/// The tiny model with two target languages in place of two words.
fn several_languages() -> Published {
    let mut words = WORDS;
    (words[10], words[11]) = (">>deu<<", ">>nld<<");
    Published::new("vocab.yml", &words)
}

fn with_language(translator: &Translator, language: &str) -> TranslateOptions {
    let mut options = TranslateOptions { target_language: Some(language.into()), ..translator.options() };
    options.search.attention = translator.has_alignment();
    options
}

/// The one translation of a request.
fn one(translator: &Translator, options: &TranslateOptions, request: Request) -> Translation {
    translator.run(options, vec![request]).unwrap().remove(0)
}

#[test]
fn a_target_language_is_read_before_the_line() {
    let model = several_languages();
    let translator = model.translator();
    assert_eq!(translator.facts().target_languages, ["deu", "nld"]);
    let plain = TranslateOptions { target_language: None, ..with_language(&translator, "deu") };
    let german = one(&translator, &plain, Request::translate(">>deu<< a b c"));
    let dutch = one(&translator, &plain, Request::translate(">>nld<< a b c"));
    assert_ne!(german.hypotheses[0].score.to_bits(), dutch.hypotheses[0].score.to_bits());
    for language in ["deu", "de", ">>deu<<"] {
        let found = one(&translator, &with_language(&translator, language), Request::translate("a b c"));
        assert_eq!(found.hypotheses[0].score.to_bits(), german.hypotheses[0].score.to_bits(), "{language}");
        assert_eq!(found.text(), german.text());
        // The word is none of the line's: alignments count the line's words.
        assert_eq!(found.source_pieces, ["a", "b", "c"]);
        if let Some(attention) = &found.hypotheses[0].attention {
            assert_eq!(attention.source_len, 4);
        }
    }
    // A request's own language counts, and before it the word of its line.
    let options = with_language(&translator, "deu");
    let own = Request { target_language: Some("nld".into()), ..Request::translate("a b c") };
    assert_eq!(one(&translator, &options, own).hypotheses[0].score.to_bits(), dutch.hypotheses[0].score.to_bits());
    let written = one(&translator, &options, Request::translate(">>nld<< a b c"));
    assert_eq!(written.hypotheses[0].score.to_bits(), dutch.hypotheses[0].score.to_bits());
    // Scores of given translations, too.
    let score = |options: &TranslateOptions, source: &str| one(&translator, options, Request::score(source, "b c"));
    let (given, marked) = (score(&options, "a b"), score(&plain, ">>deu<< a b"));
    assert_eq!(given.hypotheses[0].score.to_bits(), marked.hypotheses[0].score.to_bits());
    // By default, for the whole translator.
    let translator = model.translator().with_target_language("nl").unwrap();
    assert_eq!(translator.translate(&["a b c"]).unwrap()[0].text(), dutch.text());
}

#[test]
fn an_unknown_target_language_is_refused_with_the_list() {
    let translator = several_languages().translator();
    let refused = translator.run(&with_language(&translator, "fra"), vec![Request::translate("a")]).unwrap_err();
    assert!(matches!(refused, Error::TargetLanguage { .. }));
    assert_eq!(refused.to_string(), "the model does not translate into `fra`; its target languages are deu, nld");
    let request = Request { target_language: Some("fra".into()), ..Request::translate("a") };
    let failed = one(&translator, &translator.options(), request);
    assert!(failed.error.unwrap().contains("deu, nld"));
    let plain = Published::new("vocab.yml", &WORDS).translator();
    let refused = plain.run(&with_language(&plain, "deu"), vec![Request::translate("a")]).unwrap_err();
    assert!(matches!(refused, Error::NoTargetLanguages { .. }), "{refused}");
    assert!(plain.with_target_language("deu").is_err());
}

#[test]
fn a_release_with_bpe_units_gets_and_gives_text() {
    let words = ["</s>", "<unk>", "hel@@", "lo", "wor@@", "ld", ",", ".", "&apos;s", "it", "@-@", "well"];
    let codes = "#version: 0.2\nh e\nhe l\nl o</w>\nw o\nwo r\nl d</w>\ni t</w>\nw e\nwe l\nwel l</w>\n\
                 & a\n&a p\n&ap o\n&apo s\n&apos ;\n&apos; s</w>\n@ -\n@- @</w>\n";
    let model = Published::new("opus.bpe32k-bpe32k.vocab.yml", &words).write("source.bpe", codes);
    let model = model.write("target.bpe", codes).write("source.tcmodel", "it (90/100) It (10)\n").write(
        "decoder.yml",
        "relative-paths: true\nmodels: [model.npz]\nvocabs: [opus.bpe32k-bpe32k.vocab.yml, opus.bpe32k-bpe32k.vocab.yml]\nbeam-size: 1\n",
    );
    let translator = model.translator();
    let [source, target] = translator.vocabularies().unwrap();
    // The list has `@-@`, so hyphens are tokens; the truecaser's model has words, so it is used.
    assert_eq!(source.pieces("It’s hello-world."), ["it", "&apos;s", "hel@@", "lo", "@-@", "wor@@", "ld", "."]);
    let ids: Vec<_> =
        ["it", "&apos;s", "hel@@", "lo", "@-@", "wor@@", "ld", "."].map(|word| target.id(word).unwrap()).into();
    assert_eq!(target.decode(&ids), "It's hello-world.");
    let translation = &translator.translate(&["Hello, world."]).unwrap()[0];
    assert!(!translation.text().contains("@@"), "{}", translation.text());
    let refused = metaphrase::convert(model.0.path(), model.path("own"), metaphrase::StoredPrecision::F32);
    assert!(refused.unwrap_err().to_string().contains("BPE units"));
}

#[test]
fn broken_parts_of_a_release_are_named() {
    let list = "opus.vocab.yml";
    for (name, text, part) in [
        ("source.bpe", "#version: 0.2\na b c\n", "line 2"),
        ("source.bpe", "", "two symbols"),
        ("source.spm", "", "source.spm"),
        ("source.tcmodel", "word without counts\n", "source.tcmodel"),
    ] {
        let model = Published::new(list, &WORDS).write("source.bpe", "#version: 0.2\na b\n").write(name, text);
        let refused = Package::find(model.0.path()).and_then(|package| Translator::builder().package(package).build());
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains(part) && refused.lines().count() == 1, "{name}: {refused}");
    }
}

/// A file with the files of a directory.
fn zipped(directory: &Path, to: &Path) {
    let mut archive = zip::ZipWriter::new(fs::File::create(to).unwrap());
    let folders = [directory.to_owned(), directory.join("model")];
    for path in folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path()) {
        if path.is_file() {
            let name = path.strip_prefix(directory.parent().unwrap()).unwrap().to_str().unwrap().to_owned();
            archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(&fs::read(path).unwrap()).unwrap();
        }
    }
    archive.finish().unwrap();
}

#[test]
fn a_package_with_codes_of_bpe_is_read_packed_and_unpacked() {
    let published = Published::new("vocab.yml", &WORDS);
    let package = published.path("translate-en_de-1_0");
    fs::create_dir(&package).unwrap();
    metaphrase::export(
        published.path("model.npz"),
        package.join("model"),
        ForeignFormat::CTranslate2,
        StoredPrecision::F32,
    )
    .unwrap();
    fs::write(package.join("metadata.json"), r#"{"from_code": "en", "to_code": "de"}"#).unwrap();
    fs::write(package.join("bpe.model"), "#version: 0.2\nx y</w>\n").unwrap();
    let packed = published.path("package.argosmodel");
    zipped(&package, &packed);
    let plain = published.translator();
    let mut options = plain.options();
    options.search.beam_size = 1;
    let lines = || ["a b c", "j, i"].map(Request::translate).to_vec();
    let expected = plain.run(&options, vec![Request::translate("a b c"), Request::translate("j <unk> i")]).unwrap();
    for model in [&package, &packed] {
        let found = Package::find(model).unwrap();
        let languages = found.languages().unwrap();
        assert_eq!((languages.sources, languages.targets), (vec!["en".to_owned()], vec!["de".to_owned()]));
        let translator = Translator::builder().package(found).threads(1).build().unwrap();
        assert_eq!(translator.segment("a, b"), [2, 1, 3, 0].map(metaphrase::WordId));
        let mut own = translator.options();
        own.search.beam_size = 1;
        let found = translator.run(&own, lines()).unwrap();
        let pieces = |translations: &[Translation]| {
            translations.iter().map(|one| one.hypotheses[0].pieces.clone()).collect::<Vec<_>>()
        };
        assert_eq!(pieces(&found), pieces(&expected), "{}", model.display());
    }
    let error = Package::find(published.path("absent.zip")).unwrap_err().to_string();
    assert!(error.contains("absent.zip"), "{error}");
}

#[test]
fn the_languages_of_a_model_are_known_without_its_weights() {
    let languages = |model: &Published, name: &str| {
        let directory = model.path(name);
        fs::create_dir(&directory).unwrap();
        for file in ["model.npz", "vocab.yml"] {
            fs::copy(model.path(file), directory.join(file)).unwrap();
        }
        let found = Package::find(&directory).unwrap().languages();
        found.map(|found| [found.sources.join(" "), found.targets.join(" ")]).map_err(|error| error.to_string())
    };
    let one = Published::new("vocab.yml", &WORDS);
    assert_eq!(languages(&one, "opus-mt-fi-en"), Ok(["fi".to_owned(), "en".to_owned()]));
    let refused = languages(&one, "notes").unwrap_err();
    assert!(refused.contains("notes") && refused.contains("rename its directory"), "{refused}");
    assert_eq!(languages(&several_languages(), "opus-mt-en-gmw"), Ok(["en".to_owned(), "de nl".to_owned()]));
    let bundled = Package::find("de-en").unwrap().languages().unwrap();
    assert_eq!((bundled.sources, bundled.targets), (vec!["de".to_owned()], vec!["en".to_owned()]));
}
