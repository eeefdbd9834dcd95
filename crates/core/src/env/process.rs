//! This machine: shell commands in their own process group.
