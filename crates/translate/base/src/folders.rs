//! Folders that are written as a whole, and the only code that removes folders.
//!
//! No folder is removed by its name alone. A folder that is in the way is replaced only if its files are those of a
//! list that the program wrote ([`Checksums`]); files of somebody else are moved into the new folder, never removed.
//! What is removed as a tree is an unfinished [`NewFolder`] of this process, or bears the name of one.

use crate::Checksums;
use crate::unfinished::{ListEntry, begin, folder_of, permit, remove_leftovers, sync_folder, system_error};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is being filled with files. [`finish`](Self::finish) gives it its name; if the value is dropped
/// before, it is removed.
#[derive(Debug)]
pub struct NewFolder {
    /// Dropped first: it removes the folder.
    folder: TempDir,
    _listed: ListEntry,
    _lock: Option<File>,
    path: PathBuf,
}

impl NewFolder {
    /// Begins the folder that will be at `path`. The target of a link is replaced, not the link.
    ///
    /// # Errors
    /// Errors of the operating system; a path that can not become a folder is refused: a file, the root, the current
    /// directory or one above it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = destination(path)?;
        let next_to_it = folder_of(&path);
        remove_leftovers(next_to_it);
        loop {
            let (folder, listed) = begin(|builder| {
                permit(builder, 0o777);
                let folder = builder.tempdir_in(next_to_it).map_err(system_error)?;
                let name = folder.path().to_owned();
                Ok((folder, name))
            })?;
            let lock = File::open(folder.path()).and_then(|file| file.lock().map(|()| file)).ok();
            if folder.path().exists() {
                return Ok(Self { folder, _listed: listed, _lock: lock, path });
            }
        }
    }

    /// Where the files are to be written.
    #[must_use]
    pub fn part(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name, once its files are on disk. An empty folder may be at the name.
    ///
    /// # Errors
    /// Errors of the operating system; one of them is a folder with files at the name.
    pub fn finish(self) -> io::Result<()> {
        self.sync()?;
        // The system replaces an empty folder, and refuses one that has files.
        fs::rename(self.part(), &self.path)?;
        sync_folder(folder_of(&self.path))
    }

    /// Gives the folder its name, in place of the folder that is there, whose files `own` are removed. All its other
    /// files and folders are moved into the new folder; if that has their names already, they stay in a folder with a
    /// new name next to it. On Linux the two folders change places in one step. Without a folder at the name this is
    /// [`finish`](Self::finish).
    ///
    /// # Errors
    /// Errors of the operating system; then the old folder is at its name as before.
    pub fn finish_over(self, own: &BTreeSet<String>) -> io::Result<()> {
        if !self.path.is_dir() {
            return self.finish();
        }
        self.sync()?;
        let aside = new_name_next_to(&self.path)?;
        fs::rename(self.part(), &aside)?;
        let Self { folder, path, .. } = self;
        // The part has another name, which no program takes for an unfinished folder: under it lies the old folder
        // soon.
        let _ = folder.keep();
        let old = if exchange(&aside, &path) { aside } else { replace_in_two_steps(&aside, &path)? };
        remove_own_files(&old, own);
        move_others(&old, &path);
        sync_folder(folder_of(&path))
    }

    /// Makes sure that all files are on disk.
    fn sync(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.part())? {
            File::open(entry?.path())?.sync_all()?;
        }
        sync_folder(self.part())
    }
}

/// The folder that a new folder is to become, with links followed.
fn destination(path: &Path) -> io::Result<PathBuf> {
    let refused = |problem: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    let path = match path.canonicalize() {
        Ok(there) => there,
        Err(_) if path.is_symlink() => return refused("it is a link that leads nowhere"),
        Err(_) if path.file_name().is_none() => return refused("a new folder must have a name"),
        Err(_) => return Ok(path.to_owned()),
    };
    if !path.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let current = std::env::current_dir().and_then(|current| current.canonicalize());
    if path.parent().is_none() || current.is_ok_and(|current| current.starts_with(&path)) {
        return refused("it is the current directory or one above it; name another folder");
    }
    Ok(path)
}

/// Exchanges two folders in one step; false where the file system can not do it.
fn exchange(a: &Path, b: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (a, b);
        false
    }
}

/// The folder `new` gets the name `path`, in two steps. Returns the new name of the old folder. If a step fails, the
/// old folder has its name again, and `new` is removed.
fn replace_in_two_steps(new: &Path, path: &Path) -> io::Result<PathBuf> {
    let replaced = new_name_next_to(path).and_then(|old| {
        let moved = fs::rename(path, &old).and_then(|()| {
            // If the way back fails, too, the old folder is whole under its new name.
            fs::rename(new, path).inspect_err(|_| _ = fs::rename(&old, path))
        });
        // The empty folder that kept the name free goes if it is there still.
        moved.inspect_err(|_| _ = fs::remove_dir(&old)).map(|()| old)
    });
    // This process made the folder `new` in this run.
    replaced.inspect_err(|_| _ = fs::remove_dir_all(new))
}

