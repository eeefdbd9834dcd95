//! The real terminal: raw mode and the other modes that the interface needs, and the way back.
//!
//! Owns the process's terminal while it is entered; [`restore`] can be called from everywhere and
//! leaves it as it was found, once. Must not know what is shown.

mod abilities;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

pub use abilities::Abilities;

#[cfg(not(unix))]
use other as system;
use std::io;
use std::path::PathBuf;
#[cfg(unix)]
use unix as system;

/// What an earlier run that was killed may have left: an update that never ended, no wrapping, a
/// look, keys that are told in another way. What the terminal does not know it ignores.
const RESET: &str = "\x1b[?2026l\x1b[?7h\x1b[m\x1b[?25h";
/// Pastes are marked, and the window tells whether it has the keyboard.
const SET: &str = "\x1b[?2004h\x1b[?1004h";
/// Leaves the rows of an interface that had no time to take them away.
const BELOW: &str = "\r\n\x1b[J";
const UNSET: &str = "\x1b[?1004l\x1b[?2004l";
/// Takes back flags that an earlier run left, then asks the terminals that speak the kitty
/// protocol, and those that speak xterm's, to tell keys apart that are the same byte otherwise.
const SET_KEYBOARD: &str = "\x1b[=0;1u\x1b[>1u\x1b[>4;1m";
const UNSET_KEYBOARD: &str = "\x1b[>4m\x1b[<1u";

/// Ends what another program may have set: reports of the mouse, the window and its size, other keys
/// and letters.
const UNSET_ALL: &str = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\
    \x1b[?1016l\x1b[?2031l\x1b[?2048l\x1b[?1l\x1b>\x0f\x1b(B";
/// The same of newer terminals: flags of keys, another shape of the cursor.
const UNSET_NEW: &str = "\x1b[=0;1u\x1b[>4m\x1b[0 q";
/// Has all of the screen scroll again, with the cursor where it is, and leaves the screen that whole
/// programs use. To leave it where it is not in use moves the cursor, so it is entered first: what is
/// in use already is not entered again.
const WHOLE_SCREEN: &str = "\x1b7\x1b[r\x1b8\x1b[?1049h\x1b[?1049l";

/// The terminal, entered: keys come as they are pressed and nothing is echoed. Dropping it restores
/// what was.
#[derive(Debug)]
pub struct Terminal {
    abilities: Abilities,
}

impl Terminal {
    /// Enters the terminal of the process: of its stdin and stdout.
    ///
    /// # Errors
    /// When one of them is no terminal (see [`is_interactive`]), or the terminal is gone.
    pub fn enter(abilities: Abilities) -> io::Result<Self> {
        let terminal = Self { abilities };
        terminal.reenter()?;
        Ok(terminal)
    }

    /// Enters it again, if it has been left.
    ///
    /// # Errors
    /// As [`enter`](Self::enter).
    pub fn reenter(&self) -> io::Result<()> {
        let (set, unset) = modes(self.abilities);
        if system::enter(unset, BELOW.to_owned())? {
            system::write(set.as_bytes())?;
        }
        Ok(())
    }

    /// Sets all modes once more, where the terminal is entered: somebody may have changed them while
    /// the process was stopped by a signal that nobody can listen to.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn renew(&self) -> io::Result<()> {
        match system::renew()? {
            Some(unset) => {
                let (set, _) = modes(self.abilities);
                system::write(format!("{unset}{set}").as_bytes())
            }
            None => Ok(()),
        }
    }

    /// Restores what was: before an editor, before the program stops. Does nothing where it has
    /// been left already.
    pub fn leave(&self) {
        system::leave(false);
    }

    /// Leaves it and stops the process as Ctrl+Z does. Returns once the process goes on: whether it
    /// was stopped, which it is not where nobody could have it go on.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn stop(&self) -> io::Result<bool> {
        self.leave();
        system::stop_process()
    }

    /// Returns whether it is entered: [`restore`] may have left it from elsewhere.
    pub fn is_entered(&self) -> bool {
        system::is_entered()
    }

    /// Returns the columns and rows.
    pub fn size(&self) -> (usize, usize) {
        system::size()
    }

    /// Writes as [`write()`] does.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        write(bytes)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The terminal in the hands of a program that sets it as it likes: another process's, which may end
/// in any state. Dropping it restores what was.
#[derive(Debug)]
pub struct Lent(());

impl Lent {
    /// Notes how the terminal of the process is, before another program gets it.
    ///
    /// # Errors
    /// As [`Terminal::enter`].
    pub fn lend(abilities: Abilities) -> io::Result<Self> {
        let (unset, abrupt) = if abilities.is_dumb() {
            (String::new(), String::new())
        } else {
            let new = if abilities.has_key_protocols { UNSET_NEW } else { "" };
            (format!("{UNSET_ALL}{new}{UNSET}{RESET}"), format!("{WHOLE_SCREEN}{BELOW}"))
        };
        system::note(unset, abrupt)?;
        Ok(Self(()))
    }

    /// Restores what was, behind a program that has ended as it should: the screen is as it left it.
    pub fn take_back(self) {
        system::leave(false);
    }

    /// Restores what was, behind a program that had no time to: what it showed on a screen of its own
    /// goes away.
    pub fn take_away(self) {
        system::leave(true);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        system::leave(true);
    }
}

/// Writes all of the bytes, from any thread; waits while the terminal takes none.
///
/// # Errors
/// When the terminal is gone. There is nobody left to tell then, so the caller ends quietly.
pub fn write(bytes: &[u8]) -> io::Result<()> {
    system::write(bytes)
}

/// Restores the terminal if it is entered: for panic hooks and handlers of signals, from any
/// thread, any number of times. What is printed next stands below what the interface showed. A
/// terminal that is gone is left alone.
pub fn restore() {
    system::leave(true);
}

/// Stops the process group of a program that has not entered the terminal. Returns once it goes on,
/// or at once, and `false`, where no shell is there to have it go on.
///
/// # Errors
/// When the system does not stop it.
pub fn stop_process() -> io::Result<bool> {
    system::stop_process()
}

/// Returns the columns and rows of the terminal that stdout is.
pub fn size() -> (usize, usize) {
    system::size()
}

/// Returns the name of the terminal that stdin is, by which another process can open it; `None` where
/// nobody is at a terminal.
pub fn name() -> Option<PathBuf> {
    is_interactive().then(system::name).flatten()
}

/// Returns whether a user can type and see something: both stdin and stdout are a terminal.
pub fn is_interactive() -> bool {
    system::is_interactive()
}

/// Returns the sequences that enter and leave the modes.
fn modes(abilities: Abilities) -> (String, String) {
    if abilities.is_dumb() {
        return (String::new(), String::new());
    }
    let (set, unset) =
        if abilities.has_key_protocols { (SET_KEYBOARD, UNSET_KEYBOARD) } else { ("", "") };
    (format!("{RESET}{set}{SET}"), format!("{UNSET}{unset}{RESET}"))
}

#[cfg(all(test, unix))]
mod tests;
