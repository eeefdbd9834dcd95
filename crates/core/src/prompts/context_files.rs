//! AGENTS.md and CLAUDE.md.
