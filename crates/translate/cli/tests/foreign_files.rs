//! No command changes or removes what it did not write: each command that writes, in each situation that invites it to.
//!
//! Each case runs in a folder of its own, with the inputs in one folder and files of somebody else in another. Their
//! names are those that the commands write. All these files are the same before and after.

use crate::common::{Run, command};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The commands that write a folder; the folder's name follows.
const FOLDER_COMMANDS: [&[&str]; 10] = [
    &["corpus", "-c", "IN/corpus.toml", "-o"],
    &["corpus", "--overwrite", "-c", "IN/corpus.toml", "-o"],
    &["convert", "-m", "IN/model", "--to"],
    &["average", "-m", "IN/model", "-m", "IN/model", "--to"],
    &["train", "-c", "IN/recipe.toml", "-o"],
    &["extract", "IN/t.en", "IN/t.de", "IN/links", "-o"],
    &["phrase", "train", "IN/t.en", "IN/t.de", "-o"],
    &["translate", "-b", "1", "-i", "IN/docs", "-o"],
    &["translate", "-b", "1", "-i", "IN/docs/moses.ini", "IN/docs/report.json", "-o"],
    &["man", "-o"],
];

/// The commands that read files and write one; the name of the written file follows.
const FILE_COMMANDS: [&[&str]; 12] = [
    &["translate", "-b", "1", "-i", "IN/t.en", "-o"],
    &["translate", "-b", "1", "--prefix", "IN/t.de", "-i", "IN/t.en", "-o"],
    &["translate", "-b", "1", "-i", "IN/t.en", "-o", "OUT/t.out", "--lattice"],
    &["score", "IN/t.en", "IN/t.de", "-o"],
    &["tokenize", "-i", "IN/t.en", "-o"],
    &["detokenize", "-i", "IN/t.en", "-o"],
    &["align", "IN/t.en", "IN/t.de", "-o"],
    &["evaluate", "IN/t.de", "-i", "IN/t.en", "-o"],
    &["mbr", "-i", "IN/n-best", "-o"],
    &["lm", "estimate", "--order", "2", "-i", "IN/t.en", "-o"],
    &["lm", "compile", "-m", "IN/lm.arpa", "-o"],
    &["shortlist", "convert", "IN/lex.s2t", "-o"],
];

/// The names of files that commands write into folders.
const WRITTEN_NAMES: [&str; 22] = [
    "train.en.gz",
    "train.de.gz",
    "report.json",
    "report.svg",
    "corpus.checksums",
    "checksums",
    "config.toml",
    "model.safetensors",
    "recipe.toml",
    "log.jsonl",
    "curves.svg",
    "vocabulary.yml",
    "source.yml",
    "target.yml",
    "source.spm",
    "phrase-table.gz",
    "lex.s2t.gz",
    "extract.checksums",
    "moses.ini",
    "alignment.gz",
    "training.txt",
    "metaphrase-translate.1",
];