/// An empty folder with a new name, `NAME.old-…`, next to `path`.
fn new_name_next_to(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().map(|name| format!("{}.old-", name.to_string_lossy())).unwrap_or_default();
    let folder = tempfile::Builder::new().prefix(&name).tempdir_in(folder_of(path)).map_err(system_error)?;
    Ok(folder.keep())
}

/// Removes the files of a folder with these names; names of other folders (`../a`) are none. What can not be removed
/// stays.
fn remove_own_files(folder: &Path, own: &BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_own = entry.file_name().to_str().is_some_and(|name| own.contains(name));
        if is_own && entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Moves what is in `old` into `new`, and removes `old`, which is empty then. What `new` has already stays in `old`.
fn move_others(old: &Path, new: &Path) {
    for entry in fs::read_dir(old).into_iter().flatten().flatten() {
        let to = new.join(entry.file_name());
        if fs::symlink_metadata(&to).is_err() {
            // What can not be moved stays in the old folder.
            let _ = fs::rename(entry.path(), to);
        }
    }
    // A folder that is not empty stays, with the files that were not moved.
    let _ = fs::remove_dir(old);
}

/// Removes a folder's files that are on its list of [`Checksums`], the list, and the files `also`; then the folder, if
/// it is empty. Files of somebody else stay. Without a list nothing is removed.
///
/// # Errors
/// Errors of the operating system; a folder that is no longer empty is no error.
pub fn remove_listed(folder: &Path, also: &[&str]) -> io::Result<()> {
    let Some(list) = Checksums::read(folder)? else { return Ok(()) };
    let own = list.names().chain(also.iter().copied()).chain([Checksums::FILE]).map(str::to_owned).collect();
    remove_own_files(folder, &own);
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        removed => removed,
    }
}

/// A folder to write into, which is made with the folders above it where they do not exist. If the value is dropped
/// before [`keep`](Self::keep), the folder's own files are removed, and the folder if it is empty then, unless it was
/// there before.
#[derive(Debug)]
pub struct MadeFolder {
    /// The folder, if it was made.
    folder: Option<PathBuf>,
    /// The names of the files and of the folders, empty in the end, that its maker writes into it.
    own: BTreeSet<String>,
    /// The folders above it that were made, the lowest first.
    above: Vec<PathBuf>,
}

