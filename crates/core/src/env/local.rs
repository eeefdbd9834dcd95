//! This machine: files of the local disk.
