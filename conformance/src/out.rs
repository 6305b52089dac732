//! What the program says. A reader that has gone or a disk that is full is no reason to panic.

use std::io::{self, ErrorKind, Write};

/// Writes to standard output. A reader that has read enough (`| head -1`) is no error: what is left goes nowhere.
///
/// # Errors
/// Every other one of the output, such as a full disk.
pub(crate) fn write(text: &str) -> io::Result<()> {
    unless_unread(write_to(&mut io::stdout().lock(), text))
}

/// Takes the error of a reader that has gone for none.
///
/// # Errors
/// Every other one.
pub(crate) fn unless_unread(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a line to standard error. If that fails, there is nobody left to tell.
pub(crate) fn complain(line: &str) {
    let _ = write_to(&mut io::stderr().lock(), &format!("{line}\n"));
}

fn write_to(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}