impl MadeFolder {
    /// Makes the folder at `path`, if there is none. The caller writes files and folders with the names `own` into it.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn create<'n>(path: &Path, own: impl IntoIterator<Item = &'n str>) -> io::Result<Self> {
        let missing: Vec<&Path> = path.ancestors().filter(|path| !path.as_os_str().is_empty()).collect();
        let own = own.into_iter().map(str::to_owned).collect();
        let mut made = Self { folder: None, own, above: Vec::new() };
        for folder in missing.into_iter().rev().filter(|folder| !folder.is_dir()) {
            match fs::create_dir(folder) {
                Ok(()) if folder == path => made.folder = Some(folder.to_owned()),
                Ok(()) => made.above.insert(0, folder.to_owned()),
                // Another program has made it meanwhile: it is not ours to remove.
                Err(_) if folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// The folder stays.
    pub fn keep(mut self) {
        self.folder = None;
        self.above.clear();
    }
}

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // A folder with files of somebody else stays, and so do the folders above it.
        if let Some(folder) = &self.folder {
            remove_own_files(folder, &self.own);
            self.own.iter().for_each(|name| _ = fs::remove_dir(folder.join(name)));
            let _ = fs::remove_dir(folder);
        }
        self.above.iter().for_each(|folder| _ = fs::remove_dir(folder));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::NewFile;
    use crate::unfinished::tests::names;

    fn own(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// A new folder at `path` with the file `name`.
    fn folder_with(path: &Path, name: &str) -> NewFolder {
        let folder = NewFolder::create(path).unwrap();
        fs::write(folder.part().join(name), name).unwrap();
        folder
    }

    #[test]
    fn a_folder_takes_an_empty_place_alone() {
        let next_to_it = tempfile::tempdir().unwrap();
        let path = next_to_it.path().join("model");
        fs::create_dir(&path).unwrap();
        folder_with(&path, "one").finish().unwrap();
        assert_eq!((names(next_to_it.path()), names(&path)), (vec!["model".into()], vec!["one".into()]));
        folder_with(&path, "two").finish().unwrap_err();
        assert_eq!((names(next_to_it.path()), names(&path)), (vec!["model".into()], vec!["one".into()]));
        drop(NewFolder::create(&path).unwrap());
        assert_eq!(names(next_to_it.path()), ["model"]);
    }

    #[test]
    fn a_folder_replaces_the_files_of_its_own_alone() {
        let next_to_it = tempfile::tempdir().unwrap();
        let path = next_to_it.path().join("model");
        // A name that a program of before gave to old folders: it is somebody's.
        fs::create_dir(next_to_it.path().join("model.old")).unwrap();
        folder_with(&path, "one").finish_over(&own(&[])).unwrap();
        fs::write(path.join("note"), "mine").unwrap();
        fs::create_dir(path.join("notes")).unwrap();
        folder_with(&path, "two").finish_over(&own(&["one", "../model.old", "notes"])).unwrap();
        assert_eq!(names(&path), ["note", "notes", "two"]);
        assert_eq!(names(next_to_it.path()), ["model", "model.old"]);
        // What has the name of a new file stays in a folder next to the new one.
        fs::write(path.join("three"), "mine").unwrap();
        folder_with(&path, "three").finish_over(&own(&["two"])).unwrap();
        assert_eq!(
            (names(&path), fs::read(path.join("three")).unwrap()),
            (vec!["note".into(), "notes".into(), "three".into()], b"three".to_vec())
        );
        let all = names(next_to_it.path());
        assert!(all.len() == 3 && all[2].starts_with("model.old-"), "{all:?}");
        assert_eq!(fs::read(next_to_it.path().join(&all[2]).join("three")).unwrap(), b"mine");
    }

    #[test]
    fn without_an_exchange_the_old_folder_goes_or_comes_back() {
        let next_to_it = tempfile::tempdir().unwrap();
        let [new, path] = ["new", "path"].map(|name| next_to_it.path().join(name));
        [&new, &path].into_iter().for_each(|folder| fs::create_dir(folder).unwrap());
        fs::write(path.join("one"), "").unwrap();
        let old = replace_in_two_steps(&new, &path).unwrap();
        assert_eq!((names(&old), names(&path)), (vec!["one".into()], vec![]));
        // The new folder is missing, so the second step fails.
        fs::write(path.join("two"), "").unwrap();
        replace_in_two_steps(&new, &path).unwrap_err();
        assert_eq!(names(&path), ["two"]);
        assert_eq!(names(next_to_it.path()).len(), 2, "{:?}", names(next_to_it.path()));
    }

    #[test]
    fn places_that_cannot_become_a_folder_are_refused() {
        let next_to_it = tempfile::tempdir().unwrap();
        let file = next_to_it.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(NewFolder::create(&file).unwrap_err().kind(), io::ErrorKind::NotADirectory);
        // Only the destination is computed, and nothing is made: a folder next to one of these would lie elsewhere.
        for path in [".", "..", "/", "../..", "./", "nowhere/.."] {
            let error = destination(Path::new(path)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn of_a_link_the_target_is_replaced() {
        let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (link, target) = (here.path().join("link"), there.path().join("target"));
        fs::create_dir(&target).unwrap();
        fs::write(target.join("one"), "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        folder_with(&link, "two").finish_over(&own(&["one"])).unwrap();
        assert!(link.is_symlink());
        assert_eq!(
            (names(&target), names(there.path()), names(here.path())),
            (vec!["two".into()], vec!["target".into()], vec!["link".into()])
        );
        fs::remove_dir_all(&target).unwrap();
        assert_eq!(NewFolder::create(&link).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn listed_files_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model");
        let fill = || {
            MadeFolder::create(&model, []).unwrap().keep();
            ["weights", "settings"].into_iter().for_each(|name| NewFile::write(&model.join(name), name).unwrap());
            let list = Checksums::from_files(&model, ["weights"]).unwrap();
            NewFile::write(&model.join(Checksums::FILE), list.to_string()).unwrap();
        };
        fill();
        fs::write(model.join("note"), "").unwrap();
        remove_listed(&model, &["settings"]).unwrap();
        assert_eq!(names(&model), ["note"]);
        remove_listed(&model, &["note"]).unwrap();
        assert_eq!(names(&model), ["note"], "without a list nothing is removed");
        fill();
        remove_listed(&model, &["settings", "note"]).unwrap();
        assert!(!model.exists());
    }

    #[test]
    fn a_made_folder_is_kept_or_removed() {
        let next_to_it = tempfile::tempdir().unwrap();
        let path = next_to_it.path().join("a/b");
        let own = ["file", "folder"];
        let fill = || {
            fs::write(path.join("file"), "").unwrap();
            fs::create_dir(path.join("folder")).unwrap();
        };
        let made = MadeFolder::create(&path, own).unwrap();
        fill();
        drop(made);
        assert_eq!(names(next_to_it.path()), [""; 0]);
        // What somebody else writes into it meanwhile stays.
        let made = MadeFolder::create(&path, own).unwrap();
        fill();
        fs::write(path.join("folder/note"), "").unwrap();
        fs::write(path.join("note"), "").unwrap();
        drop(made);
        assert_eq!(
            (names(&path), names(&path.join("folder"))),
            (vec!["folder".into(), "note".into()], vec!["note".into()])
        );
        drop(MadeFolder::create(&path, ["note"]).unwrap());
        assert_eq!(names(&path), ["folder", "note"], "it was there before");
        // A path that leads back up makes a folder, and does not remove the one that it leads to.
        drop(MadeFolder::create(&path.join("c/.."), ["note"]).unwrap());
        assert_eq!(names(&path), ["folder", "note"]);
    }
}
