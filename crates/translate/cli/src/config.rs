//! The user's settings, and `metaphrase config`: options of the command line come first, then the environment, then the
//! configuration file.

use crate::io::Output;
use crate::messages::one_line;
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Show the settings that are in force, and where each comes from
///
/// The settings are those of the file `metaphrase.toml` in $XDG_CONFIG_HOME, or else in ~/.config. The environment
/// comes first: METAPHRASE_MODEL is the model, METAPHRASE_MODELS the folders with models, with a colon between two.
/// Options of a command come before both.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

const EXAMPLES: &str = "\
Examples:
  metaphrase config
  metaphrase config > ~/.config/metaphrase.toml      # a file to begin with

Keys of the file:
  model    the model of all commands that need one: a name or a directory
  models   a list of folders with models, which -m then finds by their names
  threads  the number of threads of commands that translate";

/// The settings of the user.
#[derive(Debug)]
pub struct Config {
    /// The model where no option names one.
    pub model: Setting<PathBuf>,
    /// The folders in which models are found by their names.
    pub folders: Setting<Vec<PathBuf>>,
    /// The threads where no option has their number; `None`: one for each processor.
    pub threads: Setting<Option<NonZeroUsize>>,
    /// The configuration file, which need not be there; `None` without a home.
    pub file: Option<PathBuf>,
}

/// A value and its origin.
#[derive(Debug)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    origin: Origin,
}

impl<T> Setting<T> {
    /// Whether neither the environment nor the file has it.
    pub fn is_default(&self) -> bool {
        self.origin == Origin::Default
    }
}

/// The origin of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Environment(&'static str),
    File,
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "from {name}"),
            Self::File => f.write_str("from the file"),
            Self::Default => f.write_str("the default"),
        }
    }
}

/// The configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSettings {
    model: Option<PathBuf>,
    models: Option<Vec<PathBuf>>,
    threads: Option<NonZeroUsize>,
}

/// The variables of the environment that matter here.
struct Environment<'e>(&'e dyn Fn(&str) -> Option<OsString>);

impl Environment<'_> {
    /// A variable that is not empty.
    fn get(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        self.get("HOME").or_else(|| self.get("USERPROFILE")).map(PathBuf::from)
    }

    /// A folder of the XDG specification, by which relative paths are ignored, or else a folder of the home.
    fn xdg(&self, name: &str, in_home: &str) -> Option<PathBuf> {
        let named = self.get(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        named.or_else(|| Some(self.home()?.join(in_home)))
    }

    /// A path of the file, in which `~/` is the home.
    fn expand(&self, path: PathBuf) -> PathBuf {
        let inside = path.strip_prefix("~").ok().map(Path::to_owned);
        inside.zip(self.home()).map_or(path, |(inside, home)| home.join(inside))
    }
}

impl Config {
    /// Reads the environment and the file.
    pub fn load() -> Result<Self> {
        Self::read(&Environment(&|name| std::env::var_os(name)))
    }

    fn read(environment: &Environment<'_>) -> Result<Self> {
        let file = environment.xdg("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("metaphrase.toml"));
        let settings = file.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let paths = |paths: Vec<PathBuf>| paths.into_iter().map(|path| environment.expand(path)).collect();
        let default = environment.xdg("XDG_DATA_HOME", ".local/share").map(|data| data.join("metaphrase/models"));
        let variable = environment.get("METAPHRASE_MODELS");
        let folders = variable.map(|list| std::env::split_paths(&list).filter(|path| path != Path::new("")).collect());
        Ok(Self {
            model: Setting::choose(
                "METAPHRASE_MODEL",
                environment.get("METAPHRASE_MODEL").map(PathBuf::from),
                settings.model.map(|path| environment.expand(path)),
                PathBuf::from(DEFAULT_MODEL),
            ),
            folders: Setting::choose(
                "METAPHRASE_MODELS",
                folders,
                settings.models.map(paths),
                default.into_iter().collect(),
            ),
            threads: Setting::choose("", None, settings.threads.map(Some), None),
            file,
        })
    }
}

/// The bundled model where nothing names one.
const DEFAULT_MODEL: &str = "en-de";

impl<T> Setting<T> {
    fn choose(name: &'static str, variable: Option<T>, file: Option<T>, default: T) -> Self {
        let (value, origin) = match (variable, file) {
            (Some(value), _) => (value, Origin::Environment(name)),
            (None, Some(value)) => (value, Origin::File),
            (None, None) => (default, Origin::Default),
        };
        Self { value, origin }
    }
}

/// Reads the configuration file, if it is there.
fn read_file(path: &Path) -> Result<FileSettings> {
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| anyhow!("{} is not valid UTF-8", path.display()))?,
        // A path through a file, such as ~/.config where that is a file, has no configuration either.
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(FileSettings::default());
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    metaphrase_settings::from_toml(&text).map_err(|error| {
        let line = error.line(&text);
        anyhow!("{}, line {line}: {}; see `metaphrase config --help`", path.display(), error.message())
    })
}

