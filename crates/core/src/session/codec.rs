//! Lines of a session file to records and back.