const RECIPE: &str = "\
[data]
train = [{ source = \"t.en\", target = \"t.de\" }]
dev = { source = \"t.en\", target = \"t.de\" }
[vocabulary.train]
kind = \"words\"
size = 12
[model.architecture.transformer]
dim-emb = 16
encoder-ffn.dim = 16
[training]
updates = 1
";

const ARPA: &str = "\\data\\\nngram 1=4\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-1\t<unk>\n-1\thouse\n\n\\end\\\n";

/// A folder with the inputs `in`, files of somebody else in `theirs`, and an empty folder `out`.
struct Sandbox(tempfile::TempDir);

impl Sandbox {
    fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        let write = |name: &str, text: &str| {
            let path = sandbox.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("in/t.en", "the house\nthe book\na house\n");
        write("in/t.de", "das haus\ndas buch\nein haus\n");
        write("in/links", "0-0 1-1\n0-0 1-1\n0-0 1-1\n");
        write("in/docs/moses.ini", "a house\n");
        write("in/docs/report.json", "{\"title\": \"a house\"}\n");
        write("in/n-best", "0 ||| a house ||| F0= -1 ||| -1\n");
        write("in/lex.s2t", "das the 1.0\n");
        write("in/lm.arpa", ARPA);
        write("in/recipe.toml", RECIPE);
        let sources = "[[source]]\nname = \"houses\"\nsource = \"t.en\"\ntarget = \"t.de\"\n";
        write("in/corpus.toml", &format!("[languages]\nsource = \"en\"\ntarget = \"de\"\n{sources}"));
        WRITTEN_NAMES.into_iter().for_each(|name| write(&format!("theirs/{name}"), "mine\n"));
        for name in ["notes.txt", ".hidden", "best/notes.txt", "models/update-1/notes.txt", "sub/folder/notes.txt"] {
            write(&format!("theirs/{name}"), "mine\n");
        }
        write("theirs.old/notes.txt", "mine\n");
        fs::create_dir(sandbox.path("out")).unwrap();
        copy_model(&sandbox.path("in/model"));
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// All files but those in `out`, with their content; links with their targets.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                if kind.is_symlink() {
                    files.insert(path.clone(), fs::read_link(path).unwrap().into_os_string().into_encoded_bytes());
                } else if !kind.is_dir() {
                    files.insert(path.clone(), fs::read(path).unwrap());
                } else if path != self.path("out") {
                    folders.push(path);
                }
            }
        }
        files
    }

    /// Runs a command, which writes to `output`, in the folder `current`.
    fn run(&self, arguments: &[&str], output: &str, current: &str) -> Run {
        let absolute = |argument: &&str| {
            let inputs = argument.replace("IN/", &format!("{}/", self.path("in").display()));
            inputs.replace("OUT/", &format!("{}/", self.path("out").display()))
        };
        let arguments: Vec<String> = arguments.iter().map(absolute).chain([output.to_owned()]).collect();
        let done = command(&arguments).current_dir(self.path(current)).output().unwrap();
        Run {
            code: done.status.code(),
            stdout: String::from_utf8_lossy(&done.stdout).into(),
            stderr: String::from_utf8_lossy(&done.stderr).into(),
        }
    }

    /// Checks that a command leaves all files as they are, except new ones in `may_grow`. Returns its exit status.
    fn check(&self, arguments: &[&str], output: &str, current: &str, may_grow: Option<&str>) -> Option<i32> {
        let before = self.files();
        let done = self.run(arguments, output, current);
        let mut after = self.files();
        after.retain(|path, _| {
            before.contains_key(path) || may_grow.is_none_or(|folder| path.parent() != Some(&self.path(folder)))
        });
        let case = format!("{arguments:?} {output} in {current}: {:?} {}", done.code, done.stderr);
        let differ = |(path, text): &(&PathBuf, &Vec<u8>)| after.get(*path) != Some(text);
        let changed: Vec<_> = before.iter().filter(differ).map(|(path, _)| path).collect();
        assert!(changed.is_empty(), "{case}: {changed:?}");
        assert_eq!(after.len(), before.len(), "{case}: {:?}", after.keys());
        assert!(!done.stderr.contains("panicked") && matches!(done.code, Some(0..=2)), "{case}");
        done.code
    }
}