/// Prints the settings in the form of the file.
pub fn run(_args: &Args) -> Result<()> {
    let mut output = Output::create(None)?;
    output.write(&Config::load()?.to_string())?;
    output.finish()
}

/// A path as a string of TOML, which JSON's form is, too.
fn quoted(path: &Path) -> String {
    serde_json::Value::from(path.to_string_lossy()).to_string()
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) if file.is_file() => writeln!(f, "# {}", one_line(&file.to_string_lossy()))?,
            Some(file) => writeln!(f, "# {}: there is no such file", one_line(&file.to_string_lossy()))?,
            None => writeln!(f, "# there is no home directory, and so no file")?,
        }
        writeln!(f, "model = {} # {}", quoted(&self.model.value), self.model.origin)?;
        let folders: Vec<String> = self.folders.value.iter().map(|folder| quoted(folder)).collect();
        writeln!(f, "models = [{}] # {}", folders.join(", "), self.folders.origin)?;
        match self.threads.value {
            Some(threads) => writeln!(f, "threads = {threads} # {}", self.threads.origin),
            None => {
                writeln!(f, "# threads = {} # the default: one for each processor", crate::number::threads(None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config> {
        Config::read(&Environment(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        }))
    }

    #[test]
    fn the_environment_comes_before_the_file() {
        let home = tempfile::tempdir().unwrap();
        let home_name = home.path().to_str().unwrap();
        let config = read(&[("HOME", home_name)]).unwrap();
        assert_eq!(config.model.value, Path::new("en-de"));
        assert_eq!(config.folders.value, [home.path().join(".local/share/metaphrase/models")]);
        assert_eq!(config.threads.value, None);

        std::fs::create_dir(home.path().join(".config")).unwrap();
        let text = "model = \"~/mine\"\nmodels = [\"~/a\", \"/b\"]\nthreads = 3\n";
        std::fs::write(home.path().join(".config/metaphrase.toml"), text).unwrap();
        // A relative path of XDG is ignored, and so is an empty variable.
        let config = read(&[("HOME", home_name), ("XDG_CONFIG_HOME", "here"), ("METAPHRASE_MODEL", "")]).unwrap();
        assert_eq!(config.model.value, home.path().join("mine"));
        assert_eq!(config.folders.value, [home.path().join("a"), "/b".into()]);
        assert_eq!(config.threads.value.map(NonZeroUsize::get), Some(3));
        let shown = config.to_string();
        assert!(shown.contains("threads = 3 # from the file"), "{shown}");
        let again: FileSettings = metaphrase_settings::from_toml(&shown).unwrap();
        assert_eq!(again.model.as_deref(), Some(&*config.model.value), "what is shown is a file");

        let variables = [("HOME", home_name), ("METAPHRASE_MODEL", "de-en"), ("METAPHRASE_MODELS", "/c::/d")];
        let config = read(&variables).unwrap();
        assert_eq!(config.model.value, Path::new("de-en"));
        assert_eq!(config.folders.value, ["/c", "/d"].map(PathBuf::from));
        assert!(config.to_string().contains("model = \"de-en\" # from METAPHRASE_MODEL\n"), "{config}");
    }

    #[test]
    fn faults_of_the_file_have_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metaphrase.toml");
        let variables = [("XDG_CONFIG_HOME", folder.path().to_str().unwrap())];
        for (text, expected) in [
            (&b"model = \"a\"\nmodle = \"b\"\n"[..], "line 2: unknown field `modle`"),
            (b"threads = 0\n", "line 1: "),
            (b"model = \n", "line 1: "),
            (b"models = \"a\"\n", "line 1: "),
            (b"\xff", "is not valid UTF-8"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = format!("{:#}", read(&variables).unwrap_err());
            assert!(error.starts_with(path.to_str().unwrap()) && error.contains(expected), "{error}");
        }
        assert!(read(&[]).unwrap().to_string().starts_with("# there is no home directory"));
    }
}
