//! The append-only session file.
//!
//! Owns writing: one line a message, in order, on disk before an append returns; the lock that
//! keeps a second writer out; and the cleaning up behind a crash. Must not read messages.
//!
//! Why a kill or a power cut at any moment loses nothing that was promised:
//!
//! - A line is written by one call at the end of the file and reaches the disk before the append
//!   returns. Until then the caller has not told anybody of the message.
//! - So a crash leaves whole lines, and behind them at most an unfinished one or, on some file
//!   systems, zeros. Loading leaves that out; the next append puts its bytes aside first, and
//!   only then cuts the file, so a crash in between loses nothing either.
//! - Nothing is ever written into the middle of a file. The only thing that is cut off is an
//!   unfinished line at the very end.
//! - Whoever deletes, cuts or replaces the file meanwhile is found out before the next line, which
//!   would reach nobody otherwise; the conversation is then written anew.
//! - The lock belongs to the open file. The system releases it with the process, however that
//!   ends; there is no stale lock.
#![expect(clippy::disallowed_methods, reason = "this file owns the session that is being written")]

mod place;

use self::place::{is_at, put_aside};
use super::label::{label_of, label_path, read_label, write_label_once};
use super::load::Loaded;
use super::{SessionError, SessionStore, codec};
use futures_util::future::BoxFuture;
use letscode_wire::{EntryId, Message, SessionId, Transcript};
use std::collections::VecDeque;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session file that is open for appending. Holds its lock until it is dropped.
pub struct FileStore {
    id: SessionId,
    path: PathBuf,
    shared: Arc<Shared>,
}

impl FileStore {
    /// Returns a new session in `folder`. File and folder are made by the first append, so that
    /// a run without a message leaves nothing behind.
    pub fn create(folder: &Path) -> Self {
        let id = SessionId::new_v7();
        let writer = Writer {
            path: folder.join(format!("{id}.jsonl")),
            file: None,
            start: Start::New,
            length: 0,
            unsynced_folders: Vec::new(),
            last_id: None,
            tail: TailState::Clean,
            label: Label::Wanted(None),
        };
        Self::with_writer(id, writer)
    }

    /// Opens a loaded session to go on with it. Nothing is written before the first append. One
    /// that the system does not let us write, on a disk that is read-only for example, is opened
    /// all the same: its appends fail for as long as that is so.
    ///
    /// # Errors
    /// [`SessionError::Held`] when somebody else has it open; [`SessionError::Changed`] when it
    /// has grown since it was loaded; and when the system refuses. [`resume`](super::resume)
    /// deals with the first two.
    pub fn open(loaded: &Loaded) -> Result<Self, SessionError> {
        let path = &loaded.path;
        let open_error = || SessionError::io("open", path);
        let (mut file, is_writable) = match append_options().open(path) {
            Ok(file) => (file, true),
            Err(error) if is_refusal(&error) => (File::open(path).map_err(open_error())?, false),
            Err(error) => return Err(open_error()(error)),
        };
        if is_writable {
            lock(&file, path)?;
        }
        let length = file.metadata().map_err(open_error())?.len();
        if length != loaded.length {
            return Err(SessionError::Changed { path: path.clone() });
        }
        let tail = match loaded.tail {
            Some(tail) => {
                TailState::Torn { offset: tail.offset, end: length, put_aside: tail.has_text }
            }
            None if ends_in_newline(&mut file, length).map_err(open_error())? => TailState::Clean,
            None => TailState::Unfinished,
        };
        let label = match read_label(path) {
            Some(_) => Label::Settled,
            None => Label::Wanted(loaded.label.clone()),
        };
        let writer = Writer {
            path: path.clone(),
            file: is_writable.then_some(file),
            start: Start::Behind(length),
            length,
            unsynced_folders: Vec::new(),
            last_id: loaded.last_id.clone(),
            tail,
            label,
        };
        Ok(Self::with_writer(loaded.id.clone(), writer))
    }

    /// Returns the session's id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the session's file; a new session's is not there before the first append.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn with_writer(id: SessionId, writer: Writer) -> Self {
        let path = writer.path.clone();
        tracing::debug!(path = %path.display(), "session file");
        let shared = Shared { queue: Mutex::default(), writer: Mutex::new(writer) };
        Self { id, path, shared: Arc::new(shared) }
    }

    /// Runs `work` where it may wait for the disk.
    fn blocking(
        &self,
        work: impl FnOnce(&Shared) -> Result<(), SessionError> + Send + 'static,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || work(&shared)).await;
            done.unwrap_or_else(|join_error| {
                Err(SessionError::io("write", &self.path)(io::Error::other(join_error)))
            })
        })
    }
}

