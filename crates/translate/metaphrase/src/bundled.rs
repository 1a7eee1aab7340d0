//! The models that come with the program; `models/*/README.md` describes how they were made.

use crate::Error;
use metaphrase_base::Checksums;
use metaphrase_models::{Config, ModelError, Weights};
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use std::path::Path;
use tempfile::TempDir;

/// A model that comes with the program; its vocabulary serves both languages.
pub(crate) struct Bundled {
    /// Its folder in `models`: source and target language.
    pub(crate) name: &'static str,
    config: &'static str,
    vocabulary: &'static [u8],
    weights: &'static Aligned<[u8]>,
    checksums: &'static str,
}

/// Tensors are used in place, so they need the alignment of a memory map.
#[repr(align(64))]
struct Aligned<T: ?Sized>(T);

#[cfg(has_models)]
macro_rules! bundled {
    ($name:literal) => {
        Bundled {
            name: $name,
            config: include_str!(concat!("../../../../models/", $name, "/config.toml")),
            vocabulary: include_bytes!(concat!("../../../../models/", $name, "/source.spm")),
            weights: &Aligned(*include_bytes!(concat!("../../../../models/", $name, "/model.safetensors"))),
            checksums: include_str!(concat!("../../../../models/", $name, "/checksums")),
        }
    };
}

/// The names of the models, for a build without the repository.
#[cfg(not(has_models))]
macro_rules! bundled {
    ($name:literal) => {
        Bundled { name: $name, config: "", vocabulary: &[], weights: &Aligned([]), checksums: "" }
    };
}

/// The first one is the default.
pub(crate) static MODELS: [Bundled; 2] = [bundled!("en-de"), bundled!("de-en")];

impl Bundled {
    /// The bundled model of this name, if no file has the name.
    pub(crate) fn named(name: &Path) -> Option<&'static Self> {
        MODELS.iter().find(|model| name == Path::new(model.name)).filter(|_| !name.exists())
    }

    /// Whether the library was built with the models.
    pub(crate) fn is_there(&self) -> bool {
        !self.weights.0.is_empty()
    }

    fn check(&self) -> Result<(), Error> {
        if self.is_there() {
            return Ok(());
        }
        let problem = "this build has no models, as all builds of the crate on crates.io; name the directory of a model, \
                       or build the program from its repository";
        Err(ModelError::Settings { path: self.name.into(), problem: problem.into() }.into())
    }

    /// A directory with the model's files, which exists for as long as the result lives.
    pub(crate) fn unpack(&self) -> Result<TempDir, Error> {
        self.check()?;
        let error = |path: &Path, source| ModelError::Io { path: path.to_owned(), action: "write", source };
        let folder = TempDir::with_prefix("metaphrase-").map_err(|source| error(&std::env::temp_dir(), source))?;
        let files: [(&str, &[u8]); 4] = [
            ("config.toml", self.config.as_bytes()),
            ("source.spm", self.vocabulary),
            ("model.safetensors", &self.weights.0),
            ("checksums", self.checksums.as_bytes()),
        ];
        for (name, bytes) in files {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).map_err(|source| error(&path, source))?;
        }
        Ok(folder)
    }

    pub(crate) fn model(&self) -> Result<(Config, Weights), Error> {
        self.check()?;
        let name = Path::new(self.name);
        let checksums = Checksums::parse(self.checksums);
        let checksums = checksums.map_err(|problem| ModelError::Damaged { path: name.to_owned(), problem })?;
        Ok(metaphrase_models::load_static(name, self.config, &self.weights.0, &checksums)?)
    }

    pub(crate) fn vocabulary(&self) -> Result<Vocabulary, Error> {
        self.check()?;
        Ok(Vocabulary::from_bytes(VocabularyFormat::SentencePiece, self.vocabulary)?)
    }
}

impl std::fmt::Debug for Bundled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
