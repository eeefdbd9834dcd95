//! Memories on disk: one Markdown file each, named after the time when it was written.
//!
//! Owns the folder and what counts as a memory in it. People edit these files, and other programs
//! write them, so each is read when it is needed and nothing is kept. Must not know what becomes of a
//! memory.
#![expect(clippy::disallowed_methods, reason = "this file owns the folder of memories")]

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// How many bytes a memory may have. Whatever is longer belongs into a skill.
pub(crate) const MOST_BYTES: usize = 8 * 1024;

/// The folder of memories; it need not be there.
pub(crate) struct Store {
    folder: PathBuf,
}

/// One memory.
pub(crate) struct Memory {
    /// The file's name without its ending.
    pub(crate) id: String,
    /// What it says, or why it says nothing.
    pub(crate) text: Result<String, Unfit>,
}

/// Why a file cannot be used as a memory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// The system does not give it.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is longer than a memory may be.
    #[error("it is longer than {MOST_BYTES} bytes")]
    TooLong,
    /// It holds something else than text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It says nothing.
    #[error("it is empty")]
    Empty,
}

/// Why a memory was not written or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// It is longer than a memory may be.
    #[error(
        "not remembered: it has {bytes} bytes, and a memory may have {MOST_BYTES}; what is longer can be a skill"
    )]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The file cannot be written.
    #[error("not remembered: {} cannot be written: {source}", path.display())]
    Write {
        /// The file or its folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no such memory.
    #[error("there is no memory {id:?}; /memories lists them")]
    Unknown {
        /// The id that was asked for.
        id: String,
    },
    /// The folder cannot be listed.
    #[error("{} cannot be read: {source}", path.display())]
    List {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file cannot be removed.
    #[error("not forgotten: {} cannot be removed: {source}", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Store {
    /// Returns the store of the user with this home directory.
    pub(crate) fn of_home(home: &Path) -> Self {
        Self { folder: home.join(".letscode").join("memory") }
    }

    /// Writes a memory, `text` without the blanks around it, and returns its id. A reader sees all
    /// of the file or none, and nobody but the user may read it.
    ///
    /// # Errors
    /// When it is too long or cannot be written.
    pub(crate) fn save(&self, text: &str, now: Timestamp) -> Result<String, StoreError> {
        let text = text.trim();
        if text.len() > MOST_BYTES {
            return Err(StoreError::TooLong { bytes: text.len() });
        }
        let mut file = self.write(text).map_err(|source| {
            // The folder is named: the file has only a passing name by now.
            StoreError::Write { path: self.folder.clone(), source }
        })?;
        let time = now.strftime("%Y-%m-%dT%H%M%SZ").to_string();
        let mut id = time.clone();
        let mut others = 0;
        loop {
            let path = self.path(&id);
            match file.persist_noclobber(&path) {
                Ok(_) => return Ok(id),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                    file = error.file;
                }
                Err(error) => return Err(StoreError::Write { path, source: error.error }),
            }
            others += 1;
            id = format!("{time}-{others}");
        }
    }

    /// Returns the memories, the newest first, each read only when its turn comes.
    ///
    /// # Errors
    /// When the folder is there but cannot be listed.
    pub(crate) fn memories(&self) -> Result<impl Iterator<Item = Memory>, StoreError> {
        let files = self.files()?;
        Ok(files.into_iter().map(|file| Memory { text: file.read(), id: file.id }))
    }

    /// Removes a memory.
    ///
    /// # Errors
    /// When there is none with this id, or its file cannot be removed.
    pub(crate) fn forget(&self, id: &str) -> Result<(), StoreError> {
        // Looked for among those that are there: no id can lead out of the folder.
        let found = self.files()?.into_iter().find(|file| file.id == id);
        let file = found.ok_or_else(|| StoreError::Unknown { id: id.to_owned() })?;
        // Of a link the link goes, and what it leads to stays.
        fs::remove_file(&file.path).map_err(|source| StoreError::Remove { path: file.path, source })
    }

    fn write(&self, text: &str) -> io::Result<NamedTempFile> {
        create_private_folder(&self.folder)?;
        let mut file = NamedTempFile::new_in(&self.folder)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    fn files(&self) -> Result<Vec<MemoryFile>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::List { path: self.folder.clone(), source }),
        };
        let found = entries.filter_map(|entry| MemoryFile::at(entry.ok()?.path()));
        let mut files: Vec<MemoryFile> = found.collect();
        // Of two in one tick of the clock the later has the greater number behind its time.
        files.sort_by(|a, b| (b.modified, &b.id).cmp(&(a.modified, &a.id)));
        Ok(files)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.md"))
    }
}

/// A file that may hold a memory.
struct MemoryFile {
    id: String,
    path: PathBuf,
    modified: SystemTime,
    /// How many bytes the system says that it has.
    size: u64,
}

impl MemoryFile {
    /// Returns what is at a path, or `None` where that is no memory by its name and kind.
    fn at(path: PathBuf) -> Option<Self> {
        let is_markdown = path.extension().is_some_and(|ending| ending == "md");
        let id = path.file_stem().filter(|_| is_markdown)?.to_str()?.to_owned();
        // Looked at before it is opened: opening a FIFO would wait for a writer.
        let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Some(Self { id, path, modified, size: metadata.len() })
    }

    fn read(&self) -> Result<String, Unfit> {
        // Blanks around a memory do not count, within reason.
        if self.size > 2 * MOST_BYTES as u64 {
            return Err(Unfit::TooLong);
        }
        // Files that the system makes up say that they have nothing, and reading one may wait forever.
        if self.size == 0 {
            return Err(Unfit::Empty);
        }
        let mut bytes = Vec::new();
        File::open(&self.path)?.take(self.size).read_to_end(&mut bytes)?;
        if bytes.trim_ascii().len() > MOST_BYTES {
            return Err(Unfit::TooLong);
        }
        let text = String::from_utf8(bytes).map_err(|_| Unfit::NotText)?;
        match text.trim() {
            "" => Err(Unfit::Empty),
            text if text.contains('\0') => Err(Unfit::NotText),
            text => Ok(text.to_owned()),
        }
    }
}

fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