impl SessionStore for FileStore {
    fn append(&self, message: Arc<Message>) -> BoxFuture<'_, Result<(), SessionError>> {
        // Queued before the future is first polled: the order of calls is the order of lines.
        guard(&self.shared.queue).push_back(message);
        self.blocking(Shared::write_queue)
    }

    fn unsaved(&self) -> usize {
        guard(&self.shared.queue).len()
    }

    fn save(&self) -> BoxFuture<'_, Result<(), SessionError>> {
        self.blocking(|shared| {
            guard(&shared.writer).require_in_place()?;
            shared.write_queue()
        })
    }

    fn restore(&self, conversation: Transcript) -> BoxFuture<'_, Result<(), SessionError>> {
        self.blocking(|shared| shared.restore(conversation))
    }

    fn continue_behind(&self, entry: EntryId) {
        guard(&self.shared.writer).last_id = Some(entry);
    }
}

impl Drop for FileStore {
    /// Tries once more what could not be written before. The label that was given to a session
    /// which never began goes with it.
    fn drop(&mut self) {
        if let Err(error) = self.shared.write_queue() {
            tracing::warn!(%error, "messages of the session are lost");
        }
        let writer = guard(&self.shared.writer);
        if writer.file.is_none() && matches!(writer.start, Start::New) {
            // Most such sessions have no label.
            drop(std::fs::remove_file(label_path(&self.path)));
        }
    }
}

/// What the writing thread shares with the caller. The queue has a lock of its own, so that
/// queuing never waits for the disk.
struct Shared {
    /// The messages that are not on disk yet, oldest first.
    queue: Mutex<VecDeque<Arc<Message>>>,
    writer: Mutex<Writer>,
}

impl Shared {
    /// Writes all queued messages. The first that fails stays in the queue with all behind it.
    fn write_queue(&self) -> Result<(), SessionError> {
        let mut writer = guard(&self.writer);
        loop {
            let Some(message) = guard(&self.queue).front().cloned() else { return Ok(()) };
            writer.require_in_place()?;
            let written = writer.write(&message);
            written.map_err(SessionError::io("write", &writer.path))?;
            guard(&self.queue).pop_front();
        }
    }

    /// Begins anew with `conversation`. What waits already stays behind it, once.
    fn restore(&self, conversation: Transcript) -> Result<(), SessionError> {
        {
            let mut writer = guard(&self.writer);
            let mut queue = guard(&self.queue);
            let is_new =
                |queued: &Arc<Message>| conversation.iter().all(|it| it.id() != queued.id());
            queue.retain(is_new);
            for message in conversation.into_iter().rev() {
                queue.push_front(message);
            }
            writer.begin_anew();
        }
        self.write_queue()
    }
}

struct Writer {
    path: PathBuf,
    /// The locked file; none before a new session's first append, and while the system refuses.
    file: Option<File>,
    start: Start,
    /// How long the file is at the least: up to the end of what we know of.
    length: u64,
    /// The folders whose entries may not be on disk yet.
    unsynced_folders: Vec<PathBuf>,
    last_id: Option<EntryId>,
    tail: TailState,
    label: Label,
}

/// Where the first append goes.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// Into a file that it makes.
    New,
    /// Into a file that it makes, whatever is in its place.
    Anew,
    /// Behind the bytes that were loaded.
    Behind(u64),
}

/// What stands at the end of the file.
#[derive(Debug, Clone, Copy)]
enum TailState {
    /// Nothing, or a newline.
    Clean,
    /// Something that a newline has to end.
    Unfinished,
    /// An unfinished line from `offset` to `end`.
    Torn { offset: u64, end: u64, put_aside: bool },
}

/// Whether the session needs a label, and the one that it would have had from the start.
enum Label {
    Settled,
    Wanted(Option<String>),
}

impl Writer {
    fn write(&mut self, message: &Arc<Message>) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(match self.start {
                Start::New => create_file(&self.path, &mut self.unsynced_folders)?,
                Start::Anew => {
                    put_aside(&self.path)?;
                    create_file(&self.path, &mut self.unsynced_folders)?
                }
                Start::Behind(length) => open_again(&self.path, length)?,
            }),
        };
        while let Some(folder) = self.unsynced_folders.last() {
            sync_folder(folder)?;
            self.unsynced_folders.pop();
        }
        if let TailState::Torn { offset, end, put_aside } = self.tail {
            let is_last = file.metadata()?.len() == end;
            let is_cut = is_last && cut_torn_line(file, &self.path, offset, put_aside).is_ok();
            if is_cut {
                self.length = offset;
            }
            let is_clean = is_cut && ends_in_newline(file, offset)?;
            self.tail = if is_clean { TailState::Clean } else { TailState::Unfinished };
        }
        let mut line = Vec::new();
        if matches!(self.tail, TailState::Unfinished) {
            line.push(b'\n');
        }
        codec::encode(self.last_id.as_ref(), message, &mut line)?;
        match append_line(file, &line) {
            Ok(length) => {
                self.length = length;
                self.tail = TailState::Clean;
            }
            Err(failure) => {
                if !failure.is_cut {
                    self.tail = TailState::Unfinished;
                }
                return Err(failure.error);
            }
        }
        self.last_id = Some(message.id().clone());
        self.settle_label(message);
        Ok(())
    }

    /// Refuses to go on where the file is not what we wrote any more.
    fn require_in_place(&self) -> Result<(), SessionError> {
        let Some(file) = &self.file else { return Ok(()) };
        let held = file.metadata().map_err(SessionError::io("read", &self.path))?;
        if held.len() >= self.length && is_at(&held, &self.path) {
            return Ok(());
        }
        Err(SessionError::Lost { path: self.path.clone() })
    }

    /// Lets the next append make a file as if there had never been one.
    fn begin_anew(&mut self) {
        self.file = None;
        self.start = Start::Anew;
        self.length = 0;
        self.last_id = None;
        self.tail = TailState::Clean;
        self.label = Label::Wanted(None);
    }

    /// Gives the session its label once there is something to make it of. A failure is no
    /// failure of the session: the next message tries again.
    fn settle_label(&mut self, message: &Message) {
        let Label::Wanted(earlier) = &self.label else { return };
        let Some(label) = earlier.clone().or_else(|| label_of(message)) else { return };
        match write_label_once(&self.path, &label) {
            Ok(()) => self.label = Label::Settled,
            Err(error) => tracing::debug!(%error, "cannot write the session's label"),
        }
    }
}