/// A small model that is ours, and is copied as it is.
fn copy_model(to: &Path) {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/marian-tiny");
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(tiny).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_folder_of_others_stays_as_it_is() {
    for arguments in FOLDER_COMMANDS {
        let sandbox = Sandbox::new();
        let theirs = sandbox.path("theirs").display().to_string();
        let cases = [
            (".", "theirs"),
            ("./", "theirs"),
            ("..", "theirs/sub"),
            ("../../theirs", "theirs/sub"),
            ("theirs", "."),
            ("theirs/", "."),
            ("out/../theirs", "."),
            (theirs.as_str(), "in"),
        ];
        for (output, current) in cases {
            assert_ne!(sandbox.check(arguments, output, current, None), Some(0), "{arguments:?} {output}");
        }
        // A file is no folder.
        assert_ne!(sandbox.check(arguments, "theirs/notes.txt", ".", None), Some(0));
        assert_ne!(sandbox.check(arguments, "theirs/notes.txt/", ".", None), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_of_others_stays_as_it_is_with_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    for arguments in FOLDER_COMMANDS {
        let sandbox = Sandbox::new();
        symlink(sandbox.path("theirs"), sandbox.path("link")).unwrap();
        symlink(sandbox.path("nowhere"), sandbox.path("broken")).unwrap();
        for output in ["link", "link/", "broken"] {
            assert_ne!(sandbox.check(arguments, output, ".", None), Some(0), "{arguments:?} {output}");
        }
        fs::set_permissions(sandbox.path("theirs"), fs::Permissions::from_mode(0o555)).unwrap();
        assert_ne!(sandbox.check(arguments, "theirs", ".", None), Some(0), "{arguments:?}");
        fs::set_permissions(sandbox.path("theirs"), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_file_of_others_is_not_taken_for_ones_own() {
    // The folder has one file, whose name the command writes.
    for arguments in FOLDER_COMMANDS {
        for name in WRITTEN_NAMES {
            let sandbox = Sandbox::new();
            fs::create_dir(sandbox.path("one")).unwrap();
            fs::write(sandbox.path("one").join(name), "mine\n").unwrap();
            sandbox.check(arguments, "one", ".", Some("one"));
        }
    }
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    for arguments in FILE_COMMANDS {
        let sandbox = Sandbox::new();
        let inputs = arguments.iter().filter_map(|argument| argument.strip_prefix("IN/"));
        for input in inputs {
            for output in [format!("in/{input}"), format!("./out/../in/{input}")] {
                let done = sandbox.run(arguments, &output, ".");
                assert_eq!(done.code, Some(2), "{arguments:?} {output}: {}", done.stderr);
                assert!(done.stderr.contains("--overwrite"), "{}", done.stderr);
                sandbox.check(arguments, &output, ".", None);
            }
            #[cfg(unix)]
            {
                std::os::unix::fs::symlink(sandbox.path("in").join(input), sandbox.path(input)).unwrap();
                assert_eq!(sandbox.check(arguments, input, ".", None), Some(2), "{arguments:?} {input}");
            }
        }
        // A folder is no file.
        assert_eq!(sandbox.check(arguments, "theirs", ".", None), Some(1), "{arguments:?}");
    }
}

#[test]
fn a_file_of_a_folder_that_is_read_is_not_replaced() {
    let sandbox = Sandbox::new();
    let translate = ["translate", "-b", "1", "-m", "IN/model", "-i", "IN/t.en", "-o"];
    for output in ["in/model/vocab.yml", "out/../in/model/vocab.yml"] {
        let error = sandbox.run(&translate, output, ".").error(2);
        let model = sandbox.path("in/model").display().to_string();
        let expected = format!(
            "--output is {output}, a file of {model}, which the command reads; name another file, or add --overwrite to replace it"
        );
        assert_eq!(error, expected);
        assert_eq!(sandbox.check(&translate, output, ".", None), Some(2));
    }
    // A new file may lie there.
    sandbox.run(&translate, "in/model/t.de", ".").ok();
    // Settings name files, too.
    fs::create_dir(sandbox.path("in/phrases")).unwrap();
    fs::write(sandbox.path("in/phrases/table"), "das haus ||| the house ||| 1 1 1 1\n").unwrap();
    let settings = "[feature]\nPhraseDictionaryMemory name=T path=table input-factor=0 output-factor=0\n";
    fs::write(sandbox.path("in/phrases/moses.ini"), settings).unwrap();
    let phrase = ["phrase", "translate", "-m", "IN/phrases/moses.ini", "-i", "IN/t.en", "-o"];
    let error = sandbox.run(&phrase, "in/phrases/table", ".").error(2);
    assert!(error.contains("moses.ini, which the command reads; "), "{error}");
    // A folder for temporary files is not read.
    let estimate = ["lm", "estimate", "--order", "2", "--discount-fallback", "-T", "IN/", "-i", "IN/t.en", "-o"];
    for _ in 0..2 {
        sandbox.run(&estimate, "in/new.arpa", ".").ok();
    }
}

#[test]
fn translations_in_a_folder_replace_nothing_unless_the_user_says_so() {
    let sandbox = Sandbox::new();
    let translate = ["translate", "-b", "1", "-i", "IN/docs", "-o"];
    sandbox.run(&translate, "made", ".").ok();
    let before = fs::read(sandbox.path("made/moses.ini")).unwrap();
    fs::write(sandbox.path("made/moses.ini"), "corrected by hand\n").unwrap();
    let error = sandbox.run(&translate, "made", ".").error(2);
    assert!(error.starts_with("made/moses.ini is there already; name another folder, or add --overwrite "), "{error}");
    sandbox.check(&translate, "made", ".", None);
    sandbox.run(&["translate", "--overwrite", "-b", "1", "-i", "IN/docs", "-o"], "made", ".").ok();
    assert_eq!(fs::read(sandbox.path("made/moses.ini")).unwrap(), before);
}

#[test]
fn manual_pages_replace_manual_pages_alone() {
    let sandbox = Sandbox::new();
    for arguments in [&["man", "-o"][..], &["man", "-o"], &["man", "--overwrite", "-o"]] {
        sandbox.run(arguments, "made", ".").ok();
    }
    fs::write(sandbox.path("made/metaphrase-align.1"), "mine\n").unwrap();
    let error = sandbox.run(&["man", "-o"], "made", ".").error(1);
    assert!(error.starts_with("made/metaphrase-align.1 is not a page of this program; "), "{error}");
    sandbox.check(&["man", "-o"], "made", ".", None);
}

#[test]
fn an_input_is_replaced_where_the_user_says_so() {
    let sandbox = Sandbox::new();
    sandbox.run(&["tokenize", "--overwrite", "-i", "IN/t.en", "-o"], "in/t.en", ".").ok();
    assert_eq!(fs::read_to_string(sandbox.path("in/t.en")).unwrap(), "the house\nthe book\na house\n");
    let two = ["translate", "--overwrite", "-i", "IN/t.en", "-o", "in/t.de", "--lattice"];
    let error = sandbox.run(&two, "in/t.de", ".").error(2);
    assert_eq!(error, "--output and --lattice are the same file, in/t.de; name another one");
}

#[test]
fn a_corpus_is_replaced_while_all_its_files_are_its_own() {
    let sandbox = Sandbox::new();
    let corpus = FOLDER_COMMANDS[0];
    let overwrite = FOLDER_COMMANDS[1];
    let output = sandbox.path("made");
    for arguments in [corpus, corpus, overwrite] {
        sandbox.run(arguments, "made", ".").ok();
        assert!(output.join("report.json").exists());
    }
    // A changed file is named, and lost only if the user says so.
    fs::write(output.join("report.json"), "{}").unwrap();
    let error = sandbox.run(corpus, "made", ".").error(1);
    assert_eq!(
        error,
        "made/report.json was changed since `corpus` wrote it; name another folder, or add --overwrite to discard the change"
    );
    sandbox.check(corpus, "made", ".", None);
    sandbox.run(overwrite, "made", ".").ok();
    // A file of somebody else is named, and never lost.
    fs::write(output.join("notes"), "mine").unwrap();
    for arguments in [corpus, overwrite] {
        let error = sandbox.run(arguments, "made", ".").error(1);
        let expected = "made/notes was not written by `corpus`, which replaces only its own files; name another folder";
        assert_eq!(error, expected);
        sandbox.check(arguments, "made", ".", None);
    }
    // What the corpus is made from does not lie in what is replaced.
    fs::remove_file(output.join("notes")).unwrap();
    let recipe = fs::read_to_string(sandbox.path("in/corpus.toml")).unwrap();
    fs::write(sandbox.path("in/corpus.toml"), recipe.replace("\"t.en\"", "\"../made/train.en.gz\"")).unwrap();
    let error = sandbox.run(overwrite, "made", ".").error(1);
    assert!(error.contains("made/train.en.gz is read for this corpus and lies in the folder made,"), "{error}");
    sandbox.check(overwrite, "made", ".", None);
}

#[test]
fn tables_are_replaced_while_they_are_ones_own() {
    let sandbox = Sandbox::new();
    let extract = FOLDER_COMMANDS[5];
    sandbox.run(extract, "theirs/sub", ".").ok();
    sandbox.run(extract, "theirs/sub", ".").ok();
    fs::write(sandbox.path("theirs/sub/phrase-table.gz"), "mine").unwrap();
    let error = sandbox.run(extract, "theirs/sub", ".").error(1);
    assert!(error.starts_with("theirs/sub/phrase-table.gz was changed since `extract` wrote it; "), "{error}");
    sandbox.check(extract, "theirs/sub", ".", None);
}

/// A mount point can not be replaced; that is found before anything is lost. Runs where a user may mount.
#[cfg(target_os = "linux")]
#[test]
fn a_mount_point_stays_as_it_is() {
    let may_mount = Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success());
    if !may_mount {
        eprintln!("not tested: this system lets no user mount a file system");
        return;
    }
    for arguments in FOLDER_COMMANDS {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("mounted")).unwrap();
        let inputs = format!("{}/", sandbox.path("in").display());
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("IN/", &inputs)).collect();
        let script = "mount -t tmpfs none mounted && echo mine > mounted/notes.txt && { \"$0\" \"$@\" mounted; true; } && cat mounted/notes.txt";
        let mut shell = Command::new("unshare");
        shell.args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_metaphrase")]).args(&arguments);
        let done = shell.current_dir(sandbox.0.path()).output().unwrap();
        let printed = String::from_utf8_lossy(&done.stdout);
        assert!(printed.ends_with("mine\n"), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}
