//! Parts for the tests of letscode.

pub mod mem_env;
