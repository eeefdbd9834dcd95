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
        if system::enter(unset)? {
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
        system::leave("");
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
    system::leave(BELOW);
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
