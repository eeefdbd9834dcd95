//! The certificates of the user's own file.
//!
//! Owns the care in reading it: what is no regular file of a sensible size is not read, because a
//! FIFO would wait for ever and a device never end. Must not decide whom to trust.
#![expect(clippy::disallowed_methods, reason = "this file reads the user's certificates")]

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// No bundle of certificates is larger.
const LARGEST_FILE: u64 = 8 * 1024 * 1024;

/// Adds the certificates of the PEM file at `path`. Blocks.
///
/// # Errors
/// When the file gives none, in a line that names it.
pub(crate) fn add_from_file(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let bytes = read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    match roots.add_parsable_certificates(certificates).0 {
        0 => Err(format!("{} holds no usable certificate", path.display())),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    // Looked at before it is opened: opening a FIFO would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err("it is larger than 8 MiB".to_owned());
    }
    Ok(bytes)
}