/// Makes the file of a new session. The folders whose entries are new by that go to `unsynced`.
fn create_file(path: &Path, unsynced: &mut Vec<PathBuf>) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let missing = folder.ancestors().take_while(|folder| !folder.exists()).count();
    folder_builder().create(folder)?;
    let file = append_options().create_new(true).open(path)?;
    // Nobody else can know the file yet; where there are no locks it does without.
    let _ = file.try_lock();
    *unsynced = folder.ancestors().take(missing + 1).map(Path::to_path_buf).collect();
    Ok(file)
}

/// Opens a session that the system did not let us write before. Who else may have written to it
/// meanwhile knew nothing of us.
fn open_again(path: &Path, length: u64) -> io::Result<File> {
    let file = append_options().open(path)?;
    lock(&file, path).map_err(io::Error::other)?;
    if file.metadata()?.len() != length {
        return Err(io::Error::other(SessionError::Changed { path: path.to_path_buf() }));
    }
    Ok(file)
}

/// Returns whether the system says that a file may not be written.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Takes the lock on a session's file.
fn lock(file: &File, path: &Path) -> Result<(), SessionError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(SessionError::Held { path: path.to_path_buf() }),
        Err(TryLockError::Error(error)) => {
            // A file system without locks must not keep a session from going on.
            tracing::debug!(%error, "cannot lock the session");
            Ok(())
        }
    }
}

struct AppendFailure {
    error: io::Error,
    /// Whether the file is as it was before.
    is_cut: bool,
}

/// Writes a line at the end, waits until it is on disk and returns how long the file is now. On
/// failure what was written of it is
/// taken back, unless somebody without regard for the lock has written behind it.
fn append_line(file: &mut File, line: &[u8]) -> Result<u64, AppendFailure> {
    let before = match file.metadata() {
        Ok(metadata) => metadata.len(),
        Err(error) => return Err(AppendFailure { error, is_cut: true }),
    };
    let mut written = 0;
    while let Some(rest @ [_, ..]) = line.get(written..) {
        // One call takes the whole line, as a rule; the disk may take less when it is full.
        match file.write(rest) {
            Ok(0) => return Err(take_back(file, before, written, io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(take_back(file, before, written, error)),
        }
    }
    ignore_unsupported(file.sync_data())
        .map_err(|error| take_back(file, before, written, error))?;
    Ok(before + written as u64)
}

fn take_back(file: &File, before: u64, written: usize, error: io::Error) -> AppendFailure {
    let is_ours = |length: u64| length == before + written as u64;
    let is_cut = file.metadata().is_ok_and(|metadata| is_ours(metadata.len()))
        && (written == 0 || file.set_len(before).is_ok());
    AppendFailure { error, is_cut }
}

/// Moves the unfinished line at `offset` to the file beside the session that collects such.
fn cut_torn_line(file: &mut File, path: &Path, offset: u64, put_aside: bool) -> io::Result<()> {
    if put_aside {
        let mut aside = append_options().create(true).open(path.with_extension("jsonl.torn"))?;
        file.seek(SeekFrom::Start(offset))?;
        io::copy(file, &mut aside)?;
        aside.write_all(b"\n")?;
        ignore_unsupported(aside.sync_data())?;
    }
    file.set_len(offset)
}

fn ends_in_newline(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    file.seek(SeekFrom::Start(last))?;
    file.read_exact(&mut byte)?;
    Ok(byte == *b"\n")
}

/// Returns how session files are opened: for appending, and made for the user alone.
fn append_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns how session folders are made: for the user alone, parents included.
pub(super) fn folder_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Has a folder's entries on disk, where it can be opened for that: not above the user's own
/// folders, as a rule, and not on Windows.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) => ignore_unsupported(folder.sync_all()),
        Err(_) => Ok(()),
    }
}

/// Takes it for done where the file system cannot sync at all.
fn ignore_unsupported(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Locks a mutex. A panic in another thread has left nothing half done in these.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
