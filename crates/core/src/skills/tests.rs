//! Tests of skills as tools.
